package kubernetes

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestOwnedPaths(t *testing.T) {
	for raw, want := range map[string][]string{
		`{}`:                          nil,
		`{"f:spec":{"f:suspend":{}}}`: {"state"},
		` { "f:spec" : { "f:timeZone" : { } , "f:schedule" : { } } } `:      {"schedule", "time_zone"},
		`{"f:spec":{".":{},"f:schedule":{}},"f:metadata":{"f:labels":{}}}`:  {"schedule"},
		`{"f:metadata":{"f:annotations":{".":{},"f:rolecall/role":{}}}}`:    {"role"},
		`{"f:metadata":{"f:annotations":{"f:rolecall/version":{},".":{}}}}`: {"version"},
		`{"f:spec":{"f:jobTemplate":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:args":{}}}}}}}}}`: {
			"jobTemplate.spec.template.spec.containers[main].args", "jobTemplate.spec.template.spec.containers[main].image"},
		`{"f:spec":{"f:jobTemplate":{"f:p":{"k:{\"containerPort\":53,\"protocol\":\"UDP\"}":{}}}}}`: {"jobTemplate.p[53/UDP]"},
		`{"f:spec":{"f:jobTemplate":{"f:metadata":{"f:labels":{"f:a.b/c":{}}}}}}`:                   {`jobTemplate.metadata.labels["a.b/c"]`},
		`{"f:spec":{"f:set":{"v:\"one\"":{},"i:0":{}}}}`:                                            {"set"},
		`{"f:spec":{"f:a":{".":{}},"f:b":{}}}`:                                                      {"a", "b"},
		// What is no set owns nothing, not even what was read of it.
		`{"f:spec":{"f:suspend":{}}`:    nil,
		`{"f:spec":{"f:suspend":{}}}x`:  nil,
		`{"f:spec":{"f:suspend":true}}`: nil,
		`{"f:spec":{"f:suspend":{},}}`:  nil,
		`{"f:spec"`:                     nil,
		`{"f:sp\\`:                      nil,
		``:                              nil,
		`null`:                          nil,
	} {
		if got := ownedPaths([]byte(raw)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func FuzzOwnedPaths(f *testing.F) {
	f.Add([]byte(`{"f:spec":{"f:a":{"k:{\"name\":\"\\u0041\"}":{".":{},"f:b.c":{}},"v:1":{}}}}`))
	f.Add([]byte(`{"f:spec":{"f:suspend":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := ownedPaths(raw)
		if len(got) > 0 && !json.Valid(raw) {
			// Control characters in a string are the one thing that is let pass.
			if !slices.ContainsFunc(raw, func(b byte) bool { return b < ' ' }) {
				t.Errorf("%q is no JSON and owns %q", raw, got)
			}
		}
		if !slices.IsSorted(got) {
			t.Errorf("%q is not sorted", got)
		}
	})
}
