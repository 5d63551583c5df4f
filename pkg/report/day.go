package report

import (
	"time"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// DayMinutes is how many minutes a Day looks ahead.
const DayMinutes = 24 * 60

// Day are the minutes in which a role comes due within the 1440 that begin with
// the minute after the one of observed_at.
type Day struct {
	Minutes int      `json:"minutes"` // how many there are
	Due     []Series `json:"due"`
}

// Series are minutes at one distance from each other. One that stands alone has
// the distance 0.
type Series struct {
	At      time.Time `json:"at"` // the first
	Every   int       `json:"every_minutes"`
	Minutes int       `json:"minutes"` // how many there are
}

// DayStart is the first minute that a Day of a report looks at.
func (r Report) DayStart() time.Time {
	return r.ObservedAt.UTC().Truncate(time.Minute).Add(time.Minute)
}

// NewDay puts minutes, counted from one and in order, into few series: as they
// follow each other, or by the minute of the hour where that takes fewer. Either
// way */5 * * * * is one, and so is 0 9-17 * * *.
func NewDay(start time.Time, minutes []int) *Day {
	byTime := progressions(minutes)
	var byHour []progression
	if len(byTime) > 1 {
		byHour = columns(minutes)
	}
	if n := len(byHour); n > 0 && n < len(byTime) {
		byTime = byHour
	}
	d := &Day{Minutes: len(minutes), Due: make([]Series, len(byTime))}
	for i, p := range byTime {
		d.Due[i] = Series{start.Add(time.Duration(p.first) * time.Minute), p.every, p.n}
	}
	return d
}

// Offsets are the minutes again, counted from the first of the day, in order. What
// lies outside the day is left out, so that a report made by hand costs no more.
func (d Day) Offsets(start time.Time) []int {
	var due [DayMinutes]bool
	for _, s := range d.Due {
		at, every := int(s.At.Sub(start)/time.Minute), min(max(s.Every, 0), 1<<40)
		for n := s.Minutes; n > 0 && at < DayMinutes; n-- {
			switch {
			case at >= 0:
				due[at] = true
			case every > 0:
				skip := min((-at-1)/every, n-1)
				at, n = at+skip*every, n-skip
			}
			if at += every; every == 0 {
				break
			}
		}
	}
	out := make([]int, 0, min(max(d.Minutes, 0), DayMinutes))
	for m, ok := range due {
		if ok {
			out = append(out, m)
		}
	}
	return out
}

type progression struct{ first, every, n int }

// progressions takes minutes one after the other, as far as they keep a distance.
func progressions(minutes []int) (out []progression) {
	for i := 0; i < len(minutes); {
		p := progression{first: minutes[i], n: 1}
		for i++; i < len(minutes) && (p.n == 1 || minutes[i]-minutes[i-1] == p.every); i++ {
			p.every = minutes[i] - minutes[i-1]
			p.n++
		}
		out = append(out, p)
	}
	return out
}

// columns are the progressions of each minute of the hour.
func columns(minutes []int) (out []progression) {
	var of [60][]int
	for _, m := range minutes {
		of[m%60] = append(of[m%60], m)
	}
	for _, column := range of {
		out = append(out, progressions(column)...)
	}
	arrange.By(out, func(a, b progression) int { return a.first - b.first })
	return out
}
