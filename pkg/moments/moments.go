// Package moments compares what the sources held at two moments. It is a
// function of two listings, and it claims no more than both of them saw: what one
// of them did not look at is neither there nor gone.
package moments

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Schema names the form of a Diff as JSON.
const Schema = "rolecall.diff/v1"

// Kind is what happened to an object between the moments.
type Kind string

// The kinds. The last two say that one moment did not see where the object is.
const (
	Appeared    Kind = "appeared"
	Vanished    Kind = "vanished"
	Deactivated Kind = "deactivated"
	Activated   Kind = "activated"
	Changed     Kind = "changed"
	UnseenAfter Kind = "unseen-after"
	UnseenFirst Kind = "unseen-before"
)

// Kinds are all of them in the order in which they are shown.
var Kinds = []Kind{Vanished, Appeared, Deactivated, Activated, Changed, UnseenAfter, UnseenFirst}

// Known says that both moments saw enough to tell.
func (k Kind) Known() bool { return k != UnseenAfter && k != UnseenFirst }

// NotListed is the state of a part that a listing does not have at all.
const NotListed = "not-listed"

// Moment is one of the two listings.
type Moment struct {
	Name string    `json:"name"` // the file, or now
	At   time.Time `json:"observed_at"`
	Tool string    `json:"tool"`
}

// Diff is what is not the same at two moments.
type Diff struct {
	Schema   string       `json:"schema"`
	Before   Moment       `json:"before"`
	After    Moment       `json:"after"`
	Same     bool         `json:"same"`     // no object differs, as far as that could be seen
	Complete bool         `json:"complete"` // all parts were read at both moments
	Summary  map[Kind]int `json:"summary"`  // every kind, objects
	Compared int          `json:"compared"` // objects that both moments hold
	Changes  []Change     `json:"changes"`
	Coverage []Part       `json:"coverage"` // parts that one of them did not read
}

// Change is an object that is not the same.
type Change struct {
	Kind     Kind    `json:"kind"`
	ID       string  `json:"id"`
	Source   string  `json:"source"`
	Provider string  `json:"provider"`
	Part     string  `json:"part"`
	Role     string  `json:"role"`     // of its marker; empty if it has none
	Schedule string  `json:"schedule"` // as last seen
	State    string  `json:"state"`    // active or inactive, as last seen
	Fields   []Field `json:"fields"`
	// Counterpart is the one object that went or came with this one and has the
	// same marker, or runs the same command in the same place.
	Counterpart string    `json:"counterpart"`
	Reason      string    `json:"reason"` // why it could not be seen
	Location    specs.Pos `json:"location"`
}

// Field is one difference of an object. What is a secret is hidden in both
// texts; that it changed is said by the field being there.
type Field struct {
	Path     string `json:"path"`
	Before   string `json:"before"`
	After    string `json:"after"`
	Cosmetic bool   `json:"cosmetic"` // no difference in what the object does
	Masked   bool   `json:"masked"`
}

// Part is a part of a source that was not read at one of the moments or both.
type Part struct {
	Source   string `json:"source"`
	Provider string `json:"provider"`
	Part     string `json:"part"`   // empty for the whole source
	Before   string `json:"before"` // as in a report's coverage, or not-listed
	After    string `json:"after"`
	Reason   string `json:"reason"`
}

// Rules are what a comparison does not decide itself.
type Rules struct {
	// Show is a value as text, without its secrets; that there was one is said by
	// masked.
	Show func(v specs.Value, masked *bool) string
	Mask func(string) string
}

// Compare lists what is not the same. The moments' objects may be in any order.
func Compare(before, after providers.Inventory, rules Rules) Diff {
	d := &differ{rules: rules, out: Diff{
		Schema: Schema, Changes: []Change{}, Coverage: []Part{}, Summary: map[Kind]int{},
		Before: Moment{At: before.ObservedAt.UTC(), Tool: before.Tool}, After: Moment{At: after.ObservedAt.UTC(), Tool: after.Tool},
	}}
	for _, name := range sourcesOf(before, after) {
		d.source(name, observationOf(before, name), observationOf(after, name))
	}
	d.counterparts()
	d.finish()
	return d.out
}

