package specs

import (
	"math/rand"
	"testing"
	"time"
)

// slowGap goes from instant to instant.
func slowGap(line timeline, after, until int64) (from, to int64) {
	at, ok := line.next(after)
	for ok && at <= until {
		next, more := line.next(at)
		if more && next-at > to-from {
			from, to = at, next
		}
		at, ok = next, more
	}
	return from, to
}

func TestLongestGapAgainstEveryInstant(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	all := battery(t)
	texts := []struct {
		d    Dialect
		text string
	}{
		{Debian, "* * * * *"}, {Debian, "0-59 0-23 * * *"}, {Debian, "0 * * * *"}, {Debian, "0 0-23 * * *"}, {Debian, "30 2 * * *"}, {Debian, "59 23 * * *"},
		{Kubernetes, "0 * * * *"}, {Kubernetes, "0 3 * * *"}, {Kubernetes, "0 0 * * 0"}, {Kubernetes, "30 1,13 * * *"}, {Kubernetes, "*/20 0-3 * * *"},
		{Supercronic, "0 * * * *"}, {Supercronic, "*/30 2 * * *"}, {Supercronic, "10 0 1-3 * * * *"}, {GitHub, "0 2 * * *"}, {GitHub, "0 1,2 * * *"},
		{Busybox, "30 1-2 * * *"}, {Cronie, "*/10 1 * * 0"},
	}
	for _, c := range texts {
		all = append(all, mustParse(t, c.d, c.text, ""))
	}
	checked := 0
	for i, s := range all {
		for j, zone := range changingZones[:7] {
			dense := s.plan.kind != kindUnread && s.plan.kind == kindCalendar && s.plan.minute&(s.plan.minute>>1) != 0 && s.plan.hour&(s.plan.hour>>1) != 0
			if i < len(all)-len(texts) && (i+j)%7 != 0 {
				continue
			}
			s.Zone = zone
			line, ok := s.timeline(time.UTC)
			if !ok {
				continue
			}
			days := 800
			if dense {
				days = 40
			}
			after := randomInstant(r, line.loc).Unix()
			until := after + int64(days)*86400
			g := gapSearch{timeline: line}
			g.walk(after, until)
			from, to := slowGap(line, after, until)
			checked++
			if g.from != from || g.to != to {
				t.Fatalf("%s %q %s after %s: %s to %s, and by every instant %s to %s", s.Dialect, s.Text, zone, time.Unix(after, 0).UTC(),
					time.Unix(g.from, 0).UTC(), time.Unix(g.to, 0).UTC(), time.Unix(from, 0).UTC(), time.Unix(to, 0).UTC())
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d checked", checked)
	}
}

func TestLongestGap(t *testing.T) {
	after := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		d                      Dialect
		text, zone, from, want string
	}{
		{Debian, "* * * * *", "America/New_York", "2026-01-01T00:01:00Z", "1m0s"},
		{Debian, "0 3 * * *", "UTC", "2026-01-01T03:00:00Z", "24h0m0s"},
		{Debian, "0 9 * * 1-5", "UTC", "2026-01-02T09:00:00Z", "72h0m0s"},
		{Debian, "0 9 * * *", "America/New_York", "2026-10-31T13:00:00Z", "25h0m0s"},
		{Debian, "0 0-23 * * *", "America/New_York", "2026-11-01T05:00:00Z", "2h0m0s"},
		{Debian, "0 * * * *", "America/New_York", "2026-01-01T01:00:00Z", "1h0m0s"},
		{Debian, "0 0 29 2 *", "UTC", "2028-02-29T00:00:00Z", "35064h0m0s"},
		{Debian, "0 0 29 2 */7", "UTC", "2032-02-29T00:00:00Z", "245448h0m0s"},
		{Kubernetes, "0 3 * * *", "Australia/Lord_Howe", "2026-04-03T16:00:00Z", "48h30m0s"},
		{Kubernetes, "30 2 * * *", "America/New_York", "2026-03-07T07:30:00Z", "47h0m0s"},
		{Kubernetes, "@every 90m", "UTC", "2026-01-01T00:00:00Z", "1h30m0s"},
		{Supercronic, "* * * * * * *", "Europe/Berlin", "2026-10-24T23:59:59Z", "1h0m1s"}, // it takes the second of the repeated hours
		{Supercronic, "59 23 31 12 * 2027", "UTC", "", ""},                                // once,
		{Debian, "@reboot", "UTC", "", ""},
		{Debian, "0 0 31 2 *", "UTC", "", ""},
	} {
		s := mustParse(t, c.d, c.text, c.zone)
		gap, ok := s.LongestGapIn(after, time.UTC)
		if ok != (c.want != "") || ok && (gap.From.Format(time.RFC3339) != c.from || gap.Length().String() != c.want) {
			t.Errorf("%s %q %s: %s from %s %v, want %s from %s", c.d, c.text, c.zone, gap.Length(), gap.From, ok, c.want, c.from)
		}
	}
}

func BenchmarkLongestGap(b *testing.B) {
	at := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		d          Dialect
		text, zone string
	}{{Debian, "* * * * *", "America/New_York"}, {Kubernetes, "* * * * *", "Australia/Lord_Howe"}, {Supercronic, "* * * * * * *", "Europe/Berlin"}, {Debian, "0 0 29 2 */7", "UTC"}} {
		s := mustParse(b, c.d, c.text, c.zone)
		b.Run(c.text+c.zone, func(b *testing.B) {
			for b.Loop() {
				s.LongestGapIn(at, time.UTC)
			}
		})
	}
}

