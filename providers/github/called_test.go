package github

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const (
	calling = "# rolecall: role=nightly\non: {schedule: [{cron: 0 5 * * *}]}\njobs: {a: {uses: ./.github/workflows/b.yml, with: {n: 1}}}\n"
	called  = "on: {workflow_call: {inputs: {n: {type: number, description: how many}}}}\njobs: {c: {runs-on: u, steps: [{name: X, run: make}]}}\n"
)

func repoWith(files ...string) map[string]string {
	out := map[string]string{".github/workflows/a.yml": calling}
	for i := 0; i+1 < len(files); i += 2 {
		out[".github/workflows/"+files[i]] = files[i+1]
	}
	return out
}

// one is the object of a checkout that has one.
func one(t *testing.T, files map[string]string) (providers.Object, providers.Observation) {
	t.Helper()
	o := look(t, CheckoutConfig{Source: "ci", Base: plant(t, files), Dir: ".", Repo: "acme/shop"})
	if len(o.Objects) != 1 {
		t.Fatalf("%+v", o)
	}
	return o.Objects[0], o
}

// A workflow of the same repository is part of what its caller does.
func TestCalled(t *testing.T) {
	base, _ := one(t, repoWith("b.yml", called))
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"the same", called, nil},
		{"what is cosmetic there", strings.Replace(strings.Replace(called, "name: X", "name: Y", 1), "how many", "x", 1), nil},
		{"another trigger beside it", strings.Replace(called, "on: {", "on: {workflow_dispatch: , ", 1), nil},
		{"a script", strings.Replace(called, "make", "make all", 1), []string{`called[".github/workflows/b.yml"].jobs.c.steps[0].run`}},
		{"an input", strings.Replace(called, "type: number", "type: number, default: 3", 1), []string{`called[".github/workflows/b.yml"].workflow_call.inputs.n.default`}},
		{"permissions", "permissions: {}\n" + called, []string{`called[".github/workflows/b.yml"].permissions`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, _ := one(t, repoWith("b.yml", tt.text))
			var paths []string
			for _, d := range specs.Diff(base.Spec, o.Spec) {
				paths = append(paths, d.Path)
			}
			if d := cmp.Diff(tt.want, paths); d != "" || (o.Spec.Hash() == base.Spec.Hash()) != (tt.want == nil) {
				t.Error(d)
			}
			if len(o.Inactive()) > 0 {
				t.Errorf("%+v", o.Inactive())
			}
		})
	}
}

func TestCalledNested(t *testing.T) {
	again := func(name string) string {
		return strings.Replace(called, "{runs-on: u, steps: [{name: X, run: make}]}", "{uses: $/.github/workflows/"+name+"}", 1)
	}
	o, _ := one(t, repoWith("b.yml", again("c.yml"), "c.yml", called))
	if v := o.Spec.Body.Get("called").Get(".github/workflows/c.yml").Get("jobs").Get("c").Get("steps"); len(v.Members) != 1 {
		t.Errorf("%s", o.Spec.Canonical())
	}
	o, _ = one(t, repoWith("b.yml", again("c.yml"), "c.yml", again("b.yml")))
	if len(o.Spec.Body.Get("called").Members) != 2 {
		t.Errorf("in a circle: %s", o.Spec.Canonical())
	}
}

// What GitHub refuses of a called workflow takes its caller along.
func TestCalledRefused(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"not there", "x.yml", called, "it calls .github/workflows/b.yml: it is not there"},
		{"not to be called", "b.yml", "on: push\njobs: {c: {runs-on: u, steps: [{run: x}]}}\n", "it has no trigger workflow_call"},
		{"refused", "b.yml", "on: workflow_call\njobs: {c: {runs-on: u, steps: []}}\n", `line 2: the job "c" has no steps`},
		{"no YAML", "b.yml", "on: [\n", "it calls .github/workflows/b.yml: line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, _ := one(t, repoWith(tt.file, tt.text))
			if len(o.Inactive()) != 1 || o.Inactive()[0].Code != "file-not-loaded" || !strings.Contains(o.Inactive()[0].Detail, tt.want) {
				t.Errorf("%+v", o.Inactive())
			}
		})
	}
}

