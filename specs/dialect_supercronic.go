package specs

import "strings"

const (
	firstYear = 1970
	lastYear  = 2099
)

// A seventh and a sixth field, and what each of the seven is called.
const (
	fieldSecond = 5
	fieldYear   = 6
)

var longNames = []string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
}

// parseSupercronic reads as supercronic 0.2.48 does, strictly: five fields, or
// six with the year at the end, or seven with the second in front as well. A
// star anywhere in a day field's list lifts the restriction of that field. L,
// LW, 15W, 5L and mon#2 are read. An @word is replaced by its seven fields
// wherever it stands.
func parseSupercronic(text string) (*plan, *refusal) {
	full := text
	if strings.Contains(text, "@") {
		full = supercronicWords(text)
	}
	all, n := splitFields(full, " \t\n\f\r")
	if n < 5 || n > 7 {
		if strings.HasPrefix(text, "@") {
			return nil, supercronicWordRefusal(text)
		}
		return nil, &refusal{why: countRefusal(n).why, next: "write 5 fields, 6 with a year at the end, or 7 with a second in front as well"}
	}
	r := supercronicReader{plan: &plan{kind: kindCalendar, second: 1}}
	if bad := r.read(all[:n]); bad != nil {
		return nil, bad
	}
	return r.plan, nil
}

func supercronicWordRefusal(text string) *refusal {
	return wordRefusal(text, "@hourly, @daily, @weekly, @monthly, @yearly")
}

func supercronicWords(text string) string {
	return strings.NewReplacer(
		"@yearly", "0 0 0 1 1 * *", "@annually", "0 0 0 1 1 * *", "@monthly", "0 0 0 1 * * *",
		"@weekly", "0 0 0 * * 0 *", "@daily", "0 0 0 * * * *", "@hourly", "0 0 * * * * *").Replace(text)
}

// supercronicReader collects what the fields say.
type supercronicReader struct {
	plan     *plan
	lastDay  bool     // L
	lastWork bool     // LW
	workdays uint32   // 15W
	nth      [7]uint8 // mon#2: bit n of the weekday
	lastDow  uint8    // 5L
}

func (r *supercronicReader) read(fs []string) *refusal {
	p, six := r.plan, len(fs) == 6
	if len(fs) == 7 {
		set, _, bad := r.field(fieldSecond, fs[0])
		if bad != nil {
			return bad
		}
		p.second = set
		fs = fs[1:]
	}
	var sets [5]uint64
	var stars [5]bool
	for i := range sets {
		var bad *refusal
		if sets[i], stars[i], bad = r.field(i, fs[i]); bad != nil {
			return bad
		}
	}
	p.setFields(sets)
	p.either = !stars[fieldDom] && !stars[fieldDow]
	p.warnSixthHour(fs[fieldMinute], fs[fieldHour])
	if len(fs) == 6 {
		if bad := r.year(fs[5]); bad != nil {
			return bad
		}
		if six && p.years == nil {
			p.warn("six fields: the last of six is the year and none is the second; write five fields, or seven with the second in front")
		}
	}
	r.special(stars[fieldDom], stars[fieldDow])
	return nil
}

// field reads a list. For any field but the two of days, a star ends it: what
// follows is looked at for its ranges only.
func (r *supercronicReader) field(i int, s string) (set uint64, star bool, bad *refusal) {
	f := &fieldSeconds
	if i < len(fields) {
		f = &fields[i]
	}
	items := 0
	var odd string
	for rest := s; rest != ""; {
		var item string
		if item, rest, _ = strings.Cut(rest, ","); item == "" {
			continue
		}
		items++
		low, high, step, kind := r.item(f, item)
		switch {
		case kind == itemBad:
			return 0, false, supercronicRefusal(f, s)
		case kind == itemOdd:
			if i == fieldDom || i == fieldDow {
				if !r.quartz(i, item) {
					return 0, false, supercronicRefusal(f, s)
				}
			} else if !star && odd == "" {
				odd = item
			}
		default:
			star = star || kind == itemStar && odd == ""
			for v := low; v <= high; v += step {
				set |= 1 << uint(v)
			}
		}
	}
	if items == 0 || odd != "" {
		return 0, false, supercronicRefusal(f, s)
	}
	if star {
		set = (1<<(f.high+1) - 1) &^ (1<<f.low - 1)
	}
	if set == 0 && i != fieldDom && i != fieldDow {
		return 0, false, &refusal{field: f.name, token: s, why: "the range is empty and stops supercronic", next: "write the lower value first"}
	}
	return set, star, nil
}

