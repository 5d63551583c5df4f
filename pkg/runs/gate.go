package runs

import (
	"errors"
	"fmt"
	"path"
	"slices"
)

// Claim tries to make g the verdict of a run. won says whether it is; the run
// holds the verdict that stands in any case.
func (s *Store) Claim(r *Run, g Gate) (won bool, err error) { return s.claim(r, g, "") }

func (s *Store) claim(r *Run, g Gate, reserved string) (bool, error) {
	name := path.Join(r.Dir, "gate.json")
	r.seq++
	data, err := record(s, KindGate, r.Role, r.ID, r.seq, g)
	if err != nil {
		return false, err
	}
	won, err := s.once(name, data, reserved)
	if err != nil && !won {
		return false, fmt.Errorf("claiming the verdict of run %s of role %s: %w", r.ID, r.Role, err)
	}
	stands, rerr := read[Gate](s, KindGate, name)
	if rerr != nil || stands == nil {
		return false, errors.Join(err, rerr)
	}
	r.Gate = stands
	return won, err
}

// finish closes a run. A closure that the verdict cannot have is refused, and
// one that stands is kept.
func (s *Store) finish(r *Run, t Terminal, reserved string) error {
	if r.Gate == nil {
		return fmt.Errorf("run %s of role %s has no verdict yet, and cannot be closed without one", r.ID, r.Role)
	}
	if !slices.Contains(pairs[r.Gate.Body.Verdict], t.State) {
		return fmt.Errorf("run %s of role %s has the verdict %s, which cannot become %s", r.ID, r.Role, r.Gate.Body.Verdict, t.State)
	}
	name := path.Join(r.Dir, "terminal.json")
	r.seq++
	data, err := record(s, KindTerminal, r.Role, r.ID, r.seq, t)
	if err != nil {
		return err
	}
	if _, err := s.once(name, data, reserved); err != nil {
		return fmt.Errorf("closing run %s of role %s: %w", r.ID, r.Role, err)
	}
	stands, err := read[Terminal](s, KindTerminal, name)
	if err != nil {
		return err
	}
	r.Terminal = stands
	return nil
}

// mostLates bounds the late records of a run.
const mostLates = 100

// late keeps what a run saw that had lost its gate.
func (s *Store) late(r *Run, l Late) error {
	for n := len(r.Lates) + 1; n <= mostLates; n++ {
		r.seq++
		data, err := record(s, KindLate, r.Role, r.ID, r.seq, l)
		if err != nil {
			return err
		}
		won, err := s.once(path.Join(r.Dir, lateName(n)), data, "")
		if won || err != nil {
			return err
		}
	}
	return fmt.Errorf("run %s of role %s has %d late records already", r.ID, r.Role, mostLates)
}
