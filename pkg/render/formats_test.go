package render_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

var checkout = render.Place{Dir: "/repo", Root: "/repo"}

func show(t testing.TB, f render.Func, r report.Report) string {
	t.Helper()
	var b strings.Builder
	if err := f(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormatGoldens(t *testing.T) {
	for name, f := range map[string]render.Func{
		"sample.sarif":     render.SARIF(checkout),
		"sample.junit.xml": render.JUnit,
		"sample.github":    render.GitHub(checkout),
		"sample.md":        render.Markdown(render.CommentRoom),
		"sample.prom":      render.Prometheus,
		"sample.csv":       render.FindingsCSV,
	} {
		t.Run(name, func(t *testing.T) {
			got := show(t, f, sample())
			golden(t, name, got)
			noControl(t, got, false)
			if again := show(t, f, sample()); again != got {
				t.Error("the same report gives other bytes")
			}
		})
	}
}

// What was saved and read again renders to the same bytes, and so again.
func TestSavedReportRendersAlike(t *testing.T) {
	again := func(r report.Report) report.Report {
		back, err := report.Decode(strings.NewReader(show(t, report.Encode, r)))
		if err != nil {
			t.Fatal(err)
		}
		return back
	}
	for name, r := range map[string]report.Report{"sample": again(sample()), "clean": clean(), "nothing": {}} {
		for _, f := range render.Formats() {
			show := func(r report.Report) string { return show(t, f.New(render.Options{Place: checkout}), r) }
			if a, b := show(r), show(again(r)); a != b {
				t.Errorf("%s, %s: not the same:\n%s\n%s", name, f.Name, a, b)
			}
		}
	}
}

// TestEveryFindingIsInEveryFormat looks for each id or object of the sample.
func TestEveryFindingIsInEveryFormat(t *testing.T) {
	for _, f := range render.Formats() {
		got := show(t, f.New(render.Options{Place: checkout}), sample())
		for _, x := range sample().Findings {
			said := strings.Contains(got, render.Escape(x.ID)) || strings.Contains(got, x.Role+"@"+x.Source)
			switch {
			case f.Name == "prometheus" || f.Name == "github" && x.Waived(): // which only count
			case !said:
				t.Errorf("%s does not say %s", f.Name, x.ID)
			}
		}
	}
}

// sarifDoc is what the tests look at.
type sarifDoc struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID   string
					Help struct{ Text string }
				}
			}
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ExitCode                   int
			ToolExecutionNotifications []struct {
				Descriptor struct{ ID string }
				Level      string
				Message    struct{ Text string }
			}
		}
		Results []struct {
			RuleID              string
			RuleIndex           int
			Level               string
			Message             struct{ Text string }
			Locations           []sarifPlace
			RelatedLocations    []sarifPlace
			PartialFingerprints map[string]string
			Suppressions        []struct{ Kind, Status, Justification string }
		}
	}
}

type sarifPlace struct {
	PhysicalLocation struct {
		ArtifactLocation struct{ URI, URIBaseID string }
		Region           struct{ StartLine int }
	}
}

func (p sarifPlace) String() string {
	a := p.PhysicalLocation.ArtifactLocation
	return fmt.Sprintf("%s %s %d", a.URIBaseID, a.URI, p.PhysicalLocation.Region.StartLine)
}

