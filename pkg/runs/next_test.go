package runs_test

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

// loses makes a run whose wrapper is killed while its job runs. If orphan, the
// job lives on.
func (b *bench) loses(p runs.Plan, orphan bool) *runtest.Job {
	r := b.start(p, waits)
	j := b.job(r)
	r.Kill()
	if !orphan { // behind the wrapper's end, which else could see its job's and close the run
		j.Exit(0)
	}
	return j
}

// Case 1: the wrapper is killed while its job runs on. Cases 1 and 39: the next
// run goes by the overlap policy, not by a lock that nobody gives back.
func TestOwnerLostWithOrphans(t *testing.T) {
	for _, overlap := range []string{runs.OverlapSkip, runs.OverlapWait, runs.OverlapKill} {
		t.Run(overlap, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				b.earlier()
				j := b.loses(fullPlan(), true)
				lost := b.wantState(runs.Orphaned, "")
				if lost.Terminal != nil || lost.Gate != nil {
					t.Error("nobody has closed it, and it is closed")
				}
				b.holds()
				p := fullPlan()
				p.Overlap = overlap
				time.AfterFunc(time.Minute, func() { j.Exit(0) })
				out := b.run(p, writes("new", 0))
				closed := b.store().Load("backup", lost.ID)
				if closed.Terminal == nil || closed.Terminal.Body.State != runs.Interrupted || closed.Terminal.Body.Cause != runs.CauseOwnerLost || closed.Terminal.Body.SideEffects != runs.EffectsUnknown {
					t.Errorf("%+v", closed.Terminal)
				}
				switch overlap {
				case runs.OverlapSkip:
					b.wantCode(out, runs.ExitSkipped)
					b.wantState(runs.Skipped, runs.CauseOrphans)
					b.wantFinal("old")
				case runs.OverlapWait:
					b.wantCode(out, 0)
				case runs.OverlapKill:
					b.wantCode(out, 0)
					if !j.Proc.Dead() {
						t.Error("the orphan lives")
					}
				}
			})
		})
	}
}

// Case 2: the wrapper is killed and its job is gone too.
func TestOwnerLost(t *testing.T) {
	inMemory(t, func(b *bench) {
		b.earlier()
		b.loses(fullPlan(), false)
		lost := b.wantState(runs.OwnerLost, "")
		b.Write(path.Join(lost.Staging(), "dump.gz"), "half")
		got, err := b.store().Settle(lost, "reap", false, false)
		if err != nil || got.State != runs.Interrupted {
			t.Errorf("%+v %v", got, err)
		}
		b.wantState(runs.Interrupted, runs.CauseOwnerLost)
		if text, _ := b.Read(path.Join(lost.Staging(), "dump.gz")); text != "half" {
			t.Error("the staging was not kept")
		}
		b.wantFinal("old")
		b.wantWatermark("10")
		b.holds()
		b.wantCode(b.run(fullPlan(), writes("new", 0)), 0)
	})
}

// Case 16: the same instant does not complete twice.
func TestSameKey(t *testing.T) {
	inMemory(t, func(b *bench) {
		due := b.Wall().Add(-time.Minute)
		p := fullPlan()
		p.Due = &due
		b.wantCode(b.run(p, writes("new", 0)), 0)
		p.WatermarkTo = "30"
		b.wantCode(b.run(p, writes("again", 0)), runs.ExitSkipped)
		b.wantState(runs.Skipped, runs.CauseDone)
		b.wantFinal("new")
		later := due.Add(30 * time.Second)
		p.Due = &later
		b.wantCode(b.run(p, writes("next", 0)), 0)
		p.Due = &due // also when it is not the last one
		b.wantCode(b.run(p, writes("again", 0)), runs.ExitSkipped)
		p.SpecHash = "rc1:bb" // another spec is another job
		p.WatermarkTo = "40"
		b.wantCode(b.run(p, writes("other", 0)), 0)
	})
}

