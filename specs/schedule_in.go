package specs

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// In writes the schedule as text that a dialect's program reads as the same
// instants: what In returns is parsed there to the same Canonical in the
// schedule's zone, which stays beside the text. It is the shortest conventional
// form, */5 rather than 0-55/5. For what never fires that is 0 0 31 2 *.
//
// In the schedule's own dialect there always is a text, at worst the written
// one; elsewhere an error says why the dialect cannot say it.
func (s Schedule) In(d Dialect) (string, error) {
	if s.plan.kind == kindUnread {
		return "", fmt.Errorf("schedule %.200q was not read; read it first", s.Text)
	}
	text, why := s.write(d)
	switch {
	case why == "":
		return text, nil
	case s.Dialect == d && s.reads(d, s.Text) != notAlike:
		return s.Text, nil
	}
	return "", fmt.Errorf("schedule %.200q cannot be written for %s: %s", s.Text, d, why)
}

// write returns a text, or why there is none and what to do.
func (s Schedule) write(d Dialect) (text, why string) {
	switch s.plan.kind {
	case kindNever:
		return neverFields, ""
	case kindReboot:
		if d == Debian || d == Cronie {
			return "@reboot", ""
		}
		return "", rebootNext
	case kindInterval:
		if d == Kubernetes {
			return "@every " + shortDuration(s.plan.every), ""
		}
		return "", intervalNext(s.plan.every)
	}
	if why := s.plan.beyond(d); why != "" {
		return "", why
	}
	var nearly string
	for _, text := range s.plan.texts(d) {
		switch s.reads(d, text) {
		case alike:
			return text, ""
		case alikeInForm:
			if nearly == "" {
				nearly = text
			}
		case onlyClock:
			why = "it has another rule for the hours that a change of the clock skips or repeats, which counts in " + s.Zone + "; write a time that no change touches"
		}
	}
	if nearly != "" {
		return nearly, ""
	}
	return "", cmp.Or(why, s.plan.whyNot(d))
}

// neverFields is taken by every dialect and is due in none.
const neverFields = "0 0 31 2 *"

const rebootNext = "@reboot is read by debian and cronie only; start the job with its host"

// How another text compares with the schedule.
const (
	notAlike    = iota
	onlyClock   // but for the days on which the clock changes
	alikeInForm // equal canonical forms, which in Local leave the clock's rule out
	alike
)

func (s Schedule) reads(d Dialect, text string) int {
	p, bad := parseIn(d, text)
	if bad != nil {
		return notAlike
	}
	p.normalise()
	p.own = s.plan.own
	got := Schedule{Text: text, Zone: s.Zone, Dialect: d, plan: *p}
	if p.kind != s.plan.kind || p.every != s.plan.every || string(p.appendSlots(nil)) != string(s.plan.appendSlots(nil)) {
		return notAlike
	}
	switch {
	case p.kind != kindCalendar || got.clockRule().inLocal() == s.clockRule().inLocal() && (s.Zone == Local || got.Dialect == s.Dialect):
		return alike
	case got.Canonical() != s.Canonical():
		return onlyClock
	case s.ClockChangeOnly(got):
		return alikeInForm
	}
	return alike
}

// beyond is why a dialect has no field or form for what the plan needs.
func (p *plan) beyond(d Dialect) string {
	switch {
	case len(p.drawn) > 0 && d != Cronie:
		return "random times are read by cronie only; write a number"
	case d == Supercronic:
		return ""
	case p.second != 1:
		return "seconds are read by supercronic only; write the nearest minutes"
	case p.years != nil:
		return "years are read by supercronic only; test the year in the job"
	case p.days != nil:
		return "its days (" + p.dayWords() + ") depend on the month's length or its weekdays, and five fields cannot say that; test the date in the job"
	}
	return ""
}

// whyNot is for days that no text of the dialect says.
func (p *plan) whyNot(d Dialect) string {
	if p.dom != fullDom && p.dow != fullDow && !p.either {
		const next = "; write the day alone and test the weekday in the job"
		switch d {
		case Debian, Cronie, GitHub:
			return "a day and a weekday must both hold, and it joins the two so only where one of them begins with *, which these cannot (* takes in day 1, or Sunday)" + next
		}
		return "a day and a weekday must both hold, and it runs on either" + next
	}
	return "no text of it has the same instants; write several entries"
}

// texts are ways to write the plan for a dialect, the most conventional first.
func (p *plan) texts(d Dialect) []string {
	if p.days != nil {
		form, ok := p.quartzForm()
		if !ok {
			return nil
		}
		q := *p
		q.days, q.dom, q.dow, q.month = nil, fullDom, fullDow, p.days.months()
		return q.product(d, [][]string{{form.dom}, {form.dow}})
	}
	dom := p.fieldTexts(d, fieldDom, uint64(p.dom))
	dow := p.fieldTexts(d, fieldDow, uint64(p.dow))
	out := p.product(d, [][]string{dom, dow})
	if nth, ok := p.nthWeekdays(); ok && d == Supercronic {
		out = append(out, p.product(d, [][]string{{"*"}, {nth}})...)
	}
	return out
}

// product joins all ways to write each field; days has those for the day and
// for the weekday.
func (p *plan) product(d Dialect, days [][]string) []string {
	columns := [][]string{
		p.fieldTexts(d, fieldMinute, p.minute),
		p.fieldTexts(d, fieldHour, uint64(p.hour)),
		days[0],
		p.fieldTexts(d, fieldMonth, uint64(p.month)),
		days[1],
	}
	if p.second != 1 {
		columns = append([][]string{p.fieldTexts(d, fieldSecond, p.second)}, columns...)
	}
	if p.years != nil {
		columns = append(columns, []string{p.years.text()})
	} else if p.second != 1 {
		columns = append(columns, []string{"*"})
	}
	out := []string{""}
	for _, column := range columns {
		var longer []string
		for _, head := range out {
			for _, field := range column {
				longer = append(longer, head+" "+field)
			}
		}
		out = longer
	}
	for i, text := range out {
		out[i] = text[1:]
	}
	arrange.By(out, func(a, b string) int { return len(a) - len(b) })
	return out
}

func (y *yearSet) text() string { return string(y.appendTo(nil)) }

// nthWeekdays writes days and weekdays that must both hold as mon#2 does, where
// the days are whole weeks of the month.
func (p *plan) nthWeekdays() (string, bool) {
	if p.either || p.dom == fullDom || p.dow == fullDow || len(p.drawn) > 0 {
		return "", false
	}
	var items []string
	rest := p.dom
	for n := range 5 {
		week := (uint32(0xfe) << (7 * n)) & fullDom
		if n == 4 {
			week = 7 << 29
		}
		if p.dom&week != week {
			continue
		}
		rest &^= week
		for w := range 7 {
			if p.dow>>w&1 == 1 {
				items = append(items, fmt.Sprintf("%d#%d", w, n+1))
			}
		}
	}
	return strings.Join(items, ","), rest == 0
}
