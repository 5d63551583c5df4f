package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// The sizes of what a format without room for all shows of one finding. The
// report itself has the whole.
const (
	messageRoom = 1200 // columns
	valueRoom   = 300
	manyFields  = 20
)

// words are the lines that say all of a finding, the message first, each escaped
// and cut.
func words(f report.Finding) []string {
	out := []string{short(f.Message, messageRoom)}
	add := func(label, s string) {
		if s != "" {
			out = append(out, label+" "+short(s, messageRoom))
		}
	}
	out = append(out, fieldWords(f)...)
	if f.ChangedBy != nil {
		add("changed by:", changeWords(*f.ChangedBy))
	}
	for _, h := range f.Hints {
		add("hint:", h)
	}
	if f.Waiver != nil {
		add(waiverWords(*f.Waiver))
	}
	add("base:", atBase(f))
	add("next:", f.NextStep)
	return out
}

// fieldWords is a line for each difference in meaning.
func fieldWords(f report.Finding) []string {
	var out []string
	differ := meaningful(f)
	for _, d := range differ[:min(len(differ), manyFields)] {
		out = append(out, short(d.Path, valueRoom)+": "+valueWords(d))
	}
	if n := len(differ) - len(out); n > 0 {
		out = append(out, plural(n, "difference")+" more")
	}
	return out
}

func meaningful(f report.Finding) []report.Field {
	return slices.DeleteFunc(slices.Clone(f.Fields), func(d report.Field) bool { return d.Cosmetic })
}

// valueWords is what the ledger wants and what the scheduler has.
func valueWords(d report.Field) string {
	want, have := abridge(Escape(d.Desired), Escape(d.Observed), valueRoom)
	if d.Masked && d.Desired == d.Observed {
		return want + " (what is masked differs)"
	}
	return shown(want) + " → " + shown(have)
}

// about is the role and source of a finding, or the object that plays none.
func about(f report.Finding) string {
	if f.Role == "" || f.Kind == report.Unexpected {
		if len(f.Objects) > 0 {
			return f.Objects[0]
		}
		return strings.TrimPrefix(f.ID, string(f.Kind)+":")
	}
	return specs.Ref{Role: f.Role, Source: f.Source}.String()
}

// gapWords is a part that was not read whole, and why.
func gapWords(c report.Coverage) string {
	return short(c.Part, valueRoom) + ": " + Escape(c.State) + because(short(c.Reason, messageRoom))
}

// bySeverity are the findings with the worst first and the waived last, else in
// the report's order.
func bySeverity(findings []report.Finding) []report.Finding {
	out := slices.Clone(findings)
	arrange.By(out, func(a, b report.Finding) int { return cmp.Compare(weight(a), weight(b)) })
	return out
}

func weight(f report.Finding) int {
	switch level(f) {
	case "error":
		return 0
	case "warning":
		return 1
	}
	if !f.Waived() {
		return 2
	}
	return 3
}

// level is the severity of a finding; a waived one is worth a note, so that no
// format fails what the audit passed.
func level(f report.Finding) string {
	if f.Waived() {
		return "note"
	}
	return f.Severity
}
