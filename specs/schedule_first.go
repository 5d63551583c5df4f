package specs

import "time"

// FirstDifference is the first instant after one at which exactly one of two
// schedules is due; inA says that it is a. It is false where there is none
// within the search bound. The zone stands for Local.
func FirstDifference(a, b Schedule, after time.Time, local *time.Location) (at time.Time, inA bool, ok bool) {
	if a.Canonical() == b.Canonical() {
		return time.Time{}, false, false
	}
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
