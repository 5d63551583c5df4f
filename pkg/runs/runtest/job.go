package runtest

import (
	"sync"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// Launcher starts jobs that a test plays.
type Launcher struct {
	Proc *Proc // who starts them
	// Play is asked at each start; an error keeps the job from starting.
	Play func(*Job) error

	mu   sync.Mutex
	Jobs []*Job
}

// Job is a process that a test plays.
type Job struct {
	Launch   runs.Launch
	Proc     *Proc
	OnSignal func(runs.Signal) // default: any signal ends it

	exited chan struct{}
	once   sync.Once
	status runs.Exit
	reaped bool
}

// Start begins a job.
func (l *Launcher) Start(launch runs.Launch) (runs.Job, error) {
	if l.Proc.Dead() {
		return nil, ErrKilled
	}
	w := l.Proc.World
	w.mu.Lock()
	p := w.spawn(0)
	p.group = p.pid
	if held, ok := launch.Inherit.(*lock); ok && held != nil {
		held.o.pass(p)
	}
	w.mu.Unlock()
	j := &Job{Launch: launch, Proc: p, exited: make(chan struct{})}
	p.onSig = j.signal
	l.mu.Lock()
	l.Jobs = append(l.Jobs, j)
	l.mu.Unlock()
	if l.Play == nil {
		j.Exit(0)
		return j, nil
	}
	if err := l.Play(j); err != nil {
		p.Kill()
		return nil, err
	}
	return j, nil
}

func (j *Job) signal(s runs.Signal) {
	if s != runs.Kill && j.OnSignal != nil {
		j.OnSignal(s)
		return
	}
	j.end(runs.Exit{Code: -1, Signal: s})
}

// Exit ends the job's leader by itself.
func (j *Job) Exit(code int) { j.end(runs.Exit{Code: code}) }

// Die ends it by a signal that is not the wrapper's.
func (j *Job) Die(s runs.Signal) { j.end(runs.Exit{Code: -1, Signal: s}) }

func (j *Job) end(e runs.Exit) {
	j.once.Do(func() {
		j.status = e
		j.Proc.Kill()
		close(j.exited)
	})
}

// Fork gives the job a child in its group, which holds what it holds.
func (j *Job) Fork() *Proc {
	w := j.Proc.World
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.spawn(j.Proc.pid)
	for o := range j.Proc.ofds {
		o.pass(q)
	}
	return q
}

// Env looks a variable up; the last one counts.
func (j *Job) Env(name string) string {
	for i := len(j.Launch.Env) - 1; i >= 0; i-- {
		if k := name + "="; len(j.Launch.Env[i]) >= len(k) && j.Launch.Env[i][:len(k)] == k {
			return j.Launch.Env[i][len(k):]
		}
	}
	return ""
}

// Process is the leader's identity.
func (j *Job) Process() runs.Process { return j.Proc.Self() }

// Exited is closed at the leader's end.
func (j *Job) Exited() <-chan struct{} { return j.exited }

// Status is how it ended.
func (j *Job) Status() runs.Exit { return j.status }

// Signal reaches the group.
func (j *Job) Signal(s runs.Signal) error {
	w := j.Proc.World
	w.mu.Lock()
	return w.deliver(w.members(j.Proc.pid), s)
}

// Others counts the rest of the group.
func (j *Job) Others() int {
	w := j.Proc.World
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, q := range w.members(j.Proc.pid) {
		if q != j.Proc {
			n++
		}
	}
	return n
}

// Reap ends it for good.
func (j *Job) Reap(time.Duration) runs.Ended { j.reaped = true; return runs.Ended{Exit: j.status} }
