package runs_test

import (
	"flag"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

var (
	races  = flag.Int("races", 10_000, "how often a drain races a run's end in memory")
	starts = flag.Int("starts", 1_000, "how often two runs start together in memory")
)

// Case 14: a drain without grace races the end of a run.
func TestDrainAgainstFinish(t *testing.T) {
	seen := map[runs.State]int{}
	for i := range *races {
		inMemory(t, func(b *bench) {
			r := b.start(fullPlan(), waits)
			j := b.job(r)
			var wg sync.WaitGroup
			var d runs.Drained
			wg.Go(func() { d = b.drainer(0).Drain() })
			wg.Go(func() {
				for range i % 40 {
					b.Process().Stat("/state") // a little time, in steps of the other
				}
				writes("new", 0)(j)
			})
			wg.Wait()
			out := b.wait(r)
			run, got := b.last()
			seen[got]++
			result := results(d)
			switch got {
			case runs.Completed:
				b.wantFinal("new")
				b.wantWatermark("20")
				if out.Code != 0 || strings.Contains(result, "interrupted") {
					t.Errorf("completed: exit code %d, the drain says %q", out.Code, result)
				}
			case runs.Interrupted:
				b.wantFinal("")
				b.wantWatermark("")
				if out.Code == 0 || result != "" && !strings.Contains(result, "interrupted") {
					t.Errorf("interrupted: exit code %d, the drain says %q", out.Code, result)
				}
			default:
				t.Errorf("%s %+v", got, run.Terminal)
			}
			b.holds()
		})
		if t.Failed() {
			t.Fatalf("in race %d", i)
		}
	}
	t.Logf("%v", seen)
	if *races >= 1000 && (seen[runs.Completed] == 0 || seen[runs.Interrupted] == 0) {
		t.Errorf("the race always ended one way: %v", seen)
	}
}

// Case 15: two wrappers start one role together.
func TestDoubleStart(t *testing.T) {
	for i := range *starts {
		inMemory(t, func(b *bench) {
			play := func(j *runtest.Job) error {
				time.AfterFunc(time.Minute, func() { writes("new", 0)(j) })
				return nil
			}
			p := fullPlan()
			p.Staging = ""
			one, two := b.start(p, play), b.start(p, play)
			codes := []int{b.wait(one).Code, b.wait(two).Code}
			if codes[0]+codes[1] != runs.ExitSkipped || codes[0]*codes[1] != 0 {
				t.Fatalf("start %d: exit codes %v", i, codes)
			}
			sum := b.store().Summarize("backup")
			if sum.Counts[runs.Completed] != 1 || sum.Counts[runs.Skipped] != 1 {
				t.Fatalf("start %d: %v", i, sum.Counts)
			}
			b.holds()
		})
		if t.Failed() {
			return
		}
	}
}

// Case 17: a drain at each step of a start. The run is counted or refused, and
// if it is refused its job never begins.
func TestDrainDuringStart(t *testing.T) {
	for n, more := 1, true; more; n++ {
		inMemory(t, func(b *bench) {
			more = false
			started := false
			var d runs.Drained
			done := make(chan struct{})
			r := b.start(fullPlan(), func(j *runtest.Job) error { started = true; return nil }, func(r *running, _ *runs.Wrapper) {
				proc := r.Proc
				proc.At = func(step int, _, _ string) error {
					if step == n && !started {
						more = true
						go func() { defer close(done); d = b.drainer(time.Minute).Drain() }()
						time.Sleep(10 * time.Millisecond) // the drain goes as far as it can
					}
					return nil
				}
			})
			select {
			case j := <-r.started:
				if !more {
					j.Exit(1)
					<-r.done
					return
				}
				time.Sleep(time.Second)
				writes("new", 0)(j)
				<-r.done
				<-done
				if results(d) != "000001 finished\n" {
					t.Errorf("a drain at step %d of a start: the job ran and the drain says %q", n, results(d))
				}
			case <-r.done:
				<-done
				if _, got := b.last(); got != runs.Skipped || r.Outcome.Code != runs.ExitSkipped || r.Outcome.Cause != runs.CauseDraining {
					t.Errorf("a drain at step %d of a start: %s, %+v", n, got, r.Outcome)
				}
			}
			if d.Code() != 0 {
				t.Errorf("a drain at step %d: %+v", n, d)
			}
			b.holds()
		})
	}
}

// Case 18: inside, at and after the grace; no grace.
func TestDrainGrace(t *testing.T) {
	for _, c := range []struct {
		grace, ends time.Duration
		want        string
		max         time.Duration
	}{
		{30 * time.Second, 29 * time.Second, "000001 finished\n", 30 * time.Second},
		{30 * time.Second, 31 * time.Second, "000001 interrupted\n", 31 * time.Second},
		{0, time.Second, "000001 interrupted\n", 200 * time.Millisecond},
		{30 * time.Second, 30 * time.Second, "", 31 * time.Second}, // one or the other
	} {
		inMemory(t, func(b *bench) {
			r := b.start(fullPlan(), waits)
			j := b.job(r)
			time.AfterFunc(c.ends, func() { writes("new", 0)(j) })
			d := b.drain(c.grace)
			b.wait(r)
			if c.want != "" && results(d) != c.want || d.Elapsed > c.max || d.Waiting() > 0 {
				t.Errorf("grace %s, end after %s: %q after %s", c.grace, c.ends, results(d), d.Elapsed)
			}
		})
	}
}

// Each role by its own grace, under one ceiling.
func TestDrainGraces(t *testing.T) {
	inMemory(t, func(b *bench) {
		start := func(role string, grace time.Duration) *running {
			p := basicPlan()
			p.Role, p.Budgets.Grace = role, grace
			r := b.start(p, waits)
			b.job(r)
			return r
		}
		var list []*running
		ended := map[string]time.Duration{}
		begun := b.Mono()
		for role, grace := range map[string]time.Duration{"quick": 2 * time.Second, "slow": 20 * time.Second, "endless": time.Hour, "own": -1} {
			r := start(role, grace)
			list = append(list, r)
			go func() { <-r.done; ended[role] = b.Mono() - begun }()
		}
		d := b.drainer(10 * time.Second)
		d.MaxGrace = time.Minute
		d.Drain()
		for _, r := range list {
			<-r.done
		}
		for role, want := range map[string]time.Duration{"quick": 2 * time.Second, "slow": 20 * time.Second, "endless": time.Minute, "own": 10 * time.Second} {
			if got := ended[role]; got < want || got > want+time.Second {
				t.Errorf("%s ended after %s, want %s", role, got, want)
			}
		}
	})
}

// A run within its commit has its commit's time more.
func TestDrainWaitsForCommit(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := fullPlan()
		p.Budgets.Commit = 10 * time.Second
		slow := false
		r := b.start(p, writes("new", 0), func(r *running, _ *runs.Wrapper) {
			r.Proc.At = func(_ int, op, name string) error {
				if op == "rename" && name == final && !slow {
					slow = true
					time.Sleep(8 * time.Second)
				}
				return nil
			}
		})
		<-r.started
		time.Sleep(time.Second)
		d := b.drain(time.Second)
		b.wantCode(b.wait(r), 0)
		if results(d) != "000001 committed-late\n" || d.Code() != 0 {
			t.Errorf("%+v", d)
		}
		b.wantState(runs.Completed, "")
	})
}

