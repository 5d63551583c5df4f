package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
)

// TestReadmeIgnoreRules holds the README's example of ignore rules to the ledger's
// parser.
func TestReadmeIgnoreRules(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "## What does not count\n")
	_, rest, _ = strings.Cut(rest, "```yaml\n")
	example, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("no example")
	}
	text := strings.Replace(example, "    # …\n", "    owner: o\n    source: prod\n    version: \"1\"\n    spec: {schedule: \"* * * * *\"}\n", 1)
	l, warnings, err := ledger.Parse("ledger.yaml", []byte("ledger: rolecall/v1\n"+text), nil)
	if err != nil || len(warnings) > 0 || len(l.Roles) != 1 || len(l.Roles[0].Ignore) != 2 || len(l.Ignore) != 1 {
		t.Errorf("%v, %v, %+v", err, warnings, l)
	}
}
