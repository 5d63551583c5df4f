package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// nextShown is how many due instants are shown of an object or a role.
const nextShown = 3

// wordsOf says in words when a spec is due: each of its schedules, sorted.
func wordsOf(s specs.Spec) string {
	var out []string
	for _, sched := range s.Schedules {
		if w := sched.Words(); w != "" {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "; ")
}

// nextOf are the first instants after one at which a spec is due, RFC 3339 in
// UTC. An interval, which counts from a start that is not known, and times that
// the scheduler draws have none. Where no schedule has a zone that is known, they are those of a scheduler
// whose clock shows UTC, which unzoned says; where only some have one, which
// comes first is not known, and there are none.
func nextOf(s specs.Spec, after time.Time) (next []string, unzoned bool) {
	zoned := false
	var at []time.Time
	for _, sched := range s.Schedules {
		if sched.Every() > 0 || sched.Random() {
			return nil, false
		}
		due := upcoming(sched, after)
		local := len(due) > 0 && sched.Zone == specs.Local
		unzoned = unzoned || local
		zoned = zoned || len(due) > 0 && !local
		at = append(at, due...)
	}
	if zoned && unzoned {
		return nil, false
	}
	arrange.By(at, time.Time.Compare)
	at = slices.CompactFunc(at, time.Time.Equal)
	for _, t := range at[:min(len(at), nextShown)] {
		next = append(next, stamp(t))
	}
	return next, unzoned
}

func upcoming(s specs.Schedule, after time.Time) []time.Time {
	var out []time.Time
	for len(out) < nextShown {
		at, ok := s.NextIn(after, time.UTC)
		if !ok {
			break
		}
		out = append(out, at)
		after = at
	}
	return out
}

// whenDue is what a listing says of when a spec comes due.
type whenDue struct {
	first   string // RFC 3339
	words   string
	next    []string
	unzoned bool
}

func dueOf(s specs.Spec, now time.Time) whenDue {
	d := whenDue{words: wordsOf(s)}
	if at, ok := s.NextDue(now); ok {
		d.first = at.Format(time.RFC3339)
	}
	d.next, d.unzoned = nextOf(s, now)
	return d
}

// dues remembers what it was asked, since of many jobs most have the schedule of
// some other.
type dues struct {
	now   time.Time
	known map[dueKey]whenDue
}

// dueKey is all that a schedule's instants and words depend on. The canonical form
// of an interval has no zone, and zones that are links of one have one name in it.
type dueKey struct {
	dialect               specs.Dialect
	text, zone, canonical string
}

// mostDues bounds what is remembered.
const mostDues = 10_000

func newDues(now time.Time) *dues { return &dues{now, map[dueKey]whenDue{}} }

func (d *dues) of(s specs.Spec) whenDue {
	if len(s.Schedules) != 1 || slow.Only() {
		return dueOf(s, d.now)
	}
	one := s.Schedules[0]
	key := dueKey{one.Dialect, one.Text, one.Zone, one.Canonical()}
	out, ok := d.known[key]
	if !ok {
		if len(d.known) == mostDues {
			clear(d.known)
		}
		out = dueOf(s, d.now)
		d.known[key] = out
	}
	return out
}
