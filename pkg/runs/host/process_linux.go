package host

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

func oneLine(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func hostNow() runs.Host {
	name, _ := os.Hostname()
	h := runs.Host{Name: name, Machine: oneLine("/etc/machine-id"), BootID: oneLine("/proc/sys/kernel/random/boot_id")}
	first, _ := statOf(1)
	h.Epoch = fmt.Sprintf("%s/%d", h.BootID, first.start)
	return h
}

func namespace() string {
	ns, _ := os.Readlink("/proc/self/ns/pid")
	return ns
}

// stat is what /proc/PID/stat says: proc_pid_stat(5).
type stat struct {
	state byte
	group int
	start uint64
}

var errStat = errors.New("unexpected form of /proc/PID/stat")

func statOf(pid int) (stat, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, err
	}
	// The name in parentheses can hold anything.
	f := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return stat{}, errStat
	}
	group, gerr := strconv.Atoi(string(f[2]))
	start, serr := strconv.ParseUint(string(f[19]), 10, 64)
	return stat{f[0][0], group, start}, errors.Join(gerr, serr)
}

// Processes signals processes by their whole identity.
type Processes struct{ boot string }

// Self is this process.
func (p Processes) Self() runs.Process { return p.of(os.Getpid()) }

func (p Processes) of(pid int) runs.Process {
	st, _ := statOf(pid)
	return runs.Process{PID: pid, StartTime: st.start, BootID: p.boot, Namespace: namespace()}
}

// check is ErrGone for one that is not who it was.
func (p Processes) check(id runs.Process) error {
	switch {
	case id.PID <= 1 || id.StartTime == 0:
		return fmt.Errorf("process %d has no identity that could be checked", id.PID)
	case id.BootID != p.boot:
		return runs.ErrGone
	case id.Namespace != namespace():
		return fmt.Errorf("process %d is of another PID namespace, and cannot be reached from here", id.PID)
	}
	st, err := statOf(id.PID)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return runs.ErrGone
	case err != nil:
		return err
	case st.start != id.StartTime:
		return runs.ErrGone
	}
	return nil
}

// Alive looks a process up. A zombie still is one.
func (p Processes) Alive(id runs.Process) error { return p.check(id) }

// Signal signals a process through a handle that was taken before its identity
// was checked, so that its number cannot pass to another in between.
func (p Processes) Signal(id runs.Process, s runs.Signal) error {
	if err := p.check(id); err != nil {
		return err
	}
	fd, err := unix.PidfdOpen(id.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return runs.ErrGone
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		return gone(unix.Kill(id.PID, syscall.Signal(s)))
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	if err := p.check(id); err != nil {
		return err
	}
	return gone(unix.PidfdSendSignal(fd, syscall.Signal(s), nil, 0))
}

func gone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return runs.ErrGone
	}
	return err
}

// SignalGroup signals the group of a leader that is still there, if only as a
// zombie: as long as it is, its number and so the group's is nobody else's.
func (p Processes) SignalGroup(leader runs.Process, s runs.Signal) error {
	if err := p.check(leader); err != nil {
		return err
	}
	if st, err := statOf(leader.PID); err != nil || st.group != leader.PID {
		return runs.ErrGone
	}
	return gone(unix.Kill(-leader.PID, syscall.Signal(s)))
}

// Holders are the processes that have a file open, of those that this user may
// look at.
func (p Processes) Holders(name string) ([]runs.Process, error) {
	want, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	var out []runs.Process
	for _, pid := range pids() {
		if holds(pid, filepath.Base(name), want) {
			out = append(out, p.of(pid))
		}
	}
	return out, nil
}

func holds(pid int, base string, want os.FileInfo) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		link := filepath.Join(dir, fd.Name())
		if to, err := os.Readlink(link); err != nil || filepath.Base(to) != base {
			continue
		}
		if info, err := os.Stat(link); err == nil && os.SameFile(info, want) {
			return true
		}
	}
	return false
}

func pids() []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var out []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// others counts the living members of a group beside its leader.
func others(leader int) int {
	n := 0
	for _, pid := range pids() {
		if pid == leader {
			continue
		}
		if st, err := statOf(pid); err == nil && st.group == leader && st.state != 'Z' && st.state != 'X' {
			n++
		}
	}
	return n
}
