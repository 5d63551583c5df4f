package runs

import (
	"fmt"
	"time"
)

// helperReap is how long a helper's output may be held open after its end.
const helperReap = time.Second

// ErrStopped says that a stop came while something could still be given up.
var errStopped = fmt.Errorf("it was stopped")

// help runs a helper command to its end, within the plan's bound. A stop ends
// it too, and is kept for the run.
func (r *running) help(argv []string, dir string, env []string) (Exit, error) {
	job, err := r.Launcher.Start(Launch{Argv: argv, Dir: dir, Env: env, Quiet: true, Capture: Capture{Mode: CaptureNone}})
	if err != nil {
		return Exit{}, err
	}
	bound, stop := r.After(r.plan.Helper)
	defer stop()
	select {
	case <-job.Exited():
	case <-bound:
		err = fmt.Errorf("it took longer than %s", r.plan.Helper)
	case s := <-r.Stops:
		r.asked(s)
		err = errStopped
	}
	if job.Others() != 0 || err != nil {
		job.Signal(Kill)
	}
	if err != nil {
		<-job.Exited()
	}
	return job.Reap(helperReap).Exit, err
}

// asked keeps the first stop that came.
func (r *running) asked(s Signal) {
	if r.stop == 0 {
		r.stop, r.stopCause = s, CauseSignal
	}
}
