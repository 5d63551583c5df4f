package specs

import (
	"fmt"
	"math"
	"strings"
)

// parseBusybox reads as busybox crond 1.37 does. An error in a field is logged
// and what was read before it is kept, so the job runs, often wider than
// written: weekday 7, hour 24 and minute 60 never meet their end and fill the
// whole field. Such a schedule is judged by what it does, with a warning; only
// where nothing is left to run is it refused.
func parseBusybox(text string) (*plan, *refusal) {
	for i := 0; i < len(text); i++ {
		if text[i] == '#' {
			return nil, &refusal{why: "# starts a comment anywhere in the line", next: "leave out everything from # on"}
		}
	}
	fs, n := blankFields(text)
	if n > 0 && fs[0][0] == '@' {
		r := wordRefusal(text, "")
		if word(fs[0]) != nil {
			r.why = "@words stop this daemon or are compiled out"
		}
		return nil, r
	}
	if n != 5 {
		return nil, countRefusal(n)
	}
	p := &plan{kind: kindCalendar, second: 1, either: true}
	var sets [5]uint64
	var broken *refusal
	for i := range sets {
		var ok bool
		if sets[i], ok = busyboxField(i, fs[i]); !ok {
			broken = explain(Busybox, &fields[i], fs[i])
			p.warn("%s %.80q: busybox logs a parse error and runs the job by what it read before (%s)%s", fields[i].name, fs[i], broken.why, busyboxWider(i, sets[i]))
		}
		p.warnBusyboxStep(i, fs[i])
		if len(fs[i]) > 9 {
			p.warnOverflow(i, fs[i])
		}
	}
	busyboxDays(&sets)
	p.setFields(sets)
	p.warnSixthHour(fs[fieldMinute], fs[fieldHour])
	if broken != nil {
		q := *p
		if q.normalise(); q.kind == kindNever {
			return nil, broken
		}
	}
	return p, nil
}

// busyboxWider says that a value outside the field has set all of it.
func busyboxWider(i int, set uint64) string {
	if f := fields[i]; set>>f.low == 1<<(f.high-f.low+1)-1 {
		return ", which is every " + f.name + ": a fault of its ParseField in miscutils/crond.c"
	}
	return ""
}

// warnBusyboxStep is for steps that the program reads in its own way.
func (p *plan) warnBusyboxStep(i int, s string) {
	slash := strings.IndexByte(s, '/')
	if slash < 0 || s[0] == '*' && i != fieldDom && s[slash:] < "/:" && s[slash:] > "/1" && strings.IndexByte(s, ',') < 0 {
		return // no step, or the usual */n
	}
	for more := true; more; {
		var item string
		item, s, more = strings.Cut(s, ",")
		span, step, stepped := strings.Cut(item, "/")
		const fault = "; a fault of its ParseField in miscutils/crond.c"
		switch {
		case !stepped:
		case step != "" && strings.Trim(step, "0") == "":
			p.warn("%s %.80q: busybox takes a step of 0 for the first value alone"+fault, fields[i].name, item)
		case span != "*" && !strings.Contains(span, "-"):
			p.warn("%s %.80q: busybox drops a step after a single value"+fault, fields[i].name, item)
		case i == fieldDom && span == "*" && step != "1":
			p.warn("%s %.80q: busybox counts the days from 0, so */2 is the even days"+fault+"; write 1-31/%.20s for the days from 1 on", fields[i].name, item, step)
		}
	}
}

// busyboxDays: of a full and a true set of days and weekdays only the true one
// counts; else either is enough. A full set of days has the bit 0 too, which *
// sets and 1-31 does not.
func busyboxDays(sets *[5]uint64) {
	dayUsed := sets[fieldDom] != 1<<32-1
	weekUsed := sets[fieldDow] != uint64(fullDow)
	if weekUsed && !dayUsed {
		sets[fieldDom] = 0
	} else if dayUsed && !weekUsed {
		sets[fieldDow] = 0
	}
	sets[fieldDom] &= uint64(fullDom)
}

