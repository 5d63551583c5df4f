package specs

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

func mustParse(t testing.TB, d Dialect, text, zone string) Schedule {
	t.Helper()
	s, err := ParseSchedule(d, text, zone)
	if err != nil {
		t.Fatalf("%s %q: %v", d, text, err)
	}
	return s
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		d          Dialect
		text, zone string
		want       string
	}{
		{Debian, "0 3 1 * 0-6", "", "m:0 h:3 d:* mo:* w:* z:local"},
		{Debian, "0 3 * * *", "", "m:0 h:3 d:* mo:* w:* z:local"},
		{Kubernetes, "*/5 9-17 1,15 * mon-fri", "Etc/UTC", "m:0-55/5 h:9-17 d:1,15|w:1-5 mo:* z:UTC"},
		{Debian, "0 4 8-14 * */7", "UTC", "m:0 h:4 d:8-14 mo:* w:0 z:UTC"},
		{Supercronic, "0 4 * * sun#2", "UTC", "m:0 h:4 d:8-14 mo:* w:0 z:UTC"},
		{Kubernetes, "0 4 8-14 * */7", "UTC", "m:0 h:4 d:8-14|w:0 mo:* z:UTC"},
		{Busybox, "0 0 */2 * *", "", "m:0 h:0 d:2-30/2 mo:* w:* z:local"},
		{Busybox, "0 0 * * 7", "", "m:0 h:0 d:* mo:* w:* z:local"},
		{Kubernetes, "0 0 31 4,6 1", "UTC", "m:0 h:0 d:* mo:4,6 w:1 z:UTC"},
		{Kubernetes, "0 0 1-29 2 *", "UTC", "m:0 h:0 d:* mo:2 w:* z:UTC"},
		{Kubernetes, "0 0 31 1-4 *", "UTC", "m:0 h:0 d:31 mo:1,3 w:* z:UTC"},
		{Supercronic, "0 0 L 4 *", "UTC", "m:0 h:0 d:30 mo:4 w:* z:UTC"},
		{Supercronic, "0 0 L * *", "UTC", "m:0 h:0 days:1,3,5,7,8,10,12=31;2N=28;2L=29;4,6,9,11=30 z:UTC"},
		{Supercronic, "0 0 1W 4 *", "UTC", "m:0 h:0 days:4=1@1-3+2-5@1 z:UTC"},
		{Supercronic, "30 0 0 * * * 2030,2031", "UTC", "s:30 m:0 h:0 d:* mo:* w:* y:2030-2031 z:UTC"},
		{Supercronic, "0 0 29 2 * 2028-2031", "UTC", "m:0 h:0 d:29 mo:2 w:* y:2028 z:UTC"},
		{Supercronic, "0 0 29 2 * 1972-2096/4", "UTC", "m:0 h:0 d:29 mo:2 w:* z:UTC"},
		{Cronie, "~ 3 * * *", "", "m:~0-59 h:3 d:* mo:* w:* z:local"},
		{Cronie, "0~29,45 3 * * *", "", "m:~0-29,45 h:3 d:* mo:* w:* z:local"},
		{Cronie, "45,0~29 3 1 * 0-6", "", "m:~0-29,45 h:3 d:* mo:* w:* z:local"},
		{Cronie, "0-30,0~29 3 * * *", "", "m:0-30 h:3 d:* mo:* w:* z:local"},
		{Cronie, "0 3 1~28 * *", "", "m:0 h:3 d:~1-28 mo:* w:* z:local"},
		{Cronie, "0 3 * * 6~7", "", "m:0 h:3 d:* mo:* w:~6-7 z:local"},
		{Cronie, "5-1 ~ * * *", "", "never"},
		{Debian, "@reboot", "Europe/Paris", "@reboot"},
		{Kubernetes, "@every 90m", "Europe/Paris", "@every 1h30m0s"},
		{Kubernetes, "@every 1ms", "", "@every 1s"},
		{Kubernetes, "CRON_TZ=Asia/Calcutta 0 0 * * *", "UTC", "m:0 h:0 d:* mo:* w:* z:Asia/Kolkata"},
		{Kubernetes, "TZ= 0 0 * * *", "Europe/Paris", "m:0 h:0 d:* mo:* w:* z:UTC"},
		{Kubernetes, "TZ=Local 0 0 * * *", "UTC", "m:0 h:0 d:* mo:* w:* z:local"},
		{Debian, "0 0 31 2 *", "", "never"},
		{Debian, "0 22-6 * * *", "", "never"},
		{Kubernetes, ", * * * *", "UTC", "never"},
		{Debian, "0 0 29 2 *", "", "m:0 h:0 d:29 mo:2 w:* z:local"},
		{Debian, "0 0 29 2 1", "", "m:0 h:0 d:29|w:1 mo:2 z:local"},
		{Debian, "0 9 * * *", "Europe/Oslo", "m:0 h:9 d:* mo:* w:* z:Europe/Berlin"},
		{Debian, "0 2 * * *", "Europe/Oslo", "m:0 h:2 d:* mo:* w:* c:once z:Europe/Berlin"},
		{Kubernetes, "0 2 * * *", "Europe/Oslo", "m:0 h:2 d:* mo:* w:* z:Europe/Berlin"},
		{Debian, "0 2 * 1,2 *", "Europe/Oslo", "m:0 h:2 d:* mo:1-2 w:* z:Europe/Berlin"},
		{Debian, "0 2 * * *", "Asia/Tokyo", "m:0 h:2 d:* mo:* w:* z:Asia/Tokyo"},
	} {
		if got := mustParse(t, c.d, c.text, c.zone).Canonical(); got != c.want {
			t.Errorf("%s %q %s: %s, want %s", c.d, c.text, c.zone, got, c.want)
		}
	}
	if n := Never(); n.Canonical() != "never" || !n.NeverFires() {
		t.Error("Never fires")
	}
	if s := (Schedule{Text: "0 0 * * *", Zone: "UTC"}); s.Canonical() == mustParse(t, Debian, s.Text, s.Zone).Canonical() || s.NeverFires() {
		t.Error("a schedule that was not parsed passes for one that was")
	}
}

