package runs_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

// The last success is found behind failures, and nothing that cannot be believed
// is taken for one.
func TestLatest(t *testing.T) {
	inMemory(t, func(b *bench) {
		if l, err := b.store().Latest("backup"); err != nil || l != (runs.Latest{}) {
			t.Errorf("of nothing: %+v, %v", l, err)
		}
		b.run(fullPlan(), writes("one", 0))
		good, err := b.store().Latest("backup")
		if err != nil || good.Success == nil || good.Started == nil || good.Ended == nil || good.State != runs.Completed {
			t.Fatalf("%+v, %v", good, err)
		}
		for range 3 {
			time.Sleep(time.Minute)
			b.run(basicPlan(), writes("", 7))
		}
		if err := b.store().HoldRole("backup", "look"); err != nil {
			t.Fatal(err)
		}
		b.run(basicPlan(), nil) // skipped
		bad, err := b.store().Latest("backup")
		if err != nil || !bad.Success.Equal(*good.Success) || !bad.Started.After(*good.Started) || bad.State != runs.Failed || bad.Exit.Code != 7 {
			t.Errorf("%+v, %v", bad, err)
		}
		first := b.list(b.store())[0]
		b.Edit(first.Dir+"/terminal.json", func(data []byte) []byte { return bytes.Replace(data, []byte("completed"), []byte("completEd"), 1) })
		if l, _ := b.store().Latest("backup"); l.Success != nil {
			t.Errorf("a corrupt record is a success: %+v", l)
		}
	})
}

// Since when a role has not succeeded is known, whatever is pruned, and a first run
// by a wrong clock is none that an age could be counted from.
func TestFirstRun(t *testing.T) {
	inMemory(t, func(b *bench) {
		if err := b.store().HoldRole("backup", "look"); err != nil {
			t.Fatal(err)
		}
		b.run(basicPlan(), nil) // skipped
		if l, err := b.store().Latest("backup"); err != nil || l.First != nil {
			t.Errorf("%+v, %v", l, err)
		}
		if _, err := b.store().Release("backup", "test", ""); err != nil {
			t.Fatal(err)
		}
		begun := b.store().Wall()
		for range 5 {
			b.wantCode(b.run(basicPlan(), writes("", 7)), 7)
			time.Sleep(time.Hour)
			if _, err := b.store().Prune("backup", runs.Retention{Keep: 1}); err != nil {
				t.Fatal(err)
			}
		}
		l, err := b.store().Latest("backup")
		if err != nil || l.Success != nil || !same(l.First, begun) {
			t.Errorf("first %v, want %v: %v", l.First, begun, err)
		}
		// Once it has succeeded the first run is not needed.
		b.wantCode(b.run(basicPlan(), nil), 0)
		if _, err := b.store().Prune("backup", runs.Retention{Keep: 1}); err != nil {
			t.Fatal(err)
		}
		left := b.list(b.store())
		if len(left) != 1 {
			t.Errorf("%d runs are left", len(left))
		}
		first := left[0]
		ahead := b.store().Wall().Add(time.Hour)
		b.Edit(first.Dir+"/scheduled.json", func(data []byte) []byte {
			r, err := runs.Decode[runs.Scheduled](runs.KindScheduled, data)
			if err != nil {
				t.Fatal(err)
			}
			r.Wall = ahead
			out, err := runs.Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			return out
		})
		if l, _ := b.store().Latest("backup"); l.First != nil {
			t.Errorf("the first run lies ahead, at %v", l.First)
		}
	})
}

// A hold that cannot be believed holds, is said, and ends by force alone; so does
// one whose release cannot be believed.
func TestCorruptHold(t *testing.T) {
	for _, which := range []string{"hold", "release"} {
		inMemory(t, func(b *bench) {
			s := b.store()
			if err := s.HoldRole("backup", "look"); err != nil {
				t.Fatal(err)
			}
			h, err := s.Hold("backup")
			if err != nil {
				t.Fatal(err)
			}
			name := state + "/roles/backup/hold.json"
			if which == "release" {
				if _, err := s.Release("backup", "test", ""); err != nil {
					t.Fatal(err)
				}
				name = state + "/roles/backup/release-" + h.Body.ID + ".json"
			}
			whole, _ := b.Read(name)
			for cut := range len(whole) {
				b.Edit(name, func([]byte) []byte { return []byte(whole[:cut]) })
				if _, err := s.Hold("backup"); !errors.Is(err, runs.ErrCorrupt) {
					t.Fatalf("%s cut to %d bytes: %v", which, cut, err)
				}
			}
			b.wantCode(b.run(basicPlan(), func(*runtest.Job) error { t.Error("it started"); return nil }), runs.ExitSkipped)
			b.wantState(runs.Skipped, runs.CauseHold)
			if sum := s.Summarize("backup"); sum.Held == nil || !strings.Contains(sum.Held.Reason, "cannot be read") || len(sum.Problems) != 1 {
				t.Errorf("%+v", sum)
			}
			if _, err := s.Release("backup", "test", ""); !errors.Is(err, runs.ErrCorrupt) {
				t.Errorf("released without force: %v", err)
			}
			if _, err := s.ReleaseCorrupt("backup", "test", "looked"); err != nil {
				t.Error(err)
			}
			if h, err := s.Hold("backup"); err != nil || h != nil {
				t.Errorf("%+v, %v", h, err)
			}
			b.wantCode(b.run(basicPlan(), nil), 0)
			if _, err := s.ReleaseCorrupt("backup", "test", ""); !errors.Is(err, runs.ErrNotHeld) {
				t.Errorf("released what is not held: %v", err)
			}
		})
	}
}

