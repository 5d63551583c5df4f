//go:build unix

package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// Launcher starts jobs, which read Stdin and whose output goes to Stdout and
// Stderr.
type Launcher struct {
	Stdin          *os.File // nil: nothing
	Stdout, Stderr io.Writer
}

// lockFD is the number under which a job holds the lock of its descendants: above
// those that shells and their scripts use.
const lockFD = 97

// job is one that was started.
type job struct {
	cmd     *exec.Cmd
	self    runs.Process
	exited  chan struct{}
	status  runs.Exit
	out     *stream
	err     *stream
	release sync.Once
}

// Start starts a job as the leader of a group of its own.
func (l Launcher) Start(launch runs.Launch) (runs.Job, error) {
	cmd := exec.Command(launch.Argv[0], launch.Argv[1:]...)
	cmd.Dir, cmd.Env = launch.Dir, launch.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if l.Stdin != nil && !launch.Quiet {
		cmd.Stdin = l.Stdin
	}
	if held, ok := launch.Inherit.(flock); ok {
		cmd.ExtraFiles = make([]*os.File, lockFD-2)
		cmd.ExtraFiles[lockFD-3] = held.f
	}
	j := &job{cmd: cmd, exited: make(chan struct{})}
	if err := folder(launch.Dir); err != nil {
		return nil, runs.StartError{Code: 126, Err: err}
	}
	if err := l.connect(j, launch); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		j.out.abandon()
		j.err.abandon()
		return nil, runs.StartError{Code: startCode(err), Err: err}
	}
	j.self = Processes{boot: hostNow().BootID}.of(cmd.Process.Pid)
	j.out.begin()
	j.err.begin()
	go j.await()
	return j, nil
}

// folder looks for a job's folder first: an exec that fails does not say whether
// it is the folder or the program that is not there.
func folder(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return err
}

// startCode is the exit code that a shell gives for a command that it cannot
// start.
func startCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

func (l Launcher) connect(j *job, launch runs.Launch) (err error) {
	out, errs := l.Stdout, l.Stderr
	if launch.Quiet {
		out = errs
	}
	if j.out, j.cmd.Stdout, err = open(launch.Capture.Mode, launch.Capture.Out, out); err != nil {
		return err
	}
	if j.err, j.cmd.Stderr, err = open(launch.Capture.Mode, launch.Capture.Err, errs); err != nil {
		j.out.abandon()
	}
	return err
}

func (j *job) await() {
	j.status, _ = j.wait()
	close(j.exited)
}

// Process is the leader.
func (j *job) Process() runs.Process { return j.self }

// Exited is closed when the leader has ended.
func (j *job) Exited() <-chan struct{} { return j.exited }

// Status is how it ended.
func (j *job) Status() runs.Exit { return j.status }

// Signal signals the group. The leader is not reaped yet, so the number is the
// group's.
func (j *job) Signal(s runs.Signal) error {
	return syscall.Kill(-j.self.PID, syscall.Signal(s))
}

// Others counts the rest of the group.
func (j *job) Others() int { return others(j.self.PID) }

// Reap reaps the leader and waits for the output.
func (j *job) Reap(d time.Duration) runs.Ended {
	j.reap()
	out, held := j.out.finish(d)
	errs, heldToo := j.err.finish(d)
	return runs.Ended{Exit: j.status, Out: out, Err: errs, PipeHeld: held || heldToo}
}
