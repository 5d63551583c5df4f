// Package runtest is a machine in memory for tests of package runs: a file
// system that knows what is durable, locks that end with their process, and
// processes that can be killed or frozen at any step. Its clock is that of a
// bubble of testing/synctest.
//
// It proves the logic of records, verdicts and order. It does not prove that an
// operating system delivers signals, nor that a disk keeps what it was told to.
package runtest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// World is a machine with its disk.
type World struct {
	*Clock
	mu      sync.Mutex
	root    *node
	pending []*nameOp // changes of names that are not durable yet, in order
	procs   map[int]*Proc
	nextPID int
	nextID  int
	boot    int
	scope   string
	full    bool
	foreign map[string]string // first component of a path → device
}

// New is a machine with an empty disk.
func New() *World {
	w := &World{Clock: NewClock(), procs: map[int]*Proc{}, nextPID: 100, boot: 1, scope: runs.ScopeLocal}
	w.root = w.newNode(true)
	w.root.durable = map[string]*node{}
	return w
}

// SetScope changes how far locks reach.
func (w *World) SetScope(scope string) { w.mu.Lock(); w.scope = scope; w.mu.Unlock() }

// Fill makes every write of new data fail, but for what was reserved.
func (w *World) Fill(full bool) { w.mu.Lock(); w.full = full; w.mu.Unlock() }

// OtherDisk puts what is below /NAME on a disk of its own.
func (w *World) OtherDisk(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.foreign == nil {
		w.foreign = map[string]string{}
	}
	w.foreign[name] = name
}

func (w *World) host() runs.Host {
	return runs.Host{Name: "here", Machine: "machine", BootID: w.bootID(), Epoch: w.bootID()}
}

func (w *World) bootID() string { return fmt.Sprintf("boot-%d", w.boot) }

// Proc is one process: the machine as it sees it. What it does once it was
// killed has no effect.
type Proc struct {
	*World
	pid    int
	born   uint64
	killed bool
	frozen chan struct{} // nil while it runs; closed when it goes on
	jailed bool          // its identity is of another boot
	ofds   map[*ofd]bool
	onSig  func(runs.Signal)
	group  int // pid of the leader; its own for a leader, 0 for none

	// Stops is where signals arrive that ask it to stop.
	Stops chan runs.Signal
	// At is asked before each step of the file system, with its number from 1.
	// An error is the step's result; the step then has no effect.
	At    func(step int, op, path string) error
	steps int
	token int
}

// ErrKilled is what a killed process gets for everything.
var ErrKilled = errors.New("killed")

// Process starts one.
func (w *World) Process() *Proc {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spawn(0)
}

func (w *World) spawn(group int) *Proc {
	w.nextPID++
	p := &Proc{World: w, pid: w.nextPID, born: uint64(w.nextPID), ofds: map[*ofd]bool{}, group: group, Stops: make(chan runs.Signal, 64)}
	w.procs[p.pid] = p
	return p
}

// Machine is the process's.
func (p *Proc) Machine() runs.Machine {
	return runs.Machine{FS: p, Locks: p, Clock: p.World.Clock, Processes: p, Host: p.hostNow(), Token: p.newToken}
}

func (p *Proc) hostNow() runs.Host { p.mu.Lock(); defer p.mu.Unlock(); return p.host() }

// Store is a state folder as the process sees it.
func (p *Proc) Store(root string) runs.Store { return runs.Store{Machine: p.Machine(), Root: root} }

func (p *Proc) newToken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token++
	return fmt.Sprintf("%08x%08x", p.pid, p.token)
}

// Kill ends the process at once: its locks are free, and nothing that it still
// does has an effect.
func (p *Proc) Kill() { p.mu.Lock(); p.kill(); p.mu.Unlock() }

func (p *Proc) kill() {
	if p.killed {
		return
	}
	p.killed = true
	for o := range p.ofds {
		o.drop(p)
	}
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

// Dead says that the process has ended.
func (p *Proc) Dead() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.killed }

// Freeze stops the process before its next step, until Thaw.
func (p *Proc) Freeze() { p.mu.Lock(); p.frozen = make(chan struct{}); p.mu.Unlock() }

// Thaw lets a frozen process go on.
func (p *Proc) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

