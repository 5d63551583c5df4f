package report

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

var dayStart = time.Date(2026, 11, 2, 3, 5, 0, 0, time.UTC)

func TestDay(t *testing.T) {
	every := func(from, step, before int) (out []int) {
		for m := from; m < before; m += step {
			out = append(out, m)
		}
		return out
	}
	for _, c := range []struct {
		minutes []int
		want    string
	}{
		{nil, "[]"},
		{[]int{12}, "[03:17+0×1]"},
		{[]int{12, 72}, "[03:17+60×2]"},
		{every(0, 1, 1440), "[03:05+1×1440]"},
		{every(3, 5, 1440), "[03:08+5×288]"},
		{every(55, 60, 1440), "[04:00+60×24]"},
		{[]int{5, 6, 10, 65, 66, 70, 125, 126, 130}, "[03:10+60×3 03:11+60×3 03:15+60×3]"},
		{[]int{5, 6, 10, 700}, "[03:10+1×2 03:15+690×2]"},
	} {
		d := NewDay(dayStart, c.minutes)
		var got []string
		for _, s := range d.Due {
			got = append(got, fmt.Sprintf("%s+%d×%d", s.At.Format("15:04"), s.Every, s.Minutes))
		}
		if d.Due == nil || fmt.Sprint(got) != c.want || d.Minutes != len(c.minutes) {
			t.Errorf("%v: %v, want %s", c.minutes, got, c.want)
		}
	}
}

// A day that nobody here has made costs no more than one that has.
func TestDayByHand(t *testing.T) {
	const many = 1 << 60
	d := Day{Minutes: -many, Due: []Series{
		{dayStart.Add(-2 * time.Minute), 1, 4}, {dayStart.Add(1439 * time.Minute), 1, many}, {dayStart.Add(time.Hour), 0, many}, {time.Time{}, 1, 5}, {dayStart.Add(2 * time.Minute), 1<<63 - 1, many},
		{dayStart.AddDate(900, 0, 0), many, many}, {dayStart.Add(5 * time.Minute), -5, many}, {dayStart.Add(time.Minute), many, 3}, {dayStart.Add(-1000 * time.Minute), 9, 113},
	}}
	if got := d.Offsets(dayStart); !slices.Equal(got, []int{0, 1, 2, 5, 8, 60, 1439}) {
		t.Errorf("%v", got)
	}
}

func FuzzDay(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(7))
	f.Add([]byte{0, 60, 60, 1, 59, 0}, uint8(1))
	f.Fuzz(func(t *testing.T, steps []byte, first uint8) {
		minutes := []int{}
		for m, i := int(first), 0; m < DayMinutes && i < len(steps); i++ {
			minutes = append(minutes, m)
			m += int(steps[i]) + 1
		}
		d := NewDay(dayStart, minutes)
		if got := d.Offsets(dayStart); !slices.Equal(got, minutes) || len(d.Due) > len(minutes) {
			t.Errorf("%v came back as %v", minutes, got)
		}
	})
}

func BenchmarkDay(b *testing.B) {
	all := make([]int, DayMinutes)
	for i := range all {
		all[i] = i
	}
	for b.Loop() {
		NewDay(dayStart, all)
	}
}
