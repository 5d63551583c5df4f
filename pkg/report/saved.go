package report

import (
	"bytes"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// Saved is a report as it comes back when it was saved: what Decode makes of what
// Encode writes. Both show alike in every format.
func Saved(r Report) (Report, error) {
	r.Schema = Schema
	r.ObservedAt = r.ObservedAt.Round(0) // without the reading of a clock that only runs
	if tidy := r.Tidy(); !slow.Only() && comesBack(reflect.ValueOf(&tidy).Elem()) {
		return tidy, nil
	}
	return written(r)
}

func written(r Report) (Report, error) {
	var b bytes.Buffer
	if err := Encode(&b, r); err != nil {
		return Report{}, err
	}
	return Decode(&b)
}

// comesBack says that JSON holds all of a value, and nothing for it that would not
// be the same again.
func comesBack(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64:
		return true
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer:
		return v.IsNil() || comesBack(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if !comesBack(v.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[time.Time](v); ok {
			return t == t.UTC().Round(0) && t.Year() >= 0 && t.Year() <= 9999
		}
		if p, ok := reflect.TypeAssert[specs.Pos](v); ok {
			return p.Column == 0 && utf8.ValidString(p.File)
		}
		for i := range v.NumField() {
			if !comesBack(v.Field(i)) {
				return false
			}
		}
		return true
	}
	return false
}
