package runs

import (
	"slices"
	"time"
)

// Missed are the due instants, sorted, that no run and no skip accounts for: a
// run that names its instant accounts for that one, another for the last one
// that was due when it was scheduled.
func Missed(due []time.Time, list []*Run) []time.Time {
	seen := map[int64]bool{}
	for _, r := range list {
		if r.Scheduled == nil {
			continue
		}
		if at := r.Scheduled.Body.Due; at != nil {
			seen[at.Unix()] = true
			continue
		}
		after, _ := slices.BinarySearchFunc(due, r.Scheduled.Wall.Add(1), time.Time.Compare)
		if after > 0 {
			seen[due[after-1].Unix()] = true
		}
	}
	var out []time.Time
	for _, d := range due {
		if !seen[d.Unix()] {
			out = append(out, d)
		}
	}
	return out
}

// Since are a role's runs that were scheduled at an instant or after it, oldest
// first, as far back as their numbers have no gap: behind one, runs were removed.
// from is where the account of them begins: the instant, or the first run's own
// time; nil if there is no run. What cannot be read is an error, and with it none
// of this is known.
func (s *Store) Since(role string, since time.Time) (list []*Run, from *time.Time, err error) {
	ids, _, err := s.IDs(role)
	if err != nil {
		return nil, nil, err
	}
	for i := len(ids) - 1; i >= 0; i-- {
		r := s.Load(role, ids[i])
		if err := r.unbelievable(); err != nil {
			return nil, nil, err
		}
		if r.Scheduled.Wall.Before(since) {
			from = &since
			break
		}
		list = append(list, r)
		at := r.Scheduled.Wall
		from = &at
		if i > 0 && gap(ids[i-1], ids[i]) {
			break
		}
	}
	slices.Reverse(list)
	return list, from, nil
}

func gap(before, after string) bool {
	a, _ := numberOf(before)
	b, _ := numberOf(after)
	return b > a+1
}

// unbelievable is why a run cannot be counted on; nil if it can.
func (r *Run) unbelievable() error {
	switch {
	case r.Unread != nil:
		return r.Unread
	case len(r.Corrupt) > 0:
		return corrupt("run %s of role %s: %s", r.ID, r.Role, r.Corrupt[0])
	}
	return nil
}
