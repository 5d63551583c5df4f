package specs

import "strings"

// parseSupercronic reads as supercronic 0.2.48 does.
func parseSupercronic(text string) (*plan, *refusal) {
	fs := strings.Fields(text)
	if len(fs) == 1 && strings.HasPrefix(fs[0], "@") {
		if p := word(fs[0]); p != nil && p.kind == kindCalendar && fs[0] != "@midnight" {
			return p, nil
		}
		return nil, wordRefusal(text, "@hourly, @daily, @weekly, @monthly, @yearly")
	}
	if len(fs) != 5 {
		return nil, countRefusal(len(fs))
	}
	p := &plan{second: 1}
	var sets [5]uint64
	var stars [5]bool
	for i := range sets {
		var ok bool
		if sets[i], stars[i], ok = robfigField(&fields[i], fs[i]); !ok {
			return nil, explain(Supercronic, &fields[i], fs[i])
		}
	}
	p.setFields(sets)
	p.either = !stars[fieldDom] && !stars[fieldDow]
	return p, nil
}
