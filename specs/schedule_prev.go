package specs

import "time"

// Prev is the last due instant before one, in UTC, and false if there is none
// in sight, or none at set times. A schedule in Local is read in UTC, since its
// zone is not known here: use PrevIn where it is.
func (s Schedule) Prev(before time.Time) (time.Time, bool) {
	return s.PrevIn(before, time.UTC)
}

// PrevIn is Prev with the zone that stands for Local. An interval has no
// instant before one: it counts from its last run, which is not known here.
func (s Schedule) PrevIn(before time.Time, local *time.Location) (time.Time, bool) {
	line, ok := s.timeline(local)
	if !ok {
		return time.Time{}, false
	}
	first := before.Unix()
	if before.Nanosecond() > 0 {
		first++ // the second that has begun is before it
	}
	at, ok := line.prev(first)
	return time.Unix(at, 0).UTC(), ok
}

// prev is the last due instant before one. What next says never goes back as
// time goes on, so the last instant from which next lies before is looked for
// by halves, and no rule for the clock's changes is written a second time.
func (t timeline) prev(before int64) (int64, bool) {
	const most = (searchYears + 1) * 366 * 86400
	last, found := int64(0), false
	for step := int64(60); !found && step < 4*most; step *= 4 {
		last, found = t.next(before - min(step, most))
		found = found && last < before
	}
	if !found {
		return 0, false
	}
	for low, high := last, before-1; low < high; {
		at, ok := t.next(low)
		if !ok || at >= before {
			break
		}
		last, low = at, at
		if mid := low + (high-low)/2; mid > low {
			if at, ok = t.next(mid); ok && at < before {
				last, low = at, at
			} else {
				high = mid
			}
		}
	}
	return last, true
}
