package providers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Presence is what can be said about an object in a source.
type Presence uint8

// The presences. The zero value claims nothing.
const (
	Unknown Presence = iota
	Absent
	Present
)

// World is what was seen of all sources, at one moment.
type World struct {
	Observations []Observation
	// Testimony is what witnesses say of roles.
	Testimony map[specs.Ref]Evidence
}

// Source is the observation of a source by name.
func (w World) Source(name string) (Observation, bool) {
	i := slices.IndexFunc(w.Observations, func(o Observation) bool { return o.Source == name })
	if i < 0 {
		return Observation{}, false
	}
	return w.Observations[i], true
}

// Lookup says whether a source holds an object of a role, by a predicate that
// tells the role's objects. It is the only place that may say "not there": that
// needs a source of which every area was read, and at least one.
func (w World) Lookup(ref specs.Ref, plays func(Object) bool) Presence {
	o, ok := w.Source(ref.Source)
	if !ok {
		return Unknown
	}
	if slices.ContainsFunc(o.Objects, plays) {
		return Present
	}
	if len(o.Areas) == 0 || slices.ContainsFunc(o.Areas, Area.Gap) {
		return Unknown
	}
	return Absent
}

// Gaps are the areas of the observation that were not read whole.
func (o Observation) Gaps() []Area {
	var out []Area
	for _, a := range o.Areas {
		if a.Gap() {
			out = append(out, a)
		}
	}
	return out
}

// Sort puts objects, areas and notes in the one order in which they are shown.
func (o *Observation) Sort() {
	sortObjects(o.Objects)
	arrange.By(o.Areas, func(a, b Area) int { return strings.Compare(a.Part, b.Part) })
	arrange.By(o.Notes, func(a, b Note) int {
		return cmp.Or(a.Pos.Compare(b.Pos), strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
}
