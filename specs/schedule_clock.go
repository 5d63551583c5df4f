package specs

import "time"

// clock is how a program treats the slots of the hours that a change of the
// clock skips or repeats. All of it is measured or read in the program, save
// for github, whose documentation speaks of the skipped hour only.
type clock uint8

const (
	// clockWall: a slot is due whenever the wall shows it: never in a skipped
	// hour, twice in a repeated one. kubernetes, busybox; debian and cronie
	// where the minute or the hour begins with a star.
	clockWall clock = iota
	// clockOnce: the slots of a skipped hour are all due when it ends, those of
	// a repeated one the first time. debian and cronie without a star. It holds
	// for the daemon's own zone; cronie does not follow the changes of another
	// one (CRON_TZ), which nothing here tells apart.
	clockOnce
	// clockGitHub: those of a skipped hour are due when it ends. Taken here as
	// clockOnce in the other case.
	clockGitHub
	// clockSupercronic: see nextSupercronic.
	clockSupercronic
)

func clockRule(d Dialect, p *plan) clock {
	switch {
	case d == Supercronic:
		return clockSupercronic
	case d == GitHub:
		return clockGitHub
	case (d == Debian || d == Cronie) && !p.starred:
		return clockOnce
	}
	return clockWall
}

// clockTag names the rule where it makes a difference to the wall's in a zone:
// where a slot lies in a skipped or a repeated hour of the years 2024 to 2051,
// a whole cycle of the calendar. Other schedules fire alike by every rule.
func (p *plan) clockTag(zone string, rule clock) string {
	if rule == clockWall || zone == Local || zone == "UTC" {
		return ""
	}
	loc, err := time.LoadLocation(zone)
	if err != nil || !p.meetsChange(loc, rule) {
		return ""
	}
	return [...]string{clockOnce: "once", clockGitHub: "github", clockSupercronic: "supercronic"}[rule]
}

func (p *plan) meetsChange(loc *time.Location, rule clock) bool {
	q := p.drawnAll()
	end := time.Date(2052, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for seg := segmentAt(loc, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()); seg.end < end; {
		seg = segmentAt(loc, seg.end)
		from, before := seg.skipped()
		if seg.change() < 0 {
			from, before = seg.start+seg.offset, seg.firstNew()
		} else if rule == clockSupercronic {
			before++ // the slot at which the gap ends is lost too
		}
		if _, ok := q.nextLocal(from, before); ok {
			return true
		}
	}
	return false
}

// ClockChangeOnly says that two schedules are due at the same instants but for
// the days on which the clock changes, as 0 * * * * and 0 0-23 * * * are under
// debian. In Local, whose changes are not known, that is said of slots from 00
// to 03 hours, where all changes of today's zones lie; Canonical takes two such
// schedules as equal.
func (s Schedule) ClockChangeOnly(other Schedule) bool {
	if s.plan == nil || other.plan == nil || s.plan.kind != kindCalendar || other.plan.kind != kindCalendar {
		return false
	}
	zone := zoneClock(s.Zone)
	if zone != zoneClock(other.Zone) || string(s.plan.appendSlots(nil)) != string(other.plan.appendSlots(nil)) {
		return false
	}
	mine, others := clockRule(s.Dialect, s.plan), clockRule(other.Dialect, other.plan)
	if zone == Local {
		return mine != others && s.plan.drawnAll().hour&0xf != 0
	}
	return s.plan.clockTag(zone, mine) != other.plan.clockTag(zone, others)
}