// A completion that is dated before its instant proves nothing.
func TestCompletionBeforeItsInstant(t *testing.T) {
	inMemory(t, func(b *bench) {
		due := b.Wall()
		p := basicPlan()
		p.Due = &due
		b.TurnWall(-time.Hour)
		b.wantCode(b.run(p, nil), 0)
		b.TurnWall(time.Hour)
		r := b.start(p, waits)
		select {
		case j := <-r.started:
			j.Exit(0)
		case <-r.done:
			// It is the previous run of the same key.
		}
		<-r.done
		if r.Outcome.Cause == runs.CauseDone && r.Outcome.Code == 0 {
			t.Errorf("%+v", r.Outcome)
		}
	})
}

// The same instant is tried again once, and no more without a person.
func TestReplayLimit(t *testing.T) {
	inMemory(t, func(b *bench) {
		due := b.Wall().Add(-time.Minute)
		p := basicPlan()
		p.Due = &due
		p.Budgets.MaxRuntime = time.Minute
		var keys, attempts []string
		hang := func(j *runtest.Job) error {
			keys = append(keys, j.Env("ROLECALL_IDEMPOTENCY_KEY"))
			attempts = append(attempts, j.Env("ROLECALL_ATTEMPT"))
			return nil
		}
		for range 2 {
			b.wantCode(b.run(p, hang), 143)
		}
		b.wantCode(b.run(p, hang), runs.ExitSkipped)
		b.wantState(runs.Skipped, runs.CauseReplays)
		if len(keys) != 2 || keys[0] != keys[1] || attempts[0] != "1" || attempts[1] != "2" {
			t.Errorf("keys %v, attempts %v", keys, attempts)
		}
		// Case 41: a person lets it go once more; of two releases one counts.
		last, _ := b.last()
		_ = last
		b.wantCode(b.run(p, hang), runs.ExitSkipped)
	})
}

// Case 41: a hold, released twice; one run goes, and the next is held again.
func TestHoldAndRelease(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := basicPlan()
		p.Policy, p.External = runs.HoldRole, true
		p.Budgets.MaxRuntime = time.Minute
		ran := 0
		hang := func(*runtest.Job) error { ran++; return nil }
		b.wantCode(b.run(p, hang), 143)
		for range 3 {
			b.wantCode(b.run(p, hang), runs.ExitSkipped)
			b.wantState(runs.Skipped, runs.CauseHold)
		}
		s := b.store()
		if h, err := s.Hold("backup"); err != nil || h == nil || h.Body.Cause != runs.CauseDeadline {
			t.Errorf("%+v %v", h, err)
		}
		if rel, err := s.Release("backup", "test", "looked"); err != nil || rel.RunID == "" {
			t.Error(rel, err)
		}
		if _, err := s.Release("backup", "test", "looked"); !errors.Is(err, runs.ErrNotHeld) {
			t.Errorf("a second release: %v", err)
		}
		b.wantCode(b.run(p, hang), 143)
		if run, _ := b.last(); run.Started.Body.ReplayOf == "" {
			t.Error("the run does not say what it follows")
		}
		b.wantCode(b.run(p, hang), runs.ExitSkipped)
		if ran != 2 {
			t.Errorf("it ran %d times", ran)
		}
		// A person's own hold.
		if _, err := s.Release("backup", "test", ""); err != nil {
			t.Error(err)
		}
		if err := s.HoldRole("backup", "moving the disk"); err != nil {
			t.Error(err)
		}
		b.wantCode(b.run(p, hang), runs.ExitSkipped)
		b.wantState(runs.Skipped, runs.CauseHold)
		b.holds()
	})
}

// The policies after a run that was cut off.
func TestCleanThenRetry(t *testing.T) {
	inMemory(t, func(b *bench) {
		b.earlier()
		b.loses(fullPlan(), false)
		lost, _ := b.last()
		b.Write(path.Join(lost.Staging(), "dump.gz"), "half")
		p := fullPlan()
		p.Policy, p.Cleanup = runs.CleanThenRetry, []string{"cleanup"}
		code := 9
		var about string
		play := func(j *runtest.Job) error {
			if j.Launch.Argv[0] == "cleanup" {
				about = j.Env("ROLECALL_RUN_ID") + " " + j.Env("ROLECALL_STAGING")
				j.Exit(code)
				return nil
			}
			return writes("new", 0)(j)
		}
		b.wantCode(b.run(p, play), runs.ExitSkipped)
		b.wantState(runs.Skipped, runs.CauseCleanup)
		code = 0
		b.wantCode(b.run(p, play), 0)
		if about != lost.ID+" "+lost.Staging()+"-aside" {
			t.Errorf("the cleanup was told of %s", about)
		}
		if text, _ := b.Read(lost.Staging() + "-aside/dump.gz"); text != "half" {
			t.Errorf("what was staged is not aside: %v", b.Names(lost.Dir))
		}
		b.wantFinal("new")
	})
}

