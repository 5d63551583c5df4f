package kubernetes

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestMayBeHuge(t *testing.T) {
	plain := regexp.MustCompile(`[0-9.][eE][+-]?[0-9]{3,}`)
	rng := rand.New(rand.NewPCG(3, 4))
	huge := 0
	for range 200_000 {
		raw := make([]byte, rng.IntN(12))
		for i := range raw {
			raw[i] = "0179.eE+-x\""[rng.IntN(11)]
		}
		want := plain.Match(raw)
		if mayBeHuge(raw) != want {
			t.Fatalf("%q: %v", raw, !want)
		}
		if want {
			huge++
		}
	}
	if huge < 1000 {
		t.Errorf("only %d were huge", huge)
	}
}

// Of a field that is passed by where it is left out there is nothing to say.
func TestJudgedFields(t *testing.T) {
	if len(judged()) < 50 {
		t.Errorf("only %d types", len(judged()))
	}
	seen := map[string]bool{}
	for typ, fields := range judged() {
		v := reflect.New(typ).Elem()
		for _, j := range fields {
			seen[j.key] = true
			x := v.FieldByIndex(j.index)
			var f finder
			if f.field(j.key, x, field.NewPath("x")); !j.always && x.Kind() != reflect.Struct && len(f.list) > 0 {
				t.Errorf("%s: %v", j.key, f.list)
			}
		}
	}
	for _, of := range []map[string]bool{keys(needed), keys(enums), keys(formats), keys(spans)} {
		for key := range of {
			if !seen[key] {
				t.Errorf("no field %s is looked at", key)
			}
		}
	}
}

func keys[V any](m map[string]V) map[string]bool {
	out := map[string]bool{}
	for key := range m {
		out[key] = true
	}
	return out
}
