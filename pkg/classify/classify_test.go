package classify

import (
	"fmt"
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

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func schedule(t *testing.T, text string) specs.Schedule {
	t.Helper()
	s, err := specs.ParseSchedule(specs.Debian, text, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func spec(t *testing.T, text, command string) specs.Spec {
	t.Helper()
	return specs.Spec{
		Schedules: []specs.Schedule{schedule(t, text)},
		Body:      specs.Pack(specs.NewMap(specs.Member{Key: "command", Value: specs.NewText(command)})),
	}
}

// world is a small one to change: role a at home in one, with its object.
type world struct {
	t     *testing.T
	roles []specs.Role
	obs   []providers.Observation
	want  map[specs.Ref]specs.Desired
	rules map[string]Rule
	extra []ledger.Waiver

	shared []specs.Ignore
	// testimony is what witnesses say of a@one; nil if nobody was asked.
	testimony *providers.Evidence
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, want: map[specs.Ref]specs.Desired{}, rules: map[string]Rule{"one": {}, "two": {}}}
	w.obs = []providers.Observation{
		{Source: "one", Provider: "crontab", Areas: []providers.Area{{Part: "file/one", State: providers.Read}}},
		{Source: "two", Provider: "crontab", Areas: []providers.Area{{Part: "file/two", State: providers.Read}}},
	}
	w.role("a", "one")
	w.role("z", "two")
	w.object("two", "z", "0 1 * * *", "z")
	return w
}

func (w *world) role(key string, sources ...string) *specs.Role {
	w.roles = append(w.roles, specs.Role{Key: key, Sources: sources, Version: "2", Owner: "team"})
	for _, s := range sources {
		ref := specs.Ref{Role: key, Source: s}
		w.want[ref] = specs.Desired{Ref: ref, Spec: spec(w.t, "0 1 * * *", key), Stated: []string{"command"}}
	}
	return &w.roles[len(w.roles)-1]
}

// ignore gives a role rules, as an audit puts them in the terms of a source.
func (w *world) ignore(role, source string, rules ...specs.Ignore) {
	ref := specs.Ref{Role: role, Source: source}
	d := w.want[ref]
	for i, ig := range rules {
		ig.Pos = specs.Pos{File: "l", Line: 100 + i}
		path, err := specs.ParsePath(ig.Field)
		if ig.Field != "" && err != nil {
			w.t.Fatal(err)
		}
		if ig.Pointer != "" {
			path, _ = specs.ParsePointer(ig.Pointer)
		}
		d.Ignore = append(d.Ignore, specs.Rule{Ignore: ig, Path: path, Atomic: []string{"args"}})
		if ig.Source != "" {
			w.shared = append(w.shared, ig)
			continue
		}
		for k := range w.roles {
			if w.roles[k].Key == role {
				w.roles[k].Ignore = append(w.roles[k].Ignore, ig)
			}
		}
	}
	w.want[ref] = d
}

// object adds one that carries a marker, or none for an empty role.
func (w *world) object(source, role, when, command string) *providers.Object {
	for i := range w.obs {
		if w.obs[i].Source != source {
			continue
		}
		n := len(w.obs[i].Objects)
		w.obs[i].Objects = append(w.obs[i].Objects, providers.Object{
			ID: fmt.Sprintf("crontab:%s/f#%s%d", source, role, n), Origin: &providers.Origin{Source: source, Provider: "crontab", Part: "file/" + source},
			Pos: specs.Pos{File: "f", Line: n + 1}, Marked: &providers.Marker{Role: role}, Attrs: providers.AttrsOf(map[string]string{"command": command}),
			Spec: spec(w.t, when, command),
		})
		return &w.obs[i].Objects[n]
	}
	w.t.Fatal("no source " + source)
	return nil
}

func (w *world) judge() Judgement {
	seen := providers.World{Observations: w.obs}
	if w.testimony != nil {
		seen.Testimony = map[specs.Ref]providers.Evidence{{Role: "a", Source: "one"}: *w.testimony}
	}
	return Judge(Input{
		Ledger: ledger.Ledger{Roles: w.roles, Ignore: w.shared, Waivers: w.extra}, Desired: w.want, World: seen,
		Rules: w.rules, Now: noon, Mask: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
	})
}

// said is the judgement in lines: states of roles that are not ok, findings,
// notes.
func said(j Judgement) []string {
	out := []string{}
	for _, r := range j.Roles {
		if r.State != report.OK {
			out = append(out, fmt.Sprintf("%s@%s %s", r.Role, r.Source, r.State))
		}
	}
	for _, f := range j.Findings {
		line := f.ID + " " + f.Reason
		for _, d := range f.Fields {
			line += " " + d.Path
		}
		if f.Waived() {
			line += " waived"
		}
		for _, h := range f.Hints {
			if strings.Contains(h, "moved") {
				line += " moved"
				break
			}
		}
		out = append(out, line)
	}
	for _, n := range j.Notes {
		out = append(out, "note "+n.Code)
	}
	slices.Sort(out)
	return out
}

func TestTruthTable(t *testing.T) {
	for _, c := range []struct {
		name  string
		world func(w *world)
		want  []string
	}{
		{"one active object", func(w *world) { w.object("one", "a", "0 1 * * *", "a") }, nil},
		{"other text, same times", func(w *world) { w.object("one", "a", "00 1 * * 0-7", "a") }, nil},
		{"nothing, all read", func(w *world) {}, []string{"a@one missing", "missing:a@one not-there"}},
		{"nothing, a part not read", func(w *world) {
			w.obs[0].Areas = append(w.obs[0].Areas, providers.Area{Part: "file/x", State: providers.Denied, Reason: "no"})
		}, []string{"a@one unknown", "unknown:a@one not-read"}},
		{"nothing, no area at all", func(w *world) { w.obs[0].Areas = nil }, []string{"a@one unknown", "unknown:a@one not-read"}},
		{"found though a part was not read", func(w *world) {
			w.obs[0].Areas = append(w.obs[0].Areas, providers.Area{Part: "file/x", State: providers.Failed})
			w.object("one", "a", "0 1 * * *", "a")
		}, nil},
		{"source not looked at", func(w *world) { delete(w.rules, "one"); w.obs = w.obs[1:] }, []string{"a@one out-of-scope"}},
		{"other schedule", func(w *world) { w.object("one", "a", "0 2 * * *", "a") },
			[]string{"a@one drift", "drift:a@one edited-without-version schedule"}},
		{"other command", func(w *world) { w.object("one", "a", "0 1 * * *", "b") },
			[]string{"a@one drift", "drift:a@one edited-without-version command"}},
		{"older version", func(w *world) { w.object("one", "a", "0 1 * * *", "a").Marked.Version = "1" },
			[]string{"a@one drift", "drift:a@one behind version"}},
		{"newer version and other schedule", func(w *world) { w.object("one", "a", "0 2 * * *", "a").Marked.Version = "10" },
			[]string{"a@one drift", "drift:a@one ahead version schedule"}},
		{"old marker", func(w *world) {
			w.roles[0].PreviousRoles = []string{"old"}
			w.object("one", "old", "0 1 * * *", "a")
		}, []string{"a@one drift", "drift:a@one renamed role"}},
		{"twice", func(w *world) { w.object("one", "a", "0 1 * * *", "a"); w.object("one", "a", "0 1 * * *", "a") },
			[]string{"a@one duplicate", "duplicate:a@one several-objects"}},
		{"twice, one asleep and different", func(w *world) {
			w.object("one", "a", "0 1 * * *", "a")
			w.object("one", "a", "0 2 * * *", "a").Extra().Inactive = []providers.Inactive{{Code: "commented-out"}}
		}, []string{"a@one duplicate", "drift:a@one edited-without-version schedule", "duplicate:a@one several-objects", "inactive:a@one commented-out"}},
		{"a copy elsewhere is not compared", func(w *world) { w.object("one", "a", "0 1 * * *", "a"); w.object("two", "a", "9 9 * * *", "other") },
			[]string{"a@one duplicate", "duplicate:a@one also-elsewhere"}},
		{"only elsewhere, by marker", func(w *world) { w.object("two", "a", "9 9 * * *", "other") },
			[]string{"a@one missing", "missing:a@one not-there moved", "unexpected:crontab:two/f#a1 role-of-another-source moved"}},
		{"only elsewhere, by doing the same", func(w *world) { w.object("two", "", "0 1 * * *", "a") },
			[]string{"a@one missing", "missing:a@one not-there moved", "unexpected:crontab:two/f#1 no-role moved"}},
		{"only in a source without a role, by doing the same", func(w *world) {
			w.rules["three"] = Rule{}
			w.obs = append(w.obs, providers.Observation{Source: "three", Provider: "crontab", Areas: []providers.Area{{Part: "file/three", State: providers.Read}}})
			w.object("three", "", "0 1 * * *", "a")
			w.object("three", "", "0 1 * * *", "other")
		}, []string{"a@one missing", "missing:a@one not-there moved", "note ignored-objects"}},
		{"asleep", func(w *world) {
			w.object("one", "a", "0 1 * * *", "a").Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
		},
			[]string{"a@one inactive", "inactive:a@one suspended"}},
		{"asleep and of unreadable text", func(w *world) {
			o := w.object("one", "a", "5 5 * * *", "x")
			o.Opaque, o.Extra().Inactive = true, []providers.Inactive{{Code: "invalid-line"}}
		}, []string{"a@one inactive", "inactive:a@one invalid-line"}},
		{"to be suspended, and of unreadable text", func(w *world) {
			w.roles[0].Suspended = true
			o := w.object("one", "a", "5 5 * * *", "x")
			o.Opaque, o.Extra().Inactive = true, []providers.Inactive{{Code: "invalid-line", Detail: "bad minute"}}
		}, []string{"a@one drift", "drift:a@one edited-without-version schedule"}},
		{"never fires", func(w *world) {
			w.want[specs.Ref{Role: "a", Source: "one"}] = specs.Desired{Spec: spec(t, "0 0 31 2 *", "a"), Stated: []string{"command"}}
			w.object("one", "a", "0 0 31 2 *", "a")
		}, []string{"a@one inactive", "inactive:a@one never-fires"}},
		{"never fires, as wanted", func(w *world) {
			w.want[specs.Ref{Role: "a", Source: "one"}] = specs.Desired{Spec: specs.Spec{Schedules: []specs.Schedule{specs.Never()}}, Stated: []string{}, Never: true}
			w.object("one", "a", "0 0 31 2 *", "a")
		}, nil},
		{"fires, though never is wanted", func(w *world) {
			w.want[specs.Ref{Role: "a", Source: "one"}] = specs.Desired{Spec: specs.Spec{Schedules: []specs.Schedule{specs.Never()}}, Stated: []string{}, Never: true}
			w.object("one", "a", "0 0 1 2 *", "a")
		}, []string{"a@one drift", "drift:a@one edited-without-version schedule"}},
		{"to be suspended, active", func(w *world) { w.roles[0].Suspended = true; w.object("one", "a", "0 1 * * *", "a") },
			[]string{"a@one drift", "drift:a@one active-though-suspended state"}},
		{"to be suspended, asleep", func(w *world) {
			w.roles[0].Suspended = true
			w.object("one", "a", "0 1 * * *", "a").Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
		}, nil},
		{"paused, active", func(w *world) {
			w.roles[0].PausedUntil = noon.Add(1)
			w.object("one", "a", "0 1 * * *", "a")
		}, []string{"a@one drift", "drift:a@one active-though-suspended state"}},
		{"pause just over, asleep", func(w *world) {
			w.roles[0].PausedUntil = noon
			w.object("one", "a", "0 1 * * *", "a").Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
		}, []string{"a@one inactive", "inactive:a@one suspended"}},
		{"unreviewed beside drift", func(w *world) { w.roles[0].Pending = true; w.object("one", "a", "0 2 * * *", "a") },
			[]string{"a@one drift", "drift:a@one edited-without-version schedule", "unreviewed:a@one review-pending"}},
		{"stranger", func(w *world) { w.object("one", "a", "0 1 * * *", "a"); w.object("one", "", "5 5 * * *", "x") },
			[]string{"unexpected:crontab:one/f#1 no-role"}},
		{"stranger, left out by the source", func(w *world) {
			w.rules["one"] = Rule{IgnoreUnexpected: true}
			w.object("one", "a", "0 1 * * *", "a")
			w.object("one", "", "5 5 * * *", "x")
			w.object("one", "lost", "5 5 * * *", "x")
		}, []string{"note ignored-objects", "unexpected:crontab:one/f#lost2 unknown-role"}},
		{"stranger of the distribution", func(w *world) {
			w.object("one", "a", "0 1 * * *", "a")
			w.object("one", "", "5 5 * * *", "x").SetAttr("builtin", "true")
		}, []string{"note ignored-objects"}},
		{"stranger where the ledger has no role", func(w *world) {
			w.object("one", "a", "0 1 * * *", "a")
			w.rules["three"] = Rule{}
			w.obs = append(w.obs, providers.Observation{Source: "three", Areas: []providers.Area{{Part: "p", State: providers.Read}}})
			w.object("three", "lost", "5 5 * * *", "x")
		}, []string{"note ignored-objects"}},
		{"match", func(w *world) {
			w.roles[0].Match = specs.Match{Keys: map[string]string{"command": "a*"}}
			w.object("one", "", "0 1 * * *", "a")
		}, nil},
		{"match on what a saved listing hides, exactly", func(w *world) {
			w.roles[0].Match = specs.Match{Keys: map[string]string{"command": "a -pSECRET"}}
			o := w.object("one", "", "0 1 * * *", "a")
			o.SetAttr("command", "a -p***")
			o.Extra().Sealed = map[string]string{"command": specs.Seal("a -pSECRET")}
		}, nil},
		{"match on what a saved listing hides, by a glob", func(w *world) {
			w.roles[0].Match = specs.Match{Keys: map[string]string{"command": "a *"}}
			o := w.object("one", "", "0 1 * * *", "a")
			o.SetAttr("command", "a -p***")
			o.Extra().Sealed = map[string]string{"command": specs.Seal("a -pSECRET")}
		}, []string{"a@one unknown", "unknown:a@one not-read"}},
		{"match on what a saved listing hides, by a glob, and the pinned hash fits", func(w *world) {
			w.roles[0].Match = specs.Match{Keys: map[string]string{"command": "a *"}}
			o := w.object("one", "", "0 1 * * *", "a")
			o.SetAttr("command", "a -p***")
			o.Extra().Sealed = map[string]string{"command": specs.Seal("a -pSECRET")}
			w.want[specs.Ref{Role: "a", Source: "one"}] = specs.Desired{Pinned: o.Spec.Hash()}
		}, nil},
		{"a marker beats a match", func(w *world) {
			w.roles[0].Match = specs.Match{Keys: map[string]string{"command": "a*"}}
			w.object("one", "other", "0 1 * * *", "a")
		}, []string{"a@one missing", "missing:a@one not-there", "unexpected:crontab:one/f#other0 unknown-role"}},
		{"two matches", func(w *world) {
			w.roles[0].Match = specs.Match{Keys: map[string]string{"command": "a*"}}
			w.role("b", "one").Match = specs.Match{Keys: map[string]string{"command": "*"}}
			w.object("one", "", "0 1 * * *", "a")
		}, []string{"a@one ambiguous", "ambiguous:a@one several-roles", "ambiguous:b@one several-roles", "b@one ambiguous"}},
		{"waived", func(w *world) {
			w.extra = []ledger.Waiver{{Finding: "drift:a@one", Reason: "r", Until: noon.Add(1), UntilText: "u"}}
			w.object("one", "a", "0 2 * * *", "a")
		}, []string{"a@one drift", "drift:a@one edited-without-version schedule waived"}},
		{"waiver over", func(w *world) {
			w.extra = []ledger.Waiver{{Finding: "drift:a@one", Reason: "r", Until: noon, UntilText: "u"}}
			w.object("one", "a", "0 2 * * *", "a")
		}, []string{"a@one drift", "drift:a@one edited-without-version schedule"}},
		{"waiver of nothing", func(w *world) {
			w.extra = []ledger.Waiver{{Finding: "drift:a@one", Reason: "r", Until: noon.Add(1)}, {Finding: "unexpected:crontab:one/f#x", Until: noon.Add(1)}}
			w.object("one", "a", "0 1 * * *", "a")
		}, []string{"note unused-waiver", "note unused-waiver"}},
		{"waiver of a role that could not be seen", func(w *world) {
			w.extra = []ledger.Waiver{{Finding: "drift:a@one", Reason: "r", Until: noon.Add(1)}}
			w.obs[0].Areas[0].State = providers.Failed
		}, []string{"a@one unknown", "unknown:a@one not-read"}},
		{"waiver of a source not looked at", func(w *world) {
			w.extra = []ledger.Waiver{{Finding: "drift:a@one", Reason: "r", Until: noon.Add(1)}}
			delete(w.rules, "one")
			w.obs = w.obs[1:]
		}, []string{"a@one out-of-scope"}},
		{"remembered object is gone", func(w *world) {
			w.roles[0].Remembered.UID = "u1"
			w.object("one", "a", "0 1 * * *", "a").Extra().UID = "u2"
		}, []string{"note stale-ref"}},
		{"a remembered object is no evidence", func(w *world) { w.roles[0].Remembered.UID = "u1" },
			[]string{"a@one missing", "missing:a@one not-there"}},
		{"a template that is the object's own file", func(w *world) {
			w.roles[0].Statement.Template = &specs.Document{Name: "./f"}
			w.object("one", "a", "0 1 * * *", "a")
		}, []string{"note self-template"}},
		{"live and empty", func(w *world) { w.rules["one"] = Rule{Live: true} },
			[]string{"a@one missing", "missing:a@one not-there", "note suspicious-empty"}},
		{"two sources, one lacks it", func(w *world) {
			w.role("b", "one", "two")
			w.object("one", "a", "0 1 * * *", "a")
			w.object("one", "b", "0 1 * * *", "b")
		}, []string{"b@two missing", "missing:b@two not-there"}},
		{"an ignored field", func(w *world) {
			w.ignore("a", "one", specs.Ignore{Field: "comm*", Reason: "r"})
			w.object("one", "a", "0 1 * * *", "b")
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.world(w)
			got := said(w.judge())
			if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if again := said(w.judge()); !slices.Equal(got, again) {
				t.Errorf("judged twice, differently: %v", again)
			}
		})
	}
}

func TestSecretsAreHiddenInFields(t *testing.T) {
	w := newWorld(t)
	o := w.object("one", "a", "0 1 * * *", "run --password=hunter2")
	o.Spec = o.Spec.With(specs.Member{Key: "env", Value: specs.NewMap(specs.Member{Key: "X", Value: specs.NewSecret("open sesame")})})
	ref := specs.Ref{Role: "a", Source: "one"}
	d := w.want[ref]
	d.Stated = nil
	w.want[ref] = d
	fields := w.judge().Findings[0].Fields
	want := []report.Field{
		{Object: o.ID, Path: "command", Desired: "a", Observed: "run --password=***", Masked: true},
		{Object: o.ID, Path: "env.X", Desired: "(not set)", Observed: "***", Masked: true},
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		path, want bool
	}{
		{"a", "a", false, true}, {"a*", "abc", false, true}, {"*c", "abc", false, true}, {"a*c*e", "abcde", false, true},
		{"a*c*e", "abcd", false, false}, {"?", "", false, false}, {"a?c", "abc", false, true}, {"*", "", false, true},
		{"cron.d/*", "cron.d/x", true, true}, {"cron.d/*", "cron.d/x/y", true, false}, {"*/x", "a/b/x", true, false},
		{"*/x", "a/b/x", false, true}, {"**", "abc", false, true}, {"a*", "b", false, false}, {"[a]", "[a]", false, true},
	} {
		if got := specs.Glob(c.pattern, c.s, c.path); got != c.want {
			t.Errorf("glob(%q, %q, %v) = %v", c.pattern, c.s, c.path, got)
		}
	}
}

func TestVersionsByValue(t *testing.T) {
	in := []string{"1.10", "10", "9", "1.9", "v2", "010", "2.0.0-rc1"}
	slices.SortFunc(in, compareVersions)
	if diff := cmp.Diff([]string{"1.9", "1.10", "v2", "2.0.0-rc1", "9", "010", "10"}, in); diff != "" {
		t.Error(diff)
	}
}

func TestEntriesAreSplitWhereOneIsMatched(t *testing.T) {
	w := newWorld(t)
	w.roles[0].Match = specs.Match{Keys: map[string]string{"cron": "0 1 * * *"}}
	w.want[specs.Ref{Role: "a", Source: "one"}] = specs.Desired{Spec: specs.Spec{Schedules: []specs.Schedule{schedule(t, "0 1 * * *")}}, Stated: []string{}}
	o := w.object("one", "", "0 1 * * *", "")
	o.Extra().Entries = []providers.Entry{{Text: "0 1 * * *", Schedule: schedule(t, "0 1 * * *")}, {Text: "0 2 * * *", Schedule: schedule(t, "0 2 * * *")}}
	o.Spec.Schedules = append(o.Spec.Schedules, schedule(t, "0 2 * * *"))
	want := []string{"unexpected:crontab:one/f#0#0 2 * * * no-role"}
	if diff := cmp.Diff(want, said(w.judge())); diff != "" {
		t.Error(diff)
	}
}

func TestAgreeKeepsWhatCameOrWentAsNotes(t *testing.T) {
	w := newWorld(t)
	gone := w.judge()
	w.object("one", "a", "0 1 * * *", "a")
	there := w.judge()
	if diff := cmp.Diff([]string{"note unsettled"}, said(Agree(gone, there))); diff != "" {
		t.Error("came: ", diff)
	}
	if diff := cmp.Diff([]string{"note unsettled"}, said(Agree(there, gone))); diff != "" {
		t.Error("went: ", diff)
	}
	if diff := cmp.Diff([]string{"a@one missing", "missing:a@one not-there"}, said(Agree(gone, gone))); diff != "" {
		t.Error("stayed: ", diff)
	}
}