// Case 40: what a readback says.
func TestReadback(t *testing.T) {
	due := func(b *bench, ago time.Duration) *time.Time { d := b.Wall().Add(-ago); return &d }
	for _, c := range []struct {
		name      string
		answers   []int // exit codes in turn; -1 hangs, -2 dies
		same      bool
		codes     []int
		keyOfLost bool
		cause     string
	}{
		{name: "applied", answers: []int{0}, codes: []int{0}},
		{name: "applied, the same instant", answers: []int{0}, same: true, codes: []int{runs.ExitSkipped}, cause: runs.CauseApplied},
		{name: "not applied", answers: []int{1}, codes: []int{0}, keyOfLost: true},
		{name: "not applied, the same instant", answers: []int{1}, same: true, codes: []int{0}, keyOfLost: true},
		{name: "unknown", answers: []int{2}, codes: []int{runs.ExitSkipped}, cause: runs.CauseHold},
		{name: "hangs", answers: []int{-1}, codes: []int{runs.ExitSkipped}, cause: runs.CauseHold},
		{name: "dies", answers: []int{-2}, codes: []int{runs.ExitSkipped}, cause: runs.CauseHold},
		{name: "lies, then changes", answers: []int{1, 0}, codes: []int{143, 0}, keyOfLost: true},
		{name: "never applied", answers: []int{1, 1}, codes: []int{143, runs.ExitSkipped}, keyOfLost: true, cause: runs.CauseHold},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				p := basicPlan()
				p.External, p.Policy, p.Readback = true, runs.Readback, []string{"readback"}
				p.Due = due(b, time.Hour)
				p.Helper = time.Minute
				b.loses(p, false)
				lost, _ := b.last()
				var asked, ran []string
				p.Budgets.MaxRuntime = time.Minute
				for i, want := range c.codes {
					if !c.same {
						p.Due = due(b, time.Minute-time.Duration(i)*time.Second)
					}
					out := b.run(p, func(j *runtest.Job) error {
						key := j.Env("ROLECALL_IDEMPOTENCY_KEY")
						if j.Launch.Argv[0] != "readback" {
							ran = append(ran, key)
							if want == 0 {
								j.Exit(0)
							}
							return nil
						}
						switch a := c.answers[len(asked)]; {
						case a == -2:
							j.Die(runs.Kill)
						case a >= 0:
							j.Exit(a)
						}
						asked = append(asked, key)
						return nil
					})
					b.wantCode(out, want)
				}
				if c.cause != "" {
					b.wantState(runs.Skipped, c.cause)
				}
				if len(asked) != len(c.answers) || asked[0] != lost.Key() {
					t.Errorf("asked of %v, the lost run has the key %s", asked, lost.Key())
				}
				if len(ran) > 0 && (ran[0] == lost.Key()) != c.keyOfLost {
					t.Errorf("ran with %v, the lost run has the key %s", ran, lost.Key())
				}
				seen := map[string]int{}
				for _, k := range ran {
					if seen[k]++; seen[k] > 1 {
						t.Errorf("more than one replay of %s", k)
					}
				}
				b.holds()
			})
		})
	}
}

