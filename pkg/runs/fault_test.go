package runs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

// failing makes each step that matches fail with an error.
func failing(match func(op, name string) bool, err error) func(*running, *runs.Wrapper) {
	return func(r *running, _ *runs.Wrapper) {
		r.Proc.At = func(_ int, op, name string) error {
			if match(op, name) {
				return &fs.PathError{Op: op, Path: name, Err: err}
			}
			return nil
		}
	}
}

// Case 24: the disk is full at the writing of each record.
func TestDiskFull(t *testing.T) {
	for _, c := range []struct {
		record  string
		state   runs.State
		code    int
		content string
		ran     bool
	}{
		{"scheduled.json", "", runs.ExitCannotRecord, "old", false},
		{"started.json", runs.Completed, 0, "new", true},  // the reserve
		{"gate.json", runs.Completed, 0, "new", true},     // the reserve
		{"terminal.json", runs.Completed, 0, "new", true}, // the reserve
		{"watermark.json", runs.OwnerLost, runs.ExitIO, "new", true},
	} {
		t.Run(c.record, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				b.earlier()
				before := len(b.Names("/state/runs/backup"))
				ran := false
				out := b.run(fullPlan(), func(j *runtest.Job) error { ran = true; return writes("new", 0)(j) },
					failing(func(op, name string) bool {
						return op == "create" && strings.HasPrefix(path.Base(name), "."+c.record)
					}, syscall.ENOSPC))
				b.wantCode(out, c.code)
				if ran != c.ran {
					t.Errorf("the job ran: %v", ran)
				}
				if c.state == "" {
					if len(b.list(b.store())) != 1 {
						t.Errorf("%v", b.Names("/state/runs/backup"))
					}
				} else {
					b.wantState(c.state, "")
				}
				_ = before
				b.wantFinal(c.content)
				// With room again all is as it should be.
				p := fullPlan()
				p.WatermarkTo = "30"
				next := b.run(p, writes("next", 0))
				if next.Code == runs.ExitSkipped { // held
					if _, err := b.store().Release("backup", "test", ""); err != nil {
						t.Fatal(err)
					}
					next = b.run(p, writes("next", 0))
				}
				b.wantCode(next, 0)
				b.wantFinal("next")
				b.wantWatermark("30")
			})
		})
	}
}

// The start cannot be recorded at all: a job that must be is stopped.
func TestStartNotRecorded(t *testing.T) {
	for _, plan := range []runs.Plan{fullPlan(), basicPlan()} {
		inMemory(t, func(b *bench) {
			r := b.start(plan, func(j *runtest.Job) error {
				if !plan.Strict() {
					j.Exit(0)
				}
				return nil
			}, failing(func(op, name string) bool { return op != "reserve" && strings.Contains(name, "started") }, syscall.EIO))
			out := b.wait(r)
			if plan.Strict() {
				b.wantCode(out, runs.ExitCannotRecord)
				b.wantState(runs.Failed, runs.CauseRecord)
			} else {
				b.wantCode(out, 0)
			}
			b.wantFinal("")
			b.holds()
		})
	}
}

// The whole disk is full from the job's end on: the reserve is what saves the
// verdict.
func TestDiskFullAtTheEnd(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := basicPlan()
		p.External = true
		for _, c := range []struct {
			code int
			want runs.State
		}{{0, runs.Completed}, {3, runs.Failed}} {
			r := b.start(p, waits)
			j := b.job(r)
			b.Fill(true)
			j.Exit(c.code)
			b.wantCode(b.wait(r), c.code)
			b.wantState(c.want, runs.CauseExit)
			b.Fill(false)
		}
		b.holds()
	})
}

