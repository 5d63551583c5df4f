package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/specs/schema"
)

func root(t *testing.T, name string) (doc, defs map[string]any) {
	t.Helper()
	if err := json.Unmarshal(schema.Get(name), &doc); err != nil {
		t.Fatal(err)
	}
	return doc, doc["$defs"].(map[string]any)
}

// TestRunsSchemaIsTheListing walks the Go forms, but for the counts, whose keys
// are states.
func TestRunsSchemaIsTheListing(t *testing.T) {
	doc, defs := root(t, "runs")
	walk(t, doc, defs["run"].(map[string]any), reflect.TypeFor[runs.RunInfo](), "run")
	walk(t, doc, defs["missed"].(map[string]any), reflect.TypeFor[runs.MissedInfo](), "missed")
	role := defs["role"].(map[string]any)
	counts := role["properties"].(map[string]any)["counts"].(map[string]any)
	if counts["type"] != "object" || counts["additionalProperties"].(map[string]any)["type"] != "integer" {
		t.Errorf("counts: %v", counts)
	}
	counts["type"] = "string" // a map has no rule in walk
	type uncounted struct {
		runs.RoleInfo
		Counts string `json:"counts"`
	}
	walk(t, doc, role, reflect.TypeFor[uncounted](), "role")
}

// TestDrainSchemaIsTheDrain does the same.
func TestDrainSchemaIsTheDrain(t *testing.T) {
	doc, _ := root(t, "drain")
	type shown struct {
		runs.Drained
		ExitCode int `json:"exit_code"`
	}
	walk(t, doc, doc, reflect.TypeFor[shown](), "drain")
}

// TestRunsSchemaNamesEveryState holds the enums to the states and results.
func TestRunsSchemaNamesEveryState(t *testing.T) {
	list, drain := compile(t, "runs"), compile(t, "drain")
	states := []runs.State{runs.Completed, runs.Failed, runs.Interrupted, runs.Skipped, runs.InFlight, runs.NeverStarted, runs.OwnerLost, runs.Orphaned, runs.Unverifiable, runs.Corrupt}
	for _, s := range append(states, "odd") {
		l := runs.Listing{Schema: runs.InfoSchema, State: "/state", Problems: []string{}, Roles: []runs.RoleInfo{{Role: "backup", Counts: map[runs.State]int{s: 1}, Runs: []runs.RunInfo{{State: s}}, Hints: []string{}, Problems: []string{}}}}
		if err := list.Validate(asDoc(t, l)); (err == nil) != (s != "odd") {
			t.Errorf("state %s: %v", s, err)
		}
	}
	for _, r := range []string{runs.ResultFinished, runs.ResultInterrupted, runs.ResultLate, runs.ResultUnverifiable, runs.ResultWaiting, "odd"} {
		d := struct {
			runs.Drained
			ExitCode int `json:"exit_code"`
		}{runs.Drained{Schema: runs.DrainSchema, Runs: []runs.DrainedRun{{Result: r}}, Problems: []string{}}, 1}
		if err := drain.Validate(asDoc(t, d)); (err == nil) != (r != "odd") {
			t.Errorf("result %s: %v", r, err)
		}
	}
}

func asDoc(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
