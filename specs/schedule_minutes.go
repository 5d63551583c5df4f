package specs

import (
	"math/bits"
	"time"
)

// DueMinutes are the minutes in which a schedule comes due, as numbers from 0 to
// n-1 that count from the whole minute of an instant, in order. A minute counts
// once however often something is due in it. It is false where they cannot be
// known: a schedule's zone is not, its scheduler draws the times, or it counts an
// interval from a start that nobody sees; and of a spec without a schedule.
//
// It goes by hours, so that a job of every minute costs no more than one a day.
func (s Spec) DueMinutes(from time.Time, n int) ([]int, bool) {
	start := floorDiv64(from.Unix(), 60) * 60
	first := floorDiv64(start, 3600) * 3600
	due := make([]uint64, (start-first+int64(n)*60+3599)/3600)
	for _, sched := range s.Schedules {
		if !sched.mark(due, first) {
			return nil, false
		}
	}
	return minutesOf(due, int(start-first)/60, n), len(s.Schedules) > 0
}

// mark sets a bit for each due minute of the hours from first on.
func (s Schedule) mark(due []uint64, first int64) bool {
	if s.NeverFires() || s.Reboot() {
		return true
	}
	line, ok := s.timeline(time.UTC)
	if !ok || s.Zone == Local || s.Random() {
		return false
	}
	if !line.markHours(due, first) {
		line.markSlots(due, first)
	}
	return true
}

// markHours is false where the clock changes within the hours.
func (t timeline) markHours(due []uint64, first int64) bool {
	walk := hours{timeline: t}
	for i := range due {
		form, even := walk.form(first + int64(i)*3600)
		if !even || form.shift%60 != 0 {
			return false
		}
		if shift := form.shift / 60; form.begins {
			due[i] |= t.plan.minute >> shift
		}
		if shift := form.shift / 60; form.ends {
			due[i] |= t.plan.minute << (60 - shift) & fullMinute
		}
	}
	return true
}

// markSlots goes from one due instant to the next, since of a clock that changes
// a program knows no more than the time of its last run.
func (t timeline) markSlots(due []uint64, first int64) {
	end := first + int64(len(due))*3600
	for at, ok := t.next(first - 1); ok && at < end; at, ok = t.next(at) {
		due[(at-first)/3600] |= 1 << ((at - first) / 60 % 60)
		if t.plan.second&(t.plan.second-1) != 0 {
			at += 59 - (at-first)%60
		}
	}
}

// minutesOf are the set bits from one on, as numbers from there.
func minutesOf(due []uint64, from, n int) []int {
	count := 0
	for _, set := range due {
		count += bits.OnesCount64(set)
	}
	out := make([]int, 0, count)
	for i, set := range due {
		for ; set != 0; set &= set - 1 {
			if m := i*60 + bits.TrailingZeros64(set) - from; m >= 0 && m < n {
				out = append(out, m)
			}
		}
	}
	return out
}
