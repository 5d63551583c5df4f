package repair

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func TestApply(t *testing.T) {
	lost := errors.New("connection reset")
	for _, c := range []struct {
		name   string
		set    func(b *bench)
		result Result
		writes int
		log    string // phases and results
		seen   bool
		code   int
	}{
		{"created", func(*bench) {}, Done, 1, "begin: end:written", true, 0},
		{"seen late", func(b *bench) { b.shelf.delay = 3 }, Done, 1, "begin: end:written", true, 0},
		{"never seen", func(b *bench) { b.shelf.delay = 1000 }, Unseen, 1, "begin: end:written", false, 1},
		{"the answer is lost", func(b *bench) { b.shelf.fault = func(_ *shelf, _ string, put func()) error { put(); return lost } }, Done, 1, "begin: end:lost", true, 0},
		{"the answer is lost, seen late", func(b *bench) {
			b.shelf.delay = 3
			b.shelf.fault = func(_ *shelf, _ string, put func()) error { put(); return lost }
		}, Done, 1, "begin: end:lost", true, 0},
		{"the request is lost", func(b *bench) { b.shelf.fault = func(*shelf, string, func()) error { return lost } }, Unknown, 0, "begin: end:lost", false, 1},
		{"refused", func(b *bench) {
			b.shelf.fault = func(*shelf, string, func()) error { return fmt.Errorf("%w: no", providers.ErrRefused) }
		}, Refused, 0, "begin: end:refused", false, 1},
		{"moved at the last moment", func(b *bench) { b.shelf.fault = func(*shelf, string, func()) error { return providers.ErrMoved } }, Moved, 0, "begin: end:moved", false, 1},
		{"another made it at the last moment", func(b *bench) {
			b.shelf.fault = func(s *shelf, name string, _ func()) error { s.put(name, name, "7"); return lost }
		}, Done, 0, "begin: end:lost", true, 0},
		{"it is not as the ledger states", func(b *bench) {
			b.shelf.fault = func(s *shelf, name string, _ func()) error { s.writes++; s.put(name, name, "6"); return nil }
		}, Unverified, 1, "begin: end:written", false, 1},
		{"another made it wrongly at the last moment", func(b *bench) {
			b.shelf.onLook = func(s *shelf, n int) {
				if n == 3 {
					s.put("retry", "retry", "6")
					s.hidden["retry"] = 1
				}
			}
		}, Refused, 0, "begin: end:existed", false, 1},
		{"the same job is there before it is begun", func(b *bench) {
			b.shelf.onLook = func(s *shelf, n int) {
				if n == 3 {
					s.put("retry", "", "") // at its place, without a marker
				}
			}
		}, Refused, 0, "", false, 1},
		{"a name that another has", func(b *bench) {
			b.shelf.onLook = func(s *shelf, n int) {
				if n == 3 { // after the plan
					s.put("retry", "", "")
					s.hidden["retry"] = 1 // just after the look
				}
			}
		}, Refused, 0, "begin: end:existed", false, 1},
		{"there before it is begun", func(b *bench) {
			b.shelf.onLook = func(s *shelf, n int) {
				if n == 3 {
					s.put("retry", "retry", "7")
				}
			}
		}, Existed, 0, "", false, 0},
		{"not readable before it is begun", func(b *bench) {
			b.shelf.onLook = func(s *shelf, n int) {
				if n == 3 {
					s.area.State = providers.Denied
				}
			}
		}, Moved, 0, "", false, 3},
		{"all is gone before it is begun", func(b *bench) {
			b.shelf.onLook = func(s *shelf, n int) {
				if n == 3 {
					clear(s.objects)
				}
			}
		}, Moved, 0, "", false, 1},
		{"what it is added to has changed", func(b *bench) {
			b.shelf.onLook = func(s *shelf, n int) {
				if n == 3 {
					s.before = "by another"
				}
			}
		}, Moved, 0, "", false, 1},
		{"the ledger has changed", func(b *bench) { b.ledger = errors.New("changed") }, Moved, 0, "", false, 1},
		{"the log cannot be written", func(b *bench) { b.logErr = errors.New("disk full") }, Refused, 0, "begin:", false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, newShelf(), roleOf("retry"))
			c.set(b)
			got, r := b.apply()
			out := got["retry"]
			var log []string
			for _, e := range b.log {
				log = append(log, e.Phase+":"+e.Result)
				if e.Who != "tester@here" || e.After == "" || e.Place == "" || e.Ledger != "l0" || e.Time.IsZero() {
					t.Errorf("the log does not say all: %+v", e)
				}
			}
			if out.Result != c.result || b.shelf.writes != c.writes || strings.Join(log, " ") != c.log || (len(b.seen) == 1) != c.seen || r.ExitCode != c.code {
				t.Errorf("%s (%s), %d writes, log %v, remembered %v, exit %d; want %+v", out.Result, out.Message, b.shelf.writes, log, b.seen, r.ExitCode, c)
			}
			if out.Message == "" || out.Remembered != c.seen {
				t.Errorf("%+v", out)
			}
		})
	}
}