func TestCanonicalGoesByTheZoneField(t *testing.T) {
	s := mustParse(t, Debian, "30 2 * * *", "America/New_York")
	s.Zone = "UTC"
	if want := mustParse(t, Debian, "30 2 * * *", "UTC").Canonical(); s.Canonical() != want {
		t.Errorf("%s, want %s", s.Canonical(), want)
	}
}

// slowOracle is an independent reading of plain expressions, day by day from
// 1970 to 2099. Quartz forms and a sixth field are supercronic's.
type slowOracle struct {
	days []time.Time
	seen map[string][]bool
}

func newSlowOracle() *slowOracle {
	o := &slowOracle{seen: map[string][]bool{}}
	for d := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 2100; d = d.AddDate(0, 0, 1) {
		o.days = append(o.days, d)
	}
	return o
}

// each asks once for every day and keeps the answers.
func (o *slowOracle) each(key string, due func(time.Time) bool) []bool {
	if o.seen[key] == nil {
		all := make([]bool, len(o.days))
		for i, day := range o.days {
			all[i] = due(day)
		}
		o.seen[key] = all
	}
	return o.seen[key]
}

// bitmap has a bit for every due day, and how many there are.
func (o *slowOracle) bitmap(d Dialect, f []string) (string, int) {
	domStar, dowStar, low, high := slowStar(d, f[2]), slowStar(d, f[4]), 1, 31
	dow := slowField(f[4], 0, 6)
	if d == Busybox {
		domStar, dowStar, low = f[2] == "*" || f[2] == "*/1", len(dow) == 7, 0
	}
	dom := slowField(f[2], low, high)
	year := strings.Join(append(f[5:], "*")[:1], "")
	mon, years := slowField(f[3], 1, 12), slowField(year, 1970, 2099)
	a := o.each(fmt.Sprint("dom ", low, f[2]), func(t time.Time) bool { return dom[t.Day()] || slowQuartzDay(f[2], t) })
	b := o.each("dow "+f[4], func(t time.Time) bool { return dow[int(t.Weekday())] || slowQuartzWeekday(f[4], t) })
	c := o.each("mon "+f[3]+" "+year, func(t time.Time) bool { return mon[int(t.Month())] && years[t.Year()] })
	bits, sum := make([]byte, len(o.days)/8+1), 0
	for i := range o.days {
		due := a[i] || b[i]
		switch {
		case d == Busybox && domStar != dowStar:
			due = domStar && b[i] || dowStar && a[i]
		case domStar || dowStar:
			due = a[i] && b[i]
		}
		if due && c[i] {
			bits[i/8] |= 1 << (i % 8)
			sum++
		}
	}
	return string(bits), sum
}

