package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Liveness is three-valued: what cannot be known is never taken for dead.
type Liveness string

// The values of Liveness.
const (
	Alive  Liveness = "alive"
	Dead   Liveness = "dead"
	Unsure Liveness = "unverifiable"
)

// Life is what can be known of a run's processes.
type Life struct {
	Owner Liveness // the wrapper, by owner.lock
	Desc  Liveness // descendants of the job, by desc.lock: a hint, since one may have closed it
	Why   string   // where Owner is Unsure
}

// Life asks the locks of a run. A busy lock is proof of life. A free one is proof
// of death only where locks reach everyone who could hold it: on a local file
// system, of a run of this machine.
func (s *Store) Life(r *Run) Life {
	var l Life
	l.Owner, l.Why = s.owner(r)
	l.Desc = s.descendants(r)
	return l
}

func (s *Store) owner(r *Run) (Liveness, string) {
	held, err := s.Locks.Held(path.Join(r.Dir, "owner.lock"))
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.here(r):
		return Unsure, "it has no owner.lock"
	case errors.Is(err, fs.ErrNotExist):
		return Unsure, "its owner.lock was removed"
	case err != nil:
		return Unsure, fmt.Sprintf("its owner.lock cannot be asked: %v", err)
	case held:
		return Alive, ""
	}
	if scope := s.FS.Scope(r.Dir); scope != ScopeLocal {
		return Unsure, fmt.Sprintf("its owner.lock is free, which says nothing on a file system with %s locks", scope)
	}
	if !s.here(r) {
		return Unsure, "its owner.lock is free, but it ran on another machine"
	}
	return Dead, ""
}

// here says that a run was of this machine: of this boot, or of an earlier one.
func (s *Store) here(r *Run) bool {
	if r.Scheduled == nil {
		return false
	}
	h := r.Scheduled.Body.Host
	return h.BootID != "" && h.BootID == s.Host.BootID || h.Machine != "" && h.Machine == s.Host.Machine
}

func (s *Store) descendants(r *Run) Liveness {
	held, err := s.Locks.Held(path.Join(r.Dir, "desc.lock"))
	switch {
	case err != nil:
		return Unsure
	case held:
		return Alive
	}
	return Dead
}

// State is what a run is, by its records and its processes.
func (r *Run) State(l Life) State {
	switch {
	case len(r.Corrupt) > 0:
		return Corrupt
	case r.Unread != nil:
		return Unverifiable
	case r.Terminal != nil:
		return r.Terminal.Body.State
	case l.Owner == Alive:
		return InFlight
	case l.Owner != Dead:
		return Unverifiable
	case l.Desc == Alive:
		return Orphaned
	case r.Started == nil:
		return NeverStarted
	}
	return OwnerLost
}

// Closed says that nothing more will be written of a run: it has a terminal, and
// its wrapper, which may still be sending notices, is gone.
func (r *Run) Closed(l Life) bool { return r.Terminal != nil && l.Owner != Alive }
