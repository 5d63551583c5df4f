// Package schema holds the JSON Schemas (draft 2020-12) of the formats: of the
// two files that people write, and of those that the program does. Tests hold
// each to what is really read and written.
package schema

import (
	"embed"
	"strings"
)

//go:embed *.schema.json
var files embed.FS

// Names are the formats that have a schema.
func Names() []string {
	return []string{"ledger", "config", "report", "inventory", "schedule", "ledgerdiff", "diff", "plan", "runs", "drain"}
}

// Get is the schema of a format as JSON, or nil if there is no such format.
func Get(name string) []byte {
	if strings.ContainsAny(name, "/*?[\\") {
		return nil
	}
	data, err := files.ReadFile(name + ".schema.json")
	if err != nil {
		return nil
	}
	return data
}
