package audit

import (
	"slices"
	"strconv"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// report puts a judgement in the form that leaves the program. What the caller
// knows of itself (tool, mode) is left to it.
func (r *round) report(j classify.Judgement) report.Report {
	out := report.Report{
		Schema:           report.Schema,
		ObservedAt:       r.Now.UTC(),
		Canonicalisation: specs.Canonicalisation,
		Ledger:           report.Ledger{Path: r.Ledger.Path, Name: r.Ledger.Name, Revision: r.Ledger.Revision, SHA256: r.Ledger.SHA256},
		FailOn:           r.Gate.FailOn(),
		Coverage:         append(j.Coverage, r.skipped()...),
		Roles:            j.Roles,
		Findings:         j.Findings,
		Notes:            append(j.Notes, r.outOfScope()...),
	}
	if len(r.Roles) > 0 {
		other := func(role string) bool { return !slices.Contains(r.Roles, role) }
		out.Roles = slices.DeleteFunc(out.Roles, func(x report.Role) bool { return other(x.Role) })
		out.Findings = slices.DeleteFunc(out.Findings, func(f report.Finding) bool { return other(f.Role) })
	}
	out.Verdict, out.ExitCode = r.Gate.Judge(out.Findings, out.Coverage)
	out.Summary = summarise(out, j)
	unknown := func(f report.Finding) bool { return f.Kind == report.Unknown }
	out.Complete = out.Summary.Gaps == 0 && !slices.ContainsFunc(out.Findings, unknown)
	return out.Tidy()
}

// skipped lists the sources that were not looked at beside those that were.
func (r *round) skipped() []report.Coverage {
	var out []report.Coverage
	for _, s := range r.Skipped {
		out = append(out, report.Coverage{Source: s.Name, Provider: s.Kind, Part: "source", State: string(report.OutOfScope), Reason: s.Reason})
	}
	return out
}

func (r *round) outOfScope() []report.Note {
	var out []report.Note
	for _, s := range r.Skipped {
		n := 0
		for _, role := range r.Ledger.Roles {
			if slices.Contains(role.Sources, s.Name) {
				n++
			}
		}
		out = append(out, report.Note{Code: "out-of-scope", Source: s.Name, Message: outOfScopeMessage(s, n)})
	}
	return out
}

func outOfScopeMessage(s Skipped, roles int) string {
	if roles == 1 {
		return "source " + s.Name + " was not looked at (" + s.Reason + "), nor was its one role"
	}
	return "source " + s.Name + " was not looked at (" + s.Reason + "), nor were its " + strconv.Itoa(roles) + " roles"
}

func summarise(r report.Report, j classify.Judgement) report.Summary {
	s := report.Summary{Roles: len(r.Roles), Objects: j.Objects, Ignored: j.Ignored}
	n := map[report.State]int{}
	for _, role := range r.Roles {
		n[role.State]++
		for _, ig := range role.Ignored {
			if !ig.Cosmetic {
				s.LeftOut++
			}
		}
	}
	s.OK, s.OutOfScope = n[report.OK], n[report.OutOfScope]
	s.Missing, s.Duplicate, s.Ambiguous = n["missing"], n["duplicate"], n["ambiguous"]
	s.Inactive, s.Drift, s.Unknown, s.Unreviewed = n["inactive"], n["drift"], n["unknown"], n["unreviewed"]
	s.NotExecuted, s.Hung, s.NotSucceeded, s.Stalled = n["not-executed"], n["hung"], n["not-succeeded"], n["stalled"]
	for _, f := range r.Findings {
		if f.Waived() {
			s.Waived++
		}
		if f.Kind == report.Unexpected {
			s.Unexpected++
		}
	}
	for _, c := range r.Coverage {
		if c.Gap() {
			s.Gaps++
		}
	}
	return s
}
