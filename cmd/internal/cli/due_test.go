package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

func sched(t *testing.T, d specs.Dialect, text, zone string) specs.Schedule {
	t.Helper()
	s, err := specs.ParseSchedule(d, text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// TestNextOf: several schedules are one row of instants; where it is not known
// which comes first, there are none.
func TestNextOf(t *testing.T) {
	for _, c := range []struct {
		name    string
		of      []specs.Schedule
		want    string
		unzoned bool
	}{
		{"none", nil, "", false},
		{"one", []specs.Schedule{sched(t, specs.Kubernetes, "0 3 * * *", "UTC")}, "2026-11-26T03:00:00Z 2026-11-27T03:00:00Z 2026-11-28T03:00:00Z", false},
		{"together", []specs.Schedule{sched(t, specs.GitHub, "0 3 * * *", "UTC"), sched(t, specs.GitHub, "0 3,20 * * *", "UTC")}, "2026-11-25T20:00:00Z 2026-11-26T03:00:00Z 2026-11-26T20:00:00Z", false},
		{"a named zone", []specs.Schedule{sched(t, specs.GitHub, "0 3 * * *", "Europe/Berlin")}, "2026-11-26T02:00:00Z 2026-11-27T02:00:00Z 2026-11-28T02:00:00Z", false},
		{"a zone that is not known", []specs.Schedule{sched(t, specs.Debian, "0 3 * * *", "")}, "2026-11-26T03:00:00Z 2026-11-27T03:00:00Z 2026-11-28T03:00:00Z", true},
		{"one of each", []specs.Schedule{sched(t, specs.Debian, "0 3 * * *", ""), sched(t, specs.Debian, "0 3 * * *", "UTC")}, "", false},
		{"never, in a zone that is not known", []specs.Schedule{sched(t, specs.Debian, "0 0 31 2 *", ""), sched(t, specs.Debian, "0 0 1 1 *", "UTC")}, "2027-01-01T00:00:00Z 2028-01-01T00:00:00Z 2029-01-01T00:00:00Z", false},
		{"an interval", []specs.Schedule{sched(t, specs.Kubernetes, "@every 5m", "UTC"), sched(t, specs.Kubernetes, "0 3 * * *", "UTC")}, "", false},
		{"drawn", []specs.Schedule{sched(t, specs.Cronie, "~ 3 * * *", "UTC")}, "", false},
		{"at the start", []specs.Schedule{sched(t, specs.Debian, "@reboot", "")}, "", false},
		{"not read", []specs.Schedule{{Text: "x", Zone: specs.Local, Dialect: specs.Debian}}, "", false},
	} {
		next, unzoned := nextOf(specs.Spec{Schedules: c.of}, noon)
		if strings.Join(next, " ") != c.want || unzoned != c.unzoned {
			t.Errorf("%s: %v %v, want %v %v", c.name, next, unzoned, c.want, c.unzoned)
		}
	}
}

// TestDues: what is remembered of one schedule is said of no other.
func TestDues(t *testing.T) {
	d := newDues(noon)
	for range 2 {
		for _, s := range []specs.Schedule{
			sched(t, specs.Debian, "0 3 * * *", ""), sched(t, specs.Debian, "0 3 * * *", "Europe/Berlin"), sched(t, specs.Cronie, "0 3 * * *", "Europe/Berlin"),
			sched(t, specs.Cronie, "30 2 * * *", "Europe/Berlin"), sched(t, specs.Cronie, "30 2 * * *", "Europe/Berlin").OfDaemon(), sched(t, specs.Cronie, "30 2 * * *", "Europe/Berlin").OfDaemonByName(),
			sched(t, specs.Debian, "30 2 * * *", "Europe/Berlin"), sched(t, specs.Busybox, "30 2 * * *", "Europe/Berlin"), sched(t, specs.GitHub, "30 2 * * *", "Europe/Berlin"), sched(t, specs.Kubernetes, "30 2 * * *", "Europe/Berlin"),
			sched(t, specs.Debian, "@daily", ""), sched(t, specs.Debian, "0 0 * * *", ""), sched(t, specs.Debian, "0 0 31 2 *", ""), sched(t, specs.Debian, "@reboot", ""), specs.Never(),
			sched(t, specs.Kubernetes, "@every 5m", "UTC"), sched(t, specs.Kubernetes, "@every 5m", ""), sched(t, specs.Kubernetes, "@every 5m", "Asia/Tokyo"),
			sched(t, specs.Kubernetes, "0 3 * * *", "Europe/Berlin"), sched(t, specs.Kubernetes, "0 3 * * *", "Europe/Stockholm"), sched(t, specs.Debian, "0 3 * * *", "Europe/Copenhagen"), sched(t, specs.Cronie, "~ 3 * * *", "UTC"), {Text: "x", Zone: specs.Local, Dialect: specs.Debian}, {Text: "x", Zone: "UTC", Dialect: specs.Debian},
		} {
			one := specs.Spec{Schedules: []specs.Schedule{s}}
			if got, want := d.of(one), dueOf(one, noon); !reflect.DeepEqual(got, want) {
				t.Errorf("%s %q in %s: %+v, want %+v", s.Dialect, s.Text, s.Zone, got, want)
			}
		}
	}
}

// TestClockChanges walks a zone's changes, over the end of a leap year and to
// where a zone has none.
func TestClockChanges(t *testing.T) {
	from, to := time.Date(2027, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(2029, 12, 31, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		zone string
		want []string
	}{
		{"Europe/Berlin", []string{"2028-03-26 skips 02:00-03:00", "2028-10-29 repeats 02:00-03:00", "2029-03-25 skips 02:00-03:00", "2029-10-28 repeats 02:00-03:00"}},
		{"Australia/Lord_Howe", []string{"2028-04-02 repeats 01:30-02:00", "2028-10-01 skips 02:00-02:30", "2029-04-01 repeats 01:30-02:00", "2029-10-07 skips 02:00-02:30"}},
		{"Asia/Tokyo", nil},
		{"Etc/GMT+5", nil},
	} {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range changes(loc, from, to) {
			what := "repeats"
			if x.skips {
				what = "skips"
			}
			got = append(got, x.at.In(loc).Format(time.DateOnly)+" "+what+" "+x.first.Format("15:04")+"-"+x.last.Format("15:04"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.zone, got, c.want)
		}
	}
}

// TestClockNotes: what is said is what the schedule's program does then.
func TestClockNotes(t *testing.T) {
	for _, c := range []struct {
		s    specs.Schedule
		want []string
	}{
		{sched(t, specs.Debian, "30 4 * * *", "Europe/Berlin"), nil},
		{sched(t, specs.Debian, "30 2 * * *", "UTC"), nil},
		{sched(t, specs.Kubernetes, "30 2 * * *", "Asia/Tokyo"), nil},
		{sched(t, specs.Kubernetes, "30 2 28 3 *", "Europe/Berlin"), []string{"skips 02:00 to 03:00, where 1 slot lies; due within 1h of the change: nothing"}},
		{sched(t, specs.Busybox, "10,40 1 * * *", "Australia/Lord_Howe"), []string{"repeats 01:30 to 02:00, where 1 slot lies; due within 30m of the change: 01:40:00 +11:00, 01:40:00 +10:30"}},
		{sched(t, specs.Kubernetes, "* 2 * * *", "Europe/Berlin"), []string{"skips 02:00 to 03:00, where 60 slots lie; due within 1h of the change: nothing", "60 slots lie; due within 1h of the change: 120 times, from 02:00:00 +02:00 to 02:59:00 +01:00"}},
	} {
		got := clockNotes(c.s, noon)
		ok := len(got) == len(c.want)
		for i := range got {
			ok = ok && strings.Contains(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s %q: %q, want %q", c.s.Dialect, c.s.Text, got, c.want)
		}
	}
}
