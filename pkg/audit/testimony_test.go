package audit

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/providertest"
	"github.com/rolecall-dev/rolecall/specs"
)

// daily plays looks back and wants a job at 01:00 UTC. It explains what it is
// asked about.
type daily struct {
	*providertest.Looks
	asked   *atomic.Int32
	explain func(context.Context, providers.Object) []string
}

var oneOClock, _ = specs.ParseSchedule(specs.Debian, "0 1 * * *", "UTC")

func (daily) Translate(specs.Statement) (specs.Desired, error) {
	return specs.Desired{Stated: []string{}, Spec: specs.Spec{Schedules: []specs.Schedule{oneOClock}}}, nil
}

func (d daily) Explain(ctx context.Context, o providers.Object) []string {
	d.asked.Add(1)
	return d.explain(ctx, o)
}

type witness func(ctx context.Context, refs []specs.Ref) map[specs.Ref]providers.Evidence

func (w witness) Testify(ctx context.Context, refs []specs.Ref) map[specs.Ref]providers.Evidence {
	return w(ctx, refs)
}

var judged = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// dailyPlan is of roles a and b, of which a has run and b is told about by
// witnesses.
func dailyPlan(aRan time.Time) (Plan, *daily) {
	o := look("a", "b")
	for i := range o.Objects {
		o.Objects[i].Spec.Schedules = []specs.Schedule{oneOClock}
	}
	o.Objects[0].Extra().Runs = &providers.Evidence{Executed: providers.Trace{State: providers.Known, Last: aRan}}
	d := &daily{Looks: &providertest.Looks{List: []providers.Observation{o}}, asked: &atomic.Int32{}, explain: func(context.Context, providers.Object) []string {
		return []string{"the Job has failed: hunter2", "the Job has failed: hunter2"}
	}}
	p := plan()
	p.Now, p.Sources[0].Provider = judged, d
	p.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	p.Ledger.Roles[1].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 1}, Succeeded: specs.EvidenceSource{Pos: specs.Pos{Line: 1}, Query: "q"}}
	return p, d
}

func says(last time.Time) witness {
	return func(_ context.Context, refs []specs.Ref) map[specs.Ref]providers.Evidence {
		return map[specs.Ref]providers.Evidence{{Role: "b", Source: "web"}: {Succeeded: providers.Trace{State: providers.Known, Last: last}}}
	}
}

func TestWitnesses(t *testing.T) {
	fresh, old := judged.Add(-10*time.Hour), judged.AddDate(0, 0, -9)
	for _, c := range []struct {
		name      string
		witnesses []providers.Witness
		want      string
		code      int
	}{
		{"in time", []providers.Witness{says(fresh)}, "", 0},
		{"stopped", []providers.Witness{says(old)}, "not-succeeded:b@web", 1},
		{"the first that knows", []providers.Witness{witness(func(context.Context, []specs.Ref) map[specs.Ref]providers.Evidence { return nil }), says(fresh), says(old)}, "", 0},
		{"nobody is there to be asked", nil, "unknown:b@web", 3},
		{"one breaks down", []providers.Witness{witness(func(context.Context, []specs.Ref) map[specs.Ref]providers.Evidence { panic("ouch") })}, "unknown:b@web", 3},
		{"one breaks down and another knows", []providers.Witness{witness(func(context.Context, []specs.Ref) map[specs.Ref]providers.Evidence { panic("ouch") }), says(fresh)}, "", 0},
		{"one does not come back", []providers.Witness{witness(func(ctx context.Context, _ []specs.Ref) map[specs.Ref]providers.Evidence { select {} })}, "unknown:b@web", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := dailyPlan(fresh)
			p.Witnesses, p.Timeout = c.witnesses, 50*time.Millisecond
			if got, code := run(t, p); got != c.want || code != c.code {
				t.Errorf("%q, exit %d; want %q, exit %d", got, code, c.want, c.code)
			}
		})
	}
}

