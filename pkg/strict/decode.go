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
	if root, ok := d.parse(data); ok {
		d.value(root, reflect.ValueOf(out).Elem(), &field{})
	}
	return d.errs
}

type decoder struct {
	file  string
	errs  Errors
	infos map[reflect.Type]*info
	trail []step
	// pairs and fields are those of the values that are being decoded. Memory that
	// a value has used serves the next one.
	pairs  []pair
	fields []Field
}

// lend gives an empty slice with room for n on top of a stack.
func lend[T any](stack *[]T, n int) []T {
	from := len(*stack)
	*stack = slices.Grow(*stack, n)[:from+n]
	return (*stack)[from : from : from+n]
}

// valuer is a type that decodes itself.
type valuer interface {
	decode(d *decoder, n node, f *field)
}

// value decodes a node into v.
func (d *decoder) value(n node, v reflect.Value, f *field) {
	n = n.target()
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

func (d *decoder) list(n node, v reflect.Value, f *field) {
	if !d.is(n, yaml.SequenceNode) {
		return
	}
	count := n.count()
	v.Set(reflect.MakeSlice(v.Type(), count, count))
	i := 0
	for m := range n.below() {
		d.enter(step{index: i})
		d.value(m, v.Index(i), f)
		d.leave()
		i++
	}
}

func (d *decoder) structure(n node, v reflect.Value, f *field) {
	in := d.infoOf(v.Type())
	place := in.placeOf(v)
	place.Pos = d.pos(n)
	if in.short >= 0 && n.kind() == yaml.ScalarNode {
		s := &in.fields[in.short]
		place.add(s.name, place.Pos)
		d.value(n, v.Field(s.index), f)
		return
	}
	if !d.is(n, yaml.MappingNode) {
		place.guessed = in.names // nothing is missing where nothing could be read
		return
	}
	mark := len(d.pairs)
	pairs := d.pairsOf(n, 0)
	place.fields = lend(&d.fields, len(pairs))
	for _, p := range pairs {
		d.field(p, v, in, place)
	}
	d.pairs = d.pairs[:mark]
	for i := range in.fields {
		if known := &in.fields[i]; known.required && !place.Has(known.name) {
			d.errs.Add(place.Pos, "%s lacks the field `%s`; add it", d.orDocument(), known.name)
		}
	}
}

// field decodes one field of a structure.
func (d *decoder) field(p pair, v reflect.Value, in *info, place *Place) {
	i := slices.Index(in.names, p.key)
	if i < 0 || p.key == "" {
		near := Nearest(p.key, in.known)
		if near != "" {
			place.guessed = append(place.guessed, near)
		}
		d.errs.Add(d.pos(p.node), "unknown field %s%s", d.in(Quote(p.key)), meant(near, in.known))
		return
	}
	place.add(p.key, d.pos(p.node))
	d.enter(step{name: p.key})
	d.value(p.value, v.Field(in.fields[i].index), &in.fields[i])
	d.leave()
}

// meant names the field that was surely meant, or all there are.
func meant(near string, names []string) string {
	if near != "" {
		return suggestion(near)
	}
	return "; the fields here are " + strings.Join(names, ", ")
}

// is reports that a node is of a kind, and is not tagged as something else.
func (d *decoder) is(n node, kind yaml.Kind) bool {
	if n.kind() != kind {
		d.errs.Add(d.pos(n), "%s is %s and must be %s", d.orDocument(), nodeWord(n), kindWord(kind))
		return false
	}
	tag := "!!seq"
	if kind == yaml.MappingNode {
		tag = "!!map"
	}
	if n.tag() != tag {
		d.errs.Add(d.pos(n), "%s has the tag %s, which is not read; remove the tag", d.orDocument(), Quote(n.whole.Tag))
		return false
	}
	return true
}

// scalar reports that a node holds a scalar's text.
func (d *decoder) scalar(n node, want string) bool {
	if n.kind() != yaml.ScalarNode {
		d.errs.Add(d.pos(n), "%s is %s and must be %s", d.orDocument(), nodeWord(n), want)
		return false
	}
	switch {
	case n.isNull():
		d.errs.Add(d.pos(n), "%s has no value; give it one, or remove the field", d.orDocument())
	case n.whole == nil || slices.Contains(scalarTags, n.tag()):
		return true
	default:
		d.errs.Add(d.pos(n), "%s has the tag %s, which is not read; remove the tag", d.orDocument(), Quote(n.whole.Tag))
	}
	return false
}

var scalarTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!merge"}

func nodeWord(n node) string {
	if n.kind() == yaml.ScalarNode && n.isNull() {
		return "without a value"
	}
	return kindWord(n.kind())
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

func (t *Text) decode(d *decoder, n node, f *field) {
	if !d.scalar(n, "text") {
		t.Pos = d.pos(n)
		return
	}
	text := n.text()
	t.Pos, t.Value = d.pos(n), text
	switch {
	case text == "" && !f.empty:
		d.errs.Add(t.Pos, "%s is empty; give it a value, or remove the field", d.path())
	case len(f.enum) > 0 && !slices.Contains(f.enum, text):
		d.errs.Add(t.Pos, "%s is %s and must be %s%s", d.path(), Quote(text), strings.Join(f.enum, " or "), didYouMean(text, f.enum))
	}
}

func (t *Texts) decode(d *decoder, n node, f *field) {
	t.Pos = d.pos(n)
	switch {
	case n.kind() == yaml.ScalarNode:
		var one Text
		one.decode(d, n, f)
		t.Items = []Text{one}
	case n.kind() == yaml.MappingNode:
		d.errs.Add(t.Pos, "%s is a mapping and must be text or a list of texts", d.path())
	case d.is(n, yaml.SequenceNode):
		t.Items = d.texts(n, f)
	}
}

// texts are the members of a list that is not empty and holds each text once.
func (d *decoder) texts(n node, f *field) []Text {
	out := make([]Text, 0, n.count())
	first := map[string]specs.Pos{}
	for m := range n.below() {
		d.enter(step{index: len(out)})
		var one Text
		one.decode(d, m.target(), f)
		if at, twice := first[one.Value]; twice && one.Value != "" {
			d.errs.Add(one.Pos, "%s repeats %s of line %d; remove one", d.path(), Quote(one.Value), at.Line)
		}
		first[one.Value] = one.Pos
		out = append(out, one)
		d.leave()
	}
	if len(out) == 0 {
		d.errs.Add(d.pos(n), "%s is an empty list; name at least one, or remove the field", d.path())
	}
	return out
}

func (i *Int) decode(d *decoder, n node, f *field) {
	i.Pos = d.pos(n)
	if !d.scalar(n, "a whole number") {
		return
	}
	text := n.text()
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n.tag() != "!!int" || strconv.FormatInt(v, 10) != text {
		d.errs.Add(i.Pos, "%s is %s and must be a whole number in decimal digits", d.path(), Quote(text))
		return
	}
	i.Value = v
}

func (b *Bool) decode(d *decoder, n node, f *field) {
	b.Pos = d.pos(n)
	if !d.scalar(n, "true or false") {
		return
	}
	if n.tag() != "!!bool" {
		d.errs.Add(b.Pos, "%s is %s and must be true or false", d.path(), Quote(n.text()))
		return
	}
	b.Value = strings.EqualFold(n.text(), "true")
}

func (m *Map[T]) decode(d *decoder, n node, f *field) {
	m.Pos = d.pos(n)
	if !d.is(n, yaml.MappingNode) {
		return
	}
	mark := len(d.pairs)
	pairs := d.pairsOf(n, 0)
	m.Items = make([]Item[T], len(pairs))
	for i, p := range pairs {
		m.Items[i].Key = Text{d.pos(p.node), p.key}
		d.entry(p, reflect.ValueOf(&m.Items[i].Value).Elem(), f)
	}
	d.pairs = d.pairs[:mark]
}

func (e *Each[T]) decode(d *decoder, n node, f *field) {
	e.Pos = d.pos(n)
	if !d.is(n, yaml.MappingNode) {
		return
	}
	pairs, mark := d.pairsOf(n, 0), len(d.fields)
	e.Len = len(pairs)
	one := new(T)
	for _, p := range pairs {
		*one = *new(T)
		d.entry(p, reflect.ValueOf(one).Elem(), f)
		if e.Do != nil {
			e.Do(Text{d.pos(p.node), p.key}, one)
		}
		d.fields = d.fields[:mark]
	}
}

// entry decodes what stands under a free key.
func (d *decoder) entry(p pair, v reflect.Value, f *field) {
	d.enter(step{name: p.key, free: true})
	d.value(p.value, v, f)
	d.leave()
}
