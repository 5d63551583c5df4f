// Package rooms holds the law of the house: which room may import which. Do not
// change this to fix a build; a room that needs more than it is allowed is a
// sign that a type is missing, or that a wall stands wrong. Moving a wall is a
// change of its own, with its reason in the commit.
package rooms

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rolecall-dev/rolecall/"

// room is one folder of the program. It may import the rooms in above and
// nothing else of ours, and none of what it never may.
type room struct {
	sentence string
	above    []string
	never    []string
}

var (
	outside    = []string{"os", "net", "net/http", "context", "gopkg.in/yaml.v3", "k8s.io/", "github.com/google/go-github"}
	logging    = []string{"log", "log/slog"}
	commands   = []string{"github.com/spf13/"}
	schedulers = []string{"k8s.io/", "github.com/google/go-github"}
	// templates call methods by their names, by which the linker keeps every
	// method of every type: a fifth of the program.
	templates = []string{"text/template", "html/template"}
)

func join(lists ...[]string) []string { return slices.Concat(lists...) }

var law = map[string]room{
	"specs":         {"the words both sides share, and the only canonicalisation", []string{"specs/lazy"}, join(outside, logging, commands)},
	"specs/lazy":    {"makes what is costly when it is asked for first", nil, join(outside, logging, commands)},
	"specs/arrange": {"sorts a list by a comparison, with one sort for all types", nil, join(outside, logging, commands)},
	"specs/slow":    {"says whether what only saves time is left out", nil, join([]string{"net", "net/http", "context", "gopkg.in/yaml.v3"}, logging, commands, schedulers)},
	"specs/plain":   {"reads the YAML that people mostly write, or refuses it", nil, join([]string{"os", "net", "net/http", "context"}, logging, commands, schedulers)},
	"specs/schema":  {"the JSON Schemas of the formats", nil, join(outside, logging, commands)},
	"providers":     {"the contract between looking and judging", []string{"specs"}, join([]string{"os", "net", "net/http", "gopkg.in/yaml.v3"}, schedulers, logging, commands)},

	"providers/files":        {"finds a source's offline files", []string{"specs", "providers"}, join(logging, commands, schedulers)},
	"providers/providertest": {"what every provider must do, as one test call", []string{"specs", "providers"}, join(logging, commands)},
	"providers/crontab":      {"looks at crontabs", []string{"specs", "providers", "providers/files"}, join(logging, commands, schedulers)},
	"providers/github":       {"looks at workflow schedules", []string{"specs", "specs/lazy", "specs/plain", "providers", "providers/files"}, join(logging, commands, []string{"k8s.io/"})},
	"providers/kubernetes":   {"looks at CronJobs", []string{"specs", "specs/lazy", "specs/plain", "providers", "providers/files"}, join(logging, commands, []string{"github.com/google/go-github", "k8s.io/client-go/kubernetes"})},

	"pkg/strict":   {"decodes YAML strictly, every error with its place", []string{"specs", "specs/plain"}, join([]string{"os", "net", "net/http", "context"}, logging, commands, schedulers)},
	"pkg/redact":   {"masks what may be a secret in a text", []string{"specs"}, join([]string{"os", "net", "net/http", "context"}, logging, commands, schedulers)},
	"pkg/ledger":   {"reads roles and keeps each one's place in the file", []string{"specs", "specs/lazy", "pkg/strict"}, join([]string{"os", "net", "net/http", "context"}, logging, commands, schedulers)},
	"pkg/report":   {"the auditor's vocabulary and its one verdict", []string{"specs"}, join(outside, logging, commands)},
	"pkg/evidence": {"judges a role's stages beyond registered, and states the thresholds", []string{"specs", "providers", "pkg/report"}, join(outside, logging, commands)},
	"pkg/classify": {"judges a world against the roles at an instant that is handed in", []string{"specs", "providers", "pkg/ledger", "pkg/report", "pkg/evidence"}, join(outside, logging, commands)},
	"pkg/audit":    {"runs the round: look, judge, look again, settle", []string{"specs", "providers", "pkg/ledger", "pkg/report", "pkg/classify"}, join([]string{"os", "net", "net/http", "gopkg.in/yaml.v3"}, logging, commands, schedulers)},
	"pkg/moments":  {"compares what the sources held at two moments", []string{"specs", "providers"}, join(outside, logging, commands)},
	"pkg/render":   {"shows a report in one format", []string{"specs", "pkg/report", "pkg/moments"}, join([]string{"os", "net", "net/http", "context"}, logging, commands, schedulers)},
	"pkg/change":   {"says what a change does to a ledger, and which findings it brings", []string{"specs", "providers", "pkg/ledger", "pkg/report", "pkg/classify"}, join(outside, logging, commands)},
	"pkg/draft":    {"writes a first ledger from what the sources hold", []string{"specs", "specs/lazy", "providers", "pkg/ledger"}, join([]string{"os", "net", "net/http", "context"}, logging, commands, schedulers)},

	"pkg/runs":         {"run records, the gate, the drain; over a narrow machine", []string{"specs"}, join([]string{"os", "net", "net/http", "context", "syscall", "gopkg.in/yaml.v3"}, logging, commands, schedulers)},
	"pkg/runs/host":    {"the machine that runs stand on: disk, locks, processes", []string{"pkg/runs"}, join([]string{"net", "net/http", "gopkg.in/yaml.v3"}, logging, commands, schedulers)},
	"pkg/runs/runtest": {"a machine in memory for tests", []string{"pkg/runs"}, join([]string{"os", "net", "net/http"}, logging, commands)},

	"cmd/internal/cli": {"the only room with flags, environment, files, clock and streams", []string{
		"specs", "specs/lazy", "specs/schema", "providers", "providers/crontab", "providers/github", "providers/kubernetes",
		"pkg/strict", "pkg/redact", "pkg/ledger", "pkg/report", "pkg/classify", "pkg/audit", "pkg/render", "pkg/draft", "pkg/moments", "pkg/change", "pkg/runs", "pkg/runs/host",
		"providers/prometheus", "pkg/evidence", "pkg/alerts", "pkg/repair", "pkg/ping",
	}, nil},
	"cmd/internal/rooms": {"this law", nil, nil},
	"cmd/rolecall":       {"starts", []string{"cmd/internal/cli"}, nil},

	"providers/prometheus": {"asks Prometheus for the evidence of roles", []string{"specs", "providers"}, join([]string{"os"}, logging, commands, schedulers)},
	"pkg/alerts":           {"writes alert rules and their tests from a ledger", []string{"specs", "pkg/ledger", "pkg/evidence"}, join([]string{"os", "net", "net/http", "context"}, logging, commands, schedulers)},
	"pkg/repair":           {"plans what may be created, and carries a plan out", []string{"specs", "providers", "pkg/ledger", "pkg/report"}, join([]string{"os", "net", "net/http", "gopkg.in/yaml.v3"}, logging, commands, schedulers)},
	"pkg/ping":             {"tells an outside monitor of a start and an end", nil, join([]string{"os"}, logging, commands, schedulers)},

	"providers/kubernetes/kubetest": {"starts a real control plane for a test", []string{"specs", "providers"}, nil},
}

