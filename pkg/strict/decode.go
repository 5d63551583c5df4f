package strict

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// Decode reads data into out, a pointer to a struct with strict tags. What
// could be read is in out also where there are errors, so that the caller can
// go on to look for errors of meaning.
func Decode(file string, data []byte, out any) Errors {
	d := decoder{file: file, infos: map[reflect.Type]*info{}}
	root := d.parse(data)
	if root != nil && d.bounded(root) {
		d.value(root, reflect.ValueOf(out).Elem(), field{})
	}
	return d.errs
}

type decoder struct {
	file  string
	errs  Errors
	infos map[reflect.Type]*info
}

// valuer is a type that decodes itself.
type valuer interface {
	decode(d *decoder, n *yaml.Node, f field)
}

// value decodes a node into v.
func (d *decoder) value(n *yaml.Node, v reflect.Value, f field) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if own, ok := v.Addr().Interface().(valuer); ok {
		own.decode(d, n, f)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, f)
	case reflect.Slice:
		d.list(n, v, f)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), f)
	default:
		panic("strict: no decoding for " + v.Type().String())
	}
}

func (d *decoder) list(n *yaml.Node, v reflect.Value, f field) {
	if !d.is(n, yaml.SequenceNode, f) {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, m := range n.Content {
		d.value(m, v.Index(i), f.at(i))
	}
}

func (d *decoder) structure(n *yaml.Node, v reflect.Value, f field) {
	in := d.infoOf(v.Type())
	place := Place{Pos: d.pos(n), Fields: map[string]specs.Pos{}}
	defer func() {
		if in.place >= 0 {
			v.Field(in.place).Set(reflect.ValueOf(place))
		}
	}()
	if in.short >= 0 && n.Kind == yaml.ScalarNode {
		s := in.fields[in.short]
		place.Fields[s.name] = place.Pos
		d.value(n, v.Field(s.index), f)
		return
	}
	if !d.is(n, yaml.MappingNode, f) {
		place.guessed = in.names // nothing is missing where nothing could be read
		return
	}
	for _, p := range d.pairs(n, f, 0) {
		i := slices.Index(in.names, p.key)
		if i < 0 || p.key == "" {
			d.errs.Add(d.pos(p.node), "unknown field %s%s%s", f.in(Quote(p.key)), didYouMean(p.key, in.known), d.choice(p.key, in.known))
			if g := Nearest(p.key, in.known); g != "" {
				place.guessed = append(place.guessed, g)
			}
			continue
		}
		place.Fields[p.key] = d.pos(p.node)
		d.value(p.value, v.Field(in.fields[i].index), f.child(in.fields[i]))
	}
	for _, known := range in.fields {
		if known.required && !place.Has(known.name) {
			d.errs.Add(place.Pos, "%s lacks the field `%s`; add it", f.orDocument(), known.name)
		}
	}
}

// choice lists the fields where no single one is near.
func (d *decoder) choice(key string, names []string) string {
	if Nearest(key, names) != "" {
		return ""
	}
	return "; the fields here are " + strings.Join(names, ", ")
}

// is reports that a node is of a kind, and is not tagged as something else.
func (d *decoder) is(n *yaml.Node, kind yaml.Kind, f field) bool {
	tag := map[yaml.Kind]string{yaml.MappingNode: "!!map", yaml.SequenceNode: "!!seq"}[kind]
	if n.Kind != kind {
		d.errs.Add(d.pos(n), "%s is %s and must be %s", f.orDocument(), nodeWord(n), kindWord(kind))
		return false
	}
	if n.ShortTag() != tag {
		d.errs.Add(d.pos(n), "%s has the tag %s, which is not read; remove the tag", f.orDocument(), Quote(n.Tag))
		return false
	}
	return true
}

// scalar reports that a node holds a scalar's text.
func (d *decoder) scalar(n *yaml.Node, f field, want string) bool {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.errs.Add(d.pos(n), "%s is %s and must be %s", f.orDocument(), nodeWord(n), want)
	case n.ShortTag() == "!!null":
		d.errs.Add(d.pos(n), "%s has no value; give it one, or remove the field", f.orDocument())
	case !slices.Contains(scalarTags, n.ShortTag()):
		d.errs.Add(d.pos(n), "%s has the tag %s, which is not read; remove the tag", f.orDocument(), Quote(n.Tag))
	default:
		return true
	}
	return false
}

var scalarTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!merge"}

func nodeWord(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return "without a value"
	}
	return kindWord(n.Kind)
}

func kindWord(k yaml.Kind) string {
	switch k {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

func (t *Text) decode(d *decoder, n *yaml.Node, f field) {
	if !d.scalar(n, f, "text") {
		t.Pos = d.pos(n)
		return
	}
	t.Pos, t.Value = d.pos(n), n.Value
	switch {
	case n.Value == "" && !f.empty:
		d.errs.Add(t.Pos, "%s is empty; give it a value, or remove the field", f.path)
	case len(f.enum) > 0 && !slices.Contains(f.enum, n.Value):
		d.errs.Add(t.Pos, "%s is %s and must be %s%s", f.path, Quote(n.Value), strings.Join(f.enum, " or "), didYouMean(n.Value, f.enum))
	}
}

func (t *Texts) decode(d *decoder, n *yaml.Node, f field) {
	t.Pos = d.pos(n)
	switch {
	case n.Kind == yaml.ScalarNode:
		var one Text
		one.decode(d, n, f)
		t.Items = []Text{one}
	case n.Kind == yaml.MappingNode:
		d.errs.Add(t.Pos, "%s is a mapping and must be text or a list of texts", f.path)
	case d.is(n, yaml.SequenceNode, f):
		t.Items = d.texts(n, f)
	}
}

// texts are the members of a list that is not empty and holds each text once.
func (d *decoder) texts(n *yaml.Node, f field) []Text {
	out := make([]Text, len(n.Content))
	first := map[string]specs.Pos{}
	for i, m := range n.Content {
		if m.Kind == yaml.AliasNode {
			m = m.Alias
		}
		out[i].decode(d, m, f.at(i))
		if at, twice := first[out[i].Value]; twice && out[i].Value != "" {
			d.errs.Add(out[i].Pos, "%s repeats %s of line %d; remove one", f.at(i).path, Quote(out[i].Value), at.Line)
		}
		first[out[i].Value] = out[i].Pos
	}
	if len(out) == 0 {
		d.errs.Add(d.pos(n), "%s is an empty list; name at least one, or remove the field", f.path)
	}
	return out
}

func (i *Int) decode(d *decoder, n *yaml.Node, f field) {
	i.Pos = d.pos(n)
	if !d.scalar(n, f, "a whole number") {
		return
	}
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || n.ShortTag() != "!!int" || strconv.FormatInt(v, 10) != n.Value {
		d.errs.Add(i.Pos, "%s is %s and must be a whole number in decimal digits", f.path, Quote(n.Value))
		return
	}
	i.Value = v
}

func (b *Bool) decode(d *decoder, n *yaml.Node, f field) {
	b.Pos = d.pos(n)
	if !d.scalar(n, f, "true or false") {
		return
	}
	if n.ShortTag() != "!!bool" {
		d.errs.Add(b.Pos, "%s is %s and must be true or false", f.path, Quote(n.Value))
		return
	}
	b.Value = strings.EqualFold(n.Value, "true")
}

func (m *Map[T]) decode(d *decoder, n *yaml.Node, f field) {
	m.Pos = d.pos(n)
	if !d.is(n, yaml.MappingNode, f) {
		return
	}
	pairs := d.pairs(n, f, 0)
	m.Items = make([]Item[T], len(pairs))
	for i, p := range pairs {
		m.Items[i].Key = Text{d.pos(p.node), p.key}
		d.value(p.value, reflect.ValueOf(&m.Items[i].Value).Elem(), f.member(p.key))
	}
}
