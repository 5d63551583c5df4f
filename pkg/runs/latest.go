package runs

import "time"

// Latest is the end of a role's history. Times are those of the wall clock when
// something was written; nil means never. First is when the first run that is
// recorded, and was no skip, was scheduled.
type Latest struct {
	Started, Success, Ended *time.Time
	First                   *time.Time
	Duration                time.Duration // of the run that ended last
	Exit                    *Exit         // of its job; nil where it did not come to an end of its own
	State                   State         // of that run
}

// Latest reads a role's runs from the newest backward, and no more of them than
// it takes: the last success may lie behind many failures. What cannot be
// believed counts for nothing.
func (s *Store) Latest(role string) (Latest, error) {
	var out Latest
	ids, _, err := s.IDs(role)
	for i := len(ids) - 1; i >= 0 && !out.whole(); i-- {
		out.older(s.Load(role, ids[i]))
	}
	out.First = s.first(role, ids)
	return out, err
}

// first is when the first of some runs was scheduled. One that lies ahead of now
// was written by a wrong clock, and no age could be counted from it.
func (s *Store) first(role string, ids []string) *time.Time {
	for _, id := range ids {
		if r := s.Load(role, id); r.unbelievable() == nil && !r.skipped() && !r.Scheduled.Wall.After(s.Wall()) {
			return wallOf(r.Scheduled.Header)
		}
	}
	return nil
}

func (r *Run) skipped() bool { return r.Terminal != nil && r.Terminal.Body.State == Skipped }

func (out *Latest) whole() bool { return out.Started != nil && out.Success != nil && out.Ended != nil }

func (out *Latest) older(r *Run) {
	if len(r.Corrupt) > 0 || r.Unread != nil {
		return
	}
	if out.Started == nil && r.Started != nil {
		out.Started = wallOf(r.Started.Header)
	}
	if r.Terminal == nil || r.Terminal.Body.State == Skipped {
		return
	}
	t := r.Terminal.Body
	if out.Ended == nil {
		out.Ended, out.Duration, out.Exit, out.State = wallOf(r.Terminal.Header), t.Duration, t.Exit, t.State
	}
	if out.Success == nil && t.State == Completed {
		out.Success = wallOf(r.Terminal.Header)
	}
}

func wallOf(h Header) *time.Time { at := h.Wall; return &at }
