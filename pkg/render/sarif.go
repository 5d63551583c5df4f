package render

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// mostResults is how many GitHub takes in one file; it refuses a file with more,
// and shows the first 5,000 by severity.
const mostResults = 25000

// SARIF writes a report as SARIF 2.1.0 (OASIS, errata 01), in the form that
// GitHub's code scanning takes: every result has a physical location in the
// checkout, the worst stand first, and a finding keeps its fingerprint wherever
// its lines move. A waived finding is a suppressed result. What could not be read
// and what is only worth saying are notifications of the run: nobody can close
// them as alerts.
func SARIF(place Place) Func {
	return func(w io.Writer, r report.Report) error {
		s := sarif{place: place, r: r.Tidy()}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(s.log())
	}
}

type sarif struct {
	place Place
	r     report.Report
}

func (s sarif) log() sarifLog {
	return sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{s.run()},
	}
}

const home = "https://github.com/rolecall-dev/rolecall"

func (s sarif) run() sarifRun {
	rules, notes := s.rules(), s.notifications()
	return sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "rolecall", Version: Escape(s.r.Tool.Version), InformationURI: home, Rules: rules, Notifications: describe(notes),
		}},
		Invocations: []sarifInvocation{{
			Successful: s.r.Complete, ExitCode: s.r.ExitCode, ExitCodeDescription: Escape(string(s.r.Verdict)),
			StartTime: s.r.ObservedAt.UTC().Format(time.RFC3339), Notifications: notes,
		}},
		BaseIDs: map[string]sarifBase{srcRoot: {sarifText{"The top of the checkout."}}},
		Results: s.results(rules),
		Properties: map[string]any{
			"mode": Escape(s.r.Mode), "verdict": Escape(string(s.r.Verdict)), "ledger": Escape(s.r.Ledger.Name), "revision": s.r.Ledger.Revision, "sha256": Escape(s.r.Ledger.SHA256),
		},
	}
}

// rules are the catalogue's, and any other kind that a report of another version
// may hold.
func (s sarif) rules() []sarifRule {
	var out []sarifRule
	seen := map[report.Kind]bool{}
	add := func(k report.Kind) {
		if seen[k] {
			return
		}
		seen[k] = true
		if rule := ruleOf(k.Entry()); !slices.Contains(out, rule) {
			out = append(out, rule)
		}
	}
	for _, e := range report.Catalogue() {
		add(e.Kind)
	}
	for _, f := range s.r.Findings {
		add(f.Kind)
	}
	return out
}

func ruleOf(e report.Entry) sarifRule {
	id := Escape(string(e.Kind))
	if e.Meaning == "" {
		about := sarifText{"A finding of the kind " + id + "."}
		return sarifRule{ID: id, Name: id, Short: about, Full: about, Help: about, HelpURI: home, Level: sarifLevel{e.Severity}}
	}
	return sarifRule{
		ID: id, Name: strings.ToUpper(id[:1]) + id[1:], Short: sarifText{e.Meaning}, Full: sarifText{e.Meaning},
		Help: sarifText{"What to look at first: " + e.NextStep + "."}, HelpURI: home + "#what-it-finds", Level: sarifLevel{e.Severity},
	}
}

func (s sarif) results(rules []sarifRule) []sarifResult {
	findings := bySeverity(s.r.Findings)
	out := []sarifResult{}
	for _, f := range findings[:min(len(findings), mostResults)] {
		id := Escape(string(f.Kind))
		out = append(out, sarifResult{
			RuleID: id, RuleIndex: slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == id }), Level: level(f),
			Message: message(words(f)...), Locations: s.locations(f), Related: s.related(f),
			Fingerprints: map[string]string{"rolecallFinding/v1": Escape(f.ID)},
			Suppressions: suppressions(s, f),
			Properties:   map[string]any{"id": Escape(f.ID), "source": Escape(f.Source), "owner": Escape(f.Owner), "reason": Escape(f.Reason), "confirmed": f.Confirmed},
		})
	}
	return out
}

// message is plain text. A link that a text brings with it (SARIF 3.11.6) is
// taken apart.
func message(lines ...string) sarifText {
	return sarifText{strings.ReplaceAll(strings.Join(lines, "\n"), "](", "] (")}
}

