package runs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

// moves lets a role's watermark go through values, a minute apart, and gives when
// each run ended.
func (b *bench) moves(values ...string) (ended []time.Time) {
	b.t.Helper()
	for _, v := range values {
		p := basicPlan()
		p.WatermarkTo = v
		b.wantCode(b.run(p, nil), 0)
		ended = append(ended, b.store().Wall())
		time.Sleep(time.Minute)
	}
	return ended
}

func same(at *time.Time, want time.Time) bool {
	return at != nil && at.Sub(want).Abs() < time.Second
}

// A watermark that is written anew with the value that it has, or with one that it
// had before, is no progress; where it went back is said.
func TestProgressOfAWatermark(t *testing.T) {
	for _, c := range []struct {
		values string
		last   int    // the move that was progress last
		back   string // from where it went back
	}{
		{"7", 0, ""}, {"7 7", 0, ""}, {"7 8 8 8", 1, ""}, {"7 8 9", 2, ""},
		{"7 6", 1, "7"}, {"7 6 6", 1, "7"}, {"7 6 7", 1, ""}, {"7 6 7 8", 3, ""}, {"7 6 5", 2, "7"}, {"7 3 5", 2, "7"},
		{"5 6 7 5", 2, "7"}, {"5 6 7 5 6", 2, "7"}, {"5 6 7 5 6 7", 2, ""}, {"5 6 7 5 6 7 8", 6, ""},
		{"a b a", 1, "b"}, {"b a", 1, ""}, {"9 10", 1, ""}, {"2026-11-25 2026-11-24", 1, "2026-11-25"},
	} {
		t.Run(c.values, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				ended := b.moves(strings.Fields(c.values)...)
				got := b.store().Summarize("backup")
				if !same(got.LastProgress, ended[c.last]) || len(got.Problems) > 0 {
					t.Errorf("progress at %v, want that of move %d of %v; %v", got.LastProgress, c.last, ended, got.Problems)
				}
				if hint := strings.Join(got.Hints, "\n"); (hint != "") != (c.back != "") || !strings.Contains(hint, fmt.Sprintf("went back from %q", c.back)) && c.back != "" {
					t.Errorf("hint %q, want back from %q", hint, c.back)
				}
				b.holds()
			})
		})
	}
}

// The values that are remembered are bounded.
func TestWatermarkRemembersNotAll(t *testing.T) {
	inMemory(t, func(b *bench) {
		var values []string
		for i := range 150 {
			values = append(values, fmt.Sprint("step ", i))
		}
		b.moves(values...)
		data, ok := b.Read(state + "/roles/backup/watermark.json")
		if !ok || len(data) > 3000 {
			t.Errorf("%d bytes", len(data))
		}
		ended := b.moves("step 100")
		if got := b.store().Summarize("backup"); got.LastProgress.After(ended[0].Add(-30*time.Second)) || len(got.Hints) != 1 {
			t.Errorf("%v %v", got.LastProgress, got.Hints)
		}
	})
}

// forget makes a record one of those that do not say since when.
func forget[T any](b *bench, kind, name string, change func(*T)) {
	b.t.Helper()
	b.Edit(name, func(data []byte) []byte {
		r, err := runs.Decode[T](kind, data)
		if err != nil {
			b.t.Fatal(err)
		}
		change(&r.Body)
		out, err := runs.Encode(r)
		if err != nil {
			b.t.Fatal(err)
		}
		return out
	})
}

// Of records that do not say since when, what the runs intended is gone by, and
// from the next run on it is known.
func TestProgressOfOldRecords(t *testing.T) {
	for _, c := range []struct {
		values string
		last   int
		next   string
		kept   bool // the next one is no progress
	}{
		{"7 8", 1, "8", true}, {"7 8 8 8", 1, "8", true}, {"7 8 8", 1, "9", false}, {"8", 0, "8", true}, {"7 8", 1, "7", true},
	} {
		t.Run(c.values+" "+c.next, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				ended := b.moves(strings.Fields(c.values)...)
				forget(b, runs.KindWatermark, state+"/roles/backup/watermark.json", func(w *runs.Watermark) { w.Since, w.Had, w.Back = nil, nil, "" })
				if got := b.store().Summarize("backup"); !same(got.LastProgress, ended[c.last]) {
					t.Errorf("progress at %v, want move %d of %v", got.LastProgress, c.last, ended)
				}
				want := ended[c.last]
				if next := b.moves(c.next); !c.kept {
					want = next[0]
				}
				if got := b.store().Summarize("backup"); !same(got.LastProgress, want) {
					t.Errorf("progress at %v, want %v", got.LastProgress, want)
				}
			})
		})
	}
}