// Case 19: the drain is killed at each of its steps. The run is undisturbed or
// interrupted, and a second drain brings it to its end.
func TestDrainKilled(t *testing.T) {
	for n, more := 1, true; more; n++ {
		inMemory(t, func(b *bench) {
			more = false
			r := b.start(fullPlan(), waits)
			b.job(r)
			proc := b.Process()
			proc.At = func(step int, _, _ string) error {
				if step >= n {
					more = true
					proc.Kill()
					return runtest.ErrKilled
				}
				return nil
			}
			cancel := make(chan struct{})
			first := runs.Drainer{Store: proc.Store(state), Grace: time.Second, For: time.Hour, Poll: 500 * time.Millisecond, Cancel: cancel}
			gone := make(chan struct{})
			go func() { defer close(gone); first.Drain() }()
			time.Sleep(20 * time.Second)
			close(cancel)
			<-gone
			b.holds()
			d := b.drain(0)
			b.wait(r)
			run := b.wantState(runs.Interrupted, runs.CauseDrain)
			if more && len(d.Runs) == 1 && d.Runs[0].Result != runs.ResultInterrupted {
				t.Errorf("killed at step %d: the second drain says %+v", n, d)
			}
			if d.Code() == 3 {
				t.Errorf("killed at step %d: %+v", n, d)
			}
			_ = run
			b.holds()
		})
	}
}

