package specs_test

import (
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// changeDay is a day on which the clock of a zone changes, from midnight to
// midnight on the wall, minute by minute: the day and its minute that the wall
// shows.
type changeDay struct {
	start time.Time
	wall  []wallMinute
}

type wallMinute struct{ day, minute int } // day counts in the calendar

// abs puts the minutes of all days in one row, as the wall counts them.
func (w wallMinute) abs() int { return w.day*1440 + w.minute }

// changeDays are those of the calendar in a zone, found by asking for the
// offset at each midnight.
func (c *calendar) changeDays(loc *time.Location) (out []changeDay) {
	for i, day := range c.days {
		start := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, loc)
		end := start.AddDate(0, 0, 1)
		if end.Sub(start) == 24*time.Hour {
			continue
		}
		d := changeDay{start: start}
		for at := start; at.Before(end); at = at.Add(time.Minute) {
			d.wall = append(d.wall, wallMinute{i, at.In(loc).Hour()*60 + at.In(loc).Minute()})
		}
		out = append(out, d)
	}
	return out
}

// runs plays one day through, a minute at a time, and gives the minutes at
// which a run begins: one entry for each run.
//
// kubernetes and busybox go by the wall: what it shows is due. So do debian and
// cronie with a schedule whose minute or hour begins with a star, and cronie in
// a zone that is not the daemon's own (CRON_TZ). Without one, a slot is due once
// when the wall first reaches or passes it: after a leap forward all the slots
// that were leapt over are run at once, and after a leap back nothing until the
// wall is where it was.
func (j judged) runs(day changeDay) (out []int) {
	s := &j.slots
	named := j.Zone != specs.Local
	byWall := s.starred || j.Dialect == specs.Kubernetes || j.Dialect == specs.Busybox || j.Dialect == specs.Cronie && named
	reached := day.wall[0].abs() - 1
	for i, w := range day.wall {
		if byWall {
			if s.on(w.day) && s.at(w.minute) {
				out = append(out, i)
			}
			continue
		}
		for reached < w.abs() {
			reached++
			if s.on(reached/1440) && s.at(reached%1440) {
				out = append(out, i)
			}
		}
	}
	return out
}

// sameOutside says whether two schedules have the same slots on all days but
// some.
func (s *slots) sameOutside(o *slots, days []changeDay) bool {
	a, b := *s, *o
	for _, d := range days {
		n := d.wall[0].day
		a.days[n/64] &^= 1 << (n % 64)
		b.days[n/64] &^= 1 << (n % 64)
	}
	return a.same(&b)
}

func equalRuns(a, b judged, days []changeDay) bool {
	for _, day := range days {
		x, y := a.runs(day), b.runs(day)
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i] != y[i] {
				return false
			}
		}
	}
	return true
}

// TestCanonicalEqualsExactlySameRunsWhereClocksChange: in New York the canonical
// forms are equal if and only if all days but those of a change of the clock
// have the same slots, and on those days, played through by the minute, the
// same runs begin at the same minutes. Two slots that are run in one minute
// (02:30 and 03:00 when the clock leaps over the first) are two runs.
//
// Schedules that differ in slots of such days alone are left out; see
// TestTwoFormsOnDaysOfAChangeAlone.
func TestCanonicalEqualsExactlySameRunsWhereClocksChange(t *testing.T) {
	const zone = "America/New_York"
	g := &generator{Rand: newRand(t), calendar: newCalendar(2024), hours: nearTheChange}
	days := g.changeDays(newYork(t))
	if len(days) != 56 {
		t.Fatalf("%d days with a change", len(days))
	}
	equal, clock, differ := 0, 0, 0
	for range pairCount(20) {
		p := g.clockPair()
		a, ok := p.parse(t, g.calendar, 0, zone)
		b, ok2 := p.parse(t, g.calendar, 1, zone)
		if !ok || !ok2 {
			continue
		}
		alike := a.slots.same(&b.slots)
		same := a.slots.sameOutside(&b.slots, days) && equalRuns(a, b, days)
		if same && !alike {
			continue
		}
		if got := a.Canonical() == b.Canonical(); got != same {
			t.Fatalf("%s\n%s\n%s\ncanonical forms equal: %v; same runs: %v", p, a.Canonical(), b.Canonical(), got, same)
		}
		if got, want := a.ClockChangeOnly(b.Schedule), alike && !same; got != want {
			t.Fatalf("%s: differ by the clock alone: %v, oracle %v", p, got, want)
		}
		switch {
		case same:
			equal++
		case alike:
			clock++
		default:
			differ++
		}
	}
	t.Logf("%d equal, %d differ on days of a change alone, %d differ", equal, clock, differ)
	if n := pairCount(20); equal < n/8 || clock < n/40 || differ < n/8 {
		t.Error("the pairs are no test")
	}
}

