// Package classify judges what was seen against what a ledger wants, at an
// instant that is handed in. It is a function: the same input gives the same
// judgement, live, offline, from a snapshot and in tests.
//
// The truth table, for one role in one of its sources. "Own" are the objects
// there that play the role: by their marker, or, without a marker, by being the
// only role's match.
//
//	own objects                          finding
//	none, some only ambiguous            ambiguous
//	none, every area read                missing
//	none, an area not read               unknown
//	one or more                          each is judged by itself:
//	  it will not run, role active         inactive
//	  it runs, role suspended or paused    drift, field state
//	  spec, version or marker differ       drift (not where its text could not be read)
//	two or more, or another in a source
//	that the role does not name          duplicate (the copy there is not compared)
//	  its runs do not come, do not end,    not-executed, hung, not-succeeded, stalled;
//	  do not succeed or do not progress    see pkg/evidence (none but hung beside inactive,
//	                                       none at all where suspended or paused)
//	  evidence of runs was not read        unknown
//	any, role with review: pending       unreviewed
//
//	an object that plays no role         unexpected, where the ledger has roles in its source
//	or a role that the ledger has        unexpected there, and missing in the role's own source,
//	only elsewhere, not found at home    both with the hint moved
//
// A field of the spec that an ignore rule of the ledger names is no difference;
// state, version and marker are beyond every rule.
//
// All that holds is reported; nothing hides behind another.
package classify

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Input is all that a judgement depends on.
type Input struct {
	Ledger ledger.Ledger
	// Desired holds each role of each source in scope, translated.
	Desired map[specs.Ref]specs.Desired
	World   providers.World
	// Rules are the sources in scope by name; a role's source that is not among
	// them was not looked at.
	Rules map[string]Rule
	Now   time.Time
	// Mask hides secrets in a text that will be shown.
	Mask func(string) string
}

// Rule is how one source's objects without a role are treated.
type Rule struct {
	Live bool
	// IgnoreUnexpected leaves out objects without a marker.
	IgnoreUnexpected bool
	// Ignore are patterns over object ids, with *; what fits one is left out.
	Ignore []string
	// Both is a rule that has to leave an object out as well; nil if there is none.
	Both *Rule
}

// Judgement is what a World means.
type Judgement struct {
	Roles    []report.Role
	Findings []report.Finding
	Coverage []report.Coverage
	Notes    []report.Note
	Objects  int // objects seen
	Ignored  int // objects without a role that a rule or the built-in list leaves out
}

// Judge applies the truth table.
func Judge(in Input) Judgement {
	j := newJudge(in)
	j.out.Roles = make([]report.Role, 0, len(in.Ledger.Roles))
	for _, role := range in.Ledger.Roles {
		for _, source := range role.Sources {
			j.role(role, specs.Ref{Role: role.Key, Source: source})
		}
	}
	j.strangers()
	j.moved()
	j.coverage()
	j.providerNotes()
	j.quiet()
	j.selfAudit()
	j.waivers()
	j.unusedRules()
	j.out.states()
	return j.out
}

type judge struct {
	Input
	claims    claims
	sources   map[string]*providers.Observation
	homes     map[string][]string           // the sources of each role
	answered  map[string]bool               // the sources that some role names
	nowhere   map[string]providers.Presence // of an object that plays no role, by source
	used      map[specs.Pos]bool            // ignore rules that took something out of account
	calendar  *evidence.Calendar
	workflows map[workflow][]specs.Schedule // nil until it is asked for
	out       Judgement
}

func newJudge(in Input) *judge {
	j := &judge{Input: in, claims: claim(in), used: map[specs.Pos]bool{}, calendar: evidence.NewCalendar(), sources: map[string]*providers.Observation{}, nowhere: map[string]providers.Presence{}, homes: map[string][]string{}, answered: map[string]bool{}}
	for i := range in.World.Observations {
		o := &in.World.Observations[i]
		j.sources[o.Source] = o
	}
	for i := range in.Ledger.Roles {
		r := &in.Ledger.Roles[i]
		j.homes[r.Key] = r.Sources
		for _, s := range r.Sources {
			j.answered[s] = true
		}
	}
	return j
}

