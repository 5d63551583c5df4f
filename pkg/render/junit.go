package render

import (
	"cmp"
	"encoding/xml"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// JUnit writes a report as the XML that CI systems read test results from: a
// suite for each source, in it a case for each role, each object without a role
// and each part that was not read whole. A finding that gates is a failure; what
// is not known is an error. What is out of account (out of scope, waived, or of
// a kind that does not gate) is skipped, and only a role that is as the ledger
// states passes. It holds to the schema of Jenkins' plugins and, where nothing is
// skipped, to that of Ant, which has no word for skipped.
func JUnit(w io.Writer, r report.Report) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(newJUnit(r.Tidy()).suites()); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junit struct {
	r     report.Report
	roles map[specs.Ref][]report.Finding // of each role what is told with its case
	of    map[string]*junitSource
}

// junitSource is what a report holds of one source.
type junitSource struct {
	roles    []*report.Role
	findings []*report.Finding // that no role tells
	coverage []*report.Coverage
	notes    []*report.Note
}

func newJUnit(r report.Report) junit {
	j := junit{r: r, roles: map[specs.Ref][]report.Finding{}, of: map[string]*junitSource{}}
	for _, source := range sourcesOf(r) {
		j.of[source] = &junitSource{}
	}
	for i, x := range r.Roles {
		j.roles[specs.Ref{Role: x.Role, Source: x.Source}] = nil
		j.of[x.Source].roles = append(j.of[x.Source].roles, &r.Roles[i])
	}
	for i, f := range r.Findings {
		ref := specs.Ref{Role: f.Role, Source: f.Source}
		if mine, ok := j.roles[ref]; ok && f.Kind != report.Unexpected {
			j.roles[ref] = append(mine, f)
			continue
		}
		j.of[f.Source].findings = append(j.of[f.Source].findings, &r.Findings[i])
	}
	for i, c := range r.Coverage {
		j.of[c.Source].coverage = append(j.of[c.Source].coverage, &r.Coverage[i])
	}
	for i, n := range r.Notes {
		if of, ok := j.of[n.Source]; ok {
			of.notes = append(of.notes, &r.Notes[i])
		}
	}
	return j
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []junitSuite
}

type junitSuite struct {
	XMLName    xml.Name        `xml:"testsuite"`
	Name       string          `xml:"name,attr"`
	Package    string          `xml:"package,attr"`
	ID         int             `xml:"id,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Hostname   string          `xml:"hostname,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr,omitempty"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	Out        junitText       `xml:"system-out"`
	Err        junitText       `xml:"system-err"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string       `xml:"name,attr"`
	ClassName string       `xml:"classname,attr"`
	Time      string       `xml:"time,attr"`
	Skipped   *junitText   `xml:"skipped"`
	Error     *junitResult `xml:"error"`
	Failure   *junitResult `xml:"failure"`
}

type junitResult struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",innerxml"`
}

type junitText struct {
	XML string `xml:",innerxml"`
}

// xmlLines are lines as the text of an element. The encoder itself would write the
// end of a line as a number.
func xmlLines(lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		_ = xml.EscapeText(&b, []byte(noOrder(l)))
	}
	return b.String()
}

// named is a text that a schema wants to be there.
func named(s string) string { return cmp.Or(strings.TrimSpace(short(s, messageRoom)), "-") }

func (j junit) suites() junitSuites {
	out := junitSuites{}
	for i, source := range sourcesOf(j.r) {
		out.Suites = append(out.Suites, j.suite(i, source))
	}
	return out
}

