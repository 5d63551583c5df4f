package specs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// foreign names what a refused text plainly is where it belongs to a scheduler
// that is no dialect here, and says it in the dialect's own way where that is
// known; nil for others.
func foreign(d Dialect, text string) *refusal {
	text = strings.TrimSpace(text)
	fs := strings.Fields(text)
	for _, form := range []func([]string) (name, five string, ok bool){
		awsForm, recurrenceForm, systemdForm, anacronForm, quartzExpression,
	} {
		name, five, ok := form(fs)
		if !ok {
			continue
		}
		r := &refusal{why: "this is " + name, next: "write minute, hour, day of month, month and day of week, with weekdays from 0 for Sunday"}
		switch expr, ok := fiveIn(d, five); {
		case ok:
			r.next = "write " + expr
		case strings.HasPrefix(five, "near"):
			r.next = "write the times of day in five fields" + strings.TrimPrefix(five, "near")
		}
		return r
	}
	return nil
}

// fiveIn writes for a dialect what supercronic reads in five fields: of the
// dialects it knows the most forms.
func fiveIn(d Dialect, five string) (string, bool) {
	p, bad := parseIn(Supercronic, five)
	if bad != nil {
		return "", false
	}
	p.normalise()
	text, why := Schedule{Text: five, Zone: "UTC", Dialect: Supercronic, plan: *p}.write(d)
	return text, why == "" && p.kind != kindNever
}

// awsForm is cron(…) and rate(…) of Amazon EventBridge.
func awsForm(fs []string) (name, five string, ok bool) {
	text := strings.Join(fs, " ")
	inner, closed := strings.CutSuffix(text, ")")
	if rate, ok := strings.CutPrefix(inner, "rate("); ok && closed {
		return "an AWS rate: it counts from when the rule was made", "near" + nearInterval(rateInterval(rate)), true
	}
	cron, ok := strings.CutPrefix(inner, "cron(")
	if !ok || !closed {
		return "", "", false
	}
	name = "an AWS cron expression: six fields with the year at the end, and weekdays count from 1 for Sunday"
	if fs = strings.Fields(cron); len(fs) == 6 && fs[5] == "*" {
		five = fromQuartz(fs[:5])
	}
	return name, five, true
}

func rateInterval(rate string) time.Duration {
	var n int
	var unit string
	if k, _ := fmt.Sscanf(rate, "%d %s", &n, &unit); k != 2 || n < 1 || n > 10000 {
		return 0
	}
	return time.Duration(n) * map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[strings.TrimSuffix(unit, "s")]
}

// recurrenceForm is RFC 5545.
func recurrenceForm(fs []string) (name, five string, ok bool) {
	up := strings.ToUpper(strings.Join(fs, " "))
	return "a recurrence rule of RFC 5545 (RRULE)", "", strings.HasPrefix(up, "RRULE:") || strings.Contains(up, "FREQ=")
}

// anacronForm is a line of anacrontab.
func anacronForm(fs []string) (name, five string, ok bool) {
	if len(fs) < 4 || !allDigits(fs[1]) || !allDigits(fs[0]) && word(fs[0]) == nil {
		return "", "", false
	}
	return "a line of anacrontab: days, delay in minutes, name and command, without a time of day", "", !timeShaped(fs[2]) && isAlnum(fs[2][0])
}

// timeShaped says that a word could be a time field of Quartz or one of its
// kind.
func timeShaped(w string) bool {
	for w != "" {
		i := strings.IndexAny(w, "0123456789*/,-?#")
		if i == 0 {
			w = w[1:]
			continue
		}
		if i < 0 {
			i = len(w)
		}
		letters := strings.ToLower(w[:i])
		if !slices.Contains(dowNames, letters) && !slices.Contains(monthNames, letters) && !slices.Contains(longNames, letters) &&
			letters != "l" && letters != "w" && letters != "lw" {
			return false
		}
		w = w[i:]
	}
	return true
}

