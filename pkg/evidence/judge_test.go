package evidence

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func at(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	if text != "" {
		panic(text)
	}
	return time.Time{}
}

func dur(text string) *time.Duration {
	if text == "" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return &d
}

func known(text string) providers.Trace {
	return providers.Trace{State: providers.Known, Last: at(text), From: "run records"}
}

// sched reads "dialect expression @zone"; the dialect is debian where none is given.
func sched(t testing.TB, text string) specs.Schedule {
	t.Helper()
	d := specs.Debian
	for _, one := range specs.Dialects() {
		if rest, ok := strings.CutPrefix(text, string(one)+": "); ok {
			d, text = one, rest
		}
	}
	expr, zone, ok := strings.Cut(text, " in ")
	if !ok {
		zone = "UTC"
	}
	s, err := specs.ParseSchedule(d, expr, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func scheds(t testing.TB, texts ...string) (out []specs.Schedule) {
	for _, text := range texts {
		out = append(out, sched(t, text))
	}
	return out
}

// said is a result in one line: the stages, then the findings.
func said(r Result) string {
	out := fmt.Sprintf("%s %s %s", r.Executed, r.Succeeded, r.Progressed)
	for _, v := range r.Findings {
		out += fmt.Sprintf(" | %s %s", v.Kind, v.Reason)
	}
	return out
}

// TestExecuted is the two last due instants, over schedules, zones and changes
// of the clock.
func TestExecuted(t *testing.T) {
	for _, c := range []struct {
		name, schedule, now, last, want string
	}{
		{"daily, in time", "0 2 * * *", "2026-11-25 12:00", "2026-11-25 02:00:05", "yes"},
		{"daily, one missed", "0 2 * * *", "2026-11-25 12:00", "2026-11-24 02:00:05", "late"},
		{"daily, two missed", "0 2 * * *", "2026-11-25 12:00", "2026-11-23 02:00:05", "stale"},
		{"daily, never", "0 2 * * *", "2026-11-25 12:00", "", "never"},
		{"within the start of a scheduler", "0 2 * * *", "2026-11-25 02:00:59", "2026-11-24 02:00", "yes"},
		{"after the start of a scheduler", "0 2 * * *", "2026-11-25 02:01", "2026-11-24 02:00", "late"},
		{"the second is over at its minute", "0 2 * * *", "2026-11-26 02:01", "2026-11-24 02:00", "stale"},
		{"and not before", "0 2 * * *", "2026-11-26 02:00:59", "2026-11-24 02:00", "late"},
		{"a clock that is behind by less than a minute", "0 2 * * *", "2026-11-25 12:00", "2026-11-25 01:59", "yes"},
		{"and by more", "0 2 * * *", "2026-11-25 12:00", "2026-11-25 01:58:59", "late"},

		{"weekdays, on Sunday", "0 2 * * 1-5", "2026-11-29 12:00", "2026-11-27 02:00", "yes"},
		{"weekdays, on Monday before it", "0 2 * * 1-5", "2026-11-30 01:59", "2026-11-27 02:00", "yes"},
		{"weekdays, on Monday after it", "0 2 * * 1-5", "2026-11-30 02:01", "2026-11-27 02:00", "late"},
		{"weekdays, Thursday was the last, on Sunday", "0 2 * * 1-5", "2026-11-29 12:00", "2026-11-26 02:00", "late"},
		{"weekdays, Thursday was the last, on Monday", "0 2 * * 1-5", "2026-11-30 02:01", "2026-11-26 02:00", "stale"},

		{"monthly on the 31st, in a month without", "0 4 31 * *", "2026-11-30 12:00", "2026-10-31 04:00", "yes"},
		{"monthly on the 31st, the day before", "0 4 31 * *", "2026-12-30 12:00", "2026-10-31 04:00", "yes"},
		{"monthly on the 31st, missed once", "0 4 31 * *", "2026-12-31 12:00", "2026-10-31 04:00", "late"},
		{"monthly on the 31st, missed twice", "0 4 31 * *", "2027-01-31 12:00", "2026-10-31 04:00", "stale"},

		{"29 February", "0 0 29 2 *", "2030-01-01", "2028-02-29 00:00", "yes"},
		{"29 February, two missed", "0 0 29 2 *", "2036-03-01", "2028-02-29 00:00", "stale"},

		// The clock of Berlin goes from 02:00 to 03:00 on 29 March 2026 (01:00 UTC).
		{"skipped, made up by debian", "30 2 * * * in Europe/Berlin", "2026-03-29 12:00", "2026-03-29 01:00", "yes"},
		{"skipped, not made up yet", "30 2 * * * in Europe/Berlin", "2026-03-29 12:00", "2026-03-28 01:30", "late"},
		{"skipped, kubernetes waits for the next day", "kubernetes: 30 2 * * * in Europe/Berlin", "2026-03-29 12:00", "2026-03-28 01:30", "yes"},
		{"skipped, kubernetes, next day missed", "kubernetes: 30 2 * * * in Europe/Berlin", "2026-03-30 12:00", "2026-03-28 01:30", "late"},
		{"skipped, busybox has no such slot", "busybox: 30 2 * * * in Europe/Berlin", "2026-03-29 12:00", "2026-03-28 01:30", "yes"},
		// And from 03:00 back to 02:00 on 25 October 2026 (01:00 UTC).
		{"doubled, debian runs it once", "30 2 * * * in Europe/Berlin", "2026-10-25 01:45", "2026-10-25 00:30", "yes"},
		{"doubled, kubernetes the second time too", "kubernetes: 30 2 * * * in Europe/Berlin", "2026-10-25 01:45", "2026-10-25 00:30", "late"},
		{"doubled, both missed", "kubernetes: 30 2 * * * in Europe/Berlin", "2026-10-25 01:45", "2026-10-24 00:30", "stale"},
		{"New York, before midnight of UTC", "0 20 * * * in America/New_York", "2026-11-25 00:30", "2026-11-24 01:00", "yes"},
		{"New York, after", "0 20 * * * in America/New_York", "2026-11-25 01:01", "2026-11-24 01:00", "late"},
		{"New York, summer time ends", "0 20 * * * in America/New_York", "2026-11-02 00:30", "2026-11-01 00:00", "yes"},
		{"Lord Howe, half an hour", "debian: 45 1 * * * in Australia/Lord_Howe", "2026-04-05 12:00", "2026-04-04 14:45", "yes"},

		{"@hourly", "@hourly", "2026-11-25 12:30", "2026-11-25 11:00:10", "late"},
		{"@every, in time", "kubernetes: @every 90m", "2026-11-25 12:00", "2026-11-25 10:40", "yes"},
		{"@every, two periods and the tolerances", "kubernetes: @every 90m", "2026-11-25 12:00", "2026-11-25 08:58", "late"},
		{"@every, more", "kubernetes: @every 90m", "2026-11-25 12:00", "2026-11-25 08:57:59", "stale"},
		{"@every, never", "kubernetes: @every 90m", "2026-11-25 12:00", "", "never"},
		{"@reboot", "@reboot", "2026-11-25 12:00", "2020-01-01", "not-due"},
		{"@reboot, never", "@reboot", "2026-11-25 12:00", "", "not-due"},
		{"never fires", "0 0 31 2 *", "2026-11-25 12:00", "", "not-due"},
		{"drawn times", "cronie: 0~59 2 * * *", "2026-11-25 12:00", "", "not-due"},

		{"no zone, in time by any", "0 2 * * * in local", "2026-11-25 12:00", "2026-11-24 11:00", "yes"},
		{"no zone, a day and two hours", "0 2 * * * in local", "2026-11-25 12:00", "2026-11-24 10:00", "late"},
		{"no zone, two days and an hour", "0 2 * * * in local", "2026-11-25 12:00", "2026-11-23 10:58", "late"},
		{"no zone, more", "0 2 * * * in local", "2026-11-25 12:00", "2026-11-23 10:57", "stale"},
		{"no zone, weekdays, the weekend", "0 2 * * 1-5 in local", "2026-11-30 12:00", "2026-11-27 12:00", "yes"},
		{"no zone, every five minutes", "*/5 * * * * in local", "2026-11-25 12:00", "2026-11-25 10:50", "late"},
		{"no zone, every five minutes, stopped", "*/5 * * * * in local", "2026-11-25 12:00", "2026-11-25 10:40", "stale"},
	} {
		r := NewCalendar().Judge(Case{Provider: "crontab", Schedules: scheds(t, c.schedule), Evidence: providers.Evidence{Executed: known(c.last)}, Now: at(c.now)})
		if string(r.Executed) != c.want {
			t.Errorf("%s: %s, want %s", c.name, r.Executed, c.want)
		}
		if found := len(r.Findings) == 1 && r.Findings[0].Kind == report.NotExecuted; found != (c.want == "stale" || c.want == "never") {
			t.Errorf("%s: findings %+v", c.name, r.Findings)
		}
	}
}

// base is a daily role at 02:00 that ran and succeeded yesterday and today; now
// is noon of 25 November 2026.
func base(t testing.TB) Case {
	return Case{
		Role: specs.Role{Key: "a"}, Provider: "crontab", Schedules: scheds(t, "0 2 * * *"), Now: at("2026-11-25 12:00"),
		Evidence: providers.Evidence{Executed: known("2026-11-25 02:00"), Succeeded: known("2026-11-25 02:10")},
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Case)
		want   string
	}{
		{"all is well", func(*Case) {}, "yes yes not-tracked"},
		{"nobody was asked", func(c *Case) { c.Evidence = providers.Evidence{} }, "not-tracked not-tracked not-tracked"},

		{"one failure", func(c *Case) { c.Evidence.Succeeded = known("2026-11-24 02:10") }, "yes late not-tracked"},
		{"two failures", func(c *Case) { c.Evidence.Succeeded = known("2026-11-23 02:10") }, "yes stale not-tracked | not-succeeded stopped-succeeding"},
		{"never a success", func(c *Case) { c.Evidence.Succeeded = known("") }, "yes never not-tracked | not-succeeded never-succeeded"},
		{"nothing runs: one silence, one finding", func(c *Case) {
			c.Evidence.Executed, c.Evidence.Succeeded, c.Evidence.Progressed = known("2026-11-20 02:00"), known("2026-11-20 02:10"), known("2026-11-20")
		}, "stale stale stale | not-executed stopped"},
		{"it never ran", func(c *Case) { c.Evidence.Executed, c.Evidence.Succeeded = known(""), known("") }, "never never not-tracked | not-executed never-ran"},
		{"the run takes longer, and may", func(c *Case) {
			c.Now, c.Role.Evidence.MaxRuntime = at("2026-11-25 02:30"), dur("1h")
			c.Evidence.Succeeded = known("2026-11-23 03:00")
		}, "yes late not-tracked"},
		{"max_runtime of the run terms", func(c *Case) {
			c.Now, c.Role.Run.MaxRuntime = at("2026-11-25 02:30"), dur("1h")
			c.Evidence.Succeeded = known("2026-11-23 03:00")
		}, "yes late not-tracked"},
		{"without it two are over", func(c *Case) {
			c.Now, c.Evidence.Succeeded = at("2026-11-25 02:30"), known("2026-11-23 03:00")
		}, "yes stale not-tracked | not-succeeded stopped-succeeding"},

		{"succeed_within, still time", func(c *Case) {
			c.Role.Evidence.SucceedWithin, c.Now, c.Evidence.Succeeded = dur("30m"), at("2026-11-25 02:29"), known("2026-11-24 02:10")
		}, "yes yes not-tracked"},
		{"succeed_within, over", func(c *Case) {
			c.Role.Evidence.SucceedWithin, c.Now, c.Evidence.Succeeded = dur("30m"), at("2026-11-25 02:30"), known("2026-11-24 02:10")
		}, "yes stale not-tracked | not-succeeded stopped-succeeding"},
		{"succeed_within, with grace", func(c *Case) {
			c.Role.Evidence.SucceedWithin, c.Role.Evidence.Grace = dur("30m"), dur("1h")
			c.Now, c.Evidence.Succeeded = at("2026-11-25 03:29"), known("2026-11-24 02:10")
		}, "yes yes not-tracked"},
		{"succeed_within of @reboot is an age", func(c *Case) {
			c.Schedules, c.Role.Evidence.SucceedWithin = scheds(t, "@reboot"), dur("9h49m59s")
		}, "not-due stale not-tracked | not-succeeded stopped-succeeding"},
		{"and in time", func(c *Case) {
			c.Schedules, c.Role.Evidence.SucceedWithin = scheds(t, "@reboot"), dur("9h50m")
		}, "not-due yes not-tracked"},
		{"succeed_within of @every", func(c *Case) {
			c.Schedules, c.Role.Evidence.SucceedWithin = scheds(t, "kubernetes: @every 9h"), dur("50m")
		}, "late yes not-tracked"},
		{"and not in time", func(c *Case) {
			c.Schedules, c.Role.Evidence.SucceedWithin = scheds(t, "kubernetes: @every 9h"), dur("49m59s")
		}, "late stale not-tracked | not-succeeded stopped-succeeding"},
		{"a file, in time", func(c *Case) { c.Role.Evidence.Succeeded.MaxAge = dur("9h50m") }, "yes yes not-tracked"},
		{"a file, too old, whatever the schedule", func(c *Case) { c.Role.Evidence.Succeeded.MaxAge = dur("9h49m59s") }, "yes stale not-tracked | not-succeeded stopped-succeeding"},
		{"a file that never was", func(c *Case) {
			c.Role.Evidence.Succeeded.MaxAge, c.Evidence.Succeeded = dur("26h"), known("")
		}, "yes never not-tracked | not-succeeded never-succeeded"},
		{"a file that need not be yet", func(c *Case) {
			c.Role.Evidence.Succeeded.MaxAge, c.Evidence.Succeeded, c.Role.Evidence.Since = dur("26h"), known(""), at("2026-11-25")
		}, "yes not-due not-tracked"},

		{"stalled", func(c *Case) { c.Evidence.Progressed = known("2026-11-23") }, "yes yes stale | stalled no-progress"},
		{"progress never", func(c *Case) { c.Evidence.Progressed = known("") }, "yes yes never | stalled no-progress"},
		{"progress in time", func(c *Case) { c.Evidence.Progressed = known("2026-11-25 02:09") }, "yes yes yes"},
		{"progress_within", func(c *Case) {
			c.Evidence.Progressed, c.Role.Evidence.ProgressWithin = known("2026-11-24 02:09"), dur("1h")
		}, "yes yes stale | stalled no-progress"},
		{"no success and no progress: one finding", func(c *Case) {
			c.Evidence.Succeeded, c.Evidence.Progressed = known("2026-11-20"), known("2026-11-20")
		}, "yes stale stale | not-succeeded stopped-succeeding"},
		{"only progress is tracked", func(c *Case) {
			c.Evidence = providers.Evidence{Progressed: known("2026-11-20")}
		}, "not-tracked not-tracked stale | stalled no-progress"},

		{"hung", func(c *Case) {
			c.Role.Evidence.MaxRuntime = dur("1h")
			c.Evidence.Running = []providers.Running{{ID: "r1", Start: at("2026-11-25 10:58:59")}}
		}, "yes yes not-tracked | hung past-max-runtime"},
		{"a minute is given", func(c *Case) {
			c.Role.Evidence.MaxRuntime = dur("1h")
			c.Evidence.Running = []providers.Running{{ID: "r1", Start: at("2026-11-25 10:59")}, {ID: "r2"}}
		}, "yes yes not-tracked"},
		{"no longest runtime, no hang", func(c *Case) {
			c.Evidence.Running = []providers.Running{{ID: "r1", Start: at("2026-01-01")}}
		}, "yes yes not-tracked"},
		{"hung, and so no success", func(c *Case) {
			c.Role.Evidence.MaxRuntime, c.Evidence.Succeeded = dur("1h"), known("2026-11-20")
			c.Evidence.Running = []providers.Running{{ID: "r1", Start: at("2026-11-22 02:00")}}
		}, "yes stale not-tracked | hung past-max-runtime | not-succeeded stopped-succeeding"},
		{"hung under Forbid", func(c *Case) {
			c.Role.Evidence.MaxRuntime, c.Evidence.Executed, c.Evidence.Succeeded = dur("1h"), known("2026-11-20 02:00"), known("2026-11-19")
			c.Evidence.Running = []providers.Running{{ID: "r1", Start: at("2026-11-20 02:00")}}
		}, "stale stale not-tracked | not-executed stopped | hung past-max-runtime"},

		{"suspended", func(c *Case) {
			c.Role.Suspended, c.Role.Evidence.MaxRuntime = true, dur("1h")
			c.Evidence.Executed, c.Evidence.Succeeded = known("2026-01-01"), providers.Trace{State: providers.Unreadable}
			c.Evidence.Running = []providers.Running{{Start: at("2026-01-01")}}
		}, "not-due not-due not-tracked"},
		{"paused", func(c *Case) {
			c.Role.PausedUntil, c.Evidence.Executed = at("2026-11-26"), known("2026-01-01")
		}, "not-due not-due not-tracked"},
		{"a pause that ended today", func(c *Case) {
			c.Role.PausedUntil, c.Evidence.Executed, c.Evidence.Succeeded = at("2026-11-25 03:00"), known("2026-01-01"), known("2026-01-01")
		}, "not-due not-due not-tracked"},
		{"a pause that ended yesterday", func(c *Case) {
			c.Role.PausedUntil, c.Evidence.Executed, c.Evidence.Succeeded = at("2026-11-24 03:00"), known("2026-01-01"), known("2026-01-01")
		}, "late late not-tracked"},
		{"a pause that ended two days ago", func(c *Case) {
			c.Role.PausedUntil, c.Evidence.Executed, c.Evidence.Succeeded = at("2026-11-24"), known("2026-01-01"), known("2026-01-01")
		}, "stale stale not-tracked | not-executed stopped"},
		{"just created", func(c *Case) {
			c.Evidence.Since, c.Evidence.Executed, c.Evidence.Succeeded = at("2026-11-25 11:00"), known(""), known("")
		}, "not-due not-due not-tracked"},
		{"created before one instant", func(c *Case) {
			c.Evidence.Since, c.Evidence.Executed, c.Evidence.Succeeded = at("2026-11-24 11:00"), known(""), known("")
		}, "late late not-tracked"},
		{"created before two", func(c *Case) {
			c.Evidence.Since, c.Evidence.Executed, c.Evidence.Succeeded = at("2026-11-24 02:00"), known(""), known("")
		}, "never never not-tracked | not-executed never-ran"},
		{"the ledger's since", func(c *Case) {
			c.Role.Evidence.Since, c.Evidence.Executed, c.Evidence.Succeeded = at("2026-11-25"), known(""), known("")
		}, "late late not-tracked"},

		{"inactive: that is the finding", func(c *Case) {
			c.Inactive, c.Evidence.Executed, c.Evidence.Succeeded, c.Evidence.Progressed = true, known("2026-01-01"), known("2026-01-01"), known("2026-01-01")
		}, "stale stale stale"},
		{"inactive and hung", func(c *Case) {
			c.Inactive, c.Role.Evidence.MaxRuntime = true, dur("1h")
			c.Evidence.Running = []providers.Running{{Start: at("2026-11-25 02:00")}}
		}, "yes yes not-tracked | hung past-max-runtime"},

		{"unreadable", func(c *Case) {
			c.Evidence.Succeeded = providers.Trace{State: providers.Unreadable, Reason: "502"}
		}, "yes unknown not-tracked | unknown evidence-not-read"},
		{"a state that is not known", func(c *Case) {
			c.Evidence.Succeeded.State = "who knows"
		}, "yes unknown not-tracked | unknown evidence-not-read"},
		{"unreadable and silent", func(c *Case) {
			c.Evidence.Executed = known("2026-01-01")
			c.Evidence.Succeeded = providers.Trace{State: providers.Unreadable}
		}, "stale unknown not-tracked | not-executed stopped | unknown evidence-not-read"},
		{"no success can be read, no progress is made", func(c *Case) {
			c.Evidence.Succeeded, c.Evidence.Progressed = providers.Trace{State: providers.Unreadable}, known("2026-01-01")
		}, "yes unknown stale | unknown evidence-not-read"},
		{"no series", func(c *Case) {
			c.Evidence.Succeeded = providers.Trace{State: providers.NoSeries, Last: at("2026-11-25 02:10")}
		}, "yes never not-tracked | not-succeeded no-series"},
		{"no series yet", func(c *Case) {
			c.Evidence.Succeeded, c.Evidence.Since = providers.Trace{State: providers.NoSeries}, at("2026-11-25")
		}, "yes late not-tracked"},
		{"a series that ended, and is old", func(c *Case) {
			c.Evidence.Succeeded = providers.Trace{State: providers.StaleSeries, Last: at("2026-11-20")}
		}, "yes stale not-tracked | not-succeeded stale-series"},
		{"a series that ended, in time", func(c *Case) {
			c.Evidence.Succeeded = providers.Trace{State: providers.StaleSeries, Last: at("2026-11-25 02:10")}
		}, "yes yes not-tracked"},
		{"a series that ended without a value", func(c *Case) {
			c.Evidence.Succeeded = providers.Trace{State: providers.StaleSeries}
		}, "yes never not-tracked | not-succeeded stale-series"},
		{"five minutes ahead", func(c *Case) { c.Evidence.Succeeded = known("2026-11-25 12:05") }, "yes yes not-tracked"},
		{"more than five minutes ahead", func(c *Case) { c.Evidence.Succeeded = known("2026-11-25 12:05:01") }, "yes unknown not-tracked | unknown clock"},
		{"one ahead, one unreadable", func(c *Case) {
			c.Evidence.Executed, c.Evidence.Succeeded = known("2100-01-01"), providers.Trace{State: providers.Unreadable}
		}, "unknown unknown not-tracked | unknown evidence-not-read"},

		{"GitHub is given six hours", func(c *Case) {
			c.Provider, c.Now = "github", at("2026-11-25 07:59")
			c.Evidence = providers.Evidence{Executed: known("2026-11-24 02:30"), Succeeded: known("2026-11-24 02:40")}
		}, "yes yes not-tracked"},
		{"GitHub drops one run", func(c *Case) {
			c.Provider = "github"
			c.Evidence = providers.Evidence{Executed: known("2026-11-24 02:30"), Succeeded: known("2026-11-24 02:40")}
		}, "late late not-tracked"},
		{"GitHub drops a second one, within the grace", func(c *Case) {
			c.Provider, c.Now = "github", at("2026-11-26 08:00")
			c.Evidence = providers.Evidence{Executed: known("2026-11-24 02:30"), Succeeded: known("2026-11-24 02:40")}
		}, "late stale not-tracked | not-succeeded stopped-succeeding"},
		{"GitHub drops a second one", func(c *Case) {
			c.Provider, c.Now = "github", at("2026-11-26 08:01")
			c.Evidence = providers.Evidence{Executed: known("2026-11-24 02:30"), Succeeded: known("2026-11-24 02:40")}
		}, "stale stale not-tracked | not-executed stopped"},
		{"a grace of its own", func(c *Case) {
			c.Provider, c.Role.Evidence.Grace = "github", dur("0s")
			c.Evidence = providers.Evidence{Executed: known("2026-11-23 02:30"), Succeeded: known("2026-11-25 02:40")}
		}, "stale yes not-tracked | not-executed stopped"},

		{"two schedules: each counts", func(c *Case) {
			c.Schedules = scheds(t, "0 2 * * *", "0 11 * * *")
		}, "late late not-tracked"},
		{"two schedules: both over", func(c *Case) {
			c.Schedules = scheds(t, "0 2 * * *", "0 8 * * *", "0 11 * * *")
		}, "stale stale not-tracked | not-executed stopped"},
		{"the same twice is one", func(c *Case) {
			c.Schedules = scheds(t, "0 2 * * *", "@daily", "0 2 * * *")
			c.Evidence.Executed, c.Evidence.Succeeded = known("2026-11-25 00:00"), known("2026-11-25 00:05")
		}, "late late not-tracked"},
		{"@reboot beside a time", func(c *Case) {
			c.Schedules = scheds(t, "0 2 * * *", "@reboot")
		}, "yes yes not-tracked"},
		{"a zone that is not known beside one", func(c *Case) {
			c.Schedules = scheds(t, "0 2 * * * in local", "0 3 * * 1 in Europe/Berlin")
		}, "yes yes not-tracked"},
		{"a zone that this machine lacks", func(c *Case) {
			s := sched(t, "0 2 * * *")
			s.Zone = "Atlantis/Port"
			c.Schedules = []specs.Schedule{s}
			c.Evidence.Executed, c.Evidence.Succeeded = known("2026-11-22"), known("2026-11-24 11:30")
		}, "stale yes not-tracked | not-executed stopped"},
		{"no schedule at all", func(c *Case) { c.Schedules = nil }, "not-due not-due not-tracked"},
		{"as of an earlier look", func(c *Case) {
			c.Now = at("2026-12-25")
			c.Evidence = c.Evidence.At(at("2026-11-25 12:00"))
			c.Role.Evidence.MaxRuntime = dur("1h")
			c.Evidence.Running = []providers.Running{{Start: at("2026-11-25 11:30"), AsOf: at("2026-11-25 12:00")}}
		}, "yes yes not-tracked"},
	} {
		c0 := base(t)
		c.change(&c0)
		if got := said(NewCalendar().Judge(c0)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestSeen(t *testing.T) {
	c := base(t)
	c.Evidence.Progressed = providers.Trace{State: providers.Unreadable, From: "a query"}
	start, success := at("2026-11-25 02:00").Unix(), at("2026-11-25 02:10").Unix()
	want := report.Seen{LastStart: &start, LastSuccess: &success, From: []string{"run records", "a query"}}
	if diff := cmp.Diff(want, NewCalendar().Judge(c).Seen); diff != "" {
		t.Error(diff)
	}
	c.Evidence = providers.Evidence{Executed: known("2100-01-01"), Succeeded: known("")}
	if diff := cmp.Diff(report.Seen{From: []string{"run records"}}, NewCalendar().Judge(c).Seen); diff != "" {
		t.Error(diff)
	}
}

func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*Case)
		message string
		hint    string
	}{
		{"stopped", func(c *Case) {
			c.Evidence.Executed = known("2026-11-22 02:00:03")
			c.Evidence.Failed = &providers.Failure{ID: "r7", At: at("2026-11-22 02:05"), Why: "exit 1"}
		}, "the last start was at 2026-11-22T02:00:03Z (run records), and 3 due instants have passed since then, the last at 2026-11-25T02:00:00Z", "the last run that did not succeed, r7, ended at 2026-11-22T02:05:00Z: exit 1"},
		{"never ran", func(c *Case) { c.Evidence.Executed = known("") },
			"no start is known (run records), and at least 2 due instants have passed, the last at 2026-11-25T02:00:00Z", "if the job is newer than these instants, say since when they count: evidence: {since: DATE}"},
		{"never ran since", func(c *Case) { c.Evidence.Executed, c.Role.Evidence.Since = known(""), at("2026-11-20") },
			"no start is known (run records), and 6 due instants have passed since 2026-11-20T00:00:00Z, the last at 2026-11-25T02:00:00Z", ""},
		{"many", func(c *Case) { c.Schedules, c.Evidence.Executed = scheds(t, "* * * * *"), known("2026-11-20") },
			"the last start was at 2026-11-20T00:00:00Z (run records), and at least 50 due instants have passed since then, the last at 2026-11-25T11:59:00Z", ""},
		{"no zone", func(c *Case) {
			c.Schedules, c.Evidence.Executed = scheds(t, "0 2 * * * in local"), known("2026-11-20 02:00")
		},
			"the last start was at 2026-11-20T02:00:00Z (run records), and at least 5 due instants have passed since then, the last no later than at 2026-11-24T10:59:00Z", ""},
		{"within", func(c *Case) {
			c.Role.Evidence.SucceedWithin, c.Evidence.Succeeded = dur("30m"), known("2026-11-24 02:10")
		}, "the last success was at 2026-11-24T02:10:00Z (run records), and there had to be one for the due instant 2026-11-25T02:00:00Z within 30m0s", ""},
		{"age", func(c *Case) { c.Role.Evidence.Succeeded.MaxAge = dur("1h") },
			"the last success was at 2026-11-25T02:10:00Z (run records), and it may be no older than 1h0m0s", ""},
		{"no series", func(c *Case) {
			c.Evidence.Succeeded = providers.Trace{State: providers.NoSeries, From: "query x", Reason: "no sample in 14 days"}
		}, "there is no metric at all of the last success (query x), and at least 2 due instants have passed, the last at 2026-11-25T02:00:00Z; no sample in 14 days", ""},
		{"ended series", func(c *Case) {
			c.Evidence.Succeeded = providers.Trace{State: providers.StaleSeries, From: "query x", Last: at("2026-11-20 02:00"), Reason: "the last sample is of 2026-11-21"}
		}, "the series has ended, with the last success at 2026-11-20T02:00:00Z (query x), and 5 due instants have passed since then, the last at 2026-11-25T02:00:00Z; the last sample is of 2026-11-21", ""},
		{"hung", func(c *Case) {
			c.Role.Evidence.MaxRuntime = dur("1h")
			c.Evidence.Running = []providers.Running{{ID: "job-1", Start: at("2026-11-24 02:00")}}
			c.Evidence.Hints = []string{"its pod waits"}
		}, "job-1, begun at 2026-11-24T02:00:00Z: it may take 1h0m0s and has not ended", "its pod waits"},
		{"cut off", func(c *Case) {
			c.Role.Evidence.MaxRuntime = dur("1h")
			c.Evidence.Running = []providers.Running{{ID: "r1", Start: at("2026-11-24 02:00"), Gone: true}}
		}, "r1, begun at 2026-11-24T02:00:00Z: it was cut off, since what watched over it is gone, and nothing will record its end", ""},
		{"hung, and another cut off", func(c *Case) {
			c.Role.Evidence.MaxRuntime = dur("1h")
			c.Evidence.Running = []providers.Running{{ID: "r1", Start: at("2026-11-24 02:00"), Gone: true}, {ID: "r2", Start: at("2026-11-25 02:00")}, {ID: "r3", Start: at("2026-11-25 11:30")}}
		}, "r2, begun at 2026-11-25T02:00:00Z: it may take 1h0m0s and has not ended; r1, begun at 2026-11-24T02:00:00Z: it was cut off, since what watched over it is gone, and nothing will record its end", ""},
		{"counts from the future", func(c *Case) {
			c.Evidence.Executed, c.Evidence.Since = known(""), at("2040-01-01")
		}, "evidence could not be read: executed (run records): it counts from 2040-01-01T00:00:00Z on, which lies ahead of the look's 2026-11-25T12:00:00Z, and would not alarm before", ""},
		{"stopped, and counts from the future", func(c *Case) {
			c.Evidence.Executed, c.Evidence.Since = known("2026-11-20 02:00"), at("2040-01-01")
		}, "evidence could not be read: executed (run records): it counts from 2040-01-01T00:00:00Z on, which lies ahead of the look's 2026-11-25T12:00:00Z, and would not alarm before", ""},
		{"unknown", func(c *Case) {
			c.Evidence.Executed = providers.Trace{State: providers.Unreadable, From: "run records in /x", Reason: "permission denied; run it as root"}
			c.Evidence.Succeeded = known("2026-11-25 13:00")
		}, "evidence could not be read: executed (run records in /x): permission denied; run it as root; succeeded (run records): its time 2026-11-25T13:00:00Z lies ahead of the look's 2026-11-25T12:00:00Z", ""},
	} {
		c0 := base(t)
		c.change(&c0)
		r := NewCalendar().Judge(c0)
		if len(r.Findings) == 0 || r.Findings[0].Message != c.message {
			t.Errorf("%s: %+v", c.name, r.Findings)
			continue
		}
		if c.hint != "" && !slices.Contains(r.Findings[0].Hints, c.hint) {
			t.Errorf("%s: hints %q", c.name, r.Findings[0].Hints)
		}
	}
}

// TestNextSteps: each kind has its own for each provider, or the catalogue's.
func TestNextSteps(t *testing.T) {
	for provider, word := range map[string]string{"crontab": "daemon", "kubernetes": "startingDeadlineSeconds", "github": "full hour"} {
		c := base(t)
		c.Provider, c.Evidence.Executed = provider, known("2026-01-01")
		if r := NewCalendar().Judge(c); !strings.Contains(r.Findings[0].NextStep, word) {
			t.Errorf("%s: %q", provider, r.Findings[0].NextStep)
		}
		c = base(t)
		c.Provider, c.Evidence.Succeeded = provider, known("2026-01-01")
		if r := NewCalendar().Judge(c); r.Findings[0].NextStep == "" {
			t.Errorf("%s: no next step for what did not succeed", provider)
		}
		c = base(t)
		c.Provider, c.Role.Evidence.MaxRuntime = provider, dur("1h")
		c.Evidence.Running = []providers.Running{{Start: at("2026-11-24 02:00"), Gone: true}}
		if r := NewCalendar().Judge(c); r.Findings[0].NextStep != goneStep {
			t.Errorf("%s: %q of what was cut off", provider, r.Findings[0].NextStep)
		}
		if hungSteps[provider] == "" {
			t.Errorf("%s: no next step for what hangs", provider)
		}
	}
}
