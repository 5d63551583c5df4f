package render_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

var (
	styleOf  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptOf = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	policyOf = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
)

// withDays gives the roles of a report what comes due.
func withDays(r report.Report) report.Report {
	r.Roles = append([]report.Role{}, r.Roles...)
	for i, minutes := range [][]int{{12}, {55, 115, 175}, nil, nil, {5, 15, 25, 35, 55, 115}, nil, nil, {0, 5, 10, 15, 55}, {85}} {
		if minutes != nil {
			r.Roles[i].Next24h = report.NewDay(r.DayStart(), minutes)
		}
	}
	r.Roles[3].Suspended = true
	return r
}

func TestHTMLGolden(t *testing.T) {
	page := show(t, render.HTML, withDays(sample()))
	noControl(t, page, false)
	if again := show(t, render.HTML, withDays(sample())); again != page {
		t.Error("the same report gives other bytes")
	}
	for _, part := range []*regexp.Regexp{styleOf, scriptOf, policyOf} {
		found := part.FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d of %s", len(found), part)
		}
		page = strings.Replace(page, found[0][1], "…", 1)
	}
	golden(t, "sample.html", page)
}

// TestHTMLPolicy: what the policy lets run is what stands in the page, byte for
// byte, and nothing else.
func TestHTMLPolicy(t *testing.T) {
	page := show(t, render.HTML, sample())
	hash := func(part *regexp.Regexp) string {
		sum := sha256.Sum256([]byte(part.FindStringSubmatch(page)[1]))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; style-src " + hash(styleOf) + "; script-src " + hash(scriptOf) + "; img-src data:; base-uri 'none'; form-action 'none'"
	if got := html.UnescapeString(policyOf.FindStringSubmatch(page)[1]); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if strings.Index(page, "Content-Security-Policy") > strings.Index(page, "<style>") {
		t.Error("the policy stands behind what it is for")
	}
	for _, never := range []string{" style=", " onclick=", " onload=", "javascript:", "http://", "https://", "@import", "url("} {
		if strings.Contains(page, never) {
			t.Errorf("%q is in the page", never)
		}
	}
}

// TestHTMLVerdict: the page is green only where the text is.
func TestHTMLVerdict(t *testing.T) {
	gap := clean()
	gap.Coverage = append(gap.Coverage, report.Coverage{Source: "web-2", State: "denied"})
	passed := clean()
	passed.Verdict = report.Passed
	for name, c := range map[string]struct {
		r    report.Report
		look string
	}{"clean": {clean(), "good"}, "findings": {sample(), "bad"}, "a gap": {gap, "warn"}, "passed": {passed, "warn"}, "nothing": {report.Report{}, "warn"}} {
		page := show(t, render.HTML, c.r)
		if !strings.Contains(page, `<div class="verdict `+c.look+`">`) {
			t.Errorf("%s is not %s", name, c.look)
		}
		if green := strings.Contains(page, `<div class="verdict good">`); green != (c.look == "good") {
			t.Errorf("%s is green", name)
		}
	}
}

func TestHTMLDay(t *testing.T) {
	page := show(t, render.HTML, withDays(sample()))
	for _, want := range []string{
		"<b>3 roles</b> at <span class=\"times\">04:00</span>: gate, retry", // gate has another source than mail
	} {
		if strings.Contains(page, want) {
			t.Errorf("sources are counted together: %s", want)
		}
	}
	for _, want := range []string{
		`<b>2 roles</b> at <span class="times">04:00</span>: gate, retry`,
		`03:00 to 03:15: 2 starts`, `04:00 to 04:15: 2 starts, 2 of them at 04:00`,
		`1 role is suspended by the ledger`, `prod <span class="dim">3 of 5 roles due, 9 starts, up to 2 in a quarter of an hour</span>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}

// A day that was made by hand breaks nothing, and what nobody can know is not
// drawn as nothing.
func TestHTMLDayByHand(t *testing.T) {
	r := sample()
	r.Roles[0].Next24h = &report.Day{Minutes: -1, Due: []report.Series{{At: time.Time{}, Every: -1, Minutes: 1 << 60}, {At: r.ObservedAt.AddDate(5000, 0, 0), Minutes: 1}}}
	r.Roles[1].Next24h = &report.Day{Minutes: 1 << 60, Due: []report.Series{{At: r.ObservedAt.Add(-100 * time.Minute), Every: 1, Minutes: 1 << 60}}}
	page := show(t, render.HTML, r)
	if !strings.Contains(page, "1 of 5 roles due, 1440 starts") || !strings.Contains(page, "nobody can know the minutes beforehand") {
		t.Error("the days are not as they are")
	}
}

// TestHTMLDiff: what is marked is what differs.
func TestHTMLDiff(t *testing.T) {
	for _, c := range []struct{ a, b, left, right string }{
		{"*/5 * * * *", "*/10 * * * *", "*/[5] * * * *", "*/[10] * * * *"},
		{"a b c", "a c", "a [b ]c", "a c"},
		{"run --since yesterday", "run --until yesterday --force", "run --[since] yesterday", "run --[until] yesterday[ --force]"},
		{"same", "same", "same", "same"},
		{"", "x", "(empty)", "[x]"},
		{"a", "\x1b[2J", "[a]", `[\x1b[2J]`},
		{"yes\nno", "yes\n\x1b[31mno", `yes\n[no]`, `yes\n[\x1b[31mno]`},
		{`C:\u`, `C:\ux\`, `C:\[u]`, `C:\[ux\]`},
		{"Müller", "Möller", "[Müller]", "[Möller]"},
	} {
		r := report.Report{Findings: []report.Finding{{ID: "drift:a@b", Kind: report.Drift, Fields: []report.Field{{Path: "x", Desired: c.a, Observed: c.b}}}}}
		page := show(t, render.HTML, r)
		var got []string
		for _, m := range regexp.MustCompile(`</span><code>(.*?)</code></div>`).FindAllStringSubmatch(page, -1) {
			text := strings.NewReplacer("<mark>", "[", "</mark>", "]", "<i>", "", "</i>", "").Replace(m[1])
			got = append(got, html.UnescapeString(text))
		}
		if fmt.Sprint(got) != fmt.Sprint([]string{c.left, c.right}) {
			t.Errorf("%q %q: %q", c.a, c.b, got)
		}
	}
}

// TestHTMLAnchors: no two places have one name, and none has the name of a part of
// the page.
func TestHTMLAnchors(t *testing.T) {
	r := sample()
	for _, id := range []string{"filter", "main", "drift:retry@prod", "drift:retry@prod", "a b", "", "role:backup@web-1", strings.Repeat("x", 5000)} {
		r.Findings = append(r.Findings, report.Finding{ID: id, Kind: report.Drift, Role: id})
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(show(t, render.HTML, r), -1) {
		if seen[m[1]] || strings.ContainsAny(m[1], " ") || m[1] == "" || len(m[1]) > 500 {
			t.Errorf("the name %q", m[1])
		}
		seen[m[1]] = true
	}
	if !seen["drift:retry@prod"] || !seen["drift:retry@prod~2"] || !seen["drift:retry@prod~3"] || !seen["id:filter"] {
		t.Errorf("%v", seen)
	}
}

func BenchmarkHTML(b *testing.B) {
	r := sample()
	role, finding := r.Roles[7], r.Findings[5]
	r.Roles, r.Findings = nil, nil
	for i := range 2000 {
		role.Role, finding.ID = fmt.Sprint("role-", i), fmt.Sprint("drift:role-", i)
		role.Next24h = report.NewDay(r.DayStart(), []int{i % 60, 60 + i%60, 700})
		r.Roles = append(r.Roles, role)
		if i%4 == 0 {
			r.Findings = append(r.Findings, finding)
		}
	}
	for b.Loop() {
		b.SetBytes(int64(len(show(b, render.HTML, r))))
	}
}
