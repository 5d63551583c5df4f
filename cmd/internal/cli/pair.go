package cli

import (
	"time"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/specs"
)

// pair compares two expressions by when they fire.
func (a *app) pair(f scheduleFlags, args []string) render.Pair {
	var x render.Pair
	var sa, sb *specs.Schedule
	x.A, sa = a.meaning(specs.Dialect(f.dialect), args[0], f.zone, f.next)
	x.B, sb = a.meaning(specs.Dialect(f.dialectB), args[1], f.zoneB, f.next)
	if sa == nil || sb == nil {
		x.Reason = refused(sa, sb) + ", so there is nothing to compare"
		return x
	}
	x.Equal, x.Known = sa.Canonical() == sb.Canonical(), true
	x.EqualButClock = sa.ClockChangeOnly(*sb)
	switch {
	case x.Equal:
		x.Reason = whyEqual(*sa, x.EqualButClock)
		x.EqualButClock = false
	case sa.NeverFires() || sb.NeverFires():
		x.Reason = onlyOne(*sa)
	case sa.Random() || sb.Random():
		x.Known = false
		x.Reason = "what a scheduler draws is not known here, so the instants cannot be compared"
		return x
	case !onCalendar(*sa) || !onCalendar(*sb):
		x.Reason = whyUnlike(*sa, *sb)
		return x
	case (sa.Zone == specs.Local) != (sb.Zone == specs.Local):
		x.Known = false
		x.Reason = "one is in a zone that is not known here, so the instants cannot be compared; name both zones with --zone and --zone-b"
		return x
	}
	if !x.Equal {
		x.FirstDifference = firstDifference(*sa, *sb, a.now())
	}
	if !x.Equal && x.FirstDifference == nil {
		x.Equal, x.EqualButClock, x.HeldApart = true, false, true
		x.Reason = whyHeldApart(*sa, *sb)
	}
	return x
}

func refused(a, b *specs.Schedule) string {
	switch {
	case a != nil:
		return "b is refused"
	case b != nil:
		return "a is refused"
	}
	return "both are refused"
}

// whyEqual is what to know of an equality.
func whyEqual(s specs.Schedule, butClock bool) string {
	switch {
	case butClock:
		return "both fire at the same instants, but perhaps not on the days on which the clock of their zone changes, which is not known here"
	case s.NeverFires():
		return "neither ever fires"
	case s.Reboot():
		return "both run when their scheduler starts"
	case s.Every() > 0:
		return "both have the same interval, each counted from its own start"
	case s.Random():
		return "both are drawn from the same times; what is drawn may differ"
	}
	return ""
}

// whyHeldApart is for two that fire alike, and are not the same to an audit.
func whyHeldApart(a, b specs.Schedule) string {
	if a.Zone != b.Zone {
		return "both fire at the same instants by the rules that the zones " + a.Zone + " and " + b.Zone + " have today; an audit holds them apart, since such rules change"
	}
	return "both fire at the same instants from now on; before they do not, so an audit holds them apart"
}

func onCalendar(s specs.Schedule) bool { return s.Every() == 0 && !s.Reboot() }

func whyUnlike(a, b specs.Schedule) string {
	if a.Reboot() || b.Reboot() {
		return "one runs when its scheduler starts, and at no set time"
	}
	if a.Every() > 0 && b.Every() > 0 {
		return "the intervals are not the same"
	}
	return "one is an interval, counted from its start, and the other has set times"
}

// onlyOne is for a pair of which one never fires.
func onlyOne(a specs.Schedule) string {
	if a.NeverFires() {
		return "a never fires"
	}
	return "b never fires"
}

func firstDifference(a, b specs.Schedule, now time.Time) *render.Instant {
	at, inA, ok := specs.FirstDifference(a, b, now, time.UTC)
	if !ok {
		return nil
	}
	if inA {
		return &render.Instant{At: stamp(at), In: "a"}
	}
	return &render.Instant{At: stamp(at), In: "b"}
}
