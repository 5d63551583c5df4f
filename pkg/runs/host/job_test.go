//go:build linux

package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// Case 38: exit codes and signals come through exactly. SIGSTOP and its like do
// not end a process, nor do those that are ignored by default.
func TestRealExitCodes(t *testing.T) {
	r := newReal(t)
	codes := []int{0, 1, 2, 3, 42, 64, 70, 73, 74, 75, 125, 126, 127, 128, 130, 137, 143, 200, 254, 255}
	if *allCodes {
		codes = nil
		for c := range 256 {
			codes = append(codes, c)
		}
	}
	for _, code := range codes {
		if got, c := r.run(r.plan(fmt.Sprintf("exit %d", code))); got != code {
			t.Errorf("%d came as %d: %s", code, got, c.errs.String())
		}
	}
	endure := map[syscall.Signal]bool{syscall.SIGCHLD: true, syscall.SIGCONT: true, syscall.SIGSTOP: true, syscall.SIGTSTP: true,
		syscall.SIGTTIN: true, syscall.SIGTTOU: true, syscall.SIGURG: true, syscall.SIGWINCH: true}
	for s := syscall.Signal(1); s <= 31; s++ {
		if endure[s] {
			continue
		}
		if got, c := r.run(r.plan(fmt.Sprintf("ulimit -c 0; kill -%d $$", s))); got != 128+int(s) {
			t.Errorf("signal %d came as %d: %s", s, got, c.errs.String())
		}
		if run := r.want(runs.Interrupted, runs.CauseKilled); run.Terminal.Body.Exit.Signal != runs.Signal(s) {
			t.Errorf("signal %d: %+v", s, run.Terminal.Body.Exit)
		}
	}
}

