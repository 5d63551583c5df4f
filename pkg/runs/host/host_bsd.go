//go:build unix && !linux

package host

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

func allocate(f *os.File, size int64) error { return fillWithZeros(f, size) }

func moveNew(old, name string) error { return errors.ErrUnsupported }

// Scope is not known here, so that no run whose wrapper is gone is closed
// without a person.
func (Disk) Scope(string) string { return runs.ScopeUnknown }

// Mono is counted from this process's start by the monotonic clock, moved to the
// wall clock, so that processes can compare.
func (c Clock) Mono() time.Duration {
	return time.Duration(c.begun.UnixNano()) + time.Since(c.begun)
}

// Boot is the wall clock: there is no other that all processes share.
func (Clock) Boot() time.Duration { return time.Duration(time.Now().UnixNano()) }

func hostNow() runs.Host {
	name, _ := os.Hostname()
	return runs.Host{Name: name}
}

// Processes knows no identity beyond the number here, which is none: it signals
// nobody but this process's own jobs.
type Processes struct{ boot string }

var errIdentity = errors.New("the identity of a process cannot be checked on this system; stop it by hand")

// Self is this process.
func (Processes) Self() runs.Process { return runs.Process{PID: os.Getpid()} }

func (Processes) of(pid int) runs.Process { return runs.Process{PID: pid} }

// Alive cannot be known.
func (Processes) Alive(runs.Process) error { return errIdentity }

// Signal refuses.
func (Processes) Signal(runs.Process, runs.Signal) error { return errIdentity }

// SignalGroup refuses.
func (Processes) SignalGroup(runs.Process, runs.Signal) error { return errIdentity }

// Holders cannot be listed.
func (Processes) Holders(string) ([]runs.Process, error) { return nil, errIdentity }

func others(int) int { return -1 }

// wait waits for the leader and reaps it: here it cannot be left a zombie.
func (j *job) wait() (runs.Exit, error) {
	err := j.cmd.Wait()
	ws, ok := j.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
		return runs.Exit{Code: -1}, err
	case ws.Signaled():
		return runs.Exit{Code: -1, Signal: runs.Signal(ws.Signal()), Core: ws.CoreDump()}, nil
	}
	return runs.Exit{Code: ws.ExitStatus()}, nil
}

func (j *job) reap() {}
