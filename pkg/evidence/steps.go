package evidence

import (
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

// Step is one stage as it is explained to people.
type Step struct {
	Name  string // executed, succeeded, progressed
	Stage report.Stage
	Trace providers.Trace
	// Due and Before are the last due instant that counted and the one before it;
	// zero where there is none. Where the instants are not known they are the latest
	// that they can be.
	Due, Before time.Time
	// Reckoned says that the schedule or its zone does not tell the instants.
	Reckoned bool
	// Alarm is from when on the stage alarms if it is not reached again; zero where
	// it never does.
	Alarm time.Time
	// Measure is what it is measured by, in words.
	Measure string
}

// Steps are the stages of a case, and by what they were judged.
func Steps(c Case) []Step {
	h := NewCalendar().hear(c)
	out := make([]Step, len(h.steps))
	for i, s := range h.steps {
		out[i] = Step{Name: stepNames[i], Stage: s.stage, Trace: s.trace, Reckoned: len(h.agenda.loose) > 0, Measure: h.measure(i)}
		if s.stage == report.NotTracked || h.asleep {
			continue
		}
		if !s.aged {
			out[i].Due, out[i].Before = h.agenda.lastTwo(h.since, s.now.Add(-s.allowed))
		}
		if s.stage != report.Unseen {
			out[i].Alarm = h.alarm(s)
		}
	}
	return out
}

// alarm is the instant at which a step alarms if it is not reached again.
func (h *hearing) alarm(s step) time.Time {
	last := later(s.trace.Last, h.since)
	if last.IsZero() {
		return time.Time{}
	}
	if s.aged {
		return last.Add(s.age).Add(1)
	}
	after := s.trace.Last.Add(s.tolerance)
	if h.since.After(after) {
		after = h.since.Add(-1)
	}
	n := 2
	if s.within {
		n = 1
	}
	for range n {
		next, ok := h.agenda.next(after)
		if !ok {
			return time.Time{}
		}
		after = next
	}
	return after.Add(s.allowed)
}

// measure is the arithmetic of a step, in words.
func (h *hearing) measure(i int) string {
	s := h.steps[i]
	switch {
	case s.stage == report.NotTracked:
		return "nobody was asked"
	case h.asleep:
		return "the ledger wants the role not to run now"
	case s.aged:
		return "it may be no older than " + s.age.String()
	case h.agenda.empty():
		return "the schedule has no instants at which it is known to be due"
	case s.within:
		return "each due instant has to be followed by one within " + s.allowed.String()
	}
	return "it alarms once two due instants have passed without one, " + s.allowed.String() + " after the second"
}
