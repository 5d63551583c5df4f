package specs

import (
	"math/rand"
	"slices"
	"testing"
	"time"
)

// TestDueMinutesAgainstNext holds the minutes of a day, of every measured schedule
// in zones whose clocks change, to the instants one after the other.
func TestDueMinutesAgainstNext(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	checked := 0
	for i, s := range battery(t) {
		s.Zone = changingZones[i%(len(changingZones)-1)]
		loc, err := time.LoadLocation(s.Zone)
		if err != nil {
			t.Skip(err)
		}
		from := randomInstant(r, loc)
		got, ok := Spec{Schedules: []Schedule{s}}.DueMinutes(from, 1440)
		if _, calendar := s.timeline(loc); ok != (calendar && !s.Random() || s.NeverFires() || s.Reboot()) {
			t.Errorf("%s %s: known is %t", s.Text, s.Zone, ok)
		}
		if !ok {
			continue
		}
		start := from.Truncate(time.Minute)
		want := []int{}
		for at, due := s.Next(start.Add(-time.Second)); due && at.Before(start.Add(24*time.Hour)); at, due = s.Next(at) {
			if m := int(at.Sub(start) / time.Minute); len(want) == 0 || want[len(want)-1] != m {
				want = append(want, m)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %s %q from %s:\n%v\nwant\n%v", s.Dialect, s.Zone, s.Text, from, got, want)
		}
		checked += len(want)
	}
	if checked < 10_000 {
		t.Errorf("only %d minutes", checked)
	}
}

func TestDueMinutes(t *testing.T) {
	from := time.Date(2026, 3, 28, 23, 58, 30, 0, time.UTC)
	parse := func(d Dialect, zone string, texts ...string) (s Spec) {
		for _, text := range texts {
			sched, err := ParseSchedule(d, text, zone)
			if err != nil {
				t.Fatal(err)
			}
			s.Schedules = append(s.Schedules, sched)
		}
		return s
	}
	for _, c := range []struct {
		spec Spec
		n    int
		want []int
		ok   bool
	}{
		{parse(Debian, "UTC", "* * * * *"), 4, []int{0, 1, 2, 3}, true},
		{parse(Debian, "UTC", "0 * * * *", "30 0 * * *", "0 0 * * *"), 120, []int{2, 32, 62}, true},
		{parse(Debian, "Asia/Kolkata", "0 6 * * *"), 60, []int{32}, true},
		{parse(Debian, "Europe/Berlin", "30 2 * * *"), 120, []int{62}, true}, // skipped, and made up for
		{parse(Kubernetes, "Europe/Berlin", "30 2 * * *"), 120, []int{}, true},
		{parse(Supercronic, "UTC", "*/10 0 0 * * * *"), 10, []int{2}, true},
		{parse(Debian, "", "@reboot"), 60, []int{}, true},
		{Spec{Schedules: []Schedule{Never()}}, 60, []int{}, true},
		{Spec{}, 60, []int{}, false},
		{parse(Debian, "", "0 3 * * *"), 60, nil, false},
		{parse(Kubernetes, "UTC", "@every 5m"), 60, nil, false},
		{parse(Cronie, "UTC", "0~30 3 * * *"), 60, nil, false},
		{Spec{Schedules: []Schedule{{Text: "x"}}}, 60, nil, false},
	} {
		got, ok := c.spec.DueMinutes(from, c.n)
		if ok != c.ok || !slices.Equal(got, c.want) || ok && got == nil {
			t.Errorf("%s: %v %t, want %v %t", c.spec.Written(), got, ok, c.want, c.ok)
		}
	}
}

func BenchmarkDueMinutes(b *testing.B) {
	from := time.Date(2026, 6, 1, 12, 34, 0, 0, time.UTC)
	for _, text := range []string{"* * * * *", "*/5 * * * *", "17 3 * * *"} {
		s, err := ParseSchedule(Debian, text, "Europe/Berlin")
		if err != nil {
			b.Fatal(err)
		}
		spec := Spec{Schedules: []Schedule{s}}
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				spec.DueMinutes(from, 1440)
			}
		})
	}
}
