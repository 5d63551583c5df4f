package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// The most that GitHub takes, in bytes: of one comment (its limit is in
// characters, of which there are no more than bytes), and of the summary that one
// step may write.
const (
	CommentRoom = 65536
	SummaryRoom = 1 << 20
)

// Markdown writes a report as GitHub-flavoured Markdown: the verdict, a table of
// the findings, the worst first, what could not be read, and folded below it the
// differences, all roles, the coverage and the notes. What does not fit into the
// room, counted in bytes, is left off, row by row, and a line says how much.
//
// Every text that is not the program's own stands in a code span: there alone
// GitHub makes no link, mention, reference or image of it.
func Markdown(room int) Func {
	return func(w io.Writer, r report.Report) error {
		r = r.Tidy()
		m := markdown{room: room - tailRoom}
		m.add("**rolecall: " + cmp.Or(prose(string(r.Verdict)), "no verdict") + "**: " + sentence(r) + "\n")
		m.findings(r)
		m.changes(r)
		m.gaps(r)
		m.differences(r)
		m.roles(r)
		m.coverage(r)
		m.notes(r)
		_, err := io.WriteString(w, m.b.String())
		return err
	}
}

// tailRoom is kept for the lines that say what was left off.
const tailRoom = 2048

type markdown struct {
	b    strings.Builder
	room int
}

func (m *markdown) add(s string) { m.b.WriteString(s) }

// section is a table below a heading, cut where the room ends.
type section struct {
	title, noun string
	folded      bool
	head        []string
	rows        []string
}

func (m *markdown) section(s section) {
	if len(s.rows) == 0 {
		return
	}
	open, end := s.frame()
	open += "| " + strings.Join(s.head, " | ") + " |\n" + strings.Repeat("|---", len(s.head)) + "|\n"
	left := len(s.rows)
	if m.fits(open + s.rows[0] + end) {
		m.add(open)
		for left > 0 && m.fits(s.rows[len(s.rows)-left]+end) {
			m.add(s.rows[len(s.rows)-left])
			left--
		}
		m.add(end)
	}
	if left > 0 {
		m.add(fmt.Sprintf("\n%s left off for want of room; the report itself has all.\n", plural(left, s.noun)))
	}
}

func (s section) frame() (open, end string) {
	if !s.folded {
		return "\n" + s.title, ""
	}
	return fmt.Sprintf("\n<details><summary>%s (%d)</summary>\n\n", s.title, len(s.rows)), "\n</details>\n"
}

func (m *markdown) fits(s string) bool { return m.b.Len()+len(s) <= m.room }