func (j *judge) finding(f report.Finding) {
	f.Confirmed = true
	if f.NextStep == "" {
		f.NextStep = f.Kind.Entry().NextStep
	}
	j.out.Findings = append(j.out.Findings, f)
}

// about is a finding of a role, with what all of these share.
func about(kind report.Kind, role specs.Role, ref specs.Ref, objects []*object) report.Finding {
	f := report.Finding{
		ID: string(kind) + ":" + ref.String(), Kind: kind, Role: ref.Role, Source: ref.Source,
		Owner: role.Owner, Location: role.Pos, Objects: ids(objects),
	}
	if len(objects) > 0 {
		f.ObservedAt = objects[0].Pos
	}
	return f
}

func ids(objects []*object) []string {
	out := make([]string, len(objects))
	for i, o := range objects {
		out[i] = o.ID
	}
	return out
}

// role judges one expectation.
func (j *judge) role(role specs.Role, ref specs.Ref) {
	if _, ok := j.Rules[ref.Source]; !ok {
		j.register(role, ref, nil, "unknown")
		j.out.Roles[len(j.out.Roles)-1].State = report.OutOfScope
		return
	}
	own, elsewhere, disputed := j.claims.of(role, ref)
	switch {
	case len(own) > 0:
		j.present(role, ref, own, elsewhere)
	case len(disputed) > 0:
		j.ambiguous(role, ref, disputed)
	default:
		j.absent(role, ref)
	}
	if len(own) > 0 && len(disputed) > 0 {
		j.ambiguous(role, ref, disputed)
	}
	if role.Pending {
		f := about(report.Unreviewed, role, ref, own)
		f.Reason, f.Message = "review-pending", "the role carries review: pending"
		j.finding(f)
	}
}

func (j *judge) present(role specs.Role, ref specs.Ref, own, elsewhere []*object) {
	j.register(role, ref, own, "yes")
	if all := append(slices.Clone(own), elsewhere...); len(all) > 1 {
		j.duplicate(role, ref, all)
	}
	j.inactive(role, ref, own)
	j.drift(role, ref, own)
	j.stages(role, ref, own)
	j.staleRef(role, ref, own)
	j.selfTemplate(role, ref, own)
}

// selfTemplate says that a role's template is the very file in which its object
// was found: compared with itself, the two can never differ.
func (j *judge) selfTemplate(role specs.Role, ref specs.Ref, own []*object) {
	t := role.Statement.Template
	if t == nil || !slices.ContainsFunc(own, func(o *object) bool { return path.Clean(o.Pos.File) == path.Clean(t.Name) }) {
		return
	}
	j.note("self-template", ref.Source, "the template of role "+ref.Role+" is the file that the source reads, "+t.Name+", so that its content is compared with itself; keep a reviewed copy beside the ledger", role.Statement.Pos)
}

func (j *judge) duplicate(role specs.Role, ref specs.Ref, all []*object) {
	f := about(report.Duplicate, role, ref, all)
	f.Reason = "several-objects"
	places := make([]string, len(all))
	for i, o := range all {
		places[i] = o.place()
		if o.Source() != ref.Source {
			f.Reason = "also-elsewhere"
		}
	}
	f.Message = "the role expects one object and has " + count(len(all)) + ": " + strings.Join(places, ", ")
	j.finding(f)
}

func (j *judge) ambiguous(role specs.Role, ref specs.Ref, disputed []*object) {
	if !j.registered(ref) {
		j.register(role, ref, disputed, "no")
	}
	f := about(report.Ambiguous, role, ref, disputed)
	f.Reason = "several-roles"
	var others []string
	for _, o := range disputed {
		for _, key := range o.claimants {
			if key != role.Key && !slices.Contains(others, key) {
				others = append(others, key)
			}
		}
	}
	slices.Sort(others)
	f.Message = "the match of this role and of " + strings.Join(others, ", ") + " both claim " + disputed[0].place()
	j.finding(f)
}

