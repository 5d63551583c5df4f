package classify

import (
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// strangers reports the objects that play no role where they stand.
func (j *judge) strangers() {
	at := map[string]int{}
	ignored := map[string]int{}
	for _, o := range j.claims.objects {
		j.out.Objects++
		if len(o.claimants)+len(o.perhaps) > 0 || o.role != "" && j.atHomeOrDoubled(o, j.homes[o.role]) {
			continue
		}
		if j.leftOut(o, j.answered[o.Source()]) {
			ignored[o.Source()]++
			continue
		}
		f := j.unexpected(o)
		if i, ok := at[f.ID]; ok {
			j.out.Findings[i].Message += "; again at " + o.Pos.String()
			continue
		}
		at[f.ID] = len(j.out.Findings)
		j.finding(f)
	}
	for source, n := range ignored {
		j.out.Ignored += n
		why := "left out by the rules of the source or as part of the distribution"
		if !j.answered[source] {
			why = "not judged, since the ledger has no role there"
		}
		j.note("ignored-objects", source, count(n)+" objects without a role are "+why, specs.Pos{})
	}
}

// atHomeOrDoubled says that the object was judged with its role: it is in a
// source of the role, or is the copy that doubles one there.
func (j *judge) atHomeOrDoubled(o *object, home []string) bool {
	if slices.Contains(home, o.Source()) {
		return true
	}
	return slices.ContainsFunc(j.claims.byRole[o.role], func(other *object) bool { return slices.Contains(home, other.Source()) })
}

// leftOut says that an object without a role is not reported. What carries a
// marker is only left out by a pattern that names it.
func (j *judge) leftOut(o *object, answered bool) bool {
	rule := j.Rules[o.Source()]
	return rule.leavesOut(o, answered) && (rule.Both == nil || rule.Both.leavesOut(o, answered))
}

func (rule Rule) leavesOut(o *object, answered bool) bool {
	if slices.ContainsFunc(rule.Ignore, func(p string) bool { return specs.Glob(p, o.ID, false) }) {
		return true
	}
	if o.role != "" {
		return false
	}
	if !answered {
		return true
	}
	return !o.Marker().Present() && (rule.IgnoreUnexpected || o.Attr("builtin") != "")
}

func (j *judge) unexpected(o *object) report.Finding {
	f := report.Finding{
		ID: string(report.Unexpected) + ":" + o.ID, Kind: report.Unexpected, Role: o.Marker().Role, Source: o.Source(),
		Objects: []string{o.ID}, Location: o.Pos, ObservedAt: o.Pos, Marked: o.Marker().Present(), ChangedBy: changedBy(o, nil),
	}
	switch {
	case o.role != "":
		f.Reason = "role-of-another-source"
		f.Message = o.ID + " plays role " + o.role + ", which the ledger does not have in this source"
	case o.Marker().Invalid != "":
		f.Reason = "invalid-marker"
		f.Message = o.ID + " carries a marker that cannot be the key of a role: " + j.Mask(o.Marker().Invalid)
	case o.Marker().Role != "":
		f.Reason = "unknown-role"
		f.Message = o.ID + " carries the marker of role " + o.Marker().Role + ", which the ledger does not have"
	default:
		f.Reason = "no-role"
		f.Message = o.ID + " plays no role of the ledger"
	}
	if len(o.Inactive()) > 0 {
		f.Hints = append(f.Hints, "it is not active: "+o.Inactive()[0].Code)
	}
	return f
}

// moved gives a hint where a missing role may stand elsewhere, under its own
// marker or with its schedule and command: on the missing side, and on the
// other where the object is a finding too.
func (j *judge) moved() {
	var strangers map[string]*alike
	findings := map[string]int{}
	for i, f := range j.out.Findings {
		if f.Kind == report.Unexpected {
			findings[f.Objects[0]] = i
		}
	}
	for i := range j.out.Findings {
		missing := &j.out.Findings[i]
		if missing.Kind != report.Missing {
			continue
		}
		if strangers == nil {
			strangers = j.byTimes()
		}
		ref := specs.Ref{Role: missing.Role, Source: missing.Source}
		for _, o := range j.candidates(ref, strangers) {
			missing.Hints = append(missing.Hints, "it may have moved: "+o.place())
			if k, ok := findings[o.ID]; ok {
				j.out.Findings[k].Hints = append(j.out.Findings[k].Hints, "it may be role "+ref.String()+" that moved here")
			}
		}
	}
}

// alike are objects that fire at the same times, and which of them have what.
type alike struct {
	objects   []*object
	byHash    map[specs.Hash][]int
	byCommand map[string][]int
	sealed    []int // those of which something was kept back
}

// byTimes are the objects that play no role of the ledger, by when they fire.
func (j *judge) byTimes() map[string]*alike {
	out := map[string]*alike{}
	for _, o := range j.claims.objects {
		if o.role == "" && len(o.claimants)+len(o.perhaps) == 0 && !o.Opaque && !o.Marker().Present() {
			when := times(o.Spec)
			if out[when] == nil {
				out[when] = &alike{}
			}
			out[when].add(o)
		}
	}
	return out
}

func (a *alike) add(o *object) {
	i := len(a.objects)
	a.objects = append(a.objects, o)
	if o.Spec.Body.Sealed() {
		a.sealed = append(a.sealed, i)
		return
	}
	into(&a.byHash, o.Spec.Hash(), i)
	if command := o.Spec.Body.Get("command"); command.Kind == specs.Text {
		into(&a.byCommand, command.Text, i)
	}
}

// like are the objects among which all are that do what is desired: ten thousand
// roles can be missing where ten thousand objects play none.
func (a *alike) like(d specs.Desired) []*object {
	if a == nil {
		return nil
	}
	var at []int
	command := d.Spec.Body.Get("command")
	switch {
	case slow.Only() || len(d.Ignore) > 0 || d.Spec.Body.Sealed():
		return a.objects
	case !d.Pinned.IsZero():
		at = a.byHash[d.Pinned]
	case !d.Partial():
		at = a.byHash[d.Spec.Hash()]
	case slices.Contains(d.Stated, "command") && command.Kind == specs.Text:
		at = a.byCommand[command.Text]
	default:
		return a.objects
	}
	at = append(slices.Clip(at), a.sealed...)
	slices.Sort(at)
	out := make([]*object, len(at))
	for i, n := range at {
		out[i] = a.objects[n]
	}
	return out
}

// times is equal for two specs exactly if their schedules are.
func times(s specs.Spec) string {
	out := make([]string, len(s.Schedules))
	for i, schedule := range s.Schedules {
		out[i] = schedule.Canonical()
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\n")
}

// candidates are the objects in other sources that may be a role that is not
// where it should be, each once.
func (j *judge) candidates(ref specs.Ref, strangers map[string]*alike) []*object {
	var out []*object
	add := func(o *object) {
		if o.Source() != ref.Source && !slices.ContainsFunc(out, func(x *object) bool { return x.ID == o.ID }) {
			out = append(out, o)
		}
	}
	home := j.homes[ref.Role]
	for _, o := range j.claims.byRole[ref.Role] {
		if !j.atHomeOrDoubled(o, home) {
			add(o)
		}
	}
	for _, o := range strangers[times(j.Desired[ref].Spec)].like(j.Desired[ref]) {
		if j.doesTheSame(ref, o) {
			add(o)
		}
	}
	return out
}

// doesTheSame says that an object has the schedule and the command of a role.
func (j *judge) doesTheSame(ref specs.Ref, o *object) bool {
	d := j.Desired[ref]
	if d.Never || len(d.Spec.Schedules) == 0 || d.Partial() && !slices.Contains(d.Stated, "command") {
		return false
	}
	return Same(d, *o.Object)
}

// coverage lists every part, and the sources that were not looked at.
func (j *judge) coverage() {
	for _, obs := range j.World.Observations {
		n := map[string]int{}
		for _, o := range obs.Objects {
			n[o.Part()]++
		}
		for _, a := range obs.Areas {
			j.out.Coverage = append(j.out.Coverage, report.Coverage{
				Source: obs.Source, Provider: obs.Provider, Part: a.Part, State: string(a.State), Objects: n[a.Part], Reason: j.Mask(a.Reason),
				SeenAt: seenAt(obs),
			})
		}
		if len(obs.Areas) == 0 {
			j.out.Coverage = append(j.out.Coverage, report.Coverage{
				Source: obs.Source, Provider: obs.Provider, Part: "source", State: string(providers.Failed), Reason: "nothing of the source was looked at",
			})
		}
	}
}

// seenAt is when a source was seen, if that was before the instant of judgement.
func seenAt(obs providers.Observation) *time.Time {
	if obs.SeenAt.IsZero() {
		return nil
	}
	at := obs.SeenAt.UTC()
	return &at
}

func (j *judge) providerNotes() {
	for _, obs := range j.World.Observations {
		for _, n := range obs.Notes {
			j.note(n.Code, obs.Source, n.Message, n.Pos)
		}
		if rule := j.Rules[obs.Source]; rule.Live && len(obs.Objects) == 0 && len(obs.Gaps()) == 0 && j.answered[obs.Source] {
			j.note("suspicious-empty", obs.Source, "the source lists nothing at all, though the ledger has roles there; check that this is the right place before believing it", specs.Pos{})
		}
	}
}

// waivers takes the findings that the ledger waives out of account, and says
// which waivers are over or have nothing to waive.
func (j *judge) waivers() {
	if len(j.Ledger.Waivers) == 0 {
		return
	}
	at := make(map[string][]int, len(j.out.Findings))
	for i := range j.out.Findings {
		id := j.out.Findings[i].ID
		at[id] = append(at[id], i)
	}
	for _, w := range j.Ledger.Waivers {
		for _, i := range at[w.Finding] {
			f := &j.out.Findings[i]
			f.Waiver = &report.Waiver{Reason: w.Reason, Owner: w.Owner, Until: w.UntilText, Ended: !j.Now.Before(w.Until), Pos: w.Pos}
			if f.Waiver.Ended {
				f.Hints = append(f.Hints, "its waiver ended: "+w.UntilText)
			}
		}
		if len(at[w.Finding]) == 0 && !ofChange(w, j.Now) && j.lookedAt(w.Finding) && !j.unseen(at, w.Finding) && !j.untracked(w.Finding) {
			j.note("unused-waiver", "", "the waiver of "+w.Finding+" waives nothing; remove it", w.Pos)
		}
	}
}

// ofChange says that a waiver in force is for what only a gate finds, so that it
// is no wonder that there is nothing of it here.
func ofChange(w ledger.Waiver, now time.Time) bool {
	kind, _, _ := strings.Cut(w.Finding, ":")
	return report.Kind(kind).OfChange() && now.Before(w.Until)
}

// unseen says that the role of a finding's id was not found and may be where
// nothing could be read, so that what its waiver is for cannot be told.
func (j *judge) unseen(at map[string][]int, id string) bool {
	_, ref, _ := strings.Cut(id, ":")
	return slices.ContainsFunc(at[string(report.Unknown)+":"+ref], func(i int) bool { return j.out.Findings[i].Reason == notRead })
}

// untracked says that a finding's id is about a stage of which this look knows
// nothing, as one offline.
func (j *judge) untracked(id string) bool {
	kind, ref, _ := strings.Cut(id, ":")
	if !report.Kind(kind).OfRuns() {
		return false
	}
	for i := range j.out.Roles {
		r := &j.out.Roles[i]
		stage := r.Stages.Executed
		switch report.Kind(kind) {
		case report.NotSucceeded:
			stage = r.Stages.Succeeded
		case report.Stalled:
			stage = r.Stages.Progressed
		}
		if isRef(ref, r.Role, r.Source) && (stage == report.NotTracked || stage == report.Unseen) {
			return true
		}
	}
	return false
}

// isRef says that a text is role@source.
func isRef(text, role, source string) bool {
	return len(text) == len(role)+1+len(source) && text[len(role)] == '@' && strings.HasPrefix(text, role) && strings.HasSuffix(text, source)
}

// lookedAt says that the source of a finding's id was in scope.
func (j *judge) lookedAt(id string) bool {
	_, rest, _ := strings.Cut(id, ":")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		if _, ok := j.Rules[rest[i+1:]]; ok {
			return true
		}
		return !j.answered[rest[i+1:]]
	}
	_, path, _ := strings.Cut(rest, ":")
	source, _, _ := strings.Cut(path, "/")
	_, ok := j.Rules[source]
	return ok
}

// states gives each expectation the first kind of its findings.
func (j Judgement) states() {
	first := map[specs.Ref]report.Kind{}
	for i := range j.Findings {
		f := &j.Findings[i]
		ref := specs.Ref{Role: f.Role, Source: f.Source}
		if kind, ok := first[ref]; f.Kind != report.Unexpected && (!ok || f.Kind.Before(kind)) {
			first[ref] = f.Kind
		}
	}
	for i := range j.Roles {
		r := &j.Roles[i]
		if r.State == report.OutOfScope {
			continue
		}
		r.State = report.OK
		if kind, ok := first[specs.Ref{Role: r.Role, Source: r.Source}]; ok {
			r.State = report.State(kind)
		}
	}
}
