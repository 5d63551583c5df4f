package specs

import "time"

// Gap is the time between two due instants that follow one another.
type Gap struct{ From, To time.Time }

// Length is the time from From to To.
func (g Gap) Length() time.Duration { return g.To.Sub(g.From) }

// gapYears is how far LongestGapIn looks: a whole cycle of the calendar.
const gapYears = 28

// LongestGapIn is the longest gap that begins after an instant and within 28
// years of it, the earliest of several of one length. It is false for what
// never comes due or at no set time, and where fewer than two instants are
// due. The zone stands for Local.
func (s Schedule) LongestGapIn(after time.Time, local *time.Location) (Gap, bool) {
	var longest Gap
	from, ok := s.NextIn(after, local)
	if !ok {
		return Gap{}, false
	}
	if s.plan.kind == kindInterval {
		return Gap{from, from.Add(s.plan.every)}, true
	}
	until := after.AddDate(gapYears, 0, 0)
	for !from.After(until) {
		to, ok := s.NextIn(from, local)
		if !ok {
			break
		}
		if to.Sub(from) > longest.Length() {
			longest = Gap{from, to}
		}
		from = to
	}
	return longest, longest.Length() > 0
}
