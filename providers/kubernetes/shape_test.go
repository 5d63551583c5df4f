package kubernetes

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rolecall-dev/rolecall/specs"
)

// plainValue is structValue without shapes: each field looked up as it comes.
func plainValue(v reflect.Value) specs.Value { return specs.NewMap(plainMembers(v, nil)...) }

func plainMembers(v reflect.Value, out []specs.Member) []specs.Member {
	t := v.Type()
	for i := range t.NumField() {
		x := v.Field(i)
		if x.IsZero() {
			continue
		}
		name, inline := jsonName(t.Field(i))
		if inline {
			out = plainMembers(x, out)
			continue
		}
		key := typeName(t) + "." + name
		if slices.Contains(ignored, key) {
			continue
		}
		value := valueOf(key, x)
		if x.Kind() != reflect.Pointer && value.Empty() || isDefault(key, value) {
			continue
		}
		if slices.Contains(secret, key) {
			value = sealed(value)
		}
		out = append(out, specs.Member{Key: name, Value: value})
	}
	return out
}

// TestShapes: what is worked out once about a type is what its fields say.
func TestShapes(t *testing.T) {
	m := newMaker(1, true)
	for i := range 300 {
		cj := m.cronJob("a")
		var walk func(v reflect.Value)
		walk = func(v reflect.Value) {
			switch v.Kind() {
			case reflect.Pointer:
				if !v.IsNil() {
					walk(v.Elem())
				}
			case reflect.Slice:
				for i := range v.Len() {
					walk(v.Index(i))
				}
			case reflect.Struct:
				if slices.Contains(atoms, v.Type()) {
					return
				}
				if _, known := shapes()[v.Type()]; !known {
					t.Fatalf("no shape of %v", v.Type())
				}
				if want, got := plainValue(v), structValue(v); !reflect.DeepEqual(got, want) {
					t.Fatalf("object %d, %v: %+v, want %+v", i, v.Type(), got, want)
				}
				for _, f := range shapeOf(v.Type()) {
					walk(v.FieldByIndex(f.index))
				}
			}
		}
		walk(reflect.ValueOf(cj.Spec))
	}
}

// TestSmallQuantities: the short way gives the texts of the long one.
func TestSmallQuantities(t *testing.T) {
	texts := []string{"0", "-0", "1m", "-1m", "999m", "1000m", "1500m", "0.5", "0.1", "0.0001", "1u", "1n", "1k", "1Ki", "1.5Gi", "1.1Gi", "1e3", "1E", "1Ei", "7Ei", "9223372036854775807", "1e18", "1e30", "1e-9", "123456.789", "-2.5", "1125899906842624", "1125899906842623", "1125899906842.6241"}
	for i := range 2000 {
		texts = append(texts, fmt.Sprint(i), fmt.Sprintf("%dm", i), fmt.Sprintf("%dMi", i*i), fmt.Sprintf("%d.%02dGi", i, i%100), fmt.Sprint(i*512))
	}
	short := 0
	for _, text := range texts {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := largeQuantity(q.DeepCopy())
		got, ok := smallQuantity(q)
		if ok {
			short++
		}
		if ok && got.Text != want.Text || quantityValue(q).Text != want.Text {
			t.Errorf("%s: %q, want %q", text, got.Text, want.Text)
		}
	}
	if short < len(texts)/2 {
		t.Errorf("only %d of %d the short way", short, len(texts))
	}
}