// A zone without a change to come has no end in which the next slot must lie: the
// search for one ends where there is none.
func TestLongestGapOfWhatEnds(t *testing.T) {
	s := mustParse(t, Supercronic, "*/30 0 0 1 1 * 2030", "UTC")
	g, ok := s.LongestGapIn(time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC), time.UTC)
	if !ok || g.Length() != 30*time.Second {
		t.Errorf("%v %v", g, ok)
	}
}

// What a CronJob is not due for within five years it never is again, as after 2096
// on a 29 February.
func TestLongestGapOfACronJobThatEnds(t *testing.T) {
	for _, zone := range []string{"UTC", "America/New_York"} {
		s := mustParse(t, Kubernetes, "0 0 29 2 *", zone)
		g, ok := s.LongestGapIn(time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)
		if !ok || g.From.Year() != 2092 || g.To.Year() != 2096 {
			t.Errorf("%s: from %s to %s", zone, g.From, g.To)
		}
	}
}

// Supercronic knows no year after 2099.
func TestLongestGapToTheLastYear(t *testing.T) {
	s := mustParse(t, Supercronic, "0 0 1 * *", "UTC")
	g, ok := s.LongestGapIn(time.Date(2099, 11, 15, 0, 0, 0, 0, time.UTC), time.UTC)
	if ok {
		t.Errorf("from %s to %s", g.From, g.To)
	}
}

// The first and the last second of a day are those that every second finds.
func TestTimesOfADay(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 300 {
		p := plan{kind: kindCalendar, hour: uint32(r.Uint64()&r.Uint64()&r.Uint64()) & fullHour,
			minute: r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64() & fullMinute, second: 1 << r.Intn(60)}
		if r.Intn(4) == 0 {
			p.second |= r.Uint64() & fullMinute
		}
		due := func(tod int) bool {
			return p.hour>>(tod/3600)&1 == 1 && p.minute>>(tod/60%60)&1 == 1 && p.second>>(tod%60)&1 == 1
		}
		for range 20 {
			from := r.Intn(86401)
			next, ok := p.nextTime(from)
			at := from
			for at < 86400 && !due(at) {
				at++
			}
			if ok != (at < 86400) || ok && next != at {
				t.Fatalf("%+v from %d: %d %v, want %d", p, from, next, ok, at)
			}
			last, ok := p.lastTime(from)
			for at = from - 1; at >= 0 && !due(at); {
				at--
			}
			if ok != (at >= 0) || ok && last != at {
				t.Fatalf("%+v before %d: %d %v, want %d", p, from, last, ok, at)
			}
		}
	}
}
