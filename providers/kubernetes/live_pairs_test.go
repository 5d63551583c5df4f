//go:build unix

package kubernetes

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// meant are pairs that the server's Job or Pod tells apart and that mean the
// same all the same, by the API's documentation.
var meant = []string{
	"quantities by value", // another text, which each server keeps
	"time zone by another name", "schedule by another text", "suspend is state",
	"toleration operator",       // "Operator represents a key's relationship to the value … Defaults to Equal."
	"divisor", "divisor of one", // "defaults to 1"
	"file key",                                     // "optional … defaults to false"
	"proc mount as it is anyway",                   // "The default value is Default"
	"of two with one name the later holds",         // kubelet, makeEnvironmentVariables
	"empty lists and maps", "termination defaults", // an empty affinity or security context says nothing
	"job labels come of the pod template", // SetDefaults_Job, on a Job that has none
	"one completion alone", "one at a time of three",
}

// TestRealPairs: of each pair of testdata/pairs.yaml that the server takes, what
// is said to be the same gives the same Job and Pod, and what is said to differ
// is kept apart.
func TestRealPairs(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "pairs")
	for _, name := range []string{"runner", "other"} {
		c.Must(t, http.MethodPost, "/api/v1/namespaces/pairs/serviceaccounts", map[string]any{"metadata": map[string]any{"name": name}})
	}
	data, err := os.ReadFile("testdata/pairs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	if err := yaml.UnmarshalStrict(data, &pairs); err != nil {
		t.Fatal(err)
	}
	w := &workshop{cluster: c, namespace: "pairs"}
	same, differ, refused := 0, 0, 0
	for _, p := range pairs {
		a, b := w.asStored(t, build(t, p.At, p.A)), w.asStored(t, build(t, p.At, p.B))
		switch {
		case a == nil || b == nil:
			refused++
			t.Logf("%s: the server does not take both", p.Name)
		case len(p.Differs) > 0:
			differ++
			if reflect.DeepEqual(storedForm(a), storedForm(b)) {
				t.Errorf("%s: the server does not tell them apart", p.Name)
			}
			jobA, podA := w.comesOf(a)
			jobB, podB := w.comesOf(b)
			if p.At != "cronjob" && cmp.Diff(jobA, jobB)+cmp.Diff(podA, podB) == "" {
				t.Errorf("%s: nothing else comes of them", p.Name)
			}
		default:
			same++
			jobA, podA := w.comesOf(a)
			jobB, podB := w.comesOf(b)
			if d := cmp.Diff(sorted(jobA), sorted(jobB)) + cmp.Diff(sorted(podA), sorted(podB)); d != "" && !slices.Contains(meant, p.Name) {
				t.Errorf("%s: the Job or the Pod is another:\n%s", p.Name, d)
			}
		}
	}
	for _, u := range w.unclear {
		t.Errorf("%.400s", u)
	}
	t.Logf("%d pairs are the same and %d are not, as the server has them; %d are not taken", same, differ, refused)
}

// asStored is what the server would store, nil if it refuses.
func (w *workshop) asStored(t *testing.T, cj *batchv1.CronJob) *batchv1.CronJob {
	t.Helper()
	cj.Namespace = w.namespace
	body, err := json.Marshal(cj)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := w.cluster.Do(http.MethodPost, jobsPath(w.namespace)+"?dryRun=All", body)
	if err != nil {
		return nil
	}
	stored := &batchv1.CronJob{}
	if err := json.Unmarshal(answer, stored); err != nil {
		t.Fatal(err)
	}
	return stored
}

// sorted is a value in which the lists have an order of their own.
func sorted(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = sorted(v[i])
		}
		slices.SortFunc(out, func(a, b any) int {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			return strings.Compare(string(x), string(y))
		})
		return out
	case map[string]any:
		for k := range v {
			v[k] = sorted(v[k])
		}
	}
	return v
}
