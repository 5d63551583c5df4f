package specs

// readPlain reads what five-field schedules mostly are, in one pass and without
// allocation: single blanks, and in each field *, */n, or a list of values and
// ascending ranges with or without a step, all within the field and in digits.
// In these, debian, cronie, GitHub and kubernetes differ in their stars alone.
// What it does not take is read by the dialect's own parser, as is all that
// gets a warning; that both mean the same is held by a test.
func readPlain(d Dialect, text string, p *plan) bool {
	if d != Debian && d != Cronie && d != GitHub && d != Kubernetes {
		return false
	}
	var sets [5]uint64
	var star [5]plainStar
	for i := range sets {
		n := 0
		if sets[i], n = plainField(i, text, &star[i]); n == 0 {
			return false
		}
		if i == fieldDow {
			text = text[n:]
			break
		}
		if n == len(text) || text[n] != ' ' {
			return false
		}
		text = text[n+1:]
	}
	if text != "" || star[fieldMinute] == starAlone && star[fieldHour] > starAlone || d == GitHub && githubWarns(sets[fieldMinute], star) {
		return false
	}
	free := func(i int) bool { return star[i] != starNone && (d != Kubernetes || star[i] != starStepped) }
	p.kind, p.second = kindCalendar, 1
	p.setFields(sets)
	p.starred = (d == Debian || d == Cronie) && (star[fieldMinute] != starNone || star[fieldHour] != starNone)
	p.either = !free(fieldDom) && !free(fieldDow)
	switch {
	case p.either:
		p.normaliseEither()
	case p.dom != fullDom: // else no month is without a day
		p.normaliseBoth()
	}
	if p.month == 0 {
		*p = plan{kind: kindNever}
	}
	return true
}

// plainStar is how a field begins.
type plainStar uint8

const (
	starNone    plainStar = iota
	starAlone             // *
	starByOne             // */1
	starStepped           // */n
)

// githubWarns says that GitHub's reading may come with a warning: minutes closer
// than 5, or a stepped star in a field of days.
func githubWarns(minutes uint64, star [5]plainStar) bool {
	close := minutes&(minutes>>1|minutes>>2|minutes>>3|minutes>>4) != 0 || minutes>>56 != 0 && minutes&0xf != 0
	return close || star[fieldDom] > starAlone || star[fieldDow] > starAlone
}

// plainField reads the field in front of s and says how long it is; 0 where it
// is not plain.
func plainField(i int, s string, star *plainStar) (set uint64, n int) {
	f := &fields[i]
	if s != "" && s[0] == '*' {
		step := 1
		*star = starAlone
		if n = 1; n < len(s) && s[n] == '/' {
			var width int
			if step, width = twoDigits(s[n+1:]); width == 0 || step < 1 || step > f.high {
				return 0, 0
			}
			n += 1 + width
			if *star = starStepped; step == 1 {
				*star = starByOne
			}
		}
		return stepSet(f.low, f.high, step), n
	}
	for {
		low, width := twoDigits(s[n:])
		if n += width; width == 0 || low < f.low || low > f.high {
			return 0, 0
		}
		high, step := low, 1
		if n < len(s) && s[n] == '-' {
			high, width = twoDigits(s[n+1:])
			if n += 1 + width; width == 0 || high < low || high > f.high {
				return 0, 0
			}
			if n < len(s) && s[n] == '/' {
				step, width = twoDigits(s[n+1:])
				if n += 1 + width; width == 0 || step < 1 || step > f.high {
					return 0, 0
				}
			}
		}
		set |= stepSet(low, high, step)
		if n == len(s) || s[n] != ',' {
			return set, n
		}
		n++
	}
}

// stepSet has low, low+step … up to high.
func stepSet(low, high, step int) uint64 {
	if step == 1 {
		return (1<<(high+1) - 1) &^ (1<<low - 1)
	}
	return stepped(low, high, step)
}

// twoDigits reads one or two digits; none, or more, are no width.
func twoDigits(s string) (v, width int) {
	for width < len(s) && isDigit(s[width]) {
		v = v*10 + int(s[width]-'0')
		if width++; width == 3 {
			return 0, 0
		}
	}
	return v, width
}