// A person's release of a run's hold stands, also where the record of the release
// was lost to a fault and is made again.
func TestCorruptReleaseOfARun(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := basicPlan()
		p.Policy, p.External, p.Budgets.MaxRuntime = runs.HoldRole, true, time.Minute
		b.wantCode(b.run(p, waits), 143)
		b.wantCode(b.run(p, nil), runs.ExitSkipped)
		s := b.store()
		h, _ := s.Hold("backup")
		if _, err := s.Release("backup", "test", ""); err != nil {
			t.Fatal(err)
		}
		b.Edit(state+"/roles/backup/release-"+h.Body.ID+".json", func([]byte) []byte { return []byte("{}") })
		b.wantCode(b.run(p, nil), runs.ExitSkipped)
		if _, err := s.ReleaseCorrupt("backup", "test", ""); err != nil {
			t.Fatal(err)
		}
		b.wantCode(b.run(p, nil), 0)
	})
}

// What a drain can take at the longest is known before it waits.
func TestDrainBound(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := basicPlan()
		p.Budgets.Commit = time.Second
		p.Budgets.Grace, p.Budgets.Notice = 10*time.Minute, time.Minute
		r := b.start(p, waits)
		j := b.job(r)
		j.OnSignal = func(runs.Signal) {}
		d := b.drainer(time.Hour)
		d.MaxGrace = 2 * time.Minute
		got := d.Drain()
		b.wait(r)
		if want := 2*time.Minute + 8*time.Second + 65*time.Second; got.Bound != want || got.Elapsed > got.Bound {
			t.Errorf("bound %s, want %s; it took %s", got.Bound, want, got.Elapsed)
		}
	})
}

// A notice that hangs beyond its bound, in a wrapper that hangs with it, does not
// keep a drain: the run has its closure, and nothing is killed.
func TestDrainGivesNoticesUp(t *testing.T) {
	inMemory(t, func(b *bench) {
		p := basicPlan()
		p.Budgets.Notice = 5 * time.Second
		frozen := make(chan struct{})
		r := b.start(p, nil, func(r *running, w *runs.Wrapper) { w.Notices = stuck{frozen} })
		synctestWait()
		d := b.drainer(0)
		got := d.Drain()
		if results(got) != "000001 finished\n" || !strings.Contains(got.Runs[0].Note, "not out in time") || r.Dead() {
			t.Errorf("%+v", got)
		}
		close(frozen)
		b.wantCode(b.wait(r), 0)
	})
}

// stuck hangs where it ought to return at once.
type stuck struct{ until chan struct{} }

func (stuck) Begin(runs.Event) {}

func (s stuck) End(runs.Event) <-chan struct{} { <-s.until; return s.until }

// Of a run that is not recorded, or was skipped, a monitor hears too.
func TestNoticesOfWhatHasNoClosure(t *testing.T) {
	inMemory(t, func(b *bench) {
		n := &notices{}
		with := func(_ *running, w *runs.Wrapper) { w.Notices = n }
		if err := b.store().HoldRole("backup", "look"); err != nil {
			t.Fatal(err)
		}
		b.wantCode(b.run(basicPlan(), nil, with), runs.ExitSkipped)
		if len(n.events) != 1 || n.events[0].State != runs.Skipped {
			t.Errorf("%+v", n.events)
		}
		n.events = nil
		b.Fill(true)
		b.wantCode(b.run(basicPlan(), writes("", 3), with), 3)
		if len(n.events) != 2 || n.events[1].State != "" || n.events[1].ExitCode != 3 || n.events[1].RunID != "" {
			t.Errorf("%+v", n.events)
		}
		n.events = nil
		b.wantCode(b.run(fullPlan(), nil, with), runs.ExitCannotRecord)
		if len(n.events) != 1 || n.events[0].ExitCode != runs.ExitCannotRecord {
			t.Errorf("%+v", n.events)
		}
	})
}

// Where numbers are left out, records were removed, and what was before is not
// held against the role.
func TestSince(t *testing.T) {
	inMemory(t, func(b *bench) {
		s := b.store()
		if list, from, err := s.Since("backup", s.Wall()); len(list) != 0 || from != nil || err != nil {
			t.Errorf("of nothing: %v %v %v", list, from, err)
		}
		var at []time.Time
		for range 5 {
			at = append(at, s.Wall())
			b.run(basicPlan(), nil)
			time.Sleep(time.Hour)
		}
		all := b.list(s)
		for _, c := range []struct {
			since time.Time
			runs  int
			from  time.Time
		}{{at[0].Add(-time.Hour), 5, at[0]}, {at[0].Add(time.Minute), 4, at[0].Add(time.Minute)}, {at[4].Add(time.Minute), 0, at[4].Add(time.Minute)}} {
			list, from, err := s.Since("backup", c.since)
			if err != nil || len(list) != c.runs || from == nil || !from.Equal(c.from) {
				t.Errorf("since %s: %d runs from %v, %v", c.since, len(list), from, err)
			}
		}
		b.RemoveAll(all[2].Dir)
		if list, from, err := s.Since("backup", at[0].Add(-time.Hour)); err != nil || len(list) != 2 || !from.Equal(at[3]) {
			t.Errorf("behind a gap: %d runs from %v, %v", len(list), from, err)
		}
		b.Edit(all[4].Dir+"/terminal.json", func(data []byte) []byte { return data[1:] })
		if list, from, err := s.Since("backup", at[0]); !errors.Is(err, runs.ErrCorrupt) || list != nil || from != nil {
			t.Errorf("with a corrupt record: %v %v %v", list, from, err)
		}
	})
}
