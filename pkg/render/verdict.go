package render

import (
	"fmt"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// verdict is the outcome in one sentence, with its counts. It is one line in any
// width, so that the last line of the output holds all of it.
func (p *page) verdict(r report.Report) {
	p.line(p.paint(verdictLook(r), Escape(string(r.Verdict))+":") + " " + sentence(r))
}

// verdictLook is green only where everything was looked at and nothing at all
// was found.
func verdictLook(r report.Report) string {
	switch {
	case r.Verdict == report.Findings:
		return red
	case r.Verdict != report.Clean || !allClear(r):
		return yellow
	}
	return green
}

// allClear says that the audit was complete and nothing disagrees. It is said of
// the report as it stands, whatever the gate of this run left out of account.
func allClear(r report.Report) bool {
	for _, f := range r.Findings {
		if !f.Waived() {
			return false
		}
	}
	for _, c := range r.Coverage {
		if c.State != "read" {
			return false
		}
	}
	return r.Verdict == report.Clean && r.ExitCode == 0 && r.Complete && len(r.Coverage) > 0 && r.Summary.OutOfScope == 0
}

func sentence(r report.Report) string {
	parts := []string{rolesAsStated(r)}
	parts = append(parts, otherCounts(r)...)
	text := strings.Join(parts, "; ")
	if r.ExitCode != 0 {
		text += fmt.Sprintf(" (exit %d)", r.ExitCode)
	}
	return text
}

// rolesAsStated counts the roles by how they stand.
func rolesAsStated(r report.Report) string {
	s := r.Summary
	seen := s.Roles - s.OutOfScope
	if s.OK == seen {
		return fmt.Sprintf("%s as the ledger states", isAre(seen, "role"))
	}
	be := "are"
	if s.OK == 1 || seen == 1 {
		be = "is"
	}
	text := fmt.Sprintf("%d of %s %s as the ledger states", s.OK, plural(seen, "role"), be)
	if by := byState(s); by != "" {
		text += ", " + by
	}
	return text
}

func byState(s report.Summary) string {
	var out []string
	for _, c := range []struct {
		n    int
		kind report.Kind
	}{
		{s.Missing, report.Missing}, {s.Duplicate, report.Duplicate}, {s.Ambiguous, report.Ambiguous}, {s.Inactive, report.Inactive},
		{s.Drift, report.Drift}, {s.NotExecuted, report.NotExecuted}, {s.Hung, report.Hung}, {s.NotSucceeded, report.NotSucceeded}, {s.Stalled, report.Stalled},
		{s.Unknown, report.Unknown}, {s.Unreviewed, report.Unreviewed},
	} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", c.n, c.kind.Entry().Title))
		}
	}
	return strings.Join(out, ", ")
}

func otherCounts(r report.Report) []string {
	s := r.Summary
	var out []string
	add := func(n int, text string) {
		if n > 0 {
			out = append(out, text)
		}
	}
	add(s.Unexpected, isAre(s.Unexpected, "object")+" unexpected")
	add(s.Version, isAre(s.Version, "version")+" not raised as it should be")
	add(s.Removed, wasWere(s.Removed, "role")+" removed from the ledger")
	add(present(r), isAre(present(r), "finding")+" already so at the base")
	add(s.Gaps, fmt.Sprintf("%s could not be read", plural(s.Gaps, "part")))
	add(s.OutOfScope, wasWere(s.OutOfScope, "role")+" not looked at")
	add(s.Waived, isAre(s.Waived, "finding")+" waived")
	add(s.LeftOut, plural(s.LeftOut, "difference")+" left out by ignore rules")
	if r.Verdict == report.Incomplete && s.Gaps == 0 {
		out = append(out, "not all was looked at")
	}
	if r.Verdict == report.Clean {
		out = append(out, looked(r))
	}
	return out
}

// looked says how much a clean audit rests on.
func looked(r report.Report) string {
	read := 0
	for _, c := range r.Coverage {
		if c.State == "read" {
			read++
		}
	}
	return fmt.Sprintf("%s and %s read", plural(read, "part"), plural(r.Summary.Objects, "object"))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return plural(n, noun) + " are"
}

func wasWere(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return plural(n, noun) + " were"
}