func slowStar(d Dialect, s string) bool {
	switch d {
	case Debian, Cronie, GitHub:
		return s[0] == '*'
	case Kubernetes:
		return s == "*" || s == "*/1"
	}
	return s == "*"
}

func slowField(s string, low, high int) map[int]bool {
	set := map[int]bool{}
	for _, item := range strings.Split(s, ",") {
		var a, b, n int
		switch {
		case item == "*":
			item = fmt.Sprintf("%d-%d/1", low, high)
		case strings.HasPrefix(item, "*/"):
			item = fmt.Sprintf("%d-%d/%s", low, high, item[2:])
		case !strings.Contains(item, "-"):
			item += "-" + item
		}
		if !strings.Contains(item, "/") {
			item += "/1"
		}
		if k, _ := fmt.Sscanf(item, "%d-%d/%d", &a, &b, &n); k == 3 {
			for ; a <= b; a += n {
				set[a] = true
			}
		}
	}
	return set
}

func slowQuartzDay(s string, day time.Time) bool {
	last := day.AddDate(0, 1, -day.Day()).Day()
	nearest := func(n int) int {
		t := time.Date(day.Year(), day.Month(), n, 0, 0, 0, 0, time.UTC)
		for _, off := range []int{0, -1, 1, -2, 2} {
			u := t.AddDate(0, 0, off)
			if u.Month() == t.Month() && u.Weekday() != time.Saturday && u.Weekday() != time.Sunday {
				return u.Day()
			}
		}
		return 0
	}
	var n int
	switch {
	case s == "L":
		return day.Day() == last
	case s == "LW":
		return day.Day() == nearest(last)
	case strings.HasSuffix(s, "W"):
		fmt.Sscanf(s, "%dW", &n)
		return n <= last && day.Day() == nearest(n)
	}
	return false
}

func slowQuartzWeekday(s string, day time.Time) bool {
	var w, n int
	if k, _ := fmt.Sscanf(s, "%d#%d", &w, &n); k == 2 {
		return int(day.Weekday()) == w && (day.Day()-1)/7+1 == n
	}
	if k, _ := fmt.Sscanf(s, "%dL", &w); k == 1 && strings.HasSuffix(s, "L") {
		return int(day.Weekday()) == w && day.AddDate(0, 0, 7).Month() != day.Month()
	}
	return false
}

// TestCanonicalIsEqualExactlyForEqualInstants: over all dialects, two
// expressions have one canonical form if and only if they are due on the same
// days of 1970-2099 at the same minutes.
func TestCanonicalIsEqualExactlyForEqualInstants(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	doms := []string{"*", "*", "1-31", "*/1", "1", "1,1", "1-7", "*/2", "1-31/2", "31", "30,31", "29", "1-29", "1-30", "*/31", "1-28", "8-14"}
	mons := []string{"*", "*", "1-12", "2", "4,6", "2,4", "1-11/2", "4-6/2", "11", "4,6,9,11"}
	dows := []string{"*", "*", "0-6", "*/1", "1", "1-5", "0", "*/7", "0,6", "6"}
	odd := [][2]string{{"L", "*"}, {"LW", "*"}, {"15W", "*"}, {"1W", "*"}, {"31W", "*"}, {"*", "5L"}, {"*", "1#1"}, {"*", "1#5"}, {"*", "0#2"}, {"1-7", "1#1"}, {"L", "1-5"}, {"31", "5L"}}
	years := []string{"2030", "2028", "2028-2031", "*/4", "1972-2096/4", "1970-2099", "2027,2031"}
	oracle := newSlowOracle()
	forms, texts := map[string]string{}, map[string]string{}
	equal, n := 0, 700
	if testing.Short() {
		n = 200
	}
	for range n {
		d := Dialects()[r.Intn(6)]
		f := []string{[]string{"0", "*/30", "0,30"}[r.Intn(3)], []string{"3", "3-3"}[r.Intn(2)], doms[r.Intn(len(doms))], mons[r.Intn(len(mons))], dows[r.Intn(len(dows))]}
		if d == Supercronic && r.Intn(2) == 0 {
			pair := odd[r.Intn(len(odd))]
			f[2], f[4] = pair[0], pair[1]
		}
		if d == Supercronic && r.Intn(3) == 0 {
			f = append(f, years[r.Intn(len(years))])
		}
		text := strings.Join(f, " ")
		s, err := ParseSchedule(d, text, "UTC")
		if err != nil {
			if d == Supercronic && (strings.Contains(text, "*/31 ") || strings.Contains(text, "*/7")) || d == GitHub {
				continue
			}
			t.Fatal(err)
		}
		bitmap, sum := oracle.bitmap(d, f)
		instants := fmt.Sprint(len(f[0]) > 1) + bitmap
		if sum == 0 {
			instants = "never"
		}
		canonical := s.Canonical()
		if other, ok := forms[canonical]; ok && other != instants {
			t.Fatalf("%s %q has the form %s of %s, which fires at other times", d, text, canonical, texts[instants])
		}
		if old, ok := texts[instants]; ok {
			equal++
			if other := canonicalOf(old); other != canonical {
				t.Fatalf("%s %q is %s, and %s fires alike", d, text, canonical, old)
			}
		}
		forms[canonical], texts[instants] = instants, canonical+" of "+string(d)+" "+text
	}
	if equal < n/3 {
		t.Errorf("only %d equal pairs of %d", equal, n)
	}
}

