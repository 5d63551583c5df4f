//go:build linux && amd64

package crontab

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// clockChanges are nights on which the clock changed, or will: by an hour, by
// half of one, at midnight, and by a whole day, which no daemon corrects for.
var clockChanges = []struct{ zone, at string }{
	{"America/New_York", "2027-03-14T07:00:00Z"},
	{"America/New_York", "2027-11-07T06:00:00Z"},
	{"America/Sao_Paulo", "2018-11-04T03:00:00Z"},
	{"Australia/Lord_Howe", "2027-10-02T15:30:00Z"},
	{"Australia/Lord_Howe", "2027-04-03T15:00:00Z"},
	{"Pacific/Apia", "2011-12-30T10:00:00Z"},
}

// clockExpressions are judged on each of these nights.
var clockExpressions = []string{
	"* * * * *", "*/30 2 * * *", "30 */2 * * *", "*/20 1 * * *", "*/1 1 * * *", "0 * * * *", "@hourly", "15 */1 * * *", "*/7 0-3 * * *",
	"30 2 * * *", "0 2 * * *", "30 1,2 * * *", "30 1-3 * * *", "0-59 2 * * *", "0-59 1 * * *", "0 0-23 * * *", "0 3 * * *", "0 1 * * *", "30 1 * * *",
	"45 1 * * *", "15 2 * * *", "0 0 * * *", "@daily", "30 0 * * *", "0-59 0 * * *", "30 0 * * sun", "30 2 14 3 *", "30 1 7 11 *", "0 2 * * 1-6", "30 23 * * *",
}

// What Debian's cron 3.0pl1-162 and cronie 1.7.2 did in New York in the two
// nights of 2027, in the hour before the change and the one after it.
var newYork = map[string][2]string{
	"30 2 * * *":   {"03:00 EDT", ""},
	"0 2 * * *":    {"03:00 EDT", ""},
	"*/30 2 * * *": {"", ""},
	"30 */2 * * *": {"", ""},
	"30 1,2 * * *": {"01:30 EST, 03:00 EDT", "01:30 EDT"},
	"30 1-3 * * *": {"01:30 EST, 03:00 EDT, 03:30 EDT", "01:30 EDT"},
	"0-59 2 * * *": {"60 x 03:00 EDT", ""},
	"0 * * * *":    {"01:00 EST, 03:00 EDT", "01:00 EDT, 01:00 EST"},
	"0 0-23 * * *": {"01:00 EST, 2 x 03:00 EDT", "01:00 EDT"},
	"0 3 * * *":    {"03:00 EDT", ""},
	"0 1 * * *":    {"01:00 EST", "01:00 EDT"},
	"30 1 * * *":   {"01:30 EST", "01:30 EDT"},
	"@hourly":      {"01:00 EST, 03:00 EDT", "01:00 EDT, 01:00 EST"},
	"*/20 1 * * *": {"01:00 EST, 01:20 EST, 01:40 EST", "01:00 EDT, 01:20 EDT, 01:40 EDT, 01:00 EST, 01:20 EST, 01:40 EST"},
}

// The daemons go through the nights minute by minute. When an expression runs,
// and when it does not, is as its schedule says.
func TestRealDaemonsOnClockChanges(t *testing.T) {
	eachDaemon(t, func(t *testing.T, d daemon) {
		for i, c := range clockChanges {
			if d.dialect == specs.Cronie {
				t.Run("CRON_TZ again "+c.zone+" "+c.at[:10], func(t *testing.T) {
					t.Parallel()
					nightOf(t, d, c.zone, c.zone, c.at)
				})
				t.Run("CRON_TZ "+c.zone+" "+c.at[:10], func(t *testing.T) {
					t.Parallel()
					nightOf(t, d, "UTC", c.zone, c.at)
				})
			}
			t.Run(c.zone+" "+c.at[:10], func(t *testing.T) {
				t.Parallel()
				runs := nightOf(t, d, c.zone, "", c.at)
				for expression, nights := range newYork {
					if got := runs[expression]; i < 2 && d.dialect != specs.Busybox && got != nights[i] {
						t.Errorf("%q ran at %q, and the table says %q", expression, got, nights[i])
					}
				}
			})
		}
	}, specs.Debian, specs.Cronie, specs.Busybox)
}

// nightOf compares a night of a daemon in a zone, with a table that may be in
// another, with what the schedules say, and tells when each
// expression ran in the hours around the change.
func nightOf(t *testing.T, d daemon, zone, other, at string) map[string]string {
	im := newImage(t)
	loc, err := time.LoadLocation(cmp.Or(other, zone))
	im.must(err)
	change, err := time.Parse(time.RFC3339, at)
	im.must(err)
	var b strings.Builder
	fmt.Fprintf(&b, "SHELL=%s\n", im.recorder())
	if d.dialect == specs.Cronie {
		im.must(os.Remove(im.root + "/var/spool/cron/crontabs"))
	}
	if other != "" {
		fmt.Fprintf(&b, "CRON_TZ=%s\n", other)
	}
	schedules := map[string]specs.Schedule{}
	for i, e := range clockExpressions {
		if d.dialect == specs.Busybox && crashesBusybox(e) {
			continue
		}
		fmt.Fprintf(&b, "%s job %d\n", e, i)
		schedules[e], err = scheduleIn(d.dialect, e, other, zone, other != "")
		im.must(err)
	}
	im.write(d.spool+"/root", b.String(), 0o600)
	var minutes []time.Time
	for m := change.Add(-61 * time.Minute); m.Before(change.Add(3 * time.Hour)); m = m.Add(time.Minute) {
		minutes = append(minutes, m)
	}
	p := im.perform(d, zone, minutes)
	told := map[string][]string{}
	for i, m := range minutes {
		for j, e := range clockExpressions {
			s, ok := schedules[e]
			if !ok || i == 0 {
				continue
			}
			n := p.at[i][fmt.Sprintf("job %d", j)]
			next, due := s.NextIn(m.Add(-time.Second), loc)
			if due = due && next.Equal(m); due != (n > 0) {
				t.Errorf("%q at %s: it ran %d times, and we say %v", e, m.In(loc).Format("15:04 MST"), n, due)
			}
			if near := m.Sub(change); n > 0 && near >= -time.Hour && near < time.Hour {
				told[e] = append(told[e], times(n)+m.In(loc).Format("15:04 MST"))
			}
		}
	}
	runs := map[string]string{}
	for e, list := range told {
		runs[e] = strings.Join(slices.Compact(list), ", ")
	}
	return runs
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("%d x ", n)
}
