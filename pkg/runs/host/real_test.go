//go:build linux

package host

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/runtest"
)

// The tests with real processes: the test's own binary is the wrapper, so that a
// step-counting file system can stand in it, which the shipped program has not.

// order is what a wrapper process is told to do.
type order struct {
	State  string
	Plan   runs.Plan
	Drain  bool
	Grace  time.Duration
	KillAt int    // the file system's step before which it kills itself; 0: none
	HoldAt string // "op name-suffix": it says held on fd 3, and waits for a byte on fd 4
	Count  bool   // it prints the number of its steps on fd 3
}

const orderVariable = "ROLECALL_TEST_ORDER"

func TestMain(m *testing.M) {
	text := os.Getenv(orderVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	os.Unsetenv(orderVariable)
	os.Exit(o.obey())
}

func (o order) obey() int {
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
	m, err := New()
	if err != nil {
		panic(err)
	}
	steps := &stepping{Disk: Disk{}, o: o}
	m.FS = steps
	store := runs.Store{Machine: m, Root: o.State}
	if o.Drain {
		d := runs.Drainer{Store: store, Grace: o.Grace, For: time.Hour, Poll: 20 * time.Millisecond}
		out := d.Drain()
		json.NewEncoder(os.Stdout).Encode(out)
		return out.Code()
	}
	in := make(chan os.Signal, 16)
	signal.Notify(in, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	stops := make(chan runs.Signal, 16)
	go func() {
		for s := range in {
			stops <- runs.Signal(s.(syscall.Signal))
			if o.HoldAt != "" {
				fmt.Fprintln(os.NewFile(3, "told"), "signal")
			}
		}
	}()
	o.Plan.Env = os.Environ()
	w := runs.Wrapper{Store: store, Launcher: Launcher{Stdout: os.Stdout, Stderr: os.Stderr}, Stops: stops,
		Warn: func(s string) { fmt.Fprintln(os.Stderr, s) }}
	out := w.Run(o.Plan)
	if out.Message != "" {
		fmt.Fprintln(os.Stderr, out.Message)
	}
	if o.Count {
		fmt.Fprintln(os.NewFile(3, "told"), steps.n)
	}
	return out.Code
}

// stepping counts the steps that change something, kills its process before one
// of them, or holds it there.
type stepping struct {
	Disk
	o order
	n int
}

func (s *stepping) step(op, name string) {
	s.n++
	if s.n == s.o.KillAt {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	if at := s.o.HoldAt; at != "" {
		if wantOp, suffix, _ := strings.Cut(at, " "); wantOp == op && strings.HasSuffix(name, suffix) {
			s.o.HoldAt = ""
			fmt.Fprintln(os.NewFile(3, "told"), "held")
			os.NewFile(4, "go").Read(make([]byte, 1))
		}
	}
}

func (s *stepping) Mkdir(n string) error { s.step("mkdir", n); return s.Disk.Mkdir(n) }
func (s *stepping) Create(n string) (runs.File, error) {
	s.step("create", n)
	f, err := s.Disk.Create(n)
	if err != nil {
		return nil, err
	}
	return steppingFile{f, s, n}, nil
}
func (s *stepping) Reserve(n string, size int64) error {
	s.step("reserve", n)
	return s.Disk.Reserve(n, size)
}
func (s *stepping) Link(o, n string) error   { s.step("link", n); return s.Disk.Link(o, n) }
func (s *stepping) Rename(o, n string) error { s.step("rename", n); return s.Disk.Rename(o, n) }
func (s *stepping) Remove(n string) error    { s.step("remove", n); return s.Disk.Remove(n) }
func (s *stepping) SyncFile(n string) error  { s.step("syncfile", n); return s.Disk.SyncFile(n) }
func (s *stepping) SyncDir(n string) error   { s.step("syncdir", n); return s.Disk.SyncDir(n) }

type steppingFile struct {
	runs.File
	s *stepping
	n string
}

func (f steppingFile) Write(b []byte) (int, error) { f.s.step("write", f.n); return f.File.Write(b) }
func (f steppingFile) Sync() error                 { f.s.step("sync", f.n); return f.File.Sync() }

// real is a state folder with real processes.
type real struct {
	*testing.T
	dir   string
	inv   runtest.Invariants
	store runs.Store
}

func newReal(t *testing.T) *real {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if m.FS.Scope(dir) != runs.ScopeLocal {
		t.Skip("the temporary folder is on a file system whose locks are not known to be local")
	}
	r := &real{T: t, dir: dir, store: runs.Store{Machine: m, Root: filepath.Join(dir, "state")}}
	if err := os.Mkdir(filepath.Join(dir, "srv"), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *real) final() string { return filepath.Join(r.dir, "srv", "dump") }

func (r *real) plan(script string) runs.Plan {
	b := runs.DefaultBudgets()
	b.KillAfter = 2 * time.Second
	return runs.Plan{Role: "backup", SpecHash: "rc1:aa", Argv: []string{"/bin/sh", "-c", script}, Policy: runs.Retry,
		Overlap: runs.OverlapSkip, Capture: runs.CaptureTee, Helper: 10 * time.Second, Settle: 3 * time.Millisecond, Budgets: b}
}

// full is a plan that promotes what the script leaves in dump.
func (r *real) full(script, mark string) runs.Plan {
	p := r.plan(script)
	p.Outputs = []runs.Output{{Staged: "dump", Final: r.final()}}
	p.WatermarkTo = mark
	return p
}

// child is a process of a test.
type child struct {
	*exec.Cmd
	t          *testing.T
	out, errs  strings.Builder
	told       *os.File // what it says on fd 3
	goOn       *os.File // its fd 4
	toldWriter *os.File
	goReader   *os.File
}

// start starts a wrapper or a drain in a session of its own.
func (r *real) start(o order, tune ...func(*child)) *child {
	r.Helper()
	o.State = r.store.Root
	text, err := json.Marshal(o)
	if err != nil {
		r.Fatal(err)
	}
	c := &child{Cmd: exec.Command(os.Args[0]), t: r.T}
	c.Env = append(os.Environ(), orderVariable+"="+string(text))
	c.Stdout, c.Stderr = &c.out, &c.errs
	c.told, c.toldWriter = pipe(r.T)
	c.goReader, c.goOn = pipe(r.T)
	c.ExtraFiles = []*os.File{c.toldWriter, c.goReader}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	for _, f := range tune {
		f(c)
	}
	if err := c.Start(); err != nil {
		r.Fatal(err)
	}
	c.toldWriter.Close()
	c.goReader.Close()
	r.Cleanup(func() { c.Process.Kill(); c.told.Close(); c.goOn.Close() })
	return c
}

func pipe(t *testing.T) (*os.File, *os.File) {
	rd, wr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return rd, wr
}

// code waits for the end.
func (c *child) code() int {
	c.t.Helper()
	err := c.Wait()
	if c.ProcessState == nil {
		c.t.Fatal(err)
	}
	if ws := c.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		return -int(ws.Signal())
	}
	return c.ProcessState.ExitCode()
}

// hears waits for a line on fd 3.
func (c *child) hears() string {
	c.t.Helper()
	buf := make([]byte, 100)
	n, err := c.told.Read(buf)
	if err != nil && err != io.EOF {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(string(buf[:n]))
}

func (r *real) run(p runs.Plan) (int, *child) {
	r.Helper()
	c := r.start(order{Plan: p})
	code := c.code()
	r.holds()
	return code, c
}

func (r *real) holds() {
	r.Helper()
	for _, wrong := range r.inv.Check(&r.store) {
		r.Error(wrong)
	}
}

func (r *real) last() (*runs.Run, runs.State) {
	r.Helper()
	ids, _, err := r.store.IDs("backup")
	if err != nil || len(ids) == 0 {
		r.Fatal("no run", err)
	}
	run := r.store.Load("backup", ids[len(ids)-1])
	return run, run.State(r.store.Life(run))
}

func (r *real) want(state runs.State, cause string) *runs.Run {
	r.Helper()
	run, got := r.last()
	if got != state || cause != "" && run.Terminal != nil && run.Terminal.Body.Cause != cause {
		r.Errorf("the run is %s (%v), want %s (%s)", got, run.Terminal, state, cause)
	}
	return run
}

// fifo is a named pipe by which a job and a test wait for each other.
func (r *real) fifo(name string) string {
	r.Helper()
	path := filepath.Join(r.dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		r.Fatal(err)
	}
	return path
}

// reads waits until a job writes to a fifo.
func (r *real) reads(path string) string {
	r.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// until looks again and again, within a bound that no sound machine needs.
func (r *real) until(what string, cond func() bool) {
	r.Helper()
	end := time.Now().Add(60 * time.Second)
	for !cond() {
		if time.Now().After(end) {
			r.Fatalf("it never came: %s", what)
		}
		wait(5 * time.Millisecond)
	}
}

func wait(d time.Duration) { <-time.After(d) }

// recorded waits until the run's start is.
func (r *real) recorded() *runs.Run {
	r.Helper()
	var run *runs.Run
	r.until("started.json", func() bool {
		ids, _, _ := r.store.IDs("backup")
		if len(ids) == 0 {
			return false
		}
		run = r.store.Load("backup", ids[len(ids)-1])
		return run.Started != nil
	})
	return run
}

func (r *real) content() string {
	data, err := os.ReadFile(r.final())
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func (r *real) mark() string {
	r.Helper()
	w, err := r.store.Watermark("backup")
	if err != nil {
		r.Fatal(err)
	}
	if w == nil {
		return ""
	}
	return w.Body.Value
}

func (r *real) drain(grace time.Duration) (int, runs.Drained) {
	r.Helper()
	c := r.start(order{Drain: true, Grace: grace})
	code := c.code()
	var d runs.Drained
	if err := json.Unmarshal([]byte(c.out.String()), &d); err != nil {
		r.Fatalf("%v: %s%s", err, c.out.String(), c.errs.String())
	}
	return code, d
}
