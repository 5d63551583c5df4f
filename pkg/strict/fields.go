package strict

import (
	"reflect"
	"strconv"
	"strings"
)

// field is where a value stands and what its tag says.
type field struct {
	path     string // roles.retry.version, empty for the document
	name     string
	index    int
	required bool
	empty    bool
	short    bool
	enum     []string
}

func (f field) orDocument() string {
	if f.path == "" {
		return "the file"
	}
	return f.path
}

// in names a key within the value.
func (f field) in(quoted string) string {
	if f.path == "" {
		return quoted
	}
	return quoted + " in " + f.path
}

// child is a known field with its place; it takes over what the tag says.
func (f field) child(known field) field {
	known.path = known.name
	if f.path != "" {
		known.path = f.path + "." + known.name
	}
	return known
}

// at is a member of a list; it keeps what the list's tag says of its members.
func (f field) at(i int) field {
	f.path += "[" + strconv.Itoa(i) + "]"
	return f
}

// member is an entry of a Map.
func (f field) member(key string) field {
	shown := key
	if q := Quote(key); len(q) != len(key)+2 || strings.ContainsAny(key, ". ") {
		shown = q
	}
	return f.child(field{name: shown, empty: f.empty, enum: f.enum})
}

// info is what the tags of a struct say.
type info struct {
	fields []field
	names  []string
	known  []string // the names that can be meant
	place  int      // index of the embedded Place, or -1
	short  int      // index in fields, or -1
}

func (d *decoder) infoOf(t reflect.Type) *info {
	if in := d.infos[t]; in != nil {
		return in
	}
	in := &info{place: -1, short: -1}
	for i := range t.NumField() {
		if t.Field(i).Type == reflect.TypeFor[Place]() {
			in.place = i
			continue
		}
		f := parseTag(t.Field(i).Tag.Get("strict"), i)
		if f.short {
			in.short = len(in.fields)
		}
		in.fields = append(in.fields, f)
		in.names = append(in.names, f.name)
		if f.name != "" {
			in.known = append(in.known, f.name)
		}
	}
	d.infos[t] = in
	return in
}

func parseTag(tag string, index int) field {
	words := strings.Split(tag, ",")
	f := field{name: words[0], index: index}
	for _, w := range words[1:] {
		switch {
		case w == "required":
			f.required = true
		case w == "empty":
			f.empty = true
		case w == "short":
			f.short = true
		case strings.HasPrefix(w, "enum="):
			f.enum = strings.Split(strings.TrimPrefix(w, "enum="), "|")
		}
	}
	return f
}