// TestTwoFormsOnDaysOfAChangeAlone pins the one known limit of the canonical
// form: these are due on the second Sunday of March alone, on which in New York
// 02:30 does not come and is made up for at 03:00. By the clock of 2024 to 2051
// they run at the same instants, and still have two forms: the days on which
// clocks change are law and no calendar, and the next law may part them.
func TestTwoFormsOnDaysOfAChangeAlone(t *testing.T) {
	c := newCalendar(2024)
	days := c.changeDays(newYork(t))
	p := pair{[2]specs.Dialect{specs.Debian, specs.Debian}, [2]string{"30 2 8-14 3 */7", "0 3 8-14 3 */7"}}
	a, ok := p.parse(t, c, 0, "America/New_York")
	b, ok2 := p.parse(t, c, 1, "America/New_York")
	if !ok || !ok2 || !a.slots.sameOutside(&b.slots, days) || !equalRuns(a, b, days) {
		t.Fatalf("%s do not run alike", p)
	}
	if a.Canonical() == b.Canonical() {
		t.Errorf("%s have one form now, and the property can be said without this limit", p)
	}
}

// TestNextOnDaysOfAChange: Next goes through the runs of such a day.
func TestNextOnDaysOfAChange(t *testing.T) {
	g := &generator{Rand: newRand(t), calendar: newCalendar(2024), hours: nearTheChange}
	loc := newYork(t)
	days := g.changeDays(loc)
	checked := 0
	for range pairCount(50) {
		p := g.clockPair()
		s, ok := p.parse(t, g.calendar, 0, pick(g, []string{loc.String(), ""}))
		if !ok {
			continue
		}
		day := pick(g, days)
		at := day.start.Add(-time.Second)
		last := -1
		for _, i := range s.runs(day) {
			if i == last {
				continue
			}
			last = i
			checked++
			want := day.start.Add(time.Duration(i) * time.Minute)
			got, ok := s.NextIn(at, loc)
			if !ok || !got.Equal(want) {
				t.Fatalf("%s %q after %s: %s %v, want %s", s.Dialect, s.Text, at, got, ok, want)
			}
			at = got
		}
		if got, ok := s.NextIn(at, loc); ok && got.Before(day.start.Add(time.Duration(len(day.wall))*time.Minute)) {
			t.Fatalf("%s %q after %s: %s, and the day has no more", s.Dialect, s.Text, at, got)
		}
	}
	if checked < pairCount(50) {
		t.Errorf("only %d runs", checked)
	}
}

var nearTheChange = []string{"1", "2", "3", "*", "1,2", "2,3", "0-23", "*/2", "2-3", "1-2", "0-3", "*/3", "0,1,2,3"}

// clockPair is of dialects whose rule is measured.
func (g *generator) clockPair() pair {
	measured := []specs.Dialect{specs.Debian, specs.Debian, specs.Cronie, specs.Busybox, specs.Kubernetes}
	p := g.pair()
	for i := range p.dialect {
		for p.dialect[i] == specs.GitHub || p.dialect[i] == specs.Supercronic || g.percent(30) {
			p.dialect[i] = pick(g, measured)
		}
	}
	return p
}

func newYork(t *testing.T) *time.Location {
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip(err)
	}
	return loc
}
