package specs

import (
	"math/rand"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

// robfigChain asks robfig/cron for one instant after another from a time before.
func robfigChain(t *testing.T, text, zone string, from, until time.Time) []time.Time {
	t.Helper()
	theirs, err := cron.ParseStandard("CRON_TZ=" + zone + " " + text)
	if err != nil {
		t.Fatal(err)
	}
	var out []time.Time
	for at := from; ; {
		next := theirs.Next(at)
		if !next.IsZero() && !next.After(at) {
			t.Fatalf("%q %s: robfig after %s is %s", text, zone, at, next)
		}
		if at = next; at.IsZero() || at.After(until) {
			return out
		}
		out = append(out, at)
	}
}

var robfigTexts = []string{
	"0 3 * * *", "30 1 * * *", "0 0 * * *", "@daily", "15 0 * * *", "30 2 * * *", "0 0 1 * *", "*/15 * * * *", "0 * * * *", "45 1-3 * * *",
	"0 0-23/2 * * *", "5,35 0,1,2,23 * * *", "30 23 * * *", "0 0 * * 0", "15 0 * * 1", "59 23 * * 6", "0 12 * 3,10 *", "15 0 4-10/6 * *", "0 0 1 9 *", "0 1 * * 0,5",
	"*/7 0-2 * * *", "0 2 1-7 * *", "0,30 1 * 4,9,10 *", "10 3 3 10 *", "0 0 31 * *", "* 1 * * *", "* * * * 0", "20-40 23 * * 6", "0 12 * * 5", "0 12 1-7 9 *",
}

// TestKubernetesChain holds NextIn to the chain of instants of robfig/cron in
// zones with changes at midnight, of half hours, of days, and the usual ones.
func TestKubernetesChain(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, zone := range []string{"Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu", "America/Havana", "America/Santiago", "America/Asuncion", "Asia/Beirut", "Africa/Cairo", "Africa/Casablanca", "Atlantic/Azores", "America/Nuuk", "Antarctica/Troll", "America/New_York", "Asia/Pyongyang", "America/Caracas"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Skip(err)
		}
		for _, text := range robfigTexts {
			s := mustParse(t, Kubernetes, text, zone)
			seg := segmentAt(loc, time.Date(2007, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
			for n := 0; n < 40 && seg.end < tagFrom*2; n++ {
				seg = segmentAt(loc, seg.end)
				if r.Intn(8) != 0 || !seg.odd() && r.Intn(4) != 0 {
					continue
				}
				change := time.Unix(seg.start, 0)
				chain := robfigChain(t, text, zone, change.AddDate(0, 0, -35), change.AddDate(0, 0, 9))
				checkChain(t, s, chain, change, r)
			}
		}
	}
}

// checkChain asks from random times for the next one of the chain, which began
// long before.
func checkChain(t *testing.T, s Schedule, chain []time.Time, change time.Time, r *rand.Rand) {
	t.Helper()
	for range 8 {
		after := change.Add(time.Duration(r.Intn(8*86400)-86400*2/3) * time.Second)
		if r.Intn(2) == 0 {
			after = change.Add(time.Duration(r.Intn(6*3600)-3*3600) * time.Second)
		}
		for i, want := range chain {
			if !want.After(after) {
				continue
			}
			got, ok := s.Next(after)
			if i > 0 && (!ok || !got.Equal(want)) {
				t.Fatalf("%q %s after %s: %s %v, robfig %s (change %s)", s.Text, s.Zone, after.UTC(), got, ok, want.UTC(), change.UTC())
			}
			break
		}
	}
}
