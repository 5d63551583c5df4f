package specs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func monthName(m int) string { return time.Month(m).String() }

func weekdayName(w int) string { return time.Weekday(w % 7).String() }

// dayWords is empty where every day of the months is due.
func (p *plan) dayWords() string {
	if p.days != nil {
		return p.dateWords()
	}
	freeDom := p.dom == fullDom && !p.draws(fieldDom)
	freeDow := p.dow == fullDow && !p.draws(fieldDow)
	dom := p.domWords()
	switch {
	case p.either:
		return "on " + dom + " or on " + p.dowWords("and")
	case freeDom && freeDow:
		return ""
	case freeDow:
		return "on " + dom
	case !freeDom:
		return "on " + dom + " if that is " + p.dowWords("or")
	}
	if list := weekdayList(p.dow); len(list) == 1 && len(list[0]) > len("Wednesday") && !p.draws(fieldDow) {
		return list[0] // Monday to Friday
	}
	return "on " + p.dowWords("and")
}

func (p *plan) domWords() string {
	if p.dom == fullDom && !p.draws(fieldDom) {
		return "any day of the month"
	}
	return p.setWords("day", fieldDom, uint64(p.dom)) + " of the month"
}

func (p *plan) dowWords(last string) string {
	out := p.drawWords("weekday", fieldDow, weekdayName)
	switch {
	case p.dow == 0 && len(out) == 0:
		return "no weekday"
	case p.dow == fullDow:
		return listWords(append(out, "any weekday"), last)
	}
	return listWords(append(out, weekdayList(p.dow)...), last)
}

// weekdayList begins with Monday.
func weekdayList(set uint8) []string {
	var values []int
	for w := 1; w <= 7; w++ {
		if set>>(w%7)&1 == 1 {
			values = append(values, w)
		}
	}
	return nameList(values, weekdayName)
}

func nameList(values []int, name func(int) string) (out []string) {
	for _, run := range runs(values) {
		if n := len(run); n > 2 {
			out = append(out, name(run[0])+" to "+name(run[n-1]))
			continue
		}
		for _, v := range run {
			out = append(out, name(v))
		}
	}
	return out
}

func monthList(set uint16) []string {
	var values []int
	for m := 1; m <= 12; m++ {
		if set>>m&1 == 1 {
			values = append(values, m)
		}
	}
	return nameList(values, monthName)
}

func (p *plan) monthWords() string {
	out := p.drawWords("month", fieldMonth, monthName)
	return "in " + listWords(append(out, monthList(p.month)...), "and")
}

func (y *yearSet) words() string {
	var years []int
	for year := firstYear; year <= lastYear; year++ {
		if y.has(year) {
			years = append(years, year)
		}
	}
	return "in " + listWords(numberList(years), "and")
}

// dateWords is for days that the five fields cannot say: by the Quartz form
// that says them, or else month by month.
func (p *plan) dateWords() string {
	if form, ok := p.quartzForm(); ok {
		words := "on " + form.words
		if months := p.days.months(); months != fullMonth {
			words += ", in " + listWords(monthList(months), "and")
		}
		return words
	}
	var parts []string
	for _, g := range p.days.groups() {
		parts = append(parts, "in "+groupMonths(g.months)+" on "+g.words())
	}
	return strings.Join(parts, "; ")
}

func groupMonths(keys []string) string {
	names := make([]string, len(keys))
	for i, key := range keys {
		m, _ := strconv.Atoi(strings.TrimRight(key, "NL"))
		names[i] = monthName(m)
		switch key[len(key)-1] {
		case 'N':
			names[i] += " of common years"
		case 'L':
			names[i] += " of leap years"
		}
	}
	return listWords(names, "and")
}

// words names the days, by weekday where not all weekdays have the same.
func (g dayGroup) words() string {
	var parts []string
	done := uint8(0)
	for w := range g.days {
		if done>>w&1 == 1 || g.days[w] == 0 {
			continue
		}
		var same uint8
		for v := w; v < 7; v++ {
			if g.days[v] == g.days[w] {
				same |= 1 << v
			}
		}
		done |= same
		part := "every day"
		if g.days[w] != monthDaysUpTo(g.length) {
			part = plural("day", "the days", setList(uint64(g.days[w])))
		}
		if same != fullDow {
			part += " if that is " + listWords(weekdayList(same), "or")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " or ")
}

// quartzForm is a day or a weekday field as supercronic reads it, and its
// words.
type quartzForm struct{ dom, dow, words string }

// quartzForm finds the form that says the plan's days.
func (p *plan) quartzForm() (quartzForm, bool) {
	months, possible := p.days.months(), newDaySet(func(days, _ int) uint32 { return monthDaysUpTo(days) })
	if p.years != nil {
		possible = p.years.possible()
	}
	says := func(r supercronicReader) bool {
		r.plan = &plan{}
		due := newDaySet(func(days, first int) uint32 { return r.monthDays(days, first) | r.weekDays(days, first) })
		due.keepMonths(months)
		due.intersect(possible)
		return *due == *p.days
	}
	if says(supercronicReader{lastDay: true}) {
		return quartzForm{"L", "*", "the last day of the month"}, true
	}
	if says(supercronicReader{lastWork: true}) {
		return quartzForm{"LW", "*", "the last day of the month from Monday to Friday"}, true
	}
	for d := 1; d <= 31; d++ {
		if says(supercronicReader{workdays: 1 << d}) {
			return quartzForm{fmt.Sprintf("%dW", d), "*", fmt.Sprintf("the day from Monday to Friday nearest to day %d of the month", d)}, true
		}
	}
	for w := range 7 {
		if says(supercronicReader{lastDow: 1 << w}) {
			return quartzForm{"*", fmt.Sprintf("%dL", w), "the last " + weekdayName(w) + " of the month"}, true
		}
	}
	return quartzForm{}, false
}
