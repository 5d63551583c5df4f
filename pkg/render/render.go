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
	New  func(Options) Func
}

// Options are what a format may need to know of where it is read.
type Options struct {
	Text  TextOptions
	Place Place
}

// Formats are all forms, the one for people first.
func Formats() []Format {
	return []Format{
		{"text", "people", func(o Options) Func { return Text(o.Text) }},
		{"json", "scripts; all of the report, by a published schema (`rolecall schema report`)", as(report.Encode)},
		{"sarif", "GitHub code scanning, and editors that show SARIF 2.1.0", func(o Options) Func { return SARIF(o.Place) }},
		{"junit", "CI systems: a suite a source, a case a role", as(JUnit)},
		{"github", "annotations of a workflow run; the tables go to its step summary", func(o Options) Func { return GitHub(o.Place) }},
		{"markdown", "comments on a pull request", as(Markdown(CommentRoom))},
		{"prometheus", "the textfile collector of node_exporter, or a push", as(Prometheus)},
		{"html", "people who would rather look: one file for a browser, that asks for nothing else", as(HTML)},
		{"csv", "spreadsheets: a line a finding", as(FindingsCSV)},
	}
}

// as is a format that is the same wherever it is read.
func as(f Func) func(Options) Func { return func(Options) Func { return f } }

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
