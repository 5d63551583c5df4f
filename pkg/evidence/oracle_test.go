package evidence

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// dueMinutes walks minute by minute and keeps those at which a schedule is due.
func dueMinutes(schedules []specs.Schedule, from, to time.Time) (out []time.Time) {
	var lines []specs.Line
	for _, s := range schedules {
		if l, ok := s.Line(time.UTC); ok {
			lines = append(lines, l)
		}
	}
	for t := from.Truncate(time.Minute); !t.After(to); t = t.Add(time.Minute) {
		for _, l := range lines {
			if next, ok := l.Next(t.Add(-time.Second)); ok && next.Equal(t) {
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// slowStage is the arithmetic as the package's comment has it.
func slowStage(due []time.Time, last, since, c time.Time, tolerance time.Duration, within bool) report.Stage {
	var d []time.Time
	var latest time.Time
	for _, t := range due {
		if t.After(c) {
			continue
		}
		latest = t
		if !t.Before(since) {
			d = append(d, t)
		}
	}
	n := len(d)
	reached := func(t time.Time) bool { return !last.IsZero() && !last.Add(tolerance).Before(t) }
	switch {
	case !latest.IsZero() && reached(latest):
		return report.Yes
	case n == 0:
		return report.NotDue
	case !within && (n == 1 || reached(d[n-2])):
		return report.Late
	case last.IsZero():
		return report.Never
	}
	return report.Stale
}

var oracleSchedules = []string{
	"* * * * *", "*/5 * * * *", "0 * * * *", "17 3 * * *", "30 2 * * *", "0 9 * * 1-5", "0 0 * * 0", "*/20 8-17 * * 1-5", "0 2 1,15 * *", "59 23 * * 1",
	"30 1-3 * * *", "0 4 1 * *", "15 2 * * 0,6",
}

func TestJudgeAgainstEveryMinute(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}
	dialects := []specs.Dialect{specs.Debian, specs.Kubernetes, specs.GitHub, specs.Busybox}
	starts := []string{"2026-03-29 03:00", "2026-10-25 03:00", "2026-11-01 08:00", "2026-04-05 00:00", "2026-08-12 12:34", "2027-01-01 00:00"}
	cal := NewCalendar()
	const rounds, window = 25, 70 * 24 * time.Hour
	seen := map[report.Stage]int{}
	for range rounds {
		var schedules []specs.Schedule
		for range 1 + r.Intn(2) {
			s, err := specs.ParseSchedule(dialects[r.Intn(len(dialects))], oracleSchedules[r.Intn(len(oracleSchedules))], zones[r.Intn(len(zones))])
			if err == nil { // GitHub refuses what is too often
				schedules = append(schedules, s)
			}
		}
		if len(schedules) == 0 {
			continue
		}
		anchor := at(starts[r.Intn(len(starts))])
		due := dueMinutes(schedules, anchor.Add(-window), anchor.Add(72*time.Hour))
		for range 60 {
			now := anchor.Add(time.Duration(r.Intn(72*3600)) * time.Second)
			near := func() time.Time { // an instant that matters, or one beside it
				d := due[len(due)-1-r.Intn(min(len(due), 6+r.Intn(40)))]
				return d.Add(time.Duration(r.Intn(3)-1) * time.Second).Add(time.Duration(r.Intn(2)*(r.Intn(240)-120)) * time.Second)
			}
			c := Case{Schedules: schedules, Provider: "crontab", Now: now}
			c.Role.Evidence.Grace = dur([]string{"", "0s", "45m", "6h"}[r.Intn(4)])
			c.Role.Evidence.MaxRuntime = dur([]string{"", "10m", "3h"}[r.Intn(3)])
			c.Role.Evidence.SucceedWithin = dur([]string{"", "30m", "5h"}[r.Intn(3)])
			if r.Intn(3) == 0 {
				c.Role.Evidence.Since = near()
			} else {
				c.Role.Evidence.Since = anchor.Add(-window + time.Hour)
			}
			start, success := near(), near()
			if start.After(now) || r.Intn(8) == 0 {
				start = time.Time{}
			}
			if success.After(now) || r.Intn(8) == 0 {
				success = time.Time{}
			}
			c.Evidence.Executed = providers.Trace{State: providers.Known, Last: start}
			c.Evidence.Succeeded = providers.Trace{State: providers.Known, Last: success}
			grace := Grace(c.Role, "crontab")
			runtime, _ := MaxRuntime(c.Role)
			wantStart := slowStage(due, start, c.Role.Evidence.Since, now.Add(-grace-time.Minute), time.Minute, false)
			wantSuccess := slowStage(due, success, c.Role.Evidence.Since, now.Add(-grace-runtime), 0, false)
			if w := c.Role.Evidence.SucceedWithin; w != nil {
				wantSuccess = slowStage(due, success, c.Role.Evidence.Since, now.Add(-grace-*w), 0, true)
			}
			got := cal.Judge(c)
			seen[got.Executed]++
			seen[got.Succeeded]++
			if got.Executed != wantStart || got.Succeeded != wantSuccess {
				t.Fatalf("%v at %s, grace %v, runtime %v, within %v, since %s, start %s, success %s: %s %s, by every minute %s %s", names(schedules), now, grace, runtime,
					c.Role.Evidence.SucceedWithin, c.Role.Evidence.Since, start, success, got.Executed, got.Succeeded, wantStart, wantSuccess)
			}
		}
	}
	for _, s := range []report.Stage{report.Yes, report.Late, report.Stale, report.Never, report.NotDue} {
		if seen[s] < 20 {
			t.Errorf("%s was met only %d times", s, seen[s])
		}
	}
}

func names(schedules []specs.Schedule) (out []string) {
	for _, s := range schedules {
		out = append(out, fmt.Sprintf("%s %q %s", s.Dialect, s.Text, s.Zone))
	}
	return out
}

// worse orders the stages of one evidence as its last time grows.
var worse = map[report.Stage]int{report.Never: 0, report.Stale: 1, report.Late: 2, report.NotDue: 3, report.Yes: 3}

// FuzzJudge: no panic, and a later start, success or progress never makes a stage
// worse, nor brings a finding about it.
func FuzzJudge(f *testing.F) {
	f.Add("0 2 * * *", "*/5 8-17 * * 1-5", "Europe/Berlin", uint8(0), int64(1_795_000_000), int64(3600), int64(90_000), int64(0), int64(600), int64(1800), "run records")
	f.Add("@every 90m", "@reboot", "local", uint8(5), int64(1_774_745_000), int64(0), int64(-400), int64(86400), int64(0), int64(0), "\x00\x1b[31m\xff")
	f.Add("0 0 29 2 *", "0 0 31 2 *", "", uint8(4), int64(-62_135_596_800), int64(1<<62), int64(1), int64(-1<<62), int64(1<<62), int64(-1<<62), "")
	f.Add("1~59 2 * * *", "30 2 * * *", "Australia/Lord_Howe", uint8(17), int64(253_402_300_799), int64(1), int64(2), int64(3), int64(4), int64(5), "q")
	f.Fuzz(func(t *testing.T, a, b, zone string, flags uint8, now, last, step, since, runtime, within int64, text string) {
		c := Case{Provider: []string{"crontab", "kubernetes", "github", ""}[flags%4], Now: time.Unix(now, 0)}
		d := specs.Dialects()[int(flags/4)%len(specs.Dialects())]
		for _, expr := range []string{a, b} {
			if s, err := specs.ParseSchedule(d, expr, zone); err == nil {
				c.Schedules = append(c.Schedules, s)
			}
		}
		m, w := time.Duration(runtime), time.Duration(within)*time.Second
		if flags&32 != 0 {
			c.Role.Evidence.MaxRuntime, c.Role.Run.MaxRuntime = &m, &m
		}
		if flags&64 != 0 {
			c.Role.Evidence.SucceedWithin, c.Role.Evidence.ProgressWithin, c.Role.Evidence.Grace = &w, &w, &m
		}
		if flags&128 != 0 {
			c.Role.Evidence.Succeeded.MaxAge = &w
		}
		if since != 0 {
			c.Evidence.Since = c.Now.Add(-time.Duration(since) * time.Second)
		}
		earlier := c.Now.Add(-time.Duration(last))
		later := earlier.Add(time.Duration(step))
		judged := func(at time.Time) Result {
			tr := providers.Trace{State: providers.Known, Last: at, From: text, Reason: text}
			c.Evidence.Executed, c.Evidence.Succeeded, c.Evidence.Progressed = tr, tr, tr
			c.Evidence.Running = []providers.Running{{ID: text, Start: at}}
			c.Evidence.Failed = &providers.Failure{ID: text, At: at, Why: text}
			Steps(c)
			return NewCalendar().Judge(c)
		}
		NewCalendar().Bounds(c.Role, c.Provider, c.Schedules)
		x, y := judged(earlier), judged(later)
		if later.Before(earlier) || later.After(c.Now) || earlier.IsZero() || later.IsZero() {
			return
		}
		for i, pair := range [][2]report.Stage{{x.Executed, y.Executed}, {x.Succeeded, y.Succeeded}, {x.Progressed, y.Progressed}} {
			if worse[pair[1]] < worse[pair[0]] {
				t.Errorf("%s: %s at %s and %s at %s", stepNames[i], pair[0], earlier, pair[1], later)
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	for _, c := range []struct{ name, schedule, last string }{
		{"in time UTC", "17 3 * * 1-5", "2026-11-25 03:17"},
		{"in time Berlin", "17 3 * * 1-5 in Europe/Berlin", "2026-11-25 03:17"},
		{"in time no zone", "17 3 * * 1-5 in local", "2026-11-25 03:17"},
		{"in time monthly kubernetes", "kubernetes: 0 0 31 * * in Europe/Berlin", "2026-11-25 00:00"},
		{"stopped UTC", "17 3 * * 1-5", "2026-11-01 03:17"},
		{"stopped Berlin", "17 3 * * 1-5 in Europe/Berlin", "2026-11-01 03:17"},
		{"stopped no zone", "17 3 * * 1-5 in local", "2026-11-01 03:17"},
	} {
		one := base(b)
		one.Schedules = scheds(b, c.schedule)
		one.Evidence.Executed, one.Evidence.Succeeded = known(c.last), known(c.last)
		b.Run(c.name, func(b *testing.B) {
			cal := NewCalendar()
			for b.Loop() {
				cal.Judge(one)
			}
		})
	}
}
