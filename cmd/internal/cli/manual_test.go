package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var release = built{Version: "v1.2.3", CommitTime: "2026-11-25T12:00:00Z"}

func pages(t *testing.T) (root *cobra.Command, files map[string][]byte) {
	t.Helper()
	root = (&app{}).root()
	files, err := manualFiles(root, release)
	if err != nil {
		t.Fatal(err)
	}
	return root, files
}

// Each command and each page of the help has a manual page, which names each of
// its flags and keeps each line of its text.
func TestEveryCommandHasItsPage(t *testing.T) {
	root, files := pages(t)
	seen := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		seen++
		name := "man1/" + pageName(c) + ".1"
		if !c.Runnable() && !c.HasSubCommands() {
			name = "man7/" + pageName(c) + ".7"
		}
		text := string(files[name])
		if text == "" {
			t.Errorf("%s has no page %s", c.CommandPath(), name)
		}
		for line := range strings.SplitSeq(strings.Trim(c.Long, "\n"), "\n") {
			if c.Long != "" && !strings.Contains(text, roffLine(line)+"\n") {
				t.Errorf("%s does not hold the line %q", name, line)
			}
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && strings.HasSuffix(name, ".1") && !strings.Contains(text, roffText("--"+f.Name)) {
				t.Errorf("%s does not name --%s", name, f.Name)
			}
		})
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
	if seen < 20 || len(files) != seen+4 {
		t.Errorf("%d commands, %d files", seen, len(files))
	}
}

// No text can leave the page: what roff would take for a request or an escape is
// text.
func TestRoffIsText(t *testing.T) {
	c := &cobra.Command{Use: "x", Short: `a "b" \(co -c`, Long: ".so /etc/passwd\n'sy rm\n\\!x\n\nlast", Run: func(*cobra.Command, []string) {}}
	c.Flags().String("f", "", ".TH evil")
	for line := range strings.Lines(string(manualPage(c, release))) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if strings.HasPrefix(word, "'") || strings.HasPrefix(word, ".") && !strings.Contains(".TH .SH .nf .fi .TP", word) {
			t.Errorf("%q begins a line", word)
		}
		if strings.Contains(line, `\!`) || strings.Contains(line, `\(co`) || strings.Contains(line, ".TH evil") && !strings.HasPrefix(line, `\&`) {
			t.Errorf("an escape got through: %q", line)
		}
	}
}

// The shells that are here read their completion.
func TestShellsReadTheirCompletion(t *testing.T) {
	_, files := pages(t)
	for name, shell := range map[string]string{"rolecall.bash": "bash", "rolecall.fish": "fish", "_rolecall": "zsh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		cmd := exec.Command(path, "-n")
		cmd.Stdin = strings.NewReader(string(files["completions/"+name]))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// A linter of manual pages has nothing to warn of.
func TestPagesAreLinted(t *testing.T) {
	path, err := exec.LookPath("mandoc")
	if err != nil {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal("mandoc is not installed")
		}
		t.Skip(err)
	}
	_, files := pages(t)
	for name, text := range files {
		if !strings.HasPrefix(name, "man") {
			continue
		}
		cmd := exec.Command(path, "-T", "lint", "-W", "warning")
		cmd.Stdin = strings.NewReader(string(text))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
