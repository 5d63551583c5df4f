package specs

import "time"

// robfig/cron v3 finds the next instant by moving a moment on, month by month,
// then by days, by hours of 3,600 seconds and by minutes, and starts again when
// a smaller step has led into a larger unit. Where the clock changes by whole
// hours, away from midnight, that is what the wall shows. Elsewhere it is not
// (measured with robfig/cron 3.0.1):
//
//   - After a change by half an hour the hours are met at half past, so 0 3 * * *
//     is left out on that day, and 30 1 * * * is due at 02:30 too.
//   - A due day whose midnight is skipped can be left out as a whole, as that of
//     0 12 * * 5 is in Africa/Cairo on the last Friday of April.
//   - What is not due within the next five years is never due again.
//   - At a day that a zone leaves out (Pacific/Apia, 30 December 2011) the
//     program goes round for ever: nothing is due again.
//
// The controller asks from each run for the next one, and the instants here
// are those of that chain: asked in the middle of such a day, the program
// would name others.

// afterRobfig is what the program names for an instant.
func (t timeline) afterRobfig(after int64) (int64, bool) {
	at, ok := t.nextSlot(after)
	if seg := segmentAt(t.loc, after+1); ok && seg.start <= after-aMonth && at < seg.end {
		return at, yearOf(at+seg.offset) <= yearOf(after+1+seg.offset)+robfigYears
	}
	if ok && t.evenBetween(after-aMonth, at) {
		from, to := t.walkFrom(after+1), t.walkFrom(at)
		return at, to.year() <= from.year()+robfigYears
	}
	w := t.walkFrom(after + 1)
	last := w.year() + robfigYears
	for n := 0; n < mostRounds && w.year() <= last && !w.stuck; n++ {
		if w.toMonth() && w.toDay() && w.toHour() && w.toMinute() {
			return w.at, !w.stuck
		}
	}
	return 0, false
}

// mostRounds bounds a search in which the program would go round for ever.
const mostRounds = 100_000

const robfigYears = 5

// aMonth: the search goes back to the first of the month.
const aMonth = 32 * 86400

// yearOf is the year of a local second.
func yearOf(local int64) int {
	year, _, _ := dateOf(int(floorDiv64(local, 86400)))
	return year
}

// evenBetween says that no odd change lies in from < change <= to.
func (t timeline) evenBetween(from, to int64) bool {
	for {
		seg := segmentAt(t.loc, to)
		if seg.start <= from {
			return true
		}
		if seg.odd() {
			return false
		}
		to = seg.start - 1
	}
}

// odd says that the segment begins with a change that is not of whole hours, or
// that touches midnight.
func (s segment) odd() bool {
	old, new := s.start+s.before, s.start+s.offset
	low, high := min(old, new), max(old, new)
	return s.start > -1<<40 && (old%3600 != 0 || new%3600 != 0 || floorDiv64(low-1, 86400) != floorDiv64(high, 86400))
}

// settled is the time from which on the program, asked anew, is not misled by
// the change at the segment's start.
func (s segment) settled() int64 {
	return s.start + max(2*3600, 3600+max(s.offset-s.before, s.before-s.offset))
}

// nextRobfig is the first instant after one in the chain.
func (t timeline) nextRobfig(after int64) (int64, bool) {
	if t.loc == time.UTC {
		at, ok := t.nextSlot(after)
		return at, ok && yearOf(at) <= yearOf(after+1)+robfigYears
	}
	seg, ok := t.oddBefore(after)
	if !ok {
		return t.afterRobfig(after)
	}
	at, ok := seg.start-3600, true
	for at <= after && ok {
		if at >= seg.settled() {
			return t.afterRobfig(after)
		}
		at, ok = t.afterRobfig(at)
	}
	return at, ok
}

// oddBefore is the segment whose odd beginning the chain may not have got over
// at an instant: it is over three due hours later, since the first of them can
// be missed as a whole.
func (t timeline) oddBefore(at int64) (segment, bool) {
	from := at - t.plan.threeHours()
	for seg := segmentAt(t.loc, at); seg.start > from; seg = segmentAt(t.loc, seg.start-1) {
		if !seg.odd() {
			continue
		}
		return seg, t.chainOver(seg) > at
	}
	return segment{}, false
}

// chainOver is when the chain has got over the segment's beginning.
func (t timeline) chainOver(seg segment) int64 {
	over, ok := seg.settled(), true
	for n := 0; n < 3 && ok; n++ {
		over, ok = t.nextSlot(over)
		over += 3600
	}
	if !ok {
		return seg.end
	}
	return over
}

