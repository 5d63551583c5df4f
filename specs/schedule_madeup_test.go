package specs

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// madeUp are schedules of random fields in each dialect's own syntax.
func madeUp(t testing.TB, n int) (out []Schedule) {
	t.Helper()
	r := rand.New(rand.NewSource(7))
	for len(out) < n {
		d := Dialects()[r.Intn(6)]
		var fs []string
		for i := range fields {
			fs = append(fs, madeUpField(r, d, i))
		}
		if d == Supercronic && r.Intn(3) == 0 {
			fs = append(fs, []string{"2030", "2028-2031", "*", "*/4", "2026,2029,2031"}[r.Intn(5)])
			if r.Intn(2) == 0 {
				fs = append([]string{madeUpField(r, d, fieldMinute)}, fs...)
			}
		}
		text := strings.Join(fs, " ")
		if d == Kubernetes && r.Intn(30) == 0 {
			text = fmt.Sprintf("@every %ds", 1+r.Intn(100000))
		}
		if s, err := ParseSchedule(d, text, "UTC"); err == nil {
			out = append(out, s)
		}
	}
	return out
}

func madeUpField(r *rand.Rand, d Dialect, i int) string {
	f := fields[i]
	value := func() int { return f.low + r.Intn(f.high-f.low+1) }
	switch n := r.Intn(16); {
	case n < 4:
		return "*"
	case n < 6:
		return fmt.Sprint(value())
	case n == 6 && d == Cronie:
		return fmt.Sprintf("%d~%d", f.low+r.Intn(2), f.high-r.Intn(2))
	case n == 7 && d == Supercronic && i == fieldDom:
		return []string{"L", "LW", "15W", "1W", "L,15", "L,1W"}[r.Intn(6)]
	case n == 7 && d == Supercronic && i == fieldDow:
		return []string{"5L", "1#1", "0#5", "mon#2,tue#2", "1#1,1#2", "3L,4"}[r.Intn(6)]
	}
	var items []string
	for range 1 + r.Intn(3) {
		a, b := value(), value()
		switch r.Intn(5) {
		case 0:
			items = append(items, fmt.Sprintf("*/%d", 1+r.Intn(f.high)))
		case 1, 2:
			items = append(items, fmt.Sprintf("%d-%d", min(a, b), max(a, b)))
		case 3:
			items = append(items, fmt.Sprintf("%d-%d/%d", min(a, b), max(a, b), 1+r.Intn(5)))
		default:
			items = append(items, fmt.Sprint(a))
		}
	}
	return strings.Join(items, ",")
}
