package specs

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestMeasuredClockChanges holds NextIn to what the programs were seen to do
// on days of change: Debian's cron and cronie 1.7.2 as daemons under a faked
// clock, robfig/cron 3.0.1 and supercronic 0.2.48 by their Next. Times are
// those on the wall with the hours of the offset; two runs at one instant are
// one here. An open column was not measured.
func TestMeasuredClockChanges(t *testing.T) {
	const open = "?"
	type change struct {
		zone, from string // UTC
		hours      int
	}
	spring := change{"America/New_York", "2027-03-14 04:30", 4} // 02:00 to 03:00 at 07:00 UTC
	autumn := change{"America/New_York", "2027-11-07 04:30", 4} // 02:00 to 01:00 at 06:00 UTC
	for _, c := range []struct {
		change
		text                                    string
		debian, cronie, kubernetes, supercronic string
	}{
		{spring, "30 2 * * *", "03:00-4", "03:00-4", "", "01:30-5"},
		{spring, "0 2 * * *", "03:00-4", "03:00-4", "", "01:00-5"},
		{spring, "*/30 2 * * *", "", "", "", "01:00-5"},
		{spring, "30 */2 * * *", "00:30-5", "00:30-5", "00:30-5", "00:30-5 01:30-5"},
		{spring, "30 1,2 * * *", "01:30-5 03:00-4", "01:30-5 03:00-4", open, open},
		{spring, "30 1-3 * * *", "01:30-5 03:00-4 03:30-4", "01:30-5 03:00-4 03:30-4", open, open},
		{spring, "0-59 2 * * *", "03:00-4", "03:00-4", "", "01:00-5"},
		{spring, "0 * * * *", "00:00-5 01:00-5 03:00-4 04:00-4", "00:00-5 01:00-5 03:00-4 04:00-4", "00:00-5 01:00-5 03:00-4 04:00-4", "00:00-5 01:00-5 04:00-4"},
		{spring, "0 0-23 * * *", "00:00-5 01:00-5 03:00-4 04:00-4", "00:00-5 01:00-5 03:00-4 04:00-4", "00:00-5 01:00-5 03:00-4 04:00-4", "00:00-5 01:00-5 04:00-4"},
		{spring, "0 3 * * *", "03:00-4", "03:00-4", "03:00-4", "03:00-4"},
		{autumn, "0 1 * * *", "01:00-4", "01:00-4", "01:00-4 01:00-5", "01:00-4"},
		{autumn, "30 1 * * *", open, open, "01:30-4 01:30-5", "01:30-4"},
		{autumn, "*/20 1 * * *", "01:00-4 01:20-4 01:40-4 01:00-5 01:20-5 01:40-5", "01:00-4 01:20-4 01:40-4 01:00-5 01:20-5 01:40-5", "01:00-4 01:20-4 01:40-4 01:00-5 01:20-5 01:40-5", "01:00-4 01:20-4 01:40-4"},
		{autumn, "0-59/20 1 * * *", "01:00-4 01:20-4 01:40-4", "01:00-4 01:20-4 01:40-4", "01:00-4 01:20-4 01:40-4 01:00-5 01:20-5 01:40-5", "01:00-4 01:20-4 01:40-4"},
		{autumn, "0 * * * *", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 02:00-5 03:00-5"},
		{autumn, "0 0-23 * * *", "01:00-4 02:00-5 03:00-5", "01:00-4 02:00-5 03:00-5", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 02:00-5 03:00-5"},
		{autumn, "@hourly", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 02:00-5 03:00-5"},
		{change{"America/Sao_Paulo", "2018-11-03 12:00", 48}, "0 0 * * *", open, open, "00:00-2", "23:00-3 00:00-2"},
		{change{"America/Sao_Paulo", "2018-11-03 12:00", 48}, "@daily", open, open, "00:00-2", "23:00-3 00:00-2"},
		{change{"Australia/Lord_Howe", "2027-10-02 14:00", 10}, "0 3 * * *", open, open, "", "03:00+11"},
		{change{"Australia/Lord_Howe", "2027-10-02 14:00", 10}, "30 1 * * *", open, open, "01:30+10 02:30+11", "01:30+10"},
		{change{"Australia/Lord_Howe", "2027-04-03 14:00", 10}, "0 3 * * *", open, open, "", "03:00+10"},
	} {
		for d, want := range map[Dialect]string{Debian: c.debian, Cronie: c.cronie, Kubernetes: c.kubernetes, Supercronic: c.supercronic} {
			if want == open {
				continue
			}
			if got := wallTimes(t, mustParse(t, d, c.text, Local), c.zone, c.from, c.hours); got != want {
				t.Errorf("%s %q from %s in %s: %q, measured %q", d, c.text, c.from, c.zone, got, want)
			}
		}
	}
}

func wallTimes(t *testing.T, s Schedule, zone, from string, hours int) string {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Skip(err)
	}
	at, err := time.Parse("2006-01-02 15:04", from)
	if err != nil {
		t.Fatal(err)
	}
	end := at.Add(time.Duration(hours) * time.Hour)
	var out []string
	for {
		next, ok := s.NextIn(at, loc)
		if !ok || !next.Before(end) {
			return strings.Join(out, " ")
		}
		_, off := next.In(loc).Zone()
		out = append(out, fmt.Sprintf("%s%+d", next.In(loc).Format("15:04"), off/3600))
		at = next
	}
}

// TestRobfigSinceVersion3 holds the rows in which robfig/cron v1 (Kubernetes up
// to 1.21) and v3 differ to v3: on how many days of 2028 they run.
func TestRobfigSinceVersion3(t *testing.T) {
	for _, c := range []struct {
		text, zone string
		days       int
	}{
		{"0 0 */2 * 1", Local, 212},
		{"0 0 1 * */2", Local, 215},
		{"0 0 */100,1-7 * 1", Local, 124},
		{"0 0 */100,1-7 * */7", Local, 125},
		{"0 0 8-14 * */7", Local, 125},
		{"TZ=UTC 0 0 * * *", "UTC", 366},
		{"CRON_TZ=America/New_York 0 0 * * *", "America/New_York", 366},
		{"TZ=America/New_York @daily", "America/New_York", 366},
		{"TZ= 0 0 * * *", "UTC", 366},
		{"TZ=0", "", 0}, // v3 panics
		{"TZ=UTC", "", 0},
	} {
		s, err := ParseSchedule(Kubernetes, c.text, "")
		if c.days == 0 {
			if err == nil {
				t.Errorf("%q is taken", c.text)
			}
			continue
		}
		if err != nil || s.Zone != c.zone || len(s.days2028()) != c.days {
			t.Errorf("%q: %v, zone %s, %d days, want %s, %d", c.text, err, s.Zone, len(s.days2028()), c.zone, c.days)
		}
	}
}

// TestCronieInItsZoneByName: a CRON_TZ that names the zone which cronie is in
// anyway. By its find_jobs and main loop (cron.c) nothing of the skipped hour
// runs, and without a star a slot of the repeated one runs the first time only.
func TestCronieInItsZoneByName(t *testing.T) {
	const zone = "America/New_York"
	for _, c := range []struct{ text, from, by, own string }{
		{"30 2 * * *", "2027-03-14 04:30", "", "03:00-4"},
		{"30 1-3 * * *", "2027-03-14 04:30", "01:30-5 03:30-4", "01:30-5 03:00-4 03:30-4"},
		{"0 0-23 * * *", "2027-11-07 04:30", "01:00-4 02:00-5 03:00-5", "01:00-4 02:00-5 03:00-5"},
		{"0 * * * *", "2027-11-07 04:30", "01:00-4 01:00-5 02:00-5 03:00-5", "01:00-4 01:00-5 02:00-5 03:00-5"},
	} {
		s := mustParse(t, Cronie, c.text, zone)
		by, own := s.OfDaemonByName(), s.OfDaemon()
		if got := wallTimes(t, by, zone, c.from, 4); got != c.by {
			t.Errorf("%q by name: %q, want %q", c.text, got, c.by)
		}
		if got := wallTimes(t, own, zone, c.from, 4); got != c.own {
			t.Errorf("%q: %q, want %q", c.text, got, c.own)
		}
	}
	for _, c := range []struct {
		text  string
		other bool // than in its own zone without a name, and than in another daemon's
	}{{"30 2 * * *", true}, {"30 1,2 * * *", true}, {"30 5 * * *", false}, {"*/5 * * * *", false}} {
		s := mustParse(t, Cronie, c.text, zone)
		by, own := s.OfDaemonByName(), s.OfDaemon()
		after := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
		if differs := by.Canonical() != own.Canonical(); differs != c.other || differs != own.ClockChangeOnly(by) {
			t.Errorf("%q: %s and %s", c.text, by.Canonical(), own.Canonical())
		}
		if _, _, differs := FirstDifference(by, own, after, time.UTC); differs != c.other {
			t.Errorf("%q: a first difference: %v", c.text, differs)
		}
	}
	gap, _ := mustParse(t, Cronie, "30 2 * * *", zone).OfDaemonByName().LongestGapIn(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)
	if gap.Length() != 47*time.Hour {
		t.Errorf("the longest gap is %v", gap.Length())
	}
}
