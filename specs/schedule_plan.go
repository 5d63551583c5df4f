package specs

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

type planKind uint8

const (
	kindUnread planKind = iota // of a Schedule that ParseSchedule did not make
	kindCalendar
	kindNever
	kindReboot
	kindInterval
)

// plan is the meaning of a schedule. Bit n of a set stands for the value n:
// second and minute 0-59, hour 0-23, dom 1-31, month 1-12, dow 0-6 from Sunday.
type plan struct {
	kind   planKind
	second uint64
	minute uint64
	hour   uint32
	dom    uint32
	month  uint16
	dow    uint8
	// either: a day is due if its dom or its dow is set; else both must be.
	either bool
	// starred: the minute or the hour begins with a star. Only the vixie family
	// looks at it, when the clock changes.
	starred  bool
	own      whose
	every    time.Duration
	days     *daySet // in place of dom, month, dow and either, where these cannot say it
	years    *yearSet
	drawn    []drawn
	warnings []string
}

// drawn is a range of one field from which the scheduler takes one value.
type drawn struct {
	field     int // index into fields
	low, high int
}

const (
	fullMinute uint64 = 1<<60 - 1
	fullHour   uint32 = 1<<24 - 1
	fullDom    uint32 = 1<<32 - 2
	fullMonth  uint16 = 1<<13 - 2
	fullDow    uint8  = 1<<7 - 1
)

// monthDays has the days that a month can have; 29 February comes.
var monthDays = [13]uint32{
	1: fullDom, 2: 1<<30 - 2, 3: fullDom, 4: 1<<31 - 2, 5: fullDom, 6: 1<<31 - 2,
	7: fullDom, 8: fullDom, 9: 1<<31 - 2, 10: fullDom, 11: 1<<31 - 2, 12: fullDom,
}

// normalise brings equal plans to equal fields. Per month the due days are a
// set of (day, weekday). A month is left out where it has none; what remains
// is a product of days and weekdays in each month ("both") or, where days and
// weekdays are both true subsets in some month, their union ("either"). The
// days are then those of all months together, and all of them is fullDom.
// Both forms can be read back from the set of triples, so each is unique.
func (p *plan) normalise() {
	if p.kind != kindCalendar {
		return
	}
	dayDrawn := p.settleDraws()
	switch {
	case dayDrawn: // which days these are, and so the form, is not known
	case p.days != nil || p.years != nil:
		p.normaliseDates()
	case p.either:
		p.normaliseEither()
	default:
		p.normaliseBoth()
	}
	q := p.drawnAll()
	if q.minute == 0 || q.hour == 0 || q.second == 0 || q.month == 0 {
		*p = plan{kind: kindNever, warnings: p.warnings}
	}
}

// settleDraws sorts what is drawn, without the draws that change nothing
// because their field has all of the range anyway, and says whether some field
// of days is drawn.
func (p *plan) settleDraws() (days bool) {
	if len(p.drawn) == 0 {
		return false
	}
	sets := [5]uint64{p.minute, uint64(p.hour), uint64(p.dom), uint64(p.month), uint64(p.dow | p.dow<<7)}
	p.drawn = slices.DeleteFunc(p.drawn, func(d drawn) bool { return d.span()&^sets[d.field] == 0 })
	arrange.By(p.drawn, func(a, b drawn) int {
		return cmp.Or(a.field-b.field, a.low-b.low, a.high-b.high)
	})
	return slices.ContainsFunc(p.drawn, func(d drawn) bool { return d.field >= fieldDom })
}

// span has a bit for each value that may be drawn.
func (d drawn) span() uint64 { return uint64(1)<<(d.high+1) - 1<<d.low }

func (p *plan) normaliseBoth() {
	if p.dow == 0 {
		p.month = 0
		return
	}
	var month uint16
	var dom, possible uint32
	for m := 1; m <= 12; m++ {
		days := p.dom & monthDays[m]
		if p.month>>m&1 == 0 || days == 0 {
			continue
		}
		month |= 1 << m
		dom |= days
		possible |= monthDays[m]
	}
	if dom == possible {
		dom = fullDom
	}
	p.month, p.dom = month, dom
}

