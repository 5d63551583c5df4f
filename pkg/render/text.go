package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// Text shows a report to people: what was found, by role, what could not be
// read, what is worth saying, and in the last line the verdict. Of a clean audit
// only the verdict is left.
func Text(opts TextOptions) Func {
	return func(w io.Writer, r report.Report) error {
		t := text{page: page{w: w, width: opts.Width, color: opts.Color}, opts: opts, r: r.Tidy()}
		if !opts.Quiet {
			t.body()
		}
		t.verdict(t.r)
		return t.err
	}
}

type text struct {
	page
	opts TextOptions
	r    report.Report
	// states are those of the roles, made when the first finding is shown.
	states map[specs.Ref]report.State
}

func (t *text) body() {
	if t.opts.Verbose > 0 {
		t.heading()
		t.allRoles()
		t.stages()
	}
	t.byRole()
	t.unexpected()
	t.changes()
	t.gaps()
	t.outOfScope()
	if t.opts.Verbose > 0 {
		t.cosmetic()
		t.ignored()
		t.coverage()
	}
	t.notes()
}

func (t *text) heading() {
	l := t.r.Ledger
	name := Escape(cmp.Or(l.Path, "ledger"))
	if l.Name != "" {
		name += " (" + Escape(l.Name) + ")"
	}
	t.wrapped(0, "", "", fmt.Sprintf("%s, %s, observed at %s", name, Escape(t.r.Mode), shortTime(t.r.ObservedAt)))
	t.line("")
}

func (t *text) allRoles() {
	g := grid{head: []string{"ROLE", "SOURCE", "STATE", "VERSION", "SCHEDULE", "NEXT DUE"}, whole: []int{5}}
	for _, r := range t.r.Roles {
		due := ""
		if r.NextDue != nil {
			due = instant(*r.NextDue)
		}
		g.add(escaped(r.Role, r.Source, string(r.State), r.Version, r.Schedule, due)...)
	}
	t.section(g)
}

func (t *text) coverage() {
	g := grid{head: []string{"SOURCE", "PROVIDER", "PART", "STATE", "OBJECTS"}}
	for _, c := range t.r.Coverage {
		g.add(escaped(c.Source, c.Provider, c.Part, c.State, fmt.Sprint(c.Objects))...)
	}
	t.section(g)
}

func (t *text) section(g grid) {
	if len(g.rows) > 0 {
		t.table(0, g)
		t.line("")
	}
}

// byRole shows the findings of each role under one heading.
func (t *text) byRole() {
	last := specs.Ref{}
	for _, f := range t.r.Findings {
		if f.Kind == report.Unexpected {
			continue
		}
		if ref := (specs.Ref{Role: f.Role, Source: f.Source}); ref != last {
			t.roleHeading(ref, f)
			last = ref
		}
		t.finding(f)
		t.line("")
	}
}

func (t *text) roleHeading(ref specs.Ref, f report.Finding) {
	about := string(f.Kind)
	if state, ok := t.stateOf(ref); ok && (state != report.OK || !f.Kind.OfChange()) {
		about = string(state)
	}
	if f.Owner != "" {
		about += " (owner " + f.Owner + ")"
	}
	t.wrapped(0, Escape(ref.String())+":", bold, Escape(about))
}

func (t *text) stateOf(ref specs.Ref) (report.State, bool) {
	if t.states == nil {
		t.states = make(map[specs.Ref]report.State, len(t.r.Roles))
		for _, r := range t.r.Roles {
			t.states[specs.Ref{Role: r.Role, Source: r.Source}] = r.State
		}
	}
	state, ok := t.states[ref]
	return state, ok
}

func (t *text) unexpected() {
	source, first := "", true
	for _, f := range t.r.Findings {
		if f.Kind != report.Unexpected {
			continue
		}
		if first || f.Source != source {
			source, first = f.Source, false
			t.line(t.paint(bold, "not in the ledger, found in "+Escape(cmp.Or(source, "no source"))))
		}
		t.finding(f)
		t.line("")
	}
}

func (t *text) gaps() {
	any := false
	for _, c := range t.r.Coverage {
		if !c.Gap() {
			continue
		}
		if !any {
			t.line(t.paint(bold, "could not be read"))
		}
		any = true
		what := c.Part
		if c.Source != "" {
			what = c.Source + ", " + c.Part
		}
		t.wrapped(2, Escape(c.State)+":", yellow, Escape(what)+because(t.free(c.Reason)))
	}
	if any {
		t.line("")
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func (t *text) outOfScope() {
	any := false
	for _, c := range t.r.Coverage {
		if c.State != string(report.OutOfScope) {
			continue
		}
		if !any {
			t.line(t.paint(bold, "not looked at"))
		}
		any = true
		t.wrapped(2, "", "", Escape(c.Source)+because(t.free(c.Reason)))
	}
	if any {
		t.line("")
	}
}

func (t *text) cosmetic() {
	listed(t, "the same in meaning, written otherwise", func(r report.Role) []report.Field { return r.Cosmetic }, t.field)
}

// ignored are the differences that rules of the ledger take out of account.
func (t *text) ignored() {
	listed(t, "different, and ignored by a rule of the ledger", func(r report.Role) []report.Ignored { return r.Ignored }, func(f report.Ignored) {
		t.field(f.Field)
		t.wrapped(4, "ignored:", "", t.free(f.Rule+", "+f.Reason+", "+f.Location.String()))
	})
}

// listed shows what the roles have of something below one title, each with its
// role; nothing where none has any.
func listed[T any](t *text, title string, of func(report.Role) []T, show func(T)) {
	any := false
	for _, r := range t.r.Roles {
		for _, one := range of(r) {
			if !any {
				t.line(t.paint(bold, title))
			}
			any = true
			t.wrapped(2, "", "", Escape(r.Role+"@"+r.Source))
			show(one)
		}
	}
	if any {
		t.line("")
	}
}

// fewNotes is how many notes are shown where nobody asked for more.
const fewNotes = 10

func (t *text) notes() {
	notes := t.r.Notes
	if len(notes) == 0 {
		return
	}
	if t.opts.Verbose == 0 && len(notes) > fewNotes {
		notes = notes[:fewNotes]
	}
	for _, n := range notes {
		where := n.Location.String()
		if n.Source != "" {
			where = strings.TrimSuffix(n.Source+" "+where, " ")
		}
		if where != "" {
			where = " (" + where + ")"
		}
		t.wrapped(0, "note "+Escape(n.Code)+":", dim, t.free(n.Message)+Escape(where))
	}
	if more := len(t.r.Notes) - len(notes); more > 0 {
		t.line(fmt.Sprintf("%s more; -v shows all", plural(more, "note")))
	}
	t.line("")
}

// free is a text of any length, escaped. A very long one is cut.
func (t *text) free(s string) string {
	if t.opts.Verbose > 0 {
		return Escape(s)
	}
	return elide(Escape(s), 1200)
}
