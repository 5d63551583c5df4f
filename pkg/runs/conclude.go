package runs

import (
	"cmp"
	"fmt"
	"path"
)

// conclude decides what became of a job that has ended.
func (r *running) conclude() Outcome {
	e := r.ended.Exit
	if r.run == nil {
		return r.unrecorded(e)
	}
	if out, byJob := r.jobCommit(e); byJob {
		return out
	}
	switch {
	case r.stop != 0:
		return r.interrupted(r.stopCause)
	case e.Signal != 0:
		return r.interrupted(CauseKilled)
	case e.Code != 0:
		return r.shut(e.Code, Gate{Verdict: Fail, Cause: CauseExit, Exit: &e}, Terminal{State: Failed, Cause: CauseExit}, "")
	}
	if r.stoppedWith() {
		return r.interrupted(CauseSignal)
	}
	return r.deliver()
}

// unrecorded is the end of a run without a record.
func (r *running) unrecorded(e Exit) Outcome {
	switch {
	case e.Shell() == 0 && r.stop != 0:
		return r.outcome(128+int(r.stop), "", r.stopCause, "")
	case r.stop != 0:
		return r.outcome(e.Shell(), "", r.stopCause, "")
	}
	return r.outcome(e.Shell(), "", CauseExit, "")
}

// stoppedWith looks for a stop that came together with the job's end: a service
// manager signals wrapper and job at one time, and the job may be faster.
func (r *running) stoppedWith() bool {
	over, stop := r.After(r.plan.Settle)
	defer stop()
	select {
	case s := <-r.Stops:
		r.asked(s)
	case <-over:
	}
	return r.stop != 0
}

// pending looks for a stop without waiting.
func (r *running) pending() bool {
	select {
	case s := <-r.Stops:
		r.asked(s)
	default:
	}
	return r.stop != 0
}

func (r *running) interrupted(cause string) Outcome {
	e := r.ended.Exit
	code := e.Shell()
	if code == 0 {
		code = 128 + int(Terminate)
		if r.stop != 0 {
			code = 128 + int(r.stop)
		}
	}
	return r.shut(code, Gate{Verdict: Stopped, Cause: cause, Exit: &e},
		Terminal{State: Interrupted, Cause: cause, Note: "it was in flight when its end was forced; what it did by then is not known"}, "")
}

// jobCommit concludes a run whose job claimed the commit for itself.
func (r *running) jobCommit(e Exit) (Outcome, bool) {
	gate, err := read[Gate](&r.Store, KindGate, path.Join(r.run.Dir, "gate.json"))
	if err != nil {
		return r.outcome(ExitIO, "", CauseRecord, fmt.Sprintf("the verdict of this run cannot be read: %v", err)), true
	}
	if gate == nil || !gate.Body.ByJob {
		return Outcome{}, false
	}
	r.run.Gate = gate
	said, err := read[Checkpoint](&r.Store, KindCheckpoint, path.Join(r.run.Dir, "checkpoint.json"))
	ended := err == nil && said != nil && said.Body.Phase == PhaseCommitEnd
	effects := EffectsUnknown
	if ended {
		effects = EffectsConfirmed
	}
	switch {
	case e.Signal != 0 || r.stop != 0 && e.Code != 0:
		return r.closed(r.forced(e), Terminal{State: Interrupted, Cause: CauseJobCommit, SideEffects: effects}), true
	case e.Code != 0 || !ended:
		return r.closed(max(e.Code, 1), Terminal{State: Failed, Cause: CauseJobCommit, SideEffects: effects,
			Note: "the job began a commit of its own and did not end it in order"}), true
	}
	t := Terminal{State: Completed, Cause: CauseExit, SideEffects: effects}
	if w := gate.Body.Watermark; w != nil {
		if err := r.move(r.run, *w); err != nil {
			return r.unresolved("watermark", fmt.Sprintf("the watermark could not be moved: %v", err)), true
		}
		t.WatermarkMoved = true
	}
	return r.closed(0, t), true
}

func (r *running) forced(e Exit) int {
	if e.Shell() != 0 {
		return e.Shell()
	}
	return 128 + int(Terminate)
}

