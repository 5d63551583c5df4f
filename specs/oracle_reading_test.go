package specs_test

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// This file reads fields a second time, from what was measured on the programs
// and not from the code under test: slowly, by pattern, value by value. It
// knows the five standard fields and the @words, and supercronic's L, W and #.

// The five fields.
const (
	minute = iota
	hour
	dom
	month
	dow
)

var (
	lows  = [5]int{0, 0, 1, 1, 0}
	highs = [5]int{59, 23, 31, 12, 6}
	names = [5]string{month: "jan feb mar apr may jun jul aug sep oct nov dec", dow: "sun mon tue wed thu fri sat"}
)

// reading is what a field says in one dialect.
type reading struct {
	ok     bool
	random bool // drawn by the program: no instants that anyone could compare
	values uint64
	star   bool   // counts as a star for the day rule
	odd    string // supercronic's L, W and # items, one after the other
}

func has(set uint64, v int) bool { return set>>v&1 == 1 }

// slowRead reads a field; the dialects share nothing but slowValue.
func slowRead(d specs.Dialect, i int, text string) reading {
	switch d {
	case specs.Debian:
		return slowVixie(i, text, false)
	case specs.Cronie:
		return slowVixie(i, text, true)
	case specs.Busybox:
		return slowBusybox(i, text)
	case specs.Supercronic:
		return slowSupercronic(i, text)
	case specs.GitHub:
		return slowGitHub(i, text)
	}
	return slowRobfig(i, text)
}

// slowValue is a decimal number or a three-letter name in any case; -1 if it is
// neither.
func slowValue(i int, s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	for k, name := range strings.Fields(names[i]) {
		if strings.EqualFold(s, name) {
			return lows[i] + k
		}
	}
	return -1
}

func span(low, high, step int) (set uint64) {
	for v := low; v <= high && v < 64; v += step {
		set |= 1 << v
	}
	return set
}

// sunday moves 7 to 0.
func sunday(i int, set uint64) uint64 {
	if i == dow && has(set, 7) {
		return set&^(1<<7) | 1
	}
	return set
}

var vixieItem = regexp.MustCompile(`^(?:\*|([0-9A-Za-z]+)(?:-([0-9A-Za-z]+))?)(?:/([0-9A-Za-z]+))?`)

// slowVixie: * or a value or a range, and a step that needs * or a range before
// it. 7 is a Sunday, a reversed range has no value, a step may be of any size.
// Text behind an item ends the field: cron drops it, cronie refuses it. The day
// rule goes by the field's first character.
func slowVixie(i int, text string, cronie bool) reading {
	r := reading{ok: true, star: strings.HasPrefix(text, "*")}
	if cronie && strings.Contains(text, "~") {
		return reading{ok: true, random: true}
	}
	high := highs[i]
	if i == dow {
		high = 7
	}
	for rest := text; ; rest = rest[1:] {
		m := vixieItem.FindStringSubmatch(rest)
		if m == nil {
			return reading{}
		}
		rest = rest[len(m[0]):]
		a, b, step := lows[i], high, 1
		if m[1] != "" {
			a = slowValue(i, wrap32(m[1]))
			b = a
		}
		if m[2] != "" {
			b = slowValue(i, wrap32(m[2]))
		}
		if m[3] != "" {
			step = slowValue(minute, wrap32(m[3]))
		}
		single := m[1] != "" && m[2] == ""
		broken := strings.HasPrefix(rest, "/") && m[3] == "" || strings.HasPrefix(rest, "-") && single && m[3] == ""
		if a < lows[i] || a > high || b < lows[i] || b > high || step < 1 || single && m[3] != "" || broken {
			return reading{}
		}
		r.values |= span(a, b, step)
		if !strings.HasPrefix(rest, ",") {
			r.values = sunday(i, r.values)
			r.ok = rest == "" || !cronie
			return r
		}
	}
}

// wrap32 is a number as C's int holds it.
func wrap32(s string) string {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return strconv.Itoa(int(int32(n)))
	}
	return s
}

var (
	busyboxValues = regexp.MustCompile(`^(?:\*|(\d+|[A-Za-z]{3})(?:-(\d+|[A-Za-z]{3}|\*))?)`)
	busyboxStep   = regexp.MustCompile(`^/[+]?(\d*)`)
)

