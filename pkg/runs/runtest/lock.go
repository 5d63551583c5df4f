package runtest

import (
	"errors"
	"io/fs"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// ofd is a lock as an open file description: it is held as long as any process
// has it open.
type ofd struct {
	node      *node
	exclusive bool
	holders   map[*Proc]bool
}

func (o *ofd) drop(p *Proc) {
	delete(o.holders, p)
	delete(p.ofds, o)
	if len(o.holders) > 0 {
		return
	}
	for i, other := range o.node.ofds {
		if other == o {
			o.node.ofds = append(o.node.ofds[:i:i], o.node.ofds[i+1:]...)
			return
		}
	}
}

// pass lets another process hold the lock too.
func (o *ofd) pass(p *Proc) {
	o.holders[p] = true
	p.ofds[o] = true
}

type lock struct {
	p *Proc
	o *ofd
}

func (l *lock) Release() error {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if !l.p.killed {
		l.o.drop(l.p)
	}
	return nil
}

// Exclusive takes a lock.
func (p *Proc) Exclusive(name string) (runs.Lock, error) { return p.take(name, true) }

// Shared takes a lock that others may share.
func (p *Proc) Shared(name string) (runs.Lock, error) { return p.take(name, false) }

func (p *Proc) take(name string, exclusive bool) (runs.Lock, error) {
	if err := p.step("lock", name); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if errors.Is(err, fs.ErrNotExist) {
		n = p.newNode(false)
		err = p.add(name, n)
	}
	if err != nil {
		return nil, err
	}
	for _, o := range n.ofds {
		if o.exclusive || exclusive {
			return nil, runs.ErrBusy
		}
	}
	o := &ofd{node: n, exclusive: exclusive, holders: map[*Proc]bool{}}
	n.ofds = append(n.ofds, o)
	o.pass(p)
	return &lock{p, o}, nil
}

// Held says whether a lock is held exclusively.
func (p *Proc) Held(name string) (bool, error) {
	if err := p.step("held", name); err != nil {
		return false, err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if err != nil {
		return false, err
	}
	for _, o := range n.ofds {
		if o.exclusive {
			return true, nil
		}
	}
	return false, nil
}
