package cli

import (
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// inquiry is a look that was judged, from which one role can be explained.
type inquiry struct {
	report  report.Report
	world   providers.World
	desired map[specs.Ref]specs.Desired
	plan    audit.Plan
}

// steps are the stages of a role beyond registered, as far as they are judged:
// none where nothing is registered.
func (q inquiry) steps(ref specs.Ref) []evidence.Step {
	rules := map[string]classify.Rule{}
	for _, s := range q.plan.Sources {
		rules[s.Name] = s.Rule
	}
	in := classify.Input{Ledger: q.plan.Ledger, Desired: q.desired, World: q.world, Rules: rules, Now: q.plan.Now, Mask: q.plan.Mask}
	c, ok := classify.Runs(in, ref)
	if !ok {
		return nil
	}
	return evidence.Steps(c)
}

// role is what the ledger says of one.
func (q inquiry) role(key string) specs.Role {
	for _, r := range q.plan.Ledger.Roles {
		if r.Key == key {
			return r
		}
	}
	return specs.Role{}
}

// stages is the ladder beyond registered: each step with what it was judged by.
func (q inquiry) stages(p *page, role report.Role) {
	var none []string
	for _, s := range q.steps(specs.Ref{Role: role.Role, Source: role.Source}) {
		if !tracked(s.Stage) {
			none = append(none, s.Name)
			continue
		}
		p.line("")
		p.line("%s: %s", s.Name, s.Stage)
		if s.Trace.State == providers.Known || s.Trace.State == providers.StaleSeries {
			p.field("last", lastWords(q.report.ObservedAt, s.Trace.Last))
		}
		p.field("seen in", redact.Text(s.Trace.From))
		p.field("but", redact.Text(s.Trace.Reason))
		p.field("due", dueInstants(s))
		p.field("measure", s.Measure)
		p.field("alarms", alarmWords(q.plan.Now, s))
	}
	if len(none) > 0 {
		p.line("")
		p.line("%s: not-tracked, %s", strings.Join(none, ", "), q.whyUntracked())
	}
}

func (q inquiry) whyUntracked() string {
	if q.report.Mode == string(offline) {
		return "files say nothing of runs"
	}
	return "nobody was asked (see: rolecall help evidence)"
}

func lastWords(now, last time.Time) string {
	if last.IsZero() {
		return "never"
	}
	return render.Moment(last.Unix()) + ", " + render.Age(now, last.Unix())
}

// dueInstants are those that counted.
func dueInstants(s evidence.Step) string {
	if s.Due.IsZero() {
		return ""
	}
	text := render.Moment(s.Due.Unix())
	if !s.Before.IsZero() {
		text += ", before it " + render.Moment(s.Before.Unix())
	}
	if s.Reckoned {
		text += " (at the latest; the instants are not known)"
	}
	return text
}

func alarmWords(now time.Time, s evidence.Step) string {
	switch {
	case s.Alarm.IsZero():
		return ""
	case s.Alarm.After(now):
		return "from " + render.Moment(s.Alarm.Unix()) + " on, if it is not reached again"
	}
	return "since " + render.Moment(s.Alarm.Unix())
}

func tracked(s report.Stage) bool { return s != "" && s != report.NotTracked }
