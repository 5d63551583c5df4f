package github

import (
	"context"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
)

// GitHub takes a workflow without a job that can run as little as one that is
// no YAML.
func TestJobsAreNeeded(t *testing.T) {
	const on = "on:\n  schedule:\n    - cron: 0 5 * * *\n"
	for _, tt := range []struct{ name, jobs, want string }{
		{"none", "", "w.yml: it has no jobs"},
		{"nothing behind the key", "jobs:\n", "w.yml: line 4: jobs holds no job"},
		{"an empty map", "jobs: {}\n", "w.yml: line 4: jobs holds no job"},
		{"a list", "jobs: [a]\n", "w.yml: line 4: jobs holds no job"},
		{"an empty job", "jobs:\n  a: {}\n", `w.yml: line 5: the job "a" has neither runs-on nor uses`},
		{"a job of nothing", "jobs:\n  a:\n", `line 5: the job "a"`},
		{"steps alone", "jobs:\n  a:\n    steps: [{run: x}]\n", `line 5: the job "a"`},
		{"a runner of nothing", "jobs:\n  a:\n    runs-on:\n    steps: [{run: x}]\n", `line 5: the job "a"`},
		{"the second of two", "jobs:\n  a: {runs-on: x}\n  b: {needs: a}\n", `line 6: the job "b"`},
		{"a runner", "jobs: {a: {runs-on: x, steps: [{run: x}]}}\n", ""},
		{"runners", "jobs: {a: {runs-on: [x, y]}}\n", ""},
		{"a group of runners", "jobs: {a: {runs-on: {group: x}}}\n", ""},
		{"a called workflow", "jobs: {a: {uses: ./.github/workflows/b.yml}}\n", ""},
		{"aliases", "jobs: {a: &a {runs-on: &r x}, b: *a, c: {runs-on: *r}}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := readWorkflow([]byte(on+tt.jobs), "w.yml")
			if err != nil {
				t.Fatal(err)
			}
			os := w.objects(here)
			if len(os) != 1 {
				t.Fatalf("%+v", os)
			}
			switch off := os[0].Inactive; {
			case tt.want == "" && len(off) > 0:
				t.Errorf("%+v", off)
			case tt.want != "" && (len(off) != 1 || off[0].Code != "file-not-loaded" || !strings.Contains(off[0].Detail, tt.want) || off[0].Next == ""):
				t.Errorf("%+v, want %q", off, tt.want)
			}
		})
	}
}

func TestJobsAreNeededLive(t *testing.T) {
	const file = ".github/workflows/a.yml"
	f := newFake(t, &fakeRepo{name: "acme/shop", files: map[string]string{"a.yml": "on: {schedule: [{cron: 0 5 * * *}]}\n"}, workflows: []fakeWorkflow{{1, file, "active"}}})
	p, err := New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/shop"}})
	if err != nil {
		t.Fatal(err)
	}
	o := p.Observe(context.Background(), providers.Selection{})
	if len(o.Objects) != 1 || len(o.Gaps()) > 0 || len(o.Objects[0].Inactive) != 1 || o.Objects[0].Inactive[0].Code != "file-not-loaded" {
		t.Errorf("%+v", o)
	}
}