func (p *plan) normaliseEither() {
	if p.dow == fullDow {
		p.dom, p.either = fullDom, false
		return
	}
	if p.dow == 0 {
		p.dow, p.either = fullDow, false
		p.normaliseBoth()
		return
	}
	var dom uint32
	mixed, all := false, true
	for m := 1; m <= 12; m++ {
		if p.month>>m&1 == 0 {
			continue
		}
		days := p.dom & monthDays[m]
		dom |= days
		mixed = mixed || days != 0 && days != monthDays[m]
		all = all && days == monthDays[m]
	}
	switch {
	case mixed:
		p.dom = dom
	case all:
		p.dom, p.dow, p.either = fullDom, fullDow, false
	default: // no day of the month is ever set
		p.dom, p.either = fullDom, false
	}
}

// canonical writes the plan; see Schedule.Canonical.
func (p *plan) canonical(zone string, rule clock) string {
	switch p.kind {
	case kindNever:
		return "never"
	case kindReboot:
		return "@reboot"
	case kindInterval:
		return "@every " + p.every.String()
	}
	b := make([]byte, 0, 96)
	b = p.appendSlots(b)
	if tag := p.clockTag(zone, rule); tag != "" {
		b = append(append(b, " c:"...), tag...)
	}
	b = append(append(b, " z:"...), zone...)
	return string(b)
}

// appendSlots writes all but the zone.
func (p *plan) appendSlots(b []byte) []byte {
	if p.second != 1 {
		b = append(p.appendSet(append(b, "s:"...), p.second, 0, 59, -1), ' ')
	}
	b = p.appendSet(append(b, "m:"...), p.minute, 0, 59, fieldMinute)
	b = p.appendSet(append(b, " h:"...), uint64(p.hour), 0, 23, fieldHour)
	if p.days != nil {
		b = p.days.appendTo(append(b, " days:"...))
	} else {
		b = p.appendSet(append(b, " d:"...), uint64(p.dom), 1, 31, fieldDom)
		if p.either {
			b = p.appendSet(append(b, "|w:"...), uint64(p.dow), 0, 6, fieldDow)
		}
		b = p.appendSet(append(b, " mo:"...), uint64(p.month), 1, 12, fieldMonth)
		if !p.either {
			b = p.appendSet(append(b, " w:"...), uint64(p.dow), 0, 6, fieldDow)
		}
	}
	if p.years != nil {
		b = p.years.appendTo(append(b, " y:"...))
	}
	return b
}

// appendSet writes a set of one field and what is drawn for it.
func (p *plan) appendSet(b []byte, set uint64, low, high, field int) []byte {
	n := len(b)
	for _, d := range p.drawn {
		if d.field == field {
			b = append(strconv.AppendInt(append(b, '~'), int64(d.low), 10), '-')
			b = append(strconv.AppendInt(b, int64(d.high), 10), ',')
		}
	}
	if len(b) > n && set == 0 {
		return b[:len(b)-1]
	}
	return appendBits(b, set, low, high)
}

// appendBits writes a set as *, as a-b/n where it is one progression of three
// or more, or as a list of values and runs; "none" where it is empty.
func appendBits(b []byte, set uint64, low, high int) []byte {
	if set == 0 {
		return append(b, "none"...)
	}
	if set == (1<<(high+1)-1)&^(1<<low-1) {
		return append(b, '*')
	}
	first, last := bits.TrailingZeros64(set), 63-bits.LeadingZeros64(set)
	if n := progression(set, first, last); n > 1 {
		b = append(strconv.AppendInt(b, int64(first), 10), '-')
		b = append(strconv.AppendInt(b, int64(last), 10), '/')
		return strconv.AppendInt(b, int64(n), 10)
	}
	for v := first; v <= last; v++ {
		if set>>v&1 == 0 {
			continue
		}
		if v > first {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(v), 10)
		run := bits.TrailingZeros64(^(set >> v))
		if run > 1 {
			b = strconv.AppendInt(append(b, '-'), int64(v+run-1), 10)
			v += run - 1
		}
	}
	return b
}

// progression is the distance between all neighbours of a set of at least
// three values, and 0 if it is not the same for all.
func progression(set uint64, first, last int) int {
	if bits.OnesCount64(set) < 3 {
		return 0
	}
	n := bits.TrailingZeros64(set>>(first+1)) + 1
	if set != stepped(first, last, n) {
		return 0
	}
	return n
}

// stepped has the values first, first+n, first+2n … up to last.
func stepped(first, last, n int) (set uint64) {
	for v := first; v <= last; v += n {
		set |= 1 << v
	}
	return set
}