func canonicalOf(note string) string {
	c, _, _ := strings.Cut(note, " of ")
	return c
}

// TestKubernetesAsRobfig: what robfig/cron v3 takes is taken, and the instants
// are its own.
func TestKubernetesAsRobfig(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	parts := []string{"*", "?", "*", "1", "5", "7", "0", "12", "23", "31", "59", "60", "-", ",", "/", "*/", "*/2", "1-5", "jan", "MON", "sun", "+3", "007", "~", "L", "#", "x", "4294967297"}
	zones := []string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Sydney"}
	accepted := 0
	for range 8000 {
		var f []string
		for range 5 {
			token := parts[r.Intn(3)]
			switch r.Intn(4) {
			case 0:
				token = fmt.Sprint(1 + r.Intn(12))
			case 1:
				token = ""
				for range 1 + r.Intn(4) {
					token += parts[r.Intn(len(parts))]
				}
			}
			f = append(f, token)
		}
		text, zone := strings.Join(f, " "), zones[r.Intn(len(zones))]
		s, err := ParseSchedule(Kubernetes, text, zone)
		theirs, err2 := cron.ParseStandard("CRON_TZ=" + zone + " " + text)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %v, robfig %v", text, err, err2)
		}
		if err != nil {
			continue
		}
		accepted++
		at := time.Date(2024+r.Intn(20), time.Month(1+r.Intn(12)), 1+r.Intn(28), r.Intn(24), r.Intn(60), r.Intn(60), r.Intn(2)*5e8, time.UTC)
		for range 5 {
			got, ok := s.Next(at)
			want := theirs.Next(at)
			if ok != !want.IsZero() || ok && !got.Equal(want) {
				t.Fatalf("%q %s after %s: %s %v, robfig %s", text, zone, at, got, ok, want)
			}
			if !ok {
				break
			}
			at = got
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d accepted", accepted)
	}
	for _, text := range []string{"@daily", "@weekly", "@hourly", "@monthly", "@yearly", "@annually", "@midnight", "@every 90s", "@every 1.5s", "@every 1ms"} {
		theirs, err := cron.ParseStandard(text)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2027, 3, 4, 5, 6, 7, 8, time.UTC)
		if got, _ := mustParse(t, Kubernetes, text, "UTC").Next(at); !got.Equal(theirs.Next(at)) {
			t.Errorf("%s: %s, robfig %s", text, got, theirs.Next(at))
		}
	}
}