// busyboxField returns what is set in the end, and whether no error is logged.
// Days count from 0, so */2 is the even days.
func busyboxField(i int, s string) (set uint64, ok bool) {
	f := &fields[i]
	size, off := int32(f.high+1), int32(0)
	if i == fieldMonth {
		size, off = 12, -1
	}
	for {
		n1, n2, skip := int32(-1), int32(-1), int32(1)
		for {
			was := s
			n1, n2, s = busyboxValue(f, size, off, n1, n2, s)
			if s == was {
				return shiftMonth(i, set), false
			}
			if s == "" || s[0] != '-' || n2 >= 0 {
				break
			}
			s = s[1:]
		}
		if n2 < 0 {
			n2 = n1
		}
		if s != "" && s[0] == '/' {
			skip, s = busyboxStep(s[1:])
		}
		span, ok := busyboxSpan(size, n1, n2, skip)
		set |= span
		if !ok {
			return shiftMonth(i, set), false
		}
		if s == "" || s[0] != ',' {
			return shiftMonth(i, set), s == ""
		}
		s = s[1:]
	}
}

// shiftMonth: the program counts months from 0.
func shiftMonth(i int, set uint64) uint64 {
	if i == fieldMonth {
		return set << 1
	}
	return set
}

// busyboxValue reads one *, number or name. The first goes to n1 unless that
// is set already, the second to n2. Of a name only three letters are looked at.
func busyboxValue(f *field, size, off, n1, n2 int32, s string) (int32, int32, string) {
	var v int32
	switch {
	case s == "":
		return n1, n2, s
	case s[0] == '*':
		return 0, size - 1, s[1:]
	case isDigit(s[0]):
		long, digits := cNumber(s)
		v, s = int32(long+int64(off)), s[digits:]
	default:
		if len(s) < 3 {
			return n1, n2, s
		}
		named, ok := f.named(s[:3])
		if !ok {
			return n1, n2, s
		}
		v, s = int32(named-f.low), s[3:]
	}
	if n1 < 0 {
		return v, n2, s
	}
	return n1, v, s
}

// busyboxStep is strtol with its white space and sign. Nothing to read is 0,
// which sets the first value only, as a negative step does.
func busyboxStep(s string) (int32, string) {
	t := strings.TrimLeft(s, "\v\f\r")
	sign := int64(1)
	if t != "" && (t[0] == '+' || t[0] == '-') {
		if t[0] == '-' {
			sign = -1
		}
		t = t[1:]
	}
	v, digits := cNumber(t)
	if digits == 0 {
		return 0, s
	}
	if sign < 0 && v == math.MaxInt64 {
		return 0, t[digits:] // the least long, cut to an int
	}
	return int32(sign * v), t[digits:]
}

// busyboxSpan walks round the field from n1 until it meets n2. An n2 outside
// the field is never met: the walk sets all and ends after 1,024 steps in an
// error.
func busyboxSpan(size, n1, n2, skip int32) (set uint64, ok bool) {
	countdown := int32(1)
	n1--
	for left := 1024; ; {
		n1 = (n1 + 1) % size
		if countdown--; countdown == 0 {
			if n1 >= 0 {
				set |= 1 << uint(n1)
			}
			countdown = skip
		}
		if left--; left == 0 {
			return set, false
		}
		if n1 == n2 {
			return set, true
		}
	}
}

func (p *plan) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// warnDropped is for text in a field that the program skips.
func (p *plan) warnDropped(f *field, token, rest string) {
	if rest != "" {
		p.warn("%s %.80q: %.80q is dropped without a word, a fault of cron 3.0pl1 (get_list in entry.c)", f.name, token, rest)
	}
}

// warnOverflow is for numbers that C's int does not hold.
func (p *plan) warnOverflow(i int, s string) {
	for at := 0; at < len(s); at++ {
		v, digits := cNumber(s[at:])
		if digits > 0 && v != int64(int32(v)) {
			p.warn("%s %.80q: %.40s overflows and is read as %d, a fault of the program's use of C's int", fields[i].name, s, s[at:at+digits], int32(v))
		}
		at += digits
	}
}

// warnSixthHour is for a star in the minute above a stepped hour.
func (p *plan) warnSixthHour(minute, hour string) {
	if minute == "*" && len(hour) > 2 && hour[:2] == "*/" {
		p.warn("hour %.80q with minute *: due in every minute of these hours, 60 times; write 0 in the minute for once", hour)
	}
}

func quoteShort(s string) string { return fmt.Sprintf("%.80q", s) }
