package kubernetes

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// openAPI is as much of a schema as says how a field is written.
type openAPI struct {
	Ref        string             `json:"$ref"`
	AllOf      []openAPI          `json:"allOf"`
	Type       string             `json:"type"`
	Items      *openAPI           `json:"items"`
	Properties map[string]openAPI `json:"properties"`
	Additional any                `json:"additionalProperties"`
	ListType   string             `json:"x-kubernetes-list-type"`
	MapType    string             `json:"x-kubernetes-map-type"`
}

func (s openAPI) refers() string {
	if len(s.AllOf) > 0 {
		s = s.AllOf[0]
	}
	return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
}

// TestAtomicFieldsAreKnown holds the table to the real API server's own account
// of which fields are written as a whole.
func TestAtomicFieldsAreKnown(t *testing.T) {
	out, err := kubetest.Start(t).Do("GET", "/openapi/v3/apis/batch/v1", nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct{ Schemas map[string]openAPI }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatal(err)
	}
	whole, parts := map[string]bool{}, map[string]bool{}
	seen := map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for field, s := range doc.Components.Schemas[name].Properties {
			target := doc.Components.Schemas[s.refers()]
			switch {
			case s.Type == "array":
				whole[field] = whole[field] || s.ListType != "map" && s.ListType != "set"
				parts[field] = parts[field] || s.ListType == "map" || s.ListType == "set"
				walk(s.Items.refers())
			case s.Additional != nil:
				whole[field] = whole[field] || s.MapType == "atomic"
				parts[field] = parts[field] || s.MapType != "atomic"
			case len(target.Properties) > 0:
				whole[field] = whole[field] || target.MapType == "atomic"
				parts[field] = parts[field] || target.MapType != "atomic"
				walk(s.refers())
			}
		}
	}
	walk("io.k8s.api.batch.v1.CronJobSpec")
	var want []string
	for field, is := range whole {
		if is && !parts[field] && field != "managedFields" {
			want = append(want, field)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(atomicFields))); diff != "" {
		t.Errorf("-server +table\n%s", diff)
	}
}
