package evidence

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// TestLoose: what is told without the longest gap is what it tells.
func TestLoose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	field := func(low, high int) string {
		a, b := low+r.IntN(high-low+1), low+r.IntN(high-low+1)
		switch r.IntN(6) {
		case 0, 1:
			return "*"
		case 2:
			return fmt.Sprintf("*/%d", 1+r.IntN(high))
		case 3:
			return fmt.Sprintf("%d-%d", min(a, b), max(a, b))
		}
		return fmt.Sprintf("%d,%d", a, b)
	}
	dialects := specs.Dialects()
	told, read := 0, 0
	for range 1200 {
		d := dialects[r.IntN(len(dialects))]
		text := fmt.Sprintf("%s %s %s %s %s", field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6))
		if d == specs.Supercronic && r.IntN(2) == 0 {
			text = fmt.Sprintf("0 %s %d-%d", text, 2025+r.IntN(3), 2028+r.IntN(30))
		}
		s, err := specs.ParseSchedule(d, text, "")
		if err != nil {
			continue
		}
		s.Zone = specs.Local // also of GitHub, which knows its own
		read++
		c := time.Unix(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Unix()+r.Int64N(20*365*86400), 0).UTC()
		since := c.Add(-time.Duration(r.Int64N(int64(400 * 24 * time.Hour >> r.IntN(14)))))
		quick := NewCalendar().agenda([]specs.Schedule{s})
		if len(quick.loose) == 0 || quick.loose[0].zoneless == nil {
			continue
		}
		if quick.loose[0].before(since, c) {
			told++
		}
		whole := NewCalendar().agenda([]specs.Schedule{s})
		whole.times(whole.loose[0])
		d1, d2 := quick.lastTwo(since, c)
		w1, w2 := whole.lastTwo(since, c)
		if !d1.Equal(w1) || !d2.Equal(w2) {
			t.Fatalf("%s %q at %s since %s: %s and %s, want %s and %s", d, text, c, since, d1, d2, w1, w2)
		}
	}
	if told < 100 || read < 500 {
		t.Errorf("%d schedules, and %d told", read, told)
	}
}
