package alerts

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// group and rule have the form of a rule file.
type group struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`

	// about is the role or the source, for the tests.
	about string
}

// The names of the alerts.
const (
	notSucceeding   = "RolecallRoleNotSucceeding"
	notStarting     = "RolecallRoleNotStarting"
	roleAbsent      = "RolecallRoleAbsent"
	roleInactive    = "RolecallRoleInactive"
	notSuspended    = "RolecallRoleNotSuspended"
	overdue         = "RolecallRoleOverdue"
	findings        = "RolecallFindings"
	auditSilent     = "RolecallAuditSilent"
	auditAbsent     = "RolecallAuditAbsent"
	auditIncomplete = "RolecallAuditIncomplete"
	timeInFuture    = "RolecallTimeInFuture"
	watchdog        = "RolecallWatchdog"
)

const (
	critical = "critical"
	warning  = "warning"
)

// age stands in a text for the value of the expression, a time in seconds.
const age = "\x00age\x00"

// slots are what stands in a text for what Prometheus fills in when a rule fires:
// its value, and labels of the series as they stand in an address. urlquery is of
// Go's text/template, and writes a space as a plus.
var slots = []struct{ label, mark, template string }{
	{"", age, "{{ $value | humanizeDuration }}"},
	{"role", "\x00role\x00", `{{ $labels.role | urlquery | reReplaceAll "[+]" "%20" }}`},
	{"source", "\x00source\x00", `{{ $labels.source | urlquery | reReplaceAll "[+]" "%20" }}`},
	{"owner", "\x00owner\x00", `{{ $labels.owner | urlquery | reReplaceAll "[+]" "%20" }}`},
}

// make gives a rule its labels and texts. Texts are no templates, but for age.
func (in Input) rule(alert, expr, severity string, labels []Label, summary, description string) rule {
	r := rule{
		Alert: alert, Expr: expr, For: promDuration(in.For),
		Labels:      map[string]string{"severity": severity, "ledger": inert(in.Ledger)},
		Annotations: map[string]string{"summary": inert(summary), "description": inert(description)},
	}
	for _, l := range labels {
		if l.Value != "" {
			r.Labels[l.Name] = inert(l.Value)
		}
	}
	if in.Runbook != "" {
		r.Annotations["runbook_url"] = inert(runbook(in.Runbook, alert, slices.Concat(labels, ofSeries(alert))))
	}
	return r
}

// ofSeries are the labels that an alert has of the series which let it fire, with
// their slots.
func ofSeries(alert string) (out []Label) {
	names := map[string][]string{overdue: {"role", "source", "owner"}, findings: {"source"}, timeInFuture: {"role", "source"}}[alert]
	for _, s := range slots {
		if slices.Contains(names, s.label) {
			out = append(out, Label{s.label, s.mark})
		}
	}
	return out
}

// runbook fills the address of a page.
func runbook(pattern, alert string, labels []Label) string {
	values := map[string]string{"alert": alert}
	for _, l := range labels {
		values[l.Name] = escaped(l.Value)
	}
	for _, s := range slots {
		if s.label != "" && slices.Contains(labels, Label{s.label, s.mark}) {
			values[s.label] = s.mark
		}
	}
	for _, name := range []string{"alert", "role", "source", "owner"} {
		pattern = strings.ReplaceAll(pattern, "{"+name+"}", values[name])
	}
	return pattern
}

// escaped is a text in which all but the unreserved characters is percent-encoded
// (RFC 3986, 2.3).
func escaped(s string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(unreserved, s[i]) >= 0 {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

// selector is an instant vector of one metric.
func selector(metric string, labels ...Label) string {
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = l.Name + "=" + promQuote(l.Value)
	}
	return metric + "{" + strings.Join(parts, ",") + "}"
}

// older is true of a time that lies longer ago than that.
func older(seconds string, than time.Duration) string {
	return fmt.Sprintf("time() - %s > %d", seconds, wholeSeconds(than))
}

// from lets an expression be true from an instant on; a zero one is always.
func from(expr string, at time.Time) string {
	if at.IsZero() {
		return expr
	}
	return fmt.Sprintf("(%s) and on() (vector(time()) >= %d)", expr, at.Unix())
}

// until lets it be true before an instant.
func until(expr string, at time.Time) string {
	if at.IsZero() {
		return expr
	}
	return fmt.Sprintf("(%s) and on() (vector(time()) < %d)", expr, at.Unix())
}

// wholeSeconds rounds up, so that nothing alarms early.
func wholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
