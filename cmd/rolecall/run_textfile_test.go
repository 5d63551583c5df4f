//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRunTextfile: what a role's records say is there for node_exporter, also
// after a failure, and while the job goes on.
func TestRunTextfile(t *testing.T) {
	promtool := needProgram(t, "promtool")
	dir := t.TempDir()
	state, metrics := filepath.Join(dir, "state"), filepath.Join(dir, "metrics")
	if err := os.Mkdir(metrics, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(metrics, "rolecall_run_backup.prom")
	read := func() string {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check := exec.Command(promtool, "check", "metrics")
		check.Stdin = bytes.NewReader(data)
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("promtool: %v\n%s%s", err, out, data)
		}
		return string(data)
	}
	value := func(text, name string) string {
		found := regexp.MustCompile(`(?m)^rolecall_run_` + name + `\{role="backup"\} (.*)$`).FindStringSubmatch(text)
		if found == nil {
			return ""
		}
		return found[1]
	}
	run := func(want int, script string) string {
		t.Helper()
		code, _, errs := ran(t, runProgram(state, []string{"ROLECALL_TEXTFILE_DIR=" + metrics}, "run", "--role", "backup", "--", "sh", "-c", script))
		if code != want || errs != "" {
			t.Fatalf("exit %d, want %d: %s", code, want, errs)
		}
		return read()
	}
	never := run(3, "exit 3")
	if value(never, "last_success_timestamp_seconds") != "" || value(never, "last_start_timestamp_seconds") == "" || value(never, "last_exit_code") != "3" {
		t.Errorf("%s", never)
	}
	if first, start := value(never, "first_timestamp_seconds"), value(never, "last_start_timestamp_seconds"); first == "" || first > start {
		t.Errorf("the first run is not known, or came after its start: %s", never)
	}
	if again := run(3, "exit 3"); value(again, "first_timestamp_seconds") != value(never, "first_timestamp_seconds") {
		t.Errorf("another first run: %s", again)
	}
	good := run(0, "true")
	success := value(good, "last_success_timestamp_seconds")
	if success == "" || value(good, "last_exit_code") != "0" || value(good, "last_duration_seconds") == "" || value(good, "last_end_timestamp_seconds") == "" {
		t.Errorf("%s", good)
	}
	// The file may go; the records stay.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	bad := run(143, "kill $$")
	if value(bad, "last_success_timestamp_seconds") != success || value(bad, "last_exit_code") != "143" || value(bad, "last_start_timestamp_seconds") <= value(good, "last_start_timestamp_seconds") {
		t.Errorf("%s\nafter\n%s", bad, good)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	left, _ := os.ReadDir(metrics)
	if len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	// What cannot be written is one line, and changes no exit code.
	for name, folder := range map[string]string{"missing": filepath.Join(dir, "nowhere"), "a file": file, "full": full(t)} {
		if folder == "" {
			continue
		}
		code, _, errs := ran(t, runProgram(state, nil, "run", "--textfile", folder, "--role", "backup", "--", "sh", "-c", "exit 4"))
		if code != 4 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "the metrics of the run were not written") {
			t.Errorf("%s: exit %d\n%s", name, code, errs)
		}
	}
	if got := read(); got != bad {
		t.Errorf("the file has changed:\n%s", got)
	}
}

// full is a folder on a disk without room; empty where none can be made.
func full(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4k", "none", dir).Run(); err != nil {
		if os.Getenv("ROLECALL_REAL") == "require" && os.Geteuid() == 0 {
			t.Fatal(err)
		}
		return ""
	}
	t.Cleanup(func() { exec.Command("umount", dir).Run() })
	if err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 4096), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRunTextfileAtStart: a run that goes on is seen to have started.
func TestRunTextfileAtStart(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rolecall_run_backup.prom")
	script := `until [ -s ` + file + ` ]; do sleep 0.05; done; cat ` + file
	code, out, errs := ran(t, runProgram(filepath.Join(dir, "state"), nil, "run", "--textfile", dir, "--max-runtime", "1m", "--role", "backup", "--", "sh", "-c", script))
	if code != 0 || !strings.Contains(out, "rolecall_run_last_start_timestamp_seconds{") || strings.Contains(out, "rolecall_run_last_end") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
