package github

import (
	"context"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rolecall-dev/rolecall/providers"
)

// verdicts are the workflows of testdata/refusals.txtar. The lines of the
// reasons count from the one below the remarks.
func verdicts(t *testing.T) map[string][2]string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", "refusals.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][2]string{}
	for _, f := range a.Files {
		verdict, text, _ := strings.Cut(string(f.Data), "\n")
		if _, below, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(text, "# actionlint:") {
			text = below
		}
		out[f.Name] = [2]string{strings.TrimPrefix(verdict, "# "), text}
	}
	if len(out) != len(a.Files) || len(out) < 80 {
		t.Fatalf("%d workflows of %d", len(out), len(a.Files))
	}
	return out
}

func TestRefusals(t *testing.T) {
	for name, v := range verdicts(t) {
		t.Run(name, func(t *testing.T) {
			w, err := readWorkflow([]byte(v[1]), "w.yml")
			if err != nil {
				t.Fatal(err)
			}
			os := w.objects(here)
			if len(os) != 1 {
				t.Fatalf("%+v", os)
			}
			want, refused := strings.CutPrefix(v[0], "refused: ")
			switch off := os[0].Inactive(); {
			case !refused && (v[0] != "taken" || len(off) > 0):
				t.Errorf("%s: %+v", v[0], off)
			case refused && (len(off) != 1 || off[0].Code != "file-not-loaded" || !strings.Contains(off[0].Detail, want) || off[0].Next == ""):
				t.Errorf("%+v, want %q", off, want)
			}
			for _, in := range os[0].Inactive() {
				m := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(in.Detail)
				if m == nil {
					continue
				}
				if n, _ := strconv.Atoi(m[1]); n < 1 || n > strings.Count(v[1], "\n") {
					t.Errorf("%s: there is no such line", in.Detail)
				}
			}
		})
	}
}

// A key that GitHub may have added since is noted, once for a workflow.
func TestUnknownKeys(t *testing.T) {
	w, err := readWorkflow([]byte(verdicts(t)["unknown-keys"][1]), "w.yml")
	if err != nil || len(w.notes) != 1 || w.notes[0].Code != "early-warning" || w.notes[0].Pos.Line != 2 || !strings.Contains(w.notes[0].Message, `"kindly"`) {
		t.Errorf("%v %+v", err, w.notes)
	}
}

func TestRefusedLive(t *testing.T) {
	const file = ".github/workflows/a.yml"
	f := newFake(t, &fakeRepo{name: "acme/shop", files: map[string]string{"a.yml": "on: {schedule: [{cron: 0 5 * * *}]}\n"}, workflows: []fakeWorkflow{{1, file, "active"}}})
	p, err := New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/shop"}})
	if err != nil {
		t.Fatal(err)
	}
	o := p.Observe(context.Background(), providers.Selection{})
	if len(o.Objects) != 1 || len(o.Gaps()) > 0 || len(o.Objects[0].Inactive()) != 1 || o.Objects[0].Inactive()[0].Code != "file-not-loaded" {
		t.Errorf("%+v", o)
	}
}