// Steps are those of the file system that the process has begun.
func (p *Proc) Steps() int { p.mu.Lock(); defer p.mu.Unlock(); return p.steps }

// step begins one step: it waits while the process is frozen, and says what
// keeps the step from having an effect. The world is locked when it gives nil.
func (p *Proc) step(op, path string) error {
	p.mu.Lock()
	for p.frozen != nil {
		ch := p.frozen
		p.mu.Unlock()
		<-ch
		p.mu.Lock()
	}
	p.steps++
	n, at := p.steps, p.At
	if at != nil && !p.killed {
		p.mu.Unlock()
		err := at(n, op, path)
		p.mu.Lock()
		if err != nil {
			p.mu.Unlock()
			return err
		}
	}
	if p.killed {
		p.mu.Unlock()
		return ErrKilled
	}
	return nil
}

// PowerLoss ends all processes and keeps of the disk what was durable, and of
// what was not only what keep says: of the i-th of n changes of names, and of
// data that was written and not synced, how many bytes of size. Another boot
// begins.
func (w *World) PowerLoss(name func(i, n int) bool, data func(size int) int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.procs {
		p.kill()
	}
	w.procs = map[int]*Proc{}
	pending := w.pending
	w.pending = nil
	for i, op := range pending {
		if name(i, len(pending)) {
			op.settle()
		}
	}
	w.root.restore(data, map[*node]bool{})
	w.boot++
	w.full = false
}

// Self is the process's identity.
func (p *Proc) Self() runs.Process { p.mu.Lock(); defer p.mu.Unlock(); return p.identity() }

func (p *Proc) identity() runs.Process {
	return runs.Process{PID: p.pid, StartTime: p.born, BootID: p.bootID(), Namespace: "pid"}
}

func (w *World) find(id runs.Process) (*Proc, error) {
	p := w.procs[id.PID]
	if p == nil || p.killed || p.identity() != id {
		return nil, runs.ErrGone
	}
	return p, nil
}

// Alive looks a process up by its whole identity.
func (p *Proc) Alive(id runs.Process) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.find(id)
	return err
}

// Signal reaches a process that still is who it was.
func (p *Proc) Signal(id runs.Process, s runs.Signal) error {
	p.mu.Lock()
	if p.killed {
		p.mu.Unlock()
		return ErrKilled
	}
	q, err := p.find(id)
	if err != nil {
		p.mu.Unlock()
		return err
	}
	return p.deliver([]*Proc{q}, s)
}

// SignalGroup reaches all of a group whose leader is still there.
func (p *Proc) SignalGroup(leader runs.Process, s runs.Signal) error {
	p.mu.Lock()
	if p.killed {
		p.mu.Unlock()
		return ErrKilled
	}
	q, err := p.find(leader)
	if err != nil {
		p.mu.Unlock()
		return err
	}
	return p.deliver(p.members(q.pid), s)
}

func (w *World) members(group int) (out []*Proc) {
	for _, q := range w.procs {
		if q.group == group && !q.killed {
			out = append(out, q)
		}
	}
	return out
}

// deliver gives the world's lock back and then does what the signal does.
func (w *World) deliver(to []*Proc, s runs.Signal) error {
	var calls []func(runs.Signal)
	for _, q := range to {
		switch {
		case q.onSig != nil:
			calls = append(calls, q.onSig)
		case s == runs.Kill:
			q.kill()
		default:
			select {
			case q.Stops <- s:
			default:
			}
		}
	}
	w.mu.Unlock()
	for _, call := range calls {
		call(s)
	}
	return nil
}

// Holders are the processes that hold a lock's file open.
func (p *Proc) Holders(name string) ([]runs.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if err != nil {
		return nil, err
	}
	var out []runs.Process
	for _, q := range p.procs {
		for o := range q.ofds {
			if o.node == n && !q.killed {
				out = append(out, q.identity())
			}
		}
	}
	return out, nil
}

// Impostor gives a process's number to another.
func (w *World) Impostor(pid int) *Proc {
	w.mu.Lock()
	defer w.mu.Unlock()
	if old := w.procs[pid]; old != nil {
		old.kill()
	}
	q := w.spawn(0)
	delete(w.procs, q.pid)
	q.pid, q.born = pid, uint64(w.nextPID)*1000
	w.procs[pid] = q
	return q
}
