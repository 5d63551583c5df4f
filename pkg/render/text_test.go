package render_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it with: go test ./pkg/render -update && git diff\n%s", file, got)
	}
}

func asText(t *testing.T, r report.Report, opts render.TextOptions) string {
	t.Helper()
	var b strings.Builder
	if err := render.Text(opts)(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	for name, opts := range map[string]render.TextOptions{
		"text-80.txt":      {Width: 80},
		"text-120.txt":     {Width: 120},
		"text-nolimit.txt": {},
		"text-verbose.txt": {Width: 100, Verbose: 1},
		"text-quiet.txt":   {Width: 80, Quiet: true},
		"text-color.txt":   {Width: 80, Color: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := asText(t, sample(), opts)
			golden(t, name, got)
			noControl(t, got, opts.Color)
			if again := asText(t, sample(), opts); again != got {
				t.Error("the same report gives other bytes")
			}
		})
	}
}

// noControl fails if a character could steer a terminal.
func noControl(t *testing.T, s string, color bool) {
	t.Helper()
	if color {
		for _, look := range []string{"0", "1", "2", "1;31", "1;32", "1;33"} {
			s = strings.ReplaceAll(s, "\x1b["+look+"m", "")
		}
	}
	if !utf8.ValidString(s) {
		t.Errorf("no UTF-8: %q", s)
	}
	for _, r := range s {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U is in the output: %q", r, s)
			return
		}
	}
}

// What colour says, words say too.
func TestColourIsNoCarrier(t *testing.T) {
	for _, verbose := range []int{0, 1} {
		plain := asText(t, sample(), render.TextOptions{Width: 80, Verbose: verbose})
		colored := asText(t, sample(), render.TextOptions{Width: 80, Verbose: verbose, Color: true})
		for _, look := range []string{"0", "1", "2", "1;31", "1;32", "1;33"} {
			colored = strings.ReplaceAll(colored, "\x1b["+look+"m", "")
		}
		if colored != plain {
			t.Error("without its colours the text is not the plain one")
		}
	}
}

func TestGreenOnlyIfCompleteAndClean(t *testing.T) {
	const green = "\x1b[1;32m"
	color := render.TextOptions{Width: 80, Color: true}
	if got := asText(t, clean(), color); !strings.HasPrefix(got, green+"clean:") || strings.Count(got, "\n") != 1 {
		t.Errorf("a clean audit is one green line, got %q", got)
	}
	for name, spoil := range map[string]func(*report.Report){
		"a gap that the gate allows": func(r *report.Report) { r.Complete = false; r.Coverage[0].State = "partial" },
		"incomplete":                 func(r *report.Report) { r.Complete = false },
		"findings left out":          func(r *report.Report) { r.Findings = findings()[:1] },
		"an unexpected object":       func(r *report.Report) { r.Findings = findings()[8:9] },
		"roles not looked at":        func(r *report.Report) { r.Summary.OutOfScope = 1 },
		"nothing was read":           func(r *report.Report) { r.Coverage = nil },
		"the verdict is findings":    func(r *report.Report) { r.Verdict, r.ExitCode = report.Findings, 1 },
		"the verdict is incomplete":  func(r *report.Report) { r.Verdict, r.ExitCode = report.Incomplete, 3 },
		"another exit code":          func(r *report.Report) { r.ExitCode = 3 },
		"an unknown verdict":         func(r *report.Report) { r.Verdict = "fine" },
		"a finding whose waiver is over": func(r *report.Report) {
			r.Findings = findings()[1:2]
		},
	} {
		r := clean()
		spoil(&r)
		for _, quiet := range []bool{false, true} {
			color.Quiet = quiet
			if got := asText(t, r, color); strings.Contains(got, green) {
				t.Errorf("%s: green in %q", name, got)
			}
		}
	}
	r := clean()
	r.Findings, r.Summary.Waived = findings()[3:4], 1
	color.Quiet = false
	if got := asText(t, r, color); !strings.Contains(got, green) || !strings.Contains(got, "1 finding is waived") {
		t.Errorf("a waived finding keeps the audit clean and is counted: %q", got)
	}
}

func TestQuietIsTheVerdictAlone(t *testing.T) {
	all := asText(t, sample(), render.TextOptions{})
	quiet := asText(t, sample(), render.TextOptions{Quiet: true})
	lines := strings.Split(strings.TrimSuffix(all, "\n"), "\n")
	if quiet != lines[len(lines)-1]+"\n" {
		t.Errorf("quiet gives %q, the last line is %q", quiet, lines[len(lines)-1])
	}
}

// Nothing that a report says is left out.
func TestNothingIsLost(t *testing.T) {
	got := asText(t, sample(), render.TextOptions{})
	r := sample()
	want := []string{"retry@prod", "payments-oncall", "kubectl-edit at 2026-11-01 18:04Z (by managedFields)", "it may have moved", "waiver ended: it held until 2026-10-24", "until 2026-12-24, by web, both until the move is over", `"night"`, "no offline side", "unused-waiver", "ledger.yaml:40", "crontab:web-1/etc/cron.d/mail#mail"}
	for _, f := range r.Findings {
		want = append(want, "id: "+render.Escape(f.ID), render.Escape(f.Message), "next: "+f.NextStep)
		if p := f.Location.String(); p != "" {
			want = append(want, p)
		}
	}
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("the text lacks %q", w)
		}
	}
	for _, e := range report.Catalogue() {
		if !strings.Contains(got, "\n  "+e.Title) {
			t.Errorf("no finding of kind %s is shown", e.Kind)
		}
	}
}

func TestLinesFit(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		lines := strings.Split(strings.TrimSuffix(asText(t, sample(), render.TextOptions{Width: width}), "\n"), "\n")
		for _, line := range lines[:len(lines)-1] {
			words := strings.Fields(line)
			if utf8.RuneCountInString(line) > width && len(words) > 2 {
				t.Errorf("width %d: a line of %d: %s", width, utf8.RuneCountInString(line), line)
			}
		}
	}
}

func TestManyNotes(t *testing.T) {
	r := clean()
	for range 25 {
		r.Notes = append(r.Notes, report.Note{Code: "bad-line", Message: strings.Repeat("x", len(r.Notes)+1)})
	}
	if got := asText(t, r, render.TextOptions{}); !strings.Contains(got, "15 notes more; -v shows all") {
		t.Errorf("what was left out is not counted: %s", got)
	}
	if got := asText(t, r, render.TextOptions{Verbose: 1}); strings.Count(got, "note bad-line") != 25 {
		t.Errorf("-v does not show all: %s", got)
	}
}

func TestCatalogueMarkdown(t *testing.T) {
	got := render.CatalogueMarkdown()
	golden(t, "catalogue.md", got)
	for _, e := range report.Catalogue() {
		if !strings.Contains(got, "| `"+string(e.Kind)+"` | "+e.Severity+" | "+e.Meaning+" | "+e.NextStep+" |") {
			t.Errorf("no row for %s", e.Kind)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, f := range render.Formats() {
		var b strings.Builder
		if err := f.New(render.Options{})(&b, sample()); err != nil || b.Len() == 0 {
			t.Errorf("%s: %v, %d bytes", f.Name, err, b.Len())
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	if err := render.Text(render.TextOptions{})(brokenPipe{}, sample()); err == nil {
		t.Error("text: the error is lost")
	}
	if err := render.Table(brokenPipe{}, slices.Values(rows()), render.TextOptions{}); err == nil {
		t.Error("table: the error is lost")
	}
	if err := render.CSV(brokenPipe{}, slices.Values(rows())); err == nil {
		t.Error("csv: the error is lost")
	}
}
