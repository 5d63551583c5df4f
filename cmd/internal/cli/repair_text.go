package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/repair"
	"github.com/rolecall-dev/rolecall/providers"
)

// text shows a plan to people: what is created first, then what a person has to do.
func (m *mending) text(w io.Writer) error {
	p := sheetOf(w)
	for _, action := range []repair.Action{repair.Create, repair.ByHand, repair.Refuse} {
		for _, row := range m.made.Rows {
			if row.Action == action && (!m.app.flags.quiet || action == repair.Create) {
				p.row(row, m.in.World, m.app.flags.verbose > 0)
			}
		}
	}
	for _, r := range m.made.Refs {
		p.renewal(r)
	}
	p.say(m.verdict())
	return p.err
}

// verdict is the last line.
func (m *mending) verdict() string {
	creatable, byHand, refused := m.made.Count(repair.Create), m.made.Count(repair.ByHand), m.made.Count(repair.Refuse)
	created, tried := 0, 0
	results := map[repair.Result]int{}
	for _, r := range m.made.Rows {
		if r.Outcome != nil {
			tried++
			results[r.Outcome.Result]++
		}
		if r.Outcome.Created() {
			created++
		}
	}
	var parts []string
	switch {
	case tried > 0:
		parts = append(parts, fmt.Sprintf("%d of %d created", created, tried))
		for _, of := range []struct {
			result repair.Result
			words  string
		}{
			{repair.Unverified, "%d of them not as the ledger states it"}, {repair.Unseen, "%d of them not seen yet"},
			{repair.Existed, "%d there by then"}, {repair.Unknown, "%d of which nothing is known"},
		} {
			if n := results[of.result]; n > 0 {
				parts = append(parts, fmt.Sprintf(of.words, n))
			}
		}
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

// renewal says of a ref of the ledger that it is behind, or was brought up to date.
func (p *planSheet) renewal(r repair.Renewal) {
	was := "no object"
	if r.Was != "" {
		was = "an object " + r.Was
	}
	text := fmt.Sprintf("ref  %s@%s: rolecall has made %s (uid %s), and the ledger remembers %s", r.Role, r.Source, r.Object, r.UID, was)
	switch {
	case r.Renewed:
		text += "; it was brought up to date"
	case r.Message != "":
		text += "; " + r.Message
	default:
		text += "; --apply brings it up to date"
	}
	p.say(text)
	p.say("")
}

func (p *planSheet) row(r repair.Row, world providers.World, verbose bool) {
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
		seen, _ := world.Source(r.Source)
		p.content(maskedFile(seen.Provider, text))
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

// content shows what would be written.
func (p *planSheet) content(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		p.say("  | " + line)
	}
}
