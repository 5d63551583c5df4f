package kubernetes

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/specs"
)

type pair struct {
	Name, At string
	A, B     map[string]any
	Differs  []string
}

// places are where a pair's halves are merged in, and the path before its
// differences.
var places = map[string]struct {
	keys   []string
	prefix string
}{
	"cronjob":   {nil, ""},
	"job":       {[]string{"jobTemplate", "spec"}, "jobTemplate.spec."},
	"pod":       {[]string{"jobTemplate", "spec", "template", "spec"}, "jobTemplate.spec.template.spec."},
	"container": {[]string{"jobTemplate", "spec", "template", "spec"}, "jobTemplate.spec.template.spec.containers[main]."},
}

// build is a minimal CronJob with a part merged in, by way of a manifest.
func build(t *testing.T, at string, part map[string]any) *batchv1.CronJob {
	t.Helper()
	container := map[string]any{"name": "main", "image": "r/m:1"}
	if at == "container" {
		maps.Copy(container, part)
		part = nil
	}
	pod := map[string]any{"restartPolicy": "Never", "containers": []any{container}}
	spec := map[string]any{
		"schedule":    "0 3 * * *",
		"jobTemplate": map[string]any{"spec": map[string]any{"template": map[string]any{"spec": pod}}},
	}
	into := spec
	for _, k := range places[at].keys {
		into = into[k].(map[string]any)
	}
	merge(into, part)
	data, err := json.Marshal(map[string]any{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": map[string]any{"name": "x", "namespace": "n"}, "spec": spec})
	if err != nil {
		t.Fatal(err)
	}
	r := readManifest(data)
	if len(r.troubles)+len(r.remarks) > 0 || len(r.found) != 1 {
		t.Fatalf("manifest %s: %+v", data, r)
	}
	return r.found[0].cronJob
}

func merge(into, part map[string]any) {
	for k, v := range part {
		if sub, ok := v.(map[string]any); ok {
			if have, ok := into[k].(map[string]any); ok {
				merge(have, sub)
				continue
			}
		}
		into[k] = v
	}
}

func TestPairs(t *testing.T) {
	data, err := os.ReadFile("testdata/pairs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	if err := yaml.UnmarshalStrict(data, &pairs); err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		t.Run(p.Name, func(t *testing.T) {
			a, _ := specOf(build(t, p.At, p.A), false)
			b, _ := specOf(build(t, p.At, p.B), false)
			var got, want []string
			for _, d := range specs.Diff(a, b) {
				got = append(got, d.Path)
			}
			for _, path := range p.Differs {
				if path != "schedule" && path != "time_zone" {
					path = places[p.At].prefix + path
				}
				want = append(want, path)
			}
			slices.Sort(want)
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("paths that differ (-want +got):\n%s", d)
			}
			if same := a.Hash() == b.Hash(); same != (len(want) == 0) {
				t.Errorf("same hash: %v", same)
			}
		})
	}
}
