package classify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

type (
	m     map[string]any // a map
	keyed map[string]any // a list whose members have keys
	l     []any
)

func value(v any) specs.Value {
	members := func(in map[string]any) []specs.Member {
		var out []specs.Member
		for k, x := range in {
			out = append(out, specs.Member{Key: k, Value: value(x)})
		}
		return out
	}
	switch x := v.(type) {
	case m:
		return specs.NewMap(members(x)...)
	case keyed:
		return specs.NewKeyed(members(x)...)
	case l:
		var items []specs.Value
		for _, it := range x {
			items = append(items, value(it))
		}
		return specs.NewList(items...)
	}
	return specs.NewText(v.(string))
}

func fieldRule(path string) specs.Ignore { return specs.Ignore{Field: path, Reason: "r"} }

// TestSift holds the one engine to what each kind of rule takes out of account:
// what is more than desired, less, or changed.
func TestSift(t *testing.T) {
	pod := m{
		"containers": keyed{"main": m{"image": "a", "args": l{"x", "y"}}},
		"inits":      keyed{"one": m{"image": "1"}, "two": m{"image": "2", "after": "one"}},
		"labels":     m{"app": "shop"},
	}
	with := func(key string, v any) m {
		out := m{}
		for k, x := range pod {
			out[k] = x
		}
		out[key] = v
		return out
	}
	main := m{"image": "a", "args": l{"x", "y"}}
	sidecar := with("containers", keyed{"main": main, "mesh": m{"image": "mesh:1", "env": keyed{"A": m{"value": "b"}, "E": m{}}}})
	ownsSidecar := []string{"pod.containers[mesh].image", "pod.containers[mesh].name", "pod.containers[mesh].env[A].name", "pod.containers[mesh].env[A].value", "pod.containers[mesh].env[E].name"}
	chain := with("inits", keyed{"mesh": m{"image": "m"}, "one": m{"image": "1", "after": "mesh"}, "two": m{"image": "2", "after": "one"}})
	edited := with("containers", keyed{"main": m{"image": "z", "args": l{"x"}}})
	for _, c := range []struct {
		name     string
		observed m
		rule     specs.Ignore
		owned    map[string][]string
		kept     string
		out      string
	}{
		{"another field", sidecar, fieldRule("pod.labels"), nil, "pod.containers[mesh]", ""},
		{"a sidecar by field", sidecar, fieldRule("pod.containers[mesh]"), nil, "", "pod.containers[mesh]"},
		{"a sidecar by glob", sidecar, fieldRule("**.containers[me*]"), nil, "", "pod.containers[mesh]"},
		{"a sidecar by all of its list", sidecar, fieldRule("pod.containers"), nil, "", "pod.containers[mesh]"},
		{"part of a sidecar", sidecar, fieldRule("pod.containers[mesh].image"), nil, "pod.containers[mesh]", ""},
		{"a sidecar by pointer", sidecar, specs.Ignore{Pointer: "/pod/containers/mesh"}, nil, "", "pod.containers[mesh]"},
		{"a star in a pointer is a star", sidecar, specs.Ignore{Pointer: "/pod/containers/*"}, nil, "pod.containers[mesh]", ""},
		{"a sidecar by manager", sidecar, specs.Ignore{Manager: "mesh-webhook"}, map[string][]string{"mesh-webhook": ownsSidecar}, "", "pod.containers[mesh]"},
		{"a sidecar by managers", sidecar, specs.Ignore{Manager: "mesh-*"}, map[string][]string{"mesh-a": ownsSidecar[:2], "mesh-b": ownsSidecar[2:]}, "", "pod.containers[mesh]"},
		{"a sidecar of which another wrote a field", sidecar, specs.Ignore{Manager: "mesh-webhook"}, map[string][]string{"mesh-webhook": ownsSidecar[1:], "kubectl-edit": {"pod.containers[mesh].image"}}, "pod.containers[mesh]", ""},
		{"a sidecar of which nobody wrote a field", sidecar, specs.Ignore{Manager: "mesh-webhook"}, map[string][]string{"mesh-webhook": ownsSidecar[1:]}, "pod.containers[mesh]", ""},
		{"a sidecar by another manager", sidecar, specs.Ignore{Manager: "mesh"}, map[string][]string{"mesh-webhook": ownsSidecar}, "pod.containers[mesh]", ""},
		{"a sidecar where nobody says who", sidecar, specs.Ignore{Manager: "mesh-webhook"}, nil, "pod.containers[mesh]", ""},
		{"one first in an order", chain, fieldRule("pod.inits[mesh]"), nil, "", "pod.inits[mesh] pod.inits[one].after"},
		{"one first in an order, by manager", chain, specs.Ignore{Manager: "w"}, map[string][]string{"w": {"pod.inits[mesh].image"}}, "", "pod.inits[mesh] pod.inits[one].after"},
		{"one last in an order, by manager", with("inits", keyed{"one": m{"image": "1"}, "two": m{"image": "2", "after": "one"}, "mesh": m{"image": "m", "after": "two"}}), specs.Ignore{Manager: "w"}, map[string][]string{"w": {"pod.inits[mesh].image"}}, "", "pod.inits[mesh]"},
		{"the order among the others", with("inits", keyed{"mesh": m{"image": "m", "after": "two"}, "two": m{"image": "2"}, "one": m{"image": "1", "after": "mesh"}}), fieldRule("pod.inits[mesh]"), nil, "pod.inits[one].after pod.inits[two].after", "pod.inits[mesh]"},
		{"a member that went", with("inits", keyed{"two": m{"image": "2"}}), fieldRule("pod.inits[one]"), nil, "", "pod.inits[one] pod.inits[two].after"},
		{"a member that changed", with("inits", keyed{"one": m{"image": "9"}, "two": m{"image": "2", "after": "one"}}), fieldRule("pod.inits[one]"), nil, "", "pod.inits[one].image"},
		{"some of what changed", edited, fieldRule("pod.containers[*].image"), nil, "pod.containers[main].args[1]", "pod.containers[main].image"},
		{"a member of a plain list", edited, fieldRule("pod.containers[main].args[1]"), nil, "pod.containers[main].image", "pod.containers[main].args[1]"},
		{"what a manager changed", edited, specs.Ignore{Manager: "tuner"}, map[string][]string{"tuner": {"pod.containers[main].image"}, "k": {"pod.containers[main].args"}}, "pod.containers[main].args[1]", "pod.containers[main].image"},
		{"a list that a manager wrote as a whole", edited, specs.Ignore{Manager: "k"}, map[string][]string{"tuner": {"pod.containers[main].image"}, "k": {"pod.containers[main].args"}}, "pod.containers[main].image", "pod.containers[main].args[1]"},
		{"what two managers wrote", edited, specs.Ignore{Manager: "k"}, map[string][]string{"tuner": {"pod.containers[main].image"}, "k": {"pod.containers[main].image", "pod.containers[main].args"}}, "", "pod.containers[main].args[1] pod.containers[main].image"},
		{"what went is nobody's", with("labels", m{}), specs.Ignore{Manager: "k"}, map[string][]string{"k": {"pod.containers[main].image"}}, "pod.labels.app", ""},
		{"a map of which a manager wrote only that it is there", with("labels", m{"app": "shop", "x": "y"}), specs.Ignore{Manager: "k"}, map[string][]string{"k": {"pod.labels"}, "other": {"pod.labels.x"}}, "pod.labels.x", ""},
		{"what was put into a map that a manager wrote empty", with("labels", m{"app": "shop", "x": "y"}), specs.Ignore{Manager: "k"}, map[string][]string{"k": {"pod.labels"}}, "pod.labels.x", ""},
		{"a sidecar of which a manager wrote only that it is there", sidecar, specs.Ignore{Manager: "k"}, map[string][]string{"k": {"pod.containers[mesh]"}}, "pod.containers[mesh]", ""},
		{"a volume of which nothing is set", with("volumes", keyed{"v": m{"emptyDir": m{}}}), specs.Ignore{Manager: "k"}, map[string][]string{"k": {"pod.volumes[v].name", "pod.volumes[v].emptyDir"}}, "", "pod.volumes[v]"},
		{"more than a rule is for", with("labels", m{"app": "shop", "mesh": "on", "rogue": "yes"}), fieldRule("pod.labels.mesh"), nil, "pod.labels.rogue", "pod.labels.mesh"},
		{"a map that was empty", with("other", m{"x": "y"}), fieldRule("pod.other.x"), nil, "", "pod.other.x"},
		{"a list that was empty", with("other", keyed{"x": m{"y": "z"}}), fieldRule("pod.other[x]"), nil, "", "pod.other[x]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.ignore("a", "one", c.rule)
			d := w.want[specs.Ref{Role: "a", Source: "one"}]
			d.Spec.Body, d.Stated = specs.Pack(value(m{"pod": pod})), nil
			o := &object{Object: &providers.Object{Spec: specs.Spec{Schedules: d.Spec.Schedules, Body: specs.Pack(value(m{"pod": c.observed}))}}}
			for who, paths := range c.owned {
				o.Extra().Changes = append(o.Changes(), providers.Change{Who: who, Evidence: "managedFields", Paths: paths})
			}
			kept, out := sift(d, o)
			var left []specs.Difference
			for _, x := range out {
				left = append(left, x.Difference)
			}
			if got := pathsOf(kept); got != c.kept {
				t.Errorf("counts: %s, want %s", got, c.kept)
			}
			if got := pathsOf(left); got != c.out {
				t.Errorf("is ignored: %s, want %s", got, c.out)
			}
			if all := pathsOf(specs.Diff(d.Spec, o.Spec)); all != pathsOf(append(left, kept...)) {
				t.Errorf("of %s a part is lost", all)
			}
			if Same(d, *o.Object) != (c.kept == "") {
				t.Error("Same says otherwise")
			}
		})
	}
}

