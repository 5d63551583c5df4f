package render

import (
	"encoding/json"
	"io"
	"strings"
	"time"
)

// The schemas of what a schedule command says.
const (
	MeaningSchema = "rolecall.schedule/v1"
	PairSchema    = "rolecall.schedule-pair/v1"
)

// Meaning is what an expression means to the program of one dialect. Texts may
// hold anything; instants are RFC 3339 in UTC.
type Meaning struct {
	Valid      bool   `json:"valid"`
	Reason     string `json:"reason"` // why it is refused, and what to write; empty if it is valid
	Dialect    string `json:"dialect"`
	Zone       string `json:"zone"`        // an IANA name, or local
	InstantsIn string `json:"instants_in"` // the zone by whose clock the instants are found
	Text       string `json:"text"`        // without a zone in front of it
	Kind       string `json:"kind"`        // calendar, drawn, interval, start or never; empty if it is refused
	Canonical  string `json:"canonical"`
	Words      string `json:"words"`
	NeverFires bool   `json:"never_fires"`

	Warnings []string `json:"warnings"` // what the program takes otherwise than people expect
	Notes    []string `json:"notes"`    // how to read the instants

	Next       []string    `json:"next"`
	Previous   *string     `json:"previous"`
	LongestGap *Span       `json:"longest_gap"`
	Elsewhere  []Elsewhere `json:"elsewhere"`
}

// Span is a time between two due instants.
type Span struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Seconds int64  `json:"seconds"`
}

// Elsewhere is what another program makes of the same text.
type Elsewhere struct {
	Dialect string `json:"dialect"`
	Valid   bool   `json:"valid"`
	Reason  string `json:"reason"`
	Words   string `json:"words"`
	// Same says that both fire at the same instants, SameButClock that they do
	// but for the days on which the clock changes.
	Same         bool `json:"same"`
	SameButClock bool `json:"same_but_clock_changes"`
	// WriteThere fires there as the text does here, WriteHere here as the text
	// does there; empty where no text does, or is known.
	WriteThere string `json:"write_there"`
	WriteHere  string `json:"write_here"`
}

// Pair is whether two schedules fire at the same instants.
type Pair struct {
	// Known says that it can be known whether they are equal.
	Known         bool `json:"known"`
	Equal         bool `json:"equal"`
	EqualButClock bool `json:"equal_but_clock_changes"`
	// HeldApart says that they are equal for all that is known today, and that an
	// audit takes them for two all the same: they are in different zones.
	HeldApart bool `json:"held_apart"`
	// Reason is why that cannot be known or is not so, or what to know where it
	// is; it may be empty.
	Reason string `json:"reason"`
	// FirstDifference is the first instant at which one of them fires alone;
	// null if they are equal, or where it cannot be known.
	FirstDifference *Instant `json:"first_difference"`
	A               Meaning  `json:"a"`
	B               Meaning  `json:"b"`
}

// Instant is one at which only one of a pair fires.
type Instant struct {
	At string `json:"at"`
	In string `json:"in"` // a or b
}

// MeaningJSON writes a meaning with every key, and no list as null.
func MeaningJSON(w io.Writer, m Meaning, now time.Time) error {
	return document(w, struct {
		Schema string `json:"schema"`
		Now    string `json:"now"`
		Meaning
	}{MeaningSchema, now.UTC().Format(time.RFC3339), m.tidy()})
}

// PairJSON writes a pair with every key, and no list as null.
func PairJSON(w io.Writer, p Pair, now time.Time) error {
	p.A, p.B = p.A.tidy(), p.B.tidy()
	return document(w, struct {
		Schema string `json:"schema"`
		Now    string `json:"now"`
		Pair
	}{PairSchema, now.UTC().Format(time.RFC3339), p})
}