// A role's overlap with a run that goes on.
func TestOverlap(t *testing.T) {
	inMemory(t, func(b *bench) {
		first := b.start(basicPlan(), waits)
		j := b.job(first)
		b.wantCode(b.run(basicPlan(), nil), runs.ExitSkipped)
		b.wantState(runs.Skipped, runs.CauseOverlap)
		p := basicPlan()
		p.Overlap = runs.OverlapWait
		waiting, stopped, drained := b.start(p, nil), b.start(p, nil), b.start(p, nil)
		time.Sleep(time.Minute)
		stopped.Stops <- runs.Terminate
		b.wantCode(b.wait(stopped), 143)
		j.Exit(0)
		b.wantCode(b.wait(first), 0)
		b.wantCode(b.wait(waiting), 0)
		b.wantCode(b.wait(drained), 0)
		// What waits is refused by a drain, counted or not.
		first = b.start(basicPlan(), waits)
		j = b.job(first)
		waiting = b.start(p, nil)
		time.Sleep(time.Second)
		time.AfterFunc(10*time.Second, func() { j.Exit(0) })
		d := b.drain(time.Minute)
		b.wantCode(b.wait(waiting), runs.ExitSkipped)
		if waiting.Outcome.Cause != runs.CauseDraining || len(d.Runs) == 0 || d.Code() != 0 {
			t.Errorf("%+v %+v", waiting.Outcome, d)
		}
		b.holds()
	})
}

// Mixed outputs after a crash are a person's.
func TestMixedCommit(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := fullPlan()
		p.Outputs = append(p.Outputs, runs.Output{Staged: "list", Final: "/srv/list"})
		renames := 0
		r := b.start(p, func(j *runtest.Job) error {
			j.Proc.Write(j.Env("ROLECALL_STAGING")+"/list", "list")
			return writes("new", 0)(j)
		}, func(r *running, _ *runs.Wrapper) {
			proc := r.Proc
			proc.At = func(_ int, op, name string) error {
				if op == "rename" && name == "/srv/list" {
					renames++
					proc.Kill()
					return runtest.ErrKilled
				}
				return nil
			}
		})
		b.wait(r)
		if renames != 1 {
			t.Fatal("the second output was never renamed")
		}
		b.wantState(runs.OwnerLost, "")
		b.wantCode(b.run(p, nil), runs.ExitSkipped)
		h, err := b.store().Hold("backup")
		if err != nil || h == nil || h.Body.Cause != "mixed-commit" {
			t.Errorf("%+v %v", h, err)
		}
		b.wantWatermark("")
		if _, err := b.store().Release("backup", "test", ""); err != nil {
			t.Error(err)
		}
		b.wantCode(b.run(p, func(j *runtest.Job) error {
			j.Proc.Write(j.Env("ROLECALL_STAGING")+"/list", "list2")
			return writes("new2", 0)(j)
		}), 0)
		b.wantFinal("new2")
	})
}

// Retention keeps what others go by.
func TestPrune(t *testing.T) {
	inMemory(t, func(b *bench) {
		due := b.Wall().Add(-time.Hour)
		keyed := basicPlan()
		keyed.Due = &due
		b.run(keyed, nil)
		for i := range 6 {
			b.run(basicPlan(), func(j *runtest.Job) error { j.Exit(i % 2); return nil })
		}
		b.loses(basicPlan(), true) // open
		s := b.store()
		keep := runs.Retention{KeyAge: 1000 * time.Hour, DryRun: true}
		dry, err := s.Prune("backup", keep)
		if err != nil || len(b.list(s)) != 8 {
			t.Fatal(err)
		}
		keep.DryRun = false
		got, err := s.Prune("backup", keep)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(dry) {
			t.Errorf("%v\n%v\n%v", err, got, dry)
		}
		left := ""
		for _, r := range b.list(s) {
			left += r.ID[:6] + " "
		}
		if left != "000001 000006 000008 " {
			t.Errorf("left: %s", left)
		}
		for _, name := range b.Names(path.Join(state, "runs/backup")) {
			if strings.HasPrefix(name, ".") {
				t.Errorf("%s is left over", name)
			}
		}
		sum := s.Summarize("backup")
		if sum.LastSuccess == nil || sum.LastStarted == nil || sum.Counts[runs.Orphaned] != 1 {
			t.Errorf("%+v", sum)
		}
		b.wantCode(b.run(keyed, nil), runs.ExitSkipped)
	})
}
