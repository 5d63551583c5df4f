package github

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	plainyaml "github.com/rolecall-dev/rolecall/specs/plain"

	"github.com/rolecall-dev/rolecall/providers"
)

// workflowTexts are those of the tests, and some that are put together.
func workflowTexts(t *testing.T) []string {
	t.Helper()
	out := []string{
		"on:\n  schedule:\n    - {cron: '1 2 * * *', timezone: \"Europe/Oslo\"}\njobs:\n  a:\n    runs-on: [x, y]\n    steps:\n      - run: |\n          a\n          # b\n      - run: >-\n          c\n          d\n        env: {A: 1, TOKEN: \"x y\"}\n",
		"# rolecall: role=a version=1\nname: a\non:\n  schedule:\n  - cron: '1 2 * * *'\njobs:\n  a: {runs-on: x, steps: [{run: a}]}\n  b:\n    needs: a\n    uses: ./.github/workflows/b.yml\n    with:\n      x: ~\n      y:\n",
		"on: {schedule: [{cron: '* * * * *'}]}\njobs: &j\n  a: {runs-on: x, steps: [&s {run: a}, *s]}\n",
		"on: [schedule]\n", "schedule: 1\n", "", "a: [schedule\n",
	}
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil {
			out = append(out, strings.Split(string(data), "\n-- ")...)
		}
	}
	return out
}

// TestNodes holds what is made of a plain text against what yaml.v3 makes of it.
func TestNodes(t *testing.T) {
	var s scratch
	met := 0
	for _, text := range workflowTexts(t) {
		got, ok := s.plainTree(text)
		if !ok {
			continue
		}
		met++
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		want := fromYAML(doc.Content[0], map[*yaml.Node]*node{})
		if d := cmp.Diff(want, got, cmp.Transformer("none", func(n []*node) []*node { return append([]*node{}, n...) })); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	if met < 3 {
		t.Errorf("%d texts are plain", met)
	}
}

// TestScratch reads one file after the other in the same memory, and looks at
// all that came of them only then.
func TestScratch(t *testing.T) {
	read := func(s *scratch, text string) reading {
		open := func(string) ([]byte, error) {
			return []byte("on: {workflow_call: {inputs: {a: {type: string}}}}\njobs: {a: {runs-on: y, steps: [{run: b, env: {A: 2}}]}}\n"), nil
		}
		return s.readText([]byte(text), place{"s", "o/r", "w.yml", "p", "w.yml"}, providers.Area{}, true, open)
	}
	said := func(r reading) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%+v %+v\n", r.area, r.notes)
		for _, o := range r.objects {
			fmt.Fprintf(&b, "%q %q %q %+v\n", o.ID, o.Spec.Canonical(), o.Spec.Cosmetic, o.Pos)
		}
		return b.String()
	}
	texts := workflowTexts(t)
	var lent scratch
	var all []reading
	for _, text := range texts {
		all = append(all, read(&lent, text))
	}
	for i, text := range texts {
		if d := cmp.Diff(said(read(new(scratch), text)), said(all[i])); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	if !lent.lendable() || (&scratch{doc: make(plainyaml.Doc, 1_000_000)}).lendable() {
		t.Error("what is lent on is not what most files need")
	}
}
