package evidence

import (
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name           string
		schedules      []string
		provider       string
		terms          specs.EvidenceTerms
		start, success string
	}{
		{"daily", []string{"0 2 * * *"}, "crontab", specs.EvidenceTerms{}, "48h2m", "48h"},
		{"daily in a zone with summer time", []string{"0 2 * * * in Europe/Berlin"}, "crontab", specs.EvidenceTerms{}, "49h2m", "49h"},
		{"weekdays", []string{"0 2 * * 1-5"}, "crontab", specs.EvidenceTerms{}, "96h2m", "96h"},
		{"office hours", []string{"*/5 8-17 * * 1-5"}, "crontab", specs.EvidenceTerms{}, "62h12m", "62h10m"},
		{"every minute", []string{"* * * * *"}, "crontab", specs.EvidenceTerms{}, "4m", "2m"},
		{"max_runtime and grace", []string{"0 2 * * *"}, "crontab", specs.EvidenceTerms{MaxRuntime: dur("1h"), Grace: dur("20m")}, "48h22m", "49h20m"},
		{"GitHub", []string{"github: 0 2 * * *"}, "github", specs.EvidenceTerms{}, "54h2m", "54h"},
		{"within", []string{"0 2 * * 1-5"}, "crontab", specs.EvidenceTerms{SucceedWithin: dur("30m")}, "96h2m", "72h30m"},
		{"a file", []string{"0 2 * * 1-5"}, "crontab", specs.EvidenceTerms{Succeeded: specs.EvidenceSource{MaxAge: dur("26h")}}, "96h2m", "26h"},
		{"none", []string{"0 2 * * 1-5"}, "crontab", specs.EvidenceTerms{Executed: specs.EvidenceSource{None: true}, Succeeded: specs.EvidenceSource{None: true}}, "0s", "0s"},
		{"two", []string{"0 2 * * *", "0 14 * * *"}, "crontab", specs.EvidenceTerms{}, "24h2m", "24h"},
		{"two, often", []string{"*/5 * * * *", "1-59/7 * * * *"}, "crontab", specs.EvidenceTerms{}, "12m", "10m"},
		{"@every", []string{"kubernetes: @every 90m"}, "kubernetes", specs.EvidenceTerms{}, "3h2m", "3h"},
		{"@every, within", []string{"kubernetes: @every 90m"}, "kubernetes", specs.EvidenceTerms{SucceedWithin: dur("10m")}, "3h2m", "1h40m"},
		{"no zone", []string{"0 2 * * * in local"}, "crontab", specs.EvidenceTerms{}, "49h2m", "49h"},
		{"no zone, within", []string{"0 2 * * * in local"}, "crontab", specs.EvidenceTerms{SucceedWithin: dur("10m")}, "49h2m", "25h10m"},
		{"@reboot", []string{"@reboot"}, "crontab", specs.EvidenceTerms{}, "0s", "0s"},
		{"@reboot, within", []string{"@reboot"}, "crontab", specs.EvidenceTerms{SucceedWithin: dur("24h")}, "0s", "24h"},
		{"never", []string{"0 0 31 2 *"}, "crontab", specs.EvidenceTerms{}, "0s", "0s"},
	} {
		got := NewCalendar().Bounds(specs.Role{Evidence: c.terms}, c.provider, scheds(t, c.schedules...))
		if got.Start != *dur(c.start) || got.Success != *dur(c.success) {
			t.Errorf("%s: %+v, want %s and %s", c.name, got, c.start, c.success)
		}
	}
}

// TestBoundsAreWhereTheJudgementAlarms: a second earlier some run is not missed
// yet, and then each is, whichever run was the last.
func TestBoundsAreWhereTheJudgementAlarms(t *testing.T) {
	cal := NewCalendar()
	for _, text := range []string{"0 2 * * *", "0 2 * * 1-5", "*/5 8-17 * * 1-5", "30 2 * * * in Europe/Berlin", "kubernetes: 30 2 * * * in America/New_York", "0 4 31 * *", "kubernetes: @every 7h", "20 3 * * 1-5 in local", "0 0,1,23 * * * in Australia/Lord_Howe"} {
		for _, terms := range []specs.EvidenceTerms{{}, {Grace: dur("20m"), MaxRuntime: dur("2h")}, {SucceedWithin: dur("40m"), Grace: dur("5m")}} {
			schedules := scheds(t, text)
			role := specs.Role{Evidence: terms}
			bound := cal.Bounds(role, "crontab", schedules)
			inTime := false
			last := at("2026-01-01")
			for range 420 {
				next, _ := schedules[0].Next(last)
				last = next
				silent := func(after time.Duration) bool {
					tr := providers.Trace{State: providers.Known, Last: last}
					r := cal.Judge(Case{Role: role, Provider: "crontab", Schedules: schedules, Evidence: providers.Evidence{Succeeded: tr}, Now: last.Add(after)})
					return len(r.Findings) > 0
				}
				if !silent(bound.Success + time.Second) {
					t.Fatalf("%s %+v: the success at %s is still fresh after %s", text, terms, last, bound.Success)
				}
				inTime = inTime || !silent(bound.Success-time.Second)
			}
			if !inTime {
				t.Errorf("%s %+v: after %s every success was missed a second before", text, terms, bound.Success)
			}
		}
	}
}

func TestSteps(t *testing.T) {
	c := base(t)
	c.Role.Evidence.MaxRuntime = dur("1h")
	c.Evidence.Progressed = known("2026-11-25 02:10")
	c.Role.Evidence.ProgressWithin = dur("2h")
	steps := Steps(c)
	if s := steps[executed]; !s.Due.Equal(at("2026-11-25 02:00")) || !s.Before.Equal(at("2026-11-24 02:00")) || !s.Alarm.Equal(at("2026-11-27 02:01")) || s.Stage != "yes" {
		t.Errorf("%+v", s)
	}
	if s := steps[succeeded]; !s.Alarm.Equal(at("2026-11-27 03:00")) {
		t.Errorf("%+v", s)
	}
	if s := steps[progressed]; !s.Alarm.Equal(at("2026-11-26 04:00")) || !s.Before.Equal(at("2026-11-24 02:00")) {
		t.Errorf("%+v", s)
	}
	for i, s := range steps { // it alarms then, and not a second before
		for _, after := range []bool{false, true} {
			one := c
			one.Now = s.Alarm.Add(-time.Second)
			if after {
				one.Now = s.Alarm
			}
			if NewCalendar().hear(one).steps[i].silent() != after {
				t.Errorf("%s: at %s silent is not %v", s.Name, one.Now, after)
			}
		}
	}
	c.Schedules = scheds(t, "@reboot")
	if s := Steps(c)[executed]; !s.Alarm.IsZero() || !s.Due.IsZero() || s.Measure == "" {
		t.Errorf("%+v", s)
	}
}