// everywhere are the leaves that each room may import: what the first says is the
// same for all, and handing it down through every call would make a parameter of
// it; the other stands in for a part of package slices.
var everywhere = []string{asking, "specs/arrange"}

const asking = "specs/slow"

// pure rooms do not ask for the time either.
var timeless = []string{"specs", "providers", "pkg/ledger", "pkg/report", "pkg/classify", "pkg/render", "pkg/strict", "pkg/redact", "pkg/draft", "pkg/moments", "pkg/change", "pkg/evidence", "pkg/alerts"}

// goroutines are started by these rooms alone.
//
// Runs need it too: a commit whose file system hangs must not hang its wrapper,
// and a job's output is read while its end is waited for.
var concurrent = []string{"pkg/audit", "pkg/runs", "pkg/runs/host", "pkg/runs/runtest", "pkg/ping", "cmd/internal/cli", "cmd/rolecall", "providers/kubernetes/kubetest"}

func TestEveryRoomIsInTheLaw(t *testing.T) {
	for _, dir := range roomDirs(t) {
		if _, ok := law[dir]; !ok {
			t.Errorf("%s is a room that the law does not know", dir)
		}
	}
}

func TestImports(t *testing.T) {
	for _, dir := range roomDirs(t) {
		for file, imports := range importsOf(t, dir) {
			for _, imp := range imports {
				if own, ok := strings.CutPrefix(imp, module); ok {
					if !slices.Contains(everywhere, own) && !slices.Contains(law[dir].above, own) {
						t.Errorf("%s: %s may not import %s", file, dir, own)
					}
					continue
				}
				for _, never := range join(law[dir].never, templates) {
					if imp == never || strings.HasPrefix(imp, never+"/") || strings.HasSuffix(never, "/") && strings.HasPrefix(imp, never) {
						t.Errorf("%s: %s may never import %s", file, dir, imp)
					}
				}
			}
		}
	}
}

func TestNoCycleUpward(t *testing.T) {
	var visit func(dir string, path []string)
	visit = func(dir string, path []string) {
		if slices.Contains(path, dir) {
			t.Fatalf("the law has a cycle: %v", append(path, dir))
		}
		for _, up := range law[dir].above {
			visit(up, append(path, dir))
		}
	}
	for dir := range law {
		visit(dir, nil)
	}
}

func TestHabits(t *testing.T) {
	for _, dir := range roomDirs(t) {
		for file, text := range sourcesOf(t, dir) {
			forbid := func(what string, allowed []string) {
				if strings.Contains(text, what) && !slices.Contains(allowed, dir) {
					t.Errorf("%s: %q does not belong in %s", file, strings.TrimSpace(what), dir)
				}
			}
			forbid("\nfunc init()", nil)
			forbid("context.WithValue(", nil)
			forbid("\tgo func(", concurrent)
			if slices.Contains(timeless, dir) {
				forbid("time.Now()", nil)
			}
			if dir != "cmd/internal/cli" {
				forbid("os.Getenv(", []string{"providers/kubernetes/kubetest", asking})
				forbid("os.Exit(", []string{"cmd/rolecall"})
			}
		}
	}
}

// roomDirs are the folders of the module with Go files that are no tests. A
// nested module is a house of its own.
func roomDirs(t *testing.T) []string {
	t.Helper()
	root := top(t)
	var out []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			nested := p != root && exists(filepath.Join(p, "go.mod"))
			if nested || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && p != root {
				return filepath.SkipDir
			}
			return nil
		}
		dir := path.Dir(filepath.ToSlash(rel))
		if strings.HasSuffix(p, ".go") && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func exists(p string) bool { _, err := os.Stat(p); return err == nil }

func top(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil || !exists(filepath.Join(root, "go.mod")) {
		t.Fatalf("no go.mod at %s", root)
	}
	return root
}

func sourcesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(top(t), dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Join(dir, filepath.Base(f))] = string(data)
	}
	return out
}

func importsOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for name, text := range sourcesOf(t, dir) {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			out[name] = append(out[name], strings.Trim(imp.Path.Value, `"`))
		}
	}
	return out
}
