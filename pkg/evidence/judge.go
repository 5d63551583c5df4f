package evidence

import (
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

// Judge applies the arithmetic to a case.
func (cal *Calendar) Judge(c Case) Result {
	h := cal.hear(c)
	out := Result{
		Executed: h.steps[executed].stage, Succeeded: h.steps[succeeded].stage, Progressed: h.steps[progressed].stage,
		Seen: h.seen(),
	}
	if !h.asleep {
		out.Findings = h.findings()
	}
	return out
}

// hearing is a case under judgement.
type hearing struct {
	Case
	agenda  agenda
	since   time.Time
	grace   time.Duration
	runtime time.Duration
	limited bool // runtime is stated
	asleep  bool // suspended or paused
	steps   [3]step
}

// The stages beyond registered, as steps of a hearing.
const (
	executed = iota
	succeeded
	progressed
)

var stepNames = [...]string{executed: "executed", succeeded: "succeeded", progressed: "progressed"}

// step is one stage.
type step struct {
	rule
	trace  providers.Trace
	stage  report.Stage
	now    time.Time
	unread string // why the stage is unknown
	clock  bool   // because its time lies ahead
}

// rule is what a stage is measured by.
type rule struct {
	// allowed is what is taken off now.
	allowed time.Duration
	// tolerance is how much before an instant it may have been reached.
	tolerance time.Duration
	// within says that one instant has to be reached, and no second one is waited
	// for.
	within bool
	// age is the most that the last time may be old; it is used where aged.
	age  time.Duration
	aged bool
}

func (cal *Calendar) hear(c Case) hearing {
	h := hearing{Case: c, agenda: cal.agenda(c.Schedules), grace: Grace(c.Role, c.Provider)}
	h.runtime, h.limited = MaxRuntime(c.Role)
	h.asleep = c.Role.Suspended || c.Now.Before(c.Role.PausedUntil)
	h.since = later(later(c.Role.Evidence.Since, c.Role.PausedUntil), c.Evidence.Since)
	terms := c.Role.Evidence
	h.steps[executed] = step{trace: c.Evidence.Executed, rule: rule{allowed: plus(h.grace, startLatency), tolerance: clockTolerance}}
	h.steps[succeeded] = step{trace: c.Evidence.Succeeded, rule: h.rule(terms.Succeeded.MaxAge, terms.SucceedWithin)}
	h.steps[progressed] = step{trace: c.Evidence.Progressed, rule: h.rule(terms.Progressed.MaxAge, terms.ProgressWithin)}
	for i := range h.steps {
		h.steps[i].judge(&h)
	}
	return h
}

func (h *hearing) rule(maxAge, within *time.Duration) rule {
	switch {
	case maxAge != nil:
		return rule{aged: true, age: *maxAge}
	case within != nil && h.agenda.empty():
		return rule{aged: true, age: plus(*within, h.grace)}
	case within != nil:
		return rule{within: true, allowed: plus(*within, h.grace)}
	}
	return rule{allowed: plus(h.grace, h.runtime)}
}

func (s *step) judge(h *hearing) {
	last := s.trace.Last
	s.now = asOf(s.trace.AsOf, h.Now)
	switch s.trace.State {
	case providers.Untracked:
		s.stage = report.NotTracked
		return
	case providers.Known, providers.StaleSeries:
	case providers.NoSeries:
		last = time.Time{}
	default:
		s.stage, s.unread = report.Unseen, s.trace.Reason
		if s.unread == "" {
			s.unread = "it could not be read"
		}
	}
	if last.After(s.now.Add(future)) {
		s.stage, s.clock = report.Unseen, true
		s.unread = "its time " + instant(last) + " lies ahead of the look's " + instant(s.now)
	}
	switch {
	case h.asleep:
		s.stage = report.NotDue
	case s.stage == report.Unseen:
	case s.aged:
		s.stage = s.byAge(h, last)
	case !h.agenda.empty():
		s.stage = s.byInstants(h, last)
	default:
		s.stage = report.NotDue
		return
	}
	s.ahead(h)
}

// ahead makes a stage unknown that counts from a time which lies ahead, as that of
// a table that was written by a wrong clock: it would not alarm before.
func (s *step) ahead(h *hearing) {
	from := h.Evidence.Since
	if s.stage == report.Yes || s.stage == report.Unseen || h.asleep || !from.After(s.now.Add(future)) {
		return
	}
	s.stage, s.clock = report.Unseen, true
	s.unread = "it counts from " + instant(from) + " on, which lies ahead of the look's " + instant(s.now) + ", and would not alarm before"
}

// byAge is the stage where only the age counts.
func (s *step) byAge(h *hearing, last time.Time) report.Stage {
	switch {
	case !last.IsZero() && s.now.Sub(last) <= s.age:
		return report.Yes
	case !h.since.IsZero() && s.now.Sub(h.since) <= s.age:
		return report.NotDue
	case last.IsZero():
		return report.Never
	}
	return report.Stale
}

// byInstants is the stage by the last due instants.
func (s *step) byInstants(h *hearing, last time.Time) report.Stage {
	c := s.now.Add(-s.allowed)
	reach := last
	if !last.IsZero() {
		reach = last.Add(s.tolerance)
		if h.agenda.reached(reach, c) {
			return report.Yes
		}
	}
	d1, d2 := h.agenda.lastTwo(h.since, c)
	switch {
	case d1.IsZero():
		return report.NotDue
	case !reach.Before(d1):
		return report.Yes
	case !s.within && (d2.IsZero() || !reach.Before(d2)):
		return report.Late
	case last.IsZero():
		return report.Never
	}
	return report.Stale
}

// silent says that what should have been reached was not.
func (s step) silent() bool { return s.stage == report.Stale || s.stage == report.Never }

func (h *hearing) seen() report.Seen {
	var out report.Seen
	for i, into := range []**int64{&out.LastStart, &out.LastSuccess, &out.LastProgress} {
		s := h.steps[i]
		told := s.trace.State == providers.Known || s.trace.State == providers.StaleSeries
		if told && !s.clock && !s.trace.Last.IsZero() {
			at := s.trace.Last.Unix()
			*into = &at
		}
		if s.stage != report.NotTracked && s.trace.From != "" && !slices.Contains(out.From, s.trace.From) {
			out.From = append(out.From, s.trace.From)
		}
	}
	return out
}

// findings are the verdicts, in the order of their kinds.
func (h *hearing) findings() []Verdict {
	var out []Verdict
	silent := [...]bool{h.steps[executed].silent(), h.steps[succeeded].silent(), h.steps[progressed].silent()}
	if silent[executed] && !h.Inactive {
		out = append(out, h.silence(executed))
	}
	if v, ok := h.hung(); ok {
		out = append(out, v)
	}
	if silent[succeeded] && !silent[executed] && !h.Inactive {
		out = append(out, h.silence(succeeded))
	}
	blind := h.steps[succeeded].stage == report.Unseen
	if silent[progressed] && !silent[executed] && !silent[succeeded] && !blind && !h.Inactive {
		out = append(out, h.silence(progressed))
	}
	if v, ok := h.unknown(); ok {
		out = append(out, v)
	}
	return out
}

// asOf is the instant as of which something is judged: when it was seen, or now.
func asOf(seen, now time.Time) time.Time {
	if seen.IsZero() || seen.After(now) {
		return now
	}
	return seen
}
