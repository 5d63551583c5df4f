//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// hanging is the program at work on a source that never answers.
type hanging struct {
	t    *testing.T
	dir  string
	cmd  *exec.Cmd
	out  bytes.Buffer
	logs *bufio.Reader
	said bytes.Buffer // what was read of the logs
	stop context.CancelFunc
}

// patience is how long a program that was told to end may take before the test
// gives up on it. It is no measure of how fast it is.
const patience = 30 * time.Second

func hang(t *testing.T, dir string, stdin io.Reader, args ...string) *hanging {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(stop)
	h := &hanging{t: t, dir: dir, stop: stop}
	h.cmd = exec.CommandContext(ctx, "rolecall", append(args, "-vv")...)
	h.cmd.Dir, h.cmd.Stdin, h.cmd.Stdout = dir, stdin, &h.out
	h.cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"), "KUBECONFIG="+filepath.Join(dir, "kubeconfig"), "GH_TOKEN=x", "GH_HOST=")
	stderr, err := h.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.logs = bufio.NewReader(io.TeeReader(stderr, &h.said))
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return h
}

// until waits for a line of the log, which says that the source is being read.
func (h *hanging) until(text string) {
	h.t.Helper()
	for {
		line, err := h.logs.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			h.t.Fatalf("the program ended before it said %q: %s", text, h.said.String())
		}
	}
}

// ends sends a signal and gives the exit code.
func (h *hanging) ends(s os.Signal) int {
	h.t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		h.t.Fatal(err)
	}
	timer := time.AfterFunc(patience, h.stop)
	defer timer.Stop()
	io.Copy(io.Discard, h.logs)
	err := h.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.t.Fatal(err)
	}
	return h.cmd.ProcessState.ExitCode()
}

// nothingLeft holds the folder to the files that it had.
func (h *hanging) nothingLeft(before []string) {
	h.t.Helper()
	if after := listed(h.t, h.dir); strings.Join(after, "\n") != strings.Join(before, "\n") {
		h.t.Errorf("the folder holds\n%s\nand held\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	if h.out.Len() > 0 {
		h.t.Errorf("standard output holds %q", h.out.String())
	}
}

// listed are the files below a folder, without those that are kept for another
// run.
func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".cache" {
			return filepath.SkipDir
		}
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// silent is a server that takes requests and answers none; asked tells of the
// first.
func silent(t *testing.T) (url string, asked <-chan struct{}) {
	t.Helper()
	first := make(chan struct{})
	var once sync.Once
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(first) })
		select {
		case <-ended:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(ended); s.Close() })
	return s.URL, first
}

// interrupted is a folder with one source of each kind that does not answer.
func interrupted(t *testing.T, api string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"rolecall.yaml": `ledger: ledger.yaml
sources:
  - {name: hub, github: {repos: [acme/slow], api: "` + api + `"}}
  - {name: cluster, kubernetes: {context: slow, all_namespaces: true}}
  - {name: pipe, kubernetes: {manifests: [pipe.yaml]}}
  - {name: stdin, crontab: {files: ["-"], dialect: debian}}
`,
		"ledger.yaml": `ledger: rolecall/v1
name: slow
roles:
  a: {owner: x, source: hub, version: "1", spec: {schedule: ["0 1 * * *"]}}
  b: {owner: x, source: cluster, version: "1", spec: {schedule: "0 1 * * *"}}
  c: {owner: x, source: pipe, version: "1", spec: {schedule: "0 1 * * *"}}
  d: {owner: x, source: stdin, version: "1", spec: {schedule: "0 1 * * *"}}
`,
		"kubeconfig": `{apiVersion: v1, kind: Config, current-context: slow,
clusters: [{name: slow, cluster: {server: "` + api + `"}}], users: [{name: slow, user: {token: x}}],
contexts: [{name: slow, context: {cluster: slow, user: slow}}]}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

var signals = []struct {
	signal os.Signal
	code   int
}{{os.Interrupt, 130}, {syscall.SIGTERM, 143}}

// TestInterrupted ends the program while it waits for a source. It must go, with
// the code of the signal, and leave no report that looks whole.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"audit hub", []string{"audit", "--source", "hub", "-o", "json=report.json", "-o", "text"}},
		{"audit cluster", []string{"audit", "--source", "cluster", "-o", "json=report.json", "-o", "text"}},
		{"audit both", []string{"audit", "--source", "hub,cluster", "--settle", "1h", "-o", "json=report.json"}},
		{"list", []string{"list", "--source", "hub", "-o", "json=list.json"}},
		{"snapshot", []string{"snapshot", "--source", "cluster", "-o", "json=hub.json"}},
		{"explain", []string{"explain", "b"}},
		{"doctor", []string{"doctor", "--source", "hub"}},
		{"init", []string{"ledger", "init", "--source", "hub", "--ledger", "begun.yaml"}},
	} {
		for _, s := range signals {
			t.Run(c.name+" "+s.signal.String(), func(t *testing.T) {
				t.Parallel()
				api, asked := silent(t)
				dir := interrupted(t, api)
				before := listed(t, dir)
				h := hang(t, dir, nil, c.args...)
				select {
				case <-asked:
				case <-time.After(patience):
					h.stop()
					t.Fatalf("no request came: %s", h.said.String())
				}
				if code := h.ends(s.signal); code != s.code {
					t.Errorf("exit %d, not %d: %s", code, s.code, h.said.String())
				}
				h.nothingLeft(before)
			})
		}
	}
}

// TestInterruptedReading ends the program in a read that nothing can cancel: of
// a pipe that nobody writes to.
func TestInterruptedReading(t *testing.T) {
	for _, source := range []string{"pipe", "stdin"} {
		for _, s := range signals {
			t.Run(source+" "+s.signal.String(), func(t *testing.T) {
				t.Parallel()
				dir := interrupted(t, "http://127.0.0.1:1")
				before := listed(t, dir)
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				defer w.Close()
				h := hang(t, dir, r, "audit", "--offline", "--source", source, "-o", "json=report.json")
				h.until("reading")
				if code := h.ends(s.signal); code != s.code {
					t.Errorf("exit %d, not %d: %s", code, s.code, h.said.String())
				}
				h.nothingLeft(before)
			})
		}
	}
}

// TestSecondSignal: who asks twice does not want to wait.
func TestSecondSignal(t *testing.T) {
	api, asked := silent(t)
	h := hang(t, interrupted(t, api), nil, "audit", "--source", "hub")
	<-asked
	if err := h.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := h.ends(os.Interrupt); code != 130 && code != -1 {
		t.Errorf("exit %d, not 130, nor killed by the signal: %s", code, h.said.String())
	}
}
