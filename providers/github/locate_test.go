package github

import (
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

func TestLocate(t *testing.T) {
	for pointer, want := range map[string]specs.Path{
		"/jobs/build/steps/2/run":        {"jobs", "build", "steps", "2", "run"},
		"/jobs/build/env/A~1B":           {"jobs", "build", "env", "A/B"},
		"/permissions":                   {"permissions"},
		"/on/push":                       {"on", "push"},
		"/jobs/build/steps/0/with/token": {"jobs", "build", "steps", "0", "with", "token"},
	} {
		if got, err := locate(specs.Ignore{Pointer: pointer}); err != nil || !slices.Equal(got.Path, want) {
			t.Errorf("%s: %q, %v; want %q", pointer, got.Path, err, want)
		}
	}
	for rule, want := range map[specs.Ignore]string{
		{Pointer: "/on/schedule/0/cron"}: "name the field schedule or time_zone",
		{Pointer: "/jobs"}:               "all that the workflow does",
		{Pointer: "jobs"}:                "is no JSON pointer",
		{Manager: "bot"}:                 "no workflow says who wrote which of its fields",
	} {
		if got, err := locate(rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want an error with %s", rule, got.Path, err, want)
		}
	}
}
