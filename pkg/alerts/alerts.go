// Package alerts writes Prometheus alert rules from a ledger, and the unit tests
// that promtool runs of them. Such rules are evaluated where none of the audited
// schedulers is, so that they still speak when a scheduler, its jobs, or the
// audit itself has gone.
//
// A role gets up to five rules. T is the longest time without a success that is
// no fault, as pkg/evidence states it; A is how old an audit may be.
//
//	RolecallRoleNotSucceeding   time() - <last success> > T, and > T + A where an
//	                            audit says when the last success was: what it
//	                            says is as old as it is. Of one that never
//	                            succeeded since its object was made, or since its
//	                            first recorded run; an audit says that it is overdue
//	RolecallRoleNotStarting     the same of the last start, if asked for
//	RolecallRoleAbsent          absent(...): nothing is known of the role. No rule
//	                            of time sees an object that was deleted, for its
//	                            series goes with it; the ledger is the set of
//	                            those that must be there
//	RolecallRoleInactive        it is there and will not run: suspended, disabled
//	RolecallRoleNotSuspended    the ledger wants it suspended, and it is active
//
// A role that the ledger suspends has no rule of time; for one that is paused,
// or whose evidence counts from an instant on, they begin T after that instant.
// By then the first success is due.
//
// The audit gets rules of its own, by source: RolecallAuditSilent where the last
// one is older than A, RolecallAuditAbsent where there is no trace of any, and
// RolecallAuditIncomplete. Of what it says itself, and says earlier than a rule
// of time can: RolecallRoleOverdue, RolecallFindings. RolecallTimeInFuture is of
// a last success that no rule of time could ever find old. RolecallWatchdog
// always fires: whoever receives it notices that the way of the alarm is cut
// when it stops to come.
//
// All rules ask what a time says, never whether a value is fresh: a textfile and
// a Pushgateway go on showing a value that nobody writes any more.
package alerts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Basis is who says when a role last succeeded.
type Basis string

// The bases.
const (
	// Audit is rolecall audit -o prometheus.
	Audit Basis = "audit"
	// Run is rolecall run --textfile, where the job runs.
	Run Basis = "run"
	// KubeState is kube-state-metrics, for CronJobs whose names are known.
	KubeState Basis = "kube-state-metrics"
)

// Bases are all bases, the default first.
func Bases() []Basis { return []Basis{Audit, Run, KubeState} }

// Label is a label of series by which those of a source are told from others.
type Label struct{ Name, Value string }

// Role is one role in one source, as rules see it.
type Role struct {
	Key, Source    string
	Owner, Purpose string // free text; empty if not stated
	Schedule       string // as written, for people
	// Suspended says that the ledger wants it not to run, until PausedUntil if
	// that is not zero.
	Suspended   bool
	PausedUntil time.Time
	// Since is the instant before which nothing has to have happened.
	Since time.Time
	// Succeeded and Executed are the longest times without a success and a start
	// that are no fault; 0 if there is no bound.
	Succeeded, Executed time.Duration
	// Untold is why nobody tells of its successes; empty where somebody may.
	Untold string

	Basis Basis
	// Namespace and Name are those of its CronJob, for KubeState.
	Namespace, Name string
	// Labels narrow the series that are asked for.
	Labels []Label
}

// Input is all that rules are made from.
type Input struct {
	// Ledger is the value of the label ledger, as an audit exports it.
	Ledger string
	Roles  []Role
	// For is how long a rule must hold before it fires.
	For time.Duration
	// AuditWithin is how old the last audit may be; 0 makes no rules of audits,
	// and none of roles that only an audit knows of.
	AuditWithin time.Duration
	// Executed asks for rules of the last start as well.
	Executed bool
	// Runbook is the address of a page on each alert, in which {alert}, {role},
	// {source} and {owner} stand for themselves; empty for none.
	Runbook string
}

// Rules are what was made.
type Rules struct {
	in     Input
	groups []group
	// Left are roles that have no rule of time, with the reason.
	Left []string
}

// Make makes rules. Roles may come in any order.
func Make(in Input) Rules {
	in.Roles, in.Ledger, in.Runbook = slices.Clone(in.Roles), plain(in.Ledger), plain(in.Runbook)
	for i := range in.Roles {
		in.Roles[i] = in.Roles[i].plain()
	}
	arrange.By(in.Roles, func(a, b Role) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Source, b.Source))
	})
	r := Rules{in: in}
	// One group is evaluated at one instant and in its order: what an audit's end
	// explains must not be sent before the alert that holds it back.
	all := group{Name: "rolecall " + in.Ledger, Rules: in.ofAudits()}
	for _, role := range in.Roles {
		all.Rules = append(all.Rules, in.ofRole(role)...)
		if why := role.unbounded(); why != "" {
			r.Left = append(r.Left, role.Key+"@"+role.Source+": "+why)
		}
	}
	watch := group{Name: "rolecall " + in.Ledger + " watchdog", Rules: []rule{in.watchdog()}}
	for _, g := range []group{all, watch} {
		if len(g.Rules) > 0 {
			r.groups = append(r.groups, g)
		}
	}
	return r
}

// plain is the role with texts that show as they are.
func (r Role) plain() Role {
	r.Owner, r.Purpose, r.Schedule = plain(r.Owner), plain(r.Purpose), plain(r.Schedule)
	r.Namespace, r.Name = plain(r.Namespace), plain(r.Name)
	r.Labels = slices.Clone(r.Labels)
	for i := range r.Labels {
		r.Labels[i].Value = plain(r.Labels[i].Value)
	}
	return r
}

// unbounded says why a role has no rule of time.
func (r Role) unbounded() string {
	switch {
	case r.Succeeded > 0:
		return ""
	case r.Suspended && r.PausedUntil.IsZero():
		return "the ledger suspends it, so no success is due"
	case r.Untold != "":
		return r.Untold
	}
	return "when it has to succeed is not known, so only its absence is watched; state evidence: {succeed_within: …} in the ledger"
}

// sources are those of the roles, each once, sorted.
func (in Input) sources() []string {
	var out []string
	for _, r := range in.Roles {
		out = append(out, r.Source)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
