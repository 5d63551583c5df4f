package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
)

// look is what is known of the previous run.
func (r *running) look(prev *Run) (Previous, error) {
	v := Previous{State: prev.State(r.Life(prev)), SameKey: prev.Key() != "" && prev.Key() == r.key, Attempt: prev.Attempt()}
	if prev.Terminal != nil && v.State != Corrupt {
		v.Cause, v.Effects = prev.Terminal.Body.Cause, prev.Terminal.Body.SideEffects
	}
	if prev.Readback != nil {
		v.Answer = prev.Readback.Body.Answer
	}
	var err error
	v.Released, err = r.released(r.plan.Role, prev.ID)
	return v, err
}

// take does one step of a decision.
func (r *running) take(step Step, cause string, prev *Run, v Previous) error {
	switch step {
	case Go:
		r.succeed(prev, v)
	case GoAgain:
		r.replay(prev)
	case CleanUp:
		if err := r.cleanUp(prev); err != nil {
			return err
		}
		r.succeed(prev, v)
	case Ask:
		return r.ask(prev, v)
	case StepAside:
		return r.skip(cause, stepAside(cause, prev))
	default:
		return r.hold(cause, prev, v)
	}
	return nil
}

func stepAside(cause string, prev *Run) string {
	switch cause {
	case CauseDone:
		return "not started: run " + prev.ID + " has completed for the same instant"
	case CauseApplied:
		return "not started: the effect of run " + prev.ID + " was applied, by its readback"
	}
	return "not started: the same instant was tried again once already, last by run " + prev.ID + "; to try once more: rolecall runs hold and release"
}

// succeed takes the place of a previous run, with the run's own key.
func (r *running) succeed(prev *Run, v Previous) {
	if v.State == Completed {
		return
	}
	r.replayOf = prev.ID
	if v.SameKey {
		r.replay(prev)
	}
}

// replay tries again what a previous run was for.
func (r *running) replay(prev *Run) {
	r.replayOf, r.key, r.attempt = prev.ID, prev.Key(), prev.Attempt()+1
}

// cleanUp puts a cut-off run's staging aside and runs the role's cleanup. It
// does so once: what is aside already was cleaned up.
func (r *running) cleanUp(prev *Run) error {
	from, to := prev.Staging(), prev.Staging()+"-aside"
	err := r.FS.Rename(from, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r.skip(CauseCleanup, fmt.Sprintf("not started: the staging of run %s cannot be put aside: %v", prev.ID, err))
	}
	if err == nil {
		if err := r.FS.SyncDir(path.Dir(to)); err != nil {
			return err
		}
	}
	if len(r.plan.Cleanup) == 0 {
		return nil
	}
	e, err := r.help(r.plan.Cleanup, "", append(r.helperEnv(prev), "ROLECALL_STAGING="+to))
	if r.stop != 0 {
		return r.stoppedBefore()
	}
	if err == nil && (e.Signal != 0 || e.Code != 0) {
		err = fmt.Errorf("it ended with %s", e)
	}
	if err != nil {
		return r.skip(CauseCleanup, fmt.Sprintf("not started: the cleanup after run %s failed: %v", prev.ID, err))
	}
	return nil
}

// helperEnv tells a helper which run it is about.
func (r *running) helperEnv(about *Run) []string {
	return append(append([]string{}, r.plan.Env...),
		"ROLECALL_ROLE="+r.plan.Role, "ROLECALL_RUN_ID="+about.ID, "ROLECALL_IDEMPOTENCY_KEY="+about.Key(),
		"ROLECALL_ATTEMPT="+strconv.Itoa(about.Attempt()), "ROLECALL_STATE="+r.Root)
}

// ask runs the readback of a previous run, keeps its answer beside that run, and
// goes by it.
func (r *running) ask(prev *Run, v Previous) error {
	a := r.readback(prev)
	if r.stop != 0 {
		return r.stoppedBefore()
	}
	if a != NotKnown {
		data, err := record(&r.Store, KindReadback, prev.Role, prev.ID, prev.seq+1, Annotation{Answer: a, By: "run " + r.run.ID})
		if err != nil {
			return err
		}
		if err := r.replace(path.Join(prev.Dir, "readback.json"), data); err != nil {
			return err
		}
	}
	step, cause := AfterReadback(v, a)
	return r.take(step, cause, prev, v)
}

// readback asks whether a key was applied: 0 it was, 1 it was not, and all else
// is not known.
func (r *running) readback(prev *Run) Answer {
	e, err := r.help(r.plan.Readback, "", r.helperEnv(prev))
	switch {
	case err != nil:
		r.warn("readback: %v", err)
	case e.Signal == 0 && e.Code == 0:
		return Applied
	case e.Signal == 0 && e.Code == 1:
		return NotApplied
	}
	return NotKnown
}

// hold stops the role for a person. A run that may yet become verifiable holds
// nothing: the next run looks again.
func (r *running) hold(cause string, prev *Run, v Previous) error {
	why := fmt.Sprintf("run %s was %s", prev.ID, v.State)
	if v.Cause != "" {
		why += " (" + v.Cause + ")"
	}
	if v.State == Unverifiable {
		return r.skip(CausePredecessor, "not started: "+why+"; see: rolecall runs show "+prev.ID)
	}
	if err := r.holdFor(r.plan.Role, Hold{RunID: prev.ID, Cause: cause, Reason: why}); err != nil {
		return err
	}
	return r.skip(CauseHold, "not started: "+why+", and the role is held until a person looks; then: rolecall runs release "+r.plan.Role)
}

// String is how a process ended, in words.
func (e Exit) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("signal %d", e.Signal)
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Shell is the exit code that a shell gives for it.
func (e Exit) Shell() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}
