package specs_test

import (
	"flag"
	"fmt"
	"math/bits"
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

var (
	oraclePairs = flag.Int("pairs", 100_000, "pairs of schedules to hold against the slow oracle")
	oracleSeed  = flag.Int64("pairs-seed", 1, "seed of these pairs; 0 draws one")
)

func newRand(t *testing.T) *rand.Rand {
	seed := *oracleSeed
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Logf("seed: -pairs-seed=%d", seed)
	return rand.New(rand.NewSource(seed))
}

func pairCount(share int) int {
	n := *oraclePairs
	if testing.Short() {
		n = min(n, 10_000)
	}
	return n / share
}

// bitmap has a bit for each of the 10,227 days of 28 years.
type bitmap [160]uint64

// calendar is 28 years, day by day.
//
// 28 years without a skipped leap year in them have each of the 14 kinds of
// years (leap or not, by the weekday of its first day), and so each triple of
// month, day and weekday that can ever be. The five fields see no more of a
// date than that triple: two schedules that are due on the same days of these
// years are due on the same days of all years, 1900 and 2100 among them.
type calendar struct {
	days []time.Time
	seen map[factor]*bitmap
	read map[string]reading
}

func newCalendar(year int) *calendar {
	c := &calendar{seen: map[factor]*bitmap{}, read: map[string]reading{}}
	for day := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < year+28; day = day.AddDate(0, 0, 1) {
		c.days = append(c.days, day)
	}
	return c
}

// factor is one field's part in the choice of a day.
type factor struct {
	field  int
	values uint64
	odd    string
}

// on asks a factor once for every day and keeps the answers.
func (c *calendar) on(i int, r reading) *bitmap {
	f := factor{i, r.values, r.odd}
	if b := c.seen[f]; b != nil {
		return b
	}
	b := new(bitmap)
	for n, day := range c.days {
		v := [5]int{dom: day.Day(), month: int(day.Month()), dow: int(day.Weekday())}[i]
		if has(r.values, v) || r.odd != "" && oddDay(r.odd, day) {
			b[n/64] |= 1 << (n % 64)
		}
	}
	c.seen[f] = b
	return b
}

// slots are the times on the wall's clock at which a schedule is due: each of
// its minutes on each of its days. Time of day and date are chosen apart from
// each other, so two schedules have the same slots if both sets are the same,
// and only then; but for those without a slot, which are alike whatever the
// other set holds.
type slots struct {
	days    bitmap
	minutes [24]uint64
	starred bool // minute or hour begins with a star
}

func (s *slots) never() bool { return s.days == bitmap{} || s.minutes == [24]uint64{} }

func (s *slots) same(o *slots) bool {
	if s.never() || o.never() {
		return s.never() && o.never()
	}
	return s.days == o.days && s.minutes == o.minutes
}

func (s *slots) on(day int) bool    { return s.days[day/64]>>(day%64)&1 == 1 }
func (s *slots) at(minute int) bool { return has(s.minutes[minute/60], minute%60) }

// interpret reads an expression of five fields or one @word; ok is false where
// the dialect refuses it.
func (c *calendar) interpret(d specs.Dialect, text string) (s slots, random, ok bool) {
	f := strings.Fields(text)
	switch {
	case strings.HasPrefix(text, "@"):
		f = slowWord(d, text)
	case d == specs.Busybox && strings.Contains(text, "#"): // a comment, anywhere
		return slots{}, false, false
	case d == specs.Cronie && len(f) > 0 && len(f[0]) > 1: // - in front: do not log the job
		f[0] = strings.TrimPrefix(f[0], "-")
	}
	if len(f) != 5 {
		return slots{}, false, false
	}
	var r [5]reading
	for i := range f {
		r[i] = c.reading(d, i, f[i])
		random = random || r[i].random
		if !r[i].ok {
			return slots{}, false, false
		}
	}
	for h := range 24 {
		if has(r[hour].values, h) {
			s.minutes[h] = r[minute].values
		}
	}
	s.days = c.due(d, r)
	s.starred = f[minute][0] == '*' || f[hour][0] == '*'
	return s, random, true
}

func (c *calendar) reading(d specs.Dialect, i int, text string) reading {
	key := fmt.Sprint(d, i, " ", text)
	r, ok := c.read[key]
	if !ok {
		if len(c.read) > 1<<18 {
			clear(c.read)
		}
		r = slowRead(d, i, text)
		c.read[key] = r
	}
	return r
}

// due combines the three fields by the dialect's day rule. Where neither of the
// two day fields is a star, one of them is enough, in all dialects. Where one is,
// both must hold; but busybox, whose star is a full set, then asks the other one
// alone, which is the same save for days that its star has and the calendar not.
func (c *calendar) due(d specs.Dialect, r [5]reading) (b bitmap) {
	m, day, week := c.on(month, r[month]), c.on(dom, r[dom]), c.on(dow, r[dow])
	either := !r[dom].star && !r[dow].star
	for i := range b {
		if either {
			b[i] = m[i] & (day[i] | week[i])
		} else {
			b[i] = m[i] & day[i] & week[i]
		}
	}
	return b
}

// TestOracleReadsWhatWasMeasured holds the oracle itself to the measured rows.
func TestOracleReadsWhatWasMeasured(t *testing.T) {
	data, err := os.ReadFile("testdata/dialects.tsv")
	if err != nil {
		t.Fatal(err)
	}
	c, checked := newCalendar(2001), 0
	for _, line := range strings.Split(string(data), "\n")[1:] {
		col := strings.Split(line, "\t")
		if len(col) != 4 {
			continue
		}
		d, text, verdict, meaning := specs.Dialect(col[0]), col[1], col[2], col[3]
		if n := len(strings.Fields(text)); n != 5 && (n != 1 || text[0] != '@') || strings.ContainsAny(text, "=\\\"'") || d == specs.Cronie && strings.Contains(text, "~") {
			continue // the oracle looks at plain fields, and not into draws
		}
		checked++
		s, _, ok := c.interpret(d, text)
		got := "accept"
		switch {
		case !ok || d == specs.Busybox && s.never() && verdict == "refuse":
			got = "refuse"
		case s.never() && meaning != "":
			got = "never"
		}
		want := verdict
		if verdict == "warn" {
			want = "accept"
		}
		if meaning == "never" {
			want = "never"
		}
		if got != want {
			t.Errorf("%s %q: %s, measured %s %s", d, text, got, verdict, meaning)
		}
	}
	if checked < 800 {
		t.Errorf("only %d rows", checked)
	}
}

// TestCanonicalEqualsExactlySameInstants: for two schedules of the five standard
// fields in UTC, of one dialect or of two, the canonical forms are equal if and
// only if both are due at the same instants.
func TestCanonicalEqualsExactlySameInstants(t *testing.T) {
	g := &generator{Rand: newRand(t), calendar: newCalendar(2001)}
	n, equal, differ, never, refused, inOtherWords := pairCount(1), 0, 0, 0, 0, 0
	began := time.Now()
	for range n {
		p := g.pair()
		a, ok := p.parse(t, g.calendar, 0, "UTC")
		b, ok2 := p.parse(t, g.calendar, 1, "UTC")
		if !ok || !ok2 {
			refused++
			continue
		}
		same := a.slots.same(&b.slots)
		if got := a.Canonical() == b.Canonical(); got != same {
			t.Fatalf("%s\n%s\n%s\ncanonical forms equal: %v; same instants: %v, %s", p, a.Canonical(), b.Canonical(), got, same, g.firstDifference(&a.slots, &b.slots))
		}
		if a.NeverFires() != a.slots.never() {
			t.Fatalf("%s: never fires: %v, oracle %v", p, a.NeverFires(), a.slots.never())
		}
		switch {
		case a.slots.never() && same:
			never++
		case same:
			equal++
			if p.text[0] != p.text[1] {
				inOtherWords++
			}
		default:
			differ++
		}
	}
	t.Logf("%d pairs: %d equal (%d in other words), %d both never, %d differ, %d with a refused one", n, equal, inOtherWords, never, differ, refused)
	t.Logf("%.1f s, %.1f µs a pair", time.Since(began).Seconds(), time.Since(began).Seconds()*1e6/float64(n))
	if inOtherWords < n/4 || differ < n/4 || refused > n/3 {
		t.Error("the pairs are no test: too few are equal, or too few differ, or too many are refused")
	}
}

// TestKnownPairs are pairs that were got wrong, here or elsewhere, and such as
// chance does not bring.
func TestKnownPairs(t *testing.T) {
	c := newCalendar(2001)
	for _, k := range []struct {
		p    pair
		same bool
	}{
		{pair{[2]specs.Dialect{specs.Debian, specs.Debian}, [2]string{"0,5,10,20 * * * *", "0-20/5 * * * *"}}, false},
		{pair{[2]specs.Dialect{specs.Debian, specs.Kubernetes}, [2]string{"0 4 8-14 * */7", "0 4 8-14 * */7"}}, false},
		{pair{[2]specs.Dialect{specs.Debian, specs.Supercronic}, [2]string{"0 4 8-14 * */7", "0 4 * * sun#2"}}, true},
		{pair{[2]specs.Dialect{specs.Debian, specs.Supercronic}, [2]string{"0 4 */29,*/30 2 *", "0 4 1,L 2 *"}}, false},
		{pair{[2]specs.Dialect{specs.Supercronic, specs.Kubernetes}, [2]string{"0 4 L 4,6 *", "0 4 30 jun,4 ?"}}, true},
		{pair{[2]specs.Dialect{specs.Supercronic, specs.GitHub}, [2]string{"0 4 29 2 mon#5", "0 4 29 2 1"}}, false},
		{pair{[2]specs.Dialect{specs.Supercronic, specs.Busybox}, [2]string{"0 4 28,L 2 *", "0 4 28,29 2 *"}}, true},
		{pair{[2]specs.Dialect{specs.Supercronic, specs.Busybox}, [2]string{"0 4 1-29,L 4,6 *", "0 4 * 4,6 *"}}, true},
		{pair{[2]specs.Dialect{specs.Supercronic, specs.Busybox}, [2]string{"0 4 * * 1#1,1#2,1#3,1#4,1#5", "0 4 * * 1"}}, true},
		{pair{[2]specs.Dialect{specs.Supercronic, specs.Debian}, [2]string{"0 4 ? 4 friL", "0 4 24-30 4 */5,5"}}, false},
		{pair{[2]specs.Dialect{specs.Supercronic, specs.Debian}, [2]string{"0 4 ? 4 sunL", "0 4 24-30 4 */7"}}, true},
		{pair{[2]specs.Dialect{specs.Busybox, specs.Cronie}, [2]string{"0 4 */2 * *", "0 4 2-30/2 * 0-7"}}, false},
		{pair{[2]specs.Dialect{specs.Busybox, specs.Cronie}, [2]string{"0 4 */2 * *", "0 4 2-30/2 * *"}}, true},
		{pair{[2]specs.Dialect{specs.Debian, specs.Debian}, [2]string{"0 0 31 2,4 *", "5-1 * 1 * 1"}}, true},
		{pair{[2]specs.Dialect{specs.Debian, specs.Debian}, [2]string{"0 0 1-29 2 1", "0 0 * 2 *"}}, true},
		{pair{[2]specs.Dialect{specs.Debian, specs.Debian}, [2]string{"0 0 1-28 2 1", "0 0 * 2 *"}}, false},
	} {
		a, ok := k.p.parse(t, c, 0, "UTC")
		b, ok2 := k.p.parse(t, c, 1, "UTC")
		if !ok || !ok2 {
			t.Errorf("%s: refused", k.p)
			continue
		}
		if slow, fast := a.slots.same(&b.slots), a.Canonical() == b.Canonical(); slow != k.same || fast != k.same {
			t.Errorf("%s: equal by the oracle: %v; by the canonical form: %v", k.p, slow, fast)
		}
	}
}

// TestWrittenInADialectAndReadAgain: where a schedule can be written in a
// dialect, the text is read there as the same schedule, and written once more it
// is a schedule still. In its own dialect it can always be written.
func TestWrittenInADialectAndReadAgain(t *testing.T) {
	g := &generator{Rand: newRand(t), calendar: newCalendar(2001)}
	written, wrong := map[specs.Dialect]int{}, map[specs.Dialect]int{}
	n := pairCount(10)
	for range n {
		p := g.pair()
		s, ok := p.parse(t, g.calendar, 0, "UTC")
		if !ok {
			continue
		}
		for _, d := range specs.Dialects() {
			text, err := s.In(d)
			if err != nil {
				wrong[d]++
				if d == s.Dialect {
					t.Fatalf("%s %q cannot be written in its own dialect: %v", d, s.Text, err)
				}
				continue
			}
			written[d]++
			again, err := specs.ParseSchedule(d, text, s.Zone)
			if err != nil || again.Canonical() != s.Canonical() {
				t.Fatalf("%s %q is %s; written in %s it is %q: %s (%v)", s.Dialect, s.Text, s.Canonical(), d, text, again.Canonical(), err)
			}
			if sl, _, ok := g.interpret(d, text); ok && !sl.same(&s.slots) {
				t.Fatalf("%s %q written in %s is %q: other instants", s.Dialect, s.Text, d, text)
			}
			if twice, err := again.In(d); err != nil {
				t.Fatalf("%s %q, written as %q: %v", d, s.Text, text, err)
			} else if third, err := specs.ParseSchedule(d, twice, s.Zone); err != nil || third.Canonical() != s.Canonical() {
				t.Fatalf("%s %q, written as %q and then as %q: %v", d, s.Text, text, twice, err)
			}
		}
	}
	for _, d := range specs.Dialects() {
		t.Logf("%s: %d written, %d cannot be", d, written[d], wrong[d])
		if written[d] < n/8 {
			t.Errorf("%s: hardly any", d)
		}
	}
}

// firstDifference is the first slot of the 28 years that one of two has.
func (c *calendar) firstDifference(a, b *slots) string {
	for day := range c.days {
		for m := range 1440 {
			if in := a.on(day) && a.at(m); in != (b.on(day) && b.at(m)) {
				return fmt.Sprintf("first differing at %s, where the first is due: %v", c.days[day].Add(time.Duration(m)*time.Minute).Format("Mon 2006-01-02 15:04"), in)
			}
		}
	}
	return "no slot differs"
}

// TestNextIsTheOraclesNext: Next finds the slot that a walk over days and
// minutes finds.
func TestNextIsTheOraclesNext(t *testing.T) {
	g := &generator{Rand: newRand(t), calendar: newCalendar(2001)}
	checked := 0
	for range pairCount(20) {
		p := g.pair()
		s, ok := p.parse(t, g.calendar, 0, "UTC")
		if !ok || s.slots.never() {
			continue
		}
		start := g.Intn(len(g.days) - 366*9)
		at := g.days[start].Add(time.Duration(g.Intn(86400)) * time.Second)
		want := g.slowNext(&s.slots, start, at)
		if want.IsZero() {
			continue
		}
		checked++
		if got, ok := s.Next(at); !ok || !got.Equal(want) {
			t.Fatalf("%s %q after %s: %s %v, want %s", s.Dialect, s.Text, at, got, ok, want)
		}
	}
	if checked < pairCount(40) {
		t.Errorf("only %d checked", checked)
	}
}

func (c *calendar) slowNext(s *slots, start int, after time.Time) time.Time {
	for day := start; day < len(c.days); day++ {
		for m := 0; s.on(day) && m < 1440; m++ {
			if at := c.days[day].Add(time.Duration(m) * time.Minute); s.at(m) && at.After(after) {
				return at
			}
		}
	}
	return time.Time{}
}

// pair are two expressions, each with its dialect.
type pair struct {
	dialect [2]specs.Dialect
	text    [2]string
}

func (p pair) String() string {
	return fmt.Sprintf("%s %q and %s %q", p.dialect[0], p.text[0], p.dialect[1], p.text[1])
}

// judged is a schedule and what the oracle says of it.
type judged struct {
	specs.Schedule
	slots slots
}

// parse reads one of a pair in both ways; ok is false where it is refused or
// drawn. Both ways must refuse the same. A busybox schedule with an error in it
// that leaves nothing to run is refused by specs and empty here.
func (p pair) parse(t *testing.T, c *calendar, i int, zone string) (j judged, ok bool) {
	t.Helper()
	d, text := p.dialect[i], p.text[i]
	s, err := specs.ParseSchedule(d, text, zone)
	sl, random, ok := c.interpret(d, text)
	if refusedHere := !ok || d == specs.Busybox && sl.never(); err != nil && !refusedHere || err == nil && !ok {
		t.Fatalf("%s %q: accepted by the oracle: %v; specs: %v", d, text, ok, err)
	}
	if err != nil {
		return judged{}, false
	}
	return judged{s, sl}, ok && !random && !s.Random()
}

// generator makes pairs from the seeds, and from hours of its own if it has any.
type generator struct {
	*rand.Rand
	*calendar
	hours []string
}

func (g *generator) percent(n int) bool { return g.Intn(100) < n }

func pick[T any](g *generator, all []T) T { return all[g.Intn(len(all))] }

// pair: the second says the first in other words, field by field; in half of
// the pairs one field is changed a little before that.
func (g *generator) pair() pair {
	p := pair{dialect: [2]specs.Dialect{pick(g, specs.Dialects()), ""}}
	p.dialect[1] = p.dialect[0]
	if g.percent(40) {
		p.dialect[1] = pick(g, specs.Dialects())
	}
	f := g.fields(p.dialect[0])
	p.text[0] = strings.Join(f, " ")
	if g.percent(2) {
		p.text[0] = pick(g, []string{"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"})
		if f = slowWord(p.dialect[0], p.text[0]); f == nil {
			f = g.fields(p.dialect[0])
		}
	}
	var r [5]reading
	for i := range f {
		r[i] = g.reading(p.dialect[0], i, f[i])
		if !r[i].ok {
			p.text[1] = p.text[0] // refused; what the other dialect says of it is of interest
			return p
		}
	}
	f = append([]string(nil), f...)
	g.stretch(&r)
	if g.percent(60) {
		g.change(p.dialect[0], f, &r)
	}
	for i := range f {
		f[i] = g.reword(p.dialect[1], i, f[i], r[i])
	}
	p.text[1] = strings.Join(f, " ")
	return p
}

// fields are five seeds. Most schedules leave some of the day fields open.
func (g *generator) fields(d specs.Dialect) []string {
	f := make([]string, 5)
	for i := range f {
		for range 4 {
			f[i] = pick(g, seeds[i])
			if g.percent([5]int{dom: 35, month: 45, dow: 30}[i]) {
				f[i] = "*"
			}
			if i == hour && len(g.hours) > 0 && g.percent(70) {
				f[i] = pick(g, g.hours)
			}
			if g.reading(d, i, f[i]).ok {
				break
			}
		}
	}
	return f
}

// stretch adds what cannot be: days that none of the months has, and months
// that have none of the days.
func (g *generator) stretch(r *[5]reading) {
	longest := 0
	for m := 1; m <= 12; m++ {
		if has(r[month].values, m) {
			longest = max(longest, time.Date(2000, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day())
		}
	}
	if !r[dom].star && g.percent(50) {
		for d := longest + 1; d <= 31; d++ {
			if g.percent(60) {
				r[dom].values |= 1 << d
			}
		}
	}
	if !r[dom].star && r[dow].star && r[dom].odd == "" && r[dom].values != 0 && g.percent(50) {
		for m := 1; m <= 12; m++ {
			if bits.TrailingZeros64(r[dom].values) > time.Date(2000, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
				r[month].values |= 1 << m
			}
		}
	}
}

// change makes a small difference, which need not be one in the end.
func (g *generator) change(d specs.Dialect, f []string, r *[5]reading) {
	i := g.Intn(5)
	switch g.Intn(6) {
	case 0, 1: // another value
		r[i].values ^= 1 << (lows[i] + g.Intn(highs[i]-lows[i]+1))
	case 2: // one value less at an end
		if v := r[i].values; v != 0 {
			r[i].values &^= 1 << (63 - bits.LeadingZeros64(v))
		}
	case 3: // another seed
		f[i] = pick(g, seeds[i])
		if s := g.reading(d, i, f[i]); s.ok {
			r[i] = s
		}
	case 4: // the other day rule
		i = dom + 2*g.Intn(2)
		r[i].star = !r[i].star
	case 5: // all days, or none of a kind
		i = dom + g.Intn(3)
		r[i] = reading{ok: true, values: span(lows[i], highs[i], 1), star: g.percent(50)}
	}
}

// reword says a field in other words. Where it can, it keeps what the field
// is for the day rule.
func (g *generator) reword(d specs.Dialect, i int, text string, r reading) string {
	if r.random || r.odd != "" || r.values == 0 || g.percent(5) {
		return text
	}
	if same := g.reading(d, i, text); same.ok && same.values == r.values && same.star == r.star && g.percent(20) {
		return text
	}
	var said string
	for range 6 {
		said = g.say(d, i, r.values)
		if s := g.reading(d, i, said); s.ok && s.values == r.values && (s.star == r.star || i == minute || i == hour || i == month) {
			break
		}
	}
	return said
}

// say writes a set of values in one of the ways in which people do.
func (g *generator) say(d specs.Dialect, i int, set uint64) string {
	toEnd := d == specs.Kubernetes || d == specs.GitHub || d == specs.Supercronic // a/n
	low, last := bits.TrailingZeros64(set), 63-bits.LeadingZeros64(set)
	if set == span(lows[i], highs[i], 1) && g.percent(85) {
		ways := []string{"*", "*", "*/1", fmt.Sprintf("%d-%d", lows[i], highs[i]), fmt.Sprintf("*,%d", lows[i]), fmt.Sprintf("%d,*", highs[i])}
		if d == specs.Kubernetes || d == specs.Supercronic {
			ways = append(ways, "?")
		}
		return pick(g, ways)
	}
	for n := 2; n <= last-low && g.percent(70); n++ {
		if set != span(low, last, n) {
			continue
		}
		ways := []string{fmt.Sprintf("%s-%s/%d", g.value(d, i, low), g.value(d, i, last), n), fmt.Sprintf("%d-%d/%d", low, min(last+n-1, highs[i]), n)}
		if set == span(lows[i], highs[i], n) || d == specs.Busybox && i == dom && low == n {
			ways = append(ways, fmt.Sprintf("*/%d", n), fmt.Sprintf("*/%d", n))
		}
		if toEnd && set == span(low, highs[i], n) {
			ways = append(ways, fmt.Sprintf("%s/%d", g.value(d, i, low), n))
		}
		return pick(g, ways)
	}
	return g.list(d, i, set)
}

// list writes runs and values in any order, some of them twice.
func (g *generator) list(d specs.Dialect, i int, set uint64) string {
	var items []string
	for v := lows[i]; v <= highs[i]; v++ {
		if !has(set, v) {
			continue
		}
		end := v
		for end < highs[i] && has(set, end+1) && g.percent(85) {
			end++
		}
		switch {
		case end > v && (end > v+1 || g.percent(30)):
			items = append(items, g.value(d, i, v)+"-"+g.value(d, i, end))
			v = end
		default:
			items = append(items, g.value(d, i, v))
		}
		if g.percent(4) {
			items = append(items, pick(g, items))
		}
	}
	if g.percent(40) {
		g.Shuffle(len(items), func(a, b int) { items[a], items[b] = items[b], items[a] })
	}
	return strings.Join(items, ",")
}

// value writes one value: by its name, with a zero in front, Sunday as 7.
func (g *generator) value(d specs.Dialect, i, v int) string {
	if all := strings.Fields(names[i]); len(all) > 0 && g.percent(25) {
		name := all[v-lows[i]]
		if g.percent(50) {
			name = strings.ToUpper(name)
		}
		return name
	}
	if i == dow && v == 0 && g.percent(30) && d != specs.Busybox && d != specs.Kubernetes && d != specs.GitHub {
		return "7"
	}
	if g.percent(8) && (i != dow || d != specs.Supercronic) {
		return fmt.Sprintf("%02d", v)
	}
	return fmt.Sprint(v)
}
