package specs

import (
	"math/rand"
	"testing"
	"time"
)

// changingZones are zones with an ordinary summer time, one of half an hour, one
// at midnight, one around Ramadan, and one without.
var changingZones = []string{"UTC", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca", "Europe/Berlin", "America/Havana", Local}

// battery is every distinct schedule that the measured rows accept.
func battery(t testing.TB) []Schedule {
	t.Helper()
	var out []Schedule
	seen := map[string]bool{}
	for _, m := range readMeasured(t) {
		s, err := ParseSchedule(m.dialect, m.expression, "")
		if err != nil || seen[string(m.dialect)+s.Canonical()] && m.dialect != Debian && m.dialect != Cronie {
			continue
		}
		seen[string(m.dialect)+s.Canonical()] = true
		out = append(out, s)
	}
	if len(out) < 250 {
		t.Fatalf("only %d schedules", len(out))
	}
	return out
}

// randomInstant is in the years 2015 to 2049, and near a change of the clock
// in every second case.
func randomInstant(r *rand.Rand, loc *time.Location) time.Time {
	at := time.Date(2015, 1, 1, 0, 0, r.Intn(35*365*86400), 0, time.UTC)
	if seg := segmentAt(loc, at.Unix()); r.Intn(2) == 0 && seg.end < 1<<40 {
		at = time.Unix(seg.end+int64(r.Intn(2*86400)-86400), 0).UTC()
	}
	return at
}

// TestPrevIsNextBackwards: the instant before just after the next one is the
// next one, and from the instant before the next one is none before the start.
func TestPrevIsNextBackwards(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	sydney, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		t.Skip(err)
	}
	checked := 0
	for _, s := range battery(t) {
		for _, zone := range changingZones {
			s.Zone = zone
			line, ok := s.timeline(sydney)
			if !ok {
				continue
			}
			at := randomInstant(r, line.loc)
			next, ok := s.NextIn(at, sydney)
			if !ok {
				continue
			}
			checked++
			if got, ok := s.PrevIn(next.Add(time.Second), sydney); !ok || !got.Equal(next) {
				t.Fatalf("%s %q %s: next after %s is %s, and before the second after that %s %v", s.Dialect, s.Text, zone, at, next, got, ok)
			}
			prev, ok := s.PrevIn(next, sydney)
			if ok && (prev.After(at) || !prev.Before(next)) {
				t.Fatalf("%s %q %s: %s lies before %s, the next after %s", s.Dialect, s.Text, zone, prev, next, at)
			}
			if again, _ := s.NextIn(prev, sydney); ok && !again.Equal(next) {
				t.Fatalf("%s %q %s: next after %s is %s, not %s (from %s)", s.Dialect, s.Text, zone, prev, again, next, at)
			}
		}
	}
	if checked < 1500 {
		t.Errorf("only %d checked", checked)
	}
}

func TestPrev(t *testing.T) {
	for _, c := range []struct {
		d                        Dialect
		text, zone, before, want string
	}{
		{Debian, "0 0 29 2 */7", "UTC", "2072-01-01T00:00:00Z", "2060-02-29T00:00:00Z"}, // a Sunday
		{Debian, "0 0 29 2 */7", "UTC", "2060-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		{Debian, "0 0 29 2 *", "UTC", "2103-01-01T00:00:00Z", "2096-02-29T00:00:00Z"},
		{Kubernetes, "0 0 29 2 *", "UTC", "2103-01-01T00:00:00Z", "2096-02-29T00:00:00Z"},
		{Debian, "* * * * *", "UTC", "2027-01-01T00:00:00Z", "2026-12-31T23:59:00Z"},
		{Debian, "* * * * *", "UTC", "2027-01-01T00:00:00.5Z", "2027-01-01T00:00:00Z"},
		{Debian, "30 2 * * *", Local, "2027-03-14T07:00:00.000000001Z", "2027-03-14T07:00:00Z"}, // the skipped hour's, in New York
		{Kubernetes, "30 2 * * *", Local, "2027-03-14T08:00:00Z", "2027-03-13T07:30:00Z"},
		{Supercronic, "0 0 0 1 1 * 2020", "UTC", "2090-01-01T00:00:00Z", ""},
		{Supercronic, "0 0 0 1 1 * 2060", "UTC", "2090-01-01T00:00:00Z", "2060-01-01T00:00:00Z"},
		{Supercronic, "0 0 0 1 1 * 2060", "UTC", "2050-01-01T00:00:00Z", ""},
		{Debian, "@reboot", "UTC", "2027-01-01T00:00:00Z", ""},
		{Debian, "0 0 31 2 *", "UTC", "2027-01-01T00:00:00Z", ""},
		{Kubernetes, "@every 5m", "UTC", "2027-01-01T00:00:00Z", ""},
	} {
		york, err := time.LoadLocation("America/New_York")
		if err != nil {
			t.Skip(err)
		}
		before, err := time.Parse(time.RFC3339Nano, c.before)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := mustParse(t, c.d, c.text, c.zone).PrevIn(before, york)
		if ok != (c.want != "") || ok && got.Format(time.RFC3339Nano) != c.want {
			t.Errorf("%s %q before %s: %s %v, want %s", c.d, c.text, c.before, got, ok, c.want)
		}
	}
}

func BenchmarkPrev(b *testing.B) {
	at := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{"* * * * *", "17 2 * * 1-5", "0 0 29 2 */7"} {
		s := mustParse(b, Debian, text, "UTC")
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				s.Prev(at)
			}
		})
	}
}
