package runs

import "time"

// Latest is the end of a role's history. Times are those of the wall clock when
// something was written; nil means never.
type Latest struct {
	Started, Success, Ended *time.Time
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
	return out, err
}

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
