package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// atBase says how the base of a gate stands to a finding.
func atBase(f report.Finding) string {
	switch f.AtBase {
	case report.AtBaseAbsent:
		return "this change brings it"
	case report.AtBaseDifferent:
		return "there was one at the base, another one"
	case report.AtBasePresent:
		return "already so at the base"
	case report.AtBaseUnknown:
		return "whether it was so before cannot be told"
	}
	return ""
}

// present counts the findings that are just so at the base.
func present(r report.Report) int {
	n := 0
	for _, f := range r.Findings {
		if f.AtBase == report.AtBasePresent {
			n++
		}
	}
	return n
}

// baseName is the revision as it was named, and the commit that it stands for.
func baseName(r report.Report) string {
	if r.Gate == nil {
		return "the base"
	}
	return revName(r.Gate.Rev, r.Gate.Base)
}

func revName(rev, commit string) string {
	switch {
	case commit == "":
		return "the checkout"
	case strings.HasPrefix(commit, rev):
		return Escape(commit[:min(len(commit), 12)])
	}
	return fmt.Sprintf("%s (%s)", Escape(rev), Escape(commit[:min(len(commit), 12)]))
}

// changes is what the change of a gate does to the ledger.
func (t *text) changes() {
	if t.r.Gate == nil || len(t.r.Gate.Changes) == 0 {
		return
	}
	t.wrapped(0, "", "", "what the change since "+baseName(t.r)+" does to the ledger")
	for _, e := range t.r.Gate.Changes {
		t.edit(2, e, t.free)
	}
	t.line("")
}

// edit shows one change and its fields.
func (p *page) edit(indent int, e report.Edit, free func(string) string) {
	p.wrapped(indent, editSign(e), bold, free(editTitle(e)))
	for _, f := range e.Fields {
		p.wrapped(indent+4, Escape(f.Path)+":", "", free(fieldChange(e, f)))
	}
}

func editSign(e report.Edit) string {
	switch e.What {
	case "added":
		return "+"
	case "removed":
		return "-"
	}
	return "~"
}

// editTitle names what is changed and where it stands.
func editTitle(e report.Edit) string {
	s := e.Of + " " + e.Name
	if e.Owner != "" {
		s += " (owner " + e.Owner + ")"
	}
	switch at, was := e.Location.String(), e.BaseLocation.String(); {
	case at != "":
		s += ", " + at
	case was != "":
		s += ", was at " + was
	}
	return s
}

// fieldChange is a field before and after; of what is new or gone only that.
func fieldChange(e report.Edit, f report.EditField) string {
	before, after := withWords(f.Before, f.BeforeWords), withWords(f.After, f.AfterWords)
	switch {
	case e.What == "added":
		return after
	case e.What == "removed":
		return before
	case f.Masked && f.Before == f.After:
		return before + " (what is masked differs)"
	}
	return before + " → " + after
}

func withWords(s, words string) string {
	if words == "" || words == s {
		return shown(s)
	}
	return s + ", " + words
}

func (m *markdown) changes(r report.Report) {
	if r.Gate == nil {
		return
	}
	m.edits("What the change does to the ledger", r.Gate.Changes)
}

func (m *markdown) edits(title string, edits []report.Edit) {
	s := section{title: title + ":\n\n", noun: "line", head: []string{"change", "of", "field", "before", "after"}}
	for _, e := range edits {
		what, name := prose(e.What), code(editTitle(e), valueRoom)
		if len(e.Fields) == 0 {
			s.rows = append(s.rows, row(what, name, "", "", ""))
		}
		for _, f := range e.Fields {
			after := code(withWords(f.After, f.AfterWords), valueRoom)
			if f.Masked && f.Before == f.After {
				after = "what is masked differs"
			}
			s.rows = append(s.rows, row(what, name, code(f.Path, valueRoom), code(withWords(f.Before, f.BeforeWords), valueRoom), after))
			what, name = "", ""
		}
	}
	m.section(s)
}

// LedgerDiffText shows what a change does to a ledger to people, and in the last
// line how much that is.
func LedgerDiffText(opts TextOptions) func(io.Writer, report.LedgerDiff) error {
	return func(w io.Writer, d report.LedgerDiff) error {
		t := text{page: page{w: w, width: opts.Width, color: opts.Color}, opts: opts}
		if !opts.Quiet {
			for _, e := range d.Changes {
				t.edit(0, e, t.free)
			}
		}
		t.line(ledgerDiffSentence(d))
		return t.err
	}
}

// LedgerDiffMarkdown is the same for a comment on a pull request.
func LedgerDiffMarkdown(w io.Writer, d report.LedgerDiff) error {
	m := markdown{room: CommentRoom - tailRoom}
	m.add("**rolecall**: " + code(ledgerDiffSentence(d), messageRoom) + "\n")
	m.edits("Changes", d.Changes)
	_, err := io.WriteString(w, m.b.String())
	return err
}

func ledgerDiffSentence(d report.LedgerDiff) string {
	between := "from " + revName(d.From.Rev, d.From.Commit) + " to " + revName(d.To.Rev, d.To.Commit)
	if len(d.Changes) == 0 {
		return "no change in what the ledger says, " + between
	}
	n := map[string]int{}
	for _, e := range d.Changes {
		n[e.Of+" "+e.What]++
	}
	var parts []string
	for _, of := range []string{"role", "waiver", "ignore", "ledger"} {
		for _, what := range []string{"added", "removed", "renamed", "changed"} {
			if k := n[of+" "+what]; k > 0 {
				parts = append(parts, fmt.Sprintf("%s %s", plural(k, nounOf(of)), what))
			}
		}
	}
	return strings.Join(parts, ", ") + ", " + between
}

func nounOf(of string) string {
	switch of {
	case "ignore":
		return "ignore rule"
	case "ledger":
		return "ledger field"
	}
	return of
}