// Case 20: two drains mark once, and say the same.
func TestTwoDrains(t *testing.T) {
	inMemory(t, func(b *bench) {
		stops := 0
		r := b.start(fullPlan(), func(j *runtest.Job) error {
			j.OnSignal = func(runs.Signal) {
				stops++
				time.AfterFunc(time.Second, func() { j.Exit(0) })
			}
			return nil
		})
		b.job(r)
		var wg sync.WaitGroup
		out := make([]runs.Drained, 2)
		begun := b.Mono()
		wg.Go(func() { out[0] = b.drainer(10 * time.Second).Drain() })
		wg.Go(func() { time.Sleep(5 * time.Second); out[1] = b.drainer(time.Hour).Drain() })
		wg.Wait()
		b.wait(r)
		if results(out[0]) != "000001 interrupted\n" || results(out[1]) != results(out[0]) || !out[1].Joined || out[0].Joined || out[0].ID != out[1].ID {
			t.Errorf("%+v\n%+v", out[0], out[1])
		}
		if took := b.Mono() - begun; took > 13*time.Second || stops != 1 {
			t.Errorf("it took %s, and the job got %d signals", took, stops)
		}
		b.holds()
	})
}

// Case 21: marks that are stale, malformed or dated after now.
func TestDrainMarks(t *testing.T) {
	mark := path.Join(state, "drain.json")
	refused := func(b *bench) bool {
		b.t.Helper()
		out := b.run(basicPlan(), nil)
		if out.Code != 0 && out.Cause != runs.CauseDraining {
			b.t.Errorf("%+v", out)
		}
		return out.Code != 0
	}
	for _, c := range []struct {
		name string
		do   func(b *bench)
		want bool
	}{
		{"in force", func(*bench) {}, true},
		{"expired", func(*bench) { time.Sleep(2 * time.Hour) }, false},
		{"expired while suspended", func(b *bench) { b.Suspend(2 * time.Hour) }, false},
		{"another boot", func(b *bench) { b.PowerLoss(func(int, int) bool { return true }, func(n int) int { return n }) }, false},
		{"the wall clock back", func(b *bench) { b.TurnWall(-48 * time.Hour) }, true},
		{"the wall clock ahead", func(b *bench) { b.TurnWall(48 * time.Hour) }, true},
		{"malformed", func(b *bench) { b.Edit(mark, func([]byte) []byte { return []byte("{") }) }, true},
		{"malformed and empty", func(b *bench) { b.Edit(mark, func([]byte) []byte { return nil }) }, true},
		{"cancelled", func(b *bench) {
			if was, err := b.store().CancelDrain(); !was || err != nil {
				b.t.Error(was, err)
			}
		}, false},
		{"malformed and cancelled", func(b *bench) {
			b.Edit(mark, func([]byte) []byte { return []byte("{") })
			if was, err := b.store().CancelDrain(); !was || err != nil {
				b.t.Error(was, err)
			}
		}, false},
		{"malformed and drained again", func(b *bench) {
			b.Edit(mark, func([]byte) []byte { return []byte("{") })
			if d := b.drain(0); d.Code() != 0 || d.Joined {
				b.t.Errorf("%+v", d)
			}
		}, true},
		{"dated after now", func(b *bench) {
			m, err := b.store().DrainMark()
			if err != nil {
				b.t.Fatal(err)
			}
			m.Body.Created = b.Boot() + time.Hour
			m.Body.Expires = b.Boot() + 2*time.Hour
			data, err := runs.Encode(*m)
			if err != nil {
				b.t.Fatal(err)
			}
			b.Edit(mark, func([]byte) []byte { return data })
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				b.run(basicPlan(), nil)
				b.drain(0)
				c.do(b)
				if got := refused(b); got != c.want {
					t.Errorf("refused: %v, want %v", got, c.want)
				}
			})
		})
	}
	inMemory(t, func(b *bench) {
		if was, err := b.store().CancelDrain(); was || err != nil {
			t.Error(was, err)
		}
	})
}

// Case 22: of three runs one cannot be marked.
func TestOneCannotBeMarked(t *testing.T) {
	inMemory(t, func(b *bench) {
		var list []*running
		for i := range 3 {
			p := basicPlan()
			p.Role = fmt.Sprintf("role-%d", i)
			r := b.start(p, waits)
			b.job(r)
			list = append(list, r)
		}
		proc := b.Process()
		proc.At = func(_ int, op, name string) error {
			if op == "create" && strings.Contains(name, "/role-1/") {
				return &fs.PathError{Op: op, Path: name, Err: syscall.ENOSPC}
			}
			return nil
		}
		d := (&runs.Drainer{Store: proc.Store(state), Grace: time.Second, For: time.Hour, Poll: 100 * time.Millisecond}).Drain()
		got := map[string]string{}
		for _, r := range d.Runs {
			got[r.Role] = r.Result
		}
		if got["role-0"] != runs.ResultInterrupted || got["role-2"] != runs.ResultInterrupted || got["role-1"] != runs.ResultUnverifiable || d.Code() == 0 {
			t.Errorf("%v, exit code %d", got, d.Code())
		}
		if list[1].Dead() {
			t.Error("a run was killed that could not be marked")
		}
		b.holds()
		list[1].Stops <- runs.Terminate
		for _, r := range list {
			b.wait(r)
		}
	})
}

