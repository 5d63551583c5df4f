package runs_test

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

// earlier makes a run that completed before: the old content, the old watermark.
func (b *bench) earlier() {
	b.t.Helper()
	p := fullPlan()
	p.WatermarkTo = "10"
	if out := b.run(p, writes("old", 0)); out.Code != 0 {
		b.t.Fatalf("%+v", out)
	}
}

// killedAt makes a run whose wrapper is killed before its n-th step. It is false
// if the run ended before.
func (b *bench) killedAt(n int, p runs.Plan, play func(*runtest.Job) error) (hit bool, out runs.Outcome) {
	r := b.start(p, play, func(r *running, _ *runs.Wrapper) {
		proc := r.Proc
		proc.At = func(step int, _, _ string) error {
			if step >= n {
				hit = true
				proc.Kill()
				return runtest.ErrKilled
			}
			return nil
		}
	})
	out = b.wait(r)
	return hit, out
}

// settleAll closes what can be closed, as the next run or reap does.
func (b *bench) settleAll(s *runs.Store) {
	open, err := s.Open([]string{"backup"})
	if err != nil {
		return
	}
	for _, r := range open {
		s.Settle(r, "test", false, false) // a killed process gets errors
	}
}

// proved holds a recovered run to what it may be: completed with its output and
// watermark, or not completed with neither.
func (b *bench) proved(where string) {
	b.t.Helper()
	r, state := b.last()
	content, _ := b.Read(final)
	w, err := b.store().Watermark("backup")
	if err != nil {
		b.t.Fatal(where, err)
	}
	mark := w.Body.Value
	switch {
	case r.Scheduled != nil && r.Scheduled.Body.WatermarkTo == "10": // the new run never appeared
		if content != "old" || mark != "10" {
			b.t.Errorf("%s: no new run, content %q, watermark %s", where, content, mark)
		}
	case state == runs.Completed:
		if content != "new" || mark != "20" {
			b.t.Errorf("%s: completed with content %q, watermark %s", where, content, mark)
		}
	case state == runs.Interrupted || state == runs.Failed:
		if content != "old" || mark != "10" {
			b.t.Errorf("%s: %s with content %q, watermark %s", where, state, content, mark)
		}
	default:
		b.t.Errorf("%s: after recovery the run is %s (%v %v)", where, state, r.Corrupt, r.Unread)
	}
}

// Case 3: the wrapper is killed at each of its steps, and recovery at each of
// its own.
func TestKilledAtEveryStep(t *testing.T) {
	for n, more := 1, true; more; n++ {
		inMemory(t, func(b *bench) {
			b.earlier()
			more, _ = b.killedAt(n, fullPlan(), writes("new", 0))
			b.holds()
			for m, again := 1, true; again; m++ {
				again = false
				proc := b.Process()
				proc.At = func(step int, _, _ string) error {
					if step >= m {
						again = true
						proc.Kill()
						return runtest.ErrKilled
					}
					return nil
				}
				s := proc.Store(state)
				b.settleAll(&s)
				b.holds()
			}
			b.proved(fmt.Sprintf("killed at step %d", n))
			before := b.Names(path.Join(state, "runs/backup"))
			b.settleAll(b.store())
			if after := b.Names(path.Join(state, "runs/backup")); strings.Join(after, " ") != strings.Join(before, " ") {
				t.Errorf("a second recovery changed %v to %v", before, after)
			}
			p := fullPlan()
			p.WatermarkTo = "30"
			if out := b.run(p, writes("next", 0)); out.Code != 0 {
				t.Errorf("killed at step %d: the next run: %+v", n, out)
			}
			b.wantFinal("next")
			b.wantWatermark("30")
		})
	}
}

// Case 29: the power goes at each step, and what was not synced is lost, kept,
// or kept in part.
func TestPowerLossAtEveryStep(t *testing.T) {
	data := map[string]func(int) int{
		"none":  func(int) int { return 0 },
		"torn":  func(n int) int { return n/2 + 1 },
		"whole": func(n int) int { return n },
	}
	names := map[string]func(i, n int) bool{
		"none":  func(int, int) bool { return false },
		"all":   func(int, int) bool { return true },
		"even":  func(i, _ int) bool { return i%2 == 0 },
		"odd":   func(i, _ int) bool { return i%2 == 1 },
		"first": func(i, _ int) bool { return i == 0 },
		"last":  func(i, n int) bool { return i == n-1 },
	}
	for n, more := 1, true; more; n++ {
		for dn, keepData := range data {
			for nn, keepName := range names {
				inMemory(t, func(b *bench) {
					where := fmt.Sprintf("step %d, data %s, names %s", n, dn, nn)
					b.earlier()
					var out runs.Outcome
					more, out = b.killedAt(n, fullPlan(), writes("new", 0))
					b.PowerLoss(keepName, keepData)
					b.holds()
					if _, state := b.last(); !more && (out.Code != 0 || state != runs.Completed) {
						t.Errorf("%s: a run that had said 0 is %s", where, state)
					}
					b.settleAll(b.store())
					b.holds()
					b.proved(where)
				})
			}
		}
	}
}

