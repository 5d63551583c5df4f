//go:build unix

package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// spoiler makes what is likely a fault out of a valid leaf or list.
type spoiler struct {
	name  string
	lists bool
	do    func(s spot) bool
}

func text(name, value string) spoiler {
	return spoiler{name, false, func(s spot) bool {
		if s.v.Kind() != reflect.String || s.v.String() == value {
			return false
		}
		s.v.SetString(value)
		return true
	}}
}

func whole(n int64) spoiler {
	return spoiler{fmt.Sprintf("number %d", n), false, func(s spot) bool {
		if k := s.v.Kind(); k != reflect.Int32 && k != reflect.Int64 {
			return false
		}
		s.v.SetInt(n)
		return true
	}}
}

// spoilers are what people get wrong, and worse.
var spoilers = []spoiler{
	text("nothing", ""), text("capitals and blanks", "Not A Name!"), text("a dash at its end", "name-"), text("no such name", "nowhere"),
	text("far too long", strings.Repeat("x", 300)), text("two dots", "a/../b"), text("absolute", "/a"), text("a letter that is none", "ünï=cödé"),
	{"small letters", false, func(s spot) bool {
		lower := strings.ToLower(s.v.String())
		if s.v.Kind() != reflect.String || lower == s.v.String() {
			return false
		}
		s.v.SetString(lower)
		return true
	}},
	whole(-1), whole(0), whole(70000), whole(1<<31 - 1),
	{"a port of none", false, func(s spot) bool {
		return assignTo(s, intstr.FromInt32(0)) || assignTo(s, intstr.FromString("Not Port"))
	}},
	{"a negative quantity", false, func(s spot) bool { return assignTo(s, resource.MustParse("-1")) }},
	{"another key", false, func(s spot) bool {
		if s.v.Kind() != reflect.Map || s.v.Type().Elem().Kind() == reflect.Struct && s.v.Len() == 0 {
			return false
		}
		for it := s.v.MapRange(); it.Next(); {
			s.v.SetMapIndex(reflect.ValueOf("not a key!").Convert(s.v.Type().Key()), it.Value())
			break
		}
		return true
	}},
	{"another value", false, func(s spot) bool {
		if s.v.Kind() != reflect.Map {
			return false
		}
		for _, k := range s.v.MapKeys() {
			switch s.v.Type().Elem() {
			case reflect.TypeFor[resource.Quantity]():
				s.v.SetMapIndex(k, reflect.ValueOf(resource.MustParse("999999Gi")))
			default:
				s.v.SetMapIndex(k, reflect.ValueOf("not a value!"))
			}
		}
		return true
	}},
	{"a member twice", true, func(s spot) bool {
		s.v.Set(reflect.Append(s.v, s.v.Index(0)))
		return true
	}},
	{"turned round", true, func(s spot) bool {
		slices.Reverse(reflectSlice(s.v))
		return true
	}},
}

func assignTo[T any](s spot, value T) bool {
	if s.v.Type() != reflect.TypeFor[T]() {
		return false
	}
	s.v.Set(reflect.ValueOf(value))
	return true
}

// reflectSlice is empty; the list is turned in place.
func reflectSlice(v reflect.Value) []int {
	swap := reflect.Swapper(v.Interface())
	for i := range v.Len() / 2 {
		swap(i, v.Len()-1-i)
	}
	return nil
}

// mutant is a CronJob with one fault, if it is one.
type mutant struct {
	spoiler, pattern string
	cj               *batchv1.CronJob
	said             string // by the server, if it refuses it
	causes           []metav1.StatusCause
}

// has says that the server says the same of the same field; the value may be
// written in another way.
func (m *mutant) has(e *field.Error) bool {
	return slices.ContainsFunc(m.causes, func(c metav1.StatusCause) bool {
		return c.Field == e.Field && strings.HasPrefix(c.Message, e.Type.String()) && strings.HasSuffix(c.Message, e.Detail)
	})
}

// mutants are made of the leaves and lists of generated CronJobs, one for each
// kind of field, and of what comes of two alternatives at once and of a needed
// field that is left out.
func mutants(w *workshop) []*mutant {
	var out []*mutant
	for _, pattern := range slices.Sorted(maps.Keys(w.with)) {
		for i, sp := range spoilers {
			rnd := rand.New(rand.NewPCG(uint64(i), 5))
			from := w.with[pattern] // of the small ones
			cj := from[rnd.IntN(min(len(from), 8))].cj.DeepCopy()
			leaves, lists := spotsOf(&cj.Spec)
			if sp.lists {
				leaves = lists
			}
			leaves = slices.DeleteFunc(leaves, func(x spot) bool { return x.pattern != pattern })
			if len(leaves) > 0 && sp.do(leaves[rnd.IntN(len(leaves))]) {
				out = append(out, &mutant{spoiler: sp.name, pattern: pattern, cj: cj})
			}
		}
	}
	return append(out, unions(w)...)
}

