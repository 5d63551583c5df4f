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