// TestClockChanges holds Next to what the daemons did on such days.
func TestClockChanges(t *testing.T) {
	const spring, autumn = "2027-03-14 06:00", "2027-11-07 04:30" // UTC, an hour or more before New York's change
	for _, c := range []struct {
		d           Dialect
		text, zone  string
		from, hours string // UTC, and how long from then
		want        string // times on the wall with their offset
		own         bool   // the schedule states the zone, and the host has another
	}{
		{Debian, "30 2 * * *", "America/New_York", spring, "4", "03:00-4", false},
		{Cronie, "0 2 * * *", "America/New_York", spring, "4", "03:00-4", false},
		{Debian, "*/30 2 * * *", "America/New_York", spring, "4", "", false},
		{Debian, "30 */2 * * *", "America/New_York", spring, "4", "04:30-4", false},
		{Debian, "30 1,2 * * *", "America/New_York", spring, "4", "01:30-5 03:00-4", false},
		{Debian, "0 * * * *", "America/New_York", spring, "4", "03:00-4 04:00-4 05:00-4", false},
		{Debian, "0 0-23 * * *", "America/New_York", spring, "4", "03:00-4 04:00-4 05:00-4", false},
		{Debian, "0-59 2 * * *", "America/New_York", spring, "4", "03:00-4", false},
		{Debian, "0 3 * * *", "America/New_York", spring, "4", "03:00-4", false},
		{Kubernetes, "30 2 * * *", "America/New_York", spring, "4", "", false},
		{Kubernetes, "0 0-23 * * *", "America/New_York", spring, "4", "03:00-4 04:00-4 05:00-4", false},
		{GitHub, "30 2 * * *", "America/New_York", spring, "4", "03:00-4", false},
		{Supercronic, "30 2 * * *", "America/New_York", spring, "4", "01:30-5", false},
		{Supercronic, "0 * * * *", "America/New_York", spring, "4", "04:00-4 05:00-4", false},
		{Supercronic, "30 2 * * *", "Europe/Berlin", "2027-03-28 00:00", "4", "03:30+2", false},
		{Debian, "0 1 * * *", "America/New_York", autumn, "4", "01:00-4", false},
		{Debian, "*/30 1 * * *", "America/New_York", autumn, "4", "01:00-4 01:30-4 01:00-5 01:30-5", false},
		{Debian, "0-59/30 1 * * *", "America/New_York", autumn, "4", "01:00-4 01:30-4", false},
		{Debian, "@hourly", "America/New_York", autumn, "3", "01:00-4 01:00-5 02:00-5", false},
		{Cronie, "0 0-23 * * *", "America/New_York", autumn, "3", "01:00-4 02:00-5", false},
		{Kubernetes, "30 1 * * *", "America/New_York", autumn, "4", "01:30-4 01:30-5", false},
		{Supercronic, "*/20 1 * * *", "America/New_York", autumn, "4", "01:00-4 01:20-4 01:40-4", false},
		{Supercronic, "30 * * * *", "America/New_York", autumn, "4", "01:30-4 02:30-5", false},
		{Debian, "15 2 * * *", "Australia/Lord_Howe", "2027-10-02 14:00", "4", "02:30+11", false},
		{Kubernetes, "0 3 * * *", "Australia/Lord_Howe", "2027-10-02 14:00", "10", "", false},
		{Kubernetes, "30 1 * * *", "Australia/Lord_Howe", "2027-10-02 14:00", "10", "01:30+10 02:30+11", false},
		{Kubernetes, "0 3 * * *", "Australia/Lord_Howe", "2027-04-03 13:00", "10", "", false},
		{Kubernetes, "0 0 * * *", "America/Sao_Paulo", "2018-11-04 02:00", "30", "00:00-2", false},
		{Cronie, "30 2 * * *", "America/New_York", spring, "4", "", true},
		{Cronie, "0 0-23 * * *", "America/New_York", spring, "4", "03:00-4 04:00-4 05:00-4", true},
		{Cronie, "30 1 * * *", "America/New_York", autumn, "4", "01:30-4 01:30-5", true},
		{Debian, "30 1 * * *", "America/New_York", autumn, "4", "01:30-4", true},
	} {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Skip(err)
		}
		if !c.own {
			c.zone = Local
		}
		s := mustParse(t, c.d, c.text, c.zone)
		at, _ := time.Parse("2006-01-02 15:04", c.from)
		hours, _ := time.ParseDuration(c.hours + "h")
		end := at.Add(hours)
		var got []string
		for {
			next, ok := s.NextIn(at, loc)
			if !ok || !next.Before(end) {
				break
			}
			if !next.After(at) || next.Location() != time.UTC {
				t.Fatalf("%s %q: %s after %s", c.d, c.text, next, at)
			}
			at = next
			_, off := next.In(loc).Zone()
			got = append(got, fmt.Sprintf("%s%+d", next.In(loc).Format("15:04"), off/3600))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %q %s: %v, want %s", c.d, c.text, c.zone, got, c.want)
		}
	}
}

