// Package draft writes a first ledger from what the sources hold. It is a
// function: the same listings give the same bytes. Every role that it writes
// is held against its object by the judge's own rules before it is kept, so an
// audit right after finds nothing but that no person has reviewed it.
package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Input is all that a draft depends on.
type Input struct {
	Sources []Source
	// Folder is where templates go, relative to the ledger, with slashes.
	Folder string
	// InUse says that a file of that name is there already, by a path like
	// File.Name; nil if none is.
	InUse func(name string) bool
	Rules Rules
}

// Source is one source and what was seen of it.
type Source struct {
	Observation providers.Observation
	// Translate puts a statement in the source's terms, as an audit will.
	Translate func(specs.Statement) (specs.Desired, error)
	// Workflows says that a workflow can be named by its path, since an audit
	// reads it from a checkout.
	Workflows bool
	// Files says that the objects were read from files that people keep, not from
	// a scheduler. A value at a position of secrets is then one only if it looks
	// like one: it is written down already.
	Files bool
}

// Rules are what a draft does not decide itself.
type Rules struct {
	// Fits says that a match means an object, as an audit decides it.
	Fits func(specs.Match, providers.Object) bool
	// Same says that an object does what is desired, as an audit decides it.
	Same func(specs.Desired, providers.Object) bool
	// Mask hides what may be a secret in a text.
	Mask func(string) string
	// Mark is a body of the same shape in which texts that may be secrets by
	// their key or by the flag before them are marked.
	Mark func(specs.Packed) specs.Packed
	// Harmless says that the value of a variable, which stands at a position of
	// secrets, is none.
	Harmless func(name, value string) bool
}

// Draft is a first ledger.
type Draft struct {
	Ledger    []byte
	Templates []File
	Roles     int
	// Pinned counts the roles of which only the hash could be written.
	Pinned int
	// LeftOut counts the objects that are no part of any role.
	LeftOut int
	// Warnings are what a person has to know that an audit will not find clean,
	// or that the ledger does not say. Secrets are masked in them.
	Warnings []string
}

// File is a template.
type File struct {
	Name string // relative to the ledger, with slashes
	Data []byte
}

// Write makes the draft.
func Write(in Input) Draft {
	d := &drafter{Input: in, byKey: map[string]*role{}, files: map[string]string{}}
	for i := range in.Sources {
		d.source(&in.Sources[i])
	}
	d.name()
	for _, r := range d.roles {
		d.state(r)
	}
	d.roles = slices.DeleteFunc(d.roles, func(r *role) bool { return !r.stated })
	out := Draft{Ledger: d.emit(), Roles: len(d.roles), LeftOut: d.leftOut, Warnings: d.warnings}
	for _, r := range d.roles {
		for _, text := range r.aloud {
			out.Warnings = append(out.Warnings, "role "+r.key+": "+text)
		}
		if !r.spec.Hash.IsZero() {
			out.Pinned++
		}
		if t := r.spec.Template; t != nil {
			out.Templates = append(out.Templates, File{t.Name, t.Data})
		}
	}
	return out
}

type drafter struct {
	Input
	roles    []*role
	byKey    map[string]*role  // of markers
	files    map[string]string // keys by the name of their template, in lower case
	remarks  []sourceRemarks
	leftOut  int
	warnings []string
}

// sourceRemarks is what the ledger says in comments about a source.
type sourceRemarks struct {
	source, provider string
	lines            []string
}

// role is one entry of the ledger in the making.
type role struct {
	key     string
	source  *Source // the first one
	sources []string
	objects []providers.Object // the first is what the role is written from
	// elsewhere are objects of the same marker in other sources.
	elsewhere []sighting
	owner     string
	version   string
	match     specs.Match
	spec      specs.Statement
	stated    bool
	asleep    bool
	comments  []string
	aloud     []string // of the comments, what must not be overlooked
}

// sighting is an object and where it was seen.
type sighting struct {
	source *Source
	object providers.Object
}

