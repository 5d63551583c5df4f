package cli

import (
	"fmt"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// failures says as which finding each way to fail would show, or what is missing
// for it.
func (q inquiry) failures(p *page, role report.Role) {
	if q.report.Mode == string(offline) || role.Stages.Registered != report.Yes {
		return // how its runs are looked at is not known here
	}
	l := lookout{q.role(role.Role), providerOf(role), q.steps(specs.Ref{Role: role.Role, Source: role.Source}), role.Suspended}
	p.line("if it fails, it shows as (see: rolecall help failures)")
	for _, t := range traces() {
		p.line("  %-23s %s", t.what, l.showsAs(t))
	}
	p.line("")
}

// providerOf is that of the first object of a role.
func providerOf(role report.Role) string {
	if len(role.Objects) == 0 {
		return ""
	}
	provider, _, _ := strings.Cut(role.Objects[0], ":")
	return provider
}

// lookout is who looks for the runs of a role, by its steps beyond registered.
type lookout struct {
	role     specs.Role
	provider string
	steps    []evidence.Step
	asleep   bool // the ledger does not want it to run now
}

// showsAs is the finding of a way to fail, where somebody looks for it: of a step
// that is not tracked those after it tell as well, if later.
func (l lookout) showsAs(t trace) string {
	switch t.finding {
	case report.NotExecuted:
		return l.first("executed", "succeeded", "progressed")
	case report.NotSucceeded:
		return l.first("succeeded", "progressed")
	case report.Stalled:
		return l.first("progressed")
	case report.Hung:
		if _, limited := evidence.MaxRuntime(l.role); limited && l.seesRuns() {
			return string(t.finding) + ", while it goes on; else as an error does"
		}
		return l.first("succeeded", "progressed")
	}
	return string(t.finding)
}

// stepFindings are the findings of the steps.
var stepFindings = map[string]report.Kind{"executed": report.NotExecuted, "succeeded": report.NotSucceeded, "progressed": report.Stalled}

// first is the finding of the first of some steps that can alarm.
func (l lookout) first(names ...string) string {
	if l.asleep {
		return "nothing: the ledger wants the role not to run now"
	}
	waits := false
	for _, s := range l.named(names) {
		switch {
		case !tracked(s.Stage):
		case s.Stage == report.NotDue && s.Alarm.IsZero():
			waits = true
		default:
			return string(stepFindings[s.Name])
		}
	}
	if waits {
		return "nothing: the schedule has no instants at which it is known to be due; state evidence: {succeed_within: …} in the ledger"
	}
	if len(names) == 1 {
		return fmt.Sprintf("nothing: %s is not tracked", names[0])
	}
	last := len(names) - 1
	return fmt.Sprintf("nothing: neither %s nor %s is tracked", strings.Join(names[:last], ", "), names[last])
}

// named are the steps of some names, in their order.
func (l lookout) named(names []string) (out []evidence.Step) {
	for _, name := range names {
		for _, s := range l.steps {
			if s.Name == name {
				out = append(out, s)
			}
		}
	}
	return out
}

// seesRuns says that somebody who looks knows of single runs: a scheduler with a
// history, or run records. A query and a file do not.
func (l lookout) seesRuns() bool {
	if l.asleep {
		return false
	}
	terms := map[string]specs.EvidenceSource{"executed": l.role.Evidence.Executed, "succeeded": l.role.Evidence.Succeeded, "progressed": l.role.Evidence.Progressed}
	for _, s := range l.steps {
		witness := terms[s.Name].Query != "" || terms[s.Name].File != ""
		if tracked(s.Stage) && (!witness || l.provider != "crontab") {
			return true
		}
	}
	return false
}
