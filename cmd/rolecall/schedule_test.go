package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rolecall-dev/rolecall/cmd/internal/cli"
)

// meaning is what rolecall schedule -o json says, as far as it is looked at here.
type meaning struct {
	Valid      *bool    `json:"valid"`
	Reason     string   `json:"reason"`
	Zone       string   `json:"zone"`
	Kind       string   `json:"kind"`
	Canonical  string   `json:"canonical"`
	Words      string   `json:"words"`
	NeverFires bool     `json:"never_fires"`
	Warnings   []string `json:"warnings"`
	Next       []string `json:"next"`
	Previous   *string  `json:"previous"`
	LongestGap *struct {
		From    string `json:"from"`
		To      string `json:"to"`
		Seconds int64  `json:"seconds"`
	} `json:"longest_gap"`
}

// inProcess runs the program within the test.
func inProcess(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	none := func(string) (string, bool) { return "", false }
	code = cli.Main(context.Background(), args, none, cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// newYear is the minute before 2028, a leap year that begins on a Saturday.
var newYear = time.Date(2027, 12, 31, 23, 59, 0, 0, time.UTC)

func ask(t *testing.T, dialect, expression string, next int) (meaning, int) {
	t.Helper()
	code, out, errs := inProcess("schedule", "--dialect", dialect, "--now", newYear.Format(time.RFC3339), "--next", strconv.Itoa(next), "-o", "json", "--", expression)
	var m meaning
	if err := json.Unmarshal([]byte(out), &m); err != nil || errs != "" || m.Valid == nil {
		t.Fatalf("%s %q: exit %d, %v, %s%s", dialect, expression, code, err, out, errs)
	}
	return m, code
}

// TestScheduleBattery asks the command for each measured expression, and holds
// what it says to what the named program did: whether it is taken, and when it
// fires, by an oracle of its own that steps through 2028.
func TestScheduleBattery(t *testing.T) {
	rows, meant := 0, 0
	for _, row := range measuredRows(t) {
		rows++
		want := oracleOf(row)
		m, code := ask(t, row.dialect, row.expression, want.ask())
		what := fmt.Sprintf("%s %q (%s %s)", row.dialect, row.expression, row.verdict, row.meaning)
		if bad := verdictDiffers(row, m, code); bad != "" {
			t.Errorf("%s: %s", what, bad)
			continue
		}
		if row.verdict == "refuse" || row.meaning == "" {
			continue
		}
		meant++
		if bad := want.differs(m); bad != "" {
			t.Errorf("%s: %s; canonical %s", what, bad, m.Canonical)
		}
	}
	if rows < 1140 || meant < 450 {
		t.Errorf("only %d rows and %d meanings", rows, meant)
	}
}

type measuredRow struct{ dialect, expression, verdict, meaning string }

func measuredRows(t *testing.T) []measuredRow {
	t.Helper()
	f, err := os.Open("../../specs/testdata/dialects.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []measuredRow
	for sc := bufio.NewScanner(f); sc.Scan(); {
		c := strings.Split(sc.Text(), "\t")
		if len(c) == 4 && c[0] != "dialect" {
			out = append(out, measuredRow{c[0], strings.ReplaceAll(c[1], `\t`, "\t"), c[2], c[3]})
		}
	}
	return out
}

func verdictDiffers(row measuredRow, m meaning, code int) string {
	refused := row.verdict == "refuse"
	switch {
	case *m.Valid == refused:
		return "valid is " + fmt.Sprint(*m.Valid) + ": " + m.Reason
	case refused && (code != 1 || !strings.Contains(m.Reason, "; ") || m.Canonical != "" || len(m.Next) > 0 || m.Previous != nil || m.LongestGap != nil):
		return fmt.Sprintf("refused with exit %d: %+v", code, m)
	case refused:
		return ""
	case code != 0 || m.Reason != "" || m.Canonical == "" || m.Words == "":
		return fmt.Sprintf("taken with exit %d: %+v", code, m)
	case row.verdict == "warn" && len(m.Warnings) == 0:
		return "no warning"
	case (row.verdict == "random") != (m.Kind == "drawn"):
		return "kind " + m.Kind
	}
	return ""
}

// oracle is what a row says about 2028: the minutes of the day, and the first
// days or all of them.
type oracle struct {
	never       bool
	supercronic bool // whose "never" speaks of 2028 alone
	every       time.Duration
	zone        *time.Location
	zoneName    string
	times       []int // minutes of the day
	days        []time.Time
	whole       bool // the days are all those of the year
	count       int  // of days in the year
}

// ask is how many instants are needed: where that can be, those of the year.
func (o oracle) ask() int {
	if n := len(o.times) * o.count; n > 0 && n < 400 {
		return n + 1
	}
	return 20
}

func oracleOf(row measuredRow) oracle {
	o := oracle{zone: time.UTC, zoneName: "local", supercronic: row.dialect == "supercronic"}
	if row.dialect == "github" {
		o.zoneName = "UTC"
	}
	w := strings.Fields(row.meaning)
	switch {
	case len(w) == 0:
		return o
	case w[0] == "never":
		o.never = true
		return o
	case w[0] == "every":
		o.every, _ = time.ParseDuration(w[1])
		return o
	}
	o.times = minutesOf(w[0], w[1])
	if w[3] == "days" {
		o.count, _ = strconv.Atoi(w[2])
		_, first, _ := strings.Cut(strings.TrimSuffix(row.meaning, ")"), "(first ")
		for _, d := range strings.Split(first, ", ") {
			day, err := time.Parse("2006 Mon 01-02", "2028 "+d)
			if err != nil {
				panic(err)
			}
			o.days = append(o.days, day)
		}
		o.whole = len(o.days) == o.count
		return o
	}
	rest := strings.Join(w[5:], " ")
	if name, ok := strings.CutPrefix(rest, "zone "); ok {
		o.zoneName = name
		o.zone, _ = time.LoadLocation(name)
	}
	either := rest == "dom-OR-dow" || row.dialect == "busybox" && (w[2] == "-" || w[4] == "-")
	o.days, o.whole = daysOf(w[2], w[3], w[4], either), true
	o.count = len(o.days)
	return o
}

// differs compares what the command says with the oracle.
func (o oracle) differs(m meaning) string {
	switch {
	case o.never && o.supercronic:
		return differing(len(inYear(m.Next)) == 0, "it fires in 2028")
	case o.never:
		return differing(m.NeverFires && m.Canonical == "never" && len(m.Next) == 0 && m.Previous == nil && m.LongestGap == nil, "it fires")
	case m.NeverFires || m.Zone != o.zoneName:
		return fmt.Sprintf("never_fires %v, zone %s", m.NeverFires, m.Zone)
	case o.every > 0:
		return differing(m.Kind == "interval" && m.Next[1] == newYear.Add(2*o.every).Format(time.RFC3339) && m.LongestGap.Seconds == int64(o.every/time.Second), fmt.Sprint(m.Next))
	}
	want := o.instants(len(m.Next))
	got := inYear(m.Next)
	n := min(len(want), len(got))
	switch {
	case n == 0 || !slices.Equal(want[:n], got[:n]):
		return fmt.Sprintf("next %v, want %v", m.Next[:min(5, len(m.Next))], want[:min(5, len(want))])
	case o.whole && o.ask() > 20 && len(got) != len(want):
		return fmt.Sprintf("%d instants in 2028, want %d", len(got), len(want))
	case !o.whole && o.ask() > 20 && len(got) != len(o.times)*o.count:
		return fmt.Sprintf("%d instants in 2028, want %d", len(got), len(o.times)*o.count)
	}
	return gapDiffers(m)
}

// instants steps through the days and minutes, up to a number of instants.
func (o oracle) instants(most int) []string {
	var out []string
	for _, d := range o.days {
		for _, m := range o.times {
			if len(out) == most {
				return out
			}
			out = append(out, time.Date(d.Year(), d.Month(), d.Day(), m/60, m%60, 0, 0, o.zone).UTC().Format(time.RFC3339))
		}
	}
	return out
}

func inYear(next []string) []string {
	n := 0
	for n < len(next) && strings.HasPrefix(next[n], "2028") {
		n++
	}
	return next[:n]
}

// gapDiffers: no gap between the next instants is longer than the longest one,
// whose seconds are those between its ends, and the previous one is past.
func gapDiffers(m meaning) string {
	at := func(s string) time.Time {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			panic(err)
		}
		return t
	}
	if m.LongestGap == nil || m.Previous == nil {
		return "no longest gap or no previous instant"
	}
	longest := at(m.LongestGap.To).Sub(at(m.LongestGap.From))
	for i := range m.Next[1:] {
		if at(m.Next[i+1]).Sub(at(m.Next[i])) > longest {
			return "a gap is longer than the longest"
		}
	}
	return differing(int64(longest/time.Second) == m.LongestGap.Seconds && !at(*m.Previous).After(newYear), "the longest gap or the previous instant")
}

func differing(ok bool, bad string) string {
	if ok {
		return ""
	}
	return bad
}

func minutesOf(minute, hour string) []int {
	minutes, hours := valuesOf(minute, 0, 59), valuesOf(hour, 0, 23)
	var out []int
	for m := range 24 * 60 {
		if slices.Contains(hours, m/60) && slices.Contains(minutes, m%60) {
			out = append(out, m)
		}
	}
	return out
}

func daysOf(dom, month, dow string, either bool) []time.Time {
	doms, months, dows := valuesOf(dom, 1, 31), valuesOf(month, 1, 12), valuesOf(dow, 0, 6)
	var out []time.Time
	for d := newYear.Add(time.Minute); d.Year() == 2028; d = d.AddDate(0, 0, 1) {
		a, b := slices.Contains(doms, d.Day()), slices.Contains(dows, int(d.Weekday()))
		if slices.Contains(months, int(d.Month())) && (a && b || either && (a || b)) {
			out = append(out, d)
		}
	}
	return out
}

// valuesOf reads the plain forms: *, - for nothing, a, a-b, a-b/n and lists.
func valuesOf(set string, low, high int) []int {
	var out []int
	for _, item := range strings.Split(set, ",") {
		from, to, step := low, high, 1
		if item == "-" || item == "{}" {
			continue
		}
		span, by, stepped := strings.Cut(item, "/")
		if span != "*" {
			a, b, ranged := strings.Cut(span, "-")
			from, _ = strconv.Atoi(a)
			if to = from; ranged {
				to, _ = strconv.Atoi(b)
			}
		}
		if stepped {
			step, _ = strconv.Atoi(by)
		}
		for v := from; v <= to; v += step {
			out = append(out, v)
		}
	}
	return out
}

// TestScheduleTakesAnyText: whatever the expression is, it is judged and never
// taken for a flag, and one that is written as several arguments is put
// together.
func TestScheduleTakesAnyText(t *testing.T) {
	for _, text := range []string{
		"", " ", "\t", "-", "--", "---", "-h", "--help", "-o", "@", "@every", " 0 0 * * *", "\t0 0 * * *\t", "0 0 * * *\r", "0 0 * * *\n", "0 0 * * *\r\n",
		"0 0 * * *\x00", "\xff\xfe * * * *", "\u202e0 0 * * *", "\x1b[2J", "0 0 * * * /opt/x --password=y", "0 30 9 * * 1-5", "0 0 9 * * 1#1 2030", "%", "#", "# x", "A=b", "TZ=UTC", "CRON_TZ= 0 0 * * *",
		strings.Repeat("*", 1<<16), strings.Repeat("1,", 1<<15) + "1 * * * *", strings.Repeat("0 ", 1<<15), "99999999999999999999 * * * *", "*/99999999999999999999 * * * *",
	} {
		for _, d := range []string{"debian", "cronie", "busybox", "supercronic", "github", "kubernetes"} {
			m, code := ask(t, d, text, 3)
			if *m.Valid != (code == 0) || !*m.Valid && m.Reason == "" {
				t.Errorf("%s %.80q: exit %d, %+v", d, text, code, m)
			}
			_, out, errs := inProcess("schedule", "--dialect", d, "--", text)
			if why := unsafe(out + errs); why != "" || errs != "" {
				t.Errorf("%s %.80q: %s%s", d, text, why, errs)
			}
		}
	}
	whole, _ := ask(t, "debian", "*/5 8-17 * * 1-5", 3)
	_, out, _ := inProcess("schedule", "--dialect", "debian", "*/5", "8-17", "*", "*", "1-5", "--now", newYear.Format(time.RFC3339), "--next", "3", "-o", "json")
	var apart meaning
	if err := json.Unmarshal([]byte(out), &apart); err != nil || apart.Canonical != whole.Canonical || !slices.Equal(apart.Next, whole.Next) {
		t.Errorf("as five arguments %+v, as one %+v", apart, whole)
	}
}

// TestScheduleClockChanges: on the days on which a clock changes each program
// does what was measured of it, at these instants of the first hours. Runs that
// begin at one instant are one here. Debian's cron is 3.0pl1-162 and supercronic
// 0.2.48; kubernetes is robfig/cron 3.0.1.
func TestScheduleClockChanges(t *testing.T) {
	const (
		spring = "America/New_York 2027-03-14T05:00:00Z" // 02:00 to 03:00, at 07:00Z
		fall   = "America/New_York 2027-11-07T04:00:00Z" // 02:00 to 01:00, at 06:00Z
		brazil = "America/Sao_Paulo 2018-11-04T02:00:00Z"
		east   = "Australia/Lord_Howe 2027-10-02T13:30:00Z" // 02:00 to 02:30, at 15:30Z
	)
	both := "05:00 05:20 05:40 06:00 06:20 06:40"
	for _, c := range []struct{ when, dialect, expression, want string }{
		{spring, "debian", "30 2 * * *", "07:00"},
		{spring, "debian", "0 2 * * *", "07:00"},
		{spring, "debian", "*/30 2 * * *", ""},
		{spring, "debian", "30 */2 * * *", "05:30 08:30"},
		{spring, "debian", "30 1,2 * * *", "06:30 07:00"},
		{spring, "debian", "30 1-3 * * *", "06:30 07:00 07:30"},
		{spring, "debian", "0-59 2 * * *", "07:00"},
		{spring, "debian", "0 * * * *", "05:00 06:00 07:00 08:00"},
		{spring, "debian", "0 0-23 * * *", "05:00 06:00 07:00 08:00"},
		{spring, "debian", "0 3 * * *", "07:00"},
		{spring, "kubernetes", "30 2 * * *", ""},
		{spring, "kubernetes", "0 2 * * *", ""},
		{spring, "kubernetes", "*/30 2 * * *", ""},
		{spring, "kubernetes", "30 */2 * * *", "05:30 08:30"},
		{spring, "kubernetes", "0-59 2 * * *", ""},
		{spring, "kubernetes", "0 * * * *", "05:00 06:00 07:00 08:00"},
		{spring, "kubernetes", "0 0-23 * * *", "05:00 06:00 07:00 08:00"},
		{spring, "kubernetes", "0 3 * * *", "07:00"},
		{spring, "supercronic", "30 2 * * *", "06:30"},
		{spring, "supercronic", "0 2 * * *", "06:00"},
		{spring, "supercronic", "0 3 * * *", "07:00"},
		{fall, "debian", "0 1 * * *", "05:00"},
		{fall, "debian", "*/20 1 * * *", both},
		{fall, "debian", "0-59/20 1 * * *", "05:00 05:20 05:40"},
		{fall, "debian", "0 * * * *", "04:00 05:00 06:00 07:00"},
		{fall, "debian", "0 0-23 * * *", "04:00 05:00 07:00"},
		{fall, "debian", "@hourly", "04:00 05:00 06:00 07:00"},
		{fall, "kubernetes", "0 1 * * *", "05:00 06:00"},
		{fall, "kubernetes", "30 1 * * *", "05:30 06:30"},
		{fall, "kubernetes", "*/20 1 * * *", both},
		{fall, "kubernetes", "0-59/20 1 * * *", both},
		{fall, "kubernetes", "0 0-23 * * *", "04:00 05:00 06:00 07:00"},
		{fall, "kubernetes", "@hourly", "04:00 05:00 06:00 07:00"},
		{fall, "supercronic", "0 1 * * *", "05:00"},
		{fall, "supercronic", "30 1 * * *", "05:30"},
		{fall, "supercronic", "*/20 1 * * *", "05:00 05:20 05:40"},
		{fall, "supercronic", "0-59/20 1 * * *", "05:00 05:20 05:40"},
		{fall, "supercronic", "0 * * * *", "04:00 05:00 07:00"},
		{fall, "supercronic", "0 0-23 * * *", "04:00 05:00 07:00"},
		{fall, "supercronic", "@hourly", "04:00 05:00 07:00"},
		{brazil, "kubernetes", "0 0 * * *", ""},
		{brazil, "kubernetes", "@daily", ""},
		{brazil, "supercronic", "0 0 * * *", "02:00"},
		{east, "supercronic", "0 3 * * *", "16:00"},
		{east, "supercronic", "30 1 * * *", "15:00"},
	} {
		zone, start, _ := strings.Cut(c.when, " ")
		from, err := time.Parse(time.RFC3339, start)
		if err != nil {
			t.Fatal(err)
		}
		var m meaning
		_, out, errs := inProcess("schedule", "--dialect", c.dialect, "--zone", zone, "--now", from.Add(-time.Minute).Format(time.RFC3339), "--next", "200", "-o", "json", c.expression)
		if err := json.Unmarshal([]byte(out), &m); err != nil {
			t.Fatal(err, errs)
		}
		var got []string
		for _, s := range m.Next {
			if at, err := time.Parse(time.RFC3339, s); err != nil || at.Before(from.Add(4*time.Hour)) {
				got = append(got, strings.TrimSuffix(s[11:], ":00Z"))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s, %s %q: due at %v, want %s", c.when, c.dialect, c.expression, got, c.want)
		}
	}
}

// TestScheduleInRobfigV3: on how many days of 2028 a schedule is due that
// robfig/cron 1.1.0, in Kubernetes up to 1.21, read otherwise; measured on 3.0.1.
func TestScheduleInRobfigV3(t *testing.T) {
	for expression, days := range map[string]int{
		"0 0 */2 * 1": 212, "0 0 1 * */2": 215, "0 0 */100,1-7 * 1": 124, "0 0 */100,1-7 * */7": 125, "0 0 8-14 * */7": 125,
		"TZ=UTC 0 0 * * *": 366, "CRON_TZ=America/New_York 0 0 * * *": 366, "TZ=America/New_York @daily": 366, "TZ= 0 0 * * *": 366,
	} {
		m, _ := ask(t, "kubernetes", expression, 400)
		if n := len(inYear(m.Next)); n != days {
			t.Errorf("%q: %d days, want %d", expression, n, days)
		}
	}
	for _, expression := range []string{"TZ=0", "TZ=UTC"} { // at which the library panics
		if m, code := ask(t, "kubernetes", expression, 1); *m.Valid || code != 1 {
			t.Errorf("%q: exit %d, %+v", expression, code, m)
		}
	}
}

// TestScheduleFitsItsSchema holds what is written to what is published, and
// wants every key of it.
func TestScheduleFitsItsSchema(t *testing.T) {
	_, rules, _ := inProcess("schema", "schedule")
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(rules))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schedule.json", doc); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("schedule.json")
	valid := func(out string) bool {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return schema.Validate(doc) == nil
	}
	key := regexp.MustCompile(`"[a-z_]+": `)
	for _, args := range [][]string{
		{"--dialect", "debian", "0 0 * * 7"}, {"--dialect", "kubernetes", "0 0 * * 7"}, {"--dialect", "kubernetes", "@every 90m"}, {"--dialect", "kubernetes", "0 0 31 2 *"},
		{"--dialect", "debian", "@reboot"}, {"--dialect", "cronie", "~ 3 * * *"}, {"--dialect", "cronie", "--zone", "Europe/Berlin", "30 2 * * *"}, {"--dialect", "supercronic", "--next", "0", "*/7 0 0 1 1 * 2030"},
		{"--dialect", "busybox", "\xff"}, {"--dialect", "github", "--equal", "0 0 * * *", "0 0 * * 1"}, {"--dialect", "github", "--equal", "0 0 * * *", "@daily"}, {"--dialect", "debian", "--equal", "0 0 * * *", "@daily"},
	} {
		_, out, errs := inProcess(append([]string{"schedule", "-o", "json", "--now", newYear.Format(time.RFC3339)}, args...)...)
		if !valid(out) || errs != "" {
			t.Errorf("%q does not fit: %s%s", args, out, errs)
			continue
		}
		for _, k := range key.FindAllString(out, -1) {
			if valid(strings.ReplaceAll(out, k, `"other": `)) {
				t.Errorf("%q: %s is not required, or other keys are allowed", args, k)
			}
		}
	}
}
