package alerts

import (
	"time"
)

// The metrics that are asked. Those of rolecall are what audit -o prometheus and
// run --textfile write; those of kube-state-metrics stand in its
// docs/metrics/workload/cronjob-metrics.md.
const (
	auditSuccess = "rolecall_role_last_success_timestamp_seconds"
	auditStart   = "rolecall_role_last_start_timestamp_seconds"
	auditActive  = "rolecall_role_active"
	runFirst     = "rolecall_run_first_timestamp_seconds"
	runSuccess   = "rolecall_run_last_success_timestamp_seconds"
	runStart     = "rolecall_run_last_start_timestamp_seconds"
	kubeSuccess  = "kube_cronjob_status_last_successful_time"
	kubeStart    = "kube_cronjob_status_last_schedule_time"
	kubeCreated  = "kube_cronjob_created"
	kubeInfo     = "kube_cronjob_info"
	kubeSuspend  = "kube_cronjob_spec_suspend"
)

// signals are the series that a basis has of one role; empty where it has none.
type signals struct {
	success, start string
	// created is when the object was made, or ran first: a role that never succeeded
	// has no series of its success.
	created string
	// known is there exactly as long as the basis knows of the role.
	known string
	// state has one value where the object will not run and another where it may.
	state   string
	off, on int
	// lag is how old what the basis says may be.
	lag time.Duration
	// who it is, for people.
	who string
}

func (in Input) signals(r Role) signals {
	switch r.Basis {
	case Run:
		of := append([]Label{{"role", r.Key}}, r.Labels...)
		return signals{
			success: selector(runSuccess, of...), start: selector(runStart, of...), created: selector(runFirst, of...), known: selector(runStart, of...),
			who: "rolecall run",
		}
	case KubeState:
		of := append([]Label{{"namespace", r.Namespace}, {"cronjob", r.Name}}, r.Labels...)
		return signals{
			success: selector(kubeSuccess, of...), start: selector(kubeStart, of...), created: selector(kubeCreated, of...),
			known: selector(kubeInfo, of...), state: selector(kubeSuspend, of...), off: 1, on: 0,
			who: "kube-state-metrics",
		}
	}
	of := append([]Label{{"ledger", in.Ledger}, {"role", r.Key}, {"source", r.Source}}, r.Labels...)
	return signals{
		success: selector(auditSuccess, of...), start: selector(auditStart, of...),
		known: selector(auditActive, of...), state: selector(auditActive, of...), off: 0, on: 1,
		lag: in.AuditWithin, who: "the audit",
	}
}

// last is an expression of when something happened last, of all who say so.
func (s signals) last(series string) string {
	if s.created == "" {
		return "max(" + series + ")"
	}
	return "(max(" + series + ") or max(" + s.created + "))"
}

// labels are those that the alerts of a role carry.
func (r Role) labels() []Label {
	out := []Label{{"role", r.Key}, {"source", r.Source}, {"owner", r.Owner}, {"basis", string(r.Basis)}}
	if r.Basis == KubeState {
		out = append(out, Label{"namespace", r.Namespace}, Label{"cronjob", r.Name})
	}
	return append(out, r.Labels...)
}

// begins is when the rules of time begin, if a bound is given: no success has to
// have been before.
func (r Role) begins(bound time.Duration) time.Time {
	at := r.Since
	if r.PausedUntil.After(at) {
		at = r.PausedUntil
	}
	if at.IsZero() {
		return at
	}
	return at.Add(bound)
}

// ofRole are the rules of one role.
func (in Input) ofRole(r Role) []rule {
	s := in.signals(r)
	if r.Basis == Audit && in.AuditWithin == 0 {
		return nil
	}
	var out []rule
	add := func(alert, expr, summary, description string) {
		made := in.rule(alert, expr, critical, r.labels(), summary, description)
		made.about = r.Key + "@" + r.Source
		out = append(out, made)
	}
	name := "Role " + r.Key + " in " + r.Source
	if !r.Suspended || !r.PausedUntil.IsZero() {
		if r.Succeeded > 0 {
			bound := r.Succeeded + s.lag
			add(notSucceeding, from(older(s.last(s.success), bound), r.begins(bound)), name+" has not succeeded in time",
				"By "+s.who+" the last success is "+age+" ago; "+words(bound)+" are allowed"+s.allowance(r.Succeeded)+". "+r.what()+"Look at the log of the last run, then at: rolecall explain "+r.Key)
		}
		if in.Executed && r.Executed > 0 {
			bound := r.Executed + s.lag
			add(notStarting, from(older(s.last(s.start), bound), r.begins(bound)), name+" has not started in time",
				"By "+s.who+" the last start is "+age+" ago; "+words(bound)+" are allowed"+s.allowance(r.Executed)+". "+r.what()+"Look at the trigger and the scheduler, then at: rolecall explain "+r.Key)
		}
	}
	add(roleAbsent, "absent("+s.known+")", name+" is not known to "+s.who,
		"The ledger wants it, and there is no metric of it: it was deleted, or what exports the metric is gone. "+r.what()+"Look at: rolecall audit --role "+r.Key)
	return append(out, in.ofState(r, s, name)...)
}

// allowance says what a bound is made of.
func (s signals) allowance(bound time.Duration) string {
	if s.lag == 0 {
		return ""
	}
	return " (" + words(bound) + " by its schedule, and " + words(s.lag) + " since the audit)"
}

// what says what a role is for, and when it runs.
func (r Role) what() string {
	out := ""
	if r.Purpose != "" {
		out += sentence(r.Purpose) + " "
	}
	if r.Schedule != "" {
		out += "Schedule: " + r.Schedule + ". "
	}
	return out
}

// ofState are the rules of whether the object may run.
func (in Input) ofState(r Role, s signals, name string) []rule {
	if s.state == "" {
		return nil
	}
	inactive := in.rule(roleInactive, from(equals(s.state, s.off), r.PausedUntil), critical, r.labels(), name+" will not run",
		"By "+s.who+" no object of it is there and active: suspended, disabled, commented out, or deleted. "+r.what()+"Look at: rolecall audit --role "+r.Key)
	active := in.rule(notSuspended, until(equals(s.state, s.on), r.PausedUntil), warning, r.labels(), name+" is active and should be suspended",
		"The ledger wants it suspended, and by "+s.who+" it is active. "+r.what()+"Suspend it, or change the ledger.")
	inactive.about, active.about = r.Key+"@"+r.Source, r.Key+"@"+r.Source
	switch {
	case !r.Suspended && r.PausedUntil.IsZero():
		return []rule{inactive}
	case r.PausedUntil.IsZero():
		return []rule{active}
	}
	return []rule{inactive, active}
}
