package classify

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func ago(d time.Duration) providers.Trace {
	return providers.Trace{State: providers.Known, Last: noon.Add(-d), From: "hunter2 records"}
}

func ran(start, success time.Duration) *providers.Evidence {
	return &providers.Evidence{Executed: ago(start), Succeeded: ago(success)}
}

const hours = time.Hour

// utc gives role a and its objects a schedule at 01:00 UTC, so that the arithmetic
// is that of two instants and not of an unknown zone.
func utc(w *world) {
	s, err := specs.ParseSchedule(specs.Debian, "0 1 * * *", "UTC")
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range w.obs {
		for k := range w.obs[i].Objects {
			w.obs[i].Objects[k].Spec.Schedules = []specs.Schedule{s}
		}
	}
	for ref, d := range w.want {
		d.Spec.Schedules = []specs.Schedule{s}
		w.want[ref] = d
	}
}

func ladder(j Judgement, role string) string {
	for _, r := range j.Roles {
		if r.Role == role {
			return string(r.Stages.Registered + " " + r.Stages.Executed + " " + r.Stages.Succeeded + " " + r.Stages.Progressed)
		}
	}
	return ""
}

func TestStages(t *testing.T) {
	day := 24 * hours
	for _, c := range []struct {
		name   string
		change func(*world)
		stages string
		want   []string
	}{
		{"nobody knows", func(w *world) {}, "yes not-tracked not-tracked not-tracked", nil},
		{"the scheduler knows", func(w *world) { w.obs[0].Objects[0].Extra().Runs = ran(11*hours, 10*hours) }, "yes yes yes not-tracked", nil},
		{"stopped", func(w *world) { w.obs[0].Objects[0].Extra().Runs = ran(3*day, 3*day) }, "yes stale stale not-tracked",
			[]string{"a@one not-executed", "not-executed:a@one stopped"}},
		{"fails", func(w *world) { w.obs[0].Objects[0].Extra().Runs = ran(11*hours, 3*day) }, "yes yes stale not-tracked",
			[]string{"a@one not-succeeded", "not-succeeded:a@one stopped-succeeding"}},
		{"hung", func(w *world) {
			e := ran(11*hours, 10*hours)
			e.Running = []providers.Running{{ID: "j", Start: noon.Add(-11 * hours)}}
			w.obs[0].Objects[0].Extra().Runs = e
			m := 2 * hours
			w.roles[0].Evidence.MaxRuntime = &m
		}, "yes yes yes not-tracked", []string{"a@one hung", "hung:a@one past-max-runtime"}},
		{"run records beat the scheduler", func(w *world) {
			w.obs[0].Objects[0].Extra().Runs = ran(11*hours, 10*hours)
			w.obs[0].Runs = map[string]providers.Evidence{"a": *ran(3*day, 3*day)}
		}, "yes stale stale not-tracked", []string{"a@one not-executed", "not-executed:a@one stopped"}},
		{"records of an old name", func(w *world) {
			w.roles[0].PreviousRoles = []string{"old"}
			w.obs[0].Runs = map[string]providers.Evidence{"old": *ran(11*hours, 10*hours)}
		}, "yes yes yes not-tracked", nil},
		{"no records, and none are counted on", func(w *world) { w.obs[0].Runs = map[string]providers.Evidence{"z": {}} }, "yes not-tracked not-tracked not-tracked", nil},
		{"no records, and the ledger says how it is run", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"no records, and the ledger has evidence", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Evidence.Pos = specs.Pos{Line: 3}
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"no records, and the ledger has other evidence", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Evidence.Pos = specs.Pos{Line: 3}
			w.roles[0].Evidence.Succeeded = specs.EvidenceSource{Pos: specs.Pos{Line: 4}, File: "/x"}
		}, "yes not-tracked not-tracked not-tracked", nil},
		{"no records, and the command makes some", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.obs[0].Objects[0].SetAttr("command", "/usr/local/bin/rolecall run --role a -- backup")
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"no records, and the table was written since it was due last", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-hours)}}
		}, "yes not-due not-due not-tracked", []string{"note held-back"}},
		{"no records, and one instant has passed since the table was written", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-day)}}
		}, "yes late late not-tracked", []string{"note held-back"}},
		{"no records, the table was written just now, and the ledger counts from a fixed instant", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Since: noon.Add(-9 * day)}
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-hours)}}
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"no records, and the ledger counts from an instant to come", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Since: noon.Add(9 * day)}
		}, "yes not-due not-due not-tracked", []string{"note held-back"}},
		{"it runs, and the ledger counts from an instant to come", func(w *world) {
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Since: noon.Add(9 * day)}
			w.obs[0].Objects[0].Extra().Runs = ran(11*hours, 10*hours)
		}, "yes yes yes not-tracked", []string{"note held-back"}},
		{"suspended, and the ledger counts from an instant to come", func(w *world) {
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Since: noon.Add(9 * day)}
			w.roles[0].Suspended = true
			w.obs[0].Objects[0].Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
			w.obs[0].Objects[0].Extra().Runs = ran(11*hours, 10*hours)
		}, "yes not-due not-due not-tracked", nil},
		{"nothing is tracked, and the ledger counts from an instant to come", func(w *world) {
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Since: noon.Add(9 * day)}
		}, "yes not-tracked not-tracked not-tracked", nil},
		{"no records, the table was written just now, and the ledger remembers the object", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.roles[0].Remembered.Seen = noon.Add(-3 * day)
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-hours)}}
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"no records, and the ledger remembers the object as of later", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.roles[0].Remembered.Seen = noon.Add(-hours)
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-9 * day)}}
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"no records, and the table is of the future", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(9 * day)}}
		}, "yes unknown unknown not-tracked", []string{"a@one unknown", "unknown:a@one clock"}},
		{"no records, the table is of the future, and the ledger remembers the object", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.roles[0].Remembered.Seen = noon.Add(-3 * day)
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(9 * day)}}
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"no records, and nothing is due at set times", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-hours)}}
			reboot, _ := specs.ParseSchedule(specs.Debian, "@reboot", "")
			w.obs[0].Objects[0].Spec.Schedules = []specs.Schedule{reboot}
			ref := specs.Ref{Role: "a", Source: "one"}
			d := w.want[ref]
			d.Spec.Schedules = []specs.Schedule{reboot}
			w.want[ref] = d
		}, "yes not-due not-due not-tracked", nil},
		{"no records, and the table was written long ago", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-9 * day)}}
		}, "yes never never not-tracked", []string{"a@one not-executed", "not-executed:a@one never-ran"}},
		{"stopped, whenever the table was written", func(w *world) {
			w.obs[0].Runs = map[string]providers.Evidence{"a": *ran(3*day, 3*day)}
			w.obs[0].Objects[0].Extra().Changes = []providers.Change{{Evidence: "file", When: noon.Add(-hours)}}
		}, "yes stale stale not-tracked", []string{"a@one not-executed", "not-executed:a@one stopped"}},
		{"no place for records", func(w *world) { w.roles[0].Run.Pos = specs.Pos{Line: 3} }, "yes not-tracked not-tracked not-tracked", nil},
		{"live, the ledger says how it is run, and nobody was asked", func(w *world) {
			w.rules["one"] = Rule{Live: true}
			w.roles[0].Run.Pos = specs.Pos{Line: 3}
		}, "yes unknown unknown not-tracked", []string{"a@one unknown", "unknown:a@one evidence-not-read"}},
		{"live, the ledger says how long it may run, and nobody was asked", func(w *world) {
			w.rules["one"] = Rule{Live: true}
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, SucceedWithin: new(time.Duration)}
		}, "yes unknown unknown not-tracked", []string{"a@one unknown", "unknown:a@one evidence-not-read"}},
		{"live, the ledger wants no starts, and nobody was asked", func(w *world) {
			w.rules["one"] = Rule{Live: true}
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Executed: specs.EvidenceSource{Pos: specs.Pos{Line: 4}, None: true}}
		}, "yes not-tracked unknown not-tracked", []string{"a@one unknown", "unknown:a@one evidence-not-read"}},
		{"live, the ledger wants nothing tracked", func(w *world) {
			w.rules["one"] = Rule{Live: true}
			none := specs.EvidenceSource{Pos: specs.Pos{Line: 4}, None: true}
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Executed: none, Succeeded: none, Progressed: none}
		}, "yes not-tracked not-tracked not-tracked", nil},
		{"live, the ledger says nothing of runs, and nobody was asked", func(w *world) {
			w.rules["one"] = Rule{Live: true}
		}, "yes not-tracked not-tracked not-tracked", nil},
		{"live, records for all stages tell of no progress", func(w *world) {
			w.rules["one"] = Rule{Live: true}
			shared := specs.EvidenceSource{Pos: specs.Pos{Line: 4}, Runs: "r", Shared: true}
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Executed: shared, Succeeded: shared, Progressed: shared}
			w.testimony = ran(11*hours, 10*hours)
		}, "yes yes yes not-tracked", nil},
		{"live, records for progress tell of none", func(w *world) {
			w.rules["one"] = Rule{Live: true}
			of := specs.EvidenceSource{Pos: specs.Pos{Line: 4}, Runs: "r"}
			w.roles[0].Evidence = specs.EvidenceTerms{Pos: specs.Pos{Line: 3}, Executed: of, Succeeded: of, Progressed: of}
			w.testimony = ran(11*hours, 10*hours)
		}, "yes yes yes unknown", []string{"a@one unknown", "unknown:a@one evidence-not-read"}},
		{"suspended", func(w *world) {
			w.roles[0].Suspended = true
			w.obs[0].Objects[0].Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
			w.obs[0].Objects[0].Extra().Runs = ran(90*day, 90*day)
		}, "yes not-due not-due not-tracked", nil},
		{"inactive hides no more than itself", func(w *world) {
			w.obs[0].Objects[0].Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
			w.obs[0].Objects[0].Extra().Runs = ran(90*day, 90*day)
		}, "yes stale stale not-tracked", []string{"a@one inactive", "inactive:a@one suspended"}},
		{"two objects: the latest counts", func(w *world) {
			w.object("one", "a", "0 1 * * *", "a")
			utc(w)
			w.obs[0].Objects[0].Extra().Runs, w.obs[0].Objects[1].Extra().Runs = ran(3*day, 3*day), ran(11*hours, 10*hours)
		}, "yes yes yes not-tracked", []string{"a@one duplicate", "duplicate:a@one several-objects"}},
		{"two objects: the one that sleeps does not count", func(w *world) {
			w.object("one", "a", "0 1 * * *", "a")
			utc(w)
			w.obs[0].Objects[0].Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
			w.obs[0].Objects[0].Extra().Runs, w.obs[0].Objects[1].Extra().Runs = ran(11*hours, 10*hours), ran(3*day, 3*day)
		}, "yes stale stale not-tracked", []string{"a@one duplicate", "duplicate:a@one several-objects", "inactive:a@one suspended", "not-executed:a@one stopped"}},
		{"unreadable", func(w *world) {
			w.obs[0].Objects[0].Extra().Runs = &providers.Evidence{Executed: ago(hours), Succeeded: providers.Trace{State: providers.Unreadable, Reason: "502"}}
		}, "yes yes unknown not-tracked", []string{"a@one unknown", "unknown:a@one evidence-not-read"}},
		{"live, and a named witness says nothing", func(w *world) {
			w.rules["one"] = Rule{Live: true}
			w.obs[0].Objects[0].Extra().Runs = ran(11*hours, 10*hours)
			w.roles[0].Evidence.Succeeded = specs.EvidenceSource{Query: "q"}
		}, "yes yes unknown not-tracked", []string{"a@one unknown", "unknown:a@one evidence-not-read"}},
		{"offline nobody is asked", func(w *world) {
			w.roles[0].Evidence.Succeeded = specs.EvidenceSource{Query: "q"}
		}, "yes not-tracked not-tracked not-tracked", nil},
		{"waived", func(w *world) {
			w.obs[0].Objects[0].Extra().Runs = ran(3*day, 3*day)
			w.extra = []ledger.Waiver{{Finding: "not-executed:a@one", Until: noon.Add(day)}}
		}, "yes stale stale not-tracked", []string{"a@one not-executed", "not-executed:a@one stopped waived"}},
		{"a waiver of what this look cannot see", func(w *world) {
			w.extra = []ledger.Waiver{{Finding: "not-executed:a@one", Until: noon.Add(day)}}
		}, "yes not-tracked not-tracked not-tracked", nil},
		{"a waiver of what is well", func(w *world) {
			w.obs[0].Objects[0].Extra().Runs = ran(11*hours, 10*hours)
			w.extra = []ledger.Waiver{{Finding: "not-executed:a@one", Until: noon.Add(day)}}
		}, "yes yes yes not-tracked", []string{"note unused-waiver"}},
		{"a waiver of something else, beside unreadable evidence", func(w *world) {
			w.obs[0].Objects[0].Extra().Runs = &providers.Evidence{Executed: providers.Trace{State: providers.Unreadable}}
			w.extra = []ledger.Waiver{{Finding: "drift:a@one", Until: noon.Add(day)}}
		}, "yes unknown not-tracked not-tracked", []string{"a@one unknown", "note unused-waiver", "unknown:a@one evidence-not-read"}},
		{"missing", func(w *world) {
			w.obs[0].Objects = nil
			w.obs[0].Runs = map[string]providers.Evidence{"a": *ran(3*day, 3*day)}
		}, "no not-tracked not-tracked not-tracked", []string{"a@one missing", "missing:a@one not-there"}},
	} {
		w := newWorld(t)
		w.object("one", "a", "0 1 * * *", "a")
		utc(w)
		c.change(w)
		j := w.judge()
		if got := ladder(j, "a"); got != c.stages {
			t.Errorf("%s: %s, want %s", c.name, got, c.stages)
		}
		if diff := cmp.Diff(append([]string{}, c.want...), said(j)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestStagesFromWitnesses(t *testing.T) {
	w := newWorld(t)
	w.object("one", "a", "0 1 * * *", "a").Extra().Runs = ran(11*hours, 72*hours)
	utc(w)
	ref := specs.Ref{Role: "a", Source: "one"}
	in := Input{Ledger: ledger.Ledger{Roles: w.roles}, Desired: w.want, Rules: w.rules, Now: noon, Mask: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }}
	in.World = providers.World{Observations: w.obs, Testimony: map[specs.Ref]providers.Evidence{ref: {Succeeded: ago(10 * hours), Hints: []string{"hunter2"}}}}
	j := Judge(in)
	if got := ladder(j, "a"); got != "yes yes yes not-tracked" {
		t.Error(got)
	}
	if got := j.Roles[0].Seen; got.LastSuccess == nil || *got.LastSuccess != noon.Add(-10*hours).Unix() || !slices.Equal(got.From, []string{"*** records"}) {
		t.Errorf("%+v", got)
	}
	c, ok := Runs(in, ref)
	if !ok || c.Evidence.Succeeded.Last != noon.Add(-10*hours) || len(c.Schedules) != 1 {
		t.Errorf("%v %+v", ok, c)
	}
	if _, ok := Runs(in, specs.Ref{Role: "a", Source: "two"}); ok {
		t.Error("a case where the role is not registered")
	}
}

// TestFindingsOfRunsAreMasked: what evidence says is hostile and may hold secrets.
func TestFindingsOfRunsAreMasked(t *testing.T) {
	w := newWorld(t)
	e := ran(72*hours, 72*hours)
	e.Hints = []string{"hunter2"}
	e.Failed = &providers.Failure{Why: "exit 1: hunter2"}
	w.object("one", "a", "0 1 * * *", "a").Extra().Runs = e
	utc(w)
	for _, f := range w.judge().Findings {
		if strings.Contains(f.Message+strings.Join(f.Hints, " "), "hunter2") || f.NextStep == "" || len(f.Hints) != 2 {
			t.Errorf("%+v", f)
		}
	}
}

// TestWorkflowEntriesShareTheirRuns: GitHub does not say which entry a run is for,
// so that one that runs hourly must not pass for one that runs daily, nor make it
// late.
func TestWorkflowEntriesShareTheirRuns(t *testing.T) {
	w := newWorld(t)
	o := w.object("one", "a", "0 1 * * *", "a")
	utc(w)
	o.Origin = &providers.Origin{Source: o.Source(), Provider: "github", Part: o.Part()}
	o.Extra().Runs = ran(30*hours, 30*hours)
	o.Attrs = providers.AttrsOf(map[string]string{"repo": "acme/shop", "workflow": "w.yml", "command": "a"})
	other := *o
	other.ID, other.Marked = "github:one/acme/shop/w.yml#*/5 * * * *", &providers.Marker{Role: "b"}
	hourly, err := specs.ParseSchedule(specs.GitHub, "0 * * * *", "")
	if err != nil {
		t.Fatal(err)
	}
	other.Spec.Schedules = []specs.Schedule{hourly}
	w.obs[0].Objects = append(w.obs[0].Objects, other)
	j := w.judge()
	if got := ladder(j, "a"); got != "yes stale stale not-tracked" {
		t.Error(got)
	}
	i := slices.IndexFunc(j.Findings, func(f report.Finding) bool { return f.Kind == report.NotExecuted })
	if i < 0 || !strings.Contains(strings.Join(j.Findings[i].Hints, " "), "which of the 2 schedules") {
		t.Errorf("%+v", j.Findings)
	}
	w.obs[0].Objects[1].Extra().Inactive = []providers.Inactive{{Code: "commented-out"}}
	if got := ladder(w.judge(), "a"); got != "yes late late not-tracked" {
		t.Errorf("beside an entry that does not count: %s", got)
	}
}

func TestCallsRun(t *testing.T) {
	for command, want := range map[string]bool{
		"/usr/bin/rolecall run --role a -- x": true, "cd /x && rolecall run -- x": true, "sh -c 'rolecall run x'": true, "rolecall --state /s run -- x": true,
		"rolecall audit": false, "run rolecall": false, "rolecall audit -- run": false, "": false, "rolecallx run": false, "notrolecall run": true,
	} {
		if callsRun(command) != want {
			t.Errorf("%q: %v", command, !want)
		}
	}
}

// BenchmarkStages is 20,000 roles with evidence, of which one in a hundred stopped.
func BenchmarkStages(b *testing.B) {
	s, err := specs.ParseSchedule(specs.Kubernetes, "17 3 * * 1-5", "UTC")
	if err != nil {
		b.Fatal(err)
	}
	j := newJudge(Input{Mask: func(s string) string { return s }, Now: noon})
	j.out.Roles = []report.Role{{}}
	obs := providers.Observation{Source: "one"}
	j.sources["one"] = &obs
	var own [20000][]*object
	for i := range own {
		e := ran(9*hours, 8*hours)
		if i%100 == 0 {
			e = ran(300*hours, 300*hours)
		}
		own[i] = []*object{{Object: &providers.Object{Origin: &providers.Origin{Provider: "kubernetes"}, More: &providers.More{Runs: e}, Spec: specs.Spec{Schedules: []specs.Schedule{s}}}}}
	}
	for b.Loop() {
		for i := range own {
			j.stages(specs.Role{Key: "a"}, specs.Ref{Role: "a", Source: "one"}, own[i])
		}
		j.out.Findings = nil
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/20000, "µs/role")
}