// threeHours is no less than the time in which three due hours come, if the
// chain does not end.
func (p *plan) threeHours() int64 {
	const day = 86400
	switch {
	case p.month != fullMonth:
		return (robfigYears + 1) * 366 * day
	case p.dom != fullDom:
		return 200 * day
	case p.dow != fullDow:
		return 30 * day
	}
	return 5 * day
}

// robfigDiffers says that the chain over the beginning of a segment is not what
// the wall shows.
func (t timeline) robfigDiffers(seg segment) bool {
	if p := t.plan; p.hour == fullHour && p.month == fullMonth && p.dom == fullDom && p.dow == fullDow {
		return false // it goes by minutes
	}
	at, ok := t.afterRobfig(seg.start - 3600)
	wall, wallOK := t.nextSlot(seg.start - 3600)
	for ok && wallOK && at == wall && at < seg.settled() {
		at, ok = t.afterRobfig(at)
		wall, wallOK = t.nextSlot(wall)
	}
	return ok && at != wall
}

// robfigWalk is the moment that moves on. Each step says whether it stayed
// within the next larger unit.
type robfigWalk struct {
	plan  *plan
	loc   *time.Location
	at    int64 // Unix seconds
	seg   segment
	moved bool
	stuck bool // where the program never comes back, as at a day that a zone has left out
}

func (t timeline) walkFrom(at int64) robfigWalk {
	return robfigWalk{plan: t.plan, loc: t.loc, at: at, seg: segmentAt(t.loc, at)}
}

// local is the moment on the wall, in seconds since 1970.
func (w *robfigWalk) local() int64 {
	if w.at < w.seg.start || w.at >= w.seg.end {
		w.seg = segmentAt(w.loc, w.at)
	}
	return w.at + w.seg.offset
}

func (w *robfigWalk) year() int {
	return yearOf(w.local())
}

// date is the moment as a day since 1970 and the second of that day.
func (w *robfigWalk) date() (day, second int) {
	local := w.local()
	d := floorDiv64(local, 86400)
	return int(d), int(local - d*86400)
}

// set goes to what the wall shows, as time.Date does: by the offset of the
// segment in which these seconds would lie as UTC, or else of the one at the
// instant so found.
func (w *robfigWalk) set(day, second int) {
	local := int64(day)*86400 + int64(second)
	w.at = local
	w.local()
	if w.at = local - w.seg.offset; w.at < w.seg.start || w.at >= w.seg.end {
		w.local()
		w.at = local - w.seg.offset
	}
}

// first says that the moment has not moved before.
func (w *robfigWalk) first() bool {
	was := w.moved
	w.moved = true
	return !was
}

func (w *robfigWalk) toMonth() bool {
	for {
		days, second := w.date()
		year, month, day := dateOf(days)
		if w.plan.month>>month&1 == 1 {
			return true
		}
		if w.first() {
			day, second = 1, 0
		}
		w.set(daysBefore(year, month+1, day), second)
		if days, _ = w.date(); monthOf(days) == 1 {
			return false
		}
	}
}

func monthOf(days int) int {
	_, month, _ := dateOf(days)
	return month
}

// toDay aims at midnight, and where there is none takes the difference to it
// off in hours.
func (w *robfigWalk) toDay() bool {
	for {
		days, second := w.date()
		_, _, day := dateOf(days)
		if w.plan.dayDue(day, weekdayOf(days)) {
			return true
		}
		if w.first() {
			w.set(days, 0)
			days, second = w.date()
		}
		was := w.at
		w.set(days+1, second)
		if w.stuck = w.at <= was; w.stuck {
			return true
		}
		_, second = w.date()
		switch h := int64(second / 3600); {
		case h > 12:
			w.at += (24 - h) * 3600
		case h > 0:
			w.at -= h * 3600
		}
		days, _ = w.date()
		if _, _, day := dateOf(days); day == 1 {
			return false
		}
	}
}

func (w *robfigWalk) toHour() bool {
	for {
		day, second := w.date()
		if w.plan.hour>>(second/3600)&1 == 1 {
			return true
		}
		if w.first() {
			w.set(day, second-second%3600)
		}
		w.at += 3600
		if _, second = w.date(); second < 3600 {
			return false
		}
	}
}

// toMinute ends at second 0, the only one that a kubernetes schedule has.
func (w *robfigWalk) toMinute() bool {
	for {
		_, second := w.date()
		due, rest := w.plan.minute>>(second/60%60)&1 == 1, second%60
		if due && rest == 0 {
			return true
		}
		w.moved = true
		w.at += int64(60 - rest)
		if _, second = w.date(); due || second/60%60 == 0 {
			return false // the seconds led into another minute, or the minutes into another hour
		}
	}
}
