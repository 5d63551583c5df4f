package runs

import "time"

// attend waits for the job to end, and for reasons to end it.
func (r *running) attend() error {
	overdue, stop := r.overdue()
	defer stop()
	var kill <-chan struct{}
	giveUp := func() {}
	defer func() { giveUp() }()
	arm := func(d time.Duration) { giveUp(); kill, giveUp = r.After(d) }
	for {
		select {
		case <-r.job.Exited():
			r.reap(kill)
			return nil
		case s := <-r.Stops:
			r.onStop(s, CauseSignal, arm)
		case <-overdue:
			overdue = nil
			r.onStop(Terminate, CauseDeadline, arm)
		case <-kill:
			kill = nil
			if r.noted && r.stop == 0 {
				// The job's own commit has had its time.
				r.noted = false
				r.forward(Terminate, arm)
				continue
			}
			r.job.Signal(Kill)
		}
	}
}

func (r *running) overdue() (<-chan struct{}, func()) {
	if r.plan.Budgets.MaxRuntime <= 0 {
		return nil, func() {}
	}
	return r.After(r.plan.Budgets.MaxRuntime)
}

// onStop claims the verdict first and then signals, once; what asks again is
// taken for impatience. In a commit of the job's own a stop is only noted, until
// the commit has had its time.
func (r *running) onStop(s Signal, cause string, arm func(time.Duration)) {
	switch {
	case r.stop != 0:
		r.job.Signal(Kill)
	case r.noted:
	case r.claimStop(cause):
		r.stopCause = cause
		r.forward(s, arm)
	default:
		r.noted, r.stopCause = true, cause
		arm(r.plan.Budgets.Commit)
	}
}

func (r *running) forward(s Signal, arm func(time.Duration)) {
	r.stop = s
	if err := r.job.Signal(s); err != nil {
		r.warn("the job could not be signalled: %v", err)
	}
	arm(r.plan.Budgets.KillAfter)
}

// claimStop makes interrupted the verdict, and says whether the job is to be
// stopped: also where the verdict could not be written, since then no success
// will be either.
func (r *running) claimStop(cause string) bool {
	if r.run == nil {
		return true
	}
	_, err := r.claim(r.run, r.own(Gate{Verdict: Stopped, Cause: cause,
		Evidence: Evidence{Note: "it was in flight when its end was asked for", Elapsed: r.Mono() - r.began}}), r.reserved(KindGate))
	if err != nil {
		r.warn("%v", err)
		return true
	}
	return r.run.Gate.Body.Verdict != Commit
}

// reap sweeps the group of a job whose leader has ended, and only then lets the
// leader's number go. A job that was cut off leaves nothing behind; of one that
// ended by itself what is left is only counted.
func (r *running) reap(kill <-chan struct{}) {
	switch {
	case r.stop != 0:
		r.waitGroup(kill)
		r.sweep()
	case r.plan.Sweep, r.job.Status().Signal != 0:
		r.sweep()
	default:
		r.left = count(r.job.Others())
	}
	e := r.job.Reap(pipeWait)
	r.ended = &e
}

func count(n int) string {
	switch {
	case n < 0:
		return "unknown"
	case n > 0:
		return "some"
	}
	return "none"
}

// waitGroup lets the rest of a group that was signalled end by itself, until the
// kill is due or another stop comes.
func (r *running) waitGroup(kill <-chan struct{}) {
	for r.job.Others() > 0 {
		tick, stop := r.After(groupPoll)
		select {
		case <-tick:
		case <-kill:
			stop()
			return
		case <-r.Stops:
			stop()
			return
		}
	}
}

// sweep kills what is left of the group, and waits a little for its end.
func (r *running) sweep() {
	if r.job.Others() == 0 {
		return
	}
	r.job.Signal(Kill)
	r.left = "swept"
	over, stop := r.After(sweepWait)
	defer stop()
	for r.job.Others() > 0 {
		tick, stopTick := r.After(groupPoll)
		select {
		case <-tick:
		case <-over:
			stopTick()
			r.left = "some"
			return
		}
	}
}
