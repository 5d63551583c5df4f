package kubernetes

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

// typeForm is how a type of the API is read from plain YAML.
type typeForm struct {
	typ    reflect.Type
	read   func(p *plainly, i int32, f *typeForm, v reflect.Value) bool
	fields map[string]fieldForm // of a struct
	of     *typeForm            // what a pointer, a list or a map holds
}

type fieldForm struct {
	index []int // through the structs that are inline
	bit   uint64
	*typeForm
}

var cronJobForm = sync.OnceValue(func() *typeForm { return typeFormOf(reflect.TypeFor[batchv1.CronJob](), map[reflect.Type]*typeForm{}) })

func typeFormOf(t reflect.Type, known map[reflect.Type]*typeForm) *typeForm {
	if f, ok := known[t]; ok {
		return f
	}
	f := &typeForm{typ: t}
	known[t] = f
	switch f.read = readerOf(t); t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		f.of = typeFormOf(t.Elem(), known)
	case reflect.Struct:
		f.fields = map[string]fieldForm{}
		f.add(t, nil, known)
	}
	return f
}

// add takes the fields of a struct, with those of the structs inline in it.
func (f *typeForm) add(t reflect.Type, above []int, known map[reflect.Type]*typeForm) {
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(slices.Clip(above), i)
		switch name, inline := jsonName(sf); {
		case inline && sf.Type.Kind() == reflect.Struct:
			f.add(sf.Type, index, known)
		case !inline && sf.IsExported() && name != "-":
			f.fields[name] = fieldForm{index, 1 << len(f.fields), typeFormOf(sf.Type, known)}
		}
	}
}

// readerOf is how a value of a type is read, which is never where the type has
// an own way of its own to be read that is not known here.
func readerOf(t reflect.Type) func(*plainly, int32, *typeForm, reflect.Value) bool {
	switch t {
	case quantityType:
		return (*plainly).quantity
	case intOrStringType:
		return (*plainly).intOrString
	case timeType:
		return (*plainly).time
	case reflect.TypeFor[map[string]string]():
		return (*plainly).texts
	}
	if hasOwnReading(reflect.PointerTo(t)) {
		return unread
	}
	switch t.Kind() {
	case reflect.String:
		return (*plainly).word
	case reflect.Bool:
		return (*plainly).bool
	case reflect.Int32, reflect.Int64:
		return (*plainly).int
	case reflect.Pointer:
		return (*plainly).pointer
	case reflect.Struct:
		return (*plainly).fields
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return (*plainly).sequence
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !hasOwnReading(reflect.PointerTo(t.Key())) {
			return (*plainly).mapping
		}
	}
	return unread
}

func unread(*plainly, int32, *typeForm, reflect.Value) bool { return false }

func hasOwnReading(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Unmarshaler]()) || t.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// into reads the node at i into what a pointer points to, which is zero.
func (p *plainly) into(i int32, f *typeForm, to any) bool {
	return f.read(p, i, f, reflect.ValueOf(to).Elem())
}

// null says that a node is null, which leaves a value as it is.
func (p *plainly) null(i int32) bool { return p.is(i, nullScalar) }

// is says that a node is a scalar of a kind.
func (p *plainly) is(i int32, s scalar) bool {
	return p.doc[i].Kind == plain.Scalar && scalarOf(&p.doc[i]) == s
}

func (p *plainly) pointer(i int32, f *typeForm, v reflect.Value) bool {
	if p.null(i) {
		return true
	}
	to := reflect.New(f.of.typ)
	v.Set(to)
	return f.of.read(p, i, f.of, to.Elem())
}

// fields reads a struct. A field that it does not have, or that stands twice, is
// not for here.
func (p *plainly) fields(i int32, f *typeForm, v reflect.Value) bool {
	if p.doc[i].Kind != plain.Mapping {
		return p.null(i)
	}
	seen := uint64(0)
	for key, value := range p.pairs(i) {
		field, ok := f.fields[p.doc[key].Text]
		if !ok || field.bit == 0 || seen&field.bit != 0 || !p.isKey(key) || p.huge(key, value) {
			return false
		}
		seen |= field.bit
		if !field.read(p, value, field.typeForm, v.FieldByIndex(field.index)) {
			return false
		}
	}
	return true
}