// Case 23: what cannot be read is not known, and not killed.
func TestDrainCannotRead(t *testing.T) {
	for _, c := range []struct{ name, op, at string }{
		{"the runs", "readdir", "/state/runs"},
		{"a role", "readdir", "/state/runs/backup"},
		{"a run", "readdir", "/state/runs/backup/0"},
		{"a record", "read", "/scheduled.json"},
		{"a lock", "held", "/owner.lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				r := b.start(basicPlan(), waits)
				j := b.job(r)
				proc := b.Process()
				proc.At = func(_ int, op, name string) error {
					if op == c.op && (name == c.at || strings.HasSuffix(name, c.at) || strings.HasPrefix(name, c.at) && c.at[len(c.at)-1] == '0') {
						return &fs.PathError{Op: op, Path: name, Err: syscall.EACCES}
					}
					return nil
				}
				d := (&runs.Drainer{Store: proc.Store(state), For: time.Hour, Poll: 100 * time.Millisecond}).Drain()
				if d.Code() != 3 {
					t.Errorf("%+v", d)
				}
				run, _ := b.last()
				if run.Gate != nil || j.Proc.Dead() {
					t.Error("a run was ended of which nothing was known")
				}
				j.Exit(0)
				b.wantCode(b.wait(r), 0)
				b.holds()
			})
		})
	}
}

// A corrupt record of a run whose wrapper lives counts, and is left alone.
func TestDrainCountsCorrupt(t *testing.T) {
	inMemory(t, func(b *bench) {
		r := b.start(basicPlan(), waits)
		j := b.job(r)
		run, _ := b.last()
		b.Edit(path.Join(run.Dir, "scheduled.json"), func(d []byte) []byte { return d[:9] })
		d := b.drain(time.Second)
		if len(d.Runs) != 1 || d.Runs[0].Result != runs.ResultUnverifiable || d.Code() != 3 || j.Proc.Dead() {
			t.Errorf("%+v", d)
		}
		j.Exit(0)
		b.wait(r)
	})
}

// Case 31: a suspended machine uses no grace up.
func TestSuspendDuringGrace(t *testing.T) {
	inMemory(t, func(b *bench) {
		r := b.start(fullPlan(), waits)
		j := b.job(r)
		time.AfterFunc(5*time.Second, func() { b.Suspend(8 * time.Hour) })
		time.AfterFunc(20*time.Second, func() { writes("new", 0)(j) })
		d := b.drain(30 * time.Second)
		b.wait(r)
		if results(d) != "000001 finished\n" || d.Elapsed > 21*time.Second {
			t.Errorf("%+v", d)
		}
		if run := b.wantState(runs.Completed, ""); run.Terminal.Body.Duration > 21*time.Second {
			t.Errorf("%s", run.Terminal.Body.Duration)
		}
	})
}

// Case 45: a frozen wrapper, first against a drain that cannot reach it.
func TestFrozenWrapper(t *testing.T) {
	for _, kill := range []bool{true, false} {
		inMemory(t, func(b *bench) {
			b.earlier()
			r := b.start(fullPlan(), waits)
			j := b.job(r)
			r.Freeze()
			writes("new", 0)(j)
			synctestWait()
			if kill {
				d := b.drain(time.Second)
				if results(d) != "000002 interrupted\n" || !r.Dead() {
					t.Errorf("%+v, dead %v", d, r.Dead())
				}
			} else {
				run, _ := b.last()
				if won, err := b.store().Claim(run, runs.Gate{Verdict: runs.Stopped, Cause: runs.CauseDrain, By: "drain x"}); !won || err != nil {
					t.Fatal(won, err)
				}
			}
			r.Thaw()
			if out := b.wait(r); out.Code == 0 {
				t.Errorf("%+v", out)
			}
			run := b.wantState(runs.Interrupted, runs.CauseDrain)
			if !kill && len(run.Lates) != 1 {
				t.Errorf("late records: %v", run.Lates)
			}
			b.wantFinal("old")
			b.wantWatermark("10")
			b.holds()
		})
	}
}