// quartzExpression is six or seven time fields: Quartz, Spring and others with
// the seconds in front, or a year behind five.
func quartzExpression(fs []string) (name, five string, ok bool) {
	if n := len(fs); n < 6 || n > 7 || !slices.ContainsFunc(fs, timeShaped) || slices.ContainsFunc(fs, func(f string) bool { return !timeShaped(f) }) {
		return "", "", false
	}
	plain := strings.ContainsAny(strings.ToUpper(strings.Join(fs[3:], " ")), "?#") || slices.ContainsFunc([]string{fs[3], fs[5]}, func(f string) bool {
		return strings.HasSuffix(strings.ToUpper(f), "L") || strings.HasSuffix(strings.ToUpper(f), "W")
	})
	switch {
	case len(fs) == 6 && len(fs[5]) >= 4 && isDigit(fs[5][0]):
		return "an expression with a year at the end: 6 fields where 5 are read, and the year by supercronic only", "", true
	case plain || len(fs) == 7:
		name = fmt.Sprintf("a Quartz expression: %d fields where 5 are read, seconds first, and weekdays count from 1 for Sunday", len(fs))
	default:
		name = "an expression with seconds in front, as in Quartz, Spring and node-cron: 6 fields where 5 are read"
		if strings.ContainsAny(fs[5], "0123456789") {
			return name + " (leave out the seconds in front; Quartz counts the weekdays from 1 for Sunday, Spring from 0)", "", true
		}
	}
	if !allDigits(fs[0]) {
		return name + "; seconds are read by supercronic only", "", true
	}
	if len(fs) == 6 || fs[6] == "*" {
		five = fromQuartz(fs[1:6])
	}
	return name, five, true
}

// fromQuartz takes five fields to supercronic's numbers of weekdays.
func fromQuartz(fs []string) string {
	out := slices.Clone(fs)
	b := []byte(out[4])
	for i := range b {
		first := i == 0 || b[i-1] == ',' || b[i-1] == '-'
		if alone := i+1 == len(b) || !isDigit(b[i+1]); first && alone && '1' <= b[i] && b[i] <= '7' {
			b[i]--
		}
	}
	out[4] = string(b)
	return strings.Join(out, " ")
}

// systemdWords are the words of OnCalendar as five fields.
var systemdWords = map[string]string{
	"minutely": "* * * * *", "hourly": "0 * * * *", "daily": "0 0 * * *", "weekly": "0 0 * * 1", "monthly": "0 0 1 * *",
	"quarterly": "0 0 1 1,4,7,10 *", "semiannually": "0 0 1 1,7 *", "yearly": "0 0 1 1 *", "annually": "0 0 1 1 *",
}

// systemdForm is OnCalendar of a systemd timer: a word, or weekdays, a date and
// a time.
func systemdForm(fs []string) (name, five string, ok bool) {
	name = "a systemd OnCalendar expression"
	if len(fs) == 1 {
		if five, ok := systemdWords[strings.ToLower(fs[0])]; ok {
			return name, five, true
		}
	}
	if len(fs) == 0 || len(fs) > 4 || !slices.ContainsFunc(fs, systemdPart) {
		return "", "", false
	}
	minute, hour, dom, month, dow := "0", "0", "*", "*", "*"
	for i, f := range fs {
		switch date, clock := strings.Split(f, "-"), strings.Split(f, ":"); {
		case len(date) == 3 && date[0] == "*":
			month, dom = date[1], date[2]
		case len(clock) == 2 || len(clock) == 3 && strings.Trim(clock[2], "0") == "":
			hour, minute = clock[0], clock[1]
		case i == 0:
			dow = f
		default:
			return name, "", true
		}
	}
	if dom != "*" && dow != "*" {
		return name + ", in which the day and the weekday must both hold", "", true
	}
	return name, strings.ReplaceAll(strings.Join([]string{plainNumber(minute), plainNumber(hour), plainNumber(dom), plainNumber(month), dow}, " "), "..", "-"), true
}

// systemdPart says that a word is a date or a time of OnCalendar, or weekdays
// from one to another.
func systemdPart(f string) bool {
	return strings.HasPrefix(f, "*-") && strings.Count(f, "-") == 2 || strings.Contains(f, "..") ||
		strings.Contains(f, ":") && strings.Trim(f, "0123456789*:/,.") == ""
}

// plainNumber takes zeros in front away.
func plainNumber(s string) string {
	if n, err := strconv.Atoi(s); err == nil {
		return strconv.Itoa(n)
	}
	return s
}