// sourcesOf are all sources that a report names, sorted. What belongs to none,
// belongs to the empty one.
func sourcesOf(r report.Report) []string {
	var out []string
	for _, x := range r.Roles {
		out = append(out, x.Source)
	}
	for _, x := range r.Coverage {
		out = append(out, x.Source)
	}
	for _, x := range r.Findings {
		out = append(out, x.Source)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (j junit) suite(id int, source string) junitSuite {
	s := junitSuite{
		Name: named(source), Package: named(source), ID: id, Hostname: "localhost", Time: "0",
		Timestamp: j.r.ObservedAt.UTC().Format("2006-01-02T15:04:05"), Properties: j.properties(), Cases: j.cases(source), Out: j.notes(source),
	}
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	return s
}

func (j junit) properties() []junitProperty {
	l := j.r.Ledger
	return []junitProperty{
		{"ledger", Escape(ledgerName(j.r))}, {"ledger.name", Escape(l.Name)}, {"ledger.revision", strconv.Itoa(l.Revision)},
		{"mode", Escape(j.r.Mode)}, {"verdict", Escape(string(j.r.Verdict))}, {"rolecall.version", Escape(j.r.Tool.Version)},
	}
}

func (j junit) notes(source string) junitText {
	var lines []string
	for _, n := range j.of[source].notes {
		lines = append(lines, "note "+Escape(n.Code)+": "+short(n.Message, messageRoom))
	}
	return junitText{xmlLines(lines...)}
}

func (j junit) cases(source string) []junitCase {
	var out []junitCase
	of := j.of[source]
	for _, r := range of.roles {
		out = append(out, j.role(*r))
	}
	for _, f := range of.findings {
		out = append(out, j.verdict(junitCase{Name: named(f.ID), ClassName: named(source), Time: "0"}, *f))
	}
	for _, c := range of.coverage {
		if c.Gap() {
			out = append(out, junitCase{
				Name: "coverage: " + named(c.Part), ClassName: named(source), Time: "0",
				Error: &junitResult{Type: "not-read", Message: gapWords(*c)},
			})
		}
	}
	return out
}

func (j junit) role(r report.Role) junitCase {
	c := junitCase{Name: named(r.Role), ClassName: named(r.Source), Time: "0"}
	switch mine := j.roles[specs.Ref{Role: r.Role, Source: r.Source}]; {
	case len(mine) > 0:
		return j.verdict(c, mine...)
	case r.State == report.OutOfScope:
		c.Skipped = &junitText{xmlLines("its source was not looked at" + j.why(r.Source))}
	case r.State != report.OK:
		c.Error = &junitResult{Type: Escape(string(r.State)), Message: "the role is " + Escape(string(r.State)) + ", and no finding says why"}
	}
	return c
}

func (j junit) why(source string) string {
	for _, c := range j.of[source].coverage {
		if c.State == string(report.OutOfScope) {
			return because(short(c.Reason, messageRoom))
		}
	}
	return ""
}

// verdict makes one result of the findings of a case: the worst decides, and all
// are told.
func (j junit) verdict(c junitCase, findings ...report.Finding) junitCase {
	gates := func(f report.Finding) bool { return j.r.Gates(f) }
	unknown := func(f report.Finding) bool { return f.Kind == report.Unknown && !f.Waived() }
	switch {
	case slices.ContainsFunc(findings, gates):
		c.Failure = result(findings, gates)
	case slices.ContainsFunc(findings, unknown):
		c.Error = result(findings, unknown)
	default:
		c.Skipped = &junitText{"does not count: " + result(findings, nil).Text}
	}
	return c
}

// result tells findings, named after the first that decides.
func result(findings []report.Finding, decides func(report.Finding) bool) *junitResult {
	first := findings[max(0, slices.IndexFunc(findings, func(f report.Finding) bool { return decides != nil && decides(f) }))]
	out := &junitResult{Type: Escape(string(first.Kind)), Message: short(first.Message, messageRoom)}
	var all []string
	for i, f := range findings {
		if i > 0 {
			all = append(all, "")
		}
		lines := words(f)
		lines[0] = kindWords(f) + ": " + lines[0]
		if at := f.Location.String(); at != "" {
			lines = append(lines, "at: "+short(at, valueRoom))
		}
		all = append(append(all, lines...), "id: "+short(f.ID, valueRoom))
	}
	out.Text = xmlLines(all...)
	return out
}
