package specs

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Words says in English when the schedule is due: what the canonical form
// says, no more and no less, so of two schedules of one zone the words are
// equal exactly where the canonical forms are.
//
//	at 03:00 and 15:00 every day (UTC)
//	every 5 minutes of the hours 9 to 17, Monday to Friday (Europe/Berlin)
//	at 00:00, on day 1 of the month or on Monday, in July (the scheduler's own zone)
//
// The libraries of this kind (lnquy/cron and others after
// cron-expression-descriptor) read the text by no dialect's rules: they say
// "on day 1 and on Monday" for both day rules, and 0,60 for */60.
func (s Schedule) Words() string {
	if s.plan.kind == kindUnread {
		return fmt.Sprintf("not read: %.200q", s.Text)
	}
	switch s.plan.kind {
	case kindNever:
		return "never"
	case kindReboot:
		return "when the scheduler starts"
	case kindInterval:
		return "every " + shortDuration(s.plan.every) + " after the last run"
	}
	parts := []string{s.plan.timeWords()}
	if days := s.plan.dayWords(); days != "" {
		parts = append(parts, days)
	} else if strings.HasPrefix(parts[0], "at ") && strings.Contains(parts[0], ":") {
		parts[0] += " every day"
	}
	if s.plan.days == nil && (s.plan.month != fullMonth || s.plan.draws(fieldMonth)) {
		parts = append(parts, s.plan.monthWords())
	}
	if s.plan.years != nil {
		parts = append(parts, s.plan.years.words())
	}
	if tag := s.plan.clockTag(zoneClock(s.Zone), s.clockRule()); tag != "" {
		parts = append(parts, clockWords[tag])
	}
	return strings.Join(parts, ", ") + " (" + s.zoneWords() + ")"
}

// clockWords are the words for the part c: of the canonical form.
var clockWords = map[string]string{
	"once":        "once where the clock skips or repeats an hour",
	"first":       "not where the clock skips an hour, and once where it repeats one",
	"github":      "after an hour that the clock skips, and once in a repeated one",
	"supercronic": "as supercronic has it where the clock skips or repeats an hour",
	"robfig":      "as the CronJob controller has it where the clock changes",
}

func (s Schedule) zoneWords() string {
	if s.Zone == Local || s.Zone == "" {
		return "the scheduler's own zone"
	}
	return s.Zone
}

// shortDuration leaves out the parts of 0 at the end.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// draws says that some value of the field is drawn.
func (p *plan) draws(field int) bool {
	for _, d := range p.drawn {
		if d.field == field {
			return true
		}
	}
	return false
}

// fewTimes is up to how many times of day are listed one by one.
const fewTimes = 4

// timeWords names the units from the smallest on. What is every one of its unit
// says so once: every minute, and then not of every hour.
func (p *plan) timeWords() string {
	minutes, hours := p.draws(fieldMinute), p.draws(fieldHour)
	if !minutes && !hours && bits.OnesCount64(p.second)*bits.OnesCount64(p.minute)*bits.OnesCount32(p.hour) <= fewTimes {
		return "at " + listWords(p.times(), "and")
	}
	words, every := "", false
	add := func(unit string, field, size int, set uint64, drawn bool) {
		full := set == 1<<size-1 && !drawn
		if full && every {
			return
		}
		every = full
		phrase := "every " + unit
		if n := evenStep(set, size); words == "" && n > 1 && !drawn {
			phrase, every = fmt.Sprintf("every %d %ss", n, unit), true
		} else if !full {
			phrase = p.setWords(unit, field, set)
		}
		if words == "" {
			words = phrase
		} else {
			words += " of " + phrase
		}
	}
	if p.second != 1 {
		add("second", fieldSecond, 60, p.second, false)
	}
	add("minute", fieldMinute, 60, p.minute, minutes)
	add("hour", fieldHour, 24, uint64(p.hour), hours)
	if strings.HasPrefix(words, "every ") {
		return words
	}
	return "at " + words
}

// evenStep is n for the set 0, n, 2n … that goes on evenly into the next unit.
func evenStep(set uint64, size int) int {
	if set&1 == 0 || set == 1 {
		return 0
	}
	n := bits.TrailingZeros64(set &^ 1)
	if size%n != 0 || set != stepped(0, size-1, n) {
		return 0
	}
	return n
}

func (p *plan) times() (out []string) {
	for tod, ok := p.nextTime(0); ok; tod, ok = p.nextTime(tod + 1) {
		clock := fmt.Sprintf("%02d:%02d", tod/3600, tod/60%60)
		if p.second != 1 {
			clock += fmt.Sprintf(":%02d", tod%60)
		}
		out = append(out, clock)
	}
	return out
}

// setWords names the values of a field: minute 5, or the hours 9 to 17.
func (p *plan) setWords(unit string, field int, set uint64) string {
	out := p.drawWords(unit, field, strconv.Itoa)
	if set == 0 && len(out) > 0 {
		return listWords(out, "and")
	}
	return listWords(append(out, plural(unit, "the "+unit+"s", setList(set))), "and")
}

func (p *plan) drawWords(unit string, field int, name func(int) string) (out []string) {
	for _, d := range p.drawn {
		if d.field == field {
			out = append(out, fmt.Sprintf("one %s between %s and %s that the scheduler draws", unit, name(d.low), name(d.high)))
		}
	}
	return out
}

// plural puts the name for one or for several before a list.
func plural(one, several string, list []string) string {
	switch {
	case len(list) == 0:
		return "no " + one
	case len(list) == 1 && !strings.Contains(list[0], " "):
		return one + " " + list[0]
	}
	return several + " " + listWords(list, "and")
}

// setList has the values of a set, three or more in a row as one and five or
// more at one distance too.
func setList(set uint64) []string {
	var values []int
	for ; set != 0; set &= set - 1 {
		values = append(values, bits.TrailingZeros64(set))
	}
	return numberList(values)
}

func numberList(values []int) (out []string) {
	if n := len(values); n > 4 && values[1]-values[0] > 1 && evenly(values) {
		return []string{fmt.Sprintf("%d to %d in steps of %d", values[0], values[n-1], values[1]-values[0])}
	}
	for _, run := range runs(values) {
		if n := len(run); n > 2 {
			out = append(out, fmt.Sprintf("%d to %d", run[0], run[n-1]))
			continue
		}
		for _, v := range run {
			out = append(out, strconv.Itoa(v))
		}
	}
	return out
}

func evenly(values []int) bool {
	for i := 2; i < len(values); i++ {
		if values[i]-values[i-1] != values[1]-values[0] {
			return false
		}
	}
	return true
}

// runs cuts ascending values where one does not follow the other.
func runs(values []int) (out [][]int) {
	start := 0
	for i := 1; i <= len(values); i++ {
		if i == len(values) || values[i] != values[i-1]+1 {
			out = append(out, values[start:i])
			start = i
		}
	}
	return out
}

// listWords joins with commas, and before the last with a word.
func listWords(list []string, last string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " " + last + " " + list[n-1]
	}
	return strings.Join(list, "")
}
