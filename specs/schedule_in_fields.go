package specs

import (
	"fmt"
	"math/bits"
	"strings"
)

// fieldTexts are ways to write the set of one field, the most conventional
// first. In the vixie family the first character is a flag, and in a field of
// days it may decide how the two go together; so there is one that begins with
// a star and one that does not, where the set allows it.
func (p *plan) fieldTexts(d Dialect, field int, set uint64) []string {
	f := &fieldSeconds
	if field < len(fields) {
		f = &fields[field]
	}
	all := (uint64(1)<<(f.high+1) - 1) &^ (1<<f.low - 1)
	if drawn := p.drawTexts(f, field); drawn != "" {
		if set == 0 {
			return []string{drawn}
		}
		return []string{drawn + "," + listText(set)}
	}
	if set == 0 {
		return nil
	}
	if set == all {
		return []string{"*", fmt.Sprintf("%d-%d", f.low, f.high), "*/1"}
	}
	var out []string
	add := func(text string) {
		for _, t := range out {
			if t == text {
				return
			}
		}
		out = append(out, text)
	}
	if n := starStep(f, set, f.low); n > 0 {
		add(fmt.Sprintf("*/%d", n))
	}
	if n := starStep(f, set, 0); d == Busybox && field == fieldDom && n > 0 {
		add(fmt.Sprintf("*/%d", n))
	}
	first, last := bits.TrailingZeros64(set), 63-bits.LeadingZeros64(set)
	if n := progression(set, first, last); n > 1 && bits.OnesCount64(set) > 3 {
		add(fmt.Sprintf("%d-%d/%d", first, last, n))
	}
	add(listText(set))
	if set>>f.low&1 == 1 && (d == Debian || d == Cronie || d == GitHub) {
		add(starList(f, set))
	}
	return out
}

// starStep is n for the set low, low+n … up to the end of the field; 0 for
// others. A low below the field is left out of the set.
func starStep(f *field, set uint64, low int) int {
	first := bits.TrailingZeros64(set)
	n := first - low
	if low == f.low {
		if first != low || set&(set-1) == 0 {
			return 0
		}
		n = bits.TrailingZeros64(set&(set-1)) - low
	}
	if n < 1 {
		return 0
	}
	for v := low; v <= f.high; v += n {
		if v >= f.low && set>>v&1 == 0 {
			return 0
		}
		set &^= 1 << v
	}
	if set != 0 {
		return 0
	}
	return n
}

// listText writes values and ranges of three or more.
func listText(set uint64) string {
	var items []string
	for set != 0 {
		first := bits.TrailingZeros64(set)
		run := bits.TrailingZeros64(^(set >> first))
		set &^= (1<<run - 1) << first
		switch run {
		case 1:
			items = append(items, fmt.Sprint(first))
		case 2:
			items = append(items, fmt.Sprint(first), fmt.Sprint(first+1))
		default:
			items = append(items, fmt.Sprintf("%d-%d", first, first+run-1))
		}
	}
	return strings.Join(items, ",")
}

// starList writes a set with the field's lowest value so that it begins with a
// star: a step as large as the field takes the lowest value alone.
func starList(f *field, set uint64) string {
	text := fmt.Sprintf("*/%d", f.high-f.low+1)
	if f.names != nil && f.high == 6 {
		text = "*/7"
	}
	if rest := set &^ (1 << f.low); rest != 0 {
		text += "," + listText(rest)
	}
	return text
}

func (p *plan) drawTexts(f *field, field int) string {
	var items []string
	for _, d := range p.drawn {
		if d.field != field {
			continue
		}
		if d.low == f.low && d.high == vixieHigh(f) {
			items = append(items, "~")
		} else {
			items = append(items, fmt.Sprintf("%d~%d", d.low, d.high))
		}
	}
	return strings.Join(items, ",")
}
