//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuditPings: a monitor outside hears that the audit ran and how it ended,
// also where nothing was audited; what becomes of a ping changes nothing.
func TestAuditPings(t *testing.T) {
	m := newMonitor(t)
	dir := t.TempDir()
	ledger, table := filepath.Join(dir, "ledger.yaml"), filepath.Join(dir, "web-1.crontab")
	writeFiles(t, dir, map[string]string{
		"ledger.yaml":   "ledger: rolecall/v1\nroles:\n  tidy:\n    source: crontab\n    spec: {schedule: \"0 3 * * *\", command: /bin/tidy}\n",
		"web-1.crontab": "# rolecall: role=tidy\n0 3 * * * /bin/tidy\n",
		"empty.crontab": "# nothing\n",
	})
	for _, c := range []struct {
		args []string
		code int
		end  string
		body string
	}{
		{[]string{"--ledger", ledger, "--crontab", table}, 0, "", "clean: 1 role, 0 findings, exit code 0"},
		{[]string{"--ledger", ledger, "--crontab", filepath.Join(dir, "empty.crontab")}, 1, "/1", "findings: 1 role, 1 finding, exit code 1"},
		{[]string{"--ledger", ledger, "--crontab", filepath.Join(dir, "empty.crontab"), "--exit-zero"}, 0, "", "passed: 1 role, 1 finding, exit code 0"},
		{[]string{"--ledger", ledger, "--crontab", filepath.Join(dir, "nowhere")}, 3, "/3", "1 part not read, exit code 3"},
		{[]string{"--ledger", filepath.Join(dir, "nowhere"), "--crontab", table}, 2, "/2", "nowhere"},
		{[]string{"--ledger", ledger, "--crontab", table, "-o", "json=" + filepath.Join(dir, "no/such/report.json")}, 4, "/4", "clean"},
	} {
		for _, given := range [][]string{{"--ping", m.address()}, nil} {
			cmd := runProgram(dir, []string{"ROLECALL_PING_URL=" + m.address()}, append(append([]string{"audit"}, c.args...), given...)...)
			if given != nil {
				cmd = runProgram(dir, nil, append(append([]string{"audit"}, c.args...), given...)...)
			}
			code, out, errs := ran(t, cmd)
			told := m.told()
			if code != c.code || len(told) != 2 {
				t.Errorf("%v: exit %d, want %d, told %q\n%s%s", c.args, code, c.code, told, out, errs)
				continue
			}
			first, last := ridOf.FindString(told[0]), ridOf.FindString(told[1])
			path, _, _ := strings.Cut(told[1], "?")
			if first == "" || first != last || !strings.HasPrefix(told[0], "/"+pingSecret+"/start?") || path != "/"+pingSecret+c.end || !strings.Contains(told[1], c.body) {
				t.Errorf("%v: told %q", c.args, told)
			}
		}
	}
	// Without its monitor it says the same, and a line.
	code, out, errs := ran(t, runProgram(dir, nil, "audit", "--ledger", ledger, "--crontab", table, "--ping", "http://127.0.0.1:1/"+pingSecret, "--ping-timeout", "200ms"))
	if code != 0 || !strings.Contains(out, "clean") || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "the monitor at 127.0.0.1 was not told") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := ran(t, runProgram(dir, nil, "audit", "--ledger", ledger, "--crontab", table, "--ping", pingSecret)); code != 2 {
		t.Errorf("exit %d\n%s", code, errs)
	}
}

// An audit that is interrupted ends within its second, whatever its monitor does,
// and tells of no end: that it did not end is what the monitor has to see.
func TestAuditInterruptedPings(t *testing.T) {
	m := newMonitor(t)
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"ledger.yaml": "ledger: rolecall/v1\nroles:\n  tidy:\n    source: crontab\n    spec: {schedule: \"0 3 * * *\", command: /bin/tidy}\n"})
	cmd := runProgram(dir, []string{"ROLECALL_PING_URL=" + m.address()}, "audit", "--ledger", filepath.Join(dir, "ledger.yaml"), "--crontab", "-")
	in, err := cmd.StdinPipe() // never closed: the audit waits for it
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	<-m.came
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 130 {
		t.Errorf("exit %d", code)
	}
	if told := m.told(); len(told) != 1 || !strings.Contains(told[0], "/start?") {
		t.Errorf("told %q", told)
	}
}