// shut claims a verdict and writes its closure. If another has claimed it, that
// one stands, and what this run saw is kept as late.
func (r *running) shut(code int, g Gate, t Terminal, message string) Outcome {
	won, err := r.claim(r.run, r.own(g), r.reserved(KindGate))
	if err != nil && !won {
		return r.unwritten(code, t, err)
	}
	if !won && r.run.Gate.Body.Token != r.run.ID {
		return r.lost(code, g)
	}
	t.Cause = r.run.Gate.Body.Cause
	out := r.closed(code, t)
	out.Message = cmp.Or(out.Message, message)
	return out
}

// lost ends a run that came too late for its verdict: it completes and promotes
// nothing.
func (r *running) lost(code int, g Gate) Outcome {
	l := Late{Wanted: g.Verdict, Cause: g.Cause, Exit: g.Exit, Outputs: g.Promotion, By: "run"}
	if err := r.late(r.run, l); err != nil {
		r.warn("what this run saw too late could not be kept: %v", err)
	}
	stands := r.run.Gate.Body
	msg := fmt.Sprintf("the verdict over this run was %s before it ended, by %s (%s)", stands.Verdict, stands.By, stands.Cause)
	if code == 0 {
		code = 128 + int(Terminate)
		if r.stop != 0 {
			code = 128 + int(r.stop)
		}
	}
	t := Terminal{State: Interrupted, Cause: stands.Cause, Note: "it was in flight when its end was forced; what it did by then is not known"}
	switch stands.Verdict {
	case Fail:
		t.State = Failed
	case Declined:
		t.State, t.SideEffects = Skipped, EffectsNone
	case Commit:
		return r.outcome(ExitIO, "", stands.Cause, msg)
	}
	out := r.closed(code, t)
	out.Message = cmp.Or(out.Message, msg)
	return out
}

// closed writes the closure.
func (r *running) closed(code int, t Terminal) Outcome {
	r.facts(&t)
	if err := r.finish(r.run, t, r.reserved(KindTerminal)); err != nil {
		return r.unwritten(code, t, err)
	}
	if err := r.gone(); err != nil {
		return r.unwritten(code, t, err)
	}
	r.tidy()
	stands := r.run.Terminal.Body
	return r.outcome(code, stands.State, stands.Cause, "")
}

// gone notices that the folder in which this run was recorded is not there any
// more: then nobody can read that it ended.
func (r *running) gone() error {
	_, err := r.FS.Stat(path.Join(r.RunDir(r.run.Role, r.run.ID), "terminal.json"))
	return err
}

// tidy removes what was set aside, and the staging where nothing is left in it.
func (r *running) tidy() {
	for _, kind := range reservedKinds {
		r.FS.Remove(r.reserved(kind))
	}
	r.FS.Remove(r.run.Staging())
}

// facts fills in what is the same for every closure.
func (r *running) facts(t *Terminal) {
	t.By, t.Descendants, t.StopRequested = "run", r.left, r.stop != 0 || r.noted
	if t.SideEffects == "" {
		t.SideEffects = EffectsUnknown
		if t.State == Completed {
			t.SideEffects = EffectsConfirmed
		}
	}
	if r.job == nil {
		return
	}
	at := r.beganWall.UTC()
	t.StartedWall, t.Duration = &at, r.Mono()-r.began
	if r.ended != nil {
		t.Exit, t.Out, t.Err, t.PipeHeld = &r.ended.Exit, r.ended.Out, r.ended.Err, r.ended.PipeHeld
	}
}

// unwritten is the end of a run of which the records do not say how it ended. It
// is no success, but for a job of which none had to be recorded.
func (r *running) unwritten(code int, t Terminal, err error) Outcome {
	msg := fmt.Sprintf("the end of run %s (%s) could not be recorded: %v", r.run.ID, t.State, err)
	if code == 0 && (r.plan.Strict() || t.State != Completed) {
		code = ExitIO
	}
	return r.outcome(code, "", CauseRecord, msg)
}

// unresolved leaves a run open whose commit is neither done nor undone.
func (r *running) unresolved(cause, why string) Outcome {
	if err := r.holdFor(r.plan.Role, Hold{RunID: r.run.ID, Cause: cause, Reason: why}); err != nil {
		r.warn("the role could not be held: %v", err)
	}
	return r.outcome(ExitIO, "", cause, fmt.Sprintf("the commit of run %s is unresolved: %s; look, then: rolecall runs release %s", r.run.ID, why, r.plan.Role))
}
