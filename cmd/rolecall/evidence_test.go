//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// TestEvidenceUnderCron lets the real Debian cron run three jobs through rolecall
// run, for one minute of the real clock: the audit of that host says what was
// executed and succeeded by the records alone, and that a job which succeeded
// before has begun to fail.
func TestEvidenceUnderCron(t *testing.T) {
	if why := cannotMount(); why != "" {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	t.Parallel()
	h := newCronHost(t)
	h.write("cron.d/jobs", fmt.Sprintf(`ROLECALL_AS_PROGRAM=1
ROLECALL_STATE=%[1]s/state
# rolecall: role=good version=1
* * * * * root %[1]s/rolecall run --role good -- true
# rolecall: role=bad version=1
* * * * * root %[1]s/rolecall run --role bad -- sh -c 'exit 3'
# rolecall: role=idle version=1
0 0 1 1 * root %[1]s/rolecall run --role idle -- true
`, h.dir))
	h.write("rolecall.yaml", "ledger: ledger.yaml\nsources:\n  - name: host\n    unexpected: ignore\n    crontab: {system: true, zone: UTC, runs: state}\n")
	ledger := "ledger: rolecall/v1\nname: host\nroles:\n"
	for role, when := range map[string]string{"good": "* * * * *", "bad": "* * * * *", "idle": "0 0 1 1 *"} {
		ledger += fmt.Sprintf("  %s:\n    owner: ops\n    source: host\n    version: \"1\"\n    spec: {schedule: %q, user: root}\n    run: {max_runtime: 30s}\n    evidence: {since: 2020-01-01}\n", role, when)
	}
	h.write("ledger.yaml", ledger)
	if out, code := h.run("run", "--state", filepath.Join(h.dir, "state"), "--role", "bad", "--", "true"); code != 0 {
		t.Fatalf("the success by hand: exit %d\n%s", code, out)
	}
	h.start()

	failed := h.awaitRuns()
	stages, _ := h.audit()
	for role, want := range map[string]string{"good": "yes yes", "bad": "yes yes|yes late", "idle": "never never"} {
		if !strings.Contains("|"+want+"|", "|"+stages[role]+"|") {
			t.Errorf("%s: %s, want %s", role, stages[role], want)
		}
	}
	// Two instants and the longest runtime after the success by hand, and one start.
	later := failed.Truncate(time.Minute).Add(time.Minute + 31*time.Second)
	stages, findings := h.audit("--now", later.Format(time.RFC3339))
	if stages["bad"] != "yes stale" || !strings.Contains(findings, "not-succeeded:bad@host stopped-succeeding") || strings.Contains(findings, ":good@") {
		t.Errorf("at %v bad is %s; findings:\n%s", later, stages["bad"], findings)
	}
	// Then cron is stopped, and nothing but the silence says so.
	h.stop()
	_, findings = h.audit("--now", later.Add(time.Hour).Format(time.RFC3339))
	for _, want := range []string{"not-executed:bad@host stopped", "not-executed:good@host stopped"} {
		if !strings.Contains(findings, want) {
			t.Errorf("no %s in:\n%s", want, findings)
		}
	}
}

// cronHost is this machine with crontabs of its own, in a mount namespace.
type cronHost struct {
	t    *testing.T
	dir  string
	cron *exec.Cmd
	said bytes.Buffer
}

func newCronHost(t *testing.T) *cronHost {
	t.Helper()
	dir, err := os.MkdirTemp("", "rolecall-cron") // a short path, for the line of the crontab
	if err != nil {
		t.Fatal(err)
	}
	h := &cronHost{t: t, dir: dir}
	t.Cleanup(func() {
		if h.stop(); t.Failed() {
			t.Logf("cron said: %s", h.said.String())
		}
		os.RemoveAll(dir)
	})
	for _, d := range []string{"cron.d", "spool/crontabs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.write("crontab", "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "rolecall")); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *cronHost) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// inside is a program that sees the crontabs in the place of the machine's.
func (h *cronHost) inside(args ...string) *exec.Cmd {
	const script = `mount --bind "$0/cron.d" /etc/cron.d && mount --bind "$0/spool" /var/spool/cron && mount --bind "$0/crontab" /etc/crontab && mount -t tmpfs none /run && exec "$@"`
	cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, h.dir}, args...)...)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), "ROLECALL_AS_PROGRAM=1", "NO_COLOR=1", "XDG_CONFIG_HOME="+h.dir)
	return cmd
}

func (h *cronHost) run(args ...string) (string, int) {
	h.t.Helper()
	cmd := h.inside(append([]string{filepath.Join(h.dir, "rolecall")}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		h.t.Fatal(err)
	}
	return out.String() + errs.String(), cmd.ProcessState.ExitCode()
}

func (h *cronHost) start() {
	h.t.Helper()
	h.cron = h.inside("/usr/sbin/cron", "-f")
	h.cron.Stdout, h.cron.Stderr = &h.said, &h.said
	h.cron.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := h.cron.Start(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *cronHost) stop() {
	if h.cron != nil && h.cron.ProcessState == nil {
		h.cron.Process.Kill()
		h.cron.Wait()
	}
}

// awaitRuns waits until cron has run both jobs, and says when the bad one ended.
func (h *cronHost) awaitRuns() time.Time {
	h.t.Helper()
	var at time.Time
	kubetest.Eventually(h.t, 3*time.Minute, "cron to run good and bad", func() (bool, string) {
		good, _ := h.last("good")
		bad, began := h.last("bad")
		at = began
		return good == "completed" && bad == "failed", fmt.Sprintf("good %q, bad %q", good, bad)
	})
	return at
}

// last is how the last run of a role stands, and when it began.
func (h *cronHost) last(role string) (string, time.Time) {
	names, _ := filepath.Glob(filepath.Join(h.dir, "state/runs", role, "*/terminal.json"))
	if len(names) == 0 {
		return "", time.Time{}
	}
	data, err := os.ReadFile(names[len(names)-1])
	var r struct {
		Body struct {
			State   string     `json:"state"`
			Started *time.Time `json:"started"`
		} `json:"body"`
	}
	if err != nil || json.Unmarshal(data, &r) != nil || r.Body.Started == nil {
		return "", time.Time{}
	}
	return r.Body.State, *r.Body.Started
}

// audit gives the stages of each role, and the findings.
func (h *cronHost) audit(args ...string) (map[string]string, string) {
	h.t.Helper()
	out, code := h.run(append([]string{"audit", "--settle", "0", "-o", "json"}, args...)...)
	var r struct {
		Roles []struct {
			Role   string
			Stages struct{ Executed, Succeeded string }
		}
		Findings []struct{ ID, Reason, Message string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		h.t.Fatalf("exit %d: %v\n%s", code, err, out)
	}
	stages, findings := map[string]string{}, ""
	for _, role := range r.Roles {
		stages[role.Role] = role.Stages.Executed + " " + role.Stages.Succeeded
	}
	for _, f := range r.Findings {
		findings += f.ID + " " + f.Reason + ": " + f.Message + "\n"
	}
	return stages, findings
}
