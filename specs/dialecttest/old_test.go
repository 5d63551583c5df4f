package dialecttest

import (
	"testing"
	"time"

	old "github.com/robfig/cron"

	"github.com/rolecall-dev/rolecall/specs"
)

// TestWhatKubernetes122Changed: until 1.21 the CronJob controller read by
// robfig/cron v1, for which */n in a day field was a star, so that the day and
// the weekday both had to hold. Since 1.22 it is v3, and that alone is our
// kubernetes. Runs are days in 2028; -1 refused, -2 the program breaks.
func TestWhatKubernetes122Changed(t *testing.T) {
	for _, c := range []struct {
		text     string
		old, now int
	}{
		{"0 0 */2 * 1", 27, 212},
		{"0 0 1 * */2", 7, 215},
		{"0 0 */100,1-7 * 1", 12, 124},
		{"0 0 */100,1-7 * */7", 12, 125},
		{"0 0 8-14 * */7", 12, 125},
		{"TZ=UTC 0 0 * * *", -1, 366},
		{"CRON_TZ=America/New_York 0 0 * * *", -1, 366},
		{"TZ=America/New_York @daily", -1, 366},
		{"TZ= 0 0 * * *", -1, 366},
		{"TZ=0", -1, -2},
		{"TZ=UTC", -1, -2},
		// and what it did not
		{"0 0 1 * 1", 63, 63},
		{"0 0 * * 1", 52, 52},
	} {
		before, err := guard(func() (schedule, error) { return old.ParseStandard(c.text) })
		if got := runs2028(before, err, runRobfig); got != c.old {
			t.Errorf("%q: %d runs by v1, want %d", c.text, got, c.old)
		}
		now, err := robfig(c.text)
		if got := runs2028(now, err, runRobfig); got != c.now {
			t.Errorf("%q: %d runs by v3, want %d", c.text, got, c.now)
		}
		s, err := specs.ParseSchedule(specs.Kubernetes, c.text, "UTC")
		ours := runs2028(nil, err, func(_ schedule, at time.Time) time.Time {
			next, _ := s.Next(at)
			return next
		})
		if ours != max(c.now, -1) {
			t.Errorf("%q: we have %d runs, want %d", c.text, ours, c.now)
		}
	}
}

func runs2028(s schedule, err error, next run) (n int) {
	switch verdict(err) {
	case "refuse":
		return -1
	case "panic":
		return -2
	}
	for at := time.Date(2027, 12, 31, 23, 59, 59, 0, time.UTC); ; n++ {
		if at = next(s, at); at.IsZero() || at.In(time.UTC).Year() != 2028 {
			return n
		}
	}
}
