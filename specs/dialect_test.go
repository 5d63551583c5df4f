package specs

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// measured is a row of testdata/dialects.tsv: what the named program did with
// the expression when it was run (Debian cron 3.0pl1-197, cronie 1.7.2, busybox
// 1.37.0, supercronic 0.2.48, robfig/cron 3.0.1, @actions/workflow-parser
// 0.3.61). The verdict is accept, warn (an error is logged, the job runs),
// random or refuse; the meaning is that of the sets in which it ended, or of
// the days in 2028. Not as measured stand here: 5.5 under github, which passes the
// editor's check and is refused; 0~0 under cronie, a draw from one value; and
// whatever the programs read as a schedule and a command: refused, since
// ParseSchedule takes schedules.
type measured struct {
	dialect          Dialect
	expression       string
	verdict, meaning string
}

func readMeasured(t testing.TB) []measured {
	t.Helper()
	f, err := os.Open("testdata/dialects.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []measured
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		c := strings.Split(sc.Text(), "\t")
		if len(c) != 4 || c[0] == "dialect" {
			continue
		}
		out = append(out, measured{Dialect(c[0]), strings.ReplaceAll(c[1], `\t`, "\t"), c[2], c[3]})
	}
	if len(out) < 1100 {
		t.Fatalf("only %d rows", len(out))
	}
	return out
}

func TestMeasuredVerdicts(t *testing.T) {
	for _, m := range readMeasured(t) {
		s, err := ParseSchedule(m.dialect, m.expression, "")
		got := "accept"
		switch {
		case err != nil:
			got = "refuse"
		case s.Random():
			got = "random"
		case m.verdict == "warn" && len(s.Warnings()) > 0:
			got = "warn"
		}
		if got != m.verdict {
			t.Errorf("%s %q: %s (%v), measured %s %s", m.dialect, m.expression, got, err, m.verdict, m.meaning)
		}
	}
}

func TestMeasuredMeanings(t *testing.T) {
	checked := 0
	for _, m := range readMeasured(t) {
		if m.verdict == "refuse" || m.meaning == "" {
			continue
		}
		s, err := ParseSchedule(m.dialect, m.expression, "")
		if err != nil {
			t.Errorf("%s %q: %v", m.dialect, m.expression, err)
			continue
		}
		checked++
		if bad := differs(s, m.meaning); bad != "" {
			t.Errorf("%s %q: %s, measured %s; %s", m.dialect, m.expression, s.Canonical(), m.meaning, bad)
		}
	}
	if checked < 450 {
		t.Errorf("only %d meanings", checked)
	}
}

// differs compares a schedule with a measured meaning over the days of 2028.
func differs(s Schedule, meaning string) string {
	w := strings.Fields(meaning)
	switch {
	case meaning == "never":
		if _, ok := s.NextIn(time.Date(2027, 12, 31, 23, 59, 0, 0, time.UTC), time.UTC); ok && s.Dialect != Supercronic || s.days2028() != nil {
			return "it fires"
		}
		return ""
	case w[0] == "every":
		return unless(s.Every().String() == w[1], "another interval")
	case len(w) > 3 && w[3] == "days":
		if bad := s.timesDiffer(w[0], w[1]); bad != "" {
			return bad
		}
		days := s.days2028()
		var first []string
		for _, d := range days[:min(3, len(days))] {
			first = append(first, d.Format("Mon 01-02"))
		}
		got := fmt.Sprintf("%d days in 2028 (first %s)", len(days), strings.Join(first, ", "))
		return unless(got == strings.Join(w[2:], " "), got)
	}
	rest := strings.Join(w[5:], " ")
	if zone, ok := strings.CutPrefix(rest, "zone "); ok && s.Zone != zone {
		return "zone " + s.Zone
	}
	if bad := s.timesDiffer(w[0], w[1]); bad != "" {
		return bad
	}
	dom, mon, dow := slowSet(w[2], 31), slowSet(w[3], 12), slowSet(w[4], 6)
	either := rest == "dom-OR-dow" || s.Dialect == Busybox && (w[2] == "-" || w[4] == "-")
	want := 0
	for d := time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() == 2028; d = d.AddDate(0, 0, 1) {
		a, b := dom[d.Day()], dow[int(d.Weekday())]
		if mon[int(d.Month())] && (a && b || either && (a || b)) {
			want++
			if !s.plan.due(int(d.Unix() / 86400)) {
				return "not on " + d.Format(time.DateOnly)
			}
		}
	}
	return unless(want == len(s.days2028()), "on more days")
}