// source sorts a source's objects into roles.
func (d *drafter) source(s *Source) {
	o := s.Observation
	d.remarks = append(d.remarks, sourceRemarks{source: o.Source, provider: o.Provider})
	for _, gap := range o.Gaps() {
		d.remark("not read: %s: %s: %s", gap.Part, gap.State, d.Rules.Mask(gap.Reason))
	}
	m := newMatcher(o, d.Rules)
	builtin := 0
	for _, obj := range inOrder(o.Objects) {
		switch why := unfit(obj); {
		case why == stock:
			builtin++
			d.leftOut++
		case why != "":
			d.leave(obj, why)
		case obj.Marker().Role != "":
			d.marked(s, obj)
		default:
			d.unmarked(s, obj, m)
		}
	}
	if builtin > 0 {
		d.remark("left out: %s that the distribution installs", count(builtin, "object"))
	}
}

// inOrder are the objects as they stand in their files.
func inOrder(objects []providers.Object) []providers.Object {
	return slices.SortedStableFunc(slices.Values(objects), func(a, b providers.Object) int {
		return cmp.Or(a.Pos.Compare(b.Pos), strings.Compare(a.ID, b.ID))
	})
}

const stock = "stock"

// unfit is why an object cannot be a role.
func unfit(o providers.Object) string {
	switch {
	case o.Marker().Invalid != "":
		return "its marker cannot be the key of a role; a key is 1 to 63 letters, digits, dots, underscores and hyphens"
	case o.Opaque && len(o.Inactive()) > 0:
		return o.Inactive()[len(o.Inactive())-1].Code + ", so there is nothing to state: " + o.Inactive()[len(o.Inactive())-1].Detail
	case o.Opaque:
		return "it cannot be read, so there is nothing to state"
	case !o.Marker().Present() && o.Attr("builtin") != "":
		return stock
	}
	return ""
}

// leave says that an object is no part of the ledger.
func (d *drafter) leave(o providers.Object, why string) {
	d.leftOut++
	text := d.Rules.Mask(fmt.Sprintf("left out: %s: %s", place(o), why))
	d.remark("%s", text)
	d.warn("%s", text)
}

// place is an object's id and where a person finds it.
func place(o providers.Object) string {
	if o.Pos.File == "" {
		return o.ID
	}
	return o.ID + " at " + o.Pos.String()
}

func (d *drafter) remark(format string, args ...any) {
	r := &d.remarks[len(d.remarks)-1]
	r.lines = append(r.lines, oneLine(fmt.Sprintf(format, args...)))
}

func (d *drafter) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// marked takes an object that says its role.
func (d *drafter) marked(s *Source, o providers.Object) {
	key := o.Marker().Role
	r, known := d.byKey[key]
	if !known {
		r = &role{key: key, source: s, sources: []string{o.Source()}, objects: []providers.Object{o}}
		if r.version = o.Marker().Version; !writable(r.version) {
			r.version = ""
			r.comments = append(r.comments, "the version of its marker cannot be written here")
		}
		d.byKey[key] = r
		d.roles = append(d.roles, r)
		return
	}
	if o.Source() == r.sources[0] {
		r.objects = append(r.objects, o)
		d.double(r, o, "carries the marker of this role too, so an audit reports a duplicate")
		return
	}
	r.elsewhere = append(r.elsewhere, sighting{s, o})
}

// double says in the ledger and aloud what an audit will find.
func (d *drafter) double(r *role, o providers.Object, what string) {
	text := d.Rules.Mask(place(o)) + " " + what
	r.say(text)
}

// say adds what the ledger says about the role, and the program aloud.
func (r *role) say(text string) {
	r.comments = append(r.comments, text)
	r.aloud = append(r.aloud, text)
}

// unmarked takes an object that only a match can find. Objects that nothing
// tells apart are one role.
func (d *drafter) unmarked(s *Source, o providers.Object, m *matcher) {
	twin := m.identity(o)
	if r, known := m.roles[twin]; known {
		r.objects = append(r.objects, o)
		d.double(r, o, "cannot be told from the object of this role, so an audit reports a duplicate; remove one, or put a marker on each")
		return
	}
	match, ok := m.find(o)
	if !ok {
		d.leave(o, "no match means it alone; put a marker on it")
		return
	}
	r := &role{source: s, sources: []string{o.Source()}, objects: []providers.Object{o}, match: match}
	m.roles[twin] = r
	d.roles = append(d.roles, r)
}