// Case 37: missing, not executable, no such folder.
func TestRealCannotStart(t *testing.T) {
	r := newReal(t)
	plain := filepath.Join(r.dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(r.dir, "binary")
	if err := os.WriteFile(binary, []byte("\x00\x01"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		argv []string
		dir  string
		want int
	}{
		{[]string{"/nowhere/job"}, "", 127}, {[]string{"no-such-job-here"}, "", 127}, {[]string{plain}, "", 126},
		{[]string{r.dir}, "", 126}, {[]string{binary}, "", 126}, {[]string{"/bin/true"}, "/nowhere", 126},
	} {
		p := r.full("", "20")
		p.Argv, p.Dir = c.argv, c.dir
		if got, out := r.run(p); got != c.want {
			t.Errorf("%v: %d, want %d: %s", c.argv, got, c.want, out.errs.String())
		}
		if run := r.want(runs.Failed, runs.CauseExec); run.Started != nil {
			t.Error("it is recorded as started")
		}
	}
}

// Case 34: a daemon that keeps its files, and one that closes them.
func TestRealDaemons(t *testing.T) {
	for _, closes := range []bool{false, true} {
		r := newReal(t)
		tell := r.fifo("tell")
		shut := ""
		if closes {
			shut = "exec 97>&-;" // which dash cannot say
		}
		c := r.start(order{Plan: r.plan(fmt.Sprintf(`setsid bash -c '%s echo $$ > %s; exec sleep 1000' >/dev/null 2>&1 & wait`, shut, tell))})
		var daemon int
		fmt.Sscan(r.reads(tell), &daemon)
		run := r.recorded()
		c.Process.Kill()
		c.Wait()
		syscall.Kill(-run.Started.Body.Child.PID, syscall.SIGKILL)
		r.until("the job's end", func() bool { return gonePID(run.Started.Body.Child.PID) })
		want := map[bool]runs.State{false: runs.Orphaned, true: runs.OwnerLost}[closes]
		if got := run.State(r.store.Life(run)); got != want {
			t.Errorf("closes %v: %s, want %s", closes, got, want)
		}
		if lock, err := r.store.Locks.Exclusive(filepath.Join(r.store.Root, "roles/backup/lock")); err != nil {
			t.Errorf("the role's lock: %v", err)
		} else {
			lock.Release()
		}
		holders, err := r.store.Holders(filepath.Join(run.Dir, "desc.lock"))
		if err != nil || (len(holders) > 0) == closes {
			t.Errorf("closes %v: holders %v, %v", closes, holders, err)
		}
		syscall.Kill(daemon, syscall.SIGKILL)
	}
}

// Case 35: a flood, long lines, bytes of any kind, both outputs at once.
func TestRealFlood(t *testing.T) {
	r := newReal(t)
	const mb = 1 << 20
	size := *flood * mb
	peaks := filepath.Join(r.dir, "peaks")
	peak := "grep VmHWM /proc/$PPID/status >> " + peaks // of the wrapper, which is the job's parent
	script := fmt.Sprintf(`%s; head -c %d /dev/zero >&2; echo begin; head -c %d /dev/zero | tr '\0' x; echo end; %s`, peak, 10*mb, size, peak)
	for _, mode := range []string{runs.CaptureTee, runs.CaptureFile} {
		p := r.plan(script)
		p.Capture = mode
		c := r.start(order{Plan: p}, func(c *child) { c.Stdout, c.Stderr = io.Discard, io.Discard })
		if code := c.code(); code != 0 {
			t.Errorf("%s: %d", mode, code)
		}
		run := r.want(runs.Completed, "")
		out, errs := run.Terminal.Body.Out, run.Terminal.Body.Err
		total := int64(size + len("begin\nend\n"))
		if out.Kept+out.Dropped != total || errs.Kept+errs.Dropped != 10*mb {
			t.Errorf("%s: %+v %+v", mode, out, errs)
		}
		data, err := os.ReadFile(filepath.Join(run.Dir, "out.log"))
		if err != nil || !bytes.HasPrefix(data, []byte("begin\nxxx")) || !bytes.HasSuffix(data, []byte("xend\n")) {
			t.Errorf("%s: %d bytes, %v", mode, len(data), err)
		}
		if mode == runs.CaptureTee && (len(data) > 200<<10 || !bytes.Contains(data, []byte(fmt.Sprintf("[rolecall: %d bytes are left out here]", out.Dropped)))) {
			t.Errorf("%d bytes kept", len(data))
		}
		said, _ := os.ReadFile(peaks)
		os.Remove(peaks)
		var before, after int
		if n, err := fmt.Sscanf(string(said), "VmHWM: %d kB\nVmHWM: %d kB", &before, &after); n != 2 {
			t.Fatalf("%q: %v", said, err)
		}
		t.Logf("%s: the wrapper's peak is %d KiB, %d KiB before %d MiB of output", mode, after, before, *flood+10)
		if after-before > 16<<10 {
			t.Errorf("%s: with %d MiB of output the wrapper has grown by %d KiB", mode, *flood+10, after-before)
		}
	}
}

// Case 36: nobody reads our output any more. Case 24: our output is full.
func TestRealOutputGone(t *testing.T) {
	r := newReal(t)
	rd, wr := pipe(t)
	c := r.start(order{Plan: r.plan(`i=0; while [ $i -lt 2000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done; exit 7`)},
		func(c *child) { c.Stdout = wr })
	wr.Close()
	io.ReadFull(rd, make([]byte, 10))
	rd.Close()
	if code := c.code(); code != 7 {
		t.Errorf("exit code %d: %s", code, c.errs.String())
	}
	if run := r.want(runs.Failed, runs.CauseExit); run.Terminal.Body.Out.Kept+run.Terminal.Body.Out.Dropped != 2000*41 {
		t.Errorf("%+v", run.Terminal.Body.Out)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	c = r.start(order{Plan: r.plan(`head -c 1000000 /dev/zero; exit 5`)}, func(c *child) { c.Stdout, c.Stderr = full, full })
	if code := c.code(); code != 5 {
		t.Errorf("exit code %d", code)
	}
	if run := r.want(runs.Failed, runs.CauseExit); run.Terminal.Body.Out.Kept+run.Terminal.Body.Out.Dropped != 1000000 {
		t.Errorf("%+v", run.Terminal.Body.Out)
	}
}

// Case 24: the logs cannot be written; the job does not know.
func TestRealLogsFull(t *testing.T) {
	s := &stream{log: keep("/dev/full")}
	s.take(bytes.Repeat([]byte("x"), 300<<10))
	got := s.log.finish()
	if got.Failed == 0 || got.Kept+got.Failed+got.Dropped != 300<<10 {
		t.Errorf("%+v", got)
	}
	s = &stream{log: keep("/nowhere/out.log")}
	s.take([]byte("abc"))
	if got := s.log.finish(); got.Failed != 3 || got.Kept != 0 {
		t.Errorf("%+v", got)
	}
}

func TestKeeper(t *testing.T) {
	for _, size := range []int{0, 1, headSize - 1, headSize, headSize + 1, headSize + tailSize, headSize + tailSize + 1, 3*headSize + 17} {
		for _, piece := range []int{1 << 20, 1000, 77777} {
			name := filepath.Join(t.TempDir(), "log")
			k := keep(name)
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(i*7 + i>>8)
			}
			for rest := data; len(rest) > 0; {
				n := min(piece, len(rest))
				k.add(rest[:n])
				rest = rest[n:]
			}
			got := k.finish()
			if got.Kept+got.Dropped != int64(size) || got.Failed != 0 {
				t.Errorf("%d: %+v", size, got)
			}
			kept, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			head, tail := data[:min(size, headSize)], data[max(0, size-tailSize):]
			if !bytes.HasPrefix(kept, head) || size > headSize && !bytes.HasSuffix(kept, tail[max(0, len(tail)-(size-headSize)):]) {
				t.Errorf("%d bytes by %d: head or tail is not what came", size, piece)
			}
			if got.Dropped == 0 && !bytes.Equal(kept, data) {
				t.Errorf("%d bytes by %d: nothing was dropped and it differs", size, piece)
			}
		}
	}
}

// Case 26 with two real file systems.
func TestRealOtherFileSystem(t *testing.T) {
	r := newReal(t)
	shm, err := os.MkdirTemp("/dev/shm", "rolecall")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(shm)
	a, _ := os.Stat(shm)
	b, _ := os.Stat(r.dir)
	if a.Sys().(*syscall.Stat_t).Dev == b.Sys().(*syscall.Stat_t).Dev {
		t.Skip("there is only one file system")
	}
	p := r.full(`echo ran >&2; `+leaves, "20")
	p.Outputs[0].Final = filepath.Join(shm, "dump")
	code, c := r.run(p)
	if code != runs.ExitCannotRecord || strings.Contains(c.errs.String(), "ran\n") || !strings.Contains(c.errs.String(), "--staging") {
		t.Errorf("%d %s", code, c.errs.String())
	}
	r.want(runs.Failed, runs.CausePreflight)
	p.Staging = shm
	if code, c := r.run(p); code != 0 {
		t.Errorf("%d %s", code, c.errs.String())
	}
	entries, _ := os.ReadDir(shm)
	if len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
}

// Case 25 with a folder that an ordinary user cannot write to, and case 24 with a
// file system that is full.
func TestRealNoRoom(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root mounts a file system")
	}
	r := newReal(t)
	small := filepath.Join(r.dir, "small")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer syscall.Unmount(small, 0)
	r.store.Root = filepath.Join(small, "state")
	fills := fmt.Sprintf(`cat /dev/zero > %s/filler 2>/dev/null; true; `, small)
	p := r.plan(fills + "exit 9")
	p.External = true
	if code, c := r.run(p); code != 9 {
		t.Errorf("%d %s", code, c.errs.String())
	}
	r.want(runs.Failed, runs.CauseExit) // by the reserve
	code, c := r.run(r.full(leaves, "20"))
	if code != runs.ExitCannotRecord {
		t.Errorf("%d %s", code, c.errs.String())
	}
	if code, c := r.run(r.plan("exit 4")); code != 4 || !strings.Contains(c.errs.String(), "not recorded") {
		t.Errorf("%d %s", code, c.errs.String())
	}
	os.Remove(filepath.Join(small, "filler"))
	p = r.full(leaves+"; "+fills, "20")
	p.Outputs[0].Final = filepath.Join(small, "dump")
	if code, c := r.run(p); code != 0 { // the reserves make room for the watermark too
		t.Errorf("no room at the commit: %d %s", code, c.errs.String())
	}
	r.want(runs.Completed, "")
	os.Remove(filepath.Join(small, "filler"))
	if err := syscall.Mount("", small, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	if code, c := r.run(r.full(leaves, "30")); code != runs.ExitCannotRecord {
		t.Errorf("read-only, strict: %d %s", code, c.errs.String())
	}
	if code, _ := r.run(r.plan("exit 4")); code != 4 {
		t.Errorf("read-only, best effort: %d", code)
	}
}

// Case 32 with real numbers.
func TestRealIdentity(t *testing.T) {
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	stranger := exec.Command("sleep", "1000")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stranger.Process.Kill(); stranger.Wait() }()
	p := m.Processes.(Processes)
	id := p.of(stranger.Process.Pid)
	if err := m.Alive(id); err != nil {
		t.Errorf("%v", err)
	}
	for name, bad := range map[string]func(*runs.Process){
		"start time": func(p *runs.Process) { p.StartTime++ },
		"boot":       func(p *runs.Process) { p.BootID = "another" },
		"namespace":  func(p *runs.Process) { p.Namespace = "pid:[1]" },
		"nothing":    func(p *runs.Process) { p.StartTime = 0 },
		"init":       func(p *runs.Process) { p.PID = 1 },
	} {
		other := id
		bad(&other)
		if m.Alive(other) == nil || m.Processes.Signal(other, runs.Kill) == nil || m.SignalGroup(other, runs.Kill) == nil {
			t.Errorf("%s: taken for who it was", name)
		}
	}
	if err := m.SignalGroup(id, runs.Kill); !errors.Is(err, runs.ErrGone) {
		t.Errorf("one that leads no group: %v", err)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Error("a stranger was killed")
	}
	if err := m.Processes.Signal(id, runs.Kill); err != nil {
		t.Error(err)
	}
	stranger.Wait()
	if err := m.Alive(id); !errors.Is(err, runs.ErrGone) {
		t.Errorf("%v", err)
	}
}

// Case 44 with a real folder.
func TestRealStateRemoved(t *testing.T) {
	r := newReal(t)
	tell, end := r.fifo("tell"), r.fifo("end")
	c := r.start(order{Plan: r.full(fmt.Sprintf(`%s; echo up > %s; read x < %s`, leaves, tell, end), "20")})
	r.reads(tell)
	r.recorded()
	if err := os.RemoveAll(r.store.Root); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(end, []byte("go\n"), 0)
	if code := c.code(); code == 0 || c.errs.Len() == 0 {
		t.Errorf("exit code %d: %s", code, c.errs.String())
	}
	if r.content() != "" {
		t.Error("something was promoted")
	}
}

func TestCheckState(t *testing.T) {
	dir := t.TempDir()
	for mode, good := range map[os.FileMode]bool{0o700: true, 0o750: true, 0o755: true, 0o770: false, 0o777: false, 0o702: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := CheckState(dir); (err == nil) != good {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o600)
	if CheckState(file) == nil || CheckState(filepath.Join(dir, "none")) != nil {
		t.Error("a file is taken, or what is not there is not")
	}
}

// Waits count by the clock that stands still in suspend, marks by the one that
// does not.
func TestClocks(t *testing.T) {
	c := Clock{}
	if c.Mono() <= 0 || c.Boot() < c.Mono()-time.Second {
		t.Errorf("monotonic %s, since boot %s", c.Mono(), c.Boot())
	}
}
