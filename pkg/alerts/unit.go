package alerts

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// testFile is a file of promtool test rules.
type testFile struct {
	RuleFiles          []string `yaml:"rule_files"`
	EvaluationInterval string   `yaml:"evaluation_interval"`
	Tests              []unit   `yaml:"tests"`
}

type unit struct {
	Name     string   `yaml:"name"`
	Interval string   `yaml:"interval"`
	Series   []series `yaml:"input_series,omitempty"`
	Alerts   []expect `yaml:"alert_rule_test"`
}

type series struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type expect struct {
	At     string  `yaml:"eval_time"`
	Alert  string  `yaml:"alertname"`
	Alerts []fired `yaml:"exp_alerts"`
}

type fired struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

// scene is one thing that goes wrong two minutes after the beginning.
type scene struct {
	name  string
	half  int // of the roles: every second one from this on; all for -1
	fault fault
	alert []string // that it lets fire
}

type fault int

const (
	nothing fault = iota
	gone          // every series ends
	deleted       // those of the roles end
	stopped       // no success any more
	unstarted
	neverRan // no success ever, since the object was made
	turned   // what should be active is not, and the other way round
	ahead    // a success in the future
	unaudited
	found
	unread
	late // by the audit's own judgement
)

// fromMinute is the minute in which a scene's fault shows.
const fromMinute = 2

// WriteTest writes the unit tests of the rules for promtool, which finds the
// rules under a name, seen from the tests. Its clock begins in 1970, so what
// waits for a date (the end of a pause, a since) is only seen to be silent.
//
// Most faults befall every second role, and then the others, so that a rule
// that asks for another role's series is found.
func (r Rules) WriteTest(w io.Writer, rules string) error {
	f := testFile{RuleFiles: []string{rules}, EvaluationInterval: "1m"}
	for _, s := range r.scenes() {
		f.Tests = append(f.Tests, r.unit(s))
	}
	return document(w, "Unit tests of alert rules, made with them by rolecall rules --test. Run them with:\npromtool test rules FILE", nil, f)
}

func (r Rules) scenes() []scene {
	out := []scene{
		{"all is as it should be", -1, nothing, nil},
		{"nothing is collected any more", -1, gone, []string{roleAbsent, auditAbsent}},
	}
	for half, of := range []string{"the first role and every second one after it", "the others"} {
		if half == 1 && len(r.in.Roles) < 2 {
			break
		}
		out = append(out,
			scene{of + " do not succeed any more", half, stopped, []string{notSucceeding}},
			scene{of + " do not start any more", half, unstarted, []string{notStarting}},
			scene{of + " have never succeeded", half, neverRan, []string{notSucceeding}},
			scene{of + " are deleted", half, deleted, []string{roleAbsent}},
			scene{of + " are suspended, or active where they should not be", half, turned, []string{roleInactive, notSuspended}},
			scene{of + " have a last success in the future", half, ahead, []string{timeInFuture}},
		)
	}
	if r.in.AuditWithin > 0 {
		out = append(out,
			scene{"there is no audit any more", -1, unaudited, []string{auditSilent}},
			scene{"audits find roles overdue", -1, late, []string{overdue}},
			scene{"audits find something", -1, found, []string{findings}},
			scene{"audits cannot read all", -1, unread, []string{auditIncomplete}},
		)
	}
	return out
}

