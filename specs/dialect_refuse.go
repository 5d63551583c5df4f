package specs

import (
	"fmt"
	"strings"
	"time"
)

// better is the refusal with what the text is and how the dialect says it,
// where that is known: it belongs to another kind of scheduler, or to other
// dialects that agree on its meaning.
func (r *refusal) better(d Dialect, text string) *refusal {
	if f := foreign(d, text); f != nil {
		return f
	}
	expr, why := elsewhere(d, text)
	switch {
	case expr == "" && why == "":
	case expr == "":
		r.next = why
	case r.field == "" || strings.Contains(r.next, ";"):
		r.next = "write " + expr
	default:
		r.next += ": " + expr
	}
	return r
}

// elsewhere reads a text in the other dialects and writes for this one what all
// that take it mean by it; for an interval and @reboot it says why there is no
// such text. Busybox is not asked: it takes nearly everything.
func elsewhere(d Dialect, text string) (expr, why string) {
	var meant *plan
	for _, other := range Dialects() {
		if other == d || other == Busybox {
			continue
		}
		p, bad := parseIn(other, text)
		if bad != nil {
			continue
		}
		if p.normalise(); p.kind == kindNever || len(p.warnings) > 0 || len(p.drawn) > 0 {
			continue
		}
		if meant != nil && (p.kind != meant.kind || string(p.appendSlots(nil)) != string(meant.appendSlots(nil))) {
			return "", ""
		}
		meant = p
	}
	if meant == nil {
		return "", ""
	}
	expr, why = Schedule{Text: text, Zone: "UTC", plan: *meant}.write(d)
	if meant.kind == kindCalendar {
		why = "" // the reason of the field itself is nearer
	}
	return expr, why
}

// explain finds the likeliest reason why a field was refused. It judges text
// that is refused already, so a wrong guess costs a hint and nothing else.
func explain(d Dialect, f *field, token string) *refusal {
	r := &refusal{field: f.name, token: token}
	r.why, r.next = reason(d, f, token)
	return r
}

func reason(d Dialect, f *field, token string) (why, next string) {
	up := strings.ToUpper(token)
	values := fmt.Sprintf("write numbers from %d to %d, ranges, lists and steps", f.low, f.high)
	switch {
	case strings.Contains(token, "?"):
		return "? is Quartz syntax", "write *"
	case strings.ContainsAny(token, "#"):
		return "# (the nth weekday) is Quartz syntax", "write the weekday alone and test the date in the job; supercronic reads #"
	case strings.HasPrefix(up, "H"):
		return "H is Jenkins syntax", "write a number"
	case strings.Contains(token, "~"):
		if d == Cronie {
			return "a random range is low~high, without a step", "write low~high"
		}
		return "random times are read by cronie only", "write a number"
	case f.name == "day of month" && (up == "L" || up == "LW" || strings.HasSuffix(up, "W") || strings.HasPrefix(up, "L-")):
		return "L and W are Quartz syntax", "write the days as numbers; supercronic reads L, LW and 15W"
	case f.name == "day of week" && strings.HasSuffix(up, "L"):
		return "L (the last weekday) is Quartz syntax", "write the weekday alone and test the date in the job; supercronic reads 5L"
	case token == "" || strings.HasPrefix(token, ",") || strings.HasSuffix(token, ",") || strings.Contains(token, ",,"):
		return "the list has an empty member", "leave out the comma"
	}
	for _, item := range strings.Split(token, ",") {
		if why, next = itemReason(d, f, item); why != "" {
			return why, next
		}
	}
	return "cannot be read", values
}

func itemReason(d Dialect, f *field, item string) (why, next string) {
	span, step, stepped := strings.Cut(item, "/")
	lo, hi, ranged := strings.Cut(span, "-")
	a, aok := plainValue(f, lo)
	b, bok := plainValue(f, hi)
	if d == Debian || d == Cronie {
		if stepped && !ranged && aok && allDigits(step) && len(step) < 10 {
			return "a step after a single number is refused", fmt.Sprintf("write %s-%d/%s", lo, f.high, step)
		}
	}
	switch {
	case stepped && strings.Trim(step, "0") == "":
		return "a step must be 1 or more", "write */n with n from 1"
	case f.name == "day of week" && (aok && a == 7 || ranged && bok && b == 7):
		if ranged && aok && a > 0 && a < 7 {
			return "7 is no weekday here", fmt.Sprintf("write 0,%d-6 (0 is Sunday)", a)
		}
		return "7 is no weekday here", "write 0 for Sunday"
	case aok && (a < f.low || a > f.high):
		return "out of range", fmt.Sprintf("write a number from %d to %d", f.low, f.high)
	case ranged && bok && (b < f.low || b > f.high):
		return "out of range", fmt.Sprintf("write a number from %d to %d", f.low, f.high)
	case ranged && aok && bok && a > b:
		return "the range is reversed", fmt.Sprintf("write %s-%d,%d-%s", lo, f.high, f.low, hi)
	case f.names != nil && longName(f, lo) || f.names != nil && longName(f, hi):
		return "only names of three letters are read", "write " + strings.ToLower(lo[:min(3, len(lo))])
	}
	return "", ""
}

// plainValue is a number of up to four digits, or a name.
func plainValue(f *field, s string) (int, bool) {
	if v, ok := f.named(s); ok {
		return v, true
	}
	if s == "" || len(s) > 4 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func longName(f *field, s string) bool {
	if len(s) <= 3 {
		return false
	}
	_, ok := f.named(s[:3])
	return ok
}

// intervalNext says why an interval is no set of times, and what comes near.
func intervalNext(every time.Duration) string {
	return "@every is read by kubernetes only, and counts from the last run; write the times of day in five fields" + nearInterval(every)
}

// nearInterval is the expression whose instants lie as far apart, where a unit
// divides into it.
func nearInterval(every time.Duration) string {
	const near = ": nearest is %s, which runs at set times of the clock and not after the last run"
	minutes := int(every / time.Minute)
	switch {
	case every%time.Minute != 0:
	case minutes == 1:
		return fmt.Sprintf(near, "* * * * *")
	case minutes > 0 && minutes < 60 && 60%minutes == 0:
		return fmt.Sprintf(near, fmt.Sprintf("*/%d * * * *", minutes))
	case minutes == 60:
		return fmt.Sprintf(near, "0 * * * *")
	case minutes == 24*60:
		return fmt.Sprintf(near, "0 0 * * *")
	case minutes%60 == 0 && minutes < 24*60 && 24*60%minutes == 0:
		return fmt.Sprintf(near, fmt.Sprintf("0 */%d * * *", minutes/60))
	}
	return ""
}
