package kubernetes

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// apiField is what the tables say of one field of an API type. A type's fields are
// worked out once: there are some 200 in a CronJob, of which 20 are set.
type apiField struct {
	index  []int  // from the type down, through structs that are inline
	name   string // in JSON
	key    string // by which the tables know it
	secret bool
	// standard is what a server makes of the field where it is left out; Absent
	// where it makes nothing of it.
	standard specs.Value
}

// shapes are the fields of the types that a CronJob's spec is made of.
var shapes = sync.OnceValue(func() map[reflect.Type][]apiField { return tableOf(atoms, newShape) })

func (f apiField) at() []int { return f.index }

// tableOf are the fields of each type that a CronJob's spec is made of, down to
// those that are no structs here.
func tableOf[F interface{ at() []int }](leaves []reflect.Type, fields func(reflect.Type) []F) map[reflect.Type][]F {
	out := map[reflect.Type][]F{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(t.Elem())
		case reflect.Struct:
			if _, known := out[t]; known || slices.Contains(leaves, t) {
				return
			}
			out[t] = fields(t)
			for _, f := range out[t] {
				walk(t.FieldByIndex(f.at()).Type)
			}
		}
	}
	walk(reflect.TypeFor[batchv1.CronJobSpec]())
	return out
}

// shapeOf are the fields of a type that count, sorted as the members of a Map
// are, which for names in ASCII is by their bytes.
func shapeOf(t reflect.Type) []apiField {
	if s, ok := shapes()[t]; ok {
		return s
	}
	return newShape(t)
}

func newShape(t reflect.Type) []apiField {
	out := fieldsOf(t, nil)
	arrange.By(out, func(a, b apiField) int { return strings.Compare(a.name, b.name) })
	return out
}

// fieldsOf are the fields of a type and of the structs that are inline in it,
// but for those that are ignored.
func fieldsOf(t reflect.Type, above []int) []apiField {
	var out []apiField
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clip(above), i)
		name, inline := jsonName(f)
		if inline && f.Type.Kind() == reflect.Struct {
			out = append(out, fieldsOf(f.Type, index)...)
			continue
		}
		if key := typeName(t) + "." + name; f.IsExported() && !slices.Contains(ignored, key) {
			out = append(out, apiField{index: index, name: name, key: key, secret: slices.Contains(secret, key), standard: defaults[key]})
		}
	}
	return out
}

// isStandard says that a value stands for nothing: it is absent, or what the
// field would be anyway.
func (f *apiField) isStandard(v specs.Value) bool {
	return v.Kind == specs.Absent || f.standard.Kind == v.Kind && f.standard.Text == v.Text && len(v.Members) == 0
}

// in is the field of a struct; ok is false where it is zero.
func (f *apiField) in(v reflect.Value) (x reflect.Value, ok bool) {
	for _, i := range f.index {
		v = v.Field(i)
	}
	return v, !v.IsZero()
}