// slowBusybox walks round the field from the first value to the second, so that
// reversed ranges wrap. A value beyond the field is never met, and the walk
// takes everything. Of */n among days every nth from 0 on is taken, of N/n the
// N alone. What cannot be read ends the field, and what came before it holds.
// Full sets are no restriction; 1-31 is not full, since the program's days
// begin at 0.
func slowBusybox(i int, text string) reading {
	size := highs[i] + 1
	if i == month {
		size = 12
	}
	var set uint64
	for rest := text; ; rest = rest[1:] {
		m := busyboxValues.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		rest = rest[len(m[0]):]
		a, b, step := 0, size-1, 1
		if m[1] != "" {
			a = busyboxValue(i, m[1])
			b = a
		}
		if m[2] != "" {
			b = busyboxValue(i, m[2])
		}
		if a < 0 || b < 0 || m[1] != "" && m[2] == "" && strings.HasPrefix(rest, "-") {
			break
		}
		if s := busyboxStep.FindStringSubmatch(rest); s != nil {
			rest = rest[len(s[0]):]
			step, _ = strconv.Atoi(wrap32(s[1]))
		}
		set |= walkRound(a, b, step, size)
		if !strings.HasPrefix(rest, ",") {
			break
		}
	}
	if i == month {
		set <<= 1
	}
	r := reading{ok: true, values: set, star: set == span(0, highs[i], 1)}
	if i == dom {
		r.values &^= 1
	}
	return r
}

func busyboxValue(i int, s string) int {
	v := slowValue(i, wrap32(s))
	if i == month {
		v--
	}
	return v
}

func walkRound(a, b, step, size int) (set uint64) {
	at := a % size
	for walked := 0; walked < 1024; walked++ {
		if step > 0 && walked%step == 0 || walked == 0 {
			set |= 1 << at
		}
		if at == b {
			break
		}
		at = (at + 1) % size
	}
	return set
}

var (
	strictItem = regexp.MustCompile(`^(\*|\?|[0-9A-Za-z+.]+)(?:-([0-9A-Za-z+.]*))?(?:/([0-9A-Za-z+.]+))?$`)
	plainInt   = regexp.MustCompile(`^[+]?\d+$`)
)

// slowRobfig: ? is *, and what stands behind *- is not looked at. N/step runs on
// to the end of the field. Empty members of a list are skipped. No 7, no reversed
// range. A star counts where its step is 1, anywhere in the list.
func slowRobfig(i int, text string) reading {
	r := reading{ok: true}
	for _, item := range strings.Split(text, ",") {
		if item == "" {
			continue
		}
		m := strictItem.FindStringSubmatch(item)
		if m == nil {
			return reading{}
		}
		a, b, step := lows[i], highs[i], 1
		star := m[1] == "*" || m[1] == "?"
		ranged := strings.Contains(item, "-")
		if !star {
			a = slowValue(i, m[1])
			b = a
			if ranged {
				b = slowValue(i, m[2])
			} else if m[3] != "" {
				b = highs[i]
			}
		}
		if m[3] != "" {
			step = slowValue(minute, m[3])
		}
		if a < lows[i] || b > highs[i] || a > b || step < 1 {
			return reading{}
		}
		r.values |= span(a, b, step)
		r.star = r.star || star && step == 1
	}
	return r
}

// slowGitHub: the documented forms. A step is no larger than the field, N/step
// runs on to its end, numbers may be written as JavaScript's.
func slowGitHub(i int, text string) reading {
	r := reading{ok: true, star: strings.HasPrefix(text, "*")}
	for _, item := range strings.Split(text, ",") {
		m := strictItem.FindStringSubmatch(item)
		if m == nil || m[1] == "?" || m[1] == "*" && strings.Contains(item, "-") {
			return reading{}
		}
		a, b, step := lows[i], highs[i], 1
		if m[1] != "*" {
			a = javaScriptValue(i, m[1])
			b = a
			if strings.Contains(item, "-") {
				b = javaScriptValue(i, m[2])
			} else if m[3] != "" {
				b = highs[i]
			}
		}
		if m[3] != "" {
			step = javaScriptValue(minute, m[3])
			if step < max(1, lows[i]) || step > highs[i] {
				return reading{}
			}
		}
		if a < lows[i] || b > highs[i] || a > b {
			return reading{}
		}
		r.values |= span(a, b, step)
	}
	return r
}

