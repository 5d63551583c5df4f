package providers

import (
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// Object is one schedule-bearing thing that was found. A source may hold a million
// of them, so what many have in common is behind a pointer that they share, and
// what few have is behind one that the others lack: what a pointer leads to is
// never changed, and is read by the methods.
type Object struct {
	// ID names it in reports and waivers: provider:source/path. It does not hold
	// a line number, and survives an edit above the object.
	ID     string
	Origin *Origin
	Pos    specs.Pos
	Marked *Marker // nil where there is no marker
	Attrs  Attrs
	Spec   specs.Spec
	// Env is the whole effective environment of a crontab entry; its spec keeps
	// only what every command depends on.
	Env specs.Packed
	// Opaque says that the text could not be read as an entry, so that there is
	// nothing to compare.
	Opaque bool
	More   *More // nil where there is nothing more
}

// Origin is where objects were read.
type Origin struct {
	Source   string
	Provider string
	Part     string // the area in which it was read
}

// LabelSeal is put before a label's name in Sealed.
const LabelSeal = "labels."

// More is what only some kinds of objects have.
type More struct {
	Labels map[string]string
	// Sealed holds specs.Seal of the attrs (and of labels, as LabelSeal and the name) whose text a
	// saved listing keeps back, since it may be a secret: in Attrs stands only
	// what may be shown. Whether a glob fits such a text cannot be known.
	Sealed map[string]string
	// Inactive are the reasons why the object will not run; none means active.
	Inactive []Inactive
	// Entries are the schedules of a workflow one by one, where a ledger may
	// match a single one of them.
	Entries []Entry
	// Literal is the object as a ledger's template states it (a manifest, a
	// workflow file, crontab lines), where Selection.Literals asked for it.
	Literal []byte
	// UID is the scheduler's own identity of the object, if it has one.
	UID     string
	Created time.Time
	Changes []Change
	// Runs is what the scheduler itself says of the object's runs; nil if it says
	// nothing.
	Runs *Evidence
}

func (o *Object) origin() Origin {
	if o.Origin == nil {
		return Origin{}
	}
	return *o.Origin
}

// Source is the name of the source.
func (o *Object) Source() string { return o.origin().Source }

// Provider is crontab, github or kubernetes.
func (o *Object) Provider() string { return o.origin().Provider }

// Part is the area in which the object was read.
func (o *Object) Part() string { return o.origin().Part }

// Marker is what the object says about its role; zero if it says nothing.
func (o *Object) Marker() Marker {
	if o.Marked == nil {
		return Marker{}
	}
	return *o.Marked
}

// Keep is a marker as an object keeps it.
func Keep(m Marker) *Marker {
	if m == (Marker{}) {
		return nil
	}
	return &m
}

var none = &More{}

func (o *Object) more() *More {
	if o.More == nil {
		return none
	}
	return o.More
}

// Labels are the object's labels, for a match.
func (o *Object) Labels() map[string]string { return o.more().Labels }

// Sealed are the seals of what a saved listing keeps back; see More.
func (o *Object) Sealed() map[string]string { return o.more().Sealed }

// Inactive are the reasons why the object will not run; none means active.
func (o *Object) Inactive() []Inactive { return o.more().Inactive }

// Entries are the schedules of a workflow one by one.
func (o *Object) Entries() []Entry { return o.more().Entries }

// Literal is the object as a template states it, where that was asked for.
func (o *Object) Literal() []byte { return o.more().Literal }

// UID is the scheduler's own identity of the object, if it has one.
func (o *Object) UID() string { return o.more().UID }

// Created is when the object was made; zero where nobody says so.
func (o *Object) Created() time.Time { return o.more().Created }

// Changes are who changed it and when, as far as it is known.
func (o *Object) Changes() []Change { return o.more().Changes }

// Runs is what the scheduler says of the object's runs; nil if it says nothing.
func (o *Object) Runs() *Evidence { return o.more().Runs }

// Extra is More to be changed, in a copy of this object's own.
func (o *Object) Extra() *More {
	own := *o.more()
	o.More = &own
	return o.More
}

// Attrs are what a ledger's match can name, sorted by name: user, command, file;
// repo, workflow, cron; namespace, name. "builtin" marks what a distribution
// installs, "unstated" names the attribute that a file leaves open. Objects share
// them: they are changed by Object.SetAttr alone.
type Attrs []Attr

// Attr is one of them.
type Attr struct {
	Name string
	Text string
	// OfSpec says that the text is the spec's, which need not be kept twice: the
	// command of its body, the schedule as it is written.
	OfSpec bool
}

// AttrsOf are the attributes that a map states.
func AttrsOf(m map[string]string) Attrs {
	out := make(Attrs, 0, len(m))
	for name, text := range m {
		out = append(out, Attr{Name: name, Text: text})
	}
	slices.SortFunc(out, func(a, b Attr) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Attr is the text of an attribute, empty where the object has none of that name.
func (o *Object) Attr(name string) string {
	text, _ := o.LookupAttr(name)
	return text
}

// LookupAttr is the text of an attribute, and whether the object has it.
func (o *Object) LookupAttr(name string) (string, bool) {
	for i := range o.Attrs {
		if o.Attrs[i].Name == name {
			return o.attr(&o.Attrs[i]), true
		}
	}
	return "", false
}

func (o *Object) attr(a *Attr) string {
	switch {
	case !a.OfSpec:
		return a.Text
	case a.Name == "schedule":
		return o.Spec.Written()
	}
	return o.Spec.Body.Get(a.Name).Text
}

// Spelled are the attributes with the texts that are the spec's, for one who asks
// for them often.
func (o *Object) Spelled() Attrs {
	out := slices.Clone(o.Attrs)
	for i := range out {
		out[i] = Attr{Name: out[i].Name, Text: o.attr(&o.Attrs[i])}
	}
	return out
}

// SetAttr gives an attribute another text, in this object alone.
func (o *Object) SetAttr(name, text string) {
	at, there := slices.BinarySearchFunc(o.Attrs, name, func(a Attr, name string) int { return strings.Compare(a.Name, name) })
	attrs := slices.Clone(o.Attrs)
	if !there {
		attrs = slices.Insert(attrs, at, Attr{})
	}
	attrs[at] = Attr{Name: name, Text: text}
	o.Attrs = attrs
}

// EachAttr gives every attribute, by the order of their names.
func (o *Object) EachAttr(yield func(name, text string) bool) {
	for i := range o.Attrs {
		if !yield(o.Attrs[i].Name, o.attr(&o.Attrs[i])) {
			return
		}
	}
}
