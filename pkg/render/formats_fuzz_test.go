package render_test

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

var hostile = []string{
	"", "a", evil, "\x1b[2J", "\xff\xfe", "\n::error::x", "::add-mask::x", "##[add-mask]x", "a ##vso[task.x]y", "%0A::warning::x", "a,title=b::c", "]]>", "<!-- -->", "</failure><testcase name='x'/>", "&amp;&#10;",
	"a | b", `a\|b\`, "`", "``` `` `", " ` ", "   ", "|---|", "[x](http://evil.example)", "![x](y)", "<script>x</script>", "@octocat #1 GH-1 a/b#2 https://evil.example www.evil.example a@b.example 0123456789012345678901234567890123456789",
	"</details>", "\u2028\u2029\u0085", "=cmd", "+1", "\t=x", `"`, `a"b\n{c="d"} 1`, `\`, "../../etc/passwd", "/etc/passwd", "a%2e%2e/b", "C:\\x", "{0}", "\ufffe\uffff\U0010ffff", "e" + strings.Repeat("\u0301", 40), strings.Repeat("word ", 500), strings.Repeat("統計", 300),
}

func FuzzFormats(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := everywhere(s)
		for _, format := range render.Formats() {
			if format.Name == "json" {
				continue // what it shows is held to this elsewhere
			}
			got := show(t, format.New(render.Options{Place: checkout}), r)
			noControl(t, got, false)
			noOrders(t, format.Name, got)
			if again := show(t, format.New(render.Options{Place: checkout}), everywhere(s)); again != got {
				t.Errorf("%s: other bytes the second time", format.Name)
			}
		}
		for _, result := range sarifOf(t, checkout, r).Runs[0].Results {
			if len(result.Locations) == 0 || result.Locations[0].PhysicalLocation.ArtifactLocation.URI == "" || result.Locations[0].PhysicalLocation.Region.StartLine < 1 {
				t.Errorf("no place: %+v", result)
			}
		}
		junitCounts(t, show(t, render.JUnit, r))
		records := readCSV(t, show(t, render.FindingsCSV, r))
		if len(records) != len(r.Findings)+1 {
			t.Errorf("%d records", len(records))
		}
		for _, cell := range slices.Concat(records...) {
			if formula.MatchString(cell) {
				t.Errorf("a formula: %q", cell)
			}
		}
		samples(t, show(t, render.Prometheus, r))
	})
}

var (
	// annotated is the form of a command that the runner reads, with the escapes
	// that its parser undoes.
	annotated = regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]*,(line=\d+,)?)?title=[^,:]*::`)
	formula   = regexp.MustCompile(`^[=+\-@＝＋－＠\t\r]`)
	anywhere  = regexp.MustCompile(`(?i)##(\[|vso\[)`)
)

// noOrders holds a text to what a CI system's log may not hold: a command of ours
// is one that we meant, and nothing else is one.
func noOrders(t *testing.T, format, text string) {
	t.Helper()
	if anywhere.MatchString(text) {
		t.Errorf("%s: a command in a line: %q", format, text)
	}
	for line := range strings.Lines(text) {
		order := strings.HasPrefix(strings.TrimSpace(line), "::")
		switch {
		case format == "github" && !annotated.MatchString(line) && !strings.HasPrefix(line, "rolecall: "):
			t.Errorf("neither an annotation nor a line of ours: %q", line)
		case format != "github" && order:
			t.Errorf("%s: a line begins as a command: %q", format, line)
		}
	}
}

func junitCounts(t *testing.T, document string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(document))
	dec.Strict = true
	n := map[string]int{}
	for {
		token, err := dec.Token()
		if token == nil {
			if err.Error() != "EOF" {
				t.Fatalf("not XML: %v: %q", err, document)
			}
			break
		}
		if e, ok := token.(xml.StartElement); ok {
			n[e.Name.Local]++
		}
	}
	for name := range n {
		if !strings.Contains(" testsuites testsuite properties property testcase skipped error failure system-out system-err ", " "+name+" ") {
			t.Errorf("an element %s", name)
		}
	}
	if n["testcase"] == 0 || n["skipped"]+n["error"]+n["failure"] == 0 {
		t.Errorf("nothing is told: %v", n)
	}
}

var sample1 = regexp.MustCompile(`^([a-z_]+)\{((?:[a-z0-9_]+="(?:[^"\\]|\\["\\n])*",?)+)\} (-?\d+)$`)

// samples are the series of a text in Prometheus' format, each once, after the
// lines of its family.
func samples(t *testing.T, text string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	family := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "# ") {
			family = strings.Fields(line)[2]
			continue
		}
		m := sample1.FindStringSubmatch(line)
		if m == nil || m[1] != family {
			t.Errorf("no sample of %s: %q", family, line)
			continue
		}
		key := fmt.Sprint(m[1], m[2])
		if _, twice := out[key]; twice {
			t.Errorf("twice: %q", line)
		}
		out[key], _ = strconv.ParseInt(m[3], 10, 64)
	}
	return out
}
