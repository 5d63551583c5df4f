package alerts

import (
	"fmt"
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
		r.Annotations["runbook_url"] = inert(runbook(in.Runbook, alert, labels))
	}
	return r
}

// runbook fills the address of a page.
func runbook(pattern, alert string, labels []Label) string {
	values := map[string]string{"alert": alert}
	for _, l := range labels {
		values[l.Name] = l.Value
	}
	for _, name := range []string{"alert", "role", "source", "owner"} {
		pattern = strings.ReplaceAll(pattern, "{"+name+"}", escaped(values[name]))
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
