package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// Prometheus writes a report in Prometheus' text format (version 0.0.4), for the
// textfile collector of node_exporter or a push. All series are gauges of this
// one audit and carry the ledger's name, so that the files of two ledgers can
// stand beside each other. Every kind and state is there for every source, at 0
// if need be, so that an alert never waits for a series to appear.
func Prometheus(w io.Writer, r report.Report) error {
	p := prometheus{r: r.Tidy()}
	p.ledger = cmp.Or(p.r.Ledger.Name, ledgerName(p.r))
	p.audit()
	p.found()
	p.covered()
	p.ladders()
	_, err := io.WriteString(w, p.b.String())
	return err
}

type prometheus struct {
	b      strings.Builder
	r      report.Report
	ledger string
}

// metric begins a family. Its samples follow.
func (p *prometheus) metric(name, help string) func(value int64, labels ...string) {
	fmt.Fprintf(&p.b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
	return func(value int64, labels ...string) {
		p.b.WriteString(name + `{ledger="` + labelValue(p.ledger) + `"`)
		for i := 0; i+1 < len(labels); i += 2 {
			p.b.WriteString("," + labels[i] + `="` + labelValue(labels[i+1]) + `"`)
		}
		fmt.Fprintf(&p.b, "} %d\n", value)
	}
}

// labelValue is a text that may stand between the quotes of a label.
func labelValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(Escape(s))
}

func (p *prometheus) audit() {
	r := p.r
	p.metric("rolecall_build_info", "The rolecall that made the audit, always 1.")(1, "version", r.Tool.Version)
	p.metric("rolecall_ledger_info", "The ledger that was compared with, always 1.")(1, "path", r.Ledger.Path, "sha256", r.Ledger.SHA256)
	p.metric("rolecall_ledger_revision", "The revision that the ledger states, 0 if none.")(int64(r.Ledger.Revision))
	p.metric("rolecall_audit_timestamp_seconds", "The instant at which the audit judged, in seconds since 1970.")(r.ObservedAt.Unix(), "mode", r.Mode)
	p.metric("rolecall_audit_complete", "Whether every part in scope was read, 1 or 0.")(number01(r.Complete))
	p.metric("rolecall_audit_exit_code", "The exit code of the audit.")(int64(r.ExitCode))
	verdict := p.metric("rolecall_audit_verdict", "Whether this is the verdict of the audit, 1 or 0.")
	for _, v := range []report.Verdict{report.Clean, report.Passed, report.Findings, report.Incomplete} {
		verdict(number01(v == r.Verdict), "verdict", string(v))
	}
}

func number01(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// series is what one sample of a family counts, with its labels as they are shown.
type series struct{ source, what string }

// found counts findings and roles.
func (p *prometheus) found() {
	var kinds, states []string
	for _, e := range report.Catalogue() {
		kinds = append(kinds, string(e.Kind))
		if e.Kind != report.Unexpected && !e.Kind.OfChange() {
			states = append(states, string(e.Kind))
		}
	}
	states = append(states, string(report.OK), string(report.OutOfScope))
	open, waived, roles := map[series]int64{}, map[series]int64{}, map[series]int64{}
	for _, f := range p.r.Findings {
		in := open
		if f.Waived() {
			in = waived
		}
		in[series{Escape(f.Source), Escape(string(f.Kind))}]++
		kinds = append(kinds, string(f.Kind))
	}
	for _, x := range p.r.Roles {
		roles[series{Escape(x.Source), Escape(string(x.State))}]++
		states = append(states, string(x.State))
	}
	p.table("rolecall_findings", "Findings that no waiver takes out of account.", "kind", kinds, open)
	p.table("rolecall_findings_waived", "Findings that a waiver in force takes out of account.", "kind", kinds, waived)
	p.table("rolecall_roles", "Roles by how they stand.", "state", states, roles)
}

// table is a family with a sample for each source and each value of one more
// label, in their order.
func (p *prometheus) table(name, help, label string, values []string, n map[series]int64) {
	sample := p.metric(name, help)
	for _, source := range once(sourcesOf(p.r)) {
		for _, v := range once(values) {
			sample(n[series{source, v}], "source", source, label, v)
		}
	}
}

// once are texts as they are shown, each once, in their order.
func once(texts []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range texts {
		if s = Escape(s); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// seenSources are the sources of which something was read, with the instant at
// which they were seen: the earliest of their parts.
func seenSources(r report.Report) map[string]time.Time {
	out := map[string]time.Time{}
	for _, c := range r.Coverage {
		if c.State != "read" && c.State != "partial" {
			continue
		}
		at := r.ObservedAt
		if c.SeenAt != nil {
			at = *c.SeenAt
		}
		if before, ok := out[Escape(c.Source)]; !ok || at.Before(before) {
			out[Escape(c.Source)] = at
		}
	}
	return out
}

// covered says when each source was looked at, and counts its parts. One of which
// nothing could be read has no time: to be looked for in vain is no look.
func (p *prometheus) covered() {
	seen := seenSources(p.r)
	looked := p.metric("rolecall_source_audit_timestamp_seconds", "When the source was looked at, in seconds since 1970; of a snapshot when it was taken. No sample where nothing of it was read.")
	for _, source := range once(sourcesOf(p.r)) {
		if at, ok := seen[source]; ok {
			looked(at.Unix(), "source", source, "mode", p.r.Mode)
		}
	}
	gaps, objects := map[string]int64{}, map[string]int64{}
	for _, c := range p.r.Coverage {
		objects[Escape(c.Source)] += int64(c.Objects)
		if c.Gap() {
			gaps[Escape(c.Source)]++
		}
	}
	for _, family := range []struct {
		name, help string
		n          map[string]int64
	}{
		{"rolecall_coverage_gaps", "Parts in scope that were not read whole.", gaps},
		{"rolecall_objects", "Objects that the scheduler holds, as far as they were seen.", objects},
	} {
		sample := p.metric(family.name, family.help)
		for _, source := range once(sourcesOf(p.r)) {
			sample(family.n[source], "source", source)
		}
	}
}
