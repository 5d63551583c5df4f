package strict

import (
	"reflect"
	"strings"
)

// field is what the tag of a field says. A list and a Map hand on to what is in
// them whether a text may be empty, and which there are.
type field struct {
	name     string
	index    int
	required bool
	empty    bool
	short    bool
	enum     []string
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

// placeOf is the struct's embedded Place, or one that nobody looks at.
func (in *info) placeOf(v reflect.Value) *Place {
	if in.place < 0 {
		return &Place{}
	}
	return v.Field(in.place).Addr().Interface().(*Place)
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
