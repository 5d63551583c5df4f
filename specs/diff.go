package specs

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// Difference is one field in which two specs are not the same.
type Difference struct {
	// Path names the field: schedule, time_zone, command, env.PATH,
	// jobTemplate.spec.template.spec.containers[main].image.
	Path              string
	Desired, Observed Value
}

// Diff lists the fields in which observed is not as desired, in the order of
// their paths. It is empty exactly if both have the same canonical bytes.
func Diff(desired, observed Spec) []Difference {
	out := diffSchedules(desired, observed)
	if desired.Body == observed.Body {
		return out
	}
	return append(out, DiffValues("", desired.Body.Value().orMap(), observed.Body.Value().orMap())...)
}

// diffSchedules tells a changed time from a changed zone: where only the zones
// differ the field is time_zone, where both differ there are two fields. In one
// zone two schedules can be equal but for the days on which its clock changes;
// then the field is schedule.
func diffSchedules(desired, observed Spec) []Difference {
	if slices.Equal(desired.canonicalSchedules(), observed.canonicalSchedules()) {
		return nil
	}
	var out []Difference
	want, have := desired.Written(), observed.Written()
	sameZones := desired.Zones() == observed.Zones()
	if sameZones && want != have || !slices.Equal(desired.inZone("UTC"), observed.inZone("UTC")) {
		out = append(out, Difference{"schedule", NewText(want), NewText(have)})
	}
	if !sameZones || len(out) == 0 {
		out = append(out, Difference{"time_zone", NewText(desired.Zones()), NewText(observed.Zones())})
	}
	return out
}

func (s Spec) inZone(zone string) []string {
	t := Spec{Schedules: slices.Clone(s.Schedules)}
	for i := range t.Schedules {
		t.Schedules[i].Zone = zone
	}
	return t.canonicalSchedules()
}

// DiffValues lists the leaves in which two values differ, below a path.
func DiffValues(path string, desired, observed Value) []Difference {
	if sameLeaf(desired, observed) {
		return nil
	}
	if desired.Kind == Map && (observed.Kind == Map || observed.Kind == Absent) ||
		observed.Kind == Map && desired.Kind == Absent {
		if len(desired.Members)+len(observed.Members) > 0 {
			return diffMaps(path, desired, observed)
		}
	}
	if desired.Kind == List && observed.Kind == List && len(desired.Members) > 0 && len(observed.Members) > 0 {
		return diffLists(path, desired, observed)
	}
	return []Difference{{path, desired, observed}}
}

func diffMaps(path string, desired, observed Value) []Difference {
	shape := desired
	if shape.Kind != Map || !shape.Keyed && observed.Keyed {
		shape = observed
	}
	var out []Difference
	i, j := 0, 0
	for i < len(desired.Members) || j < len(observed.Members) {
		c := 0
		switch {
		case i == len(desired.Members):
			c = 1
		case j == len(observed.Members):
			c = -1
		default:
			c = compareKeys(desired.Members[i].Key, observed.Members[j].Key)
		}
		switch {
		case c < 0:
			m := desired.Members[i]
			out = append(out, shape.oneSided(Difference{shape.step(path, m.Key), m.Value, Value{}})...)
			i++
		case c > 0:
			m := observed.Members[j]
			out = append(out, shape.oneSided(Difference{shape.step(path, m.Key), Value{}, m.Value})...)
			j++
		default:
			m, n := desired.Members[i], observed.Members[j]
			out = append(out, DiffValues(shape.step(path, m.Key), m.Value, n.Value)...)
			i++
			j++
		}
	}
	return out
}

// oneSided shows a member that only one side has: a container as a whole, since
// it came or went as one, and anything else leaf by leaf.
func (v Value) oneSided(d Difference) []Difference {
	if v.Keyed {
		return []Difference{d}
	}
	return DiffValues(d.Path, d.Desired, d.Observed)
}

func diffLists(path string, desired, observed Value) []Difference {
	var out []Difference
	for i := range max(len(desired.Members), len(observed.Members)) {
		var a, b Value
		if i < len(desired.Members) {
			a = desired.Members[i].Value
		}
		if i < len(observed.Members) {
			b = observed.Members[i].Value
		}
		out = append(out, DiffValues(desired.step(path, strconv.Itoa(i)), a, b)...)
	}
	return out
}

// sameLeaf says that two values print the same canonical bytes, or that one is
// the seal of the other.
func sameLeaf(a, b Value) bool {
	if a.Kind == Sealed && b.Kind == Text {
		return a.Text == Seal(b.Text)
	}
	if b.Kind == Sealed && a.Kind == Text {
		return b.Text == Seal(a.Text)
	}
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Members {
		if a.Members[i].Key != b.Members[i].Key || !sameLeaf(a.Members[i].Value, b.Members[i].Value) {
			return false
		}
	}
	return true
}

// Seal is what a saved listing keeps of a text that may hold a secret: enough
// to see whether it changed. 80 bits of a SHA-256 under a prefix of its own.
func Seal(text string) string {
	sum := sha256.Sum256([]byte("rolecall seal\x00" + text))
	return hex.EncodeToString(sum[:10])
}
