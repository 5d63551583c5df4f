package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/repair"
)

// text shows a plan to people: what is created first, then what a person has to do.
func (m *mending) text(w io.Writer) error {
	p := sheetOf(w)
	for _, action := range []repair.Action{repair.Create, repair.ByHand, repair.Refuse} {
		for _, row := range m.made.Rows {
			if row.Action == action && (!m.app.flags.quiet || action == repair.Create) {
				p.row(row, m.app.flags.verbose > 0)
			}
		}
	}
	p.say(m.verdict())
	return p.err
}

// verdict is the last line.
func (m *mending) verdict() string {
	creatable, byHand, refused := m.made.Count(repair.Create), m.made.Count(repair.ByHand), m.made.Count(repair.Refuse)
	repaired, tried := 0, 0
	for _, r := range m.made.Rows {
		if r.Outcome != nil {
			tried++
		}
		if r.Outcome.Repaired() {
			repaired++
		}
	}
	var parts []string
	switch {
	case tried > 0:
		parts = append(parts, fmt.Sprintf("%d of %d created", repaired, tried))
	case creatable > 0:
		parts = append(parts, fmt.Sprintf("%d to create (nothing was written; carry it out with --apply)", creatable))
	default:
		parts = append(parts, "nothing to create")
	}
	if byHand > 0 {
		parts = append(parts, fmt.Sprintf("%d to propose by hand", byHand))
	}
	if refused > 0 {
		parts = append(parts, fmt.Sprintf("%d not repaired", refused))
	}
	return strings.Join(parts, ", ")
}

// planSheet writes lines, each safe to show, and keeps the first error.
type planSheet struct {
	w   io.Writer
	err error
}

func sheetOf(w io.Writer) *planSheet { return &planSheet{w: w} }

func (p *planSheet) say(line string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, escapeLine(line))
	}
}

func (p *planSheet) row(r repair.Row, verbose bool) {
	title := map[repair.Action]string{repair.Create: "create", repair.ByHand: "propose", repair.Refuse: "not repaired"}[r.Action]
	if r.Outcome != nil {
		title = string(r.Outcome.Result)
	}
	p.say(title + "  " + r.Finding + madeFrom(r))
	for _, line := range r.Announce {
		p.say("  note: " + line)
	}
	if r.Outcome != nil {
		p.outcome(*r.Outcome)
	}
	for _, why := range r.Reasons {
		p.say("  " + why.Message + " [" + why.Code + "]")
		if why.Next != "" && len(r.Next) == 0 {
			p.say("    next: " + why.Next)
		}
	}
	for _, step := range r.Next {
		p.say("  - " + step)
	}
	for _, c := range r.Commands {
		p.say("  $ " + c)
	}
	if text := r.Text(); len(text) > 0 && r.Outcome == nil && (verbose || r.Action == repair.ByHand) {
		p.content(text)
	}
	p.say("")
}

// madeFrom is where the object will be and from what it is made.
func madeFrom(r repair.Row) string {
	if r.Place == "" {
		return ""
	}
	text := " as " + r.Place
	if r.Template != "" {
		text += " from " + r.Template
	}
	return text
}

func (p *planSheet) outcome(o repair.Outcome) {
	p.say("  " + o.Message)
	if o.UID != "" {
		p.say("  uid " + o.UID)
	}
	if o.Backup != "" {
		p.say("  what was there before is kept in " + o.Backup)
	}
	if o.Remembered {
		p.say("  the ledger's ref of the role was brought up to date")
	}
}

// content shows what would be written, with what may be secret masked.
func (p *planSheet) content(text []byte) {
	for _, line := range strings.Split(strings.TrimRight(redact.Text(string(text)), "\n"), "\n") {
		p.say("  | " + line)
	}
}
