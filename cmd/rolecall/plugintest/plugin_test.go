package plugintest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	top    = "../../.."
	deploy = "../deploy"
)

// program builds rolecall once for all tests, and gives the folder it is in.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir, "./cmd/rolecall")
	cmd.Dir = top
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// absent skips a test, or fails it where real parts are required.
func absent(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("ROLECALL_REAL") == "require" {
		t.Fatal(err)
	}
	t.Skip(err)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// runIn runs a command in a folder and gives its exit code and all it prints.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", name, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// checkout is a git repository with the shop in it.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(top, "testdata/shop"))); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "remote", "add", "origin", "https://gitlab.example/acme/shop.git")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=a", "-c", "user.email=a@example", "-c", "commit.gpgsign=false"}, args...)
	if code, out := runIn(t, dir, nil, "git", args...); code != 0 {
		t.Fatalf("git %s: %s", strings.Join(args, " "), out)
	}
}
