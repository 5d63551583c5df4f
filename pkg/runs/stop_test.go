package runs_test

import (
	"errors"
	"path"
	"sync"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

// Case 6: the job traps the signal and says 0.
func TestStoppedJobSaysZero(t *testing.T) {
	inMemory(t, func(b *bench) {
		b.earlier()
		r := b.start(fullPlan(), func(j *runtest.Job) error {
			s := j.Proc.Store(state)
			j.OnSignal = func(runs.Signal) {
				s.Checkpoint("backup", j.Env("ROLECALL_RUN_ID"), "page 7")
				writes("new", 0)(j)
			}
			return nil
		})
		b.job(r)
		r.Stops <- runs.Terminate
		b.wantCode(b.wait(r), 143)
		run := b.wantState(runs.Interrupted, runs.CauseSignal)
		if run.Checkpoint == nil || run.Checkpoint.Body.Token != "page 7" || !run.Terminal.Body.StopRequested {
			t.Errorf("%+v", run.Checkpoint)
		}
		b.wantFinal("old")
		b.wantWatermark("10")
		b.holds()
	})
}

// Case 7: the job ignores the signal; the bound holds.
func TestStoppedJobIgnores(t *testing.T) {
	inMemory(t, func(b *bench) {
		signals := 0
		r := b.start(fullPlan(), func(j *runtest.Job) error {
			j.OnSignal = func(runs.Signal) { signals++ }
			return nil
		})
		b.job(r)
		begun := b.Mono()
		r.Stops <- runs.Terminate
		b.wantCode(b.wait(r), 137)
		if took := b.Mono() - begun; took != 5*time.Second || signals != 1 {
			t.Errorf("it took %s, and the job got %d signals before its kill", took, signals)
		}
		b.wantState(runs.Interrupted, runs.CauseSignal)
		b.holds()
	})
}

// Case 8: a second stop is impatience.
func TestStoppedTwice(t *testing.T) {
	inMemory(t, func(b *bench) {
		var got []runs.Signal
		r := b.start(fullPlan(), func(j *runtest.Job) error {
			j.OnSignal = func(s runs.Signal) { got = append(got, s) }
			return nil
		})
		b.job(r)
		begun := b.Mono()
		r.Stops <- runs.Interrupt
		time.Sleep(2 * time.Second)
		r.Stops <- runs.Terminate
		b.wantCode(b.wait(r), 137)
		if took := b.Mono() - begun; took >= 7500*time.Millisecond || len(got) != 1 || got[0] != runs.Interrupt {
			t.Errorf("it took %s, signals %v", took, got)
		}
		b.holds()
	})
}

// GitHub Actions: SIGINT, 7.5 s, SIGTERM, 2.5 s, kill. Ours is recorded before.
func TestStoppedByInterruptAlone(t *testing.T) {
	inMemory(t, func(b *bench) {
		r := b.start(fullPlan(), func(j *runtest.Job) error { j.OnSignal = func(runs.Signal) {}; return nil })
		b.job(r)
		begun := b.Mono()
		r.Stops <- runs.Interrupt
		b.wait(r)
		if took := b.Mono() - begun; took >= 7500*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}

// The runtime's bound ends a job as a stop does.
func TestDeadline(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := fullPlan()
		p.Budgets.MaxRuntime = time.Minute
		r := b.start(p, waits)
		b.job(r)
		b.wantCode(b.wait(r), 143)
		run := b.wantState(runs.Interrupted, runs.CauseDeadline)
		if run.Terminal.Body.Duration != time.Minute {
			t.Errorf("%s", run.Terminal.Body.Duration)
		}
		b.holds()
	})
}

// Cases 10 and 12: a stop before each step from the job's end on. It is one or
// the other, never half: and from the gate on it is only noted.
func TestStopAtEveryStepOfTheEnd(t *testing.T) {
	for n, more := 1, true; more; n++ {
		inMemory(t, func(b *bench) {
			b.earlier()
			more = false
			ended := 0
			committed := false
			out := b.run(fullPlan(), func(j *runtest.Job) error { ended = 1; return writes("new", 0)(j) }, func(r *running, _ *runs.Wrapper) {
				proc := r.Proc
				proc.At = func(_ int, op, name string) error {
					if ended > 0 {
						ended++
					}
					if ended == n+1 {
						more = true
						_, committed = b.Read(path.Join(path.Dir(name), "gate.json"))
						proc.Stops <- runs.Terminate
					}
					return nil
				}
			})
			_, got := b.last()
			switch got {
			case runs.Completed:
				b.wantCode(out, 0)
				b.wantFinal("new")
				b.wantWatermark("20")
			case runs.Interrupted:
				b.wantCode(out, 143)
				b.wantFinal("old")
				b.wantWatermark("10")
			default:
				t.Errorf("a stop at step %d of the end: %s", n, got)
			}
			if committed && got != runs.Completed {
				t.Errorf("a stop at step %d, within the commit: %s", n, got)
			}
		})
	}
}

// Case 11: the file system hangs at each step of the commit.
func TestCommitHangs(t *testing.T) {
	var mu sync.Mutex // the commit that hangs is not waited for
	hung := func(more *bool) bool { mu.Lock(); defer mu.Unlock(); return *more }
	for n, more := 1, true; hung(&more); n++ {
		inMemory(t, func(b *bench) {
			b.earlier()
			more = false
			p := fullPlan()
			p.Budgets.Commit = 10 * time.Second
			hang := make(chan struct{})
			begun := false
			seen := 0
			r := b.start(p, writes("new", 0), func(r *running, _ *runs.Wrapper) {
				r.Proc.At = func(_ int, op, name string) error {
					mu.Lock()
					begun = begun || op == "create" && path.Base(name)[:6] == ".gate."
					if begun {
						seen++
					}
					stop := seen == n && !more
					more = more || stop
					mu.Unlock()
					if stop {
						<-hang
						return errors.New("the disk came back too late")
					}
					return nil
				}
			})
			at := b.Mono()
			out := b.wait(r)
			if took := b.Mono() - at; took > 11*time.Second {
				t.Errorf("it took %s", took)
			}
			run, got := b.last()
			if hung(&more) {
				if run.Terminal == nil && out.Code != runs.ExitIO {
					t.Errorf("a hang at step %d: exit code %d", n, out.Code)
				}
				if got == runs.Completed && out.Code != runs.ExitIO && out.Code != 0 {
					t.Errorf("a hang at step %d: %s, exit code %d", n, got, out.Code)
				}
			}
			b.holds()
			close(hang)
			synctestWait()
			b.settleAll(b.store())
			b.holds()
			b.proved("after a hang")
		})
	}
}

// A job's own commit: a stop waits for it, and its end is what counts.
func TestJobCommit(t *testing.T) {
	plan := basicPlan()
	plan.WatermarkTo = "20"
	plan.Budgets.Commit = 10 * time.Second
	for _, c := range []struct {
		name          string
		begin, end    bool
		stop          bool
		code          int
		want          runs.State
		effects       runs.Effects
		watermark     string
		wantCode      int
		beginMustFail bool
	}{
		{name: "in order", begin: true, end: true, want: runs.Completed, effects: runs.EffectsConfirmed, watermark: "20"},
		{name: "stopped within", begin: true, end: true, stop: true, want: runs.Completed, effects: runs.EffectsConfirmed, watermark: "20"},
		{name: "not ended", begin: true, want: runs.Failed, effects: runs.EffectsUnknown, wantCode: 1},
		{name: "failed within", begin: true, code: 4, want: runs.Failed, effects: runs.EffectsUnknown, wantCode: 4},
		{name: "failed after", begin: true, end: true, code: 4, want: runs.Failed, effects: runs.EffectsConfirmed, wantCode: 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				r := b.start(plan, waits)
				j := b.job(r)
				s, id := b.store(), j.Env("ROLECALL_RUN_ID")
				if err := s.CommitBegin("backup", id); err != nil {
					t.Fatal(err)
				}
				if c.stop {
					r.Stops <- runs.Terminate
					time.Sleep(time.Second)
				}
				if c.end {
					if err := s.CommitEnd("backup", id); err != nil {
						t.Fatal(err)
					}
				}
				j.Exit(c.code)
				b.wantCode(b.wait(r), c.wantCode)
				run := b.wantState(c.want, "")
				if got := run.Terminal.Body; got.SideEffects != c.effects || c.stop != got.StopRequested {
					t.Errorf("%+v", got)
				}
				b.wantWatermark(c.watermark)
				b.holds()
			})
		})
	}
	t.Run("stopped before", func(t *testing.T) {
		inMemory(t, func(b *bench) {
			r := b.start(plan, func(j *runtest.Job) error { j.OnSignal = func(runs.Signal) {}; return nil })
			j := b.job(r)
			r.Stops <- runs.Terminate
			time.Sleep(time.Second)
			if err := b.store().CommitBegin("backup", j.Env("ROLECALL_RUN_ID")); !errors.Is(err, runs.ErrRefused) {
				t.Errorf("%v", err)
			}
			j.Exit(0)
			b.wantCode(b.wait(r), 143)
			b.wantState(runs.Interrupted, runs.CauseSignal)
			b.wantWatermark("")
		})
	})
	t.Run("hangs", func(t *testing.T) {
		inMemory(t, func(b *bench) {
			r := b.start(plan, func(j *runtest.Job) error { j.OnSignal = func(runs.Signal) {}; return nil })
			j := b.job(r)
			if err := b.store().CommitBegin("backup", j.Env("ROLECALL_RUN_ID")); err != nil {
				t.Fatal(err)
			}
			begun := b.Mono()
			r.Stops <- runs.Terminate
			out := b.wait(r)
			if took := b.Mono() - begun; took != 15*time.Second || out.Code != 137 {
				t.Errorf("it took %s: %+v", took, out)
			}
			b.wantState(runs.Interrupted, runs.CauseJobCommit)
			b.wantWatermark("")
			b.holds()
		})
	})
}