func TestClockChangeOnly(t *testing.T) {
	for _, c := range []struct {
		d1, d2     Dialect
		a, b, zone string
		want, same bool // only the clock changes differ; the canonical forms are equal
	}{
		{Debian, Debian, "0 * * * *", "0 0-23 * * *", "Europe/Berlin", true, false},
		{Debian, Debian, "0 * * * *", "0 0-23 * * *", "", true, true},
		{Debian, Debian, "0 * * * *", "0 0-23 * * *", "UTC", false, true},
		{Debian, Debian, "0 * * * *", "0 0-23 * * *", "Asia/Tokyo", false, true},
		{Debian, Debian, "*/30 9 * * *", "0,30 9 * * *", "Europe/Berlin", false, true},
		{Debian, Debian, "*/30 9 * * *", "0,30 9 * * *", "", false, true},
		{Debian, Kubernetes, "30 2 * * *", "30 2 * * *", "Europe/Berlin", true, false},
		{Debian, Kubernetes, "30 9 * * *", "30 9 * * *", "Europe/Berlin", false, true},
		{Debian, Debian, "30 2 * * *", "31 2 * * *", "Europe/Berlin", false, false},
	} {
		a, b := mustParse(t, c.d1, c.a, c.zone), mustParse(t, c.d2, c.b, c.zone)
		if a.ClockChangeOnly(b) != c.want || b.ClockChangeOnly(a) != c.want || (a.Canonical() == b.Canonical()) != c.same {
			t.Errorf("%q and %q in %q: only the clock %v, equal %v", c.a, c.b, c.zone, a.ClockChangeOnly(b), a.Canonical() == b.Canonical())
		}
	}
}

func TestNext(t *testing.T) {
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		d          Dialect
		text, zone string
		want       string
	}{
		{Debian, "0 0 1 1 *", "UTC", "2028-01-01T00:00:00Z"}, // after, not at
		{Debian, "0 0 29 2 *", "UTC", "2028-02-29T00:00:00Z"},
		{Debian, "0 9 * * *", "Europe/Oslo", "2027-01-01T08:00:00Z"},
		{Debian, "0 9 * * *", "", "2027-01-01T09:00:00Z"},
		{Supercronic, "*/7 * * * * * *", "UTC", "2027-01-01T00:00:07Z"},
		{Supercronic, "0 0 * * * 2031", "UTC", "2031-01-01T00:00:00Z"},
		{Kubernetes, "@every 90s", "", "2027-01-01T00:01:30Z"},
		{Cronie, "~ 3 * * *", "UTC", "2027-01-01T03:00:00Z"},
		{Debian, "@reboot", "", ""},
		{Debian, "0 0 30 2 *", "", ""},
		{Supercronic, "0 0 * * * 2020", "UTC", ""},
	} {
		got, ok := mustParse(t, c.d, c.text, c.zone).Next(at)
		if ok != (c.want != "") || ok && got.Format(time.RFC3339Nano) != c.want {
			t.Errorf("%s %q: %s %v, want %s", c.d, c.text, got, ok, c.want)
		}
	}
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Skip(err)
	}
	if got, _ := mustParse(t, Debian, "0 9 * * *", "").NextIn(at.Add(time.Minute), tokyo); got.Hour() != 0 || got.Day() != 2 {
		t.Errorf("09:00 in Tokyo is %s", got)
	}
	if got, ok := mustParse(t, Debian, "0 0 29 2 *", "UTC").Next(time.Date(2096, 3, 1, 0, 0, 0, 0, time.UTC)); !ok || got.Year() != 2104 {
		t.Errorf("after 2096 comes %s", got)
	}
	leapMonday := mustParse(t, Debian, "0 0 29 2 */7", "UTC") // both must hold: 29 February on a Sunday
	if got, ok := leapMonday.Next(time.Date(2072, 3, 1, 0, 0, 0, 0, time.UTC)); !ok || got.Weekday() != time.Sunday || got.Day() != 29 {
		t.Errorf("29 February on a Sunday after 2072 is %s %v", got, ok)
	}
}

func TestSplitZonePrefix(t *testing.T) {
	for _, c := range []struct {
		text, zone, rest string
		ok               bool
	}{
		{"TZ=UTC 0 0 * * *", "UTC", "0 0 * * *", true},
		{"CRON_TZ=Europe/Lisbon  @daily ", "Europe/Lisbon", "@daily", true},
		{"TZ=UTC", "UTC", "", true},
		{"TZ= 0 0 * * *", "", "0 0 * * *", true},
		{"0 0 * * *", "", "0 0 * * *", false},
		{" TZ=UTC 0 0 * * *", "", " TZ=UTC 0 0 * * *", false},
	} {
		if zone, rest, ok := SplitZonePrefix(c.text); zone != c.zone || rest != c.rest || ok != c.ok {
			t.Errorf("%q: %q %q %v", c.text, zone, rest, ok)
		}
	}
}

