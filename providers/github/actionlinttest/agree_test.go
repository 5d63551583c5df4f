package actionlinttest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/github"
)

// judged are the kinds of actionlint's findings that are about what GitHub
// refuses and not about style. Expressions are so only where they cannot be
// read, or name a context that is not there.
var judged = []string{"syntax-check", "job-needs", "id", "workflow-call", "permissions", "expression"}

// lint is what actionlint finds of these kinds.
func lint(t *testing.T, text string) []string {
	t.Helper()
	l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := l.Lint("w.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range found {
		unused := strings.HasPrefix(e.Message, "anchor ") && strings.HasSuffix(e.Message, "not used")
		if slices.Contains(judged, e.Kind) && !unused {
			out = append(out, e.Kind+": "+e.Message)
		}
	}
	return out
}

// refused is why the provider says that GitHub does not take a workflow, and
// what it saw.
func refused(t *testing.T, text string) (reasons []string, seen providers.Observation) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, ".github", "workflows")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "w.yml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := github.NewCheckout(github.CheckoutConfig{Source: "ci", Base: dir, Dir: "."})
	if err != nil {
		t.Fatal(err)
	}
	o := c.Observe(context.Background(), providers.Selection{})
	for _, a := range o.Gaps() {
		reasons = append(reasons, a.Reason)
	}
	for _, x := range o.Objects {
		for _, in := range x.Inactive() {
			// Schedules are another table's matter.
			if in.Code == "file-not-loaded" {
				reasons = append(reasons, in.Detail)
			}
		}
	}
	return reasons, o
}

// Both agree on each workflow of the table, but where it says why not. Such a
// remark must be needed.
func TestTable(t *testing.T) {
	a, err := txtar.ParseFile("../testdata/refusals.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			verdict, text, _ := strings.Cut(string(f.Data), "\n")
			remark, below, _ := strings.Cut(text, "\n")
			remarked := strings.HasPrefix(remark, "# actionlint:")
			if remarked {
				text = below
			}
			ours, _ := refused(t, calledIsThere(text))
			theirs := lint(t, text)
			if want := strings.HasPrefix(verdict, "# refused"); want != (len(ours) > 0) {
				t.Fatalf("%s, and ours is %q", verdict, ours)
			}
			if agree := (len(ours) > 0) == (len(theirs) > 0); agree == remarked {
				t.Errorf("agree %v, remark %q\nours   %q\ntheirs %q", agree, remark, ours, theirs)
			}
		})
	}
}

// A called workflow of the same repository is not in the table.
func calledIsThere(text string) string {
	return strings.NewReplacer("uses: ./.github/workflows/b.yml}", "uses: o/r/.github/workflows/b.yml@v1}",
		"uses: $/.github/workflows/b.yml}", "uses: o/r/.github/workflows/b.yml@v1}").Replace(text)
}

// No workflow of the project's stories and examples is refused by one of the
// two alone.
func TestFixtures(t *testing.T) {
	seen := 0
	for name, text := range fixtures(t) {
		ours, o := refused(t, text)
		if len(o.Objects) == 0 {
			continue
		}
		seen++
		// What it calls lies beside it there, and actionlint does not look.
		ours = slices.DeleteFunc(ours, func(s string) bool { return strings.Contains(s, ": it calls ") })
		theirs := lint(t, text)
		if slices.ContainsFunc(o.Notes, func(n providers.Note) bool { return strings.Contains(n.Message, "that it does not know") }) {
			theirs = slices.DeleteFunc(theirs, func(s string) bool { return strings.Contains(s, "unexpected key") })
		}
		if (len(ours) > 0) != (len(theirs) > 0) {
			t.Errorf("%s\nours   %q\ntheirs %q", name, ours, theirs)
		}
	}
	if seen < 40 {
		t.Errorf("only %d workflows", seen)
	}
}

func fixtures(t *testing.T) map[string]string {
	t.Helper()
	const root = "../../../testdata"
	out := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.Ext(name) == ".txtar" {
			for _, f := range txtar.Parse(data).Files {
				if strings.Contains(f.Name, ".github/workflows/") || strings.Contains(f.Name, "/workflows/") {
					out[name+":"+f.Name] = string(f.Data)
				}
			}
		} else if strings.Contains(filepath.ToSlash(name), "workflows/") {
			out[name] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
