package runs

import (
	"errors"
	"fmt"
	"path"
	"time"
)

// ward is a run that a drain looks after.
type ward struct {
	DrainedRun
	deadline time.Duration // by the monotonic clock
	claimed  bool          // the verdict is interrupted
	killAt   time.Duration // when the wrapper is killed that was told to stop
	giveUp   time.Duration // when it is given up that was killed
	told     time.Duration // when its notices are given up; 0 until it has its closure
}

// look finds out how a run stands, and does what its time calls for.
func (d *Drainer) look(w *ward, now time.Duration) {
	r := d.Load(w.Role, w.RunID)
	life := d.Life(r)
	w.State = r.State(life)
	switch {
	case len(r.Corrupt) > 0:
		w.wait(now, r.Corrupt[0])
	case r.Unread != nil:
		w.wait(now, r.Unread.Error())
	case r.Closed(life):
		w.ended(r, "")
	case r.Terminal != nil:
		d.awaitNotices(w, r, now)
	case life.Owner == Dead && life.Desc == Alive:
		w.wait(now, "its wrapper is gone and what it started goes on, which nobody may kill unasked; end its processes, then: rolecall runs reap")
	case life.Owner == Dead:
		d.close(w, r)
	case life.Owner == Unsure:
		w.wait(now, life.Why)
	case now >= w.deadline:
		d.force(w, r, now)
	}
}

// awaitNotices leaves a run that has its closure the time of its notices, and then
// alone: it has ended, whatever becomes of them.
func (d *Drainer) awaitNotices(w *ward, r *Run, now time.Duration) {
	if w.told == 0 {
		w.told = now + r.Scheduled.Body.Budgets.Notice + Margin
	}
	if now >= w.told {
		w.ended(r, "its notices were not out in time")
	}
}

// wait gives up at the deadline a run of which nothing can be known. It is never
// killed.
func (w *ward) wait(now time.Duration, why string) {
	if now >= w.deadline {
		w.Result, w.Note = ResultUnverifiable, why
	}
}

// ended takes the result from the closure.
func (w *ward) ended(r *Run, note string) {
	t := r.Terminal.Body
	w.State, w.Cause, w.Note = t.State, t.Cause, note
	switch {
	case t.State == Interrupted:
		w.Result = ResultInterrupted
	case w.Result == ResultWaiting && w.killAt != 0 && t.State == Completed:
		w.Result = ResultLate
	default:
		w.Result = ResultFinished
	}
}

// close settles a run whose wrapper is gone.
func (d *Drainer) close(w *ward, r *Run) {
	got, err := d.Settle(r, "drain "+d.now.ID, false, false)
	if err != nil {
		w.Result, w.Note = ResultUnverifiable, err.Error()
		return
	}
	if r.Terminal == nil {
		w.Result, w.State, w.Note = ResultUnverifiable, got.State, got.Why
		return
	}
	w.ended(r, "")
}

// force ends a run whose grace is over: the verdict first, then one signal, then
// the kill. A run in its commit gets the time of its commit.
func (d *Drainer) force(w *ward, r *Run, now time.Duration) {
	switch {
	case w.giveUp != 0 && now >= w.giveUp:
		w.Result, w.Note = ResultUnverifiable, "its wrapper was killed and is still there"
	case w.giveUp != 0:
	case w.killAt != 0 && now >= w.killAt:
		d.kill(w, r, now)
	case w.killAt != 0:
	default:
		d.claimAndStop(w, r, now)
	}
}

func (d *Drainer) claimAndStop(w *ward, r *Run, now time.Duration) {
	if r.Gate == nil {
		_, err := d.Claim(r, Gate{Verdict: Stopped, Cause: CauseDrain, By: "drain " + d.now.ID, Evidence: Evidence{
			Note:  "it was in flight when we forced the end; that is a verdict of caution, and no proof of what it did",
			Grace: w.deadline - d.now.Begun, Elapsed: now - d.now.Begun, Owner: Alive, Desc: d.descendants(r)}})
		if err != nil {
			w.Result, w.Note = ResultUnverifiable, err.Error()
			return
		}
	}
	b := r.Scheduled.Body.Budgets
	if r.Gate.Body.Verdict == Commit {
		w.killAt = max(now, w.deadline) + b.Commit + Margin
		return
	}
	w.claimed = true
	w.killAt = now + b.KillAfter + stopReserve
	if err := d.stop(r); err != nil && !errors.Is(err, ErrGone) {
		w.Note = fmt.Sprintf("its wrapper could not be signalled: %v", err)
	}
}

// stop asks the wrapper to stop, once: of several drains the first to leave its
// request does.
func (d *Drainer) stop(r *Run) error {
	data, err := record(&d.Store, KindStop, r.Role, r.ID, r.seq+1, StopRequest{By: "drain " + d.now.ID, Reason: d.Reason})
	if err != nil {
		return err
	}
	won, err := d.once(path.Join(r.Dir, "stop-request.json"), data, "")
	if err == nil && !won {
		return nil
	}
	return d.Processes.Signal(r.Scheduled.Body.Wrapper, Terminate)
}

// kill ends a wrapper that did not, and its job first: the job's leader holds
// the number of its group only until the wrapper's end.
func (d *Drainer) kill(w *ward, r *Run, now time.Duration) {
	w.giveUp = now + deathWait
	err := d.killJob(r)
	if werr := d.Processes.Signal(r.Scheduled.Body.Wrapper, Kill); !errors.Is(werr, ErrGone) {
		err = errors.Join(err, werr)
	}
	if err != nil {
		w.Note = err.Error()
	}
}

// killJob kills a job's group if its leader is still there, and whoever holds
// the lock that only descendants of the job can hold.
func (s *Store) killJob(r *Run) error {
	var errs []error
	if r.Started != nil {
		errs = append(errs, notGone(s.SignalGroup(r.Started.Body.Child, Kill)))
	}
	holders, err := s.Holders(path.Join(r.Dir, "desc.lock"))
	errs = append(errs, err)
	for _, p := range holders {
		if p != s.Self() && (r.Scheduled == nil || p != r.Scheduled.Body.Wrapper) {
			errs = append(errs, notGone(s.Processes.Signal(p, Kill)))
		}
	}
	return errors.Join(errs...)
}

func notGone(err error) error {
	if errors.Is(err, ErrGone) {
		return nil
	}
	return err
}