func (p *plainly) sequence(i int32, f *typeForm, v reflect.Value) bool {
	if p.doc[i].Kind != plain.Sequence {
		return p.null(i)
	}
	n := 0
	for range p.doc.Below(i) {
		n++
	}
	v.Set(reflect.MakeSlice(f.typ, n, n))
	n = 0
	for c := range p.doc.Below(i) {
		if !f.of.read(p, c, f.of, v.Index(n)) {
			return false
		}
		n++
	}
	return true
}

func (p *plainly) mapping(i int32, f *typeForm, v reflect.Value) bool {
	if p.doc[i].Kind != plain.Mapping {
		return p.null(i)
	}
	v.Set(reflect.MakeMap(f.typ))
	n := 0
	for key, value := range p.pairs(i) {
		element := reflect.New(f.of.typ).Elem()
		if !p.isKey(key) || p.huge(key, value) || !f.of.read(p, value, f.of, element) {
			return false
		}
		v.SetMapIndex(reflect.ValueOf(p.doc[key].Text).Convert(f.typ.Key()), element)
		n++
	}
	return v.Len() == n
}

// texts is mapping for what is most often a map. It copies, since objects keep
// such maps.
func (p *plainly) texts(i int32, _ *typeForm, v reflect.Value) bool {
	if p.doc[i].Kind != plain.Mapping {
		return p.null(i)
	}
	out, n := map[string]string{}, 0
	for key, value := range p.pairs(i) {
		text, ok := p.stringAt(value)
		if !ok || !p.isKey(key) || p.huge(key, value) {
			return false
		}
		out[strings.Clone(p.doc[key].Text)] = strings.Clone(text)
		n++
	}
	v.Set(reflect.ValueOf(out))
	return len(out) == n
}

// stringAt is a text, or what is left of null where a text is wanted.
func (p *plainly) stringAt(i int32) (string, bool) {
	switch n := &p.doc[i]; {
	case p.is(i, textScalar):
		return n.Text, true
	default:
		return "", p.null(i)
	}
}

func (p *plainly) word(i int32, _ *typeForm, v reflect.Value) bool {
	text, ok := p.stringAt(i)
	v.SetString(text)
	return ok
}

func (p *plainly) bool(i int32, _ *typeForm, v reflect.Value) bool {
	v.SetBool(p.is(i, trueScalar))
	return p.is(i, trueScalar) || p.is(i, falseScalar) || p.null(i)
}

func (p *plainly) int(i int32, _ *typeForm, v reflect.Value) bool {
	if p.null(i) {
		return true
	}
	n, err := strconv.ParseInt(p.doc[i].Text, 10, 64)
	if err != nil || !p.is(i, integerScalar) || v.OverflowInt(n) {
		return false
	}
	v.SetInt(n)
	return true
}

func (p *plainly) time(i int32, _ *typeForm, v reflect.Value) bool {
	if p.null(i) {
		return true
	}
	return p.is(i, textScalar) && isBare(p.doc[i].Text) && v.Addr().Interface().(*metav1.Time).UnmarshalJSON([]byte(strconv.Quote(p.doc[i].Text))) == nil
}

func (p *plainly) intOrString(i int32, _ *typeForm, v reflect.Value) bool {
	x := v.Addr().Interface().(*intstr.IntOrString)
	switch {
	case p.is(i, textScalar):
		*x = intstr.FromString(p.doc[i].Text)
		return true
	case p.is(i, integerScalar):
		n, err := strconv.ParseInt(p.doc[i].Text, 10, 32)
		*x = intstr.FromInt32(int32(n))
		return err == nil
	}
	return false
}

func (p *plainly) quantity(i int32, _ *typeForm, v reflect.Value) bool {
	n := &p.doc[i]
	if n.Kind != plain.Scalar || !isBare(n.Text) {
		return false
	}
	written := []byte(n.Text)
	switch scalarOf(n) {
	case textScalar, integerScalar:
	case decimalScalar:
		x, err := strconv.ParseFloat(n.Text, 64)
		if written, _ = json.Marshal(x); err != nil {
			return false
		}
	default:
		return false
	}
	return v.Addr().Interface().(*resource.Quantity).UnmarshalJSON(written) == nil
}

// isBare says that a text is the same in JSON.
func isBare(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return s != "" && s != "null"
}

// huge says that there may be a quantity that must not be parsed, where findHuge
// looks for one.
func (p *plainly) huge(key, value int32) bool {
	text := p.doc[key].Text
	if !slices.Contains(quantityFields, text) && !slices.Contains(quantityMaps, text) {
		return false
	}
	for _, n := range p.doc[value:p.doc[value].End] {
		if mayBeHuge(n.Text) {
			return true
		}
	}
	return false
}
