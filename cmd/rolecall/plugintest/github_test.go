package plugintest

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// lint is what actionlint finds in a workflow that uses the action of this
// checkout, with the inputs and outputs that action.yml has.
func lint(t *testing.T, workflow string) []string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "rolecall/action.yml"), read(t, filepath.Join(top, "action.yml")))
	workflow = regexp.MustCompile(`rolecall-dev/rolecall@\S+`).ReplaceAllString(workflow, "./rolecall")
	path := filepath.Join(dir, ".github/workflows/w.yml")
	write(t, path, workflow)
	l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: "shellcheck"})
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject(dir)
	if err != nil {
		t.Fatal(err)
	}
	found, err := l.LintFile(path, project)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range found {
		out = append(out, e.Error())
	}
	return out
}

// workflows are the examples: the files, and those that the README shows.
func workflows(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(deploy, "github/*.yml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		out[f] = read(t, f)
	}
	for _, block := range regexp.MustCompile("(?s)```yaml\n(# .github/workflows/.*?)```").FindAllStringSubmatch(read(t, filepath.Join(top, "README.md")), -1) {
		name, _, _ := strings.Cut(block[1], "\n")
		out["README "+name] = block[1]
	}
	return out
}

func TestExampleWorkflows(t *testing.T) {
	uses := regexp.MustCompile(`uses: (\S+)`)
	pinned := regexp.MustCompile(`uses: (rolecall-dev/rolecall@COMMIT( +#.*)?|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)\n`)
	examples := workflows(t)
	if len(examples) < 3 {
		t.Errorf("only %d examples; the README shows none", len(examples))
	}
	for name, text := range examples {
		for _, problem := range lint(t, text) {
			t.Errorf("%s: %s", name, problem)
		}
		if all, ok := len(uses.FindAllString(text, -1)), len(pinned.FindAllString(text, -1)); all != ok {
			t.Errorf("%s: %d of %d actions are pinned by commit", name, ok, all)
		}
	}
}

// What actionlint knows of the action is what action.yml says.
func TestWrongInputIsSeen(t *testing.T) {
	text := read(t, filepath.Join(deploy, "github/gate.yml"))
	for from, to := range map[string]string{"command: gate": "comand: gate", "sarif: true": "sarifs: true"} {
		if len(lint(t, strings.Replace(text, from, to, 1))) == 0 {
			t.Errorf("%q is not seen", to)
		}
	}
}