// TestWitnessesAreAskedAtEachLook: of all roles in what is looked at, and what
// came between two looks is a note.
func TestWitnessesAreAskedAtEachLook(t *testing.T) {
	p, _ := dailyPlan(judged.Add(-10 * time.Hour))
	var asked [][]specs.Ref
	p.Witnesses = []providers.Witness{witness(func(ctx context.Context, refs []specs.Ref) map[specs.Ref]providers.Evidence {
		asked = append(asked, slices.Clone(refs))
		refs[0] = specs.Ref{}
		last := judged.AddDate(0, 0, -9)
		if len(asked) > 1 {
			last = judged.Add(-time.Hour)
		}
		return says(last)(ctx, refs)
	})}
	if got, code := run(t, p); got != "note unsettled" || code != 0 {
		t.Errorf("%q, exit %d", got, code)
	}
	if len(asked) != 2 || len(asked[1]) != 2 || asked[1][0] != (specs.Ref{Role: "a", Source: "web"}) {
		t.Errorf("asked %v", asked)
	}
}

func TestExplain(t *testing.T) {
	old := judged.AddDate(0, 0, -9)
	for _, c := range []struct {
		name    string
		change  func(*Plan, *daily)
		asked   int32
		hint    string
		without bool
	}{
		{"once, after the last look", func(*Plan, *daily) {}, 1, "the Job has failed: ***", false},
		{"not where nothing is found", func(p *Plan, d *daily) { d.List[0].Objects[0].Extra().Runs = nil }, 0, "", true},
		{"not offline", func(p *Plan, d *daily) { p.Sources[0].Rule.Live = false }, 0, "", false},
		{"not of roles that are not asked for", func(p *Plan, d *daily) { p.Roles = []string{"b"} }, 0, "", true},
		{"it breaks down", func(p *Plan, d *daily) {
			d.explain = func(context.Context, providers.Object) []string { panic("ouch") }
		}, 1, "rolecall broke down", false},
		{"it does not come back", func(p *Plan, d *daily) {
			p.Timeout = 20 * time.Millisecond
			d.explain = func(context.Context, providers.Object) []string { select {} }
		}, 1, "did not come to an end", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, d := dailyPlan(old)
			p.Witnesses = []providers.Witness{says(judged.Add(-10 * time.Hour))}
			c.change(&p, d)
			r, _, err := Run(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(r.Findings, func(f report.Finding) bool { return f.ID == "not-executed:a@web" })
			if d.asked.Load() != c.asked || i < 0 != c.without {
				t.Fatalf("asked %d times, findings %+v", d.asked.Load(), r.Findings)
			}
			if i >= 0 && c.hint != "" && strings.Count(strings.Join(r.Findings[i].Hints, "\n"), c.hint) != 1 {
				t.Errorf("hints %q", r.Findings[i].Hints)
			}
			for _, n := range r.Notes {
				if n.Code == "unsettled" {
					t.Error(n.Message)
				}
			}
		})
	}
}

// TestUnknownBesideAWorseFinding: the report is not complete though the role's
// state is not unknown.
func TestUnknownBesideAWorseFinding(t *testing.T) {
	p, d := dailyPlan(judged.AddDate(0, 0, -9))
	d.List[0].Objects[0].Runs().Succeeded = providers.Trace{State: providers.Unreadable}
	p.Witnesses = []providers.Witness{says(judged.Add(-10 * time.Hour))}
	r, _, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Complete || r.ExitCode != 1 || r.Summary.NotExecuted != 1 || r.Roles[0].State != report.State(report.NotExecuted) {
		t.Errorf("complete %v, exit %d, %+v", r.Complete, r.ExitCode, r.Summary)
	}
}

// TestAgainAsksTheWitnesses: what they said before of other sources stays.
func TestAgainAsksTheWitnesses(t *testing.T) {
	p, _ := dailyPlan(judged.Add(-10 * time.Hour))
	p.Witnesses = []providers.Witness{says(judged.AddDate(0, 0, -9))}
	_, world, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := specs.Ref{Role: "b", Source: "other"}
	world.Testimony[elsewhere] = providers.Evidence{Hints: []string{"kept"}}
	p.Witnesses = []providers.Witness{says(judged.Add(-time.Hour))}
	r, world, err := Again(context.Background(), p, world, map[string][]string{"web": nil})
	if err != nil || len(r.Findings) != 0 || len(world.Testimony[elsewhere].Hints) != 1 {
		t.Errorf("%v %+v %+v", err, r.Findings, world.Testimony)
	}
}