// registered says that an expectation is listed; those of one role stand together.
func (j *judge) registered(ref specs.Ref) bool {
	for i := len(j.out.Roles) - 1; i >= 0 && j.out.Roles[i].Role == ref.Role; i-- {
		if j.out.Roles[i].Source == ref.Source {
			return true
		}
	}
	return false
}

// absent tells what is not there from what could not be seen.
func (j *judge) absent(role specs.Role, ref specs.Ref) {
	hidden := j.claims.perhaps[ref]
	if hidden == nil && j.withoutObject(ref) == providers.Absent {
		j.register(role, ref, nil, "no")
		f := about(report.Missing, role, ref, nil)
		f.Reason = "not-there"
		f.Message = "no object plays the role, and every part of the source was read"
		j.finding(f)
		return
	}
	j.register(role, ref, nil, "unknown")
	f := about(report.Unknown, role, ref, nil)
	f.Reason = notRead
	f.Message = "not found, and it may be where nothing could be read"
	if hidden != nil {
		f.Message = "not found, and it may be " + hidden.ID + ", of which the saved listing hides what the role's match names; name it exactly, or put a marker on it"
	}
	if o, ok := j.World.Source(ref.Source); ok {
		for i, a := range o.Gaps() {
			if i == 3 {
				f.Message += "; and more, see coverage"
				break
			}
			f.Message += "; " + a.Part + ": " + string(a.State) + reason(j.Mask(a.Reason))
		}
	}
	j.finding(f)
}

// withoutObject is World.Lookup for a role of which claims found no object: the
// same for all such roles of a source.
func (j *judge) withoutObject(ref specs.Ref) providers.Presence {
	presence, ok := j.nowhere[ref.Source]
	if !ok {
		presence = j.World.Lookup(ref, func(providers.Object) bool { return false })
		j.nowhere[ref.Source] = presence
	}
	return presence
}

// notRead is the reason of what was not found and may be where nothing was read.
const notRead = "not-read"

func reason(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// register lists the expectation; its state is set when all findings are known.
func (j *judge) register(role specs.Role, ref specs.Ref, objects []*object, registered report.Stage) {
	d := j.Desired[ref]
	r := report.Role{
		Role: ref.Role, Source: ref.Source, Owner: role.Owner, Purpose: role.Purpose, Version: role.Version,
		Partial: d.Partial(), Suspended: suspended(role, j.Now), Objects: ids(objects), Stages: report.Stages{Registered: registered, Executed: report.NotTracked, Succeeded: report.NotTracked, Progressed: report.NotTracked},
		Schedule: d.Spec.Written(), Location: role.Pos,
	}
	switch {
	case !d.Pinned.IsZero():
		r.Hash = d.Pinned.String()
	case len(d.Spec.Schedules) > 0:
		r.Hash = d.Spec.Hash().String()
	}
	if due, ok := d.Spec.NextDue(j.Now); ok && !r.Suspended {
		s := due.Format(time.RFC3339)
		r.NextDue = &s
	}
	start := report.Report{ObservedAt: j.Now}.DayStart()
	if minutes, ok := d.Spec.DueMinutes(start, report.DayMinutes); ok && !r.Suspended {
		r.Next24h = report.NewDay(start, minutes)
	}
	j.out.Roles = append(j.out.Roles, r)
}

// suspended says that the role must not run now.
func suspended(role specs.Role, now time.Time) bool {
	return role.Suspended || now.Before(role.PausedUntil)
}

func (j *judge) staleRef(role specs.Role, ref specs.Ref, own []*object) {
	uid := role.Remembered.UID
	if uid == "" || slices.ContainsFunc(own, func(o *object) bool { return o.UID() == "" || o.UID() == uid }) {
		return
	}
	j.note("stale-ref", ref.Source, "role "+ref.Role+" remembers an object "+uid+" that is gone; the object that plays the role now is "+own[0].ID+" ("+own[0].UID()+"); take the new uid into the ledger's ref after looking why it was made anew", role.Remembered.Pos)
}

func (j *judge) note(code, source, message string, pos specs.Pos) {
	j.out.Notes = append(j.out.Notes, report.Note{Code: code, Source: source, Message: j.Mask(message), Location: pos})
}
