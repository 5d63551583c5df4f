package evidence

import (
	"time"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// Calendar remembers of schedules what takes time to find out. Judging many
// cases with one costs less; the results are the same. It is not safe for
// concurrent use.
type Calendar struct {
	gaps, spans map[string]time.Duration
}

// NewCalendar is an empty one.
func NewCalendar() *Calendar {
	return &Calendar{gaps: map[string]time.Duration{}, spans: map[string]time.Duration{}}
}

// epoch is where the search for the longest gaps begins: they are those of the
// 28 years, a whole cycle of the calendar, after it.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// gap is the longest time between two due instants; 0 if there are no two.
func (cal *Calendar) gap(s specs.Schedule) time.Duration {
	key := s.Canonical()
	if d, ok := cal.gaps[key]; ok {
		return d
	}
	g, _ := s.LongestGapIn(epoch, time.UTC)
	cal.gaps[key] = g.Length()
	return g.Length()
}

// span is the longest time from a due instant to the second one after it.
func (cal *Calendar) span(s specs.Schedule, l specs.Line) time.Duration {
	key := s.Canonical()
	if d, ok := cal.spans[key]; ok {
		return d
	}
	d := l.LongestSpan(epoch)
	cal.spans[key] = d
	return d
}

// agenda is when the schedules of a role come due.
type agenda struct {
	cal   *Calendar
	lines []specs.Line
	loose []*loose
}

// loose is a schedule whose instants are not known: up to any instant there was
// one no longer ago than lag, and those before at no more than each period.
type loose struct {
	lag, period time.Duration
	// zoneless is the schedule whose longest gap is the period, until it is looked
	// for.
	zoneless *specs.Schedule
}

func (cal *Calendar) agenda(schedules []specs.Schedule) agenda {
	a := agenda{cal: cal}
	for _, s := range schedules {
		line, ok := s.Line(time.UTC)
		switch {
		case s.Every() > 0:
			a.loose = append(a.loose, &loose{lag: s.Every(), period: s.Every()})
		case ok && !zoneless(s):
			a.lines = append(a.lines, line)
		case ok:
			a.loose = append(a.loose, &loose{zoneless: &s})
		case !s.Random():
			// A zone that this machine does not know is one that is not known.
			s.Zone = specs.Local
			if _, ok := s.Line(time.UTC); ok {
				a.loose = append(a.loose, &loose{zoneless: &s})
			}
		}
	}
	return a
}

func zoneless(s specs.Schedule) bool { return s.Zone == specs.Local || s.Zone == "" }

func (a agenda) empty() bool { return len(a.lines)+len(a.loose) == 0 }

// times are the lag and the period, looked for if need be.
func (a agenda) times(l *loose) (lag, period time.Duration) {
	if l.zoneless != nil {
		l.period = a.cal.gap(*l.zoneless)
		l.lag = plus(l.period, zoneSlack)
		l.zoneless = nil
	}
	return l.lag, l.period
}

// reached says that last is no earlier than the last due instant up to c. No
// may also mean that it takes longer to tell.
func (a agenda) reached(last, c time.Time) bool {
	for _, l := range a.lines {
		if next, ok := l.Next(last); ok && !next.After(c) {
			return false
		}
	}
	for _, l := range a.loose {
		lag := l.lag
		if l.zoneless != nil {
			lag = gapAt(*l.zoneless, c) + zoneSlack
		}
		if last.Before(c.Add(-lag)) {
			return false
		}
	}
	return true
}

// gapAt is the gap around an instant, no longer than the longest one.
func gapAt(s specs.Schedule, at time.Time) time.Duration {
	line, _ := s.Line(time.UTC)
	from, ok := line.Prev(at)
	to, more := line.Next(at.Add(-time.Second))
	if !ok || !more {
		return 0
	}
	return to.Sub(from)
}

// lastTwo are the last due instant up to c and the one before it, of those that
// count; zero where there is none.
func (a agenda) lastTwo(since, c time.Time) (d1, d2 time.Time) {
	note := func(t time.Time) {
		switch {
		case t.Before(since) || t.Equal(d1) || !t.After(d2):
		case t.After(d1):
			d1, d2 = t, d1
		default:
			d2 = t
		}
	}
	for _, l := range a.lines {
		if t, ok := l.Prev(c.Add(1)); ok {
			note(t)
			if t, ok = l.Prev(t); ok {
				note(t)
			}
		}
	}
	for _, l := range a.loose {
		if !slow.Only() && l.before(since, c) {
			continue
		}
		if lag, period := a.times(l); period > 0 {
			note(c.Add(-lag))
			note(c.Add(-plus(lag, period)))
		}
	}
	return d1, d2
}

// before says that what is noted of a schedule would lie before an instant, where
// that can be told without its longest gap, which is no shorter than another.
func (l *loose) before(since, c time.Time) bool {
	if l.zoneless == nil || since.IsZero() {
		return false
	}
	return c.Add(-zoneSlack).Before(since) || c.Add(-gapAt(*l.zoneless, c)-zoneSlack).Before(since)
}

// mostCounted bounds how many instants a message counts.
const mostCounted = 50

// passed is how many due instants that count lie after last and up to c, at most
// mostCounted, and whether there are more, or may be.
func (a agenda) passed(last, since, c time.Time) (n int, atLeast bool) {
	after := last
	if since.After(last) {
		after = since.Add(-1)
	}
	for _, l := range a.loose {
		if lag, period := a.times(l); c.Sub(after) > lag && period > 0 {
			return int(min((c.Sub(after)-lag)/period+1, mostCounted)), true
		}
	}
	if after.IsZero() {
		return 2, true
	}
	for w := a.from(after); n <= mostCounted; n++ {
		if next, ok := w.next(); !ok || next.After(c) {
			return n, false
		}
	}
	return mostCounted, true
}

// walk goes through the due instants of all lines in order.
type walk struct {
	lines []specs.Line
	heads []time.Time // the next one of each line; zero at its end
}

func (a agenda) from(after time.Time) walk {
	w := walk{a.lines, make([]time.Time, len(a.lines))}
	for i, l := range a.lines {
		w.advance(i, l, after)
	}
	return w
}

func (w walk) advance(i int, l specs.Line, after time.Time) {
	next, ok := l.Next(after)
	if !ok {
		next = time.Time{}
	}
	w.heads[i] = next
}

func (w walk) next() (first time.Time, ok bool) {
	for _, t := range w.heads {
		if !t.IsZero() && (!ok || t.Before(first)) {
			first, ok = t, true
		}
	}
	for i, l := range w.lines {
		if ok && w.heads[i].Equal(first) {
			w.advance(i, l, first)
		}
	}
	return first, ok
}

// next is the first due instant after one; of a loose schedule the latest at
// which it can be.
func (a agenda) next(after time.Time) (first time.Time, ok bool) {
	note := func(t time.Time) {
		if !ok || t.Before(first) {
			first, ok = t, true
		}
	}
	for _, l := range a.lines {
		if t, ok := l.Next(after); ok {
			note(t)
		}
	}
	for _, l := range a.loose {
		if lag, period := a.times(l); period > 0 {
			note(after.Add(lag))
		}
	}
	return first, ok
}
