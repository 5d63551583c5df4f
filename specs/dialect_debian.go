package specs

import "strings"

// parseDebian reads as cron 3.0pl1 does: five fields split at blanks and tabs.
// In a field the program stops at the first character that it cannot use and
// drops the rest up to the next blank, so mon#2 is every Monday and ** is *.
// A step needs * or a range before it. A reversed range is empty.
func parseDebian(text string) (*plan, *refusal) {
	return parseVixie(Debian, text, debianList)
}

// parseVixie is what debian and cronie share: the words, the number of fields,
// and the star flags that go by a field's first character.
func parseVixie(d Dialect, text string, list func(*plan, int, string) (uint64, bool)) (*plan, *refusal) {
	fs, n := blankFields(text)
	if n > 0 && fs[0][0] == '@' {
		p := word(fs[0])
		if p == nil || n > 1 {
			return nil, vixieWordRefusal(text, n)
		}
		return p, nil
	}
	if d == Cronie && n > 0 && len(fs[0]) > 1 && fs[0][0] == '-' {
		fs[0] = fs[0][1:] // do not log this job
	}
	if n != 5 {
		return nil, countRefusal(n)
	}
	p := &plan{kind: kindCalendar, second: 1}
	var sets [5]uint64
	for i := range sets {
		var ok bool
		if sets[i], ok = list(p, i, fs[i]); !ok {
			return nil, explain(d, &fields[i], fs[i])
		}
		if len(fs[i]) > 9 {
			p.warnOverflow(i, fs[i])
		}
	}
	p.setFields(sets)
	p.starred = fs[fieldMinute][0] == '*' || fs[fieldHour][0] == '*'
	p.either = fs[fieldDom][0] != '*' && fs[fieldDow][0] != '*'
	p.warnSixthHour(fs[fieldMinute], fs[fieldHour])
	return p, nil
}

// warnReversed is for a list with a range of which nothing is set. Where the
// list has no other value, the schedule never fires and that says it.
func (p *plan) warnReversed(f *field, token string, set uint64) {
	if set != 0 {
		p.warn("%s %.80q: a range is reversed and has no value here", f.name, token)
	}
}

func vixieWordRefusal(text string, n int) *refusal {
	if w, rest, _ := strings.Cut(strings.TrimLeft(text, " \t"), " "); n > 1 && word(w) != nil {
		return &refusal{why: "text after " + w + " belongs to the command", next: "leave out " + quoteShort(rest)}
	}
	return wordRefusal(text, "@hourly, @daily, @weekly, @monthly, @yearly, @reboot")
}

// setFields takes the five sets; weekday 7 is Sunday.
func (p *plan) setFields(sets [5]uint64) {
	p.minute = sets[fieldMinute]
	p.hour = uint32(sets[fieldHour])
	p.dom = uint32(sets[fieldDom])
	p.month = uint16(sets[fieldMonth])
	dow := sets[fieldDow]
	p.dow = uint8((dow | dow>>7) & uint64(fullDow))
}

func debianList(p *plan, i int, s string) (uint64, bool) {
	f, whole := &fields[i], s
	var set uint64
	reversed := false
	for {
		span, rest, ok := debianRange(f, s)
		if !ok || rest != "" && rest[0] == 0xff { // which the program takes for the end of the file
			return 0, false
		}
		set, reversed = set|span, reversed || span == 0
		if rest == "" || rest[0] != ',' {
			if reversed {
				p.warnReversed(f, whole, set)
			}
			p.warnDropped(f, s, rest)
			return set, true
		}
		s = rest[1:]
	}
}

// debianRange reads * or a value or low-high, then /step, and returns what is
// left.
func debianRange(f *field, s string) (set uint64, rest string, ok bool) {
	low, high := int32(f.low), int32(vixieHigh(f))
	if s != "" && s[0] == '*' {
		rest = s[1:]
	} else {
		if low, rest, ok = vixieNumber(f, s); !ok {
			return 0, "", false
		}
		if rest == "" || rest[0] != '-' {
			set, ok = vixieSpan(f, low, low, 1)
			return set, rest, ok && (rest == "" || rest[0] != '/')
		}
		if high, rest, ok = vixieNumber(f, rest[1:]); !ok {
			return 0, "", false
		}
	}
	step := int32(1)
	if rest != "" && rest[0] == '/' {
		if step, rest, ok = vixieNumber(nil, rest[1:]); !ok || step <= 0 {
			return 0, "", false
		}
	}
	if !f.holds(low) || !f.holds(high) {
		return 0, "", false
	}
	set, ok = vixieSpan(f, low, high, step)
	return set, rest, ok
}

// holds says that a value lies in the field, as the vixie family sees it.
func (f *field) holds(v int32) bool { return f.low <= int(v) && int(v) <= vixieHigh(f) }

// vixieHigh is the highest value: in the vixie family 7 is a Sunday too.
func vixieHigh(f *field) int {
	if f.high == 6 {
		return 7
	}
	return f.high
}

// vixieNumber takes all letters and digits in front: a name of f or a decimal
// number, which overflows as C's int does (measured: 4294967297 is 1).
func vixieNumber(f *field, s string) (n int32, rest string, ok bool) {
	i := 0
	for i < len(s) && isAlnum(s[i]) {
		i++
	}
	tok := s[:i]
	if f != nil {
		if v, ok := f.named(tok); ok {
			return int32(v), s[i:], true
		}
	}
	v, digits := cNumber(tok)
	return int32(v), s[i:], i > 0 && digits == i
}

func isAlnum(c byte) bool {
	return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cNumber is strtol: the digits in front, as many as there are, no more than
// the largest long.
func cNumber(s string) (v int64, digits int) {
	const most = 1<<63 - 1
	for digits < len(s) && isDigit(s[digits]) {
		d := int64(s[digits] - '0')
		if v > (most-d)/10 {
			v = most
		} else {
			v = v*10 + d
		}
		digits++
	}
	return v, digits
}

// vixieSpan sets low, low+step … up to high. One value outside the field
// refuses all; a reversed range has no value at all.
func vixieSpan(f *field, low, high, step int32) (set uint64, ok bool) {
	for i := low; i <= high; i += step {
		if !f.holds(i) {
			return 0, false
		}
		set |= 1 << uint(i)
	}
	return set, true
}
