package github

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const nightly = "# rolecall: role=nightly version=1\nname: N\non:\n  schedule:\n    - cron: 0 5 * * *\njobs: {a: {runs-on: u, steps: [{run: make}]}}\n"

// plant writes files below a new folder.
func plant(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func look(t *testing.T, cfg CheckoutConfig) providers.Observation {
	t.Helper()
	c, err := NewCheckout(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c.Observe(context.Background(), providers.Selection{})
}

// areas are the coverage as "part state", with the reason where there is one.
func areas(o providers.Observation) []string {
	out := []string{}
	for _, a := range o.Areas {
		s := a.Part + " " + string(a.State)
		if a.Gap() && a.Reason == "" {
			s += " WITHOUT REASON"
		}
		if !a.Gap() && a.Reason != "" {
			s += " WITH REASON " + a.Reason
		}
		out = append(out, s)
	}
	return out
}

func TestCheckout(t *testing.T) {
	base := plant(t, map[string]string{
		"shop/.github/workflows/nightly.yml":        nightly,
		"shop/.github/workflows/push.yaml":          "on: push\n",
		"shop/.github/workflows/old.yml.disabled":   nightly,
		"shop/.github/workflows/below/nightly.yml":  nightly,
		"shop/.github/workflows/notes.txt":          nightly,
		"shop/.github/workflows/dir.yml/inside.yml": nightly,
	})
	got := look(t, CheckoutConfig{Source: "ci", Base: base, Dir: "shop", Repo: "acme/shop"})
	want := []string{"file/shop/.github/workflows/nightly.yml read", "file/shop/.github/workflows/push.yaml read", "folder/shop/.github/workflows read"}
	if d := cmp.Diff(want, areas(got)); d != "" {
		t.Errorf("areas (-want +got):\n%s", d)
	}
	if len(got.Objects) != 1 {
		t.Fatalf("%d objects, want 1", len(got.Objects))
	}
	o := got.Objects[0]
	o.Spec, o.More = specs.Spec{}, nil
	file := filepath.Join(base, "shop/.github/workflows/nightly.yml")
	wantObject := providers.Object{
		ID: "github:ci/acme/shop/.github/workflows/nightly.yml", Origin: &providers.Origin{Source: "ci", Provider: "github",
			Part: "file/shop/.github/workflows/nightly.yml"}, Pos: specs.Pos{File: file, Line: 4},
		Marked: &providers.Marker{Role: "nightly", Version: "1", Pos: specs.Pos{File: file, Line: 1}},
		Attrs: providers.AttrsOf(map[string]string{"repo": "acme/shop", "workflow": ".github/workflows/nightly.yml", "cron": "0 5 * * *",
			"file": "shop/.github/workflows/nightly.yml"}),
	}
	if d := cmp.Diff(wantObject, o, cmp.AllowUnexported(specs.Value{}), cmp.Comparer(func(a, b specs.Spec) bool { return a.Hash() == b.Hash() })); d != "" {
		t.Errorf("object (-want +got):\n%s", d)
	}
}

func TestCheckoutOfAnUnknownRepository(t *testing.T) {
	base := plant(t, map[string]string{".github/workflows/a.yml": nightly})
	got := look(t, CheckoutConfig{Source: "ci", Base: base, Dir: "."})
	if id := got.Objects[0].ID; id != "github:ci/-/-/.github/workflows/a.yml" {
		t.Error(id)
	}
}

// What is not there is only said of a whole checkout.
func TestCheckoutWithoutWorkflows(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"wrong path", map[string]string{"x/README": ""}, "absent"},
		{"no folder at all", map[string]string{"README": ""}, "absent"},
		{"a clone", map[string]string{"x/.git/HEAD": "ref"}, "read"},
		{"a work tree", map[string]string{"x/.git": "gitdir: y"}, "read"},
		{"other things in .github", map[string]string{"x/.github/dependabot.yml": ""}, "read"},
		{"a sparse checkout", map[string]string{"x/.git/info/sparse-checkout": "src", "x/.git/HEAD": ""}, "absent"},
		{"only a disabled file", map[string]string{"x/.github/workflows/a.yml.disabled": nightly}, "read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := look(t, CheckoutConfig{Source: "ci", Base: plant(t, tt.files), Dir: "x"})
			if d := cmp.Diff([]string{"folder/x/.github/workflows " + tt.want}, areas(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Each fault of a file is a gap of that file, and the others are read.
func TestCheckoutFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(path string) error
		want  string
	}{
		{"not YAML", func(p string) error { return os.WriteFile(p, []byte("on: {schedule: [\n"), 0o644) }, "partial"},
		{"too large", func(p string) error { return os.WriteFile(p, make([]byte, maxFile+1), 0o644) }, "failed"},
		{"a pipe", func(p string) error { return syscall.Mkfifo(p, 0o644) }, "failed"},
		{"a link to nowhere", func(p string) error { return os.Symlink("nowhere", p) }, "absent"},
		{"broken, but without the word schedule", func(p string) error { return os.WriteFile(p, []byte("on: [\n"), 0o644) }, "read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := plant(t, map[string]string{".github/workflows/good.yml": nightly})
			if err := tt.spoil(filepath.Join(base, ".github/workflows/bad.yml")); err != nil {
				t.Fatal(err)
			}
			got := look(t, CheckoutConfig{Source: "ci", Base: base, Dir: "."})
			want := []string{"file/.github/workflows/bad.yml " + tt.want, "file/.github/workflows/good.yml read", "folder/.github/workflows read"}
			if d := cmp.Diff(want, areas(got)); d != "" {
				t.Error(d)
			}
			if len(got.Objects) != 1 {
				t.Errorf("%d objects, want the good one", len(got.Objects))
			}
		})
	}
}

func TestCheckoutUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	base := plant(t, map[string]string{".github/workflows/good.yml": nightly})
	if err := os.Chmod(filepath.Join(base, ".github/workflows/good.yml"), 0); err != nil {
		t.Fatal(err)
	}
	got := look(t, CheckoutConfig{Source: "ci", Base: base, Dir: "."})
	if d := cmp.Diff([]string{"file/.github/workflows/good.yml denied", "folder/.github/workflows read"}, areas(got)); d != "" {
		t.Error(d)
	}
}

func TestCheckoutReasonNamesTheLine(t *testing.T) {
	base := plant(t, map[string]string{".github/workflows/bad.yml": "name: x\non:\n\tschedule:\n"})
	got := look(t, CheckoutConfig{Source: "ci", Base: base, Dir: "."})
	if r := got.Areas[0].Reason; !strings.Contains(r, "bad.yml:3: ") {
		t.Error(r)
	}
}

func TestCheckoutInterrupted(t *testing.T) {
	base := plant(t, map[string]string{".github/workflows/a.yml": nightly})
	c, _ := NewCheckout(CheckoutConfig{Source: "ci", Base: base, Dir: "."})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := c.Observe(ctx, providers.Selection{})
	if d := cmp.Diff([]string{"file/.github/workflows/a.yml failed", "folder/.github/workflows read"}, areas(got)); d != "" {
		t.Error(d)
	}
}

func TestCheckoutSelection(t *testing.T) {
	base := plant(t, map[string]string{".github/workflows/a.yml": nightly, ".github/workflows/b.yml": nightly})
	c, _ := NewCheckout(CheckoutConfig{Source: "ci", Base: base, Dir: "."})
	got := c.Observe(context.Background(), providers.Selection{Parts: []string{"file/.github/workflows/b.yml"}})
	if d := cmp.Diff([]string{"file/.github/workflows/b.yml read"}, areas(got)); d != "" {
		t.Error(d)
	}
}

func TestNewCheckoutRefuses(t *testing.T) {
	for _, cfg := range []CheckoutConfig{{Dir: "."}, {Source: "ci"}, {Source: "ci", Dir: ".", Repo: "acme/*"}, {Source: "ci", Dir: ".", Repo: "shop"}} {
		if _, err := NewCheckout(cfg); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
}

// What a look gives as the literal text is read back as the same spec.
func TestCheckoutLiterals(t *testing.T) {
	two := "name: N # kept\non:\n  schedule:\n    # rolecall: role=a\n    - cron: 0 5 * * *\n    - timezone: Asia/Tokyo\n      cron: 0 6 * * *\njobs: {a: {runs-on: x, env: &e {A: b}, steps: [{run: x}]}, c: {runs-on: x, env: *e, steps: [{run: x}]}}\n"
	base := plant(t, map[string]string{".github/workflows/one.yml": nightly, ".github/workflows/two.yml": two})
	c, _ := NewCheckout(CheckoutConfig{Source: "ci", Base: base, Dir: "."})
	got := c.Observe(context.Background(), providers.Selection{Literals: true})
	if len(got.Objects) != 3 || string(got.Objects[0].Literal()) != nightly {
		t.Fatalf("%+v", got.Objects)
	}
	for _, o := range got.Objects {
		d, err := c.Translate(specs.Statement{Template: &specs.Document{Name: "t.yml", Data: o.Literal()}})
		if err != nil {
			t.Fatalf("%s: %v", o.ID, err)
		}
		if d.Spec.Hash() != o.Spec.Hash() {
			t.Errorf("%s: %v", o.ID, specs.Diff(d.Spec, o.Spec))
		}
	}
}