// javaScriptValue reads 5., 1e1 and 0x1F too.
func javaScriptValue(i int, s string) int {
	if v := slowValue(i, s); v >= 0 {
		return v
	}
	if n, err := strconv.ParseUint(strings.ToLower(s), 0, 16); err == nil && !plainInt.MatchString(s) {
		return int(n)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f == float64(int(f)) {
		return int(f)
	}
	return -1
}

var (
	supercronicItem = regexp.MustCompile(`^(\*|\d{1,2}|[A-Za-z]+)(?:-(\d{1,2}|[A-Za-z]+))?(?:/(\d{1,2}))?$`)
	supercronicDom  = regexp.MustCompile(`^(?i:L|LW|(\d{1,2})W)$`)
	supercronicDow  = regexp.MustCompile(`^(?i:(\d{1,2}|[a-z]+?)(?:L|#([1-5])))$`)
)

// slowSupercronic: 7 and every weekday of two digits are Sunday, names may be
// long, a step is smaller than the field, N/step runs on to its end, empty
// members are skipped. * or ? anywhere in the list is a star, */1 is none.
func slowSupercronic(i int, text string) reading {
	r := reading{ok: true}
	items := 0
	for _, item := range strings.Split(text, ",") {
		if item == "" {
			continue
		}
		items++
		if item == "*" || item == "?" {
			r.star = true
			continue
		}
		if i == dom && supercronicDom.MatchString(item) || i == dow && supercronicDow.MatchString(item) {
			if m := supercronicDom.FindStringSubmatch(item); i == dom && m[1] != "" && !inField(dom, m[1]) {
				return reading{}
			}
			if i == dow && supercronicValue(dow, supercronicDow.FindStringSubmatch(item)[1]) < 0 {
				return reading{}
			}
			r.odd += strings.ToUpper(item) + ","
			continue
		}
		m := supercronicItem.FindStringSubmatch(item)
		if m == nil || m[1] == "*" && (m[2] != "" || m[3] == "") {
			return reading{}
		}
		a, b, step := lows[i], highs[i], 1
		if m[1] != "*" {
			a = supercronicValue(i, m[1])
			if m[2] != "" {
				b = supercronicValue(i, m[2])
			} else if m[3] == "" {
				b = a
			}
		}
		if m[3] != "" {
			step, _ = strconv.Atoi(m[3])
		}
		if a < lows[i] || b < lows[i] || b > highs[i] || a > b || step < 1 || step > highs[i] {
			return reading{}
		}
		r.values |= span(a, b, step)
	}
	if r.star {
		r.values, r.odd = span(lows[i], highs[i], 1), ""
	}
	r.ok = items > 0
	return r
}

func inField(i int, s string) bool {
	v, err := strconv.Atoi(s)
	return err == nil && lows[i] <= v && v <= highs[i]
}

func supercronicValue(i int, s string) int {
	if _, err := strconv.Atoi(s); err != nil && len(s) > 3 {
		for m := time.January; i == month && m <= time.December; m++ {
			if strings.EqualFold(s, m.String()) {
				return int(m)
			}
		}
		for w := time.Sunday; i == dow && w <= time.Saturday; w++ {
			if strings.EqualFold(s, w.String()) {
				return int(w)
			}
		}
		return -1
	}
	v := slowValue(i, s)
	switch {
	case i == dow && v > 7 || v > highs[i] && i != dow:
		return -1
	case i == dow && (v == 7 || len(s) == 2):
		return 0
	}
	return v
}

// oddDay says whether a day is one of supercronic's L, LW, 15W, FRIL, MON#2.
func oddDay(items string, day time.Time) bool {
	for _, item := range strings.Split(items, ",") {
		if item == "" {
			continue
		}
		d := supercronicDow.FindStringSubmatch(item)
		switch {
		case item == "L":
			if day.AddDate(0, 0, 1).Day() == 1 {
				return true
			}
		case item == "LW":
			if day.Equal(workingDay(day, day.AddDate(0, 1, -day.Day()).Day())) {
				return true
			}
		case strings.HasSuffix(item, "W"):
			n, _ := strconv.Atoi(strings.TrimSuffix(item, "W"))
			if n <= day.AddDate(0, 1, -day.Day()).Day() && day.Equal(workingDay(day, n)) {
				return true
			}
		case int(day.Weekday()) != supercronicValue(dow, d[1]):
		case d[2] == "":
			if day.AddDate(0, 0, 7).Month() != day.Month() {
				return true
			}
		default:
			if strconv.Itoa((day.Day()+6)/7) == d[2] {
				return true
			}
		}
	}
	return false
}

// workingDay is the day from Monday to Friday that is nearest to the nth of the
// month, in the same month.
func workingDay(inMonth time.Time, n int) time.Time {
	at := inMonth.AddDate(0, 0, n-inMonth.Day())
	for _, off := range []int{0, -1, 1, -2, 2} {
		near := at.AddDate(0, 0, off)
		if near.Month() == at.Month() && near.Weekday() != time.Saturday && near.Weekday() != time.Sunday {
			return near
		}
	}
	panic("a week has a working day")
}

// slowWord is an @word in five fields, nil where the dialect does not take it.
func slowWord(d specs.Dialect, w string) []string {
	words := map[string]string{
		"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
		"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
	}
	if d == specs.Busybox || d == specs.GitHub || d == specs.Supercronic && w == "@midnight" {
		return nil
	}
	return strings.Fields(words[w])
}
