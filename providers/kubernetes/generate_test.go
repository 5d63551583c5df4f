package kubernetes

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// maker makes CronJobs that a server takes, over all fields that the API has:
// by reflection over its types, tables of what single fields may hold
// (generate_values_test.go), and rules between fields (generate_rules_test.go).
// A field that was in few objects so far is put into the next ones, so that
// some hundred objects have them all. The same seed gives the same objects.
type maker struct {
	rnd   *rand.Rand
	n     int            // for names that must differ
	still map[string]int // by path: how many leaves at and below it are still wanted
	had   map[string]int // by leaf: in how many objects it was
	// gated also makes what a server with its gates shut drops.
	gated bool
}

// enough is how often each leaf is wanted.
const enough = 8

func newMaker(seed uint64, gated bool) *maker {
	m := &maker{rnd: rand.New(rand.NewPCG(seed, 7)), still: map[string]int{}, had: map[string]int{}, gated: gated}
	for _, l := range leaves() {
		if m.reachable(l.path) {
			m.count(l.path, 1)
		}
	}
	return m
}

// count adds to what is wanted at a path and all above it.
func (m *maker) count(path string, n int) {
	for {
		m.still[path] += n
		i := strings.LastIndexAny(path, ".[{")
		if i <= 0 {
			return
		}
		path = path[:i]
	}
}

// reachable says that a valid CronJob can have a leaf.
func (m *maker) reachable(path string) bool {
	return reasonIn(impossible, path) == "" && (m.gated || reasonIn(shut, path) == "")
}

// reasonIn is why a table of paths holds a path or one above it.
func reasonIn(table []exception, path string) string {
	for _, e := range table {
		for _, p := range e.paths {
			if path == p || strings.HasPrefix(path, p) && strings.IndexByte(".[{", path[len(p)]) >= 0 {
				return e.reason
			}
		}
	}
	return ""
}

type exception struct {
	reason string
	paths  []string
}

// cronJob makes the next one.
func (m *maker) cronJob(name string) *batchv1.CronJob {
	cj := &batchv1.CronJob{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"}}
	cj.Name = name
	m.fields(reflect.ValueOf(&cj.Spec).Elem(), "")
	m.agree(cj)
	for leaf := range leavesOf(&cj.Spec) {
		if m.had[leaf]++; m.had[leaf] == enough && m.reachable(leaf) {
			m.count(leaf, -1)
		}
	}
	return cj
}

// fields fills a struct. path is that of the struct, with [] for a member of a
// list and {} for one of a map.
func (m *maker) fields(v reflect.Value, path string) {
	t := v.Type()
	only := m.alternative(t, path)
	for i := range t.NumField() {
		name, inline := jsonName(t.Field(i))
		if inline {
			m.fields(v.Field(i), path)
			continue
		}
		key, below := typeName(t)+"."+name, path+"."+name
		if only != "" && slices.Contains(alternatives[t.Name()], name) && name != only || !m.reachable(below) && m.still[below] == 0 {
			continue
		}
		if name == only || m.include(t.Field(i), key, below) {
			m.field(v.Field(i), key, below)
		}
	}
	if rule, ok := rules[t.Name()]; ok {
		rule(m, v.Addr().Interface())
	}
}

// alternative is the one that is chosen of fields of which only one may be set,
// that which had least.
func (m *maker) alternative(t reflect.Type, path string) string {
	names := alternatives[t.Name()]
	if len(names) == 0 {
		return ""
	}
	best, most := "", -1
	for _, i := range m.rnd.Perm(len(names)) {
		if n := m.still[path+"."+names[i]]; n > most && m.reachable(path+"."+names[i]) {
			best, most = names[i], n
		}
	}
	return best
}

func (m *maker) include(f reflect.StructField, key, path string) bool {
	switch {
	case slices.Contains(required, key):
		return true
	case m.still[path] > 0:
		return m.rnd.IntN(100) < 80
	case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[resource.Quantity]() && f.Type != reflect.TypeFor[metav1.Time]():
		return m.rnd.IntN(100) < 50
	}
	return m.rnd.IntN(100) < 22
}

func (m *maker) field(v reflect.Value, key, path string) {
	if value, ok := values[key]; ok {
		assign(v, reflect.ValueOf(value(m)))
		return
	}
	m.fill(v, key, path)
}

// fill sets a value of which no table says anything.
func (m *maker) fill(v reflect.Value, key, path string) {
	t := v.Type()
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		assign(v, reflect.ValueOf(m.bytes()))
		return
	case reflect.TypeFor[intstr.IntOrString]():
		assign(v, reflect.ValueOf(m.portOrName()))
		return
	case reflect.TypeFor[metav1.Time]():
		assign(v, reflect.ValueOf(metav1.Unix(int64(1e9+m.rnd.IntN(1e8)), 0)))
		return
	case reflect.TypeFor[metav1.FieldsV1]():
		assign(v, reflect.ValueOf(*metav1.NewFieldsV1(`{"f:spec":{"f:` + m.word() + `":{}}}`)))
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		m.fill(p.Elem(), key, path)
		v.Set(p)
	case reflect.Struct:
		m.fields(v, path)
	case reflect.Slice:
		n := 1 + m.rnd.IntN(3)
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			m.fill(v.Index(i), key, path+"[]")
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range 1 + m.rnd.IntN(3) {
			e := reflect.New(t.Elem()).Elem()
			m.fill(e, key, path+"{}")
			v.SetMapIndex(reflect.ValueOf(m.word()).Convert(t.Key()), e)
		}
	case reflect.String:
		v.SetString(m.word())
	case reflect.Bool:
		v.SetBool(m.rnd.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(1 + m.rnd.IntN(60)))
	default:
		panic(fmt.Sprintf("%s has a %s, which the generator does not know", path, t))
	}
}

