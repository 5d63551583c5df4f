package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// entries are two jobs that the machine's own cron is given, so that there is
// something to write a ledger of where it holds nothing but what the
// distribution installs.
const entries = `SHELL=/bin/sh
# rolecall: role=own-cron-test version=1
17 3 * * * root /bin/true --own-cron-test
@weekly root cd /tmp && /bin/true %with input
`

// TestOwnCron begins a ledger from this machine's cron as it is, live: its
// crontab, cron.d with a file more, cron.daily and the like, and the tables of
// its users. Once a person has read the roles, an audit is clean. The file is
// there only in a mount namespace of the program's own.
func TestOwnCron(t *testing.T) {
	if why := cannotMount(); why != "" {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	dir, tables := t.TempDir(), t.TempDir()
	if out, err := exec.Command("cp", "-a", "/etc/cron.d/.", tables).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(tables, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tables, "own-cron-test"), []byte(entries), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-c", `mount --bind "$0" /etc/cron.d && exec "$@"`, tables, os.Args[0]}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "ROLECALL_AS_PROGRAM=1", "NO_COLOR=1", "XDG_CONFIG_HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := run("ledger", "init"); code != 0 {
		t.Fatalf("ledger init: exit %d\n%s", code, out)
	}
	if out, code := run("audit"); code != 1 || !strings.Contains(out, "unreviewed") {
		t.Errorf("audit before the review: exit %d\n%s", code, out)
	}
	name := filepath.Join(dir, "ledger.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("own-cron-test:")) {
		t.Errorf("the marked entry has no role:\n%s", text)
	}
	if err := os.WriteFile(name, bytes.ReplaceAll(text, []byte("    review: pending\n"), nil), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := run("audit"); code != 0 || !strings.Contains(out, "clean: ") {
		t.Errorf("audit after the review: exit %d\n%s\n%s", code, out, text)
	}
	if out, code := run("snapshot", "-o", "json=now.json"); code != 0 {
		t.Fatalf("snapshot: exit %d\n%s", code, out)
	}
	if out, code := run("diff", "now.json"); code != 0 || !strings.Contains(out, "same: ") {
		t.Errorf("diff: exit %d\n%s", code, out)
	}
}

// cannotMount is why the test cannot be done here.
func cannotMount() string {
	if os.Geteuid() != 0 {
		return "only root can bind a folder over /etc/cron.d"
	}
	for _, need := range []string{"/etc/crontab", "/etc/cron.d", "/usr/sbin/cron"} {
		if _, err := os.Stat(need); err != nil {
			return "no cron of Debian is installed: " + err.Error()
		}
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		return "no mount namespace can be made: " + strings.TrimSpace(string(out))
	}
	return ""
}