// unions set two of the fields of which one may be set, or none.
func unions(w *workshop) []*mutant {
	var out []*mutant
	for _, pattern := range slices.Sorted(maps.Keys(w.with)) {
		cj := w.with[pattern][0].cj.DeepCopy()
		done := false
		var walk func(v reflect.Value, path string)
		walk = func(v reflect.Value, path string) {
			switch v.Kind() {
			case reflect.Pointer:
				if !v.IsNil() {
					walk(v.Elem(), path)
				}
			case reflect.Slice:
				for i := range v.Len() {
					walk(v.Index(i), path+"[]")
				}
			case reflect.Struct:
				for i := range v.NumField() {
					name, inline := jsonName(v.Type().Field(i))
					below := path
					if !inline {
						below += "." + name
					}
					f := v.Field(i)
					if !f.CanSet() || done || !strings.HasPrefix(pattern, below) {
						continue
					}
					if slices.Contains(alternatives[v.Type().Name()], name) && f.Kind() == reflect.Pointer && !f.IsNil() && strings.HasPrefix(pattern, below+".") {
						for j := range v.NumField() {
							if other := v.Field(j); j != i && other.Kind() == reflect.Pointer && other.IsNil() {
								other.Set(reflect.New(other.Type().Elem()))
								newMaker(1, false).fill(other.Elem(), "", below)
								done = true
								return
							}
						}
					}
					walk(f, below)
				}
			}
		}
		walk(reflect.ValueOf(&cj.Spec).Elem(), "")
		if done {
			out = append(out, &mutant{spoiler: "two at once", pattern: pattern, cj: cj})
		}
	}
	return out
}

// TestRealMutants: valid CronJobs are spoilt in one place each. Nothing that the
// server takes has a fault here; of what it refuses most does, and in its words.
func TestRealMutants(t *testing.T) {
	c := realCluster(t)
	w := newWorkshop(c, generated.grow(t, c))
	all := mutants(w)
	var lock sync.Mutex
	inParallel(len(all), func(i int) {
		m := all[i]
		m.cj.Name, m.cj.Namespace = "mutant", generatedNamespace
		body, err := json.Marshal(m.cj)
		if err != nil {
			return
		}
		answer, err := c.Do(http.MethodPost, jobsPath(generatedNamespace)+"?dryRun=All", body)
		if err == nil {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		var status metav1.Status
		if m.said = err.Error(); json.Unmarshal(answer, &status) == nil && status.Details != nil {
			m.said, m.causes = status.Message, status.Details.Causes
		}
	})
	type score struct{ refused, found, taken int }
	by := map[string]*score{}
	missed := map[string][]string{}
	for _, m := range all {
		if by[m.spoiler] == nil {
			by[m.spoiler] = &score{}
		}
		s := by[m.spoiler]
		faults := faultsOf(m.cj)
		_, _, fires := scheduleOf(m.cj, false)
		switch {
		case m.said == "" && len(faults) == 0 && fires:
			s.taken++
		case m.said == "":
			t.Errorf("%s at %s: the server takes it, we say %v", m.spoiler, m.pattern, faults.ToAggregate())
		case len(faults) == 0 && fires:
			s.refused++
			what := nameless(m.pattern)
			missed[what] = append(missed[what], fmt.Sprintf("%s: %.160s", m.spoiler, m.said))
		default:
			s.refused++
			s.found++
			for _, e := range faults {
				if !m.has(e) {
					t.Errorf("%s at %s: we say %q, the server %q", m.spoiler, m.pattern, e.Error(), m.said)
				}
			}
		}
	}
	total := score{}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		t.Logf("%-24s refused by the server %4d, of these by us %4d; taken by both %4d", name, by[name].refused, by[name].found, by[name].taken)
		total.refused, total.found, total.taken = total.refused+by[name].refused, total.found+by[name].found, total.taken+by[name].taken
	}
	t.Logf("all: %+v", total)
	for _, what := range slices.Sorted(maps.Keys(missed)) {
		t.Logf("not seen: %s: %s", what, strings.Join(missed[what], " | "))
	}
	if total.found*100 < total.refused*mostlyFound {
		t.Errorf("of %d faults %d are found", total.refused, total.found)
	}
}

// mostlyFound is the share of the server's refusals that is found, in percent.
const mostlyFound = 85
