package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"
)

// Mark says that a machine is being drained. It holds for one boot, and ends.
type Mark struct {
	ID      string        `json:"id"`
	Epoch   string        `json:"epoch"`
	Created time.Duration `json:"created_boottime_ns"`
	Expires time.Duration `json:"expires_boottime_ns"`
	Until   time.Time     `json:"expires_about"` // for people
	Begun   time.Duration `json:"begun_monotonic_ns"`
	By      string        `json:"by"`
	Reason  string        `json:"reason"`
	Counted []Counted     `json:"in_flight"`
}

// Counted is a run that a drain found in flight. Its deadline does not move when
// another drain joins.
type Counted struct {
	Role     string        `json:"role"`
	RunID    string        `json:"run_id"`
	Deadline time.Duration `json:"deadline_monotonic_ns"`
}

// inForce says that a mark is of this boot and not past its end. One that is
// dated after now is of another boot.
func (s *Store) inForce(m Mark) bool {
	now := s.Boot()
	return m.Epoch == s.Host.Epoch && m.Created <= now && now < m.Expires
}

// DrainMark is the mark in force; nil if there is none.
func (s *Store) DrainMark() (*Record[Mark], error) {
	m, err := read[Mark](s, KindDrain, s.drainMark())
	if err != nil || m == nil || !s.inForce(m.Body) {
		return nil, err
	}
	return m, nil
}

const markWait = 5 * time.Second

// locked runs do with the lock that guards changes of the mark.
func (s *Store) locked(do func() error) error {
	l, err := s.patiently(markWait, func() (Lock, error) { return s.Locks.Exclusive(s.drainLock()) })
	if err != nil {
		return fmt.Errorf("%s: %w", s.drainLock(), err)
	}
	defer l.Release()
	return do()
}

// CancelDrain removes the mark, whatever it is, so that runs start again. It
// says whether there was one in force.
func (s *Store) CancelDrain() (was bool, err error) {
	was, derr := s.Draining()
	if derr == nil && !was {
		if _, err := s.FS.Stat(s.drainMark()); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	err = s.locked(func() error {
		if err := s.FS.Remove(s.drainMark()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return s.FS.SyncDir(s.Root)
	})
	return was, err
}

// mark writes the drain's mark, or joins the one that is in force. What joins
// may make the mark last longer, and changes nothing else.
func (d *Drainer) mark() error {
	s := &d.Store
	if err := s.mkdirs(s.Root, path.Join(s.Root, "roles"), s.runsDir()); err != nil {
		return err
	}
	return s.locked(func() error {
		there, err := s.DrainMark()
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		expires := s.Boot() + d.For
		if there != nil {
			d.now, d.report.Joined = there.Body, true
			if expires <= there.Body.Expires {
				return nil
			}
			d.now.Expires, d.now.Until = expires, s.Wall().Add(d.For).UTC()
			return d.writeMark()
		}
		d.now = Mark{ID: s.Token(), Epoch: s.Host.Epoch, Created: s.Boot(), Expires: expires, Until: s.Wall().Add(d.For).UTC(),
			Begun: s.Mono(), By: d.By, Reason: d.Reason, Counted: []Counted{}}
		return d.writeMark()
	})
}

func (d *Drainer) writeMark() error {
	data, err := record(&d.Store, KindDrain, "", d.now.ID, 1, d.now)
	if err != nil {
		return err
	}
	return d.replace(d.drainMark(), data)
}

// remember puts what was counted into the mark before the waiting begins: a
// drain that is killed leaves a list for the next one.
func (d *Drainer) remember() error {
	return d.locked(func() error {
		if there, err := d.DrainMark(); err == nil && there != nil && there.Body.ID == d.now.ID {
			d.now = there.Body
		}
		changed := false
		for _, w := range d.wards {
			changed = d.keep(w) || changed
		}
		if !changed {
			return nil
		}
		return d.writeMark()
	})
}

// keep takes a run into the mark, or its deadline from there.
func (d *Drainer) keep(w *ward) (added bool) {
	for _, c := range d.now.Counted {
		if c.Role == w.Role && c.RunID == w.RunID {
			w.deadline = c.Deadline
			return false
		}
	}
	d.now.Counted = append(d.now.Counted, Counted{Role: w.Role, RunID: w.RunID, Deadline: w.deadline})
	return true
}