var fieldSeconds = field{"second", 0, 59, nil}

const (
	itemSpan = iota
	itemStar
	itemOdd // for the two fields of days to read
	itemBad
)

func (r *supercronicReader) item(f *field, item string) (low, high, step, kind int) {
	if item == "*" || item == "?" {
		return f.low, f.high, 1, itemStar
	}
	span, stepText, stepped := strings.Cut(item, "/")
	lo, hi, ranged := strings.Cut(span, "-")
	low, high, step = f.low, f.high, 1
	if span != "*" || !stepped {
		var ok bool
		if low, ok = supercronicValue(f, lo); !ok {
			return 0, 0, 0, itemOdd
		}
		if ranged {
			if high, ok = supercronicValue(f, hi); !ok {
				return 0, 0, 0, itemOdd
			}
			r.warnWeekday(f, span, lo, hi)
		} else {
			r.warnWeekday(f, span, lo, lo)
		}
	}
	if !stepped {
		if !ranged {
			high = low
		}
		if high < low {
			return 0, 0, 0, itemBad
		}
		return low, high, 1, itemSpan
	}
	if !allDigits(stepText) {
		return 0, 0, 0, itemOdd
	}
	if step = supercronicNumber(stepText); step < 1 || step > f.high {
		return 0, 0, 0, itemBad
	}
	return low, high, step, itemSpan
}

// warnWeekday: 7 is Sunday even as the end of a range, and so is every weekday
// with a zero in front.
func (r *supercronicReader) warnWeekday(f *field, span, lo, hi string) {
	if f.name != fields[fieldDow].name {
		return
	}
	if lo != hi && (hi == "7" || lo == "7") || len(lo) == 2 && lo != "00" || len(hi) == 2 && hi != "00" {
		r.plan.warn("day of week %.80q: supercronic reads it as if Sunday (0) stood for 7 and for every two digits, a fault of its cronexpr (0.2.48)", span)
	}
}

// supercronicValue is a number of one or two digits, or a name, short or long.
func supercronicValue(f *field, s string) (int, bool) {
	if v, ok := f.named(s); ok {
		return v, true
	}
	if f.names != nil && len(s) > 3 {
		for _, n := range longNames {
			if strings.EqualFold(s, n) {
				return f.named(s[:3])
			}
		}
	}
	if len(s) == 0 || len(s) > 2 || !allDigits(s) {
		return 0, false
	}
	long, _ := cNumber(s)
	v := int(long)
	if f.name == fields[fieldDow].name {
		if v > 7 {
			return 0, false
		}
		if len(s) == 2 {
			return 0, true
		}
		return v % 7, true
	}
	return v, v >= f.low && v <= f.high
}

