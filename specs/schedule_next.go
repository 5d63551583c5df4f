package specs

import (
	"math"
	"math/bits"
	"time"
)

// searchYears bounds a search. The longest wait is that for 29 February on one
// weekday across a century without a leap day: 40 years.
const searchYears = 41

// Next is the first due instant after one, in UTC, and false if there is none
// in sight, or none at set times (@reboot). A schedule in Local is read in
// UTC, since its zone is not known here: use NextIn where it is.
func (s Schedule) Next(after time.Time) (time.Time, bool) {
	return s.NextIn(after, time.UTC)
}

// NextIn is Next with the zone that stands for Local. The schedule's own zone,
// where it has one, goes before it.
//
// Slots in the hour that a clock change skips or repeats are due as the
// dialect's program has it; see clock. An interval counts from after. For a
// Random schedule it is the earliest instant that may be drawn.
func (s Schedule) NextIn(after time.Time, local *time.Location) (time.Time, bool) {
	if s.plan.kind == kindUnread {
		return time.Time{}, false
	}
	switch s.plan.kind {
	case kindInterval:
		return after.Truncate(time.Second).Add(s.plan.every).UTC(), true
	case kindCalendar:
	default:
		return time.Time{}, false
	}
	line, ok := s.timeline(local)
	if !ok {
		return time.Time{}, false
	}
	at, ok := line.next(after.Unix())
	return time.Unix(at, 0).UTC(), ok
}

// timeline is the due instants of a calendar schedule on the clock of one
// zone, in Unix seconds.
type timeline struct {
	plan *plan
	rule clock
	loc  *time.Location
}

// timeline is false for what is due at no set times, and where the zone cannot
// be loaded.
func (s Schedule) timeline(local *time.Location) (timeline, bool) {
	if s.plan.kind == kindUnread || s.plan.kind != kindCalendar {
		return timeline{}, false
	}
	loc, err := s.location(local)
	return timeline{s.plan.drawnAll(), s.clockRule(), loc}, err == nil
}

func (s Schedule) location(local *time.Location) (*time.Location, error) {
	switch s.Zone {
	case Local, "":
		if local == nil {
			return time.UTC, nil
		}
		return local, nil
	case "UTC":
		return time.UTC, nil
	}
	z, err := zoneTimesOf(s.Zone)
	if err != nil {
		return nil, err
	}
	return z.loc, nil
}

// drawnAll is the plan that is due whenever a draw may make it due.
func (p *plan) drawnAll() *plan {
	if len(p.drawn) == 0 {
		return p
	}
	q := *p
	for _, d := range p.drawn {
		span := d.span()
		switch d.field {
		case fieldMinute:
			q.minute |= span
		case fieldHour:
			q.hour |= uint32(span)
		case fieldDom:
			q.dom |= uint32(span)
		case fieldMonth:
			q.month |= uint16(span)
		case fieldDow:
			q.dow |= uint8((span | span>>7) & uint64(fullDow))
		}
	}
	return &q
}

// next is the first due instant after one.
func (t timeline) next(after int64) (int64, bool) {
	switch t.rule {
	case clockSupercronic:
		return nextSupercronic(t.plan, t.loc, after)
	case clockRobfig:
		return t.nextRobfig(after)
	}
	return t.nextSlot(after)
}

// follow is the due instant that comes after a due one. It is what next says,
// and cheaper.
func (t timeline) follow(due int64) (int64, bool) {
	if t.rule == clockRobfig {
		return t.afterRobfig(due)
	}
	return t.next(due)
}

// nextSlot is next where the clock's rule goes slot by slot.
func (t timeline) nextSlot(after int64) (int64, bool) {
	until := after + searchYears*366*86400
	for from := after + 1; from < until; {
		seg := segmentAt(t.loc, from)
		low, high := from+seg.offset, seg.end+seg.offset
		switch t.rule {
		case clockOnce, clockGitHub:
			skipped, at := seg.skipped()
			if _, ok := t.plan.nextLocal(skipped, at); ok && from == seg.start {
				return from, true
			}
			low = max(low, seg.firstNew())
		case clockFirst:
			low = max(low, seg.firstNew())
		}
		if at, ok := t.plan.nextLocal(low, min(high, until+seg.offset)); ok {
			return at - seg.offset, true
		}
		from = seg.end
	}
	return 0, false
}

