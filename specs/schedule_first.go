package specs

import "time"

// FirstDifference is the first instant after one at which exactly one of two
// schedules is due; inA says that it is a. The zone stands for Local. It is
// false where the canonical forms are equal, and where there is no difference
// up to the end of 2099 or, after that, within 41 years. Of a Random schedule
// the instants are those that may be drawn; an interval counts from after, and
// is followed for its first 100,000 instants.
func FirstDifference(a, b Schedule, after time.Time, local *time.Location) (at time.Time, inA bool, ok bool) {
	if a.plan.kind == kindUnread || b.plan.kind == kindUnread || a.Canonical() == b.Canonical() {
		return time.Time{}, false, false
	}
	x, inX := a.timeline(local)
	y, inY := b.timeline(local)
	if !inX || !inY {
		return firstOfUnequal(a, b, after, local)
	}
	until := max(int64(daysBefore(lastYear+1, 1, 1))*86400, after.Unix()+searchYears*366*86400)
	d := hourwise{a: hours{timeline: x}, b: hours{timeline: y}, same: map[[2]hourForm]bool{}}
	first, inA, ok := d.first(after.Unix(), until)
	if !ok {
		return time.Time{}, false, false
	}
	return time.Unix(first, 0).UTC(), inA, true
}

// firstOfUnequal is for a schedule that is due at no set times beside another.
func firstOfUnequal(a, b Schedule, after time.Time, local *time.Location) (at time.Time, inA bool, ok bool) {
	for range 100_000 {
		x, inX := a.NextIn(after, local)
		y, inY := b.NextIn(after, local)
		switch {
		case !inX && !inY:
			return time.Time{}, false, false
		case !inY || inX && x.Before(y):
			return x, true, true
		case !inX || y.Before(x):
			return y, false, true
		}
		after = x
	}
	return time.Time{}, false, false
}

// hourwise compares two timelines hour by hour of UTC. Hours in which the
// clocks run evenly have few forms, each pair of which is compared once; only
// hours that differ or are not even are looked at instant by instant.
type hourwise struct {
	a, b hours
	same map[[2]hourForm]bool
}

func (d *hourwise) first(after, until int64) (at int64, inA, ok bool) {
	for hour := floorDiv64(after, 3600) * 3600; hour < until; hour += 3600 {
		x, evenX := d.a.form(hour)
		y, evenY := d.b.form(hour)
		if evenX && evenY && d.alike(x, y) {
			continue
		}
		if at, inA, ok = d.within(max(after, hour-1), hour+3600); ok {
			return at, inA, true
		}
	}
	return 0, false, false
}

// within looks at every instant after one and before another.
func (d *hourwise) within(after, before int64) (at int64, inA, ok bool) {
	for {
		x, inX := d.a.next(after)
		y, inY := d.b.next(after)
		inX, inY = inX && x < before, inY && y < before
		switch {
		case !inX && !inY:
			return 0, false, false
		case !inY || inX && x < y:
			return x, true, true
		case !inX || y < x:
			return y, false, true
		}
		after = x
	}
}

func (d *hourwise) alike(x, y hourForm) bool {
	same, known := d.same[[2]hourForm{x, y}]
	if !known {
		same = true
		for s := 0; s < 3600 && same; s++ {
			same = d.a.plan.dueIn(x, s) == d.b.plan.dueIn(y, s)
		}
		d.same[[2]hourForm{x, y}] = same
	}
	return same
}

// hourForm is what an even hour of UTC shows of a timeline: on the wall it
// begins so many seconds into one hour, which may be due, and ends in another.
type hourForm struct {
	shift        int
	begins, ends bool
}

// dueIn says whether a second of the hour is due.
func (p *plan) dueIn(form hourForm, second int) bool {
	due, s := form.begins, second+form.shift
	if s >= 3600 {
		due, s = form.ends, s-3600
	}
	return due && p.minute>>(s/60)&1 == 1 && p.second>>(s%60)&1 == 1
}

// hours is a timeline that is walked hour by hour.
type hours struct {
	timeline
	seg    segment // the even time that was last looked at
	day    int64   // the day that was last looked at
	dayDue bool
	begun  bool
}

// form is false for an hour that is not even.
func (h *hours) form(hour int64) (hourForm, bool) {
	if !h.begun || hour >= h.seg.end {
		h.begun, h.seg = true, h.even(hour)
	}
	if hour < h.seg.start || hour+3600 > h.seg.end {
		return hourForm{}, false
	}
	local := hour + h.seg.offset
	first := floorDiv64(local, 3600)
	form := hourForm{shift: int(local - first*3600), begins: h.hourDue(first)}
	if form.shift > 0 {
		form.ends = h.hourDue(first + 1)
	}
	return form, true
}

// hourDue says whether an hour on the wall, counted from 1970, is due.
func (h *hours) hourDue(hour int64) bool {
	day := floorDiv64(hour, 24)
	if h.plan.hour>>(hour-day*24)&1 == 0 {
		return false
	}
	if day != h.day || day == 0 {
		h.day, h.dayDue = day, h.plan.due(int(day))
	}
	return h.dayDue
}
