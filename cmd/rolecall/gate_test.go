package main

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// gitSettings make what git does in a story the same everywhere, down to the
// hashes of its commits.
var gitSettings = [][2]string{
	{"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_TERMINAL_PROMPT", "0"},
	{"GIT_AUTHOR_NAME", "story"}, {"GIT_AUTHOR_EMAIL", "story@example.org"}, {"GIT_AUTHOR_DATE", "2026-11-01T09:00:00Z"},
	{"GIT_COMMITTER_NAME", "story"}, {"GIT_COMMITTER_EMAIL", "story@example.org"}, {"GIT_COMMITTER_DATE", "2026-11-01T09:00:00Z"},
}

// gated runs a gate and writes what it decides to the file judged, as judge does
// for an audit, with the place of each finding, how the base stands to it, and
// what the change does to the ledger.
func gated(ts *testscript.TestScript, neg bool, args []string) {
	judged(ts, neg, decidedOfChange, append([]string{"gate", "-o", "json"}, args...)...)
}

func decidedOfChange(ts *testscript.TestScript, data []byte) string {
	r, err := report.Decode(bytes.NewReader(data))
	ts.Check(err)
	var lines []string
	for _, role := range r.Roles {
		if role.State != report.OK {
			lines = append(lines, fmt.Sprintf("role %s@%s %s", role.Role, role.Source, role.State))
		}
	}
	for _, f := range r.Findings {
		lines = append(lines, findingLine(f)+" "+places(f.Location, f.ObservedAt)+" base "+f.AtBase)
	}
	for _, n := range r.Notes {
		lines = append(lines, "note "+n.Code)
	}
	for _, c := range r.Coverage {
		if c.State != "read" {
			lines = append(lines, fmt.Sprintf("part %s %s %s", c.Source, c.Part, c.State))
		}
	}
	for _, e := range r.Gate.Changes {
		lines = append(lines, editLine(e))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n") + "\n"
}

func places(at, seen specs.Pos) string {
	if seen.File == "" || seen == at {
		return "at " + at.String()
	}
	return "at " + at.String() + ", " + seen.String()
}

func editLine(e report.Edit) string {
	line := "change " + e.What + " " + e.Of + " " + e.Name
	var paths []string
	for _, f := range e.Fields {
		paths = append(paths, f.Path)
	}
	return line + ": " + strings.Join(paths, ", ")
}
