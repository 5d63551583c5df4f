//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const pingSecret = "5d1c9b7e-aaaa-4c1f-9c55-1f2e3d4c5b6a"

// monitor is a server that writes down what it is told, and may hang.
type monitor struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
	hang func(path string) <-chan struct{} // nil: no request hangs
	came chan string                       // the path of each request, as it comes
}

func newMonitor(t *testing.T, hang ...func(path string) <-chan struct{}) *monitor {
	m := &monitor{came: make(chan string, 64)}
	if len(hang) > 0 {
		m.hang = hang[0]
	}
	m.Server = httptest.NewServer(m)
	t.Cleanup(func() { m.CloseClientConnections(); m.Server.Close() })
	return m
}

func (m *monitor) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.seen = append(m.seen, r.URL.RequestURI()+"\n"+string(body))
	m.mu.Unlock()
	m.came <- r.URL.Path
	if m.hang != nil {
		if c := m.hang(r.URL.Path); c != nil {
			select {
			case <-c:
			case <-r.Context().Done():
			}
		}
	}
}

func (m *monitor) told() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := slices.Clone(m.seen)
	m.seen = nil
	return out
}

func (m *monitor) address() string { return m.URL + "/" + pingSecret }

// runProgram is the program with a state folder and variables of its own.
func runProgram(state string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), append([]string{"ROLECALL_AS_PROGRAM=1", "ROLECALL_STATE=" + state, "NO_PROXY=127.0.0.1"}, env...)...)
	return cmd
}

// ran runs it to its end.
func ran(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	code = exitCode(cmd.Run())
	if strings.Contains(errs.String()+out.String(), pingSecret) {
		t.Errorf("the address of the monitor is shown: %s%s", out.String(), errs.String())
	}
	return code, out.String(), errs.String()
}

var ridOf = regexp.MustCompile(`[?&]rid=([0-9a-f-]{36})`)

func TestRunPings(t *testing.T) {
	m := newMonitor(t)
	state := filepath.Join(t.TempDir(), "state")
	env := []string{"ROLECALL_PING_URL=" + m.address(), "DB_PASSWORD=hunter2hunter2"}
	run := func(args ...string) (int, []string) {
		t.Helper()
		code, _, _ := ran(t, runProgram(state, env, append([]string{"run", "--role", "backup"}, args...)...))
		return code, m.told()
	}
	path := func(told string) string {
		p, _, _ := strings.Cut(told, "?")
		return strings.TrimPrefix(p, "/"+pingSecret)
	}
	rid := func(told string) string {
		found := ridOf.FindStringSubmatch(told)
		if found == nil {
			return ""
		}
		return found[1]
	}

	code, told := run("--", "sh", "-c", "env")
	if code != 0 || len(told) != 2 || path(told[0]) != "/start" || path(told[1]) != "" {
		t.Fatalf("exit %d, told %q", code, told)
	}
	if rid(told[0]) == "" || rid(told[0]) != rid(told[1]) || !strings.Contains(told[1], "completed, exit code 0") {
		t.Errorf("%q", told)
	}
	first := rid(told[0])

	code, told = run("--", "sh", "-c", `echo out of the job; echo "cannot log in with $DB_PASSWORD" >&2; printf 'a\0b\033[31m\n' >&2; exit 7`)
	if code != 7 || len(told) != 2 || path(told[1]) != "/7" || rid(told[1]) == first || rid(told[1]) != rid(told[0]) {
		t.Fatalf("exit %d, told %q", code, told)
	}
	if got := told[1]; !strings.Contains(got, "failed, exit code 7") || !strings.Contains(got, "out of the job") || !strings.Contains(got, "cannot log in with ***") ||
		strings.Contains(got, "hunter2") || strings.ContainsAny(got, "\x00\x1b") {
		t.Errorf("%q", got)
	}
	if code, told = run("--ping-output", "0", "--", "sh", "-c", "echo out of the job; exit 7"); strings.Contains(told[1], "out of the job") {
		t.Errorf("exit %d, told %q", code, told)
	}
	if code, told = run("--", "sh", "-c", "kill -9 $$"); code != 137 || path(told[1]) != "/137" {
		t.Errorf("exit %d, told %q", code, told)
	}
	if code, told = run("--", "/nowhere/job"); code != 127 || path(told[len(told)-1]) != "/127" {
		t.Errorf("exit %d, told %q", code, told)
	}
	// A run that is skipped is neither a start nor an end.
	if code, _, errs := ran(t, runProgram(state, nil, "runs", "hold", "backup")); code != 0 {
		t.Fatal(errs)
	}
	if code, told = run("--", "true"); code != 75 || len(told) != 1 || path(told[0]) != "/log" || !strings.Contains(told[0], "skipped (hold)") {
		t.Errorf("exit %d, told %q", code, told)
	}
}

