package specs

import "time"

// Line is the due instants of a schedule with set times, its zone read once: for
// those who ask for many of them.
type Line struct{ timeline }

// Line is false for what is due at no set times (@reboot, @every, never) or at
// times that the scheduler draws, and where the zone cannot be loaded. The zone
// stands for Local.
func (s Schedule) Line(local *time.Location) (Line, bool) {
	line, ok := s.timeline(local)
	return Line{line}, ok && !s.Random()
}

// Next is the first due instant after one, in UTC; false if there is none in sight.
func (l Line) Next(after time.Time) (time.Time, bool) {
	at, ok := l.next(after.Unix())
	return time.Unix(at, 0).UTC(), ok
}

// Prev is the last due instant before one, in UTC; false if there is none in sight.
func (l Line) Prev(before time.Time) (time.Time, bool) {
	first := before.Unix()
	if before.Nanosecond() > 0 {
		first++ // the second that has begun is before it
	}
	at, ok := l.prev(first)
	return time.Unix(at, 0).UTC(), ok
}

// LongestSpan is the longest time from a due instant to the second one after it,
// of those that begin after an instant and within 28 years of it; 0 where fewer
// than three are due.
func (l Line) LongestSpan(after time.Time) time.Duration {
	s := spanSearch{timeline: l.timeline}
	s.first, _ = l.plan.nextTime(0)
	s.walk(after.Unix(), after.AddDate(gapYears, 0, 0).Unix())
	return time.Duration(s.longest) * time.Second
}

// spanSearch walks like gapSearch and keeps the longest time over two gaps: of a
// whole due day it has looked into, the first two slots and the last two are
// left, since between them all days are alike.
type spanSearch struct {
	timeline
	longest int64
	last    [2]int64 // the two due instants before, the earlier first
	known   int      // how many of them follow one another
	first   int      // the second of the day of its first slot
	walking int64    // the day that is being looked into, as its local midnight
	inside  bool     // walking holds
	dayDone bool     // a whole day was looked into
}

func (s *spanSearch) walk(after, until int64) {
	g := gapSearch{timeline: s.timeline}
	at, ok := g.next(after)
	even := segment{end: at}
	for ok && at <= until {
		if at >= even.end {
			even = g.even(at)
		}
		s.visit(at)
		if to, leapt := s.leap(at, even); leapt {
			s.known = 0
			at = to
			continue
		}
		at, ok = g.followEven(at, even)
	}
}

func (s *spanSearch) visit(at int64) {
	if s.known == 2 {
		s.longest = max(s.longest, at-s.last[0])
	}
	s.last = [2]int64{s.last[1], at}
	s.known = min(s.known+1, 2)
}

// leap goes from the second slot of a day, or a later one, to the last but one
// of those that lie in an even time.
func (s *spanSearch) leap(at int64, even segment) (int64, bool) {
	if at < even.start {
		s.inside = false
		return 0, false
	}
	local := at + even.offset
	midnight := floorDiv64(local, 86400) * 86400
	end := min(midnight+86400, even.end+even.offset)
	if !s.dayDone {
		s.dayDone = s.inside && midnight > s.walking
		if local == midnight+int64(s.first) && end == midnight+86400 {
			s.inside, s.walking = true, midnight
		}
		return 0, false
	}
	if s.known < 2 || s.last[0]+even.offset < midnight {
		return 0, false
	}
	last, _ := s.plan.lastTime(int(end - midnight))
	before, ok := s.plan.lastTime(last)
	to := midnight + int64(before) - even.offset
	return to, ok && to > at
}
