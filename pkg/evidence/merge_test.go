package evidence

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func trace(from string) providers.Trace {
	return providers.Trace{State: providers.Known, From: from}
}

func TestMerge(t *testing.T) {
	all := func(from string) *providers.Evidence {
		return &providers.Evidence{Executed: trace(from), Succeeded: trace(from), Progressed: trace(from)}
	}
	named := specs.EvidenceSource{Query: "q"}
	for _, c := range []struct {
		name                        string
		terms                       specs.EvidenceTerms
		native, recorded, testimony *providers.Evidence
		want                        string
	}{
		{"nobody", specs.EvidenceTerms{}, nil, nil, nil, "//"},
		{"the scheduler", specs.EvidenceTerms{}, all("n"), nil, nil, "n/n/n"},
		{"records beat it", specs.EvidenceTerms{}, all("n"), all("r"), nil, "r/r/r"},
		{"stage by stage", specs.EvidenceTerms{}, all("n"), &providers.Evidence{Executed: trace("r")}, &providers.Evidence{Progressed: trace("t")}, "r/n/t"},
		{"a witness that was not named says something", specs.EvidenceTerms{}, all("n"), all("r"), all("t"), "t/t/t"},
		{"named", specs.EvidenceTerms{Succeeded: named}, all("n"), nil, &providers.Evidence{Succeeded: trace("t")}, "n/t/n"},
		{"named, and nothing is said: no other place stands in", specs.EvidenceTerms{Succeeded: named}, all("n"), all("r"), nil, "r//r"},
		{"none", specs.EvidenceTerms{Executed: specs.EvidenceSource{None: true}}, all("n"), all("r"), all("t"), "/t/t"},
		{"native by name", specs.EvidenceTerms{Executed: specs.EvidenceSource{Pos: specs.Pos{Line: 1}}}, all("n"), nil, nil, "n/n/n"},
		{"unreadable stays", specs.EvidenceTerms{}, all("n"), &providers.Evidence{Executed: providers.Trace{State: providers.Unreadable, From: "r"}}, nil, "r/n/n"},
	} {
		e := Merge(c.terms, c.native, c.recorded, c.testimony)
		if got := e.Executed.From + "/" + e.Succeeded.From + "/" + e.Progressed.From; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestMergeJoinsTheRest(t *testing.T) {
	run := func(id, at_ string) providers.Running { return providers.Running{ID: id, Start: at(at_)} }
	native := &providers.Evidence{Since: at("2026-02-01"), Hints: []string{"a", "b"}, Running: []providers.Running{run("2", "2026-03-02")}, Failed: &providers.Failure{ID: "old", At: at("2026-01-01")}}
	recorded := &providers.Evidence{Since: at("2026-01-01"), Hints: []string{"b", "c"}, Running: []providers.Running{run("1", "2026-03-01"), run("2", "2026-03-02")}, Failed: &providers.Failure{ID: "new", At: at("2026-02-01")}}
	got := Merge(specs.EvidenceTerms{}, native, recorded, nil)
	want := providers.Evidence{Since: at("2026-02-01"), Hints: []string{"b", "c", "a"}, Running: []providers.Running{run("1", "2026-03-01"), run("2", "2026-03-02")}, Failed: recorded.Failed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(native.Running) != 1 || len(recorded.Hints) != 2 {
		t.Error("the input was changed")
	}
}

func TestJoin(t *testing.T) {
	early, late := at("2026-01-01"), at("2026-02-01")
	one := func(state providers.TraceState, last time.Time) *providers.Evidence {
		return &providers.Evidence{Since: last, Executed: providers.Trace{State: state, Last: last}}
	}
	for _, c := range []struct {
		name  string
		a, b  *providers.Evidence
		state providers.TraceState
		last  time.Time
	}{
		{"the later", one(providers.Known, early), one(providers.Known, late), providers.Known, late},
		{"nobody knows of one", one(providers.Known, early), one(providers.Untracked, late), providers.Known, early},
		{"one could not be read", one(providers.Known, late), one(providers.Unreadable, time.Time{}), providers.Unreadable, time.Time{}},
		{"a series beats none", one(providers.NoSeries, time.Time{}), one(providers.StaleSeries, early), providers.StaleSeries, early},
		{"what is known beats a series that ended", one(providers.StaleSeries, late), one(providers.Known, early), providers.Known, early},
	} {
		for _, pair := range [][2]*providers.Evidence{{c.a, c.b}, {c.b, c.a}} {
			got := Join(pair[0], nil, pair[1])
			if got.Executed.State != c.state || !got.Executed.Last.Equal(c.last) {
				t.Errorf("%s: %+v", c.name, got.Executed)
			}
		}
	}
	if got := Join(one(providers.Known, early), one(providers.Known, late)).Since; !got.Equal(early) {
		t.Errorf("since %s", got)
	}
	if Join() != nil || Join(nil, nil) != nil {
		t.Error("of nothing something was made")
	}
}
