package specs

// parseCronie reads as cronie 1.7.2 does: as debian, but nothing may stand
// behind a value, and low~high is drawn when the table is loaded.
func parseCronie(text string) (*plan, *refusal) {
	return parseVixie(Cronie, text, cronieList)
}

func cronieList(p *plan, i int, s string) (uint64, bool) {
	whole, reversed := s, false
	var set uint64
	for {
		drawn := len(p.drawn)
		span, rest, ok := cronieRange(p, i, s)
		if !ok || rest != "" && rest[0] != ',' {
			return 0, false
		}
		set, reversed = set|span, reversed || span == 0 && len(p.drawn) == drawn
		if rest == "" {
			if reversed {
				p.warnReversed(&fields[i], whole, set)
			}
			return set, true
		}
		s = rest[1:]
	}
}

func cronieRange(p *plan, i int, s string) (set uint64, rest string, ok bool) {
	f := &fields[i]
	low, high := int32(f.low), int32(vixieHigh(f))
	switch {
	case s == "":
		return 0, "", false
	case s[0] == '~':
		return cronieDraw(p, i, low, s[1:])
	case s[0] == '*':
		rest = s[1:]
	default:
		if low, rest, ok = vixieNumber(f, s); !ok {
			return 0, "", false
		}
		switch {
		case rest != "" && rest[0] == '~':
			return cronieDraw(p, i, low, rest[1:])
		case rest != "" && rest[0] == '-':
			if high, rest, ok = vixieNumber(f, rest[1:]); !ok {
				return 0, "", false
			}
		default:
			set, ok = vixieSpan(f, low, low, 1)
			return set, rest, ok
		}
	}
	step := int32(1)
	if rest != "" && rest[0] == '/' {
		if step, rest, ok = vixieNumber(nil, rest[1:]); !ok || step == 0 {
			return 0, "", false
		}
	}
	set, ok = vixieSpan(f, low, high, step)
	return set, rest, ok
}

// cronieDraw reads what stands behind the ~. A range of one value draws that.
// A range that leaves the field is refused here: the program loads the line or
// drops it as the draw falls.
func cronieDraw(p *plan, i int, low int32, s string) (set uint64, rest string, ok bool) {
	f := &fields[i]
	high, rest := int32(vixieHigh(f)), s
	if s != "" && s[0] != ',' {
		if high, rest, ok = vixieNumber(f, s); !ok {
			return 0, "", false
		}
	}
	if low > high || !f.holds(low) || !f.holds(high) {
		return 0, "", false
	}
	if low == high {
		return 1 << uint(low), rest, true
	}
	p.drawn = append(p.drawn, drawn{i, int(low), int(high)})
	return 0, rest, true
}