// supercronicNumber is the value of a number that the program has in its
// table, else 0: 0-59 in one or two digits and the years.
func supercronicNumber(s string) int {
	v, digits := cNumber(s)
	if digits == len(s) && (digits <= 2 && v <= 59 || digits == 4 && firstYear <= v && v <= lastYear) {
		return int(v)
	}
	return 0
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func supercronicRefusal(f *field, s string) *refusal {
	r := explain(Supercronic, f, s)
	if r.why == "cannot be read" && strings.Contains(s, "/") {
		r.why = "cannot be read, or its step is as large as the field"
	}
	return r
}

// quartz reads L, LW and 15W among the days, 5L and mon#2 among the weekdays.
func (r *supercronicReader) quartz(i int, item string) bool {
	low := strings.ToLower(item)
	f := &fields[i]
	if i == fieldDom {
		if low == "l" || low == "lw" {
			r.lastDay = r.lastDay || low == "l"
			r.lastWork = r.lastWork || low == "lw"
			return true
		}
		v, ok := supercronicValue(f, strings.TrimSuffix(low, "w"))
		if !ok || !strings.HasSuffix(low, "w") {
			return false
		}
		r.workdays |= 1 << v
		return true
	}
	if s, ok := strings.CutSuffix(low, "l"); ok {
		v, ok := supercronicValue(f, s)
		r.lastDow |= 1 << v
		return ok
	}
	day, week, ok := strings.Cut(low, "#")
	v, known := supercronicValue(f, day)
	if !ok || !known || len(week) != 1 || week[0] < '1' || week[0] > '5' {
		return false
	}
	r.nth[v] |= 1 << (week[0] - '0')
	return true
}

// year reads the last of six fields.
func (r *supercronicReader) year(s string) *refusal {
	bad := &refusal{field: "year", token: s, why: "no year", next: "write years from 1970 to 2099; the second goes in front, of seven fields"}
	var set yearSet
	items, star := 0, false
	for _, item := range strings.Split(s, ",") {
		if item == "" {
			continue
		}
		items++
		low, high, step, kind := yearItem(item)
		if kind == itemBad || kind == itemOdd && !star {
			return bad
		}
		star = star || kind == itemStar
		for v := low; v <= high && kind == itemSpan; v += step {
			set.add(v)
		}
	}
	if items == 0 {
		return bad
	}
	if star {
		return nil
	}
	r.plan.years = &set
	return nil
}

func yearItem(item string) (low, high, step, kind int) {
	if item == "*" || item == "?" {
		return firstYear, lastYear, 1, itemStar
	}
	span, stepText, stepped := strings.Cut(item, "/")
	lo, hi, ranged := strings.Cut(span, "-")
	low, high, step = firstYear, lastYear, 1
	if span != "*" || !stepped {
		if low = yearValue(lo); low == 0 {
			return 0, 0, 0, itemOdd
		}
		if ranged {
			if high = yearValue(hi); high == 0 {
				return 0, 0, 0, itemOdd
			}
		} else if !stepped {
			high = low
		}
	}
	if stepped {
		if !allDigits(stepText) {
			return 0, 0, 0, itemOdd
		}
		if step = supercronicNumber(stepText); step < 1 {
			return 0, 0, 0, itemBad
		}
	} else if high < low {
		return 0, 0, 0, itemBad
	}
	return low, high, step, itemSpan
}

func yearValue(s string) int {
	if len(s) != 4 {
		return 0
	}
	return supercronicNumber(s)
}

// special builds the days where L, W or # are among them. As with the plain
// days, they count only where their field is restricted.
func (r *supercronicReader) special(domStar, dowStar bool) {
	odd := !domStar && (r.lastDay || r.lastWork || r.workdays != 0) ||
		!dowStar && (r.lastDow != 0 || r.nth != [7]uint8{})
	if !odd {
		return
	}
	r.plan.days = newDaySet(func(days, first int) (due uint32) {
		if !domStar {
			due |= r.monthDays(days, first)
		}
		if !dowStar {
			due |= r.weekDays(days, first)
		}
		return due
	})
}

// monthDays are the due days by the day-of-month field, in a month of so many
// days whose first is that weekday.
func (r *supercronicReader) monthDays(days, first int) uint32 {
	due := r.plan.dom
	if r.lastDay {
		due |= 1 << days
	}
	if r.lastWork {
		due |= 1 << workday(days, days, first)
	}
	for d := 1; d <= days; d++ {
		if r.workdays>>d&1 == 1 {
			due |= 1 << workday(d, days, first)
		}
	}
	return due
}

// workday is the working day nearest to day d within its month.
func workday(d, days, first int) int {
	switch (first + d - 1) % 7 {
	case 6:
		if d > 1 {
			return d - 1
		}
		return d + 2
	case 0:
		if d < days {
			return d + 1
		}
		return d - 2
	}
	return d
}

func (r *supercronicReader) weekDays(days, first int) (due uint32) {
	for d := 1; d <= days; d++ {
		w := (first + d - 1) % 7
		if r.plan.dow>>w&1 == 1 || r.nth[w]>>((d+6)/7)&1 == 1 || r.lastDow>>w&1 == 1 && d > days-7 {
			due |= 1 << d
		}
	}
	return due
}