// The job gets no address with which it could say that all is well, and no run
// within it pings for it.
func TestRunHidesTheAddress(t *testing.T) {
	m := newMonitor(t)
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"ledger.yaml": `ledger: rolecall/v1
roles:
  backup:
    source: web-1
    spec: {schedule: "0 3 * * *", command: /opt/backup}
    run: {ping: {env: BACKUP_PING}}
`})
	state := filepath.Join(dir, "state")
	env := []string{"ROLECALL_PING_URL=" + m.URL + "/general", "BACKUP_PING=" + m.address()}
	code, out, errs := ran(t, runProgram(state, env, "run", "--ledger", filepath.Join(dir, "ledger.yaml"), "--role", "backup", "--", "env"))
	if told := m.told(); code != 0 || len(told) != 2 || !strings.HasPrefix(told[0], "/"+pingSecret) || strings.Contains(out, "PING") {
		t.Errorf("exit %d, told %q\n%s%s", code, told, out, errs)
	}
	// A flag beats what the ledger names.
	code, _, errs = ran(t, runProgram(state, env, "run", "--ping-success", m.URL+"/own/{role}?state=complete", "--ledger", filepath.Join(dir, "ledger.yaml"), "--role", "backup", "--", "true"))
	if told := m.told(); code != 0 || len(told) != 1 || told[0] != "/own/backup?state=complete\n" {
		t.Errorf("exit %d, told %q\n%s", code, told, errs)
	}
	// Named and not set: the job runs, and a line says so.
	code, _, errs = ran(t, runProgram(state, nil, "run", "--ledger", filepath.Join(dir, "ledger.yaml"), "--role", "backup", "--", "true"))
	if code != 0 || !strings.Contains(errs, "$BACKUP_PING") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d\n%s", code, errs)
	}
	// A variable that holds no address keeps no job from running; a flag is a matter
	// of the words.
	code, _, errs = ran(t, runProgram(state, []string{"ROLECALL_PING_URL=" + pingSecret}, "run", "--role", "backup", "--", "true"))
	if code != 0 || !strings.Contains(errs, "no monitor is told") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	if code, _, errs = ran(t, runProgram(state, nil, "run", "--ping", pingSecret, "--role", "backup", "--", "true")); code != 2 {
		t.Errorf("exit %d\n%s", code, errs)
	}
}

// A monitor that is down, or hangs, changes neither verdict nor exit code.
func TestRunWithoutItsMonitor(t *testing.T) {
	down := httptest.NewServer(nil)
	down.Close()
	hangs := newMonitor(t, func(string) <-chan struct{} { return make(chan struct{}) })
	for name, address := range map[string]string{"down": down.URL + "/" + pingSecret, "hangs": hangs.address()} {
		state := filepath.Join(t.TempDir(), "state")
		for want, script := range map[int]string{0: "true", 3: "exit 3"} {
			code, _, errs := ran(t, runProgram(state, []string{"ROLECALL_PING_URL=" + address}, "run", "--ping-timeout", "300ms", "--role", "backup", "--", "sh", "-c", script))
			if code != want || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "the monitor at 127.0.0.1 was not told") {
				t.Errorf("%s: exit %d, want %d\n%s", name, code, want, errs)
			}
		}
		code, out, _ := ran(t, runProgram(state, nil, "runs", "list"))
		if code != 0 || strings.Count(out, "  completed  ") != 1 || strings.Count(out, "  failed  ") != 1 {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
	}
}

