package audit

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/providertest"
	"github.com/rolecall-dev/rolecall/specs"
)

// source plays looks back and wants nothing of an object but that it is there.
type source struct{ *providertest.Looks }

func (source) Translate(specs.Statement) (specs.Desired, error) {
	return specs.Desired{Stated: []string{}, Spec: specs.Spec{Schedules: []specs.Schedule{specs.Never()}}, Never: true}, nil
}

func look(roles ...string) providers.Observation {
	o := providers.Observation{Areas: []providers.Area{{Part: "file/f", State: providers.Read}}}
	for _, r := range roles {
		o.Objects = append(o.Objects, providers.Object{
			ID: "crontab:web/f#" + r, Origin: &providers.Origin{Source: "web", Provider: "crontab", Part: "file/f"}, Marked: &providers.Marker{Role: r},
			Spec: specs.Spec{Schedules: []specs.Schedule{specs.Never()}},
		})
	}
	return o
}

func broken(roles ...string) providers.Observation {
	o := look(roles...)
	o.Areas[0].State, o.Areas[0].Reason = providers.Failed, "the disk is gone"
	return o
}

func plan(looks ...providers.Observation) Plan {
	return Plan{
		Ledger:  ledger.Ledger{Roles: []specs.Role{{Key: "a", Sources: []string{"web"}}, {Key: "b", Sources: []string{"web"}}}},
		Sources: []Source{{Name: "web", Kind: "crontab", Provider: source{&providertest.Looks{List: looks}}, Rule: classify.Rule{Live: true}}},
		Now:     time.Unix(1e9, 0), Settle: time.Millisecond, Mask: func(s string) string { return s },
	}
}

func run(t *testing.T, p Plan) (string, int) {
	t.Helper()
	r, _, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.ID)
	}
	for _, n := range r.Notes {
		out = append(out, "note "+n.Code)
	}
	return strings.Join(out, " "), r.ExitCode
}

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		name  string
		looks []providers.Observation
		want  string
		code  int
		seen  int // looks taken
	}{
		{"clean at once", []providers.Observation{look("a", "b")}, "", 0, 1},
		{"missing, and missing still", []providers.Observation{look("a"), look("a")}, "missing:b@web", 1, 2},
		{"missing for a moment", []providers.Observation{look("a"), look("a", "b")}, "note unsettled", 0, 2},
		{"one for another, then it stays", []providers.Observation{look("a"), look("b"), look("b")}, "missing:a@web note unsettled", 1, 3},
		{"it never settles", []providers.Observation{look("a"), look("b"), look("a")}, "note unsettled note unsettled", 0, 3},
		{"broken for a moment", []providers.Observation{broken("a"), look("a", "b")}, "", 0, 2},
		{"broken at the second look", []providers.Observation{look("a"), broken("a")}, "unknown:b@web note unsettled", 3, 3},
		{"empty", []providers.Observation{look(), look()}, "missing:a@web missing:b@web note suspicious-empty", 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(c.looks...)
			seen := 0
			p.Progress = func(e Event) { seen = max(seen, e.Look) }
			got, code := run(t, p)
			if got != c.want || code != c.code || seen != c.seen {
				t.Errorf("%q, exit %d, %d looks; want %q, exit %d, %d looks", got, code, seen, c.want, c.code, c.seen)
			}
		})
	}
}

func TestOneLook(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"settle 0": func(p *Plan) { p.Settle = 0 },
		"offline":  func(p *Plan) { p.Sources[0].Rule.Live = false },
	} {
		p := plan(look("a"), look("a", "b"))
		change(&p)
		if got, code := run(t, p); got != "missing:b@web" || code != 1 {
			t.Errorf("%s: %q, exit %d", name, got, code)
		}
	}
}

func TestGate(t *testing.T) {
	kinds := func(k ...report.Kind) []report.Kind { return append([]report.Kind{}, k...) }
	for _, c := range []struct {
		name string
		look providers.Observation
		gate report.Gate
		code int
	}{
		{"finding", look("a"), report.Gate{}, 1},
		{"gap", broken("a"), report.Gate{}, 3},
		{"finding of another kind", look("a"), report.Gate{Kinds: kinds(report.Drift)}, 0},
		{"no kind at all, and a gap", broken("a"), report.Gate{Kinds: kinds()}, 3},
		{"exit zero", look("a"), report.Gate{ExitZero: true}, 0},
		{"exit zero and a gap", broken("a"), report.Gate{ExitZero: true}, 3},
		{"allow partial", broken("a"), report.Gate{AllowPartial: true}, 0},
		{"allow partial and a finding", look("a"), report.Gate{AllowPartial: true}, 1},
	} {
		p := plan(c.look)
		p.Gate, p.Settle = c.gate, 0
		if _, code := run(t, p); code != c.code {
			t.Errorf("%s: exit %d, want %d", c.name, code, c.code)
		}
	}
}

type panicking struct{ source }

func (panicking) Observe(context.Context, providers.Selection) providers.Observation {
	panic("index out of range")
}

func TestAProviderThatBreaksDownIsAGap(t *testing.T) {
	p := plan()
	p.Sources[0].Provider, p.Settle = panicking{}, 0
	if got, code := run(t, p); got != "unknown:a@web unknown:b@web" || code != 3 {
		t.Errorf("%q, exit %d", got, code)
	}
}

// stuck does not come back before it is told to.
type stuck struct {
	source
	release chan struct{}
}

func (s stuck) Observe(context.Context, providers.Selection) providers.Observation {
	<-s.release
	return look()
}

func TestInterruptedWhileASourceDoesNotComeBack(t *testing.T) {
	p := plan()
	s := stuck{release: make(chan struct{})}
	defer close(s.release)
	p.Sources[0].Provider = s
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Run(ctx, p); !errors.Is(err, ErrInterrupted) {
		t.Errorf("error %v", err)
	}
}

func TestSkippedSources(t *testing.T) {
	p := plan(look("a", "b"))
	p.Skipped = []Skipped{{Name: "far", Kind: "kubernetes", Reason: "it has no live side"}}
	p.Ledger.Roles = append(p.Ledger.Roles, specs.Role{Key: "c", Sources: []string{"far"}})
	for require, want := range map[bool]int{false: 0, true: 3} {
		p.Gate.RequireAllSources = require
		r, _, err := Run(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]report.State{}
		for _, role := range r.Roles {
			got[role.Role] = role.State
		}
		if diff := cmp.Diff(map[string]report.State{"a": "ok", "b": "ok", "c": "out-of-scope"}, got); diff != "" || r.ExitCode != want {
			t.Errorf("require %v: exit %d, %s", require, r.ExitCode, diff)
		}
	}
}

func TestRolesThatCannotBeTranslatedAreAllSaid(t *testing.T) {
	p := plan(look())
	p.Sources[0].Provider = &providertest.Looks{List: []providers.Observation{look()}}
	_, _, err := Run(context.Background(), p)
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want two lines: %v", err)
	}
}

func TestALookThatComesToNoEndIsAGap(t *testing.T) {
	p := plan()
	s := stuck{release: make(chan struct{})}
	defer close(s.release)
	p.Sources[0].Provider, p.Timeout = s, time.Millisecond
	if got, code := run(t, p); got != "unknown:a@web unknown:b@web" || code != 3 {
		t.Errorf("%q, exit %d", got, code)
	}
}
