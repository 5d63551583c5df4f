package runs

import (
	"errors"
	"path"
	"time"
)

const overlapPoll = 200 * time.Millisecond

// exclude takes the role's lock, so that no two runs of a role go on together.
func (r *running) exclude() error {
	if r.run == nil {
		return nil
	}
	for {
		lock, err := r.Locks.Exclusive(r.roleLock(r.plan.Role))
		if err == nil {
			r.role = lock
			return nil
		}
		if !errors.Is(err, ErrBusy) {
			return err
		}
		if r.plan.Overlap != OverlapWait {
			return r.skip(CauseOverlap, "not started: another run of the role goes on")
		}
		if err := r.waitTurn(); err != nil {
			return err
		}
	}
}

// waitTurn waits a little for what stands in the way, and gives up for a stop, a
// drain, or a verdict that another has claimed.
func (r *running) waitTurn() error {
	tick, stop := r.After(overlapPoll)
	defer stop()
	select {
	case <-tick:
	case s := <-r.Stops:
		r.asked(s)
		return r.stoppedBefore()
	}
	draining, err := r.Draining()
	if draining {
		return r.skip(CauseDraining, "not started: this machine is being drained; see: rolecall drain --status")
	}
	return err
}

// stoppedBefore ends a run that was asked to stop before its job was started.
func (r *running) stoppedBefore() error {
	return ending{r.shut(128+int(r.stop), Gate{Verdict: Stopped, Cause: r.stopCause},
		Terminal{State: Interrupted, Cause: r.stopCause, Note: "its job had not been started", SideEffects: EffectsNone},
		"stopped before the job was started")}
}

// skip ends the run before its job was started, with a record of the reason.
func (r *running) skip(cause, message string) error {
	return ending{r.shut(ExitSkipped, Gate{Verdict: Declined, Cause: cause},
		Terminal{State: Skipped, Cause: cause, Note: message, SideEffects: EffectsNone}, message)}
}

// follow looks after the run before this one, and does what the role's policy
// says about it.
func (r *running) follow() error {
	if r.run == nil {
		return nil
	}
	r.attempt = 1
	if draining, err := r.Draining(); draining || err != nil {
		// The role's lock may have taken time.
		return errors.Join(err, r.skip(CauseDraining, "not started: this machine is being drained; see: rolecall drain --status"))
	}
	if err := r.doneBefore(); err != nil {
		return err
	}
	prev, err := r.previous()
	if err != nil {
		return err
	}
	if err := r.held(); err != nil {
		return err
	}
	if prev == nil {
		return nil
	}
	if err := r.orphans(prev); err != nil {
		return err
	}
	v, err := r.look(prev)
	if err != nil {
		return err
	}
	step, cause := Decide(r.plan.Policy, v)
	return r.take(step, cause, prev, v)
}

// held skips a role that a person must release.
func (r *running) held() error {
	h, err := r.Hold(r.plan.Role)
	if errors.Is(err, ErrCorrupt) {
		return r.skip(CauseHold, "not started: what holds the role cannot be believed ("+err.Error()+"); look, then: rolecall runs release --force "+r.plan.Role)
	}
	if err != nil {
		return err
	}
	if h == nil {
		return nil
	}
	return r.skip(CauseHold, "not started: the role is held ("+h.Body.Reason+"); look, then: rolecall runs release "+r.plan.Role)
}

// doneBefore skips an instant that has completed already.
func (r *running) doneBefore() error {
	if r.plan.Due == nil {
		return nil
	}
	ids, _, err := r.IDs(r.plan.Role)
	if err != nil {
		return err
	}
	for i := len(ids) - 1; i >= 0; i-- {
		if ids[i] == r.run.ID {
			continue
		}
		if old := r.Load(r.plan.Role, ids[i]); old.completed(r.key, *r.plan.Due) {
			return r.skip(CauseDone, "not started: run "+old.ID+" has completed for the same instant")
		}
	}
	return nil
}

// completed says that a run proves a key done. A completion that is dated before
// the instant is no proof of it.
func (r *Run) completed(key string, due time.Time) bool {
	return r.State(Life{}) == Completed && r.Key() == key && !r.Terminal.Wall.Before(due)
}

// previous is the last run that was no skip, settled; nil if there is none.
func (r *running) previous() (*Run, error) {
	ids, _, err := r.IDs(r.plan.Role)
	if err != nil {
		return nil, err
	}
	for i := len(ids) - 1; i >= 0; i-- {
		if ids[i] == r.run.ID {
			continue
		}
		prev := r.Load(r.plan.Role, ids[i])
		life := r.Life(prev)
		if s := prev.State(life); s == Skipped || s == InFlight && prev.Started == nil {
			continue // one that waits for its turn behind this one, or was refused
		}
		if _, err := r.Settle(prev, "run "+r.run.ID, false, true); err != nil {
			return nil, err
		}
		if prev.Terminal != nil && prev.Terminal.Body.State == Skipped {
			continue
		}
		return prev, nil
	}
	return nil, nil
}

// orphanPolls bounds how long killed orphans are waited for, about 5 s.
const orphanPolls = 25

// orphans waits for, kills or steps aside for what is left of a run that lost
// its wrapper. What a run left behind that ended in order is no reason to wait.
func (r *running) orphans(prev *Run) error {
	if prev.Terminal != nil && prev.Terminal.Body.Cause != CauseOwnerLost && prev.Terminal.Body.Cause != CauseLostInCommit {
		return nil
	}
	for polls := 0; ; polls++ {
		held, err := r.Locks.Held(path.Join(prev.Dir, "desc.lock"))
		if err != nil || !held {
			return nil // a hint, and no more
		}
		if r.plan.Overlap == OverlapKill && polls == 0 {
			if err := r.killJob(prev); err != nil {
				r.warn("what is left of run %s could not be killed: %v", prev.ID, err)
			}
		}
		if r.plan.Overlap == OverlapSkip || r.plan.Overlap == OverlapKill && polls > orphanPolls {
			return r.skip(CauseOrphans, "not started: processes of run "+prev.ID+" go on, whose wrapper is gone")
		}
		if err := r.waitTurn(); err != nil {
			return err
		}
	}
}
