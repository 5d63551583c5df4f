package specs

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// daySet has a bit for each day that can be: by leap year (0 no, 1 yes),
// month, weekday of the day, and bit n for the day n. All of them come within
// any 28 years without a skipped leap year, and so within 1970-2099: with all
// these years two sets of dates are equal exactly if their daySets are.
type daySet [2][13][7]uint32

// newDaySet asks for the due days of each month that can be, given its number
// of days and the weekday of its first.
func newDaySet(due func(days, first int) uint32) *daySet {
	var s daySet
	for leap := range 2 {
		for m := 1; m <= 12; m++ {
			for first := range 7 {
				s.addMonth(leap, m, first, due(monthLength(leap, m), first))
			}
		}
	}
	return &s
}

// plainDays is the daySet that the five fields say.
func (p *plan) plainDays() *daySet {
	return newDaySet(func(days, first int) (due uint32) {
		for d := 1; d <= days; d++ {
			if p.dayDue(d, (first+d-1)%7) {
				due |= 1 << d
			}
		}
		return due
	})
}

// dayDue says whether a day is due by dom and dow alone.
func (p *plan) dayDue(day, weekday int) bool {
	dom, dow := p.dom>>day&1 == 1, p.dow>>weekday&1 == 1
	if p.either {
		return dom || dow
	}
	return dom && dow
}

func (s *daySet) addMonth(leap, m, first int, days uint32) {
	for d := 1; d <= monthLength(leap, m); d++ {
		if days>>d&1 == 1 {
			s[leap][m][(first+d-1)%7] |= 1 << d
		}
	}
}

func (s *daySet) keepMonths(month uint16) {
	for m := 1; m <= 12; m++ {
		if month>>m&1 == 0 {
			s[0][m], s[1][m] = [7]uint32{}, [7]uint32{}
		}
	}
}

func (s *daySet) meets(t *daySet) bool {
	for leap := range s {
		for m := range s[leap] {
			for w, days := range s[leap][m] {
				if days&t[leap][m][w] != 0 {
					return true
				}
			}
		}
	}
	return false
}

func (s *daySet) intersect(t *daySet) {
	for leap := range s {
		for m := range s[leap] {
			for w := range s[leap][m] {
				s[leap][m][w] &= t[leap][m][w]
			}
		}
	}
}

// monthLength is the number of days of a month; leap is 0 or 1.
func monthLength(leap, m int) int {
	if m == 2 {
		return 28 + leap
	}
	return bits.OnesCount32(monthDays[m])
}

// yearSet has a bit for each year from 1970 to 2099.
type yearSet [3]uint64

func (y *yearSet) add(year int)      { i := year - firstYear; y[i/64] |= 1 << (i % 64) }
func (y *yearSet) has(year int) bool { i := year - firstYear; return y[i/64]>>(i%64)&1 == 1 }

func (y *yearSet) appendTo(b []byte) []byte {
	for year, sep := firstYear, ""; year <= lastYear; year++ {
		if !y.has(year) {
			continue
		}
		b = strconv.AppendInt(append(b, sep...), int64(year), 10)
		end := year
		for end < lastYear && y.has(end+1) {
			end++
		}
		if end > year {
			b = strconv.AppendInt(append(b, '-'), int64(end), 10)
		}
		year, sep = end, ","
	}
	return b
}

// yearDays is the daySet of all days of one year.
func yearDays(year int) *daySet {
	var s daySet
	leap, days := 0, 365
	if isLeap(year) {
		leap, days = 1, 366
	}
	first := weekdayOf(daysBefore(year, 1, 1))
	for m, d, i := 1, 1, 0; i < days; i++ {
		s[leap][m][(first+i)%7] |= 1 << d
		if d++; d > monthLength(leap, m) {
			m, d = m+1, 1
		}
	}
	return &s
}

// normaliseDates brings dates to the five fields where these can say them, and
// else to the set itself. What is tried depends on the dates alone, never on
// how they were written, so equal dates come out equal.
func (p *plan) normaliseDates() {
	due := p.days
	if due == nil {
		due = p.plainDays()
	} else {
		d := *due
		due = &d
	}
	due.keepMonths(p.month)
	possible := newDaySet(func(days, _ int) uint32 { return monthDaysUpTo(days) })
	if p.years != nil {
		possible = p.normaliseYears(due)
	}
	p.month = due.months()
	if p.month == 0 {
		return
	}
	possible.keepMonths(p.month)
	if !p.fitFields(due, possible) {
		p.days, p.dom, p.dow, p.either = due, 0, 0, false
	}
}

func monthDaysUpTo(days int) uint32 { return 1<<(days+1) - 2 }