func document(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (m Meaning) tidy() Meaning {
	m.Warnings = append([]string{}, m.Warnings...)
	m.Notes = append([]string{}, m.Notes...)
	m.Next = append([]string{}, m.Next...)
	m.Elsewhere = append([]Elsewhere{}, m.Elsewhere...)
	return m
}

// MeaningText shows a meaning to people.
func MeaningText(w io.Writer, m Meaning, opts TextOptions) error {
	p := &page{w: w, width: opts.Width, color: opts.Color}
	p.meaning("", m, opts)
	if !opts.Quiet {
		p.elsewhere(m)
	}
	return p.err
}

// PairText shows a pair to people.
func PairText(w io.Writer, x Pair, opts TextOptions) error {
	p := &page{w: w, width: opts.Width, color: opts.Color}
	verdict, look := "not equal", red
	switch {
	case x.Equal:
		verdict, look = "equal", green
	case !x.Known:
		verdict, look = "not known", yellow
	}
	p.wrapped(0, verdict+":", look, Escape(x.says()))
	if !opts.Quiet {
		p.line("")
		p.meaning("a", x.A, opts)
		p.line("")
		p.meaning("b", x.B, opts)
	}
	return p.err
}

func (x Pair) says() string {
	var out []string
	if x.Equal && x.Reason == "" {
		out = append(out, "both fire at the same instants")
	}
	if x.EqualButClock {
		out = append(out, "they are equal except on the days on which the clock changes")
	}
	if d := x.FirstDifference; d != nil {
		only := x.A
		if d.In == "b" {
			only = x.B
		}
		out = append(out, "the first difference is "+only.instant(d.At)+", when only "+d.In+" fires")
	}
	if x.Reason != "" {
		out = append(out, x.Reason)
	}
	return strings.Join(out, "; ")
}

func (p *page) meaning(name string, m Meaning, opts TextOptions) {
	title := `"` + Escape(m.Text) + `" (` + Escape(m.Dialect) + "):"
	if name != "" {
		title = name + " " + title
	}
	if !m.Valid {
		p.wrapped(0, title, bold, "refused")
	} else {
		p.wrapped(0, title, bold, Escape(m.Words))
	}
	if opts.Quiet {
		return
	}
	p.labelled("because", yellow, m.Reason)
	p.labelled("canonical", "", m.Canonical)
	for i, at := range m.Next {
		p.labelled([]string{"next", ""}[min(i, 1)], "", m.instant(at))
	}
	if m.Previous != nil {
		p.labelled("previous", "", m.instant(*m.Previous))
	}
	if g := m.LongestGap; g != nil {
		p.labelled("longest gap", "", duration(g.Seconds)+", from "+m.instant(g.From)+" to "+m.instant(g.To))
	}
	for _, t := range m.Warnings {
		p.labelled("warning", yellow, t)
	}
	for _, t := range m.Notes {
		p.labelled("note", "", t)
	}
}

// labelled writes a value behind a label of fixed width. What it holds is
// escaped here.
func (p *page) labelled(label, look, text string) {
	const room = 13
	if text == "" {
		return
	}
	lead := "  " + p.paint(look, label) + strings.Repeat(" ", room-len(label))
	for i, l := range p.broken(Escape(text), 2+room, 2+room) {
		if i > 0 {
			lead = strings.Repeat(" ", 2+room)
		}
		p.line(lead + l)
	}
}

func (p *page) elsewhere(m Meaning) {
	if len(m.Elsewhere) == 0 {
		return
	}
	g := grid{head: []string{"ELSEWHERE", "READ AS", "WRITE THERE"}}
	if !m.Valid {
		g.head[2] = "WRITE HERE FOR THAT"
	}
	for _, e := range m.Elsewhere {
		write := e.WriteThere
		if !m.Valid {
			write = e.WriteHere
		}
		if e.Same && !e.SameButClock || m.Valid && write == m.Text {
			write = ""
		}
		// the zone is the same there, and said already
		words := strings.TrimSuffix(strings.TrimSuffix(e.readAs(), " ("+m.Zone+")"), " (the scheduler's own zone)")
		g.add(escaped(e.Dialect, words, write)...)
	}
	p.line("")
	p.table(2, g)
}

func (e Elsewhere) readAs() string {
	switch {
	case !e.Valid:
		return "refused"
	case e.SameButClock:
		return "the same, but on days on which the clock changes"
	case e.Same:
		return "the same"
	}
	return e.Words
}

// instant is one for people: in UTC and, in another zone, by its clock too. By a
// clock that is not known it has no zone.
func (m Meaning) instant(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	t = t.UTC()
	if m.Zone == "local" && m.Kind != "interval" {
		return t.Format("Mon 2006-01-02 " + clockLayout(t))
	}
	utc := t.Format("2006-01-02 " + clockLayout(t) + "Z")
	loc, err := time.LoadLocation(m.Zone)
	if err != nil || m.Zone == "UTC" || m.Kind == "interval" {
		return t.Format("Mon ") + utc
	}
	t = t.In(loc)
	return t.Format("Mon 2006-01-02 "+clockLayout(t)+" -07:00") + " (" + utc + ")"
}

func clockLayout(t time.Time) string {
	if t.Second() != 0 {
		return "15:04:05"
	}
	return "15:04"
}

// duration is a number of seconds in words.
func duration(seconds int64) string {
	var out []string
	for _, u := range []struct {
		name string
		size int64
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}} {
		if n := seconds / u.size; n > 0 {
			out = append(out, plural(int(n), u.name))
			seconds %= u.size
		}
	}
	if len(out) == 0 {
		return "0 seconds"
	}
	return strings.Join(out, " ")
}
