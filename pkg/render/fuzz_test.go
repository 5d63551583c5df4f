package render_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// everywhere is a report that holds a text at every place that has one.
func everywhere(s string) report.Report {
	pos := specs.Pos{File: s, Line: 3}
	f := report.Finding{
		ID: s, Kind: report.Drift, Role: s, Source: s, Owner: s, Reason: s, Message: s, Objects: []string{s}, Hints: []string{s}, Location: pos, ObservedAt: specs.Pos{File: s}, NextStep: s,
		Fields:    []report.Field{{Object: s, Path: s, Desired: s, Observed: s + "x", Masked: true}, {Path: "p", Desired: "x" + s, Observed: s}},
		ChangedBy: &report.Change{Who: s, Evidence: s}, Waiver: &report.Waiver{Reason: s, Owner: s, Until: s, Pos: pos},
	}
	odd, stranger := f, f
	odd.Kind, odd.Waiver = report.Kind(s), nil
	stranger.Kind = report.Unexpected
	return report.Report{
		Mode: s, Verdict: report.Verdict(s), Ledger: report.Ledger{Path: s, Name: s}, Findings: []report.Finding{f, odd, stranger},
		Coverage: []report.Coverage{{Source: s, Provider: s, Part: s, State: s, Reason: s}, {Source: s, State: "out-of-scope", Reason: s}},
		Roles:    []report.Role{{Role: s, Source: s, State: report.State(s), Version: s, Schedule: s, NextDue: &s, Cosmetic: []report.Field{{Path: s, Desired: s, Observed: s}}}},
		Notes:    []report.Note{{Code: s, Source: s, Message: s, Location: pos}},
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", evil, "\x1b[2J", "\u202e", "\xff\xfe", "a b c\td", strings.Repeat("word ", 50), strings.Repeat("統計", 60), "\n::error::x", "\x1b]0;t\x07", "e\u0301\u0301"} {
		f.Add(s, 80, 0, false)
		f.Add(s, 0, 1, true)
		f.Add(s, 13, 1, false)
	}
	f.Fuzz(func(t *testing.T, s string, width, verbose int, color bool) {
		opts := render.TextOptions{Width: width % 300, Verbose: verbose, Color: color}
		got := asText(t, everywhere(s), opts)
		noControl(t, got, color)
		if !strings.HasSuffix(got, "\n") {
			t.Errorf("no end of line: %q", got)
		}
		row := render.Row{Source: s, Provider: s, Object: s, Role: s, Version: s, State: s, Reason: s, Schedule: s, Zone: s, NextDue: s, Command: s, Hash: s, Location: s}
		var b strings.Builder
		if err := render.Table(&b, slices.Values([]render.Row{row}), opts); err != nil {
			t.Fatal(err)
		}
		if err := render.Wide(&b, slices.Values([]render.Row{row}), opts); err != nil {
			t.Fatal(err)
		}
		noControl(t, b.String(), color)
		if n := strings.Count(b.String(), "\n"); n != 4 {
			t.Errorf("two tables of one row have %d lines: %q", n, b.String())
		}
	})
}

// FuzzCSV reads back what was written: each cell is the escaped text, behind an
// apostrophe where it would be a formula.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "a", evil, "=x", "+1", "-1", "@daily", "a,b", "\"", "a\"\nb", "'x", "\r\n", "＝x"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, c string) {
		var b strings.Builder
		if err := render.CSV(&b, slices.Values([]render.Row{{Source: "s", Role: a, Command: c}, {Source: "t", Role: c, Command: a}})); err != nil {
			t.Fatal(err)
		}
		records := readCSV(t, b.String())
		if len(records) != 3 {
			t.Fatalf("%d records: %q", len(records), b.String())
		}
		for i, want := range []string{a, c} {
			cell := records[i+1][3]
			if strings.TrimPrefix(cell, "'") != strings.TrimPrefix(render.Escape(want), "'") {
				t.Errorf("%q came back as %q", want, cell)
			}
			if r, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r", r) && cell != "" {
				t.Errorf("a formula: %q", cell)
			}
		}
		noControl(t, b.String(), false)
	})
}
