package runs_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

const (
	state = "/state"
	final = "/srv/dump.gz"
)

// bench is a machine in memory with one role.
type bench struct {
	t *testing.T
	*runtest.World
	inv runtest.Invariants
	all []*running
}

// inMemory runs a test on a machine in memory, whose time passes at once.
func inMemory(t *testing.T, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, World: runtest.New()}
		b.Put("/srv/.keep", "")
		test(b)
		for _, r := range b.all {
			r.Kill() // what the goroutine of a dead wrapper still does has no effect
			for _, j := range r.Jobs {
				j.Exit(1)
			}
			<-r.done
		}
	})
}

// store is that of a process that only looks.
func (b *bench) store() *runs.Store { s := b.Process().Store(state); return &s }

// holds checks the invariants.
func (b *bench) holds() {
	b.t.Helper()
	for _, wrong := range b.inv.Check(b.store()) {
		b.t.Error(wrong)
	}
}

// basicPlan is a role without outputs.
func basicPlan() runs.Plan {
	return runs.Plan{Role: "backup", SpecHash: "rc1:aa", Argv: []string{"job"}, Policy: runs.Retry, Overlap: runs.OverlapSkip,
		Capture: runs.CaptureNone, Helper: time.Hour,
		Budgets: runs.Budgets{Grace: -1, KillAfter: 5 * time.Second, Commit: time.Hour}}
}

// fullPlan promotes one output and moves the watermark to "20".
func fullPlan() runs.Plan {
	p := basicPlan()
	p.Outputs = []runs.Output{{Staged: "dump.gz", Final: final}}
	p.WatermarkTo = "20"
	return p
}

// writes is a job that leaves its outputs and exits.
func writes(data string, code int) func(*runtest.Job) error {
	return func(j *runtest.Job) error {
		j.Proc.Write(j.Env("ROLECALL_STAGING")+"/dump.gz", data)
		j.Exit(code)
		return nil
	}
}

// waits is a job that goes on until a test ends it.
func waits(*runtest.Job) error { return nil }

// running is a wrapper at work.
type running struct {
	*runtest.Proc
	*runtest.Launcher
	Outcome runs.Outcome
	Warned  []string
	mu      sync.Mutex
	started chan *runtest.Job
	done    chan struct{}
}

// start begins a run in a process of its own.
func (b *bench) start(p runs.Plan, play func(*runtest.Job) error, tune ...func(*running, *runs.Wrapper)) *running {
	proc := b.Process()
	r := &running{Proc: proc, started: make(chan *runtest.Job, 8), done: make(chan struct{})}
	r.Launcher = &runtest.Launcher{Proc: proc, Play: func(j *runtest.Job) error {
		if play == nil {
			play = writes("", 0)
		}
		err := play(j)
		r.started <- j
		return err
	}}
	w := &runs.Wrapper{Store: proc.Store(state), Launcher: r.Launcher, Stops: proc.Stops, Warn: func(s string) {
		r.mu.Lock()
		r.Warned = append(r.Warned, s)
		r.mu.Unlock()
	}}
	for _, f := range tune {
		f(r, w)
	}
	b.all = append(b.all, r)
	go func() {
		defer close(r.done)
		r.Outcome = w.Run(p)
		if !proc.Dead() {
			proc.Kill() // a process that ends gives its locks back
		}
	}()
	return r
}

// job waits for the job, and until all that can go on without it has.
func (b *bench) job(r *running) *runtest.Job {
	j := <-r.started
	synctest.Wait()
	return j
}

func (b *bench) wait(r *running) runs.Outcome {
	<-r.done
	return r.Outcome
}

// run makes a run to its end.
func (b *bench) run(p runs.Plan, play func(*runtest.Job) error, tune ...func(*running, *runs.Wrapper)) runs.Outcome {
	b.t.Helper()
	r := b.start(p, play, tune...)
	out := b.wait(r)
	b.holds()
	return out
}

func (b *bench) list(s *runs.Store) []*runs.Run {
	ids, _, err := s.IDs("backup")
	if err != nil {
		b.t.Fatal(err)
	}
	var out []*runs.Run
	for _, id := range ids {
		out = append(out, s.Load("backup", id))
	}
	return out
}

// last is the newest run, and its state.
func (b *bench) last() (*runs.Run, runs.State) {
	b.t.Helper()
	s := b.store()
	list := b.list(s)
	if len(list) == 0 {
		b.t.Fatal("there is no run")
	}
	r := list[len(list)-1]
	return r, r.State(s.Life(r))
}

func (b *bench) wantState(want runs.State, cause string) *runs.Run {
	b.t.Helper()
	r, got := b.last()
	if got != want {
		b.t.Errorf("run %s is %s, want %s (%v %v)", r.ID, got, want, r.Corrupt, r.Unread)
	}
	if r.Terminal != nil && cause != "" && r.Terminal.Body.Cause != cause {
		b.t.Errorf("run %s: cause %s, want %s", r.ID, r.Terminal.Body.Cause, cause)
	}
	return r
}

func (b *bench) wantCode(out runs.Outcome, code int) {
	b.t.Helper()
	if out.Code != code {
		b.t.Errorf("exit code %d, want %d (%+v)", out.Code, code, out)
	}
}

func (b *bench) wantFinal(want string) {
	b.t.Helper()
	if got, _ := b.Read(final); got != want {
		b.t.Errorf("%s holds %q, want %q", final, got, want)
	}
}

func (b *bench) wantWatermark(want string) {
	b.t.Helper()
	got := ""
	w, err := b.store().Watermark("backup")
	if err != nil {
		b.t.Error(err)
	}
	if w != nil {
		got = w.Body.Value
	}
	if got != want {
		b.t.Errorf("watermark %q, want %q", got, want)
	}
}

// drainer drains in a process of its own.
func (b *bench) drainer(grace time.Duration) *runs.Drainer {
	return &runs.Drainer{Store: b.Process().Store(state), Grace: grace, For: time.Hour, By: "test", Poll: 100 * time.Millisecond}
}

// drain drains to the end.
func (b *bench) drain(grace time.Duration) runs.Drained {
	b.t.Helper()
	out := b.drainer(grace).Drain()
	b.holds()
	return out
}

func results(d runs.Drained) string {
	text := ""
	for _, r := range d.Runs {
		text += fmt.Sprintf("%s %s\n", r.RunID[:6], r.Result)
	}
	return text
}

func synctestWait() { synctest.Wait() }