// nextSupercronic follows the program's loop. It turns the next slot of the
// wall clock into an instant as time.Date does, and where that lies behind it
// asks again until the wall clock has passed the slot. So in the west a slot of
// a skipped hour is due an hour early and then every one up to the end of the
// gap is lost; in the east it is an hour late. After 2099 nothing is due.
func nextSupercronic(p *plan, loc *time.Location, after int64) (int64, bool) {
	until := int64(daysBefore(lastYear+1, 1, 1)) * 86400
	for now := after; now < until; {
		seg := segmentAt(loc, now)
		slot, ok := p.nextLocal(now+seg.offset+1, until)
		if !ok {
			return 0, false
		}
		day := floorDiv64(slot, 86400)
		at := time.Date(1970, 1, 1+int(day), 0, 0, int(slot-day*86400), 0, loc).Unix()
		if at > now {
			return at, true
		}
		now = min(slot-seg.offset, seg.end)
	}
	return 0, false
}

// segment is a time within which the clock does not change.
type segment struct {
	start, end     int64 // Unix seconds; end is the first of the next segment
	offset, before int64 // seconds east of UTC, in it and in the one before
}

func segmentAt(loc *time.Location, at int64) segment {
	t := time.Unix(at, 0).In(loc)
	start, end := t.ZoneBounds()
	_, offset := t.Zone()
	seg := segment{math.MinInt64 / 2, math.MaxInt64 / 2, int64(offset), int64(offset)}
	if !end.IsZero() {
		seg.end = end.Unix()
	}
	if seg.end <= at {
		// On 31 December of a leap year Go's ZoneBounds ends before the day it is
		// asked about (seen with Go 1.26). No clock changes on that day.
		seg.end = at + 86400
	}
	if !start.IsZero() {
		seg.start = start.Unix()
		_, before := start.Add(-time.Second).Zone()
		seg.before = int64(before)
	}
	return seg
}

// longestChange: a change of the clock by more than this is none that a
// daemon's correction follows (3 hours in cron 3.0pl1 and cronie).
const longestChange = 3 * 3600

func (s segment) change() int64 {
	if c := s.offset - s.before; -longestChange <= c && c <= longestChange {
		return c
	}
	return 0
}

// skipped is the time on the wall that the segment's start leaps over, as
// local seconds from and before; empty where it leaps over none.
func (s segment) skipped() (from, before int64) {
	at := s.start + s.offset
	if c := s.change(); c > 0 {
		return at - c, at
	}
	return at, at
}

// firstNew is the first local second of the segment that the one before has
// not shown.
func (s segment) firstNew() int64 {
	if c := s.change(); c < 0 {
		return s.start + s.before
	}
	return math.MinInt64 / 2
}

// nextLocal is the first slot from one local second on and before another.
// Local seconds count as Unix seconds do, on the wall's clock.
func (p *plan) nextLocal(from, before int64) (int64, bool) {
	if from >= before {
		return 0, false
	}
	day := floorDiv64(from, 86400)
	if tod, ok := p.nextTime(int(from - day*86400)); ok && p.due(int(day)) {
		at := day*86400 + int64(tod)
		return at, at < before
	}
	tod, _ := p.nextTime(0)
	d, ok := p.nextDay(int(day)+1, int(floorDiv64(before-1, 86400)))
	at := int64(d)*86400 + int64(tod)
	return at, ok && at < before
}

// nextTime is the first second of the day that is due from one on.
func (p *plan) nextTime(from int) (int, bool) {
	h, m, s := from/3600, from/60%60, from%60
	for {
		hours := p.hour >> h
		if hours == 0 {
			return 0, false
		}
		if n := bits.TrailingZeros32(hours); n > 0 {
			h, m, s = h+n, 0, 0
		}
		minutes := p.minute >> m
		if minutes == 0 {
			h, m, s = h+1, 0, 0
			continue
		}
		if n := bits.TrailingZeros64(minutes); n > 0 {
			m, s = m+n, 0
		}
		if rest := p.second >> s; rest != 0 {
			return h*3600 + m*60 + s + bits.TrailingZeros64(rest), true
		}
		m, s = m+1, 0
	}
}

// nextDay is the first due day from one to another, in days since 1970.
func (p *plan) nextDay(from, last int) (int, bool) {
	for day := from; day <= last; day++ {
		year, month, d := dateOf(day)
		if p.month>>month&1 == 0 {
			day = daysBefore(year, month+1, 1) - 1
			continue
		}
		if p.dueOn(day, year, month, d) {
			return day, true
		}
	}
	return 0, false
}

// due says whether a day is due, in days since 1970.
func (p *plan) due(day int) bool {
	year, month, d := dateOf(day)
	return p.dueOn(day, year, month, d)
}

// dueOn is due of a day whose date is known.
func (p *plan) dueOn(day, year, month, d int) bool {
	if p.month>>month&1 == 0 {
		return false
	}
	if p.years != nil && (year < firstYear || year > lastYear || !p.years.has(year)) {
		return false
	}
	if p.days == nil {
		return p.dayDue(d, weekdayOf(day))
	}
	leap := 0
	if isLeap(year) {
		leap = 1
	}
	return p.days[leap][month][weekdayOf(day)]>>d&1 == 1
}

func floorDiv64(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
