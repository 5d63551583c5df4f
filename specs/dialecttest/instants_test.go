package dialecttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

type run = func(schedule, time.Time) time.Time

// TestInstantsAsRobfig and TestInstantsAsSupercronic walk two years of every
// accepted row in zones with and without changes of the clock: the first
// thousands of instants, and all those around each change.
func TestInstantsAsRobfig(t *testing.T) {
	compareInstants(t, specs.Kubernetes, robfig, runRobfig)
}

func TestInstantsAsSupercronic(t *testing.T) {
	compareInstants(t, specs.Supercronic, supercronic, runSupercronic)
}

const (
	before, behind = 3 * time.Hour, 30 * time.Hour // a change
	firstSteps     = 800
	allSteps       = 6000
)

// compareInstants knows no exception: what the programs get wrong when clocks
// change is modelled as they do it.
func compareInstants(t *testing.T, d specs.Dialect, parse func(string) (schedule, error), next run) {
	t.Parallel()
	for _, zone := range zones {
		loc := load(t, zone)
		spans := []span{
			{time.Date(2027, 1, 1, 0, 0, 0, 0, loc), time.Date(2029, 1, 1, 0, 0, 0, 0, loc), firstSteps},
		}
		twoYears := changes(loc, spans[0].from, spans[0].until)
		if zone == "America/Sao_Paulo" { // which changed its clock at midnight, until 2019
			twoYears = changes(loc, time.Date(2018, 1, 1, 0, 0, 0, 0, loc), time.Date(2020, 1, 1, 0, 0, 0, 0, loc))
		}
		for _, at := range twoYears {
			spans = append(spans, span{at.Add(-before), at.Add(behind), allSteps})
		}
		for _, text := range measured(t, d) {
			theirs, err := parse(text)
			if err != nil {
				continue
			}
			ours, err := specs.ParseSchedule(d, text, zone)
			if err != nil {
				continue // TestVerdicts says so
			}
			for _, s := range spans {
				if differs := follow(ours, theirs, next, s.from, s.until, s.steps); differs != "" {
					t.Errorf("%s %q: %s", zone, text, differs)
					break
				}
			}
		}
	}
}

type span struct {
	from, until time.Time
	steps       int
}

// TestWhatRobfigDoes: the rows of clock changes that were measured with
// the library, said here as instants, so that a new version of it is noticed.
func TestWhatRobfigDoes(t *testing.T) {
	for _, c := range []struct{ text, zone, from, want string }{
		{"30 2 * * *", "America/New_York", "2027-03-13 12:00", "2027-03-15 02:30 -0400"},
		{"0 0-23 * * *", "America/New_York", "2027-03-14 01:30", "2027-03-14 03:00 -0400"},
		{"30 1 * * *", "America/New_York", "2027-11-07 01:00", "2027-11-07 01:30 -0400"},
		{"0 0 * * *", "America/Sao_Paulo", "2018-11-03 12:00", "2018-11-05 00:00 -0200"},
		{"0 3 * * *", "Australia/Lord_Howe", "2027-10-03 00:00", "2027-10-04 03:00 +1100"},
		{"0 0 30 2 *", "UTC", "2027-01-01 00:00", "never"},
		{"0 0 29 2 *", "UTC", "2096-03-01 00:00", "never"}, // 2104; it gives up after five years
	} {
		theirs, err := robfig(c.text)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.ParseInLocation("2006-01-02 15:04", c.from, load(t, c.zone))
		if err != nil {
			t.Fatal(err)
		}
		got := "never"
		if next := theirs.Next(at); !next.IsZero() {
			got = next.Format("2006-01-02 15:04 -0700")
		}
		if got != c.want {
			t.Errorf("%s in %s after %s: %s, want %s", c.text, c.zone, c.from, got, c.want)
		}
		if bad := follow(mustRead(t, specs.Kubernetes, c.text, c.zone), theirs, runRobfig, at, at, 1); bad != "" {
			t.Errorf("%s in %s: %s", c.text, c.zone, bad)
		}
	}
}

func mustRead(t testing.TB, d specs.Dialect, text, zone string) specs.Schedule {
	t.Helper()
	s, err := specs.ParseSchedule(d, text, zone)
	if err != nil {
		t.Fatal(fmt.Errorf("%s %q: %w", d, text, err))
	}
	return s
}
