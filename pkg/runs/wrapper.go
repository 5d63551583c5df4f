package runs

import (
	"errors"
	"fmt"
	"path"
	"time"
)

// The exit codes of a wrapper where it does not give the job's own; they are
// those of sysexits.h.
const (
	ExitInternal     = 70
	ExitCannotRecord = 73
	ExitIO           = 74
	ExitSkipped      = 75
)

// Wrapper makes runs.
type Wrapper struct {
	Store
	Launcher Launcher
	Stops    <-chan Signal // signals that ask this process to stop, as they come
	Notices  Notices       // nil: none are sent
	Started  func()        // called when the job's start is recorded; returns at once; nil: nobody is told
	Warn     func(string)
}

// Outcome is how a run ended. State is empty where no record says so.
type Outcome struct {
	Code    int
	RunID   string
	State   State
	Cause   string
	Message string // for a person, where there is something to say
}

// ending is the early end of a run.
type ending struct{ Outcome }

func (e ending) Error() string { return e.Message }

// running is one run while it is made.
type running struct {
	*Wrapper
	plan Plan
	run  *Run // nil where it is not recorded

	owner, desc, role Lock
	keepOwner         bool // a commit hangs: only the end of this process may free the lock

	key       string
	attempt   int
	replayOf  string
	watermark string

	job       Job
	began     time.Duration
	beganWall time.Time
	ended     *Ended
	left      string // descendants

	stop      Signal // the first that asked to stop, or that a deadline sent
	stopCause string
	noted     bool // a stop came within a commit
}

// Run makes one run, from its admission to its closure. Whatever happens, it
// ends within the plan's budgets once it was asked to stop.
func (w *Wrapper) Run(p Plan) (out Outcome) {
	r := &running{Wrapper: w, plan: p, left: "none"}
	defer r.release()
	defer func() {
		if v := recover(); v != nil {
			out = r.rescue(v)
		}
	}()
	for _, step := range []func() error{r.admit, r.exclude, r.follow, r.preflight, r.start, r.attend} {
		err := step()
		var end ending
		if errors.As(err, &end) {
			return r.notify(end.Outcome)
		}
		if err != nil {
			return r.notify(r.unrecordable(err))
		}
	}
	return r.notify(r.conclude())
}

// warn tells a person what does not change how the run ends.
func (r *running) warn(format string, args ...any) {
	if r.Warn != nil {
		r.Warn(fmt.Sprintf(format, args...))
	}
}

// release gives the locks back, the owner's last.
func (r *running) release() {
	for _, l := range []Lock{r.desc, r.role} {
		if l != nil {
			l.Release()
		}
	}
	if r.owner != nil && !r.keepOwner {
		r.owner.Release()
	}
}

func (r *running) id() string {
	if r.run == nil {
		return ""
	}
	return r.run.ID
}

// outcome is an end with this run's id.
func (r *running) outcome(code int, s State, cause, message string) Outcome {
	return Outcome{Code: code, RunID: r.id(), State: s, Cause: cause, Message: message}
}

// unrecordable ends a run before its job has begun, since it cannot be recorded.
func (r *running) unrecordable(err error) Outcome {
	msg := fmt.Sprintf("the run cannot be recorded, so the job was not started: %v", err)
	if r.run != nil && r.run.Terminal == nil {
		return r.shut(ExitCannotRecord, Gate{Verdict: Fail, Cause: CauseRecord},
			Terminal{State: Failed, Cause: CauseRecord, Note: err.Error(), SideEffects: EffectsNone}, msg)
	}
	return r.outcome(ExitCannotRecord, "", CauseRecord, msg)
}

// rescue is the end of a run after a fault of this program.
func (r *running) rescue(v any) (out Outcome) {
	msg := fmt.Sprintf("internal error: %v", v)
	out = r.outcome(ExitInternal, "", CauseInternal, msg)
	defer func() { _ = recover() }() // the closure is a reader's to find missing
	if r.job != nil && r.ended == nil {
		r.job.Signal(Kill)
	}
	if r.run == nil || r.run.Terminal != nil {
		return out
	}
	return r.shut(ExitInternal, Gate{Verdict: Stopped, Cause: CauseInternal},
		Terminal{State: Interrupted, Cause: CauseInternal, Note: msg}, msg)
}

// notify sends the notice of the end, also of one that no record tells of, and
// waits for it, within its bound.
func (r *running) notify(out Outcome) Outcome {
	if r.Notices == nil {
		return out
	}
	done := r.Notices.End(r.event(out))
	bound, stop := r.After(r.plan.Budgets.Notice)
	defer stop()
	select {
	case <-done:
	case <-bound:
		r.warn("the notice of the end was not out within %s", r.plan.Budgets.Notice)
	}
	return out
}

func (r *running) event(out Outcome) Event {
	e := Event{Role: r.plan.Role, RunID: r.id(), Key: r.key, State: out.State, Cause: out.Cause, ExitCode: out.Code}
	if r.job != nil {
		e.Duration = r.Mono() - r.began
	}
	if r.run != nil && r.plan.Capture != CaptureNone {
		e.OutLog, e.ErrLog = path.Join(r.run.Dir, "out.log"), path.Join(r.run.Dir, "err.log")
	}
	return e
}
