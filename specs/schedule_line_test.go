package specs

import (
	"math/rand"
	"testing"
	"time"
)

// slowSpan goes from instant to instant.
func slowSpan(line timeline, after, until int64) (longest int64) {
	var last [2]int64
	n := 0
	for at, ok := line.next(after); ok && at <= until; at, ok = line.next(at) {
		if n++; n > 2 {
			longest = max(longest, at-last[0])
		}
		last = [2]int64{last[1], at}
	}
	return longest
}

func TestLongestSpanAgainstEveryInstant(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	all := battery(t)
	texts := []struct {
		d    Dialect
		text string
	}{
		{Debian, "* * * * *"}, {Debian, "0 * * * *"}, {Debian, "30 2 * * *"}, {Debian, "59 23 * * *"}, {Debian, "*/5 8-17 * * 1-5"}, {Debian, "0,1,2 0,23 * * *"},
		{Kubernetes, "0 * * * *"}, {Kubernetes, "0 0 * * 0"}, {Kubernetes, "*/20 0-3 * * *"}, {Kubernetes, "1,2,3,59 2 * * 1"},
		{Supercronic, "0 * * * *"}, {Supercronic, "10 0 1-3 * * * *"}, {GitHub, "0 1,2 * * *"}, {Busybox, "30 1-2 * * *"}, {Cronie, "*/10 1 * * 0"},
	}
	for _, c := range texts {
		all = append(all, mustParse(t, c.d, c.text, ""))
	}
	checked := 0
	for i, s := range all {
		for j, zone := range changingZones[:7] {
			if i < len(all)-len(texts) && (i+j)%7 != 0 {
				continue
			}
			s.Zone = zone
			line, ok := s.Line(time.UTC)
			if !ok {
				continue
			}
			days := 800
			if p := s.plan; p.minute&(p.minute>>1) != 0 && p.hour&(p.hour>>1) != 0 {
				days = 40
			}
			after := randomInstant(r, line.loc).Unix()
			until := after + int64(days)*86400
			g := spanSearch{timeline: line.timeline}
			g.first, _ = line.plan.nextTime(0)
			g.walk(after, until)
			checked++
			if want := slowSpan(line.timeline, after, until); g.longest != want {
				t.Fatalf("%s %q %s after %s: %d s, and by every instant %d s", s.Dialect, s.Text, zone, time.Unix(after, 0).UTC(), g.longest, want)
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d checked", checked)
	}
}

func TestLine(t *testing.T) {
	at := time.Date(2026, 11, 25, 12, 0, 0, 5, time.UTC)
	for _, s := range battery(t) {
		line, ok := s.Line(time.UTC)
		next, okNext := s.Next(at)
		if ok && s.Every() > 0 || !ok && okNext && s.Every() == 0 && !s.Random() {
			t.Fatalf("%s %q: a line %v", s.Dialect, s.Text, ok)
		}
		if !ok {
			continue
		}
		prev, okPrev := s.Prev(at)
		if got, ok := line.Next(at); ok != okNext || ok && !got.Equal(next) {
			t.Errorf("%s %q: next %s, want %s", s.Dialect, s.Text, got, next)
		}
		if got, ok := line.Prev(at); ok != okPrev || ok && !got.Equal(prev) {
			t.Errorf("%s %q: prev %s, want %s", s.Dialect, s.Text, got, prev)
		}
	}
}

func BenchmarkLongestSpan(b *testing.B) {
	at := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{"* * * * *", "0 2 * * 1-5", "0 0 29 2 */7"} {
		line, _ := mustParse(b, Debian, text, "Europe/Berlin").Line(time.UTC)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				line.LongestSpan(at)
			}
		})
	}
}
