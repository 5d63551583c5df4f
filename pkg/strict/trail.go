package strict

import (
	"strconv"
	"strings"
)

// step leads from a value to one in it: a field, an entry with a free key, or a
// member of a list. Where a value stands is put together only for an error.
type step struct {
	name  string
	free  bool
	index int // of a member, where there is no name
}

func (d *decoder) enter(s step) { d.trail = append(d.trail, s) }

func (d *decoder) leave() { d.trail = d.trail[:len(d.trail)-1] }

// path is where decoding stands, like roles.retry.sources[0]; empty for the
// document.
func (d *decoder) path() string {
	var b strings.Builder
	for i, s := range d.trail {
		switch {
		case s.name == "" && !s.free:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(s.shown())
	}
	return b.String()
}

// shown is a name; a free key is quoted unless it is a word.
func (s step) shown() string {
	if s.free {
		if q := Quote(s.name); len(q) != len(s.name)+2 || strings.ContainsAny(s.name, ". ") {
			return q
		}
	}
	return s.name
}

func (d *decoder) orDocument() string {
	if p := d.path(); p != "" {
		return p
	}
	return "the file"
}

// in names a key within the value.
func (d *decoder) in(quoted string) string {
	if p := d.path(); p != "" {
		return quoted + " in " + p
	}
	return quoted
}
