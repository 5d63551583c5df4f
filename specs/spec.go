package specs

import (
	"slices"
	"strings"
	"time"
)

// Spec is what one object will run, and when, as its provider translated it.
type Spec struct {
	// Schedules is a set: their order has no meaning, and two entries that
	// together fire like a third are still two, since a scheduler fires entry
	// by entry.
	Schedules []Schedule
	// Body is everything else that counts, a Map. Its keys are the provider's
	// field names, at the top the words user, command, stdin, env, workflow for
	// what every reader knows by these.
	Body Packed
	// Cosmetic is what differs without a difference in meaning, a Map: the name
	// of a workflow, labels of a CronJob. It is shown when asked for and is no
	// part of the hash.
	Cosmetic Packed

	saved *Hash // nil but for a spec of a saved listing
}

// WithHash is the spec as a saved listing gives it back: secrets are sealed in
// it, so its hash cannot be made again and is the one that was saved.
func (s Spec) WithHash(h Hash) Spec {
	s.saved = &h
	return s
}

// canonicalSchedules are the distinct canonical forms, sorted.
func (s Spec) canonicalSchedules() []string {
	out := make([]string, len(s.Schedules))
	for i, sched := range s.Schedules {
		out[i] = sched.Canonical()
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// NeverFires says that no schedule of the spec ever comes due. A spec without
// any schedule does not fire either.
func (s Spec) NeverFires() bool {
	for _, sched := range s.Schedules {
		if !sched.NeverFires() {
			return false
		}
	}
	return true
}

// Written is the schedules as people wrote them, sorted and joined by "; ".
func (s Spec) Written() string {
	if len(s.Schedules) == 1 {
		return s.Schedules[0].Text
	}
	texts := make([]string, len(s.Schedules))
	for i, sched := range s.Schedules {
		texts[i] = sched.Text
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "; ")
}

// Zones are the distinct zones of the schedules, sorted and joined by ", ".
func (s Spec) Zones() string {
	if len(s.Schedules) == 1 {
		return s.Schedules[0].Zone
	}
	zones := make([]string, len(s.Schedules))
	for i, sched := range s.Schedules {
		zones[i] = sched.Zone
	}
	slices.Sort(zones)
	return strings.Join(slices.Compact(zones), ", ")
}

// NextDue is the first instant after one at which a schedule comes due, in UTC.
// There is none where nothing fires, or where a schedule's zone is not known.
func (s Spec) NextDue(after time.Time) (time.Time, bool) {
	var first time.Time
	for _, sched := range s.Schedules {
		if sched.Zone == Local {
			return time.Time{}, false
		}
		if t, ok := sched.Next(after); ok && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first.UTC(), !first.IsZero()
}

// With is the spec with more fields of the body; one that is there already is
// replaced.
func (s Spec) With(fields ...Member) Spec {
	s.Body = Pack(NewMap(append(s.Body.Value().Members, fields...)...))
	return s
}

// Project keeps only the schedules and the named top-level fields of the body.
// A dotted name keeps one member of a field: env.PATH. A spec that a ledger
// states inline is compared with the projection of the observed one.
func (s Spec) Project(fields []string) Spec {
	out := Spec{Schedules: s.Schedules}
	var members []Member
	sub := map[string][]Member{}
	for _, f := range fields {
		top, rest, nested := strings.Cut(f, ".")
		v := s.Body.Get(top)
		if nested {
			sub[top] = append(sub[top], Member{rest, v.Get(rest)})
			continue
		}
		members = append(members, Member{top, v})
	}
	for top, ms := range sub {
		if m := NewMap(ms...); !m.Empty() {
			members = append(members, Member{top, m})
		}
	}
	out.Body = Pack(NewMap(members...))
	return out
}