// TestDrainWaitsForNotices drains while the notice of an end hangs in a monitor:
// the run has its closure, and is in flight until the monitor has answered, or
// the notice is given up.
func TestDrainWaitsForNotices(t *testing.T) {
	for _, answers := range []bool{true, false} {
		release := make(chan struct{})
		m := newMonitor(t, func(path string) <-chan struct{} {
			if strings.HasSuffix(path, "/start") {
				return nil
			}
			return release
		})
		state := filepath.Join(t.TempDir(), "state")
		timeout := "1h"
		if !answers {
			timeout = "3s"
		}
		job := runProgram(state, []string{"ROLECALL_PING_URL=" + m.address()}, "run", "--ping-timeout", timeout, "--role", "backup", "--", "true")
		var jobErrs bytes.Buffer
		job.Stderr = &jobErrs
		if err := job.Start(); err != nil {
			t.Fatal(err)
		}
		for p := range m.came {
			if !strings.HasSuffix(p, "/start") {
				break
			}
		}
		drain := runProgram(state, nil, "drain", "--grace", "0s", "--max-grace", "0s", "-o", "json")
		told, err := drain.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		drain.Stdout = &out
		if err := drain.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(told)
		if !lines.Scan() || !strings.Contains(lines.Text(), "1 run in flight") {
			t.Errorf("answers %v: the drain says %q", answers, lines.Text())
		}
		if answers {
			close(release)
		}
		for lines.Scan() {
		}
		if code := exitCode(drain.Wait()); code != 0 || !strings.Contains(out.String(), `"result": "finished"`) || !strings.Contains(out.String(), `"state": "completed"`) {
			t.Errorf("answers %v: drain: exit %d\n%s", answers, code, out.String())
		}
		if code := exitCode(job.Wait()); code != 0 || strings.Contains(jobErrs.String(), "not told") == answers {
			t.Errorf("answers %v: run: exit %d\n%s", answers, code, jobErrs.String())
		}
	}
}

// A drain's verdict is what the monitor is told, and the two roles are given each
// its own grace under one ceiling.
func TestDrainAndPings(t *testing.T) {
	m := newMonitor(t)
	dir := t.TempDir()
	state, up, end := filepath.Join(dir, "state"), filepath.Join(dir, "up"), filepath.Join(dir, "end")
	for _, f := range []string{up, end} {
		if err := exec.Command("mkfifo", f).Run(); err != nil {
			t.Fatal(err)
		}
	}
	start := func(role, grace, script string) *exec.Cmd {
		cmd := runProgram(state, []string{"ROLECALL_PING_URL=" + m.URL + "/{role}"}, "run", "--grace", grace, "--kill-after", "30s", "--role", role, "--", "sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(up); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	short := start("short", "0s", fmt.Sprintf("trap 'exit 0' TERM; echo up > %s; while :; do sleep 0.05; done", up))
	long := start("long", "1h", fmt.Sprintf("echo up > %s; read x < %s", up, end))
	drain := runProgram(state, nil, "drain", "--max-grace", "30m")
	if err := drain.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(short.Wait()); code != 143 {
		t.Errorf("short: exit %d", code)
	}
	if err := os.WriteFile(end, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(long.Wait()); code != 0 {
		t.Errorf("long: exit %d", code)
	}
	if code := exitCode(drain.Wait()); code != 1 {
		t.Errorf("drain: exit %d", code)
	}
	told := strings.Join(m.told(), "")
	if !strings.Contains(told, "/short/143?rid=") || !strings.Contains(told, "short "+"000001-") || !strings.Contains(told, "interrupted (drain-grace-over)") || !strings.Contains(told, "/long?rid=") {
		t.Errorf("%q", told)
	}
}