func sarifOf(t testing.TB, place render.Place, r report.Report) sarifDoc {
	t.Helper()
	var d sarifDoc
	if err := json.Unmarshal([]byte(show(t, render.SARIF(place), r)), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSARIFPlaces(t *testing.T) {
	sub := render.Place{Dir: "/repo/ops", Root: "/repo"}
	const ledger = "%SRCROOT% ledger.yaml 1"
	for _, c := range []struct {
		place       render.Place
		location    specs.Pos
		object      specs.Pos
		want, other string
	}{
		{checkout, at("ledger.yaml", 14), specs.Pos{}, "%SRCROOT% ledger.yaml 14", ""},
		{checkout, at("/repo/ledger.yaml", 14), specs.Pos{}, "%SRCROOT% ledger.yaml 14", ""},
		{checkout, at("./a/../ledger.yaml", 14), specs.Pos{}, "%SRCROOT% ledger.yaml 14", ""},
		{checkout, at("ledger.yaml", 14), at("deploy/x.yaml", 3), "%SRCROOT% ledger.yaml 14", "%SRCROOT% deploy/x.yaml 3"},
		{checkout, at("deploy/x.yaml", 3), at("deploy/x.yaml", 3), "%SRCROOT% deploy/x.yaml 3", ""},
		{checkout, at("deploy/x.yaml", 0), at("deploy/x.yaml", 0), "%SRCROOT% deploy/x.yaml 1", ""},
		{checkout, at("a b/ü#?%:.yaml", 2), specs.Pos{}, "%SRCROOT% a%20b/%C3%BC%23%3F%25%3A.yaml 2", ""},
		{checkout, at("https://evil.example/x", 2), specs.Pos{}, "%SRCROOT% https%3A/evil.example/x 2", ""},
		{checkout, at("/etc/crontab", 20), at("/etc/crontab", 20), ledger, " file:///etc/crontab 20"},
		{checkout, at("../x", 20), specs.Pos{}, ledger, " file:///x 20"},
		{checkout, specs.Pos{}, specs.Pos{}, ledger, ""},
		{checkout, specs.Pos{}, at("deploy/x.yaml", 3), "%SRCROOT% deploy/x.yaml 3", ""},
		{sub, at("crontab", 7), specs.Pos{}, "%SRCROOT% ops/crontab 7", ""},
		{sub, at("../ledger.yaml", 7), specs.Pos{}, "%SRCROOT% ledger.yaml 7", ""},
		{render.Place{}, at("ledger.yaml", 7), specs.Pos{}, "%SRCROOT% ledger.yaml 7", ""},
		{render.Place{}, at("/etc/crontab", 7), specs.Pos{}, ledger, " file:///etc/crontab 7"},
	} {
		f := report.Finding{ID: "missing:a@b", Kind: report.Missing, Role: "a", Source: "b", Location: c.location, ObservedAt: c.object}
		r := report.Report{Ledger: report.Ledger{Path: "ledger.yaml"}, Findings: []report.Finding{f}}
		if c.place == sub {
			r.Ledger.Path = "../ledger.yaml"
		}
		got := sarifOf(t, c.place, r).Runs[0].Results[0]
		if len(got.Locations) != 1 || got.Locations[0].String() != c.want {
			t.Errorf("%v, %v: %v, want %q", c.location, c.object, got.Locations, c.want)
		}
		if other := fmt.Sprint(got.RelatedLocations); other != "["+c.other+"]" {
			t.Errorf("%v, %v: related %v, want %q", c.location, c.object, other, c.other)
		}
	}
}

func TestSARIF(t *testing.T) {
	run := sarifOf(t, checkout, sample()).Runs[0]
	for i, e := range report.Catalogue() {
		if rule := run.Tool.Driver.Rules[i]; rule.ID != string(e.Kind) || !strings.Contains(rule.Help.Text, e.NextStep) {
			t.Errorf("rule %d is not that of %s: %v", i, e.Kind, rule)
		}
	}
	rank := map[string]int{"error": 0, "warning": 1, "note": 2}
	last := 0
	for _, x := range run.Results {
		if run.Tool.Driver.Rules[x.RuleIndex].ID != x.RuleID {
			t.Errorf("%s has the index of another rule", x.RuleID)
		}
		if rank[x.Level] < last {
			t.Errorf("%v stands after a lesser one", x.PartialFingerprints)
		}
		last = rank[x.Level]
		waived := len(x.Suppressions) > 0
		why := map[string]string{"duplicate:mail@web-1": "both until the move is over", "stalled:sync@web-1": "no orders on Sunday"}[x.PartialFingerprints["rolecallFinding/v1"]]
		if want := why != ""; waived != want {
			t.Errorf("%v is suppressed: %t", x.PartialFingerprints, waived)
		}
		if waived && (x.Level != "note" || x.Suppressions[0].Status != "accepted" || !strings.Contains(x.Suppressions[0].Justification, why)) {
			t.Errorf("not a suppression: %+v", x)
		}
	}
	if len(run.Results) != len(sample().Findings) {
		t.Errorf("%d results", len(run.Results))
	}
	inv := run.Invocations[0]
	if inv.ExecutionSuccessful || inv.ExitCode != 1 {
		t.Errorf("an incomplete audit with findings: %+v", inv)
	}
	var said []string
	for _, n := range inv.ToolExecutionNotifications {
		said = append(said, n.Level+" "+n.Descriptor.ID)
	}
	want := []string{"note not-looked-at", "warning not-read", "warning not-read", "note unused-waiver", "note bad-line"}
	if !slices.Equal(said, want) {
		t.Errorf("notifications %q, want %q", said, want)
	}
	if inv := sarifOf(t, checkout, clean()).Runs[0].Invocations[0]; !inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) > 0 {
		t.Errorf("a clean audit: %+v", inv)
	}
}

// An alert stays the same one when lines move, texts change and others come.
func TestSARIFFingerprints(t *testing.T) {
	prints := func(r report.Report) map[string]bool {
		out := map[string]bool{}
		for _, x := range sarifOf(t, checkout, r).Runs[0].Results {
			out[x.PartialFingerprints["rolecallFinding/v1"]] = true
		}
		return out
	}
	before, r := prints(sample()), sample()
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Location.Line += 7
		f.Message += " since yesterday"
		f.Owner, f.Waiver, f.Fields = "other", nil, nil
	}
	r.Findings = append(r.Findings, report.Finding{ID: "missing:new@prod", Kind: report.Missing, Role: "new", Source: "prod"})
	after := prints(r)
	for p := range before {
		if !after[p] {
			t.Errorf("%s is another finding now", p)
		}
	}
	if len(after) != len(before)+1 {
		t.Errorf("%d fingerprints before, %d after", len(before), len(after))
	}
}

