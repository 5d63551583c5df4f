package specs

import "slices"

// clock is how a program treats the slots of the hours that a change of the
// clock skips or repeats. All of it is measured or read in the program, save
// for github, whose documentation speaks of the skipped hour only.
type clock uint8

const (
	// clockWall: a slot is due whenever the wall shows it: never in a skipped
	// hour, twice in a repeated one. busybox; debian and cronie where the minute
	// or the hour begins with a star; and cronie in a zone of its own (CRON_TZ),
	// whose changes it does not follow ("there will be jobs missed or run twice",
	// find_jobs in its cron.c). While the clock of the daemon's zone changes it
	// leaves such jobs out, which nothing here tells.
	clockWall clock = iota
	// clockOnce: the slots of a skipped hour are all due when it ends, those of
	// a repeated one the first time. debian and cronie without a star, in the
	// daemon's own zone; see OfDaemon.
	clockOnce
	// clockFirst: nothing of a skipped hour is due, and the slots of a repeated one
	// the first time. cronie without a star, where a CRON_TZ names the zone that
	// the daemon is in itself: its find_jobs passes such jobs by while its own clock
	// changes, and its main loop runs those with a star alone while it repeats.
	clockFirst
	// clockGitHub: those of a skipped hour are due when it ends. Taken here as
	// clockOnce in the other case.
	clockGitHub
	// clockSupercronic: see nextSupercronic.
	clockSupercronic
	// clockRobfig: see nextRobfig. The wall's, but for changes that are not of
	// whole hours or that touch midnight. kubernetes.
	clockRobfig
)

// clockRule is the rule of the schedule's dialect and zone.
func (s Schedule) clockRule() clock {
	switch s.Dialect {
	case Supercronic:
		return clockSupercronic
	case GitHub:
		return clockGitHub
	case Kubernetes:
		return clockRobfig
	case Debian:
		if !s.plan.starred {
			return clockOnce
		}
	case Cronie:
		return s.cronieRule()
	}
	return clockWall
}

func (s Schedule) cronieRule() clock {
	switch {
	case s.plan.starred:
		return clockWall
	case s.plan.own == ownByName:
		return clockFirst
	case s.plan.own == ownZone, s.Zone == Local, s.Zone == "":
		return clockOnce
	}
	return clockWall
}

// whose is what a schedule has to do with the zone that its daemon is in.
type whose uint8

const (
	notOwn    whose = iota // or not known
	ownZone                // it is in that zone since no line sets another
	ownByName              // a line names that zone
)

// OfDaemon is the schedule as one in the zone that its daemon is in itself, and
// not in one that a line of the table sets. It makes a difference for cronie: in
// its own zone it makes up for a skipped hour, in another it does not (measured
// with 1.7.2). What ParseSchedule gives for a named zone is the latter.
func (s Schedule) OfDaemon() Schedule { return s.in(ownZone) }

// OfDaemonByName is the schedule as one under a line that names the zone which
// its daemon is in anyway. For cronie that is neither OfDaemon nor another zone:
// it makes up for no skipped hour, and repeats none either.
func (s Schedule) OfDaemonByName() Schedule { return s.in(ownByName) }

func (s Schedule) in(own whose) Schedule {
	if s.plan.kind == kindUnread || s.Dialect != Cronie {
		return s
	}
	s.plan.own = own
	return s
}

// clockTag names the rule where it makes a difference to the wall's in a zone:
// where a slot lies in a skipped or a repeated hour of the years 2024 to 2051,
// a whole cycle of the calendar. Other schedules fire alike by every rule.
func (p *plan) clockTag(zone string, rule clock) string {
	if rule == clockWall || zone == Local || zone == "UTC" {
		return ""
	}
	z, err := zoneTimesOf(zone)
	own := *p // so that only this copy is put on the heap
	if err != nil || !own.meetsChange(z, rule) {
		return ""
	}
	return [...]string{clockOnce: "once", clockFirst: "first", clockGitHub: "github", clockSupercronic: "supercronic", clockRobfig: "robfig"}[rule]
}

// The years of clockTag, in Unix seconds: 2024 to 2051.
const (
	tagFrom  = 1704067200
	tagUntil = 2587680000
)

func (p *plan) meetsChange(z *zoneTimes, rule clock) bool {
	q := p.drawnAll()
	if rule == clockRobfig {
		return slices.ContainsFunc(z.odd, timeline{q, rule, z.loc}.robfigDiffers)
	}
	return slices.ContainsFunc(z.changes, func(seg segment) bool {
		switch {
		case seg.change() < 0:
			_, ok := q.nextLocal(seg.start+seg.offset, seg.firstNew())
			return ok
		case rule == clockFirst:
			return false
		}
		return q.meetsSkip(seg, rule)
	})
}

// meetsSkip says that a slot lies in the hour that the segment's start skips;
// supercronic loses the slot at its end too.
func (p *plan) meetsSkip(seg segment, rule clock) bool {
	from, before := seg.skipped()
	if rule == clockSupercronic && before > from {
		before++
	}
	_, ok := p.nextLocal(from, before)
	return ok
}

// clockFault names the fault of its program that the schedule meets where the
// clock of its zone changes; empty for none. That supercronic runs a slot of a
// repeated hour once is no fault.
func (s Schedule) clockFault() string {
	if s.plan.kind != kindCalendar || s.Zone == Local || s.Zone == "" || s.Zone == "UTC" {
		return ""
	}
	rule := s.clockRule()
	z, err := zoneTimesOf(s.Zone)
	if err != nil {
		return ""
	}
	q := s.plan.drawnAll()
	switch {
	case rule == clockRobfig && q.meetsChange(z, rule):
		return "the CronJob controller moves or loses runs where the clock of " + s.Zone + " changes, a fault of robfig/cron 3.0.1 (SpecSchedule.Next in spec.go) with changes by half an hour or at midnight"
	case rule == clockSupercronic && slices.ContainsFunc(z.changes, func(seg segment) bool { return q.meetsSkip(seg, rule) }):
		return "supercronic 0.2.48 moves the run and loses others where the clock of " + s.Zone + " skips an hour, a fault of its cronexpr (Next takes a time that does not exist for another)"
	}
	return ""
}

// ClockChangeOnly says that two schedules are due at the same instants but for
// the days on which the clock changes, as 0 * * * * and 0 0-23 * * * are under
// debian. In Local, whose changes are not known, that is said of slots from 00
// to 03 hours, where all changes of today's zones lie; Canonical takes two such
// schedules as equal.
func (s Schedule) ClockChangeOnly(other Schedule) bool {
	if s.plan.kind == kindUnread || other.plan.kind == kindUnread || s.plan.kind != kindCalendar || other.plan.kind != kindCalendar {
		return false
	}
	zone := zoneClock(s.Zone)
	if zone != zoneClock(other.Zone) || string(s.plan.appendSlots(nil)) != string(other.plan.appendSlots(nil)) {
		return false
	}
	mine, others := s.clockRule(), other.clockRule()
	if zone == Local {
		return mine.inLocal() != others.inLocal() && s.plan.drawnAll().hour&0xf != 0
	}
	return s.plan.clockTag(zone, mine) != other.plan.clockTag(zone, others)
}

// inLocal takes the controller's rule for the wall's, as most zones have it.
func (c clock) inLocal() clock {
	if c == clockRobfig {
		return clockWall
	}
	return c
}
