//go:build unix

package kubernetes

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// unordered are the sets of the table that the API calls lists: why their order
// has no effect.
var unordered = map[string]string{
	"Capabilities.add": "a set of bits", "Capabilities.drop": "a set of bits",
	"LabelSelectorRequirement.values": "any of them", "NodeSelectorRequirement.values": "any of them",
	"ObjectMeta.finalizers":                 "each is waited for",
	"PersistentVolumeClaimSpec.accessModes": "all of them",
	"PodAffinityTerm.matchLabelKeys":        "each is one more requirement", "PodAffinityTerm.mismatchLabelKeys": "each is one more requirement",
	"PodAffinityTerm.namespaces":              "any of them",
	"PodSecurityContext.supplementalGroups":   "a process is in all of them",
	"TopologySpreadConstraint.matchLabelKeys": "each is one more requirement",
}

// TestRealListTypes: what the server's own schema calls a set or a list by keys
// is one in the tables, and nothing else is but what is known to have no order.
func TestRealListTypes(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Type string   `json:"x-kubernetes-list-type"`
					Keys []string `json:"x-kubernetes-list-map-keys"`
				} `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(c.Must(t, http.MethodGet, "/openapi/v3/apis/batch/v1", nil), &doc); err != nil {
		t.Fatal(err)
	}
	lists, declared := 0, map[string]bool{}
	for name, f := range apiFields() {
		if f.Type.Kind() != reflect.Slice || slices.Contains(ignored, name) {
			continue
		}
		owner, field, _ := strings.Cut(name, ".")
		for schema, s := range doc.Components.Schemas {
			if schema[strings.LastIndexByte(schema, '.')+1:] != owner {
				continue
			}
			p, ok := s.Properties[field]
			if !ok {
				continue
			}
			lists++
			switch declared[name] = true; {
			case p.Type == "set" && !slices.Contains(sets, name):
				t.Errorf("%s is a set in the API", name)
			case p.Type == "map" && name != "Container.env" && !slices.Equal(p.Keys, keyed[name]):
				t.Errorf("%s is a list by %v in the API, and by %v here", name, p.Keys, keyed[name])
			case p.Type == "atomic" && (len(keyed[name]) > 0 || slices.Contains(sets, name) && unordered[name] == ""):
				t.Errorf("%s has an order in the API", name)
			}
		}
	}
	if lists < 50 {
		t.Errorf("only %d lists were found in the server's schema", lists)
	}
	for _, name := range sets {
		if !declared[name] && unordered[name] == "" {
			t.Errorf("%s is not in the server's schema", name)
		}
	}
}