// What cannot be read leaves a gap, and nothing to compare.
func TestCalledUnread(t *testing.T) {
	o, all := one(t, repoWith("b.yml/x", called))
	if !o.Opaque || len(o.Inactive()) > 0 || o.Marker().Role != "nightly" {
		t.Errorf("%+v", o)
	}
	if g := all.Gaps(); len(g) != 1 || g[0].Part != "file/.github/workflows/a.yml" || !strings.Contains(g[0].Reason, "b.yml, which it calls: not a regular file") {
		t.Errorf("%+v", g)
	}
}

// Live it costs no request, and comes to the same hash.
func TestCalledLive(t *testing.T) {
	m := &fakeRepo{name: "acme/shop", files: map[string]string{"a.yml": calling, "b.yml": called}, workflows: []fakeWorkflow{{1, ".github/workflows/a.yml", "active"}}}
	f := newFake(t, m)
	got := f.look(t, Config{Repos: []string{"acme/shop"}}, "")
	want := sorted([]string{"GET /repos/acme/shop", "GET /repos/acme/shop/actions/workflows?per_page=100", "GET /repos/acme/shop/contents/.github/workflows"},
		"GET /repos/acme/shop/git/blobs/"+blobName(calling), "GET /repos/acme/shop/git/blobs/"+blobName(called))
	if d := cmp.Diff(want, f.asked()); d != "" {
		t.Error(d)
	}
	offline, _ := one(t, repoWith("b.yml", called))
	if len(got.Objects) != 1 || got.Objects[0].Spec.Hash() != offline.Spec.Hash() || len(got.Objects[0].Inactive()) > 0 {
		t.Errorf("%+v", got.Objects)
	}
	m.files = map[string]string{"a.yml": calling}
	if got = f.look(t, Config{Repos: []string{"acme/shop"}}, ""); len(got.Objects[0].Inactive()) != 1 {
		t.Errorf("%+v", got.Objects)
	}
	f.asked()
	m.links = []string{"b.yml"}
	if got = f.look(t, Config{Repos: []string{"acme/shop"}}, ""); !got.Objects[0].Opaque || len(got.Gaps()) != 1 || len(got.Objects[0].Inactive()) > 0 {
		t.Errorf("%+v", got)
	}
}

// A template says what it says itself; what it calls is compared where the
// checkout of the one repository has it.
func TestCalledByTemplate(t *testing.T) {
	st := specs.Statement{Template: &specs.Document{Name: "roles/a.yml", Data: []byte(calling)}}
	base := plant(t, repoWith("b.yml", called))
	c, _ := NewCheckout(CheckoutConfig{Source: "ci", Base: base, Dir: "."})
	d, err := c.Translate(st)
	o := c.Observe(context.Background(), providers.Selection{Literals: true}).Objects[0]
	if err != nil || !d.Partial() || len(specs.Diff(d.Spec.Project(d.Stated), o.Spec.Project(d.Stated))) > 0 {
		t.Errorf("%v %+v", err, d)
	}
	if o.Literal() != nil {
		t.Errorf("a template would not say what is called: %s", o.Literal())
	}
	f := newFake(t)
	for _, repos := range [][]string{{"acme/shop"}, {"acme/shop", "acme/other"}} {
		p, err := New(f.client(t, "", ""), Config{Source: "ci", Repos: repos, TemplateDir: base})
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Translate(st)
		if whole := len(repos) == 1; err != nil || d.Partial() == whole || whole && d.Spec.Hash() != o.Spec.Hash() {
			t.Errorf("%v: %v %+v", repos, err, d)
		}
		d, err = p.Translate(specs.Statement{Schedule: []string{"0 5 * * *"}, Workflow: ".github/workflows/a.yml"})
		if err != nil || d.Spec.Body.Get("called").Empty() {
			t.Errorf("%v: %v %+v", repos, err, d)
		}
	}
}
