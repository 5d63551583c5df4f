package classify

import (
	"slices"
	"strconv"

	"github.com/rolecall-dev/rolecall/specs"
)

// clockChange speaks of schedules that are one but for the days on which the
// clock changes. In a zone that is not known those days do not count, which a
// note says; in a named zone they are a drift, of which this is a hint.
func (j *judge) clockChange(ref specs.Ref, o *object) (hints []string) {
	if o.Opaque {
		return nil
	}
	for _, want := range j.Desired[ref].Spec.Schedules {
		for _, have := range o.Spec.Schedules {
			switch {
			case !want.ClockChangeOnly(have):
			case have.Zone == specs.Local:
				j.note("clock-change", ref.Source, "role "+ref.Role+": "+strconv.Quote(want.Text)+" and "+strconv.Quote(have.Text)+" are taken as one; on the days on which the clock changes they differ, and the zone of the source is not known", o.Pos)
			case !slices.Contains(hints, sameButClock):
				hints = append(hints, sameButClock)
			}
		}
	}
	return hints
}

const sameButClock = "the schedules are equal except on the days on which the clock changes"
