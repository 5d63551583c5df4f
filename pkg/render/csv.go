package render

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// FindingsCSV writes the findings of a report as CSV writes a listing, a line for
// each. Several objects, differences or hints share a cell, between semicolons.
func FindingsCSV(w io.Writer, r report.Report) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{
		"id", "kind", "severity", "role", "source", "owner", "reason", "confirmed", "gates", "message", "objects", "differences", "hints",
		"changed_by", "changed_at", "file", "line", "object_file", "object_line", "waived_until", "waiver_reason", "next_step", "at_base",
	})
	r = r.Tidy()
	for _, f := range r.Findings {
		_ = c.Write(cells(
			f.ID, string(f.Kind), f.Severity, f.Role, f.Source, f.Owner, f.Reason, strconv.FormatBool(f.Confirmed), strconv.FormatBool(r.Gates(f)),
			f.Message, strings.Join(f.Objects, "; "), differences(f), strings.Join(f.Hints, "; "), changer(f), changed(f),
			f.Location.File, number(f.Location.Line), f.ObservedAt.File, number(f.ObservedAt.Line), waivedUntil(f), waivedWhy(f), f.NextStep, f.AtBase,
		))
	}
	c.Flush()
	return c.Error()
}

// cells are texts that are safe in a spreadsheet.
func cells(texts ...string) []string {
	out := slices.Clone(escaped(texts...))
	for i := range out {
		out[i] = noFormula(out[i])
	}
	out[0] = noOrder(out[0])
	return out
}

func differences(f report.Finding) string {
	var out []string
	for _, d := range meaningful(f) {
		out = append(out, d.Path+": "+shown(d.Desired)+" → "+shown(d.Observed))
	}
	return strings.Join(out, "; ")
}

func changer(f report.Finding) string {
	if f.ChangedBy == nil {
		return ""
	}
	return f.ChangedBy.Who
}

func changed(f report.Finding) string {
	if f.ChangedBy == nil || f.ChangedBy.When.IsZero() {
		return ""
	}
	return f.ChangedBy.When.UTC().Format(time.RFC3339)
}

func waivedUntil(f report.Finding) string {
	if !f.Waived() {
		return ""
	}
	return f.Waiver.Until
}

func waivedWhy(f report.Finding) string {
	if !f.Waived() {
		return ""
	}
	return f.Waiver.Reason
}

// number is a line, empty where none is known.
func number(line int) string {
	if line == 0 {
		return ""
	}
	return strconv.Itoa(line)
}
