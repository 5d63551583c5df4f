package repair

import (
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// soon is how near a due instant has to be to be announced.
const soon = time.Minute

// due says that what is created may fire at once: it is due within the minute, or
// it may be by the zone of the scheduler, which is not known here.
func due(spec specs.Spec, now time.Time) []string {
	for _, s := range spec.Schedules {
		switch {
		case s.Reboot():
			return []string{"it runs when the scheduler starts (" + s.Text + ")"}
		case s.Every() > 0 || s.Random():
			return []string{"it may run at once: when it is first due is for the scheduler to say (" + s.Text + ")"}
		case s.Zone != specs.Local:
			if at, ok := s.Next(now); ok && at.Sub(now) <= soon {
				return []string{fmt.Sprintf("it is due within the minute, at %s (%s): creating it may start a run at once", at.UTC().Format(time.RFC3339), s.Text)}
			}
		case dueSomewhere(s, now):
			return []string{"it may be due within the minute (" + s.Text + "): the zone of the scheduler is not known"}
		}
	}
	return nil
}

// dueSomewhere tries every zone that there is, by its distance from UTC.
func dueSomewhere(s specs.Schedule, now time.Time) bool {
	for quarters := -12 * 4; quarters <= 14*4; quarters++ {
		loc := time.FixedZone("", quarters*15*60)
		if at, ok := s.NextIn(now, loc); ok && at.Sub(now) <= soon {
			return true
		}
	}
	return false
}