// Case 25: a state folder or a final folder that cannot be written to.
func TestReadOnly(t *testing.T) {
	inMemory(t, func(b *bench) {
		readOnly := failing(func(op, name string) bool {
			return strings.HasPrefix(name, state) && (op == "create" || op == "mkdir" || op == "lock" || op == "reserve")
		}, syscall.EROFS)
		ran := false
		play := func(j *runtest.Job) error { ran = true; j.Exit(4); return nil }
		b.wantCode(b.run(fullPlan(), play, readOnly), runs.ExitCannotRecord)
		if ran {
			t.Error("a job was started that must be recorded")
		}
		r := b.start(basicPlan(), play, readOnly)
		b.wantCode(b.wait(r), 4)
		if !ran || len(r.Warned) == 0 {
			t.Errorf("ran %v, warned %v", ran, r.Warned)
		}
	})
	inMemory(t, func(b *bench) { // before the start
		b.earlier()
		ran := false
		out := b.run(fullPlan(), func(*runtest.Job) error { ran = true; return nil },
			failing(func(op, name string) bool { return op == "rename" && strings.HasPrefix(name, "/srv/") }, syscall.EROFS))
		b.wantCode(out, runs.ExitCannotRecord)
		b.wantState(runs.Failed, runs.CausePreflight)
		if ran {
			t.Error("the job was started")
		}
		b.wantFinal("old")
	})
	inMemory(t, func(b *bench) { // while the job ran
		b.earlier()
		out := b.run(fullPlan(), writes("new", 0), failing(func(op, name string) bool { return op == "rename" && name == final }, syscall.EROFS))
		b.wantCode(out, runs.ExitIO)
		b.wantState(runs.Failed, runs.CausePromotion)
		b.wantFinal("old")
		b.wantWatermark("10")
	})
}

// Case 26: the staging on another file system than the output.
func TestOtherFileSystem(t *testing.T) {
	inMemory(t, func(b *bench) {
		b.OtherDisk("srv")
		b.wantCode(b.run(fullPlan(), nil), runs.ExitCannotRecord)
		run := b.wantState(runs.Failed, runs.CausePreflight)
		if !strings.Contains(run.Terminal.Body.Note, "--staging") || run.Started != nil {
			t.Errorf("%+v", run.Terminal.Body)
		}
		b.Put("/srv/staging/.keep", "")
		p := fullPlan()
		p.Staging = "/srv/staging"
		b.wantCode(b.run(p, writes("new", 0)), 0)
		b.wantFinal("new")
		if left := b.Names("/srv"); fmt.Sprint(left) != "[.keep dump.gz staging]" {
			t.Errorf("left in the final folder: %v", left)
		}
	})
}

// Case 27: each sync of the end fails once. That is final: no second try is
// trusted, and no watermark moves past it.
func TestSyncFails(t *testing.T) {
	for n, more := 1, true; more; n++ {
		inMemory(t, func(b *bench) {
			b.earlier()
			more = false
			ended, seen, what := false, 0, ""
			out := b.run(fullPlan(), func(j *runtest.Job) error { ended = true; return writes("new", 0)(j) }, func(r *running, _ *runs.Wrapper) {
				r.Proc.At = func(_ int, op, name string) error {
					if ended && (op == "sync" || op == "syncdir") && !strings.Contains(name, "started.json") {
						if seen++; seen == n {
							more, what = true, op+" "+name
							return &fs.PathError{Op: op, Path: name, Err: syscall.EIO}
						}
					}
					return nil
				}
			})
			run, got := b.last()
			if more && strings.Contains(what, "/staging") {
				if got != runs.Failed || run.Terminal.Body.Cause != runs.CauseDurability || out.Code != runs.ExitIO {
					t.Errorf("%s failed: %s, %+v", what, got, out)
				}
				b.wantFinal("old")
			}
			if more && strings.HasPrefix(what, "syncdir /srv") {
				if got != runs.Failed || run.Terminal.Body.Cause != runs.CauseDurability || len(run.Terminal.Body.Promoted) != 1 {
					t.Errorf("%s failed: %s, %+v", what, got, out)
				}
				b.wantWatermark("10")
			}
			if got != runs.Completed {
				if out.Code == 0 {
					t.Errorf("%s failed: %s, exit code 0", what, got)
				}
			}
		})
	}
}

// Case 30: the wall clock goes back and ahead while a run goes on.
func TestWallClockMoves(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, 24 * time.Hour, -90 * 24 * time.Hour} {
		inMemory(t, func(b *bench) {
			b.earlier()
			r := b.start(fullPlan(), waits)
			j := b.job(r)
			time.Sleep(5 * time.Minute)
			b.TurnWall(by)
			time.Sleep(5 * time.Minute)
			writes("new", 0)(j)
			b.wantCode(b.wait(r), 0)
			run := b.wantState(runs.Completed, "")
			if d := run.Terminal.Body.Duration; d != 10*time.Minute {
				t.Errorf("by %s: it took %s", by, d)
			}
			if run.Scheduled.Seq >= run.Started.Seq || run.Started.Seq >= run.Gate.Seq || run.Gate.Seq >= run.Terminal.Seq {
				t.Error("seq does not order the records")
			}
			sum := b.store().Summarize("backup")
			if sum.LastRun != run.ID || !sum.LastSuccess.Equal(run.Terminal.Wall) {
				t.Errorf("by %s: the last success is not the last run's: %+v", by, sum)
			}
			p := fullPlan()
			p.WatermarkTo = "30"
			b.wantCode(b.run(p, writes("next", 0)), 0)
			b.wantFinal("next")
		})
	}
}

