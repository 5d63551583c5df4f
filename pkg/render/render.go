// Package render shows a report in one format each. A format reads the report
// and nothing else, decides nothing, and shows no character that could steer a
// terminal.
package render

import (
	"io"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// Func writes a report in one format. The same report gives the same bytes.
type Func func(io.Writer, report.Report) error

// Format is one form that a report can take.
type Format struct {
	Name string
	For  string // who reads it
	New  func(TextOptions) Func
}

// Formats are all forms, the one for people first.
func Formats() []Format {
	return []Format{
		{"text", "people", Text},
		{"json", "scripts", func(TextOptions) Func { return report.Encode }},
	}
}

// TextOptions are what a terminal can show and a person wants to see.
type TextOptions struct {
	// Width is the number of columns; 0 means that lines are not broken.
	Width int
	Color bool
	// Verbose above 0 adds all roles, the coverage and differences in text only,
	// and shows long values whole.
	Verbose int
	// Quiet leaves only the verdict.
	Quiet bool
}
