//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// runsSection are the examples of the README's section on runs: the crontab, the
// ledger, the pod.
func runsSection(t *testing.T) (crontab, ledger, pod string) {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "## Runs and drain\n")
	section, _, ok := strings.Cut(rest, "\n## ")
	parts := strings.Split(section, "```")
	if !ok || len(parts) != 7 {
		t.Fatalf("%d parts", len(parts))
	}
	return strings.TrimPrefix(parts[1], "\n"), strings.TrimPrefix(parts[3], "yaml\n"), strings.TrimPrefix(parts[5], "yaml\n")
}

// TestReadmeBackup plays the README's backup: the crontab is what its ledger
// states, its line runs, is cut off, cleans up and tries again.
func TestReadmeBackup(t *testing.T) {
	crontab, ledger, _ := runsSection(t)
	dir := t.TempDir()
	m := newMonitor(t)
	here := strings.NewReplacer("/etc/rolecall/", dir+"/", "/srv/backup", dir+"/srv", "/opt/shop", dir+"/opt", "https://hc-ping.com/UUID", m.address())
	crontab, ledger = here.Replace(crontab), here.Replace(ledger)
	writeFiles(t, dir, map[string]string{
		"web-1.crontab":    crontab,
		"ledger.yaml":      ledger,
		"srv/.keep":        "",
		"opt/backup":       "#!/bin/sh\n[ -e " + dir + "/hang ] && { echo cut > \"$ROLECALL_STAGING/dump.gz\"; echo up; exec sleep 1000; }\necho data | gzip > \"$ROLECALL_STAGING/dump.gz\"\n",
		"opt/drop-scratch": "#!/bin/sh\necho dropped >> " + dir + "/dropped\n",
	})
	for _, f := range []string{"opt/backup", "opt/drop-scratch"} {
		if err := os.Chmod(filepath.Join(dir, f), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := ran(t, runProgram(dir, nil, "audit", "--ledger", filepath.Join(dir, "ledger.yaml"), "--crontab", "web-1="+filepath.Join(dir, "web-1.crontab"))); code != 0 {
		t.Errorf("audit: exit %d\n%s%s", code, out, errs)
	}
	address, rest, _ := strings.Cut(crontab, "\n")
	_, line, _ := strings.Cut(rest, "\n")
	args := strings.Fields(line)[6:] // the five fields and the program's name
	state := filepath.Join(dir, "state")
	run := func(want int, minute string) string {
		t.Helper()
		for i, a := range args {
			if a == "minute" || i > 0 && args[i-1] == "--scheduled-for" {
				args[i] = minute
			}
		}
		code, _, errs := ran(t, runProgram(state, []string{address}, args...))
		if code != want {
			t.Fatalf("exit %d, want %d: %s", code, want, errs)
		}
		data, _ := os.ReadFile(filepath.Join(dir, "srv/dump.gz"))
		return string(data)
	}
	if run(0, "minute") == "" || len(m.told()) != 2 {
		t.Error("no dump, or the monitor was not told of it")
	}
	good := run(0, "2026-11-25T03:17:00Z")
	run(75, "2026-11-25T03:17:00Z")

	// Cut off.
	writeFiles(t, dir, map[string]string{"hang": ""})
	for i := range args {
		if i > 0 && args[i-1] == "--scheduled-for" {
			args[i] = "2026-11-26T03:17:00Z"
		}
	}
	job := runProgram(state, nil, args...)
	up, err := job.StdoutPipe()
	if err == nil {
		err = job.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	up.Read(make([]byte, 3))
	if code, out, _ := ran(t, runProgram(state, nil, "drain", "--max-grace", "0s", "--status")); code != 0 || !strings.Contains(out, "in-flight") {
		t.Errorf("exit %d\n%s", code, out)
	}
	job.Process.Signal(os.Interrupt)
	if code := exitCode(job.Wait()); code != 130 {
		t.Errorf("cut off: exit %d", code)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "srv/dump.gz")); string(data) != good {
		t.Error("the old dump is not there any more")
	}
	if err := os.Remove(filepath.Join(dir, "hang")); err != nil {
		t.Fatal(err)
	}
	run(0, "2026-11-26T03:17:00Z")
	if data, _ := os.ReadFile(filepath.Join(dir, "dropped")); string(data) != "dropped\n" {
		t.Errorf("cleaned up: %q", data)
	}
}

// TestReadmePod: the pod's time is enough for the drain, and the drain's words
// are known.
func TestReadmePod(t *testing.T) {
	_, _, text := runsSection(t)
	var pod struct {
		Termination int `yaml:"terminationGracePeriodSeconds"`
		Containers  []struct {
			Name string
			Env  []struct {
				Name  string
				Value string
			}
			Lifecycle struct {
				PreStop struct{ Exec struct{ Command []string } } `yaml:"preStop"`
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &pod); err != nil {
		t.Fatal(err)
	}
	c := pod.Containers[0]
	limit, err := time.ParseDuration(c.Env[0].Value)
	if c.Env[0].Name != "ROLECALL_STOP_TIMEOUT" || err != nil || int(limit.Seconds()) != pod.Termination {
		t.Errorf("%+v, %v", pod, err)
	}
	ceiling := 0 * time.Second
	for i, a := range c.Lifecycle.PreStop.Exec.Command {
		if a == "--max-grace" {
			ceiling, _ = time.ParseDuration(c.Lifecycle.PreStop.Exec.Command[i+1])
		}
	}
	if ceiling == 0 || ceiling+20*time.Second > limit {
		t.Errorf("the ceiling %s is too much for %s", ceiling, limit)
	}
	state := filepath.Join(t.TempDir(), "state")
	if code, out, errs := ran(t, runProgram(state, []string{"ROLECALL_STOP_TIMEOUT=" + c.Env[0].Value}, c.Lifecycle.PreStop.Exec.Command[1:]...)); code != 0 || errs != "" {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