func pathsOf(diffs []specs.Difference) string {
	var out []string
	for _, d := range diffs {
		out = append(out, d.Path)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// What always counts counts, whatever the rules say.
func TestRulesLeaveStateRoleVersionAndHashAlone(t *testing.T) {
	everything := []specs.Ignore{fieldRule("*"), fieldRule("**"), fieldRule("state"), fieldRule("role"), fieldRule("version"), fieldRule("hash")}
	w := newWorld(t)
	w.ignore("a", "one", everything...)
	w.roles[0].Suspended, w.roles[0].PreviousRoles = true, []string{"old"}
	w.object("one", "old", "9 9 * * *", "b").Marked.Version = "1"
	if diff := cmp.Diff([]string{"a@one drift", "drift:a@one renamed state role version", "note unused-ignore", "note unused-ignore", "note unused-ignore", "note unused-ignore"}, said(w.judge())); diff != "" {
		t.Error(diff)
	}
	pinned := newWorld(t)
	pinned.ignore("a", "one", everything...)
	ref := specs.Ref{Role: "a", Source: "one"}
	d := pinned.want[ref]
	d.Pinned, d.Stated = d.Spec.Hash(), nil
	pinned.want[ref] = d
	pinned.object("one", "a", "9 9 * * *", "b")
	if diff := cmp.Diff([]string{"a@one drift", "drift:a@one edited-without-version hash"}, said(pinned.judge())); diff != "" {
		t.Error(diff)
	}
}

// A place that a template states counts like a field, also beside a rule that takes
// members of lists away.
func TestPlaceIsCompared(t *testing.T) {
	body := func(v any) specs.Spec { return specs.Spec{Body: specs.Pack(value(v))} }
	pod := m{"containers": keyed{"main": m{"image": "a"}, "mesh": m{"image": "b"}}}
	o := &object{Object: &providers.Object{Spec: body(pod), Attrs: providers.AttrsOf(map[string]string{"namespace": "staging", "name": "x"})}}
	mesh, err := specs.ParsePath("containers[mesh]")
	if err != nil {
		t.Fatal(err)
	}
	rule := func(i specs.Ignore, p specs.Path) specs.Rule { return specs.Rule{Ignore: i, Path: p} }
	open := &object{Object: &providers.Object{Spec: body(pod), Attrs: providers.AttrsOf(map[string]string{"namespace": "default", "unstated": "namespace"})}}
	if kept, _ := sift(specs.Desired{Spec: body(pod), Attrs: map[string]string{"namespace": "prod"}}, open); len(kept) > 0 {
		t.Errorf("a manifest that leaves the namespace open: %v", kept)
	}
	for _, c := range []struct {
		name   string
		want   map[string]string
		rules  []specs.Rule
		spec   specs.Spec
		pinned bool
		kept   string
	}{
		{"as stated", map[string]string{"namespace": "staging"}, nil, body(pod), false, ""},
		{"none stated", nil, nil, body(pod), false, ""},
		{"another", map[string]string{"namespace": "prod"}, nil, body(pod), false, "namespace"},
		{"another, beside a rule", map[string]string{"namespace": "prod"}, []specs.Rule{rule(fieldRule("containers[mesh]"), mesh)}, body(m{"containers": keyed{"main": m{"image": "a"}}}), false, "namespace"},
		{"another, by a rule", map[string]string{"namespace": "prod"}, []specs.Rule{rule(fieldRule("namespace"), specs.Path{"namespace"})}, body(pod), false, ""},
	} {
		kept, _ := sift(specs.Desired{Spec: c.spec, Attrs: c.want, Ignore: c.rules}, o)
		var got []string
		for _, d := range kept {
			got = append(got, d.Path)
		}
		if strings.Join(got, " ") != c.kept {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestUnusedRules(t *testing.T) {
	rule := fieldRule("command")
	shared := rule
	shared.Source = "one"
	everywhere := rule
	everywhere.Source = "*"
	const note = "note unused-ignore"
	for _, c := range []struct {
		name  string
		world func(w *world)
		want  []string
	}{
		{"used", func(w *world) { w.ignore("a", "one", rule); w.object("one", "a", "0 1 * * *", "b") }, nil},
		{"unused", func(w *world) { w.ignore("a", "one", rule); w.object("one", "a", "0 1 * * *", "a") }, []string{note}},
		{"two for one difference are both used", func(w *world) {
			w.ignore("a", "one", rule, fieldRule("comm*"))
			w.object("one", "a", "0 1 * * *", "b")
		}, nil},
		{"the role is missing", func(w *world) { w.ignore("a", "one", rule) }, []string{"a@one missing", "missing:a@one not-there"}},
		{"not all was read", func(w *world) {
			w.ignore("a", "one", rule)
			w.object("one", "a", "0 1 * * *", "a")
			w.obs[0].Areas = append(w.obs[0].Areas, providers.Area{Part: "file/two", State: providers.Denied})
		}, nil},
		{"the source is out of scope", func(w *world) { w.ignore("a", "one", rule); delete(w.rules, "one") }, []string{"a@one out-of-scope"}},
		{"one of two sources is", func(w *world) {
			w.ignore("a", "one", rule)
			w.roles[0].Sources = []string{"one", "three"}
			w.object("one", "a", "0 1 * * *", "a")
		}, []string{"a@three out-of-scope"}},
		{"the object could not be read", func(w *world) {
			w.ignore("a", "one", rule)
			o := w.object("one", "a", "0 1 * * *", "a")
			o.Opaque, o.Extra().Inactive = true, []providers.Inactive{{Code: "invalid-line"}}
		}, []string{"a@one inactive", "inactive:a@one invalid-line"}},
		{"a manager where nobody says who wrote what", func(w *world) {
			w.ignore("a", "one", specs.Ignore{Manager: "k"})
			w.object("one", "a", "0 1 * * *", "a")
		}, nil},
		{"a manager where it is known", func(w *world) {
			w.ignore("a", "one", specs.Ignore{Manager: "k"})
			w.object("one", "a", "0 1 * * *", "a").Extra().Changes = []providers.Change{{Who: "x", Evidence: "managedFields", Paths: []string{"schedule"}}}
		}, []string{note}},
		{"of a source, used for one role", func(w *world) {
			w.role("b", "one")
			w.ignore("a", "one", shared)
			w.object("one", "a", "0 1 * * *", "z")
			w.object("one", "b", "0 1 * * *", "b")
		}, nil},
		{"of a source, unused, and a role is missing", func(w *world) {
			w.role("b", "one")
			w.ignore("a", "one", shared)
			w.object("one", "a", "0 1 * * *", "a")
		}, []string{"b@one missing", "missing:b@one not-there", note}},
		{"of all sources, and one was not looked at", func(w *world) {
			w.role("b", "three")
			w.ignore("a", "one", everywhere)
			w.object("one", "a", "0 1 * * *", "a")
		}, []string{"b@three out-of-scope"}},
		{"of a source in which the ledger has no role", func(w *world) {
			w.object("one", "a", "0 1 * * *", "a")
			w.shared = []specs.Ignore{{Source: "four", Field: "command"}}
		}, []string{note}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.world(w)
			if diff := cmp.Diff(append([]string{}, c.want...), said(w.judge())); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// What is ignored is said, with its rule, and with secrets hidden.
func TestIgnoredIsSaid(t *testing.T) {
	w := newWorld(t)
	w.ignore("a", "one", specs.Ignore{Field: "command", Reason: "because of hunter2"})
	o := w.object("one", "a", "0 1 * * *", "run hunter2")
	j := w.judge()
	want := []report.Ignored{{
		Field: report.Field{Object: o.ID, Path: "command", Desired: "a", Observed: "run ***", Masked: true},
		Rule:  "field command", Reason: "because of ***", Location: specs.Pos{File: "l", Line: 100},
	}}
	if diff := cmp.Diff(want, j.Roles[0].Ignored); diff != "" || j.Roles[0].State != report.OK {
		t.Errorf("%s %s", j.Roles[0].State, diff)
	}
}

// A hint writes the rule with the path as it is printed, and that rule works.
func TestTheRuleOfAHintWorks(t *testing.T) {
	w := newWorld(t)
	ref := specs.Ref{Role: "a", Source: "one"}
	d := w.want[ref]
	d.Stated = nil
	w.want[ref] = d
	o := w.object("one", "a", "0 1 * * *", "a")
	o.Spec = o.Spec.With(specs.Member{Key: "notes", Value: value(m{"it's.here/a": "x"})})
	hints := w.judge().Findings[0].Hints
	want := `if it is added by design, say so in the role: ignore: [{field: 'notes["it''s.here/a"]', reason: WHY}]`
	if fmt.Sprint(hints) != "["+want+"]" {
		t.Fatalf("%q", hints)
	}
	w.ignore("a", "one", fieldRule(`notes["it's.here/a"]`))
	if got := said(w.judge()); len(got) > 0 {
		t.Errorf("with the rule: %q", got)
	}
}
