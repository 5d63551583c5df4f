package render

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

var (
	//go:embed html/page.css
	htmlStyle markup
	//go:embed html/page.js
	htmlScript markup
)

// HTML writes a report as one file that asks for nothing else, nowhere: its style
// and its script stand in it, and its policy lets a browser run these two and no
// others, by their hashes (Content Security Policy 3, 2.3.1). Without a script all
// is shown, and nothing can be filtered.
//
// Every text that is not the program's own goes through Escape and is cut before
// it comes into the page; the writer then encodes it for where it stands.
func HTML(w io.Writer, r report.Report) error {
	p := newHTMLWriter(w)
	p.page(newHTMLPage(r.Tidy()))
	return p.end()
}

// htmlPage is what the page shows, in its order. Its texts were escaped.
type htmlPage struct {
	Many     bool   // so much that a browser is told to lay out only what is in sight
	Name     string // of the ledger
	Verdict  string
	Look     string // good, warn or bad
	Sentence string
	Facts    []htmlFact
	States   []htmlState
	Gaps     []htmlPart
	Base     string // of a gate
	Edits    []htmlEdit
	Findings []htmlFinding
	Axis     []htmlHour
	Days     []htmlDay
	Stages   []string
	Roles    []htmlRole
	Alike    []htmlAlike
	Parts    []htmlPart
	Notes    []htmlNote
	Kinds    []htmlChoice
	Sources  []htmlChoice
	Owners   []htmlChoice
}

// htmlChoice is what can be filtered by. The page names it by its number, so that
// no text of a scheduler stands in an attribute.
type htmlChoice struct {
	Number int
	Text   string
}

type htmlFact struct{ Name, Text string }

func htmlPolicy() string {
	return "default-src 'none'; style-src '" + sourceHash(htmlStyle) + "'; script-src '" + sourceHash(htmlScript) + "'; img-src data:; base-uri 'none'; form-action 'none'"
}

func sourceHash(text markup) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func newHTMLPage(r report.Report) htmlPage {
	n := newHTMLNames(r)
	p := htmlPage{
		Many: len(r.Findings)+len(r.Roles) > fewEntries,
		Name: short(cmp.Or(r.Ledger.Name, r.Ledger.Path, "ledger"), valueRoom), Verdict: capital(cmp.Or(short(string(r.Verdict), valueRoom), "no verdict")),
		Look: htmlLook(verdictLook(r)), Sentence: short(sentence(r), messageRoom), Facts: htmlFacts(r), States: htmlStates(r.Summary),
		Stages: stageNames(), Axis: htmlAxis(r),
	}
	for _, c := range r.Coverage {
		part := n.part(c)
		p.Parts = append(p.Parts, part)
		if c.Gap() {
			p.Gaps = append(p.Gaps, part)
		}
	}
	if r.Gate != nil {
		p.Base = short(baseName(r), valueRoom)
		for _, e := range r.Gate.Changes {
			p.Edits = append(p.Edits, n.edit(e))
		}
	}
	for i, f := range bySeverity(r.Findings) {
		p.Findings = append(p.Findings, n.finding(r, f, n.cards[i]))
	}
	for i, x := range r.Roles {
		p.Roles = append(p.Roles, n.role(x, n.rows[i], r.ObservedAt))
		p.Alike = append(p.Alike, n.alike(x)...)
	}
	for _, x := range r.Notes {
		p.Notes = append(p.Notes, n.note(x))
	}
	p.Days = n.days(r)
	p.Kinds, p.Sources, p.Owners = n.kinds.choices, n.sources.choices, n.owners.choices
	return p
}

const fewEntries = 300

// htmlLook is the word for one of the looks of text.
func htmlLook(look string) string {
	switch look {
	case green:
		return "good"
	case red:
		return "bad"
	}
	return "warn"
}

func htmlFacts(r report.Report) []htmlFact {
	l := r.Ledger
	ledger := l.Path
	if l.Revision > 0 {
		ledger += ", revision " + number(l.Revision)
	}
	facts := []htmlFact{
		{"Ledger", ledger}, {"SHA-256", elide(l.SHA256, 13)}, {"Mode", r.Mode}, {"Observed", shortTime(r.ObservedAt)},
		{"Made by", strings.TrimSpace(r.Tool.Name + " " + r.Tool.Version)}, {"Exit code", number(r.ExitCode)}, {"Fails on", htmlKinds(r.FailOn)},
	}
	if r.ExitCode == 0 {
		facts[5].Text = "0"
	}
	return stated(facts...)
}

func htmlKinds(kinds []report.Kind) string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.Entry().Title)
	}
	return cmp.Or(strings.Join(out, ", "), "no kind")
}
