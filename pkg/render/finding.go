package render

import (
	"strings"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// finding shows one finding below the heading of its role or source.
func (t *text) finding(f report.Finding) {
	t.wrapped(2, kindWords(f)+":", lookOf(f), t.free(f.Message))
	t.fields(f)
	t.changedBy(f.ChangedBy)
	for _, h := range f.Hints {
		t.wrapped(4, "hint:", "", t.free(h))
	}
	t.waiver(f.Waiver)
	if s := atBase(f); s != "" {
		t.wrapped(4, "base:", dim, t.free(s))
	}
	t.whereabouts(f)
	if f.NextStep != "" {
		t.wrapped(4, "next:", bold, t.free(f.NextStep))
	}
}

// kindWords is the kind, and what takes it out of account or in doubt.
func kindWords(f report.Finding) string {
	words := f.Kind.Entry().Title
	if f.Reason != "" && f.Reason != words {
		words += " (" + f.Reason + ")"
	}
	if f.Waived() {
		words += ", waived"
	}
	return Escape(words)
}

func lookOf(f report.Finding) string {
	switch {
	case f.Waived():
		return dim
	case f.Kind.Entry().Severity == "error":
		return red
	}
	return yellow
}

func (t *text) changedBy(c *report.Change) {
	if c != nil {
		t.wrapped(4, "changed by:", "", Escape(changeWords(*c)))
	}
}

func changeWords(c report.Change) string {
	s := c.Who
	if !c.When.IsZero() {
		s += " at " + shortTime(c.When)
	}
	if c.Evidence != "" {
		s += " (by " + c.Evidence + ")"
	}
	return s
}

func (t *text) waiver(w *report.Waiver) {
	if w != nil {
		label, words := waiverWords(*w)
		t.wrapped(4, label, "", t.free(words))
	}
}

func waiverWords(w report.Waiver) (label, words string) {
	label, until := "waived:", "until "+w.Until
	if w.Ended {
		label, until = "waiver ended:", "it held until "+w.Until
	}
	parts := []string{until}
	if w.Owner != "" {
		parts = append(parts, "by "+w.Owner)
	}
	if w.Reason != "" {
		parts = append(parts, w.Reason)
	}
	if at := w.Pos.String(); at != "" {
		parts = append(parts, at)
	}
	return label, strings.Join(parts, ", ")
}

// whereabouts are the objects that the message does not name, the places to open
// and the id to waive by, each in a line of its own so that it can be copied.
func (t *text) whereabouts(f report.Finding) {
	for _, o := range f.Objects {
		if !strings.Contains(f.Message, o) {
			t.wrapped(4, "object:", "", Escape(o))
		}
	}
	at, seen := f.Location.String(), f.ObservedAt.String()
	if at != "" {
		t.wrapped(4, "at:", "", Escape(at))
	}
	if seen != "" && seen != at {
		t.wrapped(4, "seen at:", "", Escape(seen))
	}
	t.wrapped(4, "id:", dim, Escape(f.ID))
}

// fields are the differences, below the name of their object if there are several.
func (t *text) fields(f report.Finding) {
	object := ""
	for _, d := range f.Fields {
		if d.Cosmetic {
			continue
		}
		if d.Object != object && len(f.Objects) > 1 {
			t.wrapped(4, "in", "", Escape(d.Object))
		}
		object = d.Object
		t.field(d)
	}
}

// field shows what the ledger wants and what the scheduler has, in one line if
// both fit in it.
func (t *text) field(d report.Field) {
	path, want, have := "    "+Escape(d.Path)+":", Escape(d.Desired), Escape(d.Observed)
	one := path + " " + shown(want) + " → " + shown(have)
	if d.Masked && want == have {
		one = path + " " + want + " (what is masked differs)"
	}
	if t.width <= 0 || columns(one) <= t.width {
		t.line(one)
		return
	}
	t.line(path)
	t.twoLines(want, have, d.Masked && want == have)
}

func (t *text) twoLines(want, have string, masked bool) {
	const ledger, scheduler = "      ledger:    ", "      scheduler: "
	room := t.width - len(ledger)
	if t.opts.Verbose > 0 {
		room = 0
	}
	if masked {
		t.line("      " + elide(want, room) + " (what is masked differs)")
		return
	}
	want, have = abridge(want, have, room)
	t.line(ledger + shown(want))
	t.line(scheduler + shown(have))
}

func shown(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

// abridge cuts two texts to a number of columns so that the place where they
// begin to differ stays in sight.
func abridge(a, b string, room int) (string, string) {
	if room <= 0 || columns(a) <= room && columns(b) <= room {
		return a, b
	}
	same := sameStart(a, b)
	after := max(columns(a[same:]), columns(b[same:]))
	before := max(room/3, room-after-1)
	if columns(a[:same]) <= before {
		return elide(a, room), elide(b, room)
	}
	from := back(a, same, before)
	return elide(ellipsis+a[from:], room), elide(ellipsis+b[from:], room)
}

// sameStart is how many bytes two texts share at the beginning, in whole runes.
func sameStart(a, b string) int {
	for i, r := range a {
		if !strings.HasPrefix(b[i:], string(r)) {
			return i
		}
	}
	return len(a)
}

// back is the place some columns before another.
func back(s string, at, room int) int {
	for at > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if room -= columnsOf(r); room < 0 {
			break
		}
		at -= n
	}
	return at
}