// possible are all days that the years have.
func (y *yearSet) possible() *daySet {
	var days daySet
	for year := firstYear; year <= lastYear; year++ {
		if y.has(year) {
			days.add(yearDays(year))
		}
	}
	return &days
}

func (s *daySet) add(t *daySet) {
	for leap := range s {
		for m := range s[leap] {
			for w := range s[leap][m] {
				s[leap][m][w] |= t[leap][m][w]
			}
		}
	}
}

// normaliseYears leaves out years without a due day, and the whole set of
// years if it takes no date away. It cuts due to the days of these years and
// returns all days that these years have.
func (p *plan) normaliseYears(due *daySet) *daySet {
	var kept yearSet
	var days daySet
	for year := firstYear; year <= lastYear; year++ {
		if !p.years.has(year) {
			continue
		}
		if all := yearDays(year); all.meets(due) {
			kept.add(year)
			days.add(all)
		}
	}
	due.intersect(&days)
	for year := firstYear; year <= lastYear; year++ {
		if !kept.has(year) && yearDays(year).meets(due) {
			p.years = &kept
			return &days
		}
	}
	p.years = nil
	return newDaySet(func(days, _ int) uint32 { return monthDaysUpTo(days) })
}

func (s *daySet) months() (month uint16) {
	for m := 1; m <= 12; m++ {
		if s[0][m] != [7]uint32{} || s[1][m] != [7]uint32{} {
			month |= 1 << m
		}
	}
	return month
}

// fitFields finds the day and weekday sets that say due, among the possible
// days; false if there are none.
func (p *plan) fitFields(due, possible *daySet) bool {
	var some, free uint32 // days that are due on some weekday, that are possible
	all := fullDom        // days that are due on every weekday
	var someW uint8
	allW := fullDow
	for leap := range due {
		for m := range due[leap] {
			for w, days := range due[leap][m] {
				can := possible[leap][m][w]
				some, free, all = some|days, free|can, all&^(can&^days)
				if days != 0 {
					someW |= 1 << w
				}
				if can&^days != 0 {
					allW &^= 1 << w
				}
			}
		}
	}
	dom := some
	if dom == free {
		dom = fullDom
	}
	for _, q := range []plan{
		{dom: dom, dow: fullDow},
		{dom: fullDom, dow: someW},
		{dom: dom, dow: someW},
		{dom: all & free, dow: allW, either: true},
	} {
		days := q.plainDays()
		days.intersect(possible)
		if *days == *due {
			p.days, p.dom, p.dow, p.either = nil, q.dom, q.dow, q.either
			return true
		}
	}
	return false
}

// dayGroup is the months that have the same days: their numbers, 2L for the
// February of leap years and 2N for that of others.
type dayGroup struct {
	months []string
	days   [7]uint32
	length int // of the first month
}

func (s *daySet) groups() (out []dayGroup) {
	index := map[string]int{}
	put := func(key string, days [7]uint32, m, leap int) {
		if days == ([7]uint32{}) {
			return
		}
		length := monthLength(leap, m)
		body := monthBody(days, length)
		i, ok := index[body]
		if !ok {
			i, index[body] = len(out), len(out)
			out = append(out, dayGroup{nil, days, length})
		}
		out[i].months = append(out[i].months, key)
	}
	for m := 1; m <= 12; m++ {
		key := strconv.Itoa(m)
		if s[0][m] == s[1][m] {
			put(key, s[0][m], m, 0)
			continue
		}
		put(key+"N", s[0][m], m, 0)
		put(key+"L", s[1][m], m, 1)
	}
	return out
}

// appendTo writes the set month by month: months=weekdays@days, where all
// weekdays have the same days only these.
func (s *daySet) appendTo(b []byte) []byte {
	for i, g := range s.groups() {
		if i > 0 {
			b = append(b, ';')
		}
		b = append(append(b, strings.Join(g.months, ",")...), '=')
		b = append(b, monthBody(g.days, g.length)...)
	}
	return b
}

func monthBody(days [7]uint32, length int) string {
	if !slices.ContainsFunc(days[1:], func(d uint32) bool { return d != days[0] }) {
		return string(appendBits(nil, uint64(days[0]), 1, length))
	}
	var parts []string
	var done uint8
	for w := range days {
		if done>>w&1 == 1 || days[w] == 0 {
			continue
		}
		var same uint8
		for v := w; v < 7; v++ {
			if days[v] == days[w] {
				same |= 1 << v
			}
		}
		done |= same
		part := append(appendBits(nil, uint64(same), 0, 6), '@')
		parts = append(parts, string(appendBits(part, uint64(days[w]), 1, length)))
	}
	return strings.Join(parts, "+")
}