func unless(ok bool, bad string) string {
	if ok {
		return ""
	}
	return bad
}

func (s Schedule) timesDiffer(minute, hour string) string {
	m, h := slowSet(minute, 59), slowSet(hour, 23)
	for i := range 1440 {
		at := s.plan.minute>>(i%60)&1 == 1 && s.plan.hour>>(i/60)&1 == 1
		if at != (m[i%60] && h[i/60]) {
			return fmt.Sprintf("differs at %02d:%02d", i/60, i%60)
		}
	}
	return ""
}

func (s Schedule) days2028() (out []time.Time) {
	for d := time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() == 2028; d = d.AddDate(0, 0, 1) {
		if s.plan.kind == kindCalendar && s.plan.due(int(d.Unix()/86400)) {
			out = append(out, d)
		}
	}
	return out
}

// slowSet reads the plain forms: *, - for nothing, a, a-b, a-b/n and lists.
func slowSet(s string, high int) map[int]bool {
	set := map[int]bool{}
	if s == "-" || s == "{}" {
		return set
	}
	for _, item := range strings.Split(s, ",") {
		span, stepText, _ := strings.Cut(item, "/")
		a, b, ranged := strings.Cut(span, "-")
		low, last, step := 0, high, 1
		if span != "*" {
			low, _ = strconv.Atoi(a)
			last = low
			if ranged {
				last, _ = strconv.Atoi(b)
			}
		}
		if stepText != "" {
			step, _ = strconv.Atoi(stepText)
		}
		for v := low; v <= last; v += step {
			set[v] = true
		}
	}
	return set
}

// TestClockFaults: a fault that depends on the zone is named in the zones that
// bring it out.
func TestClockFaults(t *testing.T) {
	for _, c := range []struct {
		d                Dialect
		text, zone, want string
	}{
		{Supercronic, "30 2 * * *", "Europe/Berlin", "a fault of its cronexpr"},
		{Supercronic, "30 4 * * *", "Europe/Berlin", ""},
		{Supercronic, "1 1 * * *", "America/Chicago", ""}, // once in the repeated hour
		{Supercronic, "0 3 * * *", "America/Chicago", "loses"},
		{Supercronic, "30 2 * * *", "UTC", ""},
		{Supercronic, "30 2 * * *", "", ""},
		{Kubernetes, "0 3 * * *", "Australia/Lord_Howe", "clock of Australia/Lord_Howe changes, a fault of robfig/cron 3.0.1 (SpecSchedule.Next in spec.go)"},
		{Kubernetes, "0 12 * * 5", "Africa/Cairo", "a fault of robfig"},
		{Kubernetes, "0 3 * * *", "America/New_York", ""},
		{Kubernetes, "@every 1h", "Australia/Lord_Howe", ""},
		{Debian, "0 2 * * *", "Europe/Berlin", ""},
	} {
		got := strings.Join(mustParse(t, c.d, c.text, c.zone).Warnings(), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %q %s: %q, want %q", c.d, c.text, c.zone, got, c.want)
		}
	}
}

