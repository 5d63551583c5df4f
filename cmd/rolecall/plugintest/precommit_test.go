package plugintest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestPreCommitHooks runs the command of each hook as pre-commit does, in a
// checkout in which each must have something to say, and holds the patterns to
// files that they must take or leave. The audit runs for every commit: a file that
// is taken away is given to no hook.
func TestPreCommitHooks(t *testing.T) {
	var hooks []struct {
		ID, Entry, Language, Files string
		PassFilenames              *bool `yaml:"pass_filenames"`
		AlwaysRun                  bool  `yaml:"always_run"`
	}
	if err := yaml.Unmarshal([]byte(read(t, filepath.Join(top, ".pre-commit-hooks.yaml"))), &hooks); err != nil {
		t.Fatal(err)
	}
	bin := program(t)
	want := map[string]struct {
		code         int
		says         string
		takes, spare []string
	}{
		"rolecall-ledger-check": {0, "10 roles", []string{"ledger.yaml", "ops/rolecall.yml", "roles/retry.cronjob.yaml"}, []string{"README.md", "myledger.yaml"}},
		"rolecall-ledger-fmt":   {0, "", []string{"ledger.yaml", "a/ledger.yml"}, []string{"rolecall.yaml"}},
		"rolecall-audit":        {1, "retry@prod: missing", nil, nil},
	}
	if len(hooks) != len(want) {
		t.Errorf("%d hooks", len(hooks))
	}
	for _, h := range hooks {
		w, ok := want[h.ID]
		if !ok || h.Language != "golang" || h.PassFilenames == nil || *h.PassFilenames {
			t.Errorf("%+v", h)
			continue
		}
		if h.AlwaysRun != (w.takes == nil) || h.AlwaysRun != (h.Files == "") {
			t.Errorf("%s: always_run: %v, files: %q", h.ID, h.AlwaysRun, h.Files)
		}
		words := strings.Fields(h.Entry)
		code, out := runIn(t, checkout(t), []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, filepath.Join(bin, words[0]), words[1:]...)
		if code != w.code || !strings.Contains(out, w.says) {
			t.Errorf("%s: exit %d\n%s", h.ID, code, out)
		}
		files := regexp.MustCompile(h.Files)
		for _, f := range w.takes {
			if !files.MatchString(f) {
				t.Errorf("%s does not run for %s", h.ID, f)
			}
		}
		for _, f := range w.spare {
			if files.MatchString(f) {
				t.Errorf("%s runs for %s", h.ID, f)
			}
		}
	}
}
