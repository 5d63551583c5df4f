package specs

import (
	"strconv"
	"strings"
)

// parseGitHub reads as GitHub's own editor check does (npm
// @actions/workflow-parser 0.3.61, which follows the documentation of
// on.schedule); the server itself is closed. That check and actionlint differ,
// so this is decided here:
//
//   - What both take is taken, and what both refuse is refused.
//   - Taken by actionlint alone and not documented: refused. These are ?, an
//     empty member of a list, a step larger than the field, and a tab between
//     fields.
//   - Taken by the editor's check alone: its numbers are JavaScript's, so 5.,
//     1e1 and 0x1F pass. They are taken with a warning. 5.5 passes too and is
//     refused here, since no minute is 5.5 and a meaning would be a guess.
//   - A shorter interval than 5 minutes is refused by actionlint alone. GitHub
//     takes it and thins the runs out: a warning.
//   - Blanks and line ends around the whole are cut off. YAML's block scalars
//     leave them there and such workflows run.
//
// Whether the day and the weekday must both hold is not documented beyond
// "POSIX cron syntax": either is enough where neither begins with a star.
func parseGitHub(text string) (*plan, *refusal) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "@") {
		return nil, wordRefusal(text, "")
	}
	if strings.ContainsAny(text, "\t\n\r") {
		return nil, &refusal{why: "a tab or a line end between the fields", next: "write single blanks"}
	}
	fs, n := blankFields(text)
	if n != 5 {
		return nil, countRefusal(n)
	}
	p := &plan{kind: kindCalendar, second: 1}
	var sets [5]uint64
	for i := range sets {
		var ok bool
		if sets[i], ok = githubField(p, &fields[i], fs[i]); !ok {
			return nil, explain(GitHub, &fields[i], fs[i])
		}
	}
	p.setFields(sets)
	p.either = fs[fieldDom][0] != '*' && fs[fieldDow][0] != '*'
	p.warnSixthHour(fs[fieldMinute], fs[fieldHour])
	p.warnGitHub(fs[fieldDom], fs[fieldDow])
	return p, nil
}

func (p *plan) warnGitHub(dom, dow string) {
	if strings.HasPrefix(dom, "*/") && dow != "*" || strings.HasPrefix(dow, "*/") && dom != "*" {
		p.warn("GitHub does not say whether the day and the weekday must both hold beside */n; taken as both; write one of the two as *")
	}
	if p.closest() < 5 {
		p.warn("due more often than every 5 minutes, which is the shortest interval that GitHub runs; the other runs are left out")
	}
}

// closest is the least number of minutes between two slots of one hour or of
// two hours that follow each other.
func (p *plan) closest() int {
	least, last := 60, -60
	for m := range 120 {
		if p.minute>>(m%60)&1 == 0 || m >= 60 && p.hour&(p.hour<<1|p.hour>>23) == 0 {
			continue
		}
		least, last = min(least, m-last), m
	}
	return least
}

func githubField(p *plan, f *field, s string) (set uint64, ok bool) {
	for more := true; more; {
		var item string
		item, s, more = strings.Cut(s, ",")
		span, ok := githubItem(p, f, item)
		if !ok {
			return 0, false
		}
		set |= span
	}
	return set, true
}

func githubItem(p *plan, f *field, item string) (set uint64, ok bool) {
	span, stepText, stepped := strings.Cut(item, "/")
	lo, hi, ranged := strings.Cut(span, "-")
	low, high, step := f.low, f.high, 1
	if span != "*" {
		if low, ok = githubValue(p, f, lo); !ok {
			return 0, false
		}
		if ranged {
			if high, ok = githubValue(p, f, hi); !ok {
				return 0, false
			}
		} else if !stepped {
			high = low
		}
	}
	if stepped {
		if step, ok = githubNumber(p, f, stepText); !ok || step < 1 || step < f.low || step > f.high {
			return 0, false
		}
	}
	for v := low; v <= high; v += step {
		set |= 1 << uint(v)
	}
	return set, low <= high
}

func githubValue(p *plan, f *field, s string) (int, bool) {
	if v, ok := f.named(s); ok {
		return v, true
	}
	v, ok := githubNumber(p, f, s)
	return v, ok && v >= f.low && v <= f.high
}

// githubNumber is a number as JavaScript's unary plus reads it, if it is whole
// and no larger than any field.
func githubNumber(p *plan, f *field, s string) (int, bool) {
	if v, digits := cNumber(strings.TrimPrefix(s, "+")); digits > 0 && digits == len(strings.TrimPrefix(s, "+")) {
		return int(min(v, 1000)), true
	}
	v, ok := javaScriptNumber(s)
	if !ok || v < 0 || v > 100 || v != float64(int(v)) {
		return 0, false
	}
	p.warn("%s %.80q: only GitHub's editor reads this as %d; write %d", f.name, s, int(v), int(v))
	return int(v), true
}

func javaScriptNumber(s string) (float64, bool) {
	if strings.ContainsAny(s, "_pPiInN") {
		return 0, false
	}
	if len(s) > 2 && s[0] == '0' && strings.ContainsRune("xXoObB", rune(s[1])) {
		v, err := strconv.ParseUint(s, 0, 32)
		return float64(v), err == nil
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}