// TestApplyRenews: where a repair was stopped after a creation, the next one
// brings the ledger's ref up to date, and of what others have made no ref.
func TestApplyRenews(t *testing.T) {
	ours := []providers.Change{{Who: providers.Maker}, {Who: "kubectl-edit"}}
	for _, c := range []struct {
		name   string
		set    func(r *specs.Role, o *providers.Object)
		refs   int
		ledger error
		seen   int
	}{
		{"another uid", func(r *specs.Role, _ *providers.Object) { r.Remembered.UID = "uid-old" }, 1, nil, 1},
		{"no uid yet", func(*specs.Role, *providers.Object) {}, 1, nil, 1},
		{"the same uid", func(r *specs.Role, _ *providers.Object) { r.Remembered.UID = "uid-retry" }, 0, nil, 0},
		{"made by another", func(_ *specs.Role, o *providers.Object) { o.Extra().Changes = ours[1:] }, 0, nil, 0},
		{"found by match", func(r *specs.Role, o *providers.Object) {
			o.Marked, r.Match = nil, specs.Match{Keys: map[string]string{"name": "retry"}}
		}, 0, nil, 0},
		{"not as it should be", func(_ *specs.Role, o *providers.Object) { o.Marked.Version = "6" }, 0, nil, 0},
		{"repair is not allowed", func(r *specs.Role, _ *providers.Object) { r.Repair.CreateMissing = false }, 0, nil, 0},
		{"the ledger has changed", func(*specs.Role, *providers.Object) {}, 1, errors.New("changed"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, role := newShelf("retry"), roleOf("retry")
			o := s.objects["retry"]
			o.Extra().Changes = ours
			c.set(&role, &o)
			s.objects["retry"] = o
			b := newBench(t, s, role)
			b.ledger = c.ledger
			in := b.input()
			p := Make(context.Background(), in)
			if len(p.Refs) != c.refs {
				t.Fatalf("%+v", p.Refs)
			}
			done, _, err := Apply(context.Background(), p, in, b.hands())
			if err != nil || len(b.seen) != c.seen || b.shelf.writes != 0 {
				t.Errorf("%v, remembered %v", err, b.seen)
			}
			for _, ref := range done.Refs {
				if ref.Renewed != (c.seen == 1) || ref.Renewed == (ref.Message != "") || ref.UID != "uid-retry" {
					t.Errorf("%+v", ref)
				}
			}
		})
	}
}

// TestApplyTwoToOnePart: what this run itself has added is no change by others.
func TestApplyTwoToOnePart(t *testing.T) {
	b := newBench(t, newShelf(), roleOf("a"), roleOf("b"))
	got, r := b.apply()
	if got["a"].Result != Done || got["b"].Result != Done || r.ExitCode != 0 {
		t.Errorf("%+v %+v, exit %d", got["a"], got["b"], r.ExitCode)
	}
}

// TestApplyInterrupted: what was begun comes to its end, the rest is not begun.
func TestApplyInterrupted(t *testing.T) {
	b := newBench(t, newShelf(), roleOf("a"), roleOf("b"))
	ctx, cancel := context.WithCancel(context.Background())
	b.shelf.fault = func(_ *shelf, _ string, put func()) error { cancel(); put(); return nil }
	in := b.input()
	p, r, err := Apply(ctx, Make(context.Background(), in), in, b.hands())
	if err != nil || p.Rows[0].Outcome.Result != Done || p.Rows[1].Outcome.Result != NotReached || b.shelf.writes != 1 || r.Findings[0].Kind != report.Missing {
		t.Errorf("%v %+v %+v", err, p.Rows[0].Outcome, p.Rows[1].Outcome)
	}
}

// TestApplyRace: of many repairs at once one writes, and all see the same object.
func TestApplyRace(t *testing.T) {
	for range 100 {
		s := newShelf()
		var wg sync.WaitGroup
		for range 2 {
			b := newBench(t, s, roleOf("retry"))
			in := b.input()
			p := Make(context.Background(), in)
			wg.Add(1)
			go func() {
				defer wg.Done()
				_, r, err := Apply(context.Background(), p, in, b.hands())
				if err != nil || r.ExitCode != 0 && len(b.log) > 0 && b.log[len(b.log)-1].Result != "moved" {
					t.Errorf("%v, exit %d, %+v", err, r.ExitCode, b.log)
				}
			}()
		}
		wg.Wait()
		if s.writes != 1 {
			t.Fatalf("%d writes", s.writes)
		}
	}
}
