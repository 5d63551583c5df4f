package render

import (
	"encoding/csv"
	"io"
	"iter"
	"strings"
	"time"
)

// Row is one object of a listing, with secrets masked. Texts may hold anything.
type Row struct {
	Source, Provider, Object, Role, Version string
	State, Reason                           string // active, or inactive and why
	Schedule, Zone                          string
	NextDue                                 string // RFC 3339, empty if never or not known
	Words                                   string // the schedule in English
	// Next are the first due instants, RFC 3339. Unzoned says that the zone is not
	// known, and that they are those of a scheduler whose clock shows UTC.
	Next                    []string
	Unzoned                 bool
	Command, Hash, Location string
}

// Table writes a listing for people, cut to the width.
func Table(w io.Writer, rows iter.Seq[Row], opts TextOptions) error {
	p := &page{w: w, width: opts.Width, color: opts.Color}
	g := grid{head: []string{"SOURCE", "ROLE", "STATE", "SCHEDULE", "NEXT DUE", "RUNS"}, whole: []int{4}}
	for r := range rows {
		g.add(escaped(r.Source, r.Role, state(r), r.Schedule, instant(r.NextDue), r.Command)...)
	}
	p.table(0, g)
	return p.err
}

// Wide writes all of a listing in a table, however wide.
func Wide(w io.Writer, rows iter.Seq[Row], opts TextOptions) error {
	p := &page{w: w, color: opts.Color}
	g := grid{head: []string{"OBJECT", "ROLE", "VERSION", "STATE", "SCHEDULE", "IN WORDS", "ZONE", "NEXT DUE", "HASH", "LOCATION", "RUNS"}}
	for r := range rows {
		g.add(escaped(r.Object, r.Role, r.Version, state(r), r.Schedule, r.Words, r.Zone, r.Upcoming(), r.Hash, r.Location, r.Command)...)
	}
	p.table(0, g)
	return p.err
}

// CSV writes a listing by RFC 4180, in UTF-8, with a line of names before it. A
// cell that a spreadsheet would take for a formula begins with an apostrophe.
func CSV(w io.Writer, rows iter.Seq[Row]) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"source", "provider", "object", "role", "version", "state", "reason", "schedule", "zone", "next_due", "command", "hash", "location", "words", "next"})
	var cells []string
	for r := range rows {
		cells = append(cells[:0], r.Source, r.Provider, r.Object, r.Role, r.Version, r.State, r.Reason, r.Schedule, r.Zone, r.NextDue, r.Command, r.Hash, r.Location, r.Words, r.zonedNext())
		for i, text := range cells {
			cells[i] = noFormula(Escape(text))
		}
		_ = c.Write(cells)
	}
	c.Flush()
	return c.Error()
}

// noFormula follows OWASP's advice against CSV injection. A tab or line break at
// the beginning was escaped before.
func noFormula(cell string) string {
	for _, begin := range [...]string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(cell, begin) {
			return "'" + cell
		}
	}
	return cell
}

func escaped(cells ...string) []string {
	for i := range cells {
		cells[i] = Escape(cells[i])
	}
	return cells
}

// Upcoming is when the object is due next, for people. By a clock that is not
// known the instants have no zone.
func (r Row) Upcoming() string {
	out := make([]string, len(r.Next))
	for i, at := range r.Next {
		out[i] = at
		if t, err := time.Parse(time.RFC3339, at); err == nil {
			out[i] = t.UTC().Format("2006-01-02 " + clockLayout(t) + "Z")
		}
		if r.Unzoned {
			out[i] = strings.TrimSuffix(out[i], "Z")
		}
	}
	if len(out) > 0 && r.Unzoned {
		out[len(out)-1] += " local"
	}
	return strings.Join(out, ", ")
}

// zonedNext is for programs, which an instant without a zone would mislead.
func (r Row) zonedNext() string {
	if r.Unzoned {
		return ""
	}
	return strings.Join(r.Next, " ")
}

func state(r Row) string {
	if r.Reason == "" {
		return r.State
	}
	return r.State + " (" + r.Reason + ")"
}

// instant shortens an RFC 3339 instant for people; another text stays.
func instant(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return shortTime(t)
}

func shortTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04Z") }
