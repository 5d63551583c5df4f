package runs

import (
	"errors"
	"fmt"
	"path"
)

// What a job can say from within its run.

// live is a run that can still be told something.
func (s *Store) live(role, id string) (*Run, error) {
	r := s.Load(role, id)
	switch {
	case r.Unread != nil:
		return nil, fmt.Errorf("run %s of role %s: %w; this is for a job under rolecall run", id, role, r.Unread)
	case len(r.Corrupt) > 0:
		return nil, fmt.Errorf("run %s of role %s is corrupt: %s", id, role, r.Corrupt[0])
	case r.Terminal != nil:
		return nil, fmt.Errorf("run %s of role %s has ended: %s", id, role, r.Terminal.Body.State)
	}
	return r, nil
}

// Checkpoint keeps a job's word of its progress, in the place of an earlier one.
// It is no proof of anything else.
func (s *Store) Checkpoint(role, id, token string) error {
	r, err := s.live(role, id)
	if err != nil {
		return err
	}
	phase := PhaseRun
	if r.Checkpoint != nil {
		phase = r.Checkpoint.Body.Phase
	}
	return s.say(r, token, phase)
}

func (s *Store) say(r *Run, token, phase string) error {
	var old Checkpoint
	if r.Checkpoint != nil {
		old = r.Checkpoint.Body
	}
	c := Checkpoint{N: old.N + 1, Token: token, Phase: phase, Before: old.Before}
	if old.N == 0 || old.Token != "" && old.Since == nil {
		c.Before = s.saidBefore(r)
	}
	switch {
	case token == "":
	case c.Before != nil && c.Before.Token == token:
		c.Since = &c.Before.Since
	case old.Token == token && old.Since != nil:
		c.Since = old.Since
	default:
		at := s.Wall().UTC()
		c.Since = &at
	}
	data, err := record(s, KindCheckpoint, r.Role, r.ID, r.seq+1, c)
	if err != nil {
		return err
	}
	return s.replace(path.Join(r.Dir, "checkpoint.json"), data)
}

// ErrRefused says that a job must not begin its commit.
var ErrRefused = errors.New("the commit is refused")

// CommitBegin claims the verdict for a job that commits by itself, a database
// transaction for example. From here on a stop waits for it, within the commit
// timeout. ErrRefused says that the run is being stopped.
func (s *Store) CommitBegin(role, id string) error {
	r, err := s.live(role, id)
	if err != nil {
		return err
	}
	sched := r.Scheduled.Body
	if len(sched.Outputs) > 0 {
		return fmt.Errorf("run %s of role %s has outputs, which rolecall commits: %w", id, role, ErrRefused)
	}
	if r.Gate == nil {
		g := Gate{Verdict: Commit, Cause: CauseExit, By: "job", Token: "job", ByJob: true}
		if sched.WatermarkTo != "" && r.Started != nil {
			g.Watermark = &Move{From: r.Started.Body.PreviousWatermark, To: sched.WatermarkTo}
		}
		if _, err := s.Claim(r, g); err != nil {
			return err
		}
	}
	if !r.Gate.Body.ByJob {
		return fmt.Errorf("run %s of role %s was made %s (%s): %w", id, role, r.Gate.Body.Verdict, r.Gate.Body.Cause, ErrRefused)
	}
	return s.say(r, token(r), PhaseCommitBegin)
}

// CommitEnd says that the job's own commit is done.
func (s *Store) CommitEnd(role, id string) error {
	r, err := s.live(role, id)
	if err != nil {
		return err
	}
	if r.Gate == nil || !r.Gate.Body.ByJob {
		return fmt.Errorf("run %s of role %s has begun no commit; say first: rolecall run phase commit-begin", id, role)
	}
	return s.say(r, token(r), PhaseCommitEnd)
}

func token(r *Run) string {
	if r.Checkpoint == nil {
		return ""
	}
	return r.Checkpoint.Body.Token
}