// says is a job that says tokens, some seconds apart.
func says(b *bench, tokens string) func(*runtest.Job) error {
	return func(j *runtest.Job) error {
		for _, token := range strings.Fields(tokens) {
			s := j.Proc.Store(state)
			if err := s.Checkpoint("backup", j.Env("ROLECALL_RUN_ID"), token); err != nil {
				b.t.Error(err)
			}
		}
		j.Exit(0)
		return nil
	}
}

// A checkpoint that says what the runs before said last is no progress, whoever
// reads, whatever was pruned, and where a run said nothing in between.
func TestProgressOfCheckpoints(t *testing.T) {
	for _, c := range []struct {
		runs string // of each run what it says; - is nothing
		last int    // the run that was progress last; -1 for none
	}{
		{"-", -1}, {"half", 0}, {"half,half", 0}, {"half,-,half", 0}, {"half,whole", 1}, {"half,whole,half", 2},
		{"p1 p2,p1 p2,p1 p2", 0}, {"p1 p2,p1,p1 p2", 2}, {"p1,p1 p1 p2", 1}, {"p1,p2,p2,p2", 1},
	} {
		for _, how := range []string{"", "pruned", "old", "old and new"} {
			t.Run(c.runs+" "+how, func(t *testing.T) {
				inMemory(t, func(b *bench) {
					var ended []time.Time
					list := strings.Split(c.runs, ",")
					for i, tokens := range list {
						b.wantCode(b.run(basicPlan(), says(b, strings.TrimPrefix(tokens, "-"))), 0)
						ended = append(ended, b.store().Wall())
						time.Sleep(time.Minute)
						if how == "pruned" {
							if _, err := b.store().Prune("backup", runs.Retention{Keep: 1}); err != nil {
								t.Fatal(err)
							}
						}
						if strings.HasPrefix(how, "old") && (how == "old" || i < len(list)-1) && tokens != "-" {
							all := b.list(b.store())
							forget(b, runs.KindCheckpoint, all[len(all)-1].Dir+"/checkpoint.json", func(c *runs.Checkpoint) { c.Since, c.Before = nil, nil })
						}
					}
					got := b.store().Summarize("backup").LastProgress
					if c.last < 0 && got != nil || c.last >= 0 && !same(got, ended[c.last]) {
						t.Errorf("progress at %v, want run %d of %v", got, c.last, ended)
					}
					var back runs.Sayings
					for _, r := range slices.Backward(b.list(b.store())) {
						back.Older(r.Checkpoint)
					}
					if last := back.Last(); (last == nil) != (got == nil) || last != nil && !last.Since.Equal(*got) {
						t.Errorf("from behind %v, want %v", last, got)
					}
				})
			})
		}
	}
}

// Around a commit of its own a job need not say how far it has come: that is no
// word of progress, and takes none away.
func TestPhasesAreNoProgress(t *testing.T) {
	inMemory(t, func(b *bench) {
		commits := func(j *runtest.Job) error {
			s, id := j.Proc.Store(state), j.Env("ROLECALL_RUN_ID")
			if err := s.CommitBegin("backup", id); err != nil {
				t.Error(err)
			}
			if err := s.CommitEnd("backup", id); err != nil {
				t.Error(err)
			}
			j.Exit(0)
			return nil
		}
		b.wantCode(b.run(basicPlan(), commits), 0)
		if got := b.store().Summarize("backup").LastProgress; got != nil {
			t.Errorf("progress at %v", got)
		}
		b.wantCode(b.run(basicPlan(), says(b, "half")), 0)
		said := b.store().Wall()
		time.Sleep(time.Minute)
		b.wantCode(b.run(basicPlan(), commits), 0)
		time.Sleep(time.Minute)
		if _, err := b.store().Prune("backup", runs.Retention{Keep: 1}); err != nil {
			t.Fatal(err)
		}
		b.wantCode(b.run(basicPlan(), says(b, "half")), 0)
		if got := b.store().Summarize("backup").LastProgress; !same(got, said) {
			t.Errorf("progress at %v, want %v", got, said)
		}
	})
}