// unit is a scene as promtool takes it: each alert is silent in the minute
// before it must fire, and then fires if the scene lets it.
func (r Rules) unit(s scene) unit {
	fires := fromMinute + ceilMinutes(r.in.For)
	u := unit{Name: s.name, Interval: "1m", Series: r.played(s, fires+1)}
	var names []string
	byName := map[string][]rule{}
	for _, g := range r.groups {
		for _, x := range g.Rules {
			if byName[x.Alert] == nil {
				names = append(names, x.Alert)
			}
			byName[x.Alert] = append(byName[x.Alert], x)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, minute := range []int{fires - 1, fires} {
			e := expect{fmt.Sprintf("%dm", minute), name, []fired{}}
			if name == watchdog || minute == fires && slices.Contains(s.alert, name) {
				for _, x := range byName[name] {
					e.Alerts = append(e.Alerts, r.fire(s, x, minute)...)
				}
			}
			u.Alerts = append(u.Alerts, e)
		}
	}
	return u
}

func ceilMinutes(d time.Duration) int { return int((d + time.Minute - 1) / time.Minute) }

// struck are the roles that a scene befalls.
func (r Rules) struck(s scene) (out []Role) {
	for i, role := range r.in.Roles {
		if s.half < 0 || i%2 == s.half {
			out = append(out, role)
		}
	}
	return out
}

// fire is how a rule fires in a minute of a scene that lets it, if it does.
func (r Rules) fire(s scene, x rule, minute int) []fired {
	switch x.Alert {
	case watchdog, auditAbsent, auditIncomplete:
		return []fired{x.with(1)}
	case auditSilent:
		return []fired{x.with(sinceBound(r.in.AuditWithin, minute))}
	case findings:
		return r.firedFindings(x)
	case overdue:
		return r.firedLate(x)
	case timeInFuture:
		return r.firedAhead(s, x)
	}
	for _, role := range r.struck(s) {
		if x.about == role.Key+"@"+role.Source {
			return r.firedRole(s, x, role, minute)
		}
	}
	return nil
}

func (r Rules) firedRole(s scene, x rule, role Role, minute int) []fired {
	sig := r.in.signals(role)
	switch x.Alert {
	case notSucceeding:
		if s.fault == neverRan && sig.created == "" || !role.begins(0).IsZero() {
			return nil
		}
		return []fired{x.with(sinceBound(role.Succeeded+sig.lag, minute))}
	case notStarting:
		if !role.begins(0).IsZero() {
			return nil
		}
		return []fired{x.with(sinceBound(role.Executed+sig.lag, minute))}
	case roleInactive:
		if !role.PausedUntil.IsZero() {
			return nil
		}
	}
	return []fired{x.with(1)}
}

func (r Rules) firedFindings(x rule) (out []fired) {
	for _, source := range r.in.sources() {
		out = append(out, x.with(1, Label{"source", source}, Label{"kind", "missing"}))
	}
	return out
}

func (r Rules) firedLate(x rule) (out []fired) {
	for _, role := range r.in.Roles {
		out = append(out, x.with(1, lateLabels(role)...))
	}
	return out
}

// lateLabels are those of a role that an audit finds overdue.
func lateLabels(r Role) []Label {
	out := []Label{{"role", r.Key}, {"source", r.Source}, {"stage", "succeeded"}, {"state", "never"}}
	if r.Owner != "" {
		out = append(out, Label{"owner", r.Owner})
	}
	return out
}

// firedAhead are the roles whose success the rule's metric has in the future.
func (r Rules) firedAhead(s scene, x rule) (out []fired) {
	seen := map[string]bool{}
	for _, role := range r.struck(s) {
		of := r.in.signals(role).success
		var labels []Label
		switch role.Basis {
		case Run:
			labels = []Label{{"role", role.Key}}
		case KubeState:
			labels = []Label{{"namespace", role.Namespace}, {"cronjob", role.Name}}
		default:
			labels = []Label{{"role", role.Key}, {"source", role.Source}}
		}
		id := selector("", labels...)
		if metricName(of) == x.Labels["metric"] && !seen[id] {
			seen[id] = true
			out = append(out, x.with(aheadBy, labels...))
		}
	}
	return out
}

// with is a rule that fires with a value and labels of the series.
func (x rule) with(value int64, labels ...Label) fired {
	f := fired{map[string]string{}, map[string]string{}}
	for k, v := range x.Labels {
		f.Labels[k] = shown(v, value, nil)
	}
	for _, l := range labels {
		f.Labels[l.Name] = l.Value
	}
	for k, v := range x.Annotations {
		f.Annotations[k] = shown(v, value, f.Labels)
	}
	return f
}

// sinceBound is the age, in a minute of a scene, of what passes its bound after
// the minute before the fault shows.
func sinceBound(bound time.Duration, minute int) int64 {
	return int64(minute-fromMinute+1)*60 + wholeSeconds(bound)
}

// aheadBy is how far a time lies in the future, in seconds.
const aheadBy = 1000

// played are the series of a scene over some minutes.
func (r Rules) played(s scene, minutes int) []series {
	p := player{in: r.in, fault: s.fault, minutes: minutes, have: map[string]bool{}}
	struck := map[string]bool{}
	for _, role := range r.struck(s) {
		struck[role.Key+"@"+role.Source] = true
	}
	for _, role := range r.in.Roles {
		p.struck = struck[role.Key+"@"+role.Source]
		p.role(role, r.in.signals(role))
	}
	p.struck = true
	for _, source := range r.in.sources() {
		p.audits(source)
	}
	return p.out
}

// player writes the values of series minute by minute.
type player struct {
	in      Input
	fault   fault
	struck  bool
	minutes int
	have    map[string]bool
	out     []series
}

func (p *player) is(f fault) bool { return p.struck && p.fault == f }

func (p *player) role(r Role, s signals) {
	ends := p.is(gone) || p.is(deleted)
	fresh := p.advancing("0", ends)
	success, start, state := fresh, fresh, p.turning(r, s, ends)
	switch {
	case p.is(stopped):
		success = p.standing(r.Succeeded + s.lag)
	case p.is(neverRan):
		success = "" // a role without one
	case p.is(unstarted):
		start = p.standing(r.Executed + s.lag)
	case p.is(ahead):
		success = fmt.Sprintf("0 60 %d+60x%d", fromMinute*60+aheadBy, p.minutes)
	}
	p.add(s.success, success)
	p.add(s.start, start)
	p.add(s.state, state)
	p.add(s.known, p.constant(1, ends))
	p.stage(r)
	if p.is(neverRan) {
		p.add(s.created, p.standing(r.Succeeded+s.lag))
	} else {
		p.add(s.created, p.constant(0, ends))
	}
}

// stage is what an audit says of the role, whoever tells of it else.
func (p *player) stage(r Role) {
	if p.in.AuditWithin == 0 {
		return
	}
	of := append([]Label{{"ledger", p.in.Ledger}}, lateLabels(r)...)
	if p.is(late) {
		p.add(selector(auditStage, of...), fmt.Sprintf("_x%d 1+0x%d", fromMinute, p.minutes))
	}
}

func (p *player) audits(source string) {
	if p.in.AuditWithin == 0 {
		return
	}
	of := []Label{{"ledger", p.in.Ledger}, {"source", source}}
	at := p.advancing("0", p.is(gone))
	if p.is(unaudited) {
		at = p.standing(p.in.AuditWithin)
	}
	p.add(selector(sourceTime, append(of, Label{"mode", "live"})...), at)
	// An audit of files stays what it was, and makes nothing fresh.
	p.add(selector(sourceTime, append(of, Label{"mode", "offline"})...), p.advancing("0", p.is(gone)))
	p.add(selector(auditGaps, of...), p.becoming(p.is(unread)))
	p.add(selector(auditFindings, append(of, Label{"kind", "missing"})...), p.becoming(p.is(found)))
	p.add(selector(auditFindings, append(of, Label{"kind", "unexpected"})...), p.constant(1, false))
}

func (p *player) add(name, values string) {
	if name != "" && values != "" && !p.have[name] {
		p.have[name] = true
		p.out = append(p.out, series{name, values})
	}
}

// ending cuts values where the fault shows.
func (p *player) ending(values string, ends bool) string {
	if ends {
		return strings.TrimSuffix(values, fmt.Sprintf("x%d", p.minutes)) + fmt.Sprintf("x%d stale", fromMinute-1)
	}
	return values
}

// advancing is a time that is always now.
func (p *player) advancing(start string, ends bool) string {
	return p.ending(fmt.Sprintf("%s+60x%d", start, p.minutes), ends)
}

func (p *player) constant(value int64, ends bool) string {
	return p.ending(fmt.Sprintf("%d+0x%d", value, p.minutes), ends)
}

// standing is a time that does not move, and is too old from the fault on.
func (p *player) standing(bound time.Duration) string {
	return p.constant((fromMinute-1)*60-wholeSeconds(bound), false)
}

// becoming is 0, and 1 from the fault on.
func (p *player) becoming(yes bool) string {
	if yes {
		return fmt.Sprintf("0+0x%d 1+0x%d", fromMinute-1, p.minutes)
	}
	return p.constant(0, false)
}

// turning is the state that the ledger wants, and the other from the fault on.
func (p *player) turning(r Role, s signals, ends bool) string {
	want, other := s.on, s.off
	if r.Suspended || !r.PausedUntil.IsZero() {
		want, other = other, want
	}
	if p.is(turned) {
		return fmt.Sprintf("%d+0x%d %d+0x%d", want, fromMinute-1, other, p.minutes)
	}
	return p.constant(int64(want), ends)
}