func TestKinds(t *testing.T) {
	if s := mustParse(t, Debian, "@reboot", ""); !s.Reboot() || s.NeverFires() {
		t.Error("@reboot")
	}
	if s := mustParse(t, Kubernetes, "@every 2h", ""); s.Every() != 2*time.Hour || s.Reboot() {
		t.Error("@every")
	}
	if s := mustParse(t, Debian, "0 0 * * mon#2", ""); len(s.Warnings()) != 1 {
		t.Error("no warning")
	} else if s.Warnings()[0] = "changed"; s.Warnings()[0] == "changed" {
		t.Error("a caller can change the schedule")
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, text := range []string{
		"0 0 * * *", "*/5 1-5/2 1,15 jan-mar mon#2", "5-1 ~ L LW 5L", "@every 1h", "@daily", "TZ=UTC", "TZ=X 0 0 * * *",
		"0 0 0 1 1 * 2030-2020/2", "*/4294967297 99999999999999999999 \xff \x00 1e1", "0x1F +5 -5 5. ?", "0@hourly", "~/5 5~ 1~1 * *",
		"* * * * */\v3", "\u0661 0 * * *", "30-10/5 * * * *", "0 0 1 1 0 10A0",
	} {
		for i := range Dialects() {
			f.Add(i, text, "Europe/Berlin", int64(1800000000))
		}
	}
	f.Fuzz(func(t *testing.T, i int, text, zone string, at int64) {
		all := Dialects()
		d := all[((i%len(all))+len(all))%len(all)]
		s, err := ParseSchedule(d, text, zone)
		again, err2 := ParseSchedule(d, text, zone)
		if (err == nil) != (err2 == nil) || s.Canonical() != again.Canonical() || !slices.Equal(s.Warnings(), again.Warnings()) {
			t.Fatalf("%s %q is read in two ways", d, text)
		}
		if err != nil {
			if len(err.Error()) > 4000 || !strings.Contains(err.Error(), "; ") {
				t.Fatalf("error %q", err)
			}
			return
		}
		if s.ClockChangeOnly(s) {
			t.Fatal("differs from itself")
		}
		reread, err := ParseSchedule(d, s.Text, s.Zone)
		if err != nil || reread.Canonical() != s.Canonical() {
			t.Fatalf("%s %q reads as %s, and its own text and zone as %s (%v)", d, text, s.Canonical(), reread.Canonical(), err)
		}
		after := time.Unix(at%4102444800, 0)
		next, ok := s.Next(after)
		if ok && !next.After(after) || ok && s.NeverFires() {
			t.Fatalf("%s %q after %s is due at %s", d, text, after, next)
		}
		if prev, found := s.Prev(next.Add(time.Second)); ok && s.Every() == 0 && (!found || !prev.Equal(next)) {
			t.Fatalf("%s %q %s after %s is due at %s, and before the next second at %s %v", d, text, s.Zone, after, next, prev, found)
		}
		if s.Words() == "" {
			t.Fatalf("%s %q has no words", d, text)
		}
		for _, other := range Dialects() {
			written, err := s.In(other)
			if err != nil {
				if other == d || !strings.Contains(err.Error(), "; ") {
					t.Fatalf("%s %q in %s: %v", d, text, other, err)
				}
				continue
			}
			if back, err := ParseSchedule(other, written, s.Zone); err != nil || back.Canonical() != s.Canonical() {
				t.Fatalf("%s %q in %s is %q, which is %s and not %s (%v)", d, text, other, written, back.Canonical(), s.Canonical(), err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for _, d := range Dialects() {
		b.Run(string(d), func(b *testing.B) {
			for b.Loop() {
				if _, err := ParseSchedule(d, "*/15 9-17 1,15 1-6 1-5", "UTC"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	for _, zone := range []string{"", "UTC", "Europe/Berlin"} {
		s := mustParse(b, Debian, "17 2 * * 1-5", zone)
		b.Run(s.Zone, func(b *testing.B) {
			for b.Loop() {
				_ = s.Canonical()
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	at := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{"17 2 * * 1-5", "0 0 29 2 *"} {
		s := mustParse(b, Kubernetes, text, "UTC")
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				s.Next(at)
			}
		})
	}
}
