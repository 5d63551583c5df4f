package render

import (
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// htmlRoom is what the page shows of one value, in columns.
const htmlRoom = 2000

type htmlRole struct {
	htmlTag
	Anchor, Finding              string // Finding is the anchor of its first one
	Name, In, Purpose, Suspended string
	State                        htmlChip
	Stages                       []htmlStage
	OwnerText, Version, Schedule string
	Due, Place, From             string
}

func (n *htmlNames) role(x report.Role, anchor string, now time.Time) htmlRole {
	ref := specs.Ref{Role: x.Role, Source: x.Source}
	out := htmlRole{
		htmlTag: n.tag(string(x.State), x.Source, x.Owner), Anchor: anchor, Finding: n.findings[ref],
		Name: short(x.Role, valueRoom), In: short(x.Source, valueRoom), Purpose: short(x.Purpose, valueRoom), State: stateChip(string(x.State)),
		Stages: htmlStages(x, now), OwnerText: short(x.Owner, valueRoom), Version: short(x.Version, valueRoom), Schedule: short(x.Schedule, valueRoom),
		Place: short(x.Location.String(), valueRoom), From: short(strings.Join(x.Seen.From, "; "), valueRoom),
	}
	if x.NextDue != nil {
		out.Due = short(instant(*x.NextDue), valueRoom)
	}
	if x.Suspended {
		out.Suspended = "suspended by the ledger"
	}
	return out
}

type htmlFinding struct {
	htmlTag
	Anchor, Role string // Role is the anchor of its row
	ID, About    string
	Chip         htmlChip
	Reason       string
	Waived, Lets bool // Lets: it does not fail this audit
	Doubt        bool // no second look has confirmed it
	OwnerText    string
	Message      string
	Fields       []htmlField
	Facts        []htmlFact
	Places       []htmlFact
	Next         string
}

func (n *htmlNames) finding(r report.Report, f report.Finding, anchor string) htmlFinding {
	out := htmlFinding{
		htmlTag: n.tag(string(f.Kind), f.Source, f.Owner), Anchor: anchor, Role: n.roles[specs.Ref{Role: f.Role, Source: f.Source}],
		ID: short(f.ID, valueRoom), About: short(about(f), valueRoom), Chip: stateChip(string(f.Kind)), Reason: short(f.Reason, valueRoom),
		Waived: f.Waived(), Lets: !f.Waived() && f.Kind != report.Unknown && !r.Gates(f), Doubt: !f.Confirmed, OwnerText: short(f.Owner, valueRoom),
		Message: short(f.Message, messageRoom), Facts: findingFacts(f), Places: findingPlaces(f), Next: short(f.NextStep, messageRoom),
	}
	if f.Waived() {
		out.Chip = htmlChip{"–", out.Chip.Text, "none"}
	}
	for _, d := range meaningful(f) {
		field := newHTMLField(d)
		if len(f.Objects) > 1 {
			field.Object = short(d.Object, valueRoom)
		}
		out.Fields = append(out.Fields, field)
	}
	return out
}

// stated are the facts that are not empty.
func stated(pairs ...htmlFact) (out []htmlFact) {
	for _, x := range pairs {
		if x.Text != "" {
			out = append(out, htmlFact{x.Name, short(x.Text, messageRoom)})
		}
	}
	return out
}

func findingFacts(f report.Finding) []htmlFact {
	out := []htmlFact{{"Base", atBase(f)}}
	if f.ChangedBy != nil {
		out = append(out, htmlFact{"Changed by", changeWords(*f.ChangedBy)})
	}
	for _, h := range f.Hints {
		out = append(out, htmlFact{"Hint", h})
	}
	if f.Waiver != nil {
		label, words := waiverWords(*f.Waiver)
		out = append(out, htmlFact{capital(strings.TrimSuffix(label, ":")), words})
	}
	for _, o := range f.Objects {
		if !strings.Contains(f.Message, o) {
			out = append(out, htmlFact{"Object", o})
		}
	}
	return stated(out...)
}

func findingPlaces(f report.Finding) []htmlFact {
	seen := f.ObservedAt.String()
	if f.ObservedAt == f.Location {
		seen = ""
	}
	return stated(htmlFact{"At", f.Location.String()}, htmlFact{"Seen at", seen})
}

// capital is a text as it begins a line, if it begins with one of our letters.
func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// htmlAlike is a difference that does not count.
type htmlAlike struct {
	htmlTag
	About string
	Field htmlField
	Why   string
}

func (n *htmlNames) alike(x report.Role) (out []htmlAlike) {
	about := short(specs.Ref{Role: x.Role, Source: x.Source}.String(), valueRoom)
	tag := n.tag(string(x.State), x.Source, x.Owner)
	for _, d := range x.Cosmetic {
		out = append(out, htmlAlike{tag, about, newHTMLField(d), "the same in meaning"})
	}
	for _, d := range x.Ignored {
		why := "ignored by the ledger: " + strings.TrimSuffix(strings.Join([]string{d.Rule, d.Reason, d.Location.String()}, ", "), ", ")
		out = append(out, htmlAlike{tag, about, newHTMLField(d.Field), short(why, messageRoom)})
	}
	return out
}

type htmlPart struct {
	Number                                      int // of its source
	Source, Provider, Part, State, Why, Objects string
	Chip                                        htmlChip
}

func (n *htmlNames) part(c report.Coverage) htmlPart {
	out := htmlPart{
		Number: n.sources.number[c.Source], Source: short(c.Source, valueRoom), Provider: short(c.Provider, valueRoom), Part: short(c.Part, valueRoom),
		State: short(c.State, valueRoom), Why: short(c.Reason, messageRoom), Objects: number(c.Objects), Chip: htmlChip{"✓", "read", "good"},
	}
	if c.Objects == 0 {
		out.Objects = "0"
	}
	switch {
	case c.Gap():
		out.Chip = htmlChip{"!", out.State, "warn"}
	case c.State != "read":
		out.Chip = htmlChip{"–", "not looked at", "none"}
	}
	return out
}

type htmlNote struct {
	Number                    int // of its source
	Code, Source, Text, Place string
}

func (n *htmlNames) note(x report.Note) htmlNote {
	return htmlNote{n.sources.number[x.Source], short(x.Code, valueRoom), short(x.Source, valueRoom), short(x.Message, messageRoom), short(x.Location.String(), valueRoom)}
}

// htmlState is a part of the bar of all roles. X and Wide are per cent.
type htmlState struct {
	Chip    htmlChip
	N       int
	X, Wide string
}

func htmlStates(s report.Summary) (out []htmlState) {
	at := 0
	for _, c := range []struct {
		n     int
		state string
	}{
		{s.OK, string(report.OK)}, {s.Missing, string(report.Missing)}, {s.Duplicate, string(report.Duplicate)}, {s.Ambiguous, string(report.Ambiguous)},
		{s.Inactive, string(report.Inactive)}, {s.Drift, string(report.Drift)}, {s.NotExecuted, string(report.NotExecuted)}, {s.Hung, string(report.Hung)},
		{s.NotSucceeded, string(report.NotSucceeded)}, {s.Stalled, string(report.Stalled)}, {s.Unknown, string(report.Unknown)},
		{s.Unreviewed, string(report.Unreviewed)}, {s.OutOfScope, string(report.OutOfScope)},
	} {
		if c.n > 0 && s.Roles > 0 {
			out = append(out, htmlState{stateChip(c.state), c.n, percent(at, s.Roles), percent(c.n, s.Roles)})
			at += c.n
		}
	}
	return out
}
