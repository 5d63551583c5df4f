package kubernetes

import (
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// TestSharingChangesNothing: objects that share what they have in common are
// those that share nothing, also where little tells them apart.
func TestSharingChangesNothing(t *testing.T) {
	utc, none := "UTC", ""
	jobs := someJobs(14, "a", "b")
	jobs[1].Spec.TimeZone = &utc
	jobs[2].Spec.TimeZone = &none
	jobs[3].Spec.Schedule = "61 * * * *"
	jobs[4].Spec.Schedule = "0 0 */2 * 1"
	jobs[5].Labels = map[string]string{"a": "bc", "d": ""}
	jobs[6].Labels = map[string]string{"a": "b", "cd": ""}
	jobs[7].Labels = map[string]string{"a": "", "d": "bc"}
	jobs[8].Labels = map[string]string{"a": "bc", "d": ""}
	jobs[8].Annotations = map[string]string{"note": "x"}
	jobs[9].Labels = map[string]string{"a": "bc", "d": ""}
	jobs[9].Annotations = map[string]string{"rolecall/role": "retry"}
	jobs[10].Spec.Schedule = "TZ=Asia/Tokyo 5 4 * * *"
	for i := range jobs {
		set := metav1.FieldsV1{Raw: []byte([]string{`{"f:spec":{"f:schedule":{}}}`, `{"f:spec":{"f:suspend":{}}}`, `{"f:spec":`}[i%3])}
		jobs[i].ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: &set}}
	}
	for range 2 { // what the generator makes has nothing in common, so each comes twice
		m := newMaker(3, true)
		for range 40 {
			jobs = append(jobs, *m.cronJob("a"))
		}
	}
	known := newRepeated()
	for i := range jobs {
		plain := objectOf(&jobs[i], "s", "p", specs.Pos{}, true)
		shared, problems := objectFrom(&jobs[i], specs.Pack(bodyOf(&jobs[i].Spec)), "s", "p", specs.Pos{}, true, known)
		if !reflect.DeepEqual(plain, shared) {
			t.Errorf("object %d: %+v\nshared: %+v", i, plain, shared)
		}
		if _, want, _ := scheduleOf(&jobs[i], true); !reflect.DeepEqual(problems, want) {
			t.Errorf("object %d: problems %v, want %v", i, problems, want)
		}
	}
	if len(known.schedules) < 5 || len(known.labels) < 3 || len(known.sets) < 3 || len(known.schedules) > len(jobs)/2 {
		t.Errorf("%d schedules, %d labels, %d sets were kept", len(known.schedules), len(known.labels), len(known.sets))
	}
}

// TestWhatIsSharedIsBounded: a list without repetition does not fill the memory.
func TestWhatIsSharedIsBounded(t *testing.T) {
	known := newRepeated()
	for i := range 3 * mostRepeated {
		cj := typicalJob(i)
		cj.Labels["unique"] = cj.Name
		known.labelsOf(&cj)
		known.owned().paths([]byte(`{"f:spec":{"f:` + cj.Name + `":{}}}`))
	}
	known.owned().paths(append([]byte(`{"f:x":{}}`), make([]byte, mostSetSize)...))
	if len(known.labels) != mostRepeated || len(known.sets) != mostSets {
		t.Errorf("%d labels and %d sets are kept", len(known.labels), len(known.sets))
	}
}
