package runs

import (
	"errors"
	"fmt"
	"path"
	"time"
)

// ErrMoved says that a watermark does not stand where the mover thought.
var ErrMoved = errors.New("the watermark was moved by another")

func (s *Store) watermarkFile(role string) string {
	return path.Join(s.roleDir(role), "watermark.json")
}

// Watermark is how far a role has come; nil if it never moved.
func (s *Store) Watermark(role string) (*Record[Watermark], error) {
	r, err := read[Watermark](s, KindWatermark, s.watermarkFile(role))
	if err == nil && r != nil && r.Role != role {
		return nil, fmt.Errorf("%s: %w", s.watermarkFile(role), corrupt("it belongs to role %s", r.Role))
	}
	return r, err
}

func (s *Store) watermarkValue(role string) (string, error) {
	w, err := s.Watermark(role)
	if err != nil || w == nil {
		return "", err
	}
	return w.Body.Value, nil
}

// move sets a watermark for a run, if it still stands at m.From. Doing it again
// for the same run changes nothing. The caller holds the role's lock.
func (s *Store) move(r *Run, m Move) error {
	now, err := s.Watermark(r.Role)
	if err != nil {
		return err
	}
	var old Watermark
	var since time.Time
	if now != nil {
		if now.Body.RunID == r.ID && now.Body.Value == m.To {
			return nil
		}
		old, since = now.Body, s.ProgressAt(now).UTC()
	}
	if old.Value != m.From {
		return fmt.Errorf("role %s: %w", r.Role, ErrMoved)
	}
	next := old.after(m.To, r.ID, s.Wall().UTC(), since)
	data, err := record(s, KindWatermark, r.Role, r.ID, next.N, next)
	if err != nil {
		return err
	}
	return s.replace(s.watermarkFile(r.Role), data)
}
