package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// TestReadme holds the README to the program: the transcript is what the first
// command prints, and the table of findings is the catalogue's.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	if !strings.Contains(readme, render.CatalogueMarkdown()) {
		t.Errorf("the table of findings is not the catalogue's:\n%s", render.CatalogueMarkdown())
	}
	_, rest, ok := strings.Cut(readme, "```\ngo run ./cmd/rolecall ")
	if !ok {
		t.Fatal("no first command")
	}
	args, rest, _ := strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(rest, "```\n")
	_, rest, _ = strings.Cut(rest, "```\n")
	transcript, _, _ := strings.Cut(rest, "\n```")
	printed := firstCommand(t, strings.Fields(args))
	for _, part := range strings.Split(transcript, "\n\n…\n\n") {
		for _, block := range strings.Split(part, "\n\n") {
			if !strings.Contains(printed, block+"\n") {
				t.Errorf("the first command does not print:\n%s\n\nit prints:\n%s", block, printed)
			}
		}
	}
}

// TestReadmeSchedules holds the README's examples of rolecall schedule to what
// it prints; -update writes that into them.
func TestReadmeSchedules(t *testing.T) {
	const begin = "```\n$ rolecall schedule "
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(data), begin)
	if len(parts) < 2 {
		t.Fatal("no example")
	}
	for i, part := range parts[1:] {
		command, rest, _ := strings.Cut(part, "\n")
		shown, after, _ := strings.Cut(rest, "```")
		_, printed, _ := inProcess(append([]string{"schedule"}, words(command)...)...)
		if shown != printed && !*update {
			t.Errorf("rolecall schedule %s prints:\n%s\nand not:\n%s", command, printed, shown)
		}
		parts[i+1] = command + "\n" + printed + "```" + after
	}
	if *update {
		if err := os.WriteFile("../../README.md", []byte(strings.Join(parts, begin)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// words are those of a command, of which some stand in single quotes.
func words(command string) []string {
	var out []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// firstCommand runs the program from the top of the checkout, and wants the
// exit code for findings.
func firstCommand(t *testing.T, args []string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "ROLECALL_AS_PROGRAM=1")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("the first command ends with %v, want exit status 1", err)
	}
	return string(out)
}