// Case 30: across both changes of the clock each due instant is a run's, or
// missed, and none is twice.
func TestClockChanges(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, day := range []time.Time{time.Date(2026, 3, 29, 0, 30, 0, 0, zone), time.Date(2026, 10, 25, 0, 30, 0, 0, zone)} {
		inMemory(t, func(b *bench) {
			keys := map[string]bool{}
			var due []time.Time
			for h := range 6 {
				at := day.Add(time.Duration(h) * time.Hour)
				due = append(due, at)
				if h == 4 {
					continue // missed
				}
				p := basicPlan()
				b.TurnWall(at.Sub(b.Wall()))
				p.Due = &at
				b.wantCode(b.run(p, func(j *runtest.Job) error { keys[j.Env("ROLECALL_IDEMPOTENCY_KEY")] = true; j.Exit(0); return nil }), 0)
			}
			if len(keys) != 5 {
				t.Errorf("%d keys for 5 instants", len(keys))
			}
			if got := runs.Missed(due, b.list(b.store())); len(got) != 1 || !got[0].Equal(due[4]) {
				t.Errorf("missed: %v", got)
			}
		})
	}
}

// Case 32: a record names a number that is another's now.
func TestNumberOfAnother(t *testing.T) {
	for _, reboot := range []bool{false, true} {
		inMemory(t, func(b *bench) {
			j := b.loses(basicPlan(), false)
			run, _ := b.last()
			if reboot {
				b.PowerLoss(func(int, int) bool { return true }, func(n int) int { return n })
			}
			other := b.Impostor(run.Scheduled.Body.Wrapper.PID)
			another := b.Impostor(j.Process().PID)
			s := b.store()
			if st := run.State(s.Life(run)); st != runs.OwnerLost {
				t.Errorf("%s", st)
			}
			for _, id := range []runs.Process{run.Scheduled.Body.Wrapper, run.Started.Body.Child} {
				if err := s.Alive(id); !errors.Is(err, runs.ErrGone) {
					t.Errorf("%v", err)
				}
			}
			b.drain(0)
			p := basicPlan()
			p.Overlap = runs.OverlapKill
			b.store().CancelDrain()
			b.wantCode(b.run(p, nil), 0)
			if other.Dead() || another.Dead() || len(other.Stops)+len(another.Stops) > 0 {
				t.Error("a stranger was signalled")
			}
		})
	}
}

// Case 33: locks that say nothing, and runs of another machine.
func TestUnverifiable(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(b *bench, run *runs.Run)
	}{
		{"network locks", func(b *bench, _ *runs.Run) { b.SetScope(runs.ScopeNetwork) }},
		{"unknown locks", func(b *bench, _ *runs.Run) { b.SetScope(runs.ScopeUnknown) }},
		{"another machine", func(b *bench, run *runs.Run) {
			run.Scheduled.Body.Host = runs.Host{Name: "there", Machine: "elsewhere", BootID: "boot-of-another"}
			data, err := runs.Encode(*run.Scheduled)
			if err != nil {
				b.t.Fatal(err)
			}
			b.Edit(path.Join(run.Dir, "scheduled.json"), func([]byte) []byte { return data })
			b.inv.Forget()
		}},
		{"no lock", func(b *bench, run *runs.Run) { b.RemoveAll(path.Join(run.Dir, "owner.lock")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				b.loses(basicPlan(), false)
				run, _ := b.last()
				c.do(b, run)
				s := b.store()
				run = s.Load("backup", run.ID)
				if got, _ := s.Settle(run, "reap", false, false); got.State != runs.Unverifiable || got.Why == "" {
					t.Errorf("%+v", got)
				}
				if d := b.drain(0); d.Code() != 3 || results(d) != "000001 unverifiable\n" {
					t.Errorf("%+v", d)
				}
				b.store().CancelDrain()
				b.wantCode(b.run(basicPlan(), nil), runs.ExitSkipped)
				b.wantState(runs.Skipped, runs.CausePredecessor)
				if run = s.Load("backup", run.ID); run.Gate != nil || run.Terminal != nil {
					t.Error("it was closed")
				}
				if got, err := s.Settle(run, "a person", true, false); got.State != runs.Interrupted || err != nil {
					t.Errorf("with force: %+v %v", got, err)
				}
				b.wantCode(b.run(basicPlan(), nil), 0)
			})
		})
	}
}

