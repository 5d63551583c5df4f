package github

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/specs"
)

func ptr(s string) *string { return &s }

func TestTranslateInline(t *testing.T) {
	c, _ := NewCheckout(CheckoutConfig{Source: "ci", Dir: "."})
	d, err := c.Translate(specs.Statement{Schedule: []string{"0 5 * * *", "0 6 * * *"}, TimeZone: ptr("Europe/Oslo"), Workflow: ".github/workflows/a.yml"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Spec.Zones() != "Europe/Oslo" || d.Spec.Written() != "0 5 * * *; 0 6 * * *" || d.Never || !d.Partial() {
		t.Errorf("%+v", d)
	}
	if w := d.Spec.Body.Get("workflow"); w.Text != ".github/workflows/a.yml" || !cmp.Equal(d.Stated, []string{"workflow"}) {
		t.Errorf("%+v", d)
	}
}

func TestTranslateNever(t *testing.T) {
	d, err := translate(specs.Statement{Schedule: []string{"never"}}, nil, nil)
	if err != nil || !d.Never || !d.Spec.NeverFires() || d.Stated == nil {
		t.Errorf("%+v %v", d, err)
	}
}

// A template and the same workflow with markers and another name are one spec.
func TestTranslateTemplate(t *testing.T) {
	text := "name: T\non:\n  push:\n  schedule:\n    - cron: 0 5 * * *\njobs: {a: {runs-on: u, steps: [{run: make}]}}\n"
	d, err := translate(specs.Statement{Template: &specs.Document{Name: "roles/n.yml", Data: []byte(text)}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := specs.Diff(d.Spec, specOf(t, nightly)); len(diff) > 0 || d.Partial() {
		t.Errorf("%v", diff)
	}
}

// Live, the workflow that a statement names is its template.
func TestTranslateNamedWorkflow(t *testing.T) {
	file := func(string) ([]byte, error) { return []byte(nightly), nil }
	d, err := translate(specs.Statement{Schedule: []string{"0 5 * * *"}, Workflow: ".github/workflows/n.yml"}, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	observed := specOf(t, strings.Replace(nightly, "make", "make all", 1))
	diff := specs.Diff(d.Spec.Project(bodyFields), observed.Project(bodyFields))
	if len(diff) != 1 || diff[0].Path != "jobs.a.steps[0].run" || d.Spec.Body.Get("workflow").Text == "" {
		t.Errorf("%v", diff)
	}
}

func TestTranslateRefuses(t *testing.T) {
	at := func(f string) []specs.StatedField {
		return []specs.StatedField{{Name: f, Pos: specs.Pos{File: "ledger.yaml", Line: 7, Column: 3}}}
	}
	template := func(s string) *specs.Document { return &specs.Document{Name: "roles/n.yml", Data: []byte(s)} }
	one := []string{"0 5 * * *"}
	for _, tt := range []struct {
		name string
		st   specs.Statement
		want string
	}{
		{"user", specs.Statement{Schedule: one, User: ptr("root"), Fields: at("user")}, "ledger.yaml:7:3: a workflow has no user"},
		{"command", specs.Statement{Schedule: one, Command: ptr("x"), Fields: at("command")}, "ledger.yaml:7:3: a workflow has no command"},
		{"stdin", specs.Statement{Schedule: one, Stdin: ptr("x"), Fields: at("stdin")}, "ledger.yaml:7:3: a workflow has no stdin"},
		{"env", specs.Statement{Schedule: one, Env: map[string]string{}, Fields: at("env")}, "ledger.yaml:7:3: a workflow has no env"},
		{"concurrency_policy", specs.Statement{Schedule: one, ConcurrencyPolicy: ptr("x"), Fields: at("concurrency_policy")}, "ledger.yaml:7:3: a workflow has no concurrency_policy"},
		{"no schedule", specs.Statement{Pos: specs.Pos{File: "ledger.yaml", Line: 4}, Workflow: "x"}, "ledger.yaml:4: a workflow's spec states no schedule"},
		{"bad schedule", specs.Statement{Schedule: []string{"0 5 * *"}, Fields: at("schedule")}, `ledger.yaml:7:3: GitHub refuses this: schedule "0 5 * *"`},
		{"never beside another", specs.Statement{Schedule: []string{"never", "0 5 * * *"}, Fields: at("schedule")}, "ledger.yaml:7:3: never stands beside"},
		{"template without schedule", specs.Statement{Template: template("on: push\n")}, "roles/n.yml: the template has no on.schedule"},
		{"template is no YAML", specs.Statement{Template: template("on:\n\tx\n")}, "roles/n.yml:2: "},
		{"template refused", specs.Statement{Template: template("on:\n  schedule:\n    - cron: 0 5 * *\n")}, "roles/n.yml:3: GitHub refuses"},
		{"template without jobs", specs.Statement{Template: template("on:\n  schedule:\n    - cron: 0 5 * * *\n")}, "roles/n.yml: GitHub refuses the template: it has no jobs"},
		{"template with an empty job", specs.Statement{Template: template("on:\n  schedule:\n    - cron: 0 5 * * *\njobs:\n  a: {}\n")}, `roles/n.yml: GitHub refuses the template: line 5: the job "a" has neither`},
		{"template with true", specs.Statement{Template: template("true:\n  schedule:\n    - cron: 0 5 * * *\n")}, "the key is true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := translate(tt.st, nil, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	gone := func(string) ([]byte, error) { return nil, errors.New("gone") }
	_, err := translate(specs.Statement{Schedule: one, Workflow: "x.yml", Fields: at("workflow")}, gone, nil)
	if err == nil || !strings.Contains(err.Error(), "ledger.yaml:7:3: workflow x.yml") {
		t.Error(err)
	}
	refused := func(string) ([]byte, error) { return []byte("on: {schedule: [{cron: 0 5 * * *}]}\n"), nil }
	_, err = translate(specs.Statement{Schedule: one, Workflow: "x.yml", Fields: at("workflow")}, refused, nil)
	if err == nil || !strings.Contains(err.Error(), "x.yml: GitHub refuses the workflow that ledger.yaml:7:3 names: it has no jobs") {
		t.Error(err)
	}
}
