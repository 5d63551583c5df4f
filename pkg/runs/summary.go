package runs

import (
	"slices"
	"time"
)

// Summary is what a role's records say, as evidence for others. Times are those
// of the wall clock when something was written.
type Summary struct {
	Role         string
	Runs         int // that can be read as runs, skips included
	LastStarted  *time.Time
	LastSuccess  *time.Time
	LastProgress *time.Time // when the watermark, or what a checkpoint says, became another
	Watermark    string
	Last         State // of the last run that was no skip; empty if there is none
	LastRun      string
	Counts       map[State]int
	Held         *Hold    // also where it cannot be read: then no run of the role starts
	Hints        []string // what is odd, though it could be read
	Problems     []string // what could not be read
}

// Summarize reads a role's runs. It is exact where the folder was copied from
// elsewhere too, but for runs in flight, which then are unverifiable.
func (s *Store) Summarize(role string) Summary {
	out := Summary{Role: role, Counts: map[State]int{}}
	ids, strange, err := s.IDs(role)
	if err != nil {
		out.Problems = append(out.Problems, err.Error())
	}
	for _, name := range strange {
		out.Problems = append(out.Problems, name+" in the runs of role "+role+" is no run")
	}
	var said []*Record[Checkpoint]
	for _, id := range ids {
		r := s.Load(role, id)
		if out.add(s, r); r.unbelievable() == nil {
			said = append(said, r.Checkpoint)
		}
	}
	s.progress(&out, said)
	h, err := s.Hold(role)
	if err != nil {
		out.Problems = append(out.Problems, err.Error())
		out.Held = &Hold{Cause: CauseRecord, Reason: "what holds it cannot be read: " + err.Error()}
	} else if h != nil {
		out.Held = &h.Body
	}
	return out
}

func (out *Summary) add(s *Store, r *Run) {
	state := r.State(s.Life(r))
	out.Runs++
	out.Counts[state]++
	if state != Skipped {
		out.Last, out.LastRun = state, r.ID
	}
	if len(r.Corrupt) > 0 {
		out.Problems = append(out.Problems, r.Corrupt...)
		return
	}
	if r.Unread != nil {
		out.Problems = append(out.Problems, r.Unread.Error())
		return
	}
	// The ids are in the order of the runs, so a later one stands for good,
	// whatever the clock said.
	if r.Started != nil {
		at := r.Started.Wall
		out.LastStarted = &at
	}
	if state == Completed {
		at := r.Terminal.Wall
		out.LastSuccess = &at
	}
}

// progress is the later of the watermark's and of what the runs said, which are
// given oldest first.
func (s *Store) progress(out *Summary, said []*Record[Checkpoint]) {
	var sayings Sayings
	for _, c := range slices.Backward(said) {
		sayings.Older(c)
	}
	if last := sayings.Last(); last != nil {
		out.LastProgress = &last.Since
	}
	w, err := s.Watermark(out.Role)
	switch {
	case err != nil:
		out.Problems = append(out.Problems, err.Error())
	case w != nil:
		out.Watermark = w.Body.Value
		if at := s.ProgressAt(w); out.LastProgress == nil || at.After(*out.LastProgress) {
			out.LastProgress = &at
		}
		if hint := w.Body.WentBack(); hint != "" {
			out.Hints = append(out.Hints, hint)
		}
	}
}
