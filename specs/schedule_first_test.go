package specs

import (
	"math/rand"
	"testing"
	"time"
)

func TestFirstDifference(t *testing.T) {
	after := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		d1       Dialect
		a, zone1 string
		d2       Dialect
		b, zone2 string
		want     string
		inA      bool
	}{
		{Debian, "* * * * *", "UTC", Debian, "0-58,59 * * * *", "UTC", "", false},
		{Debian, "0 * * * *", "", Debian, "0 0-23 * * *", "", "", false},
		{Debian, "0 3 * * *", "UTC", Debian, "0 4 * * *", "UTC", "2026-07-01T03:00:00Z", true},
		{Debian, "0 4 * * *", "UTC", Debian, "0 3 * * *", "UTC", "2026-07-01T03:00:00Z", false},
		{Debian, "0 0 * * *", "UTC", Debian, "0 0 1-28 2 *", "UTC", "2026-07-02T00:00:00Z", true},
		{Debian, "* * * * *", "UTC", Supercronic, "* * * * * 1970-2095", "UTC", "2096-01-01T00:00:00Z", true},
		{Supercronic, "0 0 29 2 *", "UTC", Supercronic, "0 0 29 2 * 2028,2032,2036,2040,2044,2052-2099", "UTC", "2048-02-29T00:00:00Z", true},
		{Debian, "0 * * * *", "America/New_York", Debian, "0 0-23 * * *", "America/New_York", "2026-11-01T06:00:00Z", true},
		{Debian, "30 2 * * *", "Europe/Berlin", Kubernetes, "30 2 * * *", "Europe/Berlin", "2026-10-25T01:30:00Z", false},
		{Kubernetes, "0 9 * * *", "Europe/Berlin", Kubernetes, "0 9 * * *", "Africa/Lagos", "2026-07-01T07:00:00Z", true},
		{Kubernetes, "0 9 * 1 *", "Europe/Berlin", Kubernetes, "0 9 * 1 *", "Africa/Lagos", "", false},
		{Kubernetes, "* * * * *", "Europe/Berlin", Kubernetes, "* * * * *", "Asia/Kathmandu", "", false},
		{Kubernetes, "*/10 * * * *", "Europe/Berlin", Kubernetes, "*/10 * * * *", "Asia/Kathmandu", "2026-07-01T00:05:00Z", false},
		{Debian, "0 3 * * *", "Australia/Lord_Howe", Kubernetes, "0 3 * * *", "Australia/Lord_Howe", "2026-10-03T16:00:00Z", true},
		{Supercronic, "* * * * * * *", "UTC", Supercronic, "* * * * * * 1970-2090", "UTC", "2091-01-01T00:00:00Z", true},
		{Kubernetes, "@every 5m", "UTC", Kubernetes, "*/5 * * * *", "UTC", "", false}, // as long as they run alike
		{Kubernetes, "@every 7m", "UTC", Kubernetes, "*/7 * * * *", "UTC", "2026-07-01T01:00:00Z", false},
		{Debian, "@reboot", "UTC", Debian, "@daily", "UTC", "2026-07-02T00:00:00Z", false},
		{Debian, "@reboot", "UTC", Debian, "0 0 31 2 *", "UTC", "", false},
	} {
		a, b := mustParse(t, c.d1, c.a, c.zone1), mustParse(t, c.d2, c.b, c.zone2)
		at, inA, ok := FirstDifference(a, b, after, time.UTC)
		if ok != (c.want != "") || ok && (at.Format(time.RFC3339) != c.want || inA != c.inA) {
			t.Errorf("%q %s and %q %s: %s %v %v, want %s %v", c.a, c.zone1, c.b, c.zone2, at.Format(time.RFC3339), inA, ok, c.want, c.inA)
		}
	}
	if _, _, ok := FirstDifference(Schedule{}, mustParse(t, Debian, "@daily", ""), after, time.UTC); ok {
		t.Error("what was never read has instants")
	}
}

// TestFirstDifferenceAgainstEveryInstant walks both from instant to instant.
func TestFirstDifferenceAgainstEveryInstant(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	all := battery(t)
	sparse := all[:0:0]
	for _, s := range all {
		if s.plan.kind == kindCalendar && s.plan.second == 1 {
			sparse = append(sparse, s)
		}
	}
	found := 0
	for range 500 {
		a, b := sparse[r.Intn(len(sparse))], sparse[r.Intn(len(sparse))]
		if r.Intn(2) == 0 { // nearly the same
			b = a
			b.Dialect = Dialects()[r.Intn(6)]
		}
		a.Zone = changingZones[r.Intn(7)]
		b.Zone = a.Zone
		if r.Intn(4) == 0 {
			b.Zone = changingZones[r.Intn(7)]
		}
		after := randomInstant(r, time.UTC)
		x, _ := a.timeline(time.UTC)
		y, _ := b.timeline(time.UTC)
		slow := hourwise{a: hours{timeline: x}, b: hours{timeline: y}}
		until := after.AddDate(0, 0, 120)
		want, inA, ok := slow.within(after.Unix(), until.Unix())
		if a.Canonical() == b.Canonical() {
			if ok && after.Unix() >= tagFrom {
				t.Fatalf("%s %q and %s %q in %s: both %s, but they differ at %s", a.Dialect, a.Text, b.Dialect, b.Text, a.Zone, a.Canonical(), time.Unix(want, 0).UTC())
			}
			continue
		}
		at, gotA, got := FirstDifference(a, b, after, time.UTC)
		got = got && at.Before(until)
		if got != ok || ok && (at.Unix() != want || gotA != inA) {
			t.Fatalf("%s %q %s and %s %q %s after %s: %s %v %v, want %s %v %v", a.Dialect, a.Text, a.Zone, b.Dialect, b.Text, b.Zone, after, at, gotA, got, time.Unix(want, 0).UTC(), inA, ok)
		}
		if ok {
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d differences", found)
	}
}

func BenchmarkFirstDifference(b *testing.B) {
	x := mustParse(b, Supercronic, "* * * * *", "America/New_York")
	y := mustParse(b, Supercronic, "* * * * * 1970-2095", "America/New_York")
	at := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		if _, _, ok := FirstDifference(x, y, at, time.UTC); !ok {
			b.Fatal("none")
		}
	}
}
