package runs

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"time"
)

// preflight proves before the start that the outputs could be promoted: by a
// real rename, since no number that a file system gives proves it.
func (r *running) preflight() error {
	if r.run == nil {
		return nil
	}
	w, err := r.watermarkValue(r.plan.Role)
	if err != nil {
		return err
	}
	r.watermark = w
	staging := path.Join(r.run.Dir, "staging")
	if r.plan.Staging != "" {
		staging = path.Join(r.plan.Staging, r.run.ID)
		if err := r.mkdirs(r.plan.Staging, staging); err != nil {
			return r.unfit(err)
		}
	}
	r.run.Started = &Record[Started]{Body: Started{Staging: staging}} // written when the job is there
	probe := path.Join(staging, ".probe-"+r.run.ID)
	for _, o := range r.plan.Outputs {
		if err := r.probe(probe, path.Join(path.Dir(o.Final), ".rolecall-probe-"+r.run.ID)); err != nil {
			return r.unfit(fmt.Errorf("%s: %w; the staging folder must be on its file system (--staging), and its folder writable", o.Final, err))
		}
	}
	return nil
}

func (r *running) probe(from, to string) error {
	if err := r.writeNew(from, []byte("rolecall\n")); err != nil {
		return err
	}
	if err := r.FS.Rename(from, to); err != nil {
		r.FS.Remove(from)
		return err
	}
	return r.FS.Remove(to)
}

// unfit ends a run whose outputs could not be promoted.
func (r *running) unfit(err error) error {
	r.run.Started = nil
	return ending{r.shut(ExitCannotRecord, Gate{Verdict: Fail, Cause: CausePreflight},
		Terminal{State: Failed, Cause: CausePreflight, Note: err.Error(), SideEffects: EffectsNone},
		fmt.Sprintf("the job was not started, since its output could not be promoted: %v", err))}
}

// start begins the job, and records that it has.
func (r *running) start() error {
	if err := r.lastCall(); err != nil {
		return err
	}
	if r.Notices != nil {
		r.Notices.Begin(r.event(Outcome{}))
	}
	r.began, r.beganWall = r.Mono(), r.Wall()
	job, err := r.Launcher.Start(r.launch())
	if err != nil {
		return r.unstartable(err)
	}
	r.job = job
	if r.desc != nil {
		r.desc.Release() // of this process's copy: the job holds it now
		r.desc = nil
	}
	if r.run == nil {
		return nil
	}
	if err := r.recordStart(); err != nil {
		return r.unrecordedStart(err)
	}
	if r.Started != nil {
		r.Started()
	}
	return nil
}

// lastCall is the last look for a reason not to start.
func (r *running) lastCall() error {
	select {
	case s := <-r.Stops:
		r.asked(s)
	default:
	}
	if r.run == nil {
		if r.stop != 0 {
			return ending{r.outcome(128+int(r.stop), "", CauseSignal, "stopped before the job was started")}
		}
		return nil
	}
	gate, err := read[Gate](&r.Store, KindGate, path.Join(r.run.Dir, "gate.json"))
	if err != nil {
		return err
	}
	if gate != nil || r.stop != 0 {
		if r.stop == 0 {
			r.asked(Terminate)
		}
		r.run.Started = nil
		return r.stoppedBefore()
	}
	return nil
}

func (r *running) launch() Launch {
	l := Launch{Argv: r.plan.Argv, Dir: r.plan.Dir, Env: r.jobEnv(), Inherit: r.desc, Capture: Capture{Mode: r.plan.Capture}}
	if r.run != nil && l.Capture.Mode != CaptureNone {
		l.Capture.Out, l.Capture.Err = path.Join(r.run.Dir, "out.log"), path.Join(r.run.Dir, "err.log")
	}
	return l
}

func (r *running) jobEnv() []string {
	env := append(append([]string{}, r.plan.Env...),
		"ROLECALL_ROLE="+r.plan.Role, "ROLECALL_IDEMPOTENCY_KEY="+r.key, "ROLECALL_ATTEMPT="+strconv.Itoa(r.attempt),
		"ROLECALL_PREVIOUS_WATERMARK="+r.watermark)
	if r.run == nil {
		return env
	}
	return append(env, "ROLECALL_RUN_ID="+r.run.ID, "ROLECALL_STAGING="+r.run.Staging(), "ROLECALL_STATE="+r.Root)
}

func (r *running) recordStart() error {
	p := r.plan
	body := Started{Child: r.job.Process(), Attempt: r.attempt, Key: r.key, ReplayOf: r.replayOf,
		PreviousWatermark: r.watermark, Staging: r.run.Staging(), Capture: p.Capture, Mono: int64(r.began)}
	r.run.seq++
	data, err := record(&r.Store, KindStarted, r.run.Role, r.run.ID, r.run.seq, body)
	if err != nil {
		return err
	}
	if _, err := r.once(path.Join(r.run.Dir, "started.json"), data, r.reserved(KindStarted)); err != nil {
		return err
	}
	r.run.Started = &Record[Started]{Header: r.stamp(KindStarted, r.run.Role, r.run.ID, r.run.seq), Body: body}
	return nil
}

// unrecordedStart ends a job that must be recorded and cannot be.
func (r *running) unrecordedStart(err error) error {
	if !r.plan.Strict() {
		r.warn("the start of this run is not recorded: %v", err)
		return nil
	}
	r.cut(Terminate)
	return ending{r.shut(ExitCannotRecord, Gate{Verdict: Fail, Cause: CauseRecord},
		Terminal{State: Failed, Cause: CauseRecord, Note: err.Error()},
		fmt.Sprintf("the job was stopped, since its start could not be recorded: %v", err))}
}

// cut ends the job at once: one signal, the bound, and the kill.
func (r *running) cut(s Signal) {
	r.stop, r.stopCause = s, CauseRecord
	r.job.Signal(s)
	bound, stop := r.After(r.plan.Budgets.KillAfter)
	defer stop()
	select {
	case <-r.job.Exited():
	case <-bound:
	}
	r.sweep()
}

func (r *running) unstartable(err error) error {
	code := 126
	var start StartError
	if errors.As(err, &start) {
		code = start.Code
	}
	msg := fmt.Sprintf("%s cannot be started: %v", r.plan.Argv[0], err)
	if r.run == nil {
		return ending{r.outcome(code, Failed, CauseExec, msg)}
	}
	r.run.Started = nil
	return ending{r.shut(code, Gate{Verdict: Fail, Cause: CauseExec},
		Terminal{State: Failed, Cause: CauseExec, Note: err.Error(), SideEffects: EffectsNone, Exit: &Exit{Code: code}}, msg)}
}

const (
	groupPoll = 20 * time.Millisecond
	sweepWait = 2 * time.Second
	pipeWait  = 2 * time.Second
)
