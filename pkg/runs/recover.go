package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Settled is what became of a run that was looked after.
type Settled struct {
	State State
	Why   string // where it could not be closed
}

// Settle closes a run whose wrapper is dead, by what its records prove. It never
// closes one that lives, cannot be verified (but with force) or is corrupt, and
// doing it again changes nothing. A commit is recovered only by who holds the
// role's lock: roleLocked says that the caller does; else Settle takes it.
func (s *Store) Settle(r *Run, by string, force, roleLocked bool) (Settled, error) {
	life := s.Life(r)
	switch state := r.State(life); state {
	case OwnerLost, Orphaned, NeverStarted:
	case Unverifiable:
		if !force || r.Unread != nil || life.Owner != Unsure {
			return Settled{state, join(life.Why, r.Unread)}, nil
		}
	case Corrupt:
		return Settled{state, r.Corrupt[0]}, nil
	default:
		return Settled{State: state}, nil
	}
	if r.Gate == nil {
		if _, err := s.Claim(r, lost(r, life, by)); err != nil {
			return Settled{State: r.State(life)}, err
		}
	}
	if r.Gate.Body.Verdict == Commit && !roleLocked {
		lock, err := s.Locks.Exclusive(s.roleLock(r.Role))
		if errors.Is(err, ErrBusy) {
			return Settled{r.State(life), "a newer run of the role goes on, which has its lock"}, nil
		}
		if err != nil {
			return Settled{State: r.State(life)}, err
		}
		defer lock.Release()
	}
	return s.closeByGate(r, life, by)
}

func join(why string, err error) string {
	if err != nil {
		return err.Error()
	}
	return why
}

// lost is the verdict over a run whose wrapper is gone.
func lost(r *Run, l Life, by string) Gate {
	cause := CauseOwnerLost
	if r.Started == nil && l.Desc != Alive {
		cause = CauseNeverStarted
	}
	return Gate{Verdict: Stopped, Cause: cause, By: by,
		Evidence: Evidence{Note: "the wrapper is gone, so nobody else can promote", Owner: l.Owner, Desc: l.Desc}}
}

// closeByGate writes the closure that the verdict calls for.
func (s *Store) closeByGate(r *Run, l Life, by string) (Settled, error) {
	g := r.Gate.Body
	t := Terminal{Cause: g.Cause, By: by, Recovered: true, Exit: g.Exit, Descendants: "unknown", SideEffects: EffectsUnknown}
	if r.Started != nil {
		at := r.Started.Wall
		t.StartedWall = &at
	}
	switch g.Verdict {
	case Stopped:
		t.State, t.Note = Interrupted, "it was in flight when its end was forced; what it did by then is not known"
	case Fail:
		t.State = Failed
	case Declined:
		t.State, t.SideEffects = Skipped, EffectsNone
	case Commit:
		return s.recoverCommit(r, t)
	}
	if err := s.finish(r, t, ""); err != nil {
		return Settled{State: r.State(l)}, err
	}
	return Settled{State: r.Terminal.Body.State}, nil
}

// recoverCommit decides a commit that has no closure: rolled forward if all
// finals are what was intended, given up if none is and the staging is intact,
// and left to a person in all other cases.
func (s *Store) recoverCommit(r *Run, t Terminal) (Settled, error) {
	g := r.Gate.Body
	if g.ByJob {
		return s.recoverJobCommit(r, t)
	}
	done, intact, err := s.compareIntent(g.Promotion)
	if err != nil {
		return Settled{OwnerLost, "its outputs cannot be compared with its intent: " + err.Error()}, err
	}
	switch {
	case done == len(g.Promotion):
		return s.rollForward(r, t)
	case done == 0 && intact == len(g.Promotion):
		t.State, t.Cause, t.Note = Interrupted, CauseLostInCommit, "nothing was promoted; the staging is kept"
		if err := s.finish(r, t, ""); err != nil {
			return Settled{State: OwnerLost}, err
		}
		return Settled{State: Interrupted}, nil
	}
	why := fmt.Sprintf("of its %d outputs %d are in place, and %d stand as before with their staging intact", len(g.Promotion), done, intact)
	err = s.holdFor(r.Role, Hold{RunID: r.ID, Cause: "mixed-commit", Reason: why})
	return Settled{OwnerLost, why + "; look at them, then: rolecall runs release " + r.Role}, err
}

// recoverJobCommit closes a run that committed by itself: whether it did is not
// to be seen from here.
func (s *Store) recoverJobCommit(r *Run, t Terminal) (Settled, error) {
	t.State, t.Cause = Interrupted, CauseLostInCommit
	t.Note = "the job had begun a commit of its own, and nothing says that it ended"
	if r.Checkpoint != nil && r.Checkpoint.Body.Phase == PhaseCommitEnd {
		t.SideEffects = EffectsConfirmed
		t.Note = "the job said that its own commit had ended, but its exit was not seen"
	}
	if err := s.finish(r, t, ""); err != nil {
		return Settled{State: OwnerLost}, err
	}
	return Settled{State: Interrupted}, nil
}

func (s *Store) rollForward(r *Run, t Terminal) (Settled, error) {
	g := r.Gate.Body
	for _, p := range g.Promotion {
		if err := s.FS.SyncDir(path.Dir(p.Final)); err != nil {
			return Settled{State: OwnerLost}, err
		}
	}
	if g.Watermark != nil {
		err := s.move(r, *g.Watermark)
		if errors.Is(err, ErrMoved) {
			why := err.Error()
			return Settled{OwnerLost, why}, s.holdFor(r.Role, Hold{RunID: r.ID, Cause: "watermark-moved", Reason: why})
		}
		if err != nil {
			return Settled{State: OwnerLost}, err
		}
		t.WatermarkMoved = true
	}
	t.State, t.Cause, t.Promoted = Completed, CauseExit, g.Promotion
	if err := s.finish(r, t, ""); err != nil {
		return Settled{State: OwnerLost}, err
	}
	return Settled{State: Completed}, nil
}

// compareIntent counts the outputs that are in place, and those that are not and
// whose staged file is what it was.
func (s *Store) compareIntent(list []Promotion) (done, intact int, err error) {
	for _, p := range list {
		final, err := s.sum(p.Final)
		if err != nil {
			return 0, 0, err
		}
		staged, err := s.sum(p.Staged)
		if err != nil {
			return 0, 0, err
		}
		switch {
		case staged == p.SHA256 && final == p.Replaced:
			intact++ // also where the new content is that of the old
		case final == p.SHA256:
			done++
		}
	}
	return done, intact, nil
}

// sum is the SHA-256 of a file in hex, or empty if there is none.
func (s *Store) sum(name string) (string, error) {
	f, err := s.FS.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, cerr := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(cerr, f.Close())
}