func sourcesOf(lists ...providers.Inventory) []string {
	var out []string
	for _, inv := range lists {
		for _, o := range inv.Observations {
			out = append(out, o.Source)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func observationOf(inv providers.Inventory, name string) *providers.Observation {
	for i := range inv.Observations {
		if inv.Observations[i].Source == name {
			return &inv.Observations[i]
		}
	}
	return nil
}

type differ struct {
	rules Rules
	out   Diff
	gone  []providers.Object // by the index in out.Changes they have
	at    []int
}

// source compares one source. A name that stands for another scheduler now is
// another source.
func (d *differ) source(name string, a, b *providers.Observation) {
	if a != nil && b != nil && a.Provider == b.Provider {
		d.parts(*a, *b)
		d.objects(*a, *b)
		return
	}
	if a != nil {
		d.lone(*a, "read", NotListed, UnseenAfter, "the later listing does not hold the source")
	}
	if b != nil {
		d.lone(*b, NotListed, "read", UnseenFirst, "the earlier listing does not hold the source")
	}
}

func (d *differ) lone(o providers.Observation, before, after string, kind Kind, reason string) {
	d.out.Coverage = append(d.out.Coverage, Part{o.Source, o.Provider, "", before, after, reason})
	for _, obj := range o.Objects {
		d.unseen(obj, kind, reason)
	}
}

// parts notes what was not read. A part that only one listing has is noted where
// an object in it could not be compared.
func (d *differ) parts(a, b providers.Observation) {
	states := map[string]*Part{}
	part := func(name string) *Part {
		if states[name] == nil {
			states[name] = &Part{a.Source, a.Provider, name, NotListed, NotListed, ""}
		}
		return states[name]
	}
	for _, area := range a.Areas {
		p := part(area.Part)
		p.Before, p.Reason = string(area.State), d.rules.Mask(area.Reason)
	}
	for _, area := range b.Areas {
		p := part(area.Part)
		p.After, p.Reason = string(area.State), cmp.Or(d.rules.Mask(area.Reason), p.Reason)
	}
	for _, p := range states {
		if unread(p.Before) || unread(p.After) {
			d.out.Coverage = append(d.out.Coverage, *p)
		}
	}
	for _, o := range []struct {
		providers.Observation
		before, after string
	}{{a, NotListed, "read"}, {b, "read", NotListed}} {
		if len(o.Areas) == 0 {
			d.out.Coverage = append(d.out.Coverage, Part{a.Source, a.Provider, "", o.before, o.after, "the listing does not say what of the source was read"})
		}
	}
}

func unread(state string) bool { return state != string(providers.Read) && state != NotListed }

// objects pairs the objects by their ids. Of several with one id the first of
// one side is that of the other.
func (d *differ) objects(a, b providers.Observation) {
	a.Objects, b.Objects = slices.Clone(a.Objects), slices.Clone(b.Objects)
	a.Sort()
	b.Sort()
	i, j := 0, 0
	for i < len(a.Objects) || j < len(b.Objects) {
		switch c := order(a.Objects, b.Objects, i, j); {
		case c < 0:
			d.alone(a.Objects[i], Vanished, UnseenAfter, b)
			i++
		case c > 0:
			d.alone(b.Objects[j], Appeared, UnseenFirst, a)
			j++
		default:
			d.pair(a.Objects[i], b.Objects[j])
			i++
			j++
		}
	}
}

func order(a, b []providers.Object, i, j int) int {
	switch {
	case i == len(a):
		return 1
	case j == len(b):
		return -1
	}
	return strings.Compare(a[i].ID, b[j].ID)
}

// alone is an object that the other listing does not hold.
func (d *differ) alone(o providers.Object, known, unknown Kind, other providers.Observation) {
	seen, reason := looked(o, other)
	if !seen {
		d.unseen(o, unknown, reason)
		return
	}
	d.gone = append(d.gone, o)
	d.at = append(d.at, len(d.out.Changes))
	d.add(o, known, nil, "")
}

func (d *differ) unseen(o providers.Object, kind Kind, reason string) { d.add(o, kind, nil, reason) }

func (d *differ) add(o providers.Object, kind Kind, fields []Field, reason string) {
	d.out.Changes = append(d.out.Changes, Change{
		Kind: kind, ID: o.ID, Source: o.Source(), Provider: o.Provider(), Part: o.Part(), Role: cmp.Or(o.Marker().Role, o.Marker().Invalid),
		Schedule: d.rules.Mask(o.Spec.Written()), State: stateOf(o), Fields: append([]Field{}, fields...), Reason: d.rules.Mask(reason), Location: o.Pos,
	})
}

// counterparts names, of an object that went and one that came, each other's ids
// where they are surely meant for the same: each the only one.
func (d *differ) counterparts() {
	keys := map[string][]int{}
	for n, o := range d.gone {
		if k := likeness(o); k != "" {
			keys[k] = append(keys[k], n)
		}
	}
	for _, ns := range keys {
		if len(ns) != 2 {
			continue
		}
		x, y := &d.out.Changes[d.at[ns[0]]], &d.out.Changes[d.at[ns[1]]]
		if x.Kind != y.Kind {
			x.Counterpart, y.Counterpart = y.ID, x.ID
		}
	}
}

func likeness(o providers.Object) string {
	command := cmp.Or(o.Sealed()["command"], o.Attr("command"))
	if o.Sealed()["command"] == "" && command != "" {
		command = specs.Seal(command)
	}
	switch {
	case o.Marker().Role != "":
		return "role\x00" + o.Marker().Role
	case o.Marker().Present() || command == "":
		return ""
	}
	return strings.Join([]string{"command", o.Source(), o.Part(), o.Attr("user"), command}, "\x00")
}

// finish sorts and counts.
func (d *differ) finish() {
	out := &d.out
	arrange.By(out.Changes, func(a, b Change) int {
		return cmp.Or(slices.Index(Kinds, a.Kind)-slices.Index(Kinds, b.Kind), strings.Compare(a.ID, b.ID))
	})
	arrange.By(out.Coverage, func(a, b Part) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Part, b.Part), strings.Compare(a.Before, b.Before))
	})
	for _, k := range Kinds {
		out.Summary[k] = 0
	}
	out.Same, out.Complete = true, len(out.Coverage) == 0
	for _, c := range out.Changes {
		counts := c.Kind != Changed || slices.ContainsFunc(c.Fields, func(f Field) bool { return !f.Cosmetic })
		if !counts {
			continue
		}
		out.Summary[c.Kind]++
		if c.Kind.Known() {
			out.Same = false
		} else {
			out.Complete = false
		}
	}
}
