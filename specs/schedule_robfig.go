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
//   - A day without a midnight is left out by what is due at 0 hours.
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
	if ok && t.evenBetween(after-32*86400, at) { // it goes back to the first of the month
		return at, t.year(at) <= t.year(after+1)+robfigYears
	}
	w := robfigWalk{plan: t.plan, at: time.Unix(after+1, 0).In(t.loc)}
	last := w.at.Year() + robfigYears
	for n := 0; n < mostRounds && w.at.Year() <= last && !w.stuck; n++ {
		if w.toMonth() && w.toDay() && w.toHour() && w.toMinute() {
			return w.at.Unix(), !w.stuck
		}
	}
	return 0, false
}

// mostRounds bounds a search in which the program would go round for ever.
const mostRounds = 100_000

const robfigYears = 5

func (t timeline) year(at int64) int {
	if t.loc == time.UTC {
		y, _, _ := dateOf(int(floorDiv64(at, 86400)))
		return y
	}
	return time.Unix(at, 0).In(t.loc).Year()
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
		over, ok := seg.settled(), true
		for n := 0; n < 3 && ok; n++ {
			over, ok = t.nextSlot(over)
			over += 3600
		}
		return seg, !ok || over > at
	}
	return segment{}, false
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
	at    time.Time
	moved bool
	stuck bool // where the program never comes back, as at a day that a zone has left out
}

// from sets the moment back to the start of a unit, at the first move only.
func (w *robfigWalk) from(start time.Time) {
	if !w.moved {
		w.at, w.moved = start, true
	}
}

func (w *robfigWalk) date(day, hour int) time.Time {
	return time.Date(w.at.Year(), w.at.Month(), day, hour, 0, 0, 0, w.at.Location())
}

func (w *robfigWalk) toMonth() bool {
	for w.plan.month>>w.at.Month()&1 == 0 {
		w.from(w.date(1, 0))
		if w.at = w.at.AddDate(0, 1, 0); w.at.Month() == time.January {
			return false
		}
	}
	return true
}

// toDay aims at midnight, and where there is none takes the difference to it
// off in hours.
func (w *robfigWalk) toDay() bool {
	for !w.plan.dayDue(w.at.Day(), int(w.at.Weekday())) {
		w.from(w.date(w.at.Day(), 0))
		was := w.at
		w.at = w.at.AddDate(0, 0, 1)
		if w.stuck = !w.at.After(was); w.stuck {
			return true
		}
		switch h := w.at.Hour(); {
		case h > 12:
			w.at = w.at.Add(time.Duration(24-h) * time.Hour)
		case h > 0:
			w.at = w.at.Add(-time.Duration(h) * time.Hour)
		}
		if w.at.Day() == 1 {
			return false
		}
	}
	return true
}

func (w *robfigWalk) toHour() bool {
	for w.plan.hour>>w.at.Hour()&1 == 0 {
		w.from(w.date(w.at.Day(), w.at.Hour()))
		if w.at = w.at.Add(time.Hour); w.at.Hour() == 0 {
			return false
		}
	}
	return true
}

// toMinute ends at second 0, the only one that a kubernetes schedule has.
func (w *robfigWalk) toMinute() bool {
	for w.plan.minute>>w.at.Minute()&1 == 0 {
		w.from(w.at.Truncate(time.Minute))
		if w.at = w.at.Add(time.Minute); w.at.Minute() == 0 {
			return false
		}
	}
	for w.at.Second() != 0 {
		w.from(w.at.Truncate(time.Second))
		if w.at = w.at.Add(time.Second); w.at.Second() == 0 {
			return false
		}
	}
	return true
}
