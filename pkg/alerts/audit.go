package alerts

import "strconv"

const (
	sourceTime    = "rolecall_source_audit_timestamp_seconds"
	auditFindings = "rolecall_findings"
	auditGaps     = "rolecall_coverage_gaps"
	auditStage    = "rolecall_role_stage"
)

// live leaves out audits of files: they say nothing of what runs.
const live = `mode!="offline"`

// ofAudits are the rules of the audits of each source.
func (in Input) ofAudits() []rule {
	if in.AuditWithin == 0 {
		return in.future()
	}
	var out []rule
	add := func(source, alert, expr, severity, summary, description string) {
		r := in.rule(alert, expr, severity, []Label{{"source", source}}, summary, description)
		r.about = source
		out = append(out, r)
	}
	for _, source := range in.sources() {
		seen := in.auditSeries(source)
		add(source, auditSilent, older("max("+seen+")", in.AuditWithin), critical, "No audit of "+source+" in time",
			"The last audit of it was "+age+" ago; "+words(in.AuditWithin)+" are allowed. What else is known of its roles is as old. Look at what runs the audit: its log, its schedule, its host.")
		add(source, auditAbsent, "absent("+seen+")", critical, "No audit of "+source+" is known",
			"There is no metric of any audit that looks at the source live. Look at what runs the audit, and at how its metrics are collected.")
		gaps := selector(auditGaps, Label{"ledger", in.Ledger}, Label{"source", source})
		add(source, auditIncomplete, "max("+gaps+") > 0", warning, "The audit could not read all of "+source,
			"What was not read is neither clean nor missing. Look at the coverage of: rolecall audit -v --source "+source)
	}
	late := `max by (role, source, owner, stage, state) (` + auditStage + `{ledger=` + promQuote(in.Ledger) + `,state=~"stale|never"}) > 0`
	out = append(out, in.rule(overdue, late, critical, []Label{{"basis", string(Audit)}}, "The audit finds a role overdue",
		"By its schedule and grace a stage of it is due, and was not reached in time; the labels say which. Look at: rolecall explain, with the role"))
	all := `max by (source, kind) (` + auditFindings + `{ledger=` + promQuote(in.Ledger) + `,kind!="unexpected"}) > 0`
	out = append(out, in.rule(findings, all, warning, []Label{{"basis", string(Audit)}}, "The audit has findings", "The labels say of which kind and in which source. Look at: rolecall audit"))
	return append(out, in.future()...)
}

// auditSeries is when a source was looked at last.
func (in Input) auditSeries(source string) string {
	labels := selector("", Label{"ledger", in.Ledger}, Label{"source", source})
	return sourceTime + labels[:len(labels)-1] + "," + live + "}"
}

// clockTolerance is how far in the future a time may lie, in seconds. It is what
// the audit itself allows.
const clockTolerance = 300

// future is of times that no rule of time will find old.
func (in Input) future() []rule {
	var out []rule
	for _, metric := range in.times() {
		expr := "max by (role, source, namespace, cronjob) (" + metric + ") - time() > " + strconv.Itoa(clockTolerance)
		out = append(out, in.rule(timeInFuture, expr, warning, []Label{{"metric", metricName(metric)}}, "A last success lies in the future",
			"By "+age+". No rule would find it old. Look at the clocks of the host that wrote it and of Prometheus."))
	}
	return out
}

// times are the metrics of successes that the rules of roles ask.
func (in Input) times() []string {
	uses := map[Basis]bool{}
	for _, r := range in.Roles {
		uses[r.Basis] = true
	}
	var out []string
	if uses[Audit] && in.AuditWithin > 0 {
		out = append(out, selector(auditSuccess, Label{"ledger", in.Ledger}))
	}
	if uses[Run] {
		out = append(out, runSuccess)
	}
	if uses[KubeState] {
		out = append(out, kubeSuccess)
	}
	return out
}

// watchdog always fires.
func (in Input) watchdog() rule {
	r := in.rule(watchdog, "vector(1)", "none", nil, "The way of the alarm is whole",
		"It always fires. Send it to a monitor outside that alarms when it stops to come: then Prometheus, Alertmanager or the way between is down.")
	r.For = ""
	return r
}
