package specs

import "time"

// Prev is the last due instant before one, in UTC, as Next is the first after
// one. A schedule in Local is read in UTC.
func (s Schedule) Prev(before time.Time) (time.Time, bool) {
	return s.PrevIn(before, time.UTC)
}

// PrevIn is Prev with the zone that stands for Local. An interval has no
// instant before one: it counts from its last run, which is not known here.
func (s Schedule) PrevIn(before time.Time, local *time.Location) (time.Time, bool) {
	if s.plan == nil || s.plan.kind != kindCalendar {
		return time.Time{}, false
	}
	earlier := func(at int64) (time.Time, bool) {
		next, ok := s.NextIn(time.Unix(at, 0), local)
		return next, ok && next.Before(before)
	}
	high := before.Unix()
	low, found := high, false
	var last time.Time
	for step := int64(1); step < searchYears*366*86400*2 && !found; step *= 2 {
		low = high - step
		last, found = earlier(low)
	}
	if !found {
		return time.Time{}, false
	}
	for low++; low < high; {
		if at, ok := earlier(last.Unix()); ok {
			last, low = at, last.Unix()+1
			continue
		}
		break
	}
	for low = last.Unix() + 1; low < high; {
		mid := low + (high-low)/2
		if at, ok := earlier(mid); ok {
			last, low = at, at.Unix()+1
		} else {
			high = mid
		}
	}
	return last, true
}
