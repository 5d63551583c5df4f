//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDrainUnitCommands runs the commands of the drain's unit as the unit runs
// them: as root with two of root's rights, which is enough to end a job that runs
// as another user, and its descendant that left the group.
func TestDrainUnitCommands(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take rights away from root")
	}
	setpriv := needProgram(t, "setpriv")
	dir, _ := units(t)
	unit := filepath.Join(dir, "rolecall-drain.service")
	one := func(key string) string {
		t.Helper()
		values := settingsOf(t, unit, key)
		if len(values) != 1 {
			t.Fatalf("%s: %q", key, values)
		}
		return values[0]
	}
	said, err := time.ParseDuration(strings.TrimPrefix(one("Environment"), "ROLECALL_STOP_TIMEOUT="))
	if limit, lerr := time.ParseDuration(strings.Replace(one("TimeoutStopSec"), "min", "m", 1)); err != nil || lerr != nil || limit != said {
		t.Errorf("the unit says %s and means %s", said, limit)
	}
	if one("KillMode") != "mixed" || one("RemainAfterExit") != "yes" {
		t.Error("the unit ends otherwise")
	}
	stop, reason, _ := strings.Cut(one("ExecStop"), ` --reason "`)
	args := append(strings.Fields(stop)[1:], "--reason", strings.TrimSuffix(reason, `"`))
	start := strings.Fields(one("ExecStart"))[1:]

	state := filepath.Join(dir, "state")
	limited := func(args ...string) *exec.Cmd {
		rights := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(one("CapabilityBoundingSet"), "CAP_", "+"), " ", ","))
		cmd := runProgram(state, []string{one("Environment")}, args...)
		cmd.Path = setpriv
		cmd.Args = append([]string{setpriv, "--no-new-privs", "--bounding-set=-all," + rights, "--inh-caps=-all", "--", os.Args[0]}, args...)
		cmd.Dir = "/"
		return cmd
	}
	for range 2 {
		job := runProgram(state, nil, "run", "--role", "other", "--grace", "0s", "--kill-after", "1s", "--",
			setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", `trap '' TERM; setsid sleep 1000 >/dev/null 2>&1 & echo up; while :; do sleep 0.05; done`)
		up, err := job.StdoutPipe()
		if err == nil {
			err = job.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		up.Read(make([]byte, 3))
		code, out, errs := ran(t, limited(args...))
		if code != 1 || !strings.Contains(out, "1 interrupted") || strings.Contains(errs, "ROLECALL_STOP_TIMEOUT") {
			t.Errorf("the drain: exit %d\n%s%s", code, out, errs)
		}
		if code := exitCode(job.Wait()); code == 0 || code == -1 {
			t.Errorf("the run: exit %d", code)
		}
		if code, _, _ := ran(t, runProgram(state, nil, "run", "--role", "web", "--", "true")); code != 75 {
			t.Errorf("a run after the drain: exit %d", code)
		}
		if code, out, errs := ran(t, limited(start...)); code != 0 || !strings.Contains(out, "runs start again") {
			t.Errorf("the start: exit %d\n%s%s", code, out, errs)
		}
		if code, _, _ := ran(t, runProgram(state, nil, "run", "--role", "web", "--", "true")); code != 0 {
			t.Errorf("a run after the start: exit %d", code)
		}
	}
}

// TestDrainUnitCeiling: with the budgets that a run has where none are stated, a
// drain by the unit ends before systemd ends it.
func TestDrainUnitCeiling(t *testing.T) {
	dir, _ := units(t)
	unit := filepath.Join(dir, "rolecall-drain.service")
	fields := strings.Fields(settingsOf(t, unit, "ExecStop")[0])
	limit, err := time.ParseDuration(strings.TrimPrefix(settingsOf(t, unit, "Environment")[0], "ROLECALL_STOP_TIMEOUT="))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range fields {
		if f == "--max-grace" {
			if ceiling, err := time.ParseDuration(strings.Replace(fields[i+1], "min", "m", 1)); err != nil || ceiling+time.Minute > limit {
				t.Errorf("%s: %v", fields[i+1], err)
			}
			return
		}
	}
	t.Error("no ceiling")
}
