//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// TestRunAsFirstProcess makes the program the first process of a PID namespace:
// what is orphaned there is reaped, and nobody takes the job's end for that of a
// stranger.
func TestRunAsFirstProcess(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root makes a PID namespace")
	}
	state := filepath.Join(t.TempDir(), "state")
	script := `[ "$PPID" -ne 1 ] || exit 90
for i in 1 2 3 4 5 6 7 8 9 10; do sh -c 'sleep 0.01 &'; done
n=0
while grep -q '^State:.Z' /proc/[0-9]*/status 2>/dev/null; do
  n=$((n+1)); [ $n -lt 1000 ] || exit 91; sleep 0.01
done
exit 42`
	run := func(script string) *exec.Cmd {
		cmd := exec.Command("unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", os.Args[0],
			"run", "--role", "first", "--state", state, "--", "/bin/sh", "-c", script)
		cmd.Env = append(os.Environ(), "ROLECALL_AS_PROGRAM=1")
		return cmd
	}
	out, err := run(script).CombinedOutput()
	if strings.Contains(string(out), "Operation not permitted") {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatalf("%s", out)
		}
		t.Skipf("%s", out)
	}
	if code := exitCode(err); code != 42 {
		t.Errorf("exit code %d: %s", code, out)
	}
	if code := exitCode(run(`kill -9 $$`).Run()); code != 137 {
		t.Errorf("exit code %d, want 137", code)
	}
	// The first process hands its signals on.
	fifo := filepath.Join(t.TempDir(), "up")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := run(`trap 'exit 0' TERM; cat /proc/$PPID/status | grep NSpid >/dev/null; echo up > ` + fifo + `; while :; do sleep 0.05; done`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(fifo); err != nil {
		t.Fatal(err)
	}
	children, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "task", strconv.Itoa(cmd.Process.Pid), "children"))
	if err != nil {
		t.Skip(err)
	}
	first := strings.Fields(string(children))
	if len(first) != 1 {
		t.Fatalf("children of unshare: %q", children)
	}
	if err := exec.Command("kill", "-TERM", first[0]).Run(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
}