// Case 43: a fault of the program at each step of a run.
func TestPanicAtEveryStep(t *testing.T) {
	for n, more := 1, true; more; n++ {
		inMemory(t, func(b *bench) {
			b.earlier()
			more = false
			out := b.run(fullPlan(), writes("new", 0), func(r *running, _ *runs.Wrapper) {
				r.Proc.At = func(step int, _, _ string) error {
					if step == n {
						more = true
						panic(fmt.Sprintf("step %d", n))
					}
					return nil
				}
			})
			r, state := b.last()
			if more && out.Code == 0 && !(state == runs.Completed) {
				t.Errorf("a panic at step %d: exit code 0, state %s", n, state)
			}
			if r.Terminal == nil && state != runs.OwnerLost && state != runs.NeverStarted {
				t.Errorf("a panic at step %d: %s", n, state)
			}
			b.settleAll(b.store())
			b.holds()
			b.proved(fmt.Sprintf("a panic at step %d", n))
		})
	}
}

// Case 28: each record cut at every byte, emptied, filled with zeros, flipped.
func TestTornRecords(t *testing.T) {
	inMemory(t, func(b *bench) {
		b.earlier()
		other := basicPlan()
		other.Role = "other"
		b.run(other, nil)
		r := b.start(fullPlan(), func(j *runtest.Job) error {
			s := j.Proc.Store(state)
			if err := s.Checkpoint("backup", j.Env("ROLECALL_RUN_ID"), "half"); err != nil {
				return err
			}
			return writes("new", 0)(j)
		})
		b.wait(r)
		run := b.wantState(runs.Completed, "")
		for _, name := range b.Names(run.Dir) {
			if !strings.HasSuffix(name, ".json") {
				continue
			}
			file := path.Join(run.Dir, name)
			whole, _ := b.Read(file)
			for _, bad := range tears([]byte(whole)) {
				b.Edit(file, func([]byte) []byte { return bad })
				s := b.store()
				got := s.Load("backup", run.ID)
				if st := got.State(s.Life(got)); st != runs.Corrupt {
					t.Fatalf("%s with %d bytes: the run is %s", name, len(bad), st)
				}
				if settled, _ := s.Settle(got, "test", true, false); settled.State != runs.Corrupt {
					t.Fatalf("%s: settled as %s", name, settled.State)
				}
				if now, _ := b.Read(file); now != string(bad) {
					t.Fatalf("%s was overwritten", name)
				}
			}
			if sum := b.store().Summarize("other"); sum.Counts[runs.Completed] != 1 || len(sum.Problems) > 0 {
				t.Fatalf("another role is affected: %+v", sum)
			}
			if sum := b.store().Summarize("backup"); sum.Counts[runs.Completed] != 1 || len(sum.Problems) == 0 {
				t.Errorf("%s: %+v", name, sum)
			}
			b.Edit(file, func([]byte) []byte { return []byte(whole) })
		}
		b.Edit(path.Join(run.Dir, "gate.json"), func(d []byte) []byte { return d[:40] })
		b.inv.Forget()
		out := b.run(fullPlan(), writes("more", 0))
		b.wantCode(out, runs.ExitSkipped)
		b.wantState(runs.Skipped, runs.CauseHold)
		b.wantFinal("new")
		if _, err := b.store().Release("backup", "test", ""); err != nil {
			t.Error(err)
		}
		p := fullPlan()
		p.WatermarkTo = "30"
		b.wantCode(b.run(p, writes("more", 0)), 0)
		b.wantFinal("more")
	})
}

func tears(whole []byte) [][]byte {
	out := [][]byte{make([]byte, len(whole)), bytes.Replace(whole, []byte("backup"), []byte("packup"), 1)}
	for n := range whole {
		out = append(out, whole[:n])
	}
	return out
}
