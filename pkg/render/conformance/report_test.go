package conformance

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

var checkout = render.Place{Dir: "/repo/ops", Root: "/repo"}

func show(t testing.TB, f render.Func, r report.Report) string {
	t.Helper()
	var b strings.Builder
	if err := f(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// saved is a report as it is read back, which is what every format is given.
func saved(t testing.TB, r report.Report) report.Report {
	t.Helper()
	back, err := report.Decode(strings.NewReader(show(t, report.Encode, r)))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// filled is a report in which every text is s, whatever fields it has: two of
// each list, each kind of finding, and waivers in force and over.
func filled(s string) report.Report {
	var r report.Report
	fill(reflect.ValueOf(&r).Elem(), s)
	r.Schema, r.Complete = report.Schema, false
	one := r.Findings[0]
	r.Findings = nil
	for _, k := range append([]report.Kind{report.Kind(s), report.Missing}, report.Gating()...) {
		for _, waived := range []bool{false, true} {
			f := one
			w := *one.Waiver
			w.Ended = !waived
			f.Kind, f.Waiver = k, &w
			r.Findings = append(r.Findings, f)
		}
	}
	r.Coverage[0].State, r.Roles[0].State = "out-of-scope", report.OutOfScope
	ok, read := r.Roles[1], r.Coverage[1]
	ok.Role, ok.State, read.State = ok.Role+"'", report.OK, "read"
	r.Roles, r.Coverage = append(r.Roles, ok), append(r.Coverage, read)
	return r
}

func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), s)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), s)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 2, 3, 4, 5, 6, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), s)
		}
	}
}

// hostile are texts that try to be more than text.
var hostile = []string{
	"", "plain", "two words", "\x1b[2J\x00\a", "\xff\xfe", "a\nb\r\nc", "\n::error::x", "##[add-mask]x", "%0A", "a,title=b::c", "]]>", "<!-- -->", "</failure><testcase name='x'/>", "&amp;&#10;&lt;", "<script>x</script>", "<img src=x onerror=y>",
	"a | b", "|", `\|`, `a\|b\`, `\\|`, `\\\|`, "`", "``", "` `", "``` `` `", " ` ", "`|`", " lead", "trail ", "   ", "|---|", "a\n|---|", "[x](http://evil.example)", "![x](y)", "[x]: http://evil.example", "<http://evil.example>", "http://evil.example", "www.evil.example",
	"@octocat", "#1 GH-1 a/b#2", "a@b.example", "0123456789012345678901234567890123456789", "</details>", "</code>", "# h", "- a", "1. a", "> q", "---", "***", "~~x~~", "**x**", "__x__", "- [ ] x", ":tada:", "\u2028\u2029\u0085", "=cmd", `"`, `a"b` + "\n" + `{c="d"} 1`, `\`, `\n`,
	"../../etc/passwd", "/etc/passwd", "a%2e%2e/b", `C:\x`, "c:/x", "//host/x", "file:///x", "{0} {1}", "\ufffe\uffff\U0010ffff", "\ufeffx", "\u202egpj", "e" + strings.Repeat("\u0301", 3000), strings.Repeat("word ", 500), strings.Repeat("統計", 700), strings.Repeat("`", 400), strings.Repeat("|", 400),
}

// mixtures are texts made of pieces of the hostile ones, the same in every run.
func mixtures(n int) []string {
	rnd := rand.New(rand.NewPCG(1, 2))
	out := make([]string, 0, n)
	for range n {
		var b strings.Builder
		for range 1 + rnd.IntN(5) {
			s := hostile[rnd.IntN(len(hostile))]
			from := rnd.IntN(len(s) + 1)
			b.WriteString(s[from:min(len(s), from+1+rnd.IntN(12))])
		}
		out = append(out, b.String())
	}
	return out
}

// texts are those that a test puts everywhere, fewer of them where each takes a
// process.
func texts(mixed int) []string { return append(mixtures(mixed), hostile...) }

// sample is one of the goldens of the package that writes the formats.
func sample(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// needs skips a test where a part is not installed, or fails it where all parts
// are required.
func needs(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		missing(t, program+" is not installed")
	}
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("ROLECALL_REAL") == "require" {
		t.Fatal(why)
	}
	t.Skip(why)
}
