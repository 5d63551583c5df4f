package specs

import (
	"math/bits"
	"time"
)

// Gap is the time between two due instants that follow one another.
type Gap struct{ From, To time.Time }

// Length is the time from From to To.
func (g Gap) Length() time.Duration { return g.To.Sub(g.From) }

// gapYears is how far LongestGapIn looks: a whole cycle of the calendar.
const gapYears = 28

// LongestGapIn is the longest gap that begins after an instant and within 28
// years of it, the earliest of several of one length; for an interval the gap
// from after to the next instant. It is false for what never comes due or at no
// set time, and where fewer than two instants are due. The zone stands for
// Local. Of a Random schedule the gaps are those between instants that may be
// drawn, so the true one can be longer.
func (s Schedule) LongestGapIn(after time.Time, local *time.Location) (Gap, bool) {
	if s.Every() > 0 {
		to, _ := s.NextIn(after, local)
		return Gap{to.Add(-s.Every()), to}, true
	}
	line, ok := s.timeline(local)
	if !ok {
		return Gap{}, false
	}
	g := gapSearch{timeline: line}
	g.walk(after.Unix(), after.AddDate(gapYears, 0, 0).Unix())
	return Gap{time.Unix(g.from, 0).UTC(), time.Unix(g.to, 0).UTC()}, g.to > g.from
}

// gapSearch walks from due instant to due instant and keeps the longest gap.
// Where the clock runs evenly, all whole due days are alike, and so the walk
// looks into one of them and leaps over the others from the first slot to the
// last.
type gapSearch struct {
	timeline
	from, to int64
	dayDone  bool // a whole day was looked into
}

func (g *gapSearch) walk(after, until int64) {
	at, ok := g.next(after)
	even := segment{end: at}
	for ok && at <= until {
		if at >= even.end {
			even = g.even(at)
		}
		if at >= even.start {
			at = g.acrossDay(at, even)
		}
		if at > until {
			return
		}
		var to int64
		if to, ok = g.followEven(at, even); ok {
			g.note(at, to)
			at = to
		}
	}
}

func (g *gapSearch) note(from, to int64) {
	if to-from > g.to-g.from {
		g.from, g.to = from, to
	}
}

// acrossDay goes from a slot to the last one of its day that lies in an even
// time.
func (g *gapSearch) acrossDay(at int64, even segment) int64 {
	local := at + even.offset
	midnight := floorDiv64(local, 86400) * 86400
	end := min(midnight+86400, even.end+even.offset)
	if !g.dayDone {
		first, _ := g.plan.nextTime(0)
		g.dayDone = local == midnight+int64(first) && end == midnight+86400
		for {
			next, ok := g.plan.nextLocal(local+1, end)
			if !ok {
				return local - even.offset
			}
			g.note(local-even.offset, next-even.offset)
			local = next
		}
	}
	last, _ := g.plan.lastTime(int(end - midnight))
	return max(at, midnight+int64(last)-even.offset)
}

// lastTime is the last second of the day that is due before one.
func (p *plan) lastTime(before int) (int, bool) {
	if before <= 0 {
		return 0, false
	}
	h, m, s := (before-1)/3600, (before-1)/60%60, (before-1)%60
	for h >= 0 {
		top := bits.Len32(p.hour&(1<<(h+1)-1)) - 1
		if top < h {
			h, m, s = top, 59, 59
			continue
		}
		top = bits.Len64(p.minute&(1<<(m+1)-1)) - 1
		if top < 0 {
			h, m, s = h-1, 59, 59
			continue
		}
		if top < m {
			m, s = top, 59
		}
		if rest := p.second & (1<<(s+1) - 1); rest != 0 {
			return h*3600 + m*60 + bits.Len64(rest) - 1, true
		}
		if m, s = m-1, 59; m < 0 {
			h, m = h-1, 59
		}
	}
	return 0, false
}

// followEven is follow, and cheaper where the next slot lies in the same even
// time and within a month: what comes later is subject to how far a program looks.
func (t timeline) followEven(due int64, even segment) (int64, bool) {
	if due < even.start {
		return t.follow(due)
	}
	end := min(even.end, due+aMonth) + even.offset
	if t.rule == clockSupercronic {
		end = min(end, int64(daysBefore(lastYear+1, 1, 1))*86400)
	}
	if at, ok := t.plan.nextLocal(due+even.offset+1, end); ok {
		return at - even.offset, true
	}
	return t.follow(due)
}

// even is the part of the segment at an instant in which the slots of the wall
// are due and nothing else. Its start may lie after the instant.
func (t timeline) even(at int64) segment {
	seg := segmentAt(t.loc, at)
	if t.rule == clockRobfig && seg.odd() {
		seg.start = t.chainOver(seg)
	}
	after := segmentAt(t.loc, seg.end)
	switch t.rule {
	case clockOnce, clockFirst, clockGitHub:
		seg.start = max(seg.start+1, seg.firstNew()-seg.offset)
	case clockSupercronic: // a slot is moved by no more than the change
		seg.start += max(0, seg.offset-seg.before, seg.before-seg.offset) + 1
		seg.end -= max(after.offset-seg.offset, seg.offset-after.offset)
	case clockRobfig:
		if after.odd() {
			seg.end -= 3600
		}
	}
	return seg
}