// TestRefusalsSayWhatToWrite: each names what is wrong and ends in a next step
// that the dialect takes, where it is an expression.
func TestRefusalsSayWhatToWrite(t *testing.T) {
	for _, c := range []struct {
		d          Dialect
		text, want string
	}{
		{Debian, "5/15 * * * *", `minute "5/15": a step after a single number is refused (debian); write 5-59/15`},
		{Cronie, "0 2/6 * * *", "write 2-23/6"},
		{Debian, "0 0 ? * 1", "? is Quartz syntax"},
		{Kubernetes, "0 0 L * *", "Quartz"},
		{Kubernetes, "0 0 15W * *", "supercronic reads L, LW and 15W"},
		{GitHub, "0 0 * * mon#2", "# (the nth weekday) is Quartz syntax"},
		{Cronie, "0 0 * * 5L", "Quartz"},
		{Kubernetes, "0 0 * * 7", "7 is no weekday here (kubernetes); write 0 for Sunday"},
		{GitHub, "0 0 * * 5-7", "write 0,5-6 (0 is Sunday)"},
		{Kubernetes, "0 22-6 * * *", "the range is reversed (kubernetes); write 22-23,0-6"},
		{Kubernetes, "0 0 * * sunday", "write sun"},
		{Kubernetes, "60 * * * *", "write a number from 0 to 59"},
		{Kubernetes, "*/0 * * * *", "a step must be 1 or more"},
		{Kubernetes, "H * * * *", "Jenkins"},
		{Debian, "~ * * * *", "random times are read by cronie only"},
		{Cronie, "0~59/5 * * * *", "write low~high"},
		{Debian, "5, * * * *", "the list has an empty member"},
		{Debian, "0 0 0 * * *", "6 fields where 5 are read"},
		{Kubernetes, "0 0 12 * * ? 2030", "a Quartz expression: 7 fields where 5 are read"},
		{Supercronic, "* * * *", "write 5 fields, 6 with a year at the end, or 7"},
		{Supercronic, "30-10/5 * * * *", "stops supercronic"},
		{GitHub, "@daily", "write 0 0 * * *"},
		{Busybox, "@weekly", "write 0 0 * * 0"},
		{Supercronic, "@midnight", "write 0 0 * * *"},
		{Kubernetes, "@reboot", "read by debian and cronie only"},
		{Debian, "@every 5m", "read by kubernetes only"},
		{Kubernetes, "@every day", "write it as @every 1h30m"},
		{Debian, "@daily root", "belongs to the command"},
		{Busybox, "0 0 * * mon#2", "# starts a comment"},
		{Busybox, "? * * * *", "Quartz"},
		{Kubernetes, "TZ=UTC", "nothing stands behind the zone"},
		{Kubernetes, "TZ=Mars/Phobos 0 0 * * *", "not in the time zone database"},
		{GitHub, "0\t0 * * *", "a tab or a line end between the fields (github); write 0 0 * * *"},
		{Debian, "", "0 fields where 5 are read"},
		{"quartz", "0 0 * * *", "name one of debian"},

		// What it plainly is elsewhere.
		{Kubernetes, "0 0 12 * * ?", "this is a Quartz expression: 6 fields where 5 are read, seconds first, and weekdays count from 1 for Sunday (kubernetes); write 0 12 * * *"},
		{Debian, "0 15 10 ? * 2-6", "write 15 10 * * 1-5"},
		{Debian, "0 15 10 ? * MON-FRI", "write 15 10 * * 1-5"},
		{Cronie, "0 0 4 ? * 1#2", "write 0 4 8-14 * */7"},
		{GitHub, "0 0 4 L * ?", "a Quartz expression: 6 fields"},
		{Supercronic, "0 0 12 ? * MON-FRI", "write 0 12 * * 1-5"},
		{Supercronic, "0 0 4 L * ?", "write 0 4 L * *"},
		{Kubernetes, "0 0 12 * * MON", "with seconds in front, as in Quartz, Spring and node-cron: 6 fields where 5 are read (kubernetes); write 0 12 * * 1"},
		{Kubernetes, "0 0 12 * * 1", "leave out the seconds in front"},
		{Kubernetes, "*/10 * * * * *", "seconds are read by supercronic only"},
		{Kubernetes, "0 0 12 1 1 2030", "year at the end"},
		{Kubernetes, "cron(0 12 * * ? *)", "this is an AWS cron expression: six fields with the year at the end, and weekdays count from 1 for Sunday (kubernetes); write 0 12 * * *"},
		{Debian, "cron(0/15 8-17 ? * 2-6 *)", "write */15 8-17 * * 1-5"},
		{Debian, "cron(0 12 * * ? 2030)", "AWS"},
		{Kubernetes, "rate(5 minutes)", "this is an AWS rate: it counts from when the rule was made (kubernetes); write the times of day in five fields: nearest is */5 * * * *"},
		{GitHub, "rate(7 minutes)", "write the times of day in five fields"},
		{Debian, "daily", "this is a systemd OnCalendar expression (debian); write 0 0 * * *"},
		{Debian, "weekly", "write 0 0 * * 1"},
		{Kubernetes, "*-*-* 03:00", "systemd OnCalendar expression (kubernetes); write 0 3 * * *"},
		{Kubernetes, "Mon..Fri 09:30", "write 30 9 * * 1-5"},
		{Kubernetes, "*-*-01 04:00:00", "write 0 4 1 * *"},
		{Kubernetes, "*:0/15", "write */15 * * * *"},
		{Kubernetes, "Mon *-*-1..7 04:00", "must both hold"},
		{Kubernetes, "RRULE:FREQ=DAILY;BYHOUR=3", "a recurrence rule of RFC 5545"},
		{Debian, "1 5 cron.daily run-parts /etc/cron.daily", "a line of anacrontab"},
		{Kubernetes, "H/15 * * * *", "Jenkins"},

		// What it is in another dialect here.
		{Debian, "0/5 * * * *", "a step after a single number is refused (debian); write 0-59/5: */5 * * * *"},
		{Kubernetes, "0 0 * * 7", "write 0 for Sunday: 0 0 * * 0"},
		{GitHub, "@weekly", "write 0 0 * * 0"},
		{Debian, "0 0 ? * 1", "write *: 0 0 * * 1"},
		{Cronie, "0 4 * * sun#2", "write 0 4 8-14 * */7"},
		{Kubernetes, "0 0 L 4 *", "write 0 0 30 4 *"},
		{Kubernetes, "0 0 L * *", "supercronic reads L"},
		{Kubernetes, "0 4 */2 * 7", "write 0 for Sunday"}, // the others disagree on the day rule
		{Debian, "@every 5m", "counts from the last run; write the times of day in five fields: nearest is */5 * * * *, which runs at set times of the clock and not after the last run"},
		{Busybox, "@every 24h", "nearest is 0 0 * * *"},
	} {
		_, err := ParseSchedule(c.d, c.text, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.d, c.text, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s %q: %v has no next step", c.d, c.text, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		d          Dialect
		text, want string
	}{
		{Debian, "0 0 * * mon#2", `"#2" is dropped`},
		{Debian, "30~40 * * * *", `"~40" is dropped`},
		{Debian, "0 0 * * mon", ""},
		{Debian, "0 0 * * 1-5", ""},
		{Debian, "4294967301 0 * * *", "4294967301 overflows and is read as 5"},
		{Cronie, "4294967301 0 * * *", "overflows and is read as 5"},
		{Busybox, "4294967301 0 * * *", "overflows and is read as 5"},
		{Debian, "0 0 * * fri-mon,3", "a range is reversed and has no value here"},
		{Cronie, "0 22-6,3 * * *", "a range is reversed"},
		{Busybox, "0 22-6 * * *", ""},
		{Debian, "0 22-6 * * *", ""}, // it never fires, which says it
		{Busybox, "0 0 * * 7", "every day of week: a fault of its ParseField in miscutils/crond.c"},
		{Busybox, "0 0 */2 * *", "so */2 is the even days; a fault"},
		{Busybox, "0 0 1-31/2 * *", ""},
		{Busybox, "5/15 * * * *", "drops a step after a single value"},
		{Busybox, "*/0 * * * *", "a step of 0 for the first value alone"},
		{Debian, "0 0 * * mon#2", "a fault of cron 3.0pl1"},
		{Kubernetes, "*-5 * * * *", "a fault of robfig/cron"},
		{Supercronic, "0 0 * * 7-1", "a fault of its cronexpr"},
		{Busybox, "0 0 * * 7", "logs a parse error and runs the job"},
		{Debian, "* */6 * * *", "60 times"},
		{Kubernetes, "* */6 * * *", "60 times"},
		{Supercronic, "0 0 * * 0-7", "as if Sunday (0) stood for 7"},
		{Supercronic, "0 0 * * 05", "as if Sunday (0) stood for 7"},
		{Supercronic, "0 */5 * * * *", "the last of six is the year"},
		{Supercronic, "@daily", ""},
		{Supercronic, "0 0 4 * * * *", ""},
		{GitHub, "1e1 * * * *", "write 10"},
		{GitHub, "*/2 * * * *", "every 5 minutes"},
		{GitHub, "58,1 * * * *", "every 5 minutes"},
		{GitHub, "58,1 4 * * *", ""},
		{GitHub, "*/5 * * * *", ""},
		{GitHub, "0 0 */2 * 1", "both hold"},
	} {
		s, err := ParseSchedule(c.d, c.text, "")
		if err != nil {
			t.Errorf("%s %q: %v", c.d, c.text, err)
			continue
		}
		got := strings.Join(s.Warnings(), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: warnings %q, want %q", c.d, c.text, got, c.want)
		}
	}
}
