package runs

import (
	"errors"
	"path"
	"slices"
	"strings"
	"time"
)

// Retention says what prune keeps beside what it always keeps.
type Retention struct {
	Keep    int           // the newest runs of each role
	MaxAge  time.Duration // runs whose closure is younger, by the wall clock
	KeyAge  time.Duration // how long a completed instant is remembered
	DryRun  bool
	LogsAge time.Duration // output and staging of older runs go, the records stay; 0: with the run
}

// Pruned is what was, or would be, removed.
type Pruned struct {
	Role   string
	RunID  string
	Part   string // run, logs or leftover
	Reason string
}

// Prune removes closed runs that nothing needs. It never touches what is open,
// corrupt or not readable, the last run of a role that was no skip, its last
// start, success and checkpoint, where it never succeeded its first run, and what
// proves that an instant has completed.
func (s *Store) Prune(role string, keep Retention) (out []Pruned, err error) {
	ids, _, err := s.IDs(role)
	if err != nil {
		return nil, err
	}
	all := make([]*Run, len(ids))
	for i, id := range ids {
		all[i] = s.Load(role, id)
	}
	needed := s.needed(role, all)
	now := s.Wall()
	for i, r := range all {
		if len(r.Corrupt) > 0 || r.Unread != nil || !r.Closed(s.Life(r)) {
			continue
		}
		age := now.Sub(r.Terminal.Wall)
		switch {
		case i >= len(all)-keep.Keep || age < keep.MaxAge || needed[r.ID] || r.proves(age, keep.KeyAge):
			if keep.LogsAge > 0 && age >= keep.LogsAge && i < len(all)-1 {
				got, serr := s.stripLogs(r, keep.DryRun)
				out, err = append(out, got...), errors.Join(err, serr)
			}
		default:
			out = append(out, Pruned{role, r.ID, "run", string(r.Terminal.Body.State)})
			if !keep.DryRun {
				err = errors.Join(err, s.discard(r.Dir))
			}
		}
	}
	got, lerr := s.leftovers(role, keep.DryRun)
	return append(out, got...), errors.Join(err, lerr)
}

// proves says that a run is remembered for its instant.
func (r *Run) proves(age, keyAge time.Duration) bool {
	return r.Scheduled.Body.Due != nil && r.Terminal.Body.State == Completed && age < keyAge
}

// needed are the runs that the next one, or evidence, goes by.
func (s *Store) needed(role string, all []*Run) map[string]bool {
	out := map[string]bool{}
	first := func(is func(*Run) bool) {
		if i := slices.IndexFunc(all, func(r *Run) bool { return r.unbelievable() == nil && is(r) }); i >= 0 {
			out[all[i].ID] = true
		}
	}
	last := func(is func(*Run) bool) {
		for _, r := range slices.Backward(all) {
			if r.unbelievable() == nil && is(r) {
				out[r.ID] = true
				return
			}
		}
	}
	last(func(r *Run) bool { return true })
	last(func(r *Run) bool { return !r.skipped() })
	last(func(r *Run) bool { return r.Started != nil })
	completed := func(r *Run) bool { return r.Terminal != nil && r.Terminal.Body.State == Completed }
	last(completed)
	if !slices.ContainsFunc(all, func(r *Run) bool { return r.unbelievable() == nil && completed(r) }) {
		first(func(r *Run) bool { return !r.skipped() })
	}
	last(spoke)
	if h, err := read[Hold](s, KindHold, s.holdFile(role)); err == nil && h != nil {
		out[h.Body.RunID] = true
	}
	return out
}

func spoke(r *Run) bool {
	if r.Checkpoint == nil {
		return false
	}
	_, _, ok := said(r.Checkpoint)
	return ok
}

func (s *Store) stripLogs(r *Run, dry bool) (out []Pruned, err error) {
	entries, err := s.FS.ReadDir(r.Dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name == "out.log" || e.Name == "err.log" || strings.HasPrefix(e.Name, "staging") {
			out = append(out, Pruned{r.Role, r.ID, "logs", e.Name})
			if !dry {
				err = errors.Join(err, s.removeAll(path.Join(r.Dir, e.Name), e.IsDir))
			}
		}
	}
	return out, err
}

// discard takes a run out of sight in one step and then removes it: a prune that
// is cut off leaves no half of a run.
func (s *Store) discard(dir string) error {
	gone := path.Join(path.Dir(dir), ".pruned-"+path.Base(dir))
	if err := s.FS.Rename(dir, gone); err != nil {
		return err
	}
	if err := s.FS.SyncDir(path.Dir(dir)); err != nil {
		return err
	}
	return s.removeAll(gone, true)
}

// leftovers are folders of runs that never came to be, or were being removed.
func (s *Store) leftovers(role string, dry bool) (out []Pruned, err error) {
	entries, err := s.FS.ReadDir(s.roleRuns(role))
	if err != nil {
		if isNotExist(err) {
			err = nil
		}
		return nil, err
	}
	for _, e := range entries {
		dir := path.Join(s.roleRuns(role), e.Name)
		if !e.IsDir || !strings.HasPrefix(e.Name, ".pruned-") && !s.stillborn(e.Name, dir) {
			continue
		}
		out = append(out, Pruned{role, e.Name, "leftover", ""})
		if !dry {
			err = errors.Join(err, s.removeAll(dir, true))
		}
	}
	return out, err
}

// stillborn is a folder of a run whose wrapper died before the run appeared. One
// without a lock may be just being made.
func (s *Store) stillborn(name, dir string) bool {
	if !strings.HasPrefix(name, ".new-") || s.FS.Scope(dir) != ScopeLocal {
		return false
	}
	held, err := s.Locks.Held(path.Join(dir, "owner.lock"))
	if err != nil || held {
		return false
	}
	_, serr := s.FS.Stat(path.Join(dir, "scheduled.json"))
	return serr == nil
}

func (s *Store) removeAll(name string, isDir bool) error {
	if !isDir {
		return s.FS.Remove(name)
	}
	entries, err := s.FS.ReadDir(name)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		errs = append(errs, s.removeAll(path.Join(name, e.Name), e.IsDir))
	}
	return errors.Join(errors.Join(errs...), s.FS.Remove(name))
}