func (s sarif) locations(f report.Finding) []sarifLocation {
	l := sarifLocation{Physical: s.physical(s.place.open(s.r, f))}
	if about := about(f); about != "" {
		l.Logical = []sarifLogical{{Escape(about)}}
	}
	return []sarifLocation{l}
}

// related is the object in its own file, and the place of a finding that is
// outside the checkout.
func (s sarif) related(f report.Finding) []sarifLocation {
	var out []sarifLocation
	seen := []specs.Pos{s.place.open(s.r, f)}
	for _, at := range []specs.Pos{f.Location, f.ObservedAt} {
		at.Line = max(at.Line, 1)
		if at.File == "" || slices.Contains(seen, at) {
			continue
		}
		seen = append(seen, at)
		said := sarifText{"The place of the finding."}
		if at.File == f.ObservedAt.File {
			said.Text = "The object in its own file."
		}
		out = append(out, sarifLocation{ID: len(out) + 1, Physical: s.physical(at), Message: &said})
	}
	return out
}

// srcRoot is what viewers and GitHub put the top of the checkout in for.
const srcRoot = "%SRCROOT%"

func (s sarif) physical(at specs.Pos) *sarifPhysical {
	return &sarifPhysical{s.place.artifact(at.File), sarifRegion{max(at.Line, 1)}}
}

func (p Place) artifact(file string) sarifArtifact {
	path, ok := p.below(file)
	switch {
	case ok:
		return sarifArtifact{URI: escapedPath(path), BaseID: srcRoot}
	case strings.HasPrefix(path, "/"):
		return sarifArtifact{URI: "file://" + escapedPath(path)}
	case len(path) > 1 && path[1] == ':':
		return sarifArtifact{URI: "file:///" + escapedPath(path)}
	}
	return sarifArtifact{URI: escapedPath(path), BaseID: srcRoot}
}

// suppressions is empty, not absent, for what is not suppressed: absent would
// mean that nobody knows (SARIF 3.27.23).
func suppressions(s sarif, f report.Finding) []sarifSuppression {
	if !f.Waived() {
		return []sarifSuppression{}
	}
	_, why := waiverWords(*f.Waiver)
	out := sarifSuppression{Kind: "external", Status: "accepted", Justification: short(why, messageRoom)}
	if at := f.Waiver.Pos; at.File != "" {
		out.Location = &sarifLocation{Physical: s.physical(at)}
	}
	return []sarifSuppression{out}
}

// notifications are the parts that were not read, what was left off, and the
// notes.
func (s sarif) notifications() []sarifNotification {
	out := []sarifNotification{}
	add := func(code, level, text string, at specs.Pos) {
		n := sarifNotification{Descriptor: sarifRef{Escape(code)}, Level: level, Message: message(text)}
		if at.File != "" {
			n.Locations = []sarifLocation{{Physical: s.physical(at)}}
		}
		out = append(out, n)
	}
	if more := len(s.r.Findings) - mostResults; more > 0 {
		add("too-many", "error", fmt.Sprintf("%d findings more are left off: GitHub takes no file with more than %d results.", more, mostResults), specs.Pos{})
	}
	for _, c := range s.r.Coverage {
		switch {
		case c.Gap():
			add("not-read", "warning", Escape(c.Source)+", "+gapWords(c), specs.Pos{})
		case c.State == string(report.OutOfScope):
			add("not-looked-at", "note", Escape(c.Source)+because(short(c.Reason, messageRoom)), specs.Pos{})
		}
	}
	for _, n := range s.r.Notes {
		text := short(n.Message, messageRoom)
		if n.Source != "" {
			text = Escape(n.Source) + ": " + text
		}
		add(n.Code, "note", text, n.Location)
	}
	return out
}

// describe lists what the notifications refer to.
func describe(notes []sarifNotification) []sarifRef {
	out := []sarifRef{}
	for _, n := range notes {
		if !slices.Contains(out, n.Descriptor) {
			out = append(out, n.Descriptor)
		}
	}
	arrange.By(out, func(a, b sarifRef) int { return strings.Compare(a.ID, b.ID) })
	return out
}
