package kubernetes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rolecall-dev/rolecall/specs"
)

// apiFields are all fields below CronJob.spec by the names in the tables, with
// their Go fields.
func apiFields() map[string]reflect.StructField {
	out := map[string]reflect.StructField{}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(t.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[t] || t.PkgPath() == reflect.TypeFor[resource.Quantity]().PkgPath() || t == reflect.TypeFor[metav1.Time]() || t == reflect.TypeFor[intstr.IntOrString]() {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			if name, inline := jsonName(t.Field(i)); !inline {
				out[typeName(t)+"."+name] = t.Field(i)
			}
			walk(t.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[batchv1.CronJobSpec]())
	return out
}

func TestTablesNameFields(t *testing.T) {
	fields := apiFields()
	for name, names := range map[string][]string{
		"defaults": slices.Collect(maps.Keys(defaults)), "keyed": slices.Collect(maps.Keys(keyed)),
		"sets": sets, "ignored": ignored, "secret": secret,
	} {
		for _, n := range names {
			if _, ok := fields[n]; !ok {
				t.Errorf("table %s names %s, which the API does not have", name, n)
			}
		}
	}
}

// TestKeyedListsAreKnown finds a list that the API merges by key and the table
// does not have.
func TestKeyedListsAreKnown(t *testing.T) {
	for name, f := range apiFields() {
		key := f.Tag.Get("patchMergeKey")
		if key == "" || name == "Container.env" || name == "ObjectMeta.ownerReferences" {
			continue
		}
		if by := keyed[name]; len(by) == 0 || by[0] != key {
			t.Errorf("%s is a list by %s in the API and by %q here", name, key, by)
		}
	}
}

// leaf is one field of a CronJob that holds no further one.
type leaf struct {
	path string
	// set gives a CronJob in which the field has the nth of two values.
	set func(cj *batchv1.CronJobSpec, n int)
}

// leaves are all of them, each list and map having one member.
func leaves() []leaf {
	var out []leaf
	collectLeaves(reflect.TypeFor[batchv1.CronJobSpec](), "", func(cj *batchv1.CronJobSpec) reflect.Value {
		return reflect.ValueOf(cj).Elem()
	}, &out)
	return out
}

type access = func(*batchv1.CronJobSpec) reflect.Value

func collectLeaves(t reflect.Type, path string, at access, out *[]leaf) {
	if values, ok := twoValues(t); ok {
		*out = append(*out, leaf{path, func(cj *batchv1.CronJobSpec, n int) { at(cj).Set(values[n]) }})
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		collectLeaves(t.Elem(), path, func(cj *batchv1.CronJobSpec) reflect.Value {
			p := at(cj)
			if p.IsNil() {
				p.Set(reflect.New(t.Elem()))
			}
			return p.Elem()
		}, out)
	case reflect.Slice:
		collectLeaves(t.Elem(), path+"[]", func(cj *batchv1.CronJobSpec) reflect.Value {
			s := at(cj)
			if s.Len() == 0 {
				s.Set(reflect.MakeSlice(t, 1, 1))
			}
			return s.Index(0)
		}, out)
	case reflect.Map:
		values, _ := twoValues(t.Elem())
		*out = append(*out, leaf{path + "{}", func(cj *batchv1.CronJobSpec, n int) {
			m := reflect.MakeMap(t)
			m.SetMapIndex(reflect.ValueOf("k").Convert(t.Key()), values[n])
			at(cj).Set(m)
		}})
	case reflect.Struct:
		for i := range t.NumField() {
			name, inline := jsonName(t.Field(i))
			below := path
			if !inline {
				below += "." + name
			}
			collectLeaves(t.Field(i).Type, below, func(cj *batchv1.CronJobSpec) reflect.Value { return at(cj).Field(i) }, out)
		}
	}
}

// twoValues are two values of a simple type that no default is.
func twoValues(t reflect.Type) ([2]reflect.Value, bool) {
	of := func(a, b any) ([2]reflect.Value, bool) {
		return [2]reflect.Value{reflect.ValueOf(a).Convert(t), reflect.ValueOf(b).Convert(t)}, true
	}
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return of(resource.MustParse("7"), resource.MustParse("8"))
	case reflect.TypeFor[intstr.IntOrString]():
		return of(intstr.FromInt32(7), intstr.FromString("7"))
	case reflect.TypeFor[metav1.Time]():
		return of(metav1.Unix(7, 0), metav1.Unix(8, 0))
	case reflect.TypeFor[metav1.FieldsV1]():
		return of(*metav1.NewFieldsV1(`{"f:a":{}}`), *metav1.NewFieldsV1(`{"f:b":{}}`))
	}
	switch t.Kind() {
	case reflect.String:
		return of("x7", "x8")
	case reflect.Bool:
		return of(false, true)
	case reflect.Int32, reflect.Int64:
		return of(7, 8)
	}
	return [2]reflect.Value{}, false
}

// doesNotCount are the only fields of CronJob.spec of which a change is not one
// of the spec.
var doesNotCount = []string{".suspend", ".schedule", ".timeZone"} // state, and the schedule, which is no free text

// TestEveryFieldCounts changes each field that the API has, one at a time. A
// field that a later version of the API adds is in it by itself.
func TestEveryFieldCounts(t *testing.T) {
	all := leaves()
	if len(all) < 500 {
		t.Fatalf("only %d fields were found", len(all))
	}
	for _, l := range all {
		var hashes [2]specs.Hash
		for n := range hashes {
			cj := &batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *"}}
			l.set(&cj.Spec, n)
			if slices.Contains(doesNotCount, l.path) {
				cj.Spec.Schedule = "0 3 * * *"
				cj.Spec.TimeZone = nil
			}
			spec, _ := specOf(cj, false)
			hashes[n] = spec.Hash()
		}
		counts := hashes[0] != hashes[1]
		if want := !slices.Contains(doesNotCount, l.path) && !isIgnored(l.path); counts != want {
			t.Errorf("a change of %s counts: %v, want %v", l.path, counts, want)
		}
	}
}

// isIgnored says that a field stands in metadata of a template and reaches
// neither Job nor Pod.
func isIgnored(path string) bool {
	before, field, ok := strings.Cut(path, ".metadata.")
	if !ok {
		return false
	}
	field = strings.TrimRight(field, "{}[]")
	return field != "labels" && field != "annotations" && (field != "finalizers" || before == ".jobTemplate")
}

// TestDefaultsAreTakenOut spells each default out, one at a time, in the
// nearest object that has the field.
func TestDefaultsAreTakenOut(t *testing.T) {
	fields := apiFields()
	for name, value := range defaults {
		f := fields[name]
		v := reflect.New(f.Type).Elem()
		spell(v, value)
		owner := reflect.New(ownerOf(name)).Elem()
		owner.FieldByName(f.Name).Set(v)
		if got := structValue(owner); len(got.Members) > 0 {
			t.Errorf("%s spelled out is %+v", name, got)
		}
	}
}

func ownerOf(name string) reflect.Type {
	want, _, _ := strings.Cut(name, ".")
	var found reflect.Type
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(t.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Name() == want {
			found = t
		}
		for i := range t.NumField() {
			walk(t.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[batchv1.CronJobSpec]())
	return found
}

// spell sets a Go value to what a table says.
func spell(v reflect.Value, value specs.Value) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		spell(v.Elem(), value)
		return
	}
	switch value.Kind {
	case specs.Text:
		v.SetString(value.Text)
	case specs.Bool:
		v.SetBool(value.Text == "true")
	case specs.Number:
		var n int64
		fmt.Sscan(value.Text, &n)
		v.SetInt(n)
	}
}

// TestRandomChangesAreSeen fills many fields at once and changes one of them.
func TestRandomChangesAreSeen(t *testing.T) {
	all := slices.DeleteFunc(leaves(), func(l leaf) bool { return slices.Contains(doesNotCount, l.path) || isIgnored(l.path) })
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		chosen := make([]leaf, 12)
		for i := range chosen {
			chosen[i] = all[rnd.IntN(len(all))]
		}
		build := func(last int) specs.Spec {
			cj := &batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *"}}
			for _, l := range chosen[:len(chosen)-1] {
				l.set(&cj.Spec, 0)
			}
			chosen[len(chosen)-1].set(&cj.Spec, last)
			spec, _ := specOf(cj, false)
			return spec
		}
		a, b := build(0), build(1)
		if a.Hash() == b.Hash() || len(specs.Diff(a, b)) == 0 {
			t.Errorf("a change of %s is not seen", chosen[len(chosen)-1].path)
		}
	}
}

func TestTranslationDoesNotEditItsInput(t *testing.T) {
	cj := &batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *"}}
	for _, l := range leaves() {
		l.set(&cj.Spec, 0)
	}
	one := int32(1)
	cj.Spec.Schedule, cj.Spec.TimeZone = "0 3 * * *", nil
	cj.Spec.JobTemplate.Spec.Completions, cj.Spec.JobTemplate.Spec.Parallelism = &one, &one
	c := &cj.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	c.Resources.Requests = corev1.ResourceList{"k": resource.MustParse("7")}
	c.Resources.Limits = c.Resources.Requests.DeepCopy()
	before := cj.DeepCopy()
	specOf(cj, false)
	if !reflect.DeepEqual(before, cj) {
		t.Error("specOf changed the CronJob that it was given")
	}
}
