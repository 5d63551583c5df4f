package cli

import (
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/specs"
)

// meaning reads an expression as a program does and says what follows from it.
// The schedule is nil where it is refused.
func (a *app) meaning(d specs.Dialect, text, zone string, next int) (render.Meaning, *specs.Schedule) {
	zone = ownZone(d, zone)
	shown, _ := specs.CanonicalZone(zone)
	m := render.Meaning{Dialect: string(d), Text: text, Zone: shown, InstantsIn: clockOf(shown)}
	s, err := specs.ParseSchedule(d, text, zone)
	if err != nil {
		// a pasted line of a crontab has its command behind it
		m.Text, m.Reason = redact.Text(text), redact.Text(err.Error())
		m.Elsewhere = elsewhere(d, text, zone, nil)
		return m, nil
	}
	m.Valid, m.Text, m.Zone, m.InstantsIn = true, s.Text, s.Zone, clockOf(s.Zone)
	m.Kind = kindOf(s)
	m.Canonical, m.Words, m.NeverFires, m.Warnings = s.Canonical(), s.Words(), s.NeverFires(), s.Warnings()
	a.instants(&m, s, next)
	m.Notes = reading(s, a.now())
	if d == specs.Kubernetes {
		m.Notes = append(m.Notes, zonePrefixed(text)...)
	}
	m.Elsewhere = elsewhere(d, text, zone, &s)
	return m, &s
}

// zonePrefixed is for a schedule with a zone in front, which only a CronJob from
// before Kubernetes 1.29 can have.
func zonePrefixed(text string) []string {
	if _, _, ok := specs.SplitZonePrefix(text); !ok {
		return nil
	}
	head, _, _ := strings.Cut(text, "=")
	return []string{"the API server refuses to create this since Kubernetes 1.29, and keeps one that is there; state the zone as spec.timeZone, which the " + head + "= goes before where both stand"}
}

// kindOf is by what a schedule's instants are fixed: a calendar, the scheduler's
// draw from one, an interval from a start, the start itself, or nothing.
func kindOf(s specs.Schedule) string {
	switch {
	case s.NeverFires():
		return "never"
	case s.Reboot():
		return "start"
	case s.Every() > 0:
		return "interval"
	case s.Random():
		return "drawn"
	}
	return "calendar"
}

// ownZone: GitHub's scheduler is the one whose own zone is known.
func ownZone(d specs.Dialect, zone string) string {
	if zone == "" && d == specs.GitHub {
		return "UTC"
	}
	return zone
}

// clockOf is the zone by whose clock a schedule's instants are found.
func clockOf(zone string) string {
	if zone == specs.Local {
		return "UTC"
	}
	return zone
}

// instants fills in when a schedule fires, where that can be known. What is due
// just now is the previous one.
func (a *app) instants(m *render.Meaning, s specs.Schedule, n int) {
	if s.Random() {
		return
	}
	for at := a.now(); len(m.Next) < n; {
		next, ok := s.NextIn(at, time.UTC)
		if !ok {
			break
		}
		m.Next = append(m.Next, stamp(next))
		at = next
	}
	if at, ok := s.PrevIn(a.now().Truncate(time.Second).Add(time.Second), time.UTC); ok {
		t := stamp(at)
		m.Previous = &t
	}
	if g, ok := s.LongestGapIn(a.now(), time.UTC); ok {
		m.LongestGap = &render.Span{From: stamp(g.From), To: stamp(g.To), Seconds: int64(g.To.Sub(g.From) / time.Second)}
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// reading says what to know of the instants.
func reading(s specs.Schedule, now time.Time) []string {
	var out []string
	switch {
	case s.Every() > 0:
		return []string{"the interval is counted from now here; the scheduler counts from its last start or run"}
	case s.Reboot() || s.NeverFires():
		return nil
	case s.Random():
		out = append(out, drawn(s, now))
	}
	if s.Zone == specs.Local {
		return append(out, "the zone is the scheduler's own and not known here; the instants are those of one whose clock shows UTC")
	}
	return append(out, clockNotes(s, now)...)
}

func drawn(s specs.Schedule, now time.Time) string {
	says := "the scheduler draws the times when it loads the schedule, so they are not known here"
	if at, ok := s.NextIn(now, time.UTC); ok {
		says += "; the earliest that it may draw is " + stamp(at)
	}
	return says
}

// elsewhere is what the other programs make of a text. The schedule is nil where
// the program itself refuses it.
func elsewhere(d specs.Dialect, text, zone string, here *specs.Schedule) []render.Elsewhere {
	var out []render.Elsewhere
	for _, other := range specs.Dialects() {
		if other == d {
			continue
		}
		e := render.Elsewhere{Dialect: string(other)}
		if here != nil {
			e.WriteThere = writtenIn(*here, other)
		}
		there, err := specs.ParseSchedule(other, text, zone)
		if err != nil {
			e.Reason = redact.Text(err.Error())
			out = append(out, e)
			continue
		}
		e.Valid, e.Words, e.WriteHere = true, there.Words(), writtenIn(there, d)
		e.Same = here != nil && there.Canonical() == here.Canonical()
		e.SameButClock = here != nil && here.ClockChangeOnly(there)
		out = append(out, e)
	}
	return out
}

func writtenIn(s specs.Schedule, d specs.Dialect) string {
	text, err := s.In(d)
	if err != nil {
		return ""
	}
	return text
}