// Case 37: what cannot be started.
func TestCannotStart(t *testing.T) {
	for _, code := range []int{126, 127} {
		inMemory(t, func(b *bench) {
			out := b.run(fullPlan(), func(*runtest.Job) error { return runs.StartError{Code: code, Err: fs.ErrNotExist} })
			b.wantCode(out, code)
			run := b.wantState(runs.Failed, runs.CauseExec)
			if run.Started != nil || run.Terminal.Body.SideEffects != runs.EffectsNone {
				t.Errorf("%+v", run.Terminal.Body)
			}
			b.wantCode(b.run(fullPlan(), writes("new", 0)), 0)
		})
	}
}

// Case 44: the run's folder, or all the state, is removed while the job runs.
func TestStateRemoved(t *testing.T) {
	for _, what := range []string{"run", "role", "state"} {
		for _, plan := range []runs.Plan{fullPlan(), basicPlan()} {
			inMemory(t, func(b *bench) {
				r := b.start(plan, waits)
				j := b.job(r)
				run, _ := b.last()
				b.RemoveAll(map[string]string{"run": run.Dir, "role": path.Dir(run.Dir), "state": state}[what])
				j.Exit(0)
				out := b.wait(r)
				if out.State == runs.Completed || plan.Strict() && out.Code == 0 || out.Message == "" {
					t.Errorf("%s: %+v", what, out)
				}
				b.wantFinal("")
			})
		}
	}
}

// What is wrong with the output.
func TestValidation(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(*runtest.Job) error
		tune func(*runs.Plan)
	}{
		{"not there", func(j *runtest.Job) error { j.Exit(0); return nil }, nil},
		{"empty", writes("", 0), nil},
		{"refused", func(j *runtest.Job) error {
			if j.Launch.Argv[0] == "check" {
				j.Exit(2)
				return nil
			}
			return writes("new", 0)(j)
		}, func(p *runs.Plan) { p.Check = []string{"check"} }},
		{"the check hangs", func(j *runtest.Job) error {
			if j.Launch.Argv[0] == "check" {
				return nil
			}
			return writes("new", 0)(j)
		}, func(p *runs.Plan) { p.Check, p.Helper = []string{"check"}, time.Minute }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				b.earlier()
				p := fullPlan()
				if c.tune != nil {
					c.tune(&p)
				}
				b.wantCode(b.run(p, c.play), 1)
				b.wantState(runs.Failed, runs.CauseValidation)
				b.wantFinal("old")
				b.wantWatermark("10")
			})
		})
	}
}

func TestPlanValidate(t *testing.T) {
	bad := func(f func(*runs.Plan)) runs.Plan { p := fullPlan(); f(&p); return p }
	for name, p := range map[string]runs.Plan{
		"role":       bad(func(p *runs.Plan) { p.Role = "a/b" }),
		"command":    bad(func(p *runs.Plan) { p.Argv = nil }),
		"overlap":    bad(func(p *runs.Plan) { p.Overlap = "never" }),
		"capture":    bad(func(p *runs.Plan) { p.Capture = "all" }),
		"readback":   bad(func(p *runs.Plan) { p.Policy = runs.Readback }),
		"commit":     bad(func(p *runs.Plan) { p.Budgets.Commit = 0 }),
		"kill":       bad(func(p *runs.Plan) { p.Budgets.KillAfter = -1 }),
		"staging":    bad(func(p *runs.Plan) { p.Staging = "here" }),
		"absolute":   bad(func(p *runs.Plan) { p.Outputs[0].Staged = "/tmp/a" }),
		"outside":    bad(func(p *runs.Plan) { p.Outputs[0].Staged = "../a" }),
		"relative":   bad(func(p *runs.Plan) { p.Outputs[0].Final = "a" }),
		"two finals": bad(func(p *runs.Plan) { p.Outputs = append(p.Outputs, runs.Output{Staged: "b", Final: final}) }),
	} {
		if p.Validate() == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if err := fullPlan().Validate(); err != nil {
		t.Error(err)
	}
}