// GitHub refuses a file with more results than it takes, so the worst are kept.
func TestSARIFIsNotTooLong(t *testing.T) {
	r := report.Report{}
	for i := range 25003 {
		k := report.Missing
		if i < 3 {
			k = report.Unexpected
		}
		r.Findings = append(r.Findings, report.Finding{ID: fmt.Sprint(i), Kind: k})
	}
	run := sarifOf(t, checkout, r).Runs[0]
	if n := len(run.Results); n != 25000 {
		t.Errorf("%d results", n)
	}
	for _, x := range run.Results {
		if x.Level != "error" {
			t.Fatalf("%v was kept", x)
		}
	}
	if n := run.Invocations[0].ToolExecutionNotifications; len(n) != 1 || !strings.Contains(n[0].Message.Text, "3 findings more") {
		t.Errorf("what was left off is not said: %v", n)
	}
}

type junitDoc struct {
	Suites []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Class   string `xml:"classname,attr"`
			Skipped *struct {
				Text string `xml:",chardata"`
			} `xml:"skipped"`
			Error   *junitResult `xml:"error"`
			Failure *junitResult `xml:"failure"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitResult struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junitOutcomes are the cases of a report, each with how it ended.
func junitOutcomes(t testing.TB, r report.Report) map[string]string {
	t.Helper()
	var d junitDoc
	if err := xml.Unmarshal([]byte(show(t, render.JUnit, r)), &d); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, s := range d.Suites {
		n := map[string]int{}
		for _, c := range s.Cases {
			how := "pass"
			switch {
			case c.Failure != nil:
				how = "failure " + c.Failure.Type
			case c.Error != nil:
				how = "error " + c.Error.Type
			case c.Skipped != nil:
				how = "skipped"
			}
			n[strings.Fields(how)[0]]++
			out[c.Class+"/"+c.Name] = how
		}
		if s.Tests != len(s.Cases) || s.Failures != n["failure"] || s.Errors != n["error"] || s.Skipped != n["skipped"] {
			t.Errorf("suite %s counts wrong: %+v is not %v", s.Name, s, n)
		}
	}
	return out
}

func TestJUnit(t *testing.T) {
	got := junitOutcomes(t, sample())
	want := map[string]string{
		"web-1/backup": "pass", "prod/gate": "failure missing", "web-1/index": "failure drift", "prod/invoice": "failure inactive", "web-1/mail": "skipped",
		"actions/nightly-build": "skipped", "web-1/prune": "failure ambiguous", "prod/retry": "failure drift", "prod/stock": "error unknown", "prod/tax": "failure unreviewed",
		"web-1/ledger-close": "failure not-executed", "web-1/report": "failure hung", "web-1/settle": "failure not-succeeded", "web-1/sync": "skipped",
		"web-1/removed:sweep@web-1": "failure removed", "web-1/unexpected:crontab:web-1/root#5d1c22ab": "skipped", "prod/unexpected:kubernetes:prod/batch/ghost-light": "failure unexpected",
		"prod/coverage: namespace/night":                            "error not-read",
		"web-1/coverage: " + render.Escape("file/etc/cron.d/"+evil): "error not-read",
	}
	for name, how := range want {
		if got[name] != how {
			t.Errorf("%s: %q, want %q", name, got[name], how)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d cases, want %d: %v", len(got), len(want), got)
	}
}

// Only a role that is as the ledger states passes.
func TestJUnitPassesNothingElse(t *testing.T) {
	for _, state := range []report.State{report.State(report.Missing), report.State(report.Unknown), report.OutOfScope, "", "new-state"} {
		r := report.Report{Roles: []report.Role{{Role: "a", Source: "b", State: state}}}
		if how := junitOutcomes(t, r)["b/a"]; how == "pass" {
			t.Errorf("a role that is %q passes", state)
		}
	}
	r := report.Report{FailOn: []report.Kind{report.Missing}, Roles: []report.Role{{Role: "a", Source: "b", State: "drift"}}, Findings: []report.Finding{{Kind: report.Drift, Role: "a", Source: "b"}}}
	if how := junitOutcomes(t, r)["b/a"]; how != "skipped" {
		t.Errorf("a kind that does not gate: %s", how)
	}
	r.Findings = append(r.Findings, report.Finding{Kind: report.Unknown, Role: "a", Source: "b"})
	if how := junitOutcomes(t, r)["b/a"]; how != "error unknown" {
		t.Errorf("not known, and a kind that does not gate: %s", how)
	}
}

func TestGitHubShowsTenOfALevel(t *testing.T) {
	r := report.Report{Verdict: report.Findings}
	for i := range 25 {
		k := []report.Kind{report.Unexpected, report.Missing}[i%2]
		r.Findings = append(r.Findings, report.Finding{ID: fmt.Sprint(i), Kind: k, Role: fmt.Sprintf("r%02d", i), Source: "s"})
		r.Notes = append(r.Notes, report.Note{Code: fmt.Sprintf("n%02d", i)})
	}
	r.Coverage = []report.Coverage{{Source: "s", Part: "p", State: "denied"}}
	got := show(t, render.GitHub(checkout), r)
	for command, want := range map[string]int{"error": 10, "warning": 10, "notice": 10} {
		if n := strings.Count("\n"+got, "\n::"+command+" "); n != want {
			t.Errorf("%d of %s", n, command)
		}
	}
	if !strings.Contains(got, "\nrolecall: not annotated: 2 errors, 4 warnings, 15 notices,") {
		t.Errorf("what was left off is not said: %s", got)
	}
	if !strings.Contains(got, "::warning title=could not be read%3A s::p: denied\n") {
		t.Errorf("what could not be read is not among the first: %s", got)
	}
}

func TestMarkdownKeepsItsRoom(t *testing.T) {
	r := sample()
	for i := range 2000 {
		f := findings()[i%len(findings())]
		f.ID, f.Role = fmt.Sprintf("%s-%d", f.ID, i), fmt.Sprintf("%s-%d", f.Role, i)
		r.Findings = append(r.Findings, f)
	}
	for _, room := range []int{1, 3000, 10000, 65536, 1 << 20, 1 << 30} {
		got := show(t, render.Markdown(room), r)
		if len(got) > max(room, 2500) {
			t.Errorf("%d bytes in a room of %d", len(got), room)
		}
		if !strings.HasPrefix(got, "**rolecall: findings**: ") {
			t.Errorf("room %d: the verdict is not first: %.80s", room, got)
		}
		left := strings.Contains(got, "left off for want of room")
		if left != (room <= 65536) {
			t.Errorf("room %d: left off: %t", room, left)
		}
		if open, end := strings.Count(got, "<details>"), strings.Count(got, "</details>"); open != end {
			t.Errorf("room %d: %d details begin and %d end", room, open, end)
		}
	}
	got := show(t, render.Markdown(10000), r)
	rows := strings.Count(got, "\n| missing |") + strings.Count(got, "\n| drift |") + strings.Count(got, "\n| inactive |") + strings.Count(got, "\n| ambiguous |")
	if want := fmt.Sprintf("\n%d findings left off", len(r.Findings)-rows); rows == 0 || !strings.Contains(got, want) {
		t.Errorf("%d rows, and nowhere %q:\n%s", rows, want, got)
	}
}

func TestPrometheusHasZeros(t *testing.T) {
	got := show(t, render.Prometheus, clean())
	for _, e := range report.Catalogue() {
		if want := fmt.Sprintf("rolecall_findings{ledger=\"ledger.yaml\",source=\"web-1\",kind=%q} 0\n", e.Kind); !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, want := range []string{
		`rolecall_audit_complete{ledger="ledger.yaml"} 1`, `rolecall_audit_verdict{ledger="ledger.yaml",verdict="clean"} 1`,
		`rolecall_roles{ledger="ledger.yaml",source="web-1",state="ok"} 2`, `rolecall_coverage_gaps{ledger="ledger.yaml",source="web-1"} 0`,
		fmt.Sprintf(`rolecall_audit_timestamp_seconds{ledger="ledger.yaml",mode="offline"} %d`, observed.Unix()),
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	got = show(t, render.Prometheus, sample())
	for _, want := range []string{
		`rolecall_findings{ledger="shop",source="prod",kind="drift"} 1`, `rolecall_findings{ledger="shop",source="web-1",kind="duplicate"} 0`,
		`rolecall_findings_waived{ledger="shop",source="web-1",kind="duplicate"} 1`, `rolecall_coverage_gaps{ledger="shop",source="prod"} 1`, `rolecall_audit_complete{ledger="shop"} 0`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}

func TestFindingsCSV(t *testing.T) {
	records := readCSV(t, show(t, render.FindingsCSV, sample()))
	if len(records) != len(sample().Findings)+1 {
		t.Fatalf("%d records", len(records))
	}
	column := map[string]int{}
	for i, name := range records[0] {
		column[name] = i
	}
	for _, rec := range records[1:] {
		if rec[column["id"]] == "drift:retry@prod" {
			for name, want := range map[string]string{"gates": "true", "line": "14", "changed_by": "kubectl-edit", "changed_at": "2026-11-01T18:04:00Z", "waived_until": ""} {
				if got := rec[column[name]]; got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if got := rec[column["differences"]]; !strings.HasPrefix(got, "schedule: */5 * * * * → */10 * * * *; ") {
				t.Errorf("differences: %q", got)
			}
		}
	}
}

func TestFormatWriteErrors(t *testing.T) {
	for _, f := range render.Formats() {
		if err := f.New(render.Options{})(brokenPipe{}, sample()); err == nil {
			t.Errorf("%s: the error is lost", f.Name)
		}
	}
}
