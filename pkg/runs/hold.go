package runs

import (
	"errors"
	"fmt"
	"path"
)

func (s *Store) holdFile(role string) string { return path.Join(s.roleDir(role), "hold.json") }

func (s *Store) releaseFile(role, hold string) string {
	return path.Join(s.roleDir(role), "release-"+hold+".json")
}

// Hold is what holds a role; nil if nothing does. A hold that cannot be read
// holds too.
func (s *Store) Hold(role string) (*Record[Hold], error) {
	h, err := read[Hold](s, KindHold, s.holdFile(role))
	if err != nil || h == nil {
		return nil, err
	}
	r, err := read[Release](s, KindRelease, s.releaseFile(role, h.Body.ID))
	if err != nil {
		return nil, err
	}
	if r != nil {
		return nil, nil
	}
	return h, nil
}

// holdFor puts a hold on a role, unless one is there or the run's was released.
func (s *Store) holdFor(role string, h Hold) error {
	if there, err := s.Hold(role); err != nil || there != nil {
		return err
	}
	if h.RunID != "" {
		if looked, err := s.released(role, h.RunID); err != nil || looked {
			return err
		}
	}
	if err := s.mkdirs(s.Root, path.Join(s.Root, "roles"), s.roleDir(role)); err != nil {
		return err
	}
	h.ID = s.Token()
	data, err := record(s, KindHold, role, h.RunID, 1, h)
	if err != nil {
		return err
	}
	return s.replace(s.holdFile(role), data)
}

// HoldRole holds a role by a person's word.
func (s *Store) HoldRole(role, reason string) error {
	if err := CheckRole(role); err != nil {
		return err
	}
	return s.holdFor(role, Hold{Cause: "person", Reason: reason})
}

// ErrNotHeld says that there is nothing to release.
var ErrNotHeld = errors.New("the role is not held")

// Release ends the hold of a role: its next run may go once more. Of two who
// release at a time, one does it, and the other gets ErrNotHeld.
func (s *Store) Release(role, by, reason string) (Release, error) {
	h, err := s.Hold(role)
	if err != nil {
		return Release{}, err
	}
	if h == nil {
		return Release{}, fmt.Errorf("role %s: %w", role, ErrNotHeld)
	}
	rel := Release{HoldID: h.Body.ID, RunID: h.Body.RunID, By: by, Reason: reason}
	data, err := record(s, KindRelease, role, h.Body.RunID, 2, rel)
	if err != nil {
		return rel, err
	}
	won, err := s.once(s.releaseFile(role, h.Body.ID), data, "")
	if err == nil && !won {
		err = fmt.Errorf("role %s: %w", role, ErrNotHeld)
	}
	return rel, err
}

// ReleaseCorrupt ends a hold that cannot be believed, or whose release cannot:
// that is put under a name which nobody reads. What the hold was for is then not
// known, so the next run may find that it has to hold the role again.
func (s *Store) ReleaseCorrupt(role, by, reason string) (Release, error) {
	h, err := read[Hold](s, KindHold, s.holdFile(role))
	if errors.Is(err, ErrCorrupt) {
		return Release{By: by, Reason: reason}, s.setAside(s.holdFile(role))
	}
	if err != nil {
		return Release{}, err
	}
	if h == nil {
		return Release{}, fmt.Errorf("role %s: %w", role, ErrNotHeld)
	}
	if _, err := read[Release](s, KindRelease, s.releaseFile(role, h.Body.ID)); errors.Is(err, ErrCorrupt) {
		if err := s.setAside(s.releaseFile(role, h.Body.ID)); err != nil {
			return Release{}, err
		}
	}
	return s.Release(role, by, reason)
}

func (s *Store) setAside(name string) error {
	if err := s.FS.Rename(name, path.Join(path.Dir(name), "corrupt-"+s.Token()+"-"+path.Base(name))); err != nil {
		return err
	}
	return s.FS.SyncDir(path.Dir(name))
}

// released says that a person has released a run's hold.
func (s *Store) released(role, id string) (bool, error) {
	h, err := read[Hold](s, KindHold, s.holdFile(role))
	if err != nil || h == nil || h.Body.RunID != id {
		return false, err
	}
	r, err := read[Release](s, KindRelease, s.releaseFile(role, h.Body.ID))
	return r != nil, err
}
