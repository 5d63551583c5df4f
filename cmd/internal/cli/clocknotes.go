package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// clockChange is a change of a zone's clock, and the time on the wall that it
// skips or repeats, kept as if it were UTC.
type clockChange struct {
	at          time.Time
	skips       bool
	first, last time.Time
}

// clockNotes says what becomes of a schedule the next time that its zone's clock
// skips slots of it, and the next time that it repeats some. No such change
// within two years is none.
func clockNotes(s specs.Schedule, now time.Time) []string {
	loc, err := time.LoadLocation(s.Zone)
	if err != nil || s.Zone == "UTC" {
		return nil
	}
	wall, err := specs.ParseSchedule(s.Dialect, s.Text, "UTC")
	if err != nil {
		return nil
	}
	var out []string
	said := map[bool]bool{}
	for _, c := range changes(loc, now, now.AddDate(2, 0, 0)) {
		slots := due(wall, c.first, c.last)
		if len(slots) == 0 || said[c.skips] {
			continue
		}
		said[c.skips] = true
		out = append(out, c.says(s, loc, len(slots)))
	}
	return out
}

func changes(loc *time.Location, from, to time.Time) []clockChange {
	var out []clockChange
	for at := from; ; {
		_, end := at.In(loc).ZoneBounds()
		switch {
		case end.IsZero() || end.After(to):
			return out
		case !end.After(at):
			// ZoneBounds ends before the day that it is asked about on 31 December
			// of a leap year (seen with Go 1.26).
			end = at.Add(24 * time.Hour)
		}
		_, before := end.Add(-time.Second).In(loc).Zone()
		_, after := end.In(loc).Zone()
		old, young := end.UTC().Add(time.Duration(before)*time.Second), end.UTC().Add(time.Duration(after)*time.Second)
		switch {
		case young.After(old):
			out = append(out, clockChange{end, true, old, young})
		case young.Before(old):
			out = append(out, clockChange{end, false, young, old})
		}
		at = end
	}
}

// fewSlots is how many instants are named one by one.
const fewSlots = 6

func (c clockChange) says(s specs.Schedule, loc *time.Location, slots int) string {
	what, lie := "repeats", "slots lie"
	if c.skips {
		what = "skips"
	}
	if slots == 1 {
		lie = "slot lies"
	}
	span := c.last.Sub(c.first)
	around := due(s, c.at.Add(-span), c.at.Add(span))
	fires := "nothing"
	switch {
	case len(around) > fewSlots:
		fires = fmt.Sprintf("%d times, from %s to %s", len(around), onClock(around[0], loc), onClock(around[len(around)-1], loc))
	case len(around) > 0:
		var at []string
		for _, t := range around {
			at = append(at, onClock(t, loc))
		}
		fires = strings.Join(at, ", ")
	}
	return fmt.Sprintf("on %s the clock of %s %s %s to %s, where %d %s; due within %s of the change: %s",
		c.at.In(loc).Format(time.DateOnly), s.Zone, what, c.first.Format("15:04"), c.last.Format("15:04"), slots, lie, plain(span), fires)
}

// plain is a whole number of minutes without its noughts.
func plain(d time.Duration) string {
	return strings.Replace(strings.Replace(d.String(), "m0s", "m", 1), "h0m", "h", 1)
}

// onClock is an instant by a zone's clock, with what tells the first of two
// equal ones from the second.
func onClock(t time.Time, loc *time.Location) string { return t.In(loc).Format("15:04:05 -07:00") }

// due are the instants from one on and before another.
func due(s specs.Schedule, from, before time.Time) []time.Time {
	var out []time.Time
	for at := from.Add(-time.Second); ; {
		next, ok := s.NextIn(at, time.UTC)
		if !ok || !next.Before(before) {
			return out
		}
		out = append(out, next)
		at = next
	}
}
