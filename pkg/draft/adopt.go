package draft

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Adoption is one role for an object that a ledger does not know yet.
type Adoption struct {
	Key       string
	Text      []byte // the role in lines that begin in the first column, as ledger.AddRole takes it
	Sources   []string
	Templates []File
	// Pinned says that only the hash could be written.
	Pinned   bool
	Warnings []string // as in a Draft
}

// ErrNameless says that an object carries no marker, and was given no name.
var ErrNameless = errors.New("the object does not say which role it plays")

// Adopt writes a role for the object with an id, as Write would among all that
// the sources hold. Key is the role's, empty for that of the object's marker.
func Adopt(in Input, id, key, owner string) (Adoption, error) {
	s, o, ok := in.find(id)
	if !ok {
		return Adoption{}, fmt.Errorf("no source holds the object %s", id)
	}
	switch why := unfit(o); {
	case why != "" && why != stock:
		return Adoption{}, fmt.Errorf("%s cannot be adopted: %s", in.Rules.Mask(place(o)), in.Rules.Mask(why))
	case o.Marker().Role == "" && key == "":
		return Adoption{}, ErrNameless
	case o.Marker().Role != "" && key != "" && o.Marker().Role != key:
		return Adoption{}, fmt.Errorf("%s says by its marker that it plays %s; adopt it as that, or change the marker", in.Rules.Mask(place(o)), o.Marker().Role)
	case !writable(owner):
		return Adoption{}, errors.New("the owner cannot be written in a ledger; name it in plain text")
	}
	d := &drafter{Input: in, byKey: map[string]*role{}, files: map[string]string{}, remarks: make([]sourceRemarks, 1)}
	d.adopt(s, o)
	if len(d.roles) == 0 {
		return Adoption{}, fmt.Errorf("%s cannot be adopted: no match means it alone; put a marker on it", in.Rules.Mask(place(o)))
	}
	r := d.roles[0]
	if r.key == "" {
		r.key = key
	}
	if r.owner = owner; !specs.ValidRoleKey(r.key) {
		return Adoption{}, fmt.Errorf("%q cannot be the key of a role; a key is 1 to 63 letters, digits, dots, underscores and hyphens", r.key)
	}
	if d.state(r); !r.stated {
		return Adoption{}, fmt.Errorf("%s cannot be stated in a ledger; please report this", in.Rules.Mask(place(o)))
	}
	return r.adoption(), nil
}

func (in Input) find(id string) (*Source, providers.Object, bool) {
	for i := range in.Sources {
		for _, o := range inOrder(in.Sources[i].Observation.Objects) {
			if o.ID == id {
				return &in.Sources[i], o, true
			}
		}
	}
	return nil, providers.Object{}, false
}

// adopt makes the role of an object: of it first, and then of those that have
// the same marker or that no match tells from it.
func (d *drafter) adopt(s *Source, o providers.Object) {
	m := newMatcher(s.Observation, d.Rules)
	if o.Marker().Role == "" {
		d.unmarked(s, o, m)
	} else {
		d.marked(s, o)
	}
	skipped := false
	for i := range d.Sources {
		from := &d.Sources[i]
		for _, other := range inOrder(from.Observation.Objects) {
			switch {
			case from == s && other.ID == o.ID && !skipped:
				skipped = true
			case unfit(other) != "" && unfit(other) != stock:
			case o.Marker().Role != "" && other.Marker().Role == o.Marker().Role:
				d.marked(from, other)
			case from == s && o.Marker().Role == "" && !other.Marker().Present() && len(d.roles) > 0 && m.identity(other) == m.identity(o):
				d.unmarked(s, other, m)
			}
		}
	}
}

func (r *role) adoption() Adoption {
	var b bytes.Buffer
	r.write(&b, "")
	a := Adoption{Key: r.key, Text: b.Bytes(), Sources: r.sources, Pinned: !r.spec.Hash.IsZero()}
	for _, text := range r.aloud {
		a.Warnings = append(a.Warnings, "role "+r.key+": "+text)
	}
	if t := r.spec.Template; t != nil {
		a.Templates = append(a.Templates, File{t.Name, t.Data})
	}
	return a
}

// Suggest is a name for the role of an object, that is not taken.
func Suggest(in Input, id string, taken func(key string) bool) string {
	_, o, ok := in.find(id)
	if !ok {
		return ""
	}
	d := &drafter{Input: in}
	wishes := d.wishes(o)
	for _, w := range wishes {
		if !taken(w) {
			return w
		}
	}
	return Free(wishes[0], taken)
}

// Free is the key with the first number behind it that is not taken.
func Free(key string, taken func(key string) bool) string {
	for n := 2; ; n++ {
		if next := fmt.Sprintf("%s-%d", key[:min(len(key), longestKey-8)], n); !taken(next) {
			return next
		}
	}
}