// A drain that is given up leaves the runs alone.
func TestDrainGivenUp(t *testing.T) {
	inMemory(t, func(b *bench) {
		r := b.start(basicPlan(), waits)
		j := b.job(r)
		cancel := make(chan struct{})
		d := b.drainer(time.Hour)
		d.Cancel = cancel
		time.AfterFunc(time.Second, func() { close(cancel) })
		got := d.Drain()
		if !got.GaveUp || got.Waiting() != 1 || got.Code() != 3 || j.Proc.Dead() {
			t.Errorf("%+v", got)
		}
		if st := b.store().DrainStatus(); !st.Refusing || st.Waiting() != 1 || st.ID != got.ID {
			t.Errorf("%+v", st)
		}
		j.Exit(0)
		b.wantCode(b.wait(r), 0)
	})
}

// A notice that is still going out keeps its run in flight, within its bound.
func TestNoticesKeepInFlight(t *testing.T) {
	for _, bound := range []time.Duration{time.Minute, 5 * time.Second} {
		inMemory(t, func(b *bench) {
			p := basicPlan()
			p.Budgets.Notice = bound
			n := &notices{takes: 20 * time.Second}
			r := b.start(p, nil, func(_ *running, w *runs.Wrapper) { w.Notices = n })
			synctestWait()
			d := b.drain(time.Minute)
			b.wantCode(b.wait(r), 0)
			if results(d) != "000001 finished\n" || d.Elapsed < min(bound, 20*time.Second)-time.Second || d.Elapsed > min(bound, 20*time.Second)+time.Second {
				t.Errorf("bound %s: %+v", bound, d)
			}
			if len(n.events) != 2 || n.events[1].State != runs.Completed || n.events[0].RunID != n.events[1].RunID {
				t.Errorf("%+v", n.events)
			}
		})
	}
}

// A late result sends no notice of a success.
func TestNoticeOfLate(t *testing.T) {
	inMemory(t, func(b *bench) {
		n := &notices{}
		r := b.start(basicPlan(), waits, func(_ *running, w *runs.Wrapper) { w.Notices = n })
		j := b.job(r)
		run, _ := b.last()
		b.store().Claim(run, runs.Gate{Verdict: runs.Stopped, Cause: runs.CauseDrain, By: "drain x"})
		j.Exit(0)
		b.wait(r)
		if len(n.events) != 2 || n.events[1].State != runs.Interrupted {
			t.Errorf("%+v", n.events)
		}
	})
}

type notices struct {
	takes  time.Duration
	events []runs.Event
}

func (n *notices) Begin(e runs.Event) { n.events = append(n.events, e) }

func (n *notices) End(e runs.Event) <-chan struct{} {
	n.events = append(n.events, e)
	done := make(chan struct{})
	time.AfterFunc(n.takes, func() { close(done) })
	return done
}

// What a killed wrapper left running is in flight: a drain waits for it, kills
// nothing, and does not call it ended.
func TestDrainSeesOrphans(t *testing.T) {
	for _, ends := range []bool{false, true} {
		inMemory(t, func(b *bench) {
			j := b.loses(fullPlan(), true)
			if got := b.store().DrainStatus(); got.Waiting() != 1 || got.Runs[0].State != runs.Orphaned {
				t.Errorf("status: %+v", got.Runs)
			}
			if ends {
				time.AfterFunc(5*time.Second, func() { j.Exit(0) })
			}
			d := b.drainer(10 * time.Second).Drain()
			want, code := "000001 unverifiable\n", 3
			if ends {
				want, code = "000001 interrupted\n", 1
			}
			if results(d) != want || d.Code() != code || j.Proc.Dead() != ends {
				t.Errorf("ends %v: %q, exit %d, job dead %v", ends, results(d), d.Code(), j.Proc.Dead())
			}
			b.holds()
		})
	}
}

// A drain that is cancelled while it waits forces nothing, and refuses nothing.
func TestDrainIsCancelled(t *testing.T) {
	inMemory(t, func(b *bench) {
		r := b.start(fullPlan(), waits)
		j := b.job(r)
		time.AfterFunc(2*time.Second, func() {
			if was, err := b.store().CancelDrain(); !was || err != nil {
				t.Errorf("cancelled: %v %v", was, err)
			}
		})
		d := b.drainer(5 * time.Second).Drain()
		if !d.Ended || d.Refusing || d.Until != nil || d.Code() != 3 || d.Waiting() != 1 {
			t.Errorf("%+v, exit %d", d, d.Code())
		}
		writes("new", 0)(j)
		b.wantCode(b.wait(r), 0)
		b.wantFinal("new")
		b.holds()
	})
}
