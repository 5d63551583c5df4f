//go:build linux && amd64

package crontab

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// staged is a daemon whose clock stands still until the test moves it: it is
// traced, what it asks the kernel about the time is answered by the test, and
// its sleeps end at once. So a day of the daemon's is over in no time, no minute
// is missed, and a static program is held as well as any other. The jobs that it
// starts are not traced.
type staged struct {
	t   *testing.T
	pid int
	now int64
	// started says that the daemon forked since it last slept, and jobs whom.
	started bool
	jobs    []uint64
	said    bytes.Buffer
}

// onStage runs a script that ends in exec of a daemon, which is known by the
// name of its file, until next says that nothing more is to come. Whenever the
// daemon sleeps and none of its jobs runs any more, next gives it another time.
func (im *image) onStage(daemon, script string, start int64, next func() (now int64, more bool)) {
	im.t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := &staged{t: im.t, now: start}
	cmd := im.command(script)
	cmd.Stdout, cmd.Stderr = &s.said, &s.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	im.must(cmd.Start())
	s.pid = cmd.Process.Pid
	defer func() {
		syscall.Kill(s.pid, syscall.SIGKILL)
		cmd.Wait()
	}()
	s.enter(daemon)
	s.play(next)
}

func (s *staged) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("the daemon cannot be held: %v; it said: %s", err, s.said.String())
	}
}

// wait returns at the next stop of the daemon.
func (s *staged) wait() syscall.WaitStatus {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(s.pid, &status, syscall.WALL, nil)
		if err == syscall.EINTR {
			continue
		}
		s.must(err)
		if status.Exited() || status.Signaled() {
			s.must(fmt.Errorf("it ended with %v", status))
		}
		return status
	}
}

// enter follows the program up to its exec of the daemon, and takes the page
// away in which it could read the time without asking the kernel.
func (s *staged) enter(daemon string) {
	const exitKill = 0x100000
	s.wait()
	s.must(syscall.PtraceSetOptions(s.pid, syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACEEXEC|exitKill))
	signal := 0
	for {
		s.must(syscall.PtraceCont(s.pid, signal))
		status := s.wait()
		signal = int(status.StopSignal())
		if status.TrapCause() != syscall.PTRACE_EVENT_EXEC {
			continue
		}
		signal = 0
		if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", s.pid)); filepath.Base(exe) == daemon {
			break
		}
	}
	var regs syscall.PtraceRegs
	s.must(syscall.PtraceGetRegs(s.pid, &regs))
	const sysinfo, ignore = 33, 1 // AT_SYSINFO_EHDR, AT_IGNORE
	at := uintptr(regs.Rsp) + 8
	for range 2 { // behind the arguments and the environment
		for s.word(at) != 0 {
			at += 8
		}
		at += 8
	}
	for ; s.word(at) != 0; at += 16 {
		if s.word(at) == sysinfo {
			s.poke(at, ignore)
		}
	}
}

func (s *staged) word(at uintptr) uint64 {
	var b [8]byte
	_, err := syscall.PtracePeekData(s.pid, at, b[:])
	s.must(err)
	return binary.NativeEndian.Uint64(b[:])
}

func (s *staged) poke(at uintptr, words ...uint64) {
	var b []byte
	for _, w := range words {
		b = binary.NativeEndian.AppendUint64(b, w)
	}
	_, err := syscall.PtracePokeData(s.pid, at, b)
	s.must(err)
}

// play goes from one system call to the next.
func (s *staged) play(next func() (int64, bool)) {
	signal, entering := 0, false
	asleep := ""
	for {
		s.must(syscall.PtraceSyscall(s.pid, signal))
		status := s.wait()
		if status.StopSignal() != syscall.SIGTRAP|0x80 {
			if signal = int(status.StopSignal()); status.TrapCause() > 0 {
				signal = 0
			}
			continue
		}
		signal = 0
		var regs syscall.PtraceRegs
		s.must(syscall.PtraceGetRegs(s.pid, &regs))
		entering = !entering && regs.Rax == ^uint64(syscall.ENOSYS)+1
		if !entering {
			s.answer(&regs, asleep)
			asleep = ""
			continue
		}
		if regs.Orig_rax == syscall.SYS_NANOSLEEP || regs.Orig_rax == syscall.SYS_CLOCK_NANOSLEEP {
			if asleep = s.sleep(next); asleep == "" {
				return
			}
			regs.Orig_rax = ^uint64(0) // no call at all
			s.must(syscall.PtraceSetRegs(s.pid, &regs))
		}
	}
}

// sleep says how a sleep ends: interrupted, as by the end of a job, or over; or
// not at all.
func (s *staged) sleep(next func() (int64, bool)) string {
	if s.started {
		s.started = false
		often := time.NewTicker(time.Millisecond)
		defer often.Stop()
		soon(s.t, often.C, func() bool { return !s.hasJobs() }, func() string { return "the daemon's jobs do not end: " + s.said.String() })
		return "interrupted"
	}
	now, more := next()
	if !more {
		return ""
	}
	s.now = now
	return "over"
}

// hasJobs says whether a child of the daemon runs that was started since it last
// slept. One that ended does not, though the daemon, which stands still, did not
// collect it.
func (s *staged) hasJobs() bool {
	s.jobs = slices.DeleteFunc(s.jobs, func(child uint64) bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		return err != nil || bytes.HasPrefix(rest, []byte("Z"))
	})
	return len(s.jobs) > 0
}

// answer ends a system call: one for the time with ours.
func (s *staged) answer(regs *syscall.PtraceRegs, asleep string) {
	const realtime, coarse, clone3 = 0, 5, 435
	switch {
	case slices.Contains([]uint64{syscall.SYS_FORK, syscall.SYS_VFORK, syscall.SYS_CLONE, clone3}, regs.Orig_rax):
		s.started, s.jobs = true, append(s.jobs, regs.Rax)
		return
	case asleep == "over":
		regs.Rax = 0
	case asleep == "interrupted":
		regs.Rax = ^uint64(syscall.EINTR) + 1
	case regs.Orig_rax == syscall.SYS_TIME:
		regs.Rax = uint64(s.now)
		if regs.Rdi != 0 {
			s.poke(uintptr(regs.Rdi), uint64(s.now))
		}
	case regs.Orig_rax == syscall.SYS_GETTIMEOFDAY && regs.Rdi != 0:
		s.poke(uintptr(regs.Rdi), uint64(s.now), 0)
		return
	case regs.Orig_rax == syscall.SYS_CLOCK_GETTIME && (regs.Rdi == realtime || regs.Rdi == coarse):
		s.poke(uintptr(regs.Rsi), uint64(s.now), 0)
		return
	default:
		return
	}
	s.must(syscall.PtraceSetRegs(s.pid, regs))
}