// assign converts as far as Go does, a list member by member, and a value to a
// pointer to it.
func assign(to, from reflect.Value) {
	switch {
	case to.Kind() == reflect.Pointer && from.Kind() != reflect.Pointer:
		p := reflect.New(to.Type().Elem())
		assign(p.Elem(), from)
		to.Set(p)
	case to.Kind() == reflect.Slice && from.Type() != to.Type():
		s := reflect.MakeSlice(to.Type(), from.Len(), from.Len())
		for i := range from.Len() {
			assign(s.Index(i), from.Index(i))
		}
		to.Set(s)
	case to.Kind() == reflect.Map && from.Type() != to.Type():
		to.Set(reflect.MakeMap(to.Type()))
		for it := from.MapRange(); it.Next(); {
			to.SetMapIndex(it.Key().Convert(to.Type().Key()), it.Value())
		}
	default:
		to.Set(from.Convert(to.Type()))
	}
}

// leavesOf are the leaves that a spec has, by path. A list or map without
// members, and a pointer to nothing but zeros, is none.
func leavesOf(spec *batchv1.CronJobSpec) map[string]bool {
	out := map[string]bool{}
	eachLeaf(reflect.ValueOf(spec).Elem(), "", func(path string, _ reflect.Value) { out[path] = true })
	return out
}

// eachLeaf calls do for each leaf that is set; a pointer to a zero is set.
func eachLeaf(v reflect.Value, path string, do func(path string, leaf reflect.Value)) {
	if _, ok := twoValues(v.Type()); ok {
		do(path, v)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachLeaf(v.Elem(), path, do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachLeaf(v.Index(i), path+"[]", do)
		}
	case reflect.Map:
		if v.Len() > 0 {
			do(path+"{}", v)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, inline := jsonName(v.Type().Field(i))
			below := path
			if !inline {
				below += "." + name
			}
			if f := v.Field(i); !f.IsZero() {
				eachLeaf(f, below, do)
			}
		}
	}
}
