package evidence

import (
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// Bounds are the ages of the last start, success and progress after which the
// judgement alarms at worst; 0 where no age alone is an alarm.
type Bounds struct {
	Start, Success, Progress time.Duration
}

// Bounds are those of a role with these schedules. A stage that the ledger does
// not want tracked has none; whether anything tracks one is the caller's to know.
func (cal *Calendar) Bounds(role specs.Role, provider string, schedules []specs.Schedule) Bounds {
	grace := Grace(role, provider)
	runtime, _ := MaxRuntime(role)
	terms := role.Evidence
	longest := cal.longest(schedules, terms.SucceedWithin != nil || terms.ProgressWithin != nil)
	out := Bounds{
		Success:  longest.bound(terms.Succeeded, terms.SucceedWithin, grace, runtime),
		Progress: longest.bound(terms.Progressed, terms.ProgressWithin, grace, runtime),
	}
	if longest.span > 0 && !terms.Executed.None {
		out.Start = plus(longest.span, grace, startLatency, clockTolerance)
	}
	return out
}

// longest are the longest time to the next due instant and to the second one; 0
// where there are none at set times.
type longest struct{ gap, span time.Duration }

func (l longest) bound(source specs.EvidenceSource, within *time.Duration, grace, runtime time.Duration) time.Duration {
	switch {
	case source.None:
		return 0
	case source.MaxAge != nil:
		return *source.MaxAge
	case within != nil:
		return plus(l.gap, *within, grace)
	case l.span == 0:
		return 0
	}
	return plus(l.span, grace, runtime)
}

// longest is that of the union of the schedules. Where they come due together so
// often that not all of 28 years can be walked, it is the least of their own,
// which is no shorter. The gap is left out where nobody wants it and it costs.
func (cal *Calendar) longest(schedules []specs.Schedule, gaps bool) (out longest) {
	a := cal.agenda(schedules)
	least := func(l longest) {
		if l.span > 0 && (out.span == 0 || l.span < out.span) {
			out.span = l.span
		}
		if l.gap > 0 && (out.gap == 0 || l.gap < out.gap) {
			out.gap = l.gap
		}
	}
	for _, l := range a.loose {
		if lag, period := a.times(l); period > 0 {
			least(longest{lag, plus(lag, period)})
		}
	}
	if len(a.lines) > 1 {
		if l, whole := a.walkAll(); whole {
			least(l)
			return out
		}
	}
	for _, s := range schedules {
		if line, ok := s.Line(time.UTC); ok && !zoneless(s) {
			l := longest{span: cal.span(s, line)}
			if gaps {
				l.gap = cal.gap(s)
			}
			least(l)
		}
	}
	return out
}

// mostWalked bounds how many due instants are walked.
const mostWalked = 60000

// walkAll goes from due instant to due instant of all lines, through 28 years.
func (a agenda) walkAll() (out longest, whole bool) {
	w := a.from(epoch)
	until := epoch.AddDate(28, 0, 0)
	var before, last time.Time
	at, ok := w.next()
	for n := 0; ok && !at.After(until); n++ {
		if n == mostWalked {
			return longest{}, false
		}
		if !last.IsZero() {
			out.gap = max(out.gap, at.Sub(last))
		}
		if !before.IsZero() {
			out.span = max(out.span, at.Sub(before))
		}
		before, last = last, at
		at, ok = w.next()
	}
	return out, true
}