// row is a line of a table, of cells that are Markdown.
func row(cells ...string) string {
	for i := range cells {
		cells[i] = cmp.Or(cells[i], "–")
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// code is a text in a code span of a table's cell: between more backticks than
// stand together in it, with blanks where it begins or ends with one or with a
// blank (CommonMark 6.1). A table splits at a bar before it looks for code, so a
// bar is written with a backslash, which it takes away (GFM 4.10); one that has a
// backslash before it already is shown by its number.
func code(s string, room int) string {
	s = short(s, room)
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(s, `\|`, `\\x7c`)
	s = strings.ReplaceAll(s, "|", `\|`)
	fence := strings.Repeat("`", backticks(s)+1)
	if strings.Trim(s, " ") != s || strings.Trim(s, "`") != s {
		s = " " + s + " "
	}
	if strings.Trim(s, " ") == "" {
		return "" // blanks alone
	}
	return fence + s + fence
}

// backticks is the longest run of them.
func backticks(s string) int {
	most, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

// prose is a text that is the program's own, as it is; another one is code.
func prose(s string) string {
	for _, e := range report.Catalogue() {
		if s == e.NextStep || s == e.Title {
			return s
		}
	}
	switch report.Verdict(s) {
	case report.Clean, report.Passed, report.Findings, report.Incomplete:
		return s
	}
	return code(s, messageRoom)
}

func (m *markdown) findings(r report.Report) {
	s := section{noun: "finding", head: []string{"kind", "role or object", "what", "where", "next step"}}
	for _, f := range bySeverity(r.Findings) {
		kind := prose(f.Kind.Entry().Title)
		if f.Waived() {
			kind += ", waived"
		}
		if f.AtBase == report.AtBasePresent {
			kind += ", already so at the base"
		}
		what := code(f.Message, messageRoom/2)
		if n := len(meaningful(f)); n > 0 {
			what += " (" + plural(n, "difference") + ")"
		}
		s.rows = append(s.rows, row(kind, code(about(f), valueRoom), what, where(f), prose(f.NextStep)))
	}
	m.section(s)
}

func where(f report.Finding) string {
	out := code(f.Location.String(), valueRoom)
	if seen := f.ObservedAt; seen.File != "" && seen != f.Location {
		out = strings.TrimPrefix(out+", "+code(seen.String(), valueRoom), ", ")
	}
	return out
}

func (m *markdown) gaps(r report.Report) {
	s := section{title: "Could not be read:\n\n", noun: "part", head: []string{"source", "part", "state", "why"}}
	for _, c := range r.Coverage {
		if c.Gap() {
			s.rows = append(s.rows, row(code(c.Source, valueRoom), code(c.Part, valueRoom), code(c.State, valueRoom), code(c.Reason, messageRoom)))
		}
	}
	m.section(s)
}

func (m *markdown) differences(r report.Report) {
	s := section{title: "Differences and hints", noun: "line", folded: true, head: []string{"finding", "what", "ledger", "scheduler"}}
	for _, f := range bySeverity(r.Findings) {
		add := func(what, desired, observed string) {
			s.rows = append(s.rows, row(code(f.ID, valueRoom), what, desired, observed))
		}
		for _, d := range meaningful(f) {
			want, have := abridge(d.Desired, d.Observed, valueRoom)
			observed := code(shown(have), valueRoom)
			if d.Masked && want == have {
				observed = "what is masked differs"
			}
			add(code(d.Path, valueRoom), code(shown(want), valueRoom), observed)
		}
		if f.ChangedBy != nil {
			add("changed by", "", code(changeWords(*f.ChangedBy), valueRoom))
		}
		for _, h := range f.Hints {
			add("hint", "", code(h, messageRoom))
		}
		if f.Waiver != nil {
			label, words := waiverWords(*f.Waiver)
			add(strings.TrimSuffix(label, ":"), code(words, messageRoom), "")
		}
	}
	m.section(s)
}

func (m *markdown) roles(r report.Report) {
	s := section{title: "All roles", noun: "role", folded: true, head: []string{"role", "state", "owner", "version", "schedule", "next due"}}
	more := beyond(r)
	if more {
		s.head = append(s.head, stageNames()...)
	}
	for _, x := range r.Roles {
		due := ""
		if x.NextDue != nil {
			due = code(instant(*x.NextDue), valueRoom)
		}
		cells := []string{
			code(specs.Ref{Role: x.Role, Source: x.Source}.String(), valueRoom), code(string(x.State), valueRoom), code(x.Owner, valueRoom),
			code(x.Version, valueRoom), code(x.Schedule, valueRoom), due,
		}
		if more {
			for _, rung := range ladder(x) {
				cells = append(cells, code(rung.cell(r.ObservedAt), valueRoom))
			}
		}
		s.rows = append(s.rows, row(cells...))
	}
	m.section(s)
}

func (m *markdown) coverage(r report.Report) {
	s := section{title: "What was looked at", noun: "part", folded: true, head: []string{"source", "provider", "part", "state", "objects", "why"}}
	for _, c := range r.Coverage {
		s.rows = append(s.rows, row(
			code(c.Source, valueRoom), code(c.Provider, valueRoom), code(c.Part, valueRoom), code(c.State, valueRoom), fmt.Sprint(c.Objects), code(c.Reason, messageRoom),
		))
	}
	m.section(s)
}

func (m *markdown) notes(r report.Report) {
	s := section{title: "Notes", noun: "note", folded: true, head: []string{"note", "source", "what", "where"}}
	for _, n := range r.Notes {
		s.rows = append(s.rows, row(code(n.Code, valueRoom), code(n.Source, valueRoom), code(n.Message, messageRoom), code(n.Location.String(), valueRoom)))
	}
	m.section(s)
}
