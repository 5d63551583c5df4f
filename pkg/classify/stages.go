package classify

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// stages judges how far the runs of a registered role have come.
func (j *judge) stages(role specs.Role, ref specs.Ref, own []*object) {
	c := j.runs(role, ref, own)
	result := j.calendar.Judge(c)
	r := &j.out.Roles[len(j.out.Roles)-1]
	r.Stages.Executed, r.Stages.Succeeded, r.Stages.Progressed = result.Executed, result.Succeeded, result.Progressed
	r.Seen = result.Seen
	for i := range r.Seen.From {
		r.Seen.From[i] = j.Mask(r.Seen.From[i])
	}
	for _, v := range result.Findings {
		f := about(v.Kind, role, ref, own)
		f.Reason, f.NextStep, f.Message = v.Reason, v.NextStep, j.Mask(v.Message)
		for _, h := range v.Hints {
			f.Hints = append(f.Hints, j.Mask(h))
		}
		j.finding(f)
	}
	j.heldBack(role, ref, c, result)
}

// heldBack notes where no alarm can come, though nothing says that all is well:
// nothing counts as due yet by the ledger, or a role that never ran counts from the
// last change of its table, which can be changed again.
func (j *judge) heldBack(role specs.Role, ref specs.Ref, c evidence.Case, r evidence.Result) {
	waits := r.Executed == report.NotDue || r.Executed == report.Late
	from := c.Evidence.Since
	c.Evidence.Since = time.Time{}
	switch since := role.Evidence.Since; {
	case suspended(role, j.Now) || c.Inactive:
	case since.After(j.Now):
		if r.Executed != report.NotTracked || r.Succeeded != report.NotTracked || r.Progressed != report.NotTracked {
			j.note("held-back", ref.Source, "nothing of role "+ref.Role+" counts as due before "+since.Format(time.RFC3339)+" (evidence.since), so that none of its stages alarms until then; correct the date if that is not meant", role.Pos)
		}
	case c.Provider == "crontab" && waits && !from.IsZero() && j.calendar.Judge(c).Executed == report.Never:
		j.note("held-back", ref.Source, "role "+ref.Role+" has no record of a run yet, and counts from the last change of its table, at "+from.UTC().Format(time.RFC3339)+"; each change puts its alarm off: state evidence: {since: DATE} to count from a fixed instant", role.Pos)
	}
}

// Runs is the case by which the stages of a role beyond registered are judged;
// false where the role is not registered in the source.
func Runs(in Input, ref specs.Ref) (evidence.Case, bool) {
	j := newJudge(in)
	for _, role := range in.Ledger.Roles {
		if role.Key != ref.Role {
			continue
		}
		own, _, _ := j.claims.of(role, ref)
		if len(own) > 0 {
			return j.runs(role, ref, own), true
		}
	}
	return evidence.Case{}, false
}

// runs puts together what is known of the runs of a role's objects: of those
// that are active, if there are any.
func (j *judge) runs(role specs.Role, ref specs.Ref, own []*object) evidence.Case {
	active := slices.DeleteFunc(slices.Clone(own), func(o *object) bool { return len(reasons(o, j.Desired[ref])) > 0 })
	c := evidence.Case{Role: role, Provider: own[0].Provider(), Inactive: len(active) == 0, Now: j.Now}
	if c.Inactive {
		active = own
	}
	var said []*providers.Evidence
	for _, o := range active {
		if !o.Opaque {
			c.Schedules = append(c.Schedules, o.Spec.Schedules...)
		}
		said = append(said, o.Runs())
	}
	if len(c.Schedules) == 0 {
		c.Schedules = j.Desired[ref].Spec.Schedules
	}
	native := evidence.Join(said...)
	if shared := j.sharing(active); native != nil && len(shared) > len(c.Schedules) {
		c.Schedules = shared
		native.Hints = append(native.Hints, "GitHub does not say which of the "+count(len(shared))+" schedules of a workflow a run is for, so they are judged together")
	}
	var testimony *providers.Evidence
	if t, ok := j.World.Testimony[ref]; ok {
		testimony = &t
	}
	isLive := j.Rules[ref.Source].Live
	if isLive {
		testimony = asked(role.Evidence, testimony)
	}
	c.Evidence = evidence.Merge(role.Evidence, native, j.recorded(role, ref, own), testimony)
	if isLive && toBeRecorded(role) {
		nobodyAsked(role.Evidence, c.Provider, &c.Evidence)
	}
	return c
}

// nobodyAsked makes the start and the success of a role unreadable of whose runs
// the ledger speaks, and nobody said anything.
func nobodyAsked(terms specs.EvidenceTerms, provider string, e *providers.Evidence) {
	for _, trace := range e.Stages() {
		if trace.State != providers.Untracked {
			return
		}
	}
	why := "the ledger speaks of its runs, and the scheduler said nothing of them; name who knows: evidence: {succeeded: …}"
	if provider == "crontab" {
		why = "the ledger speaks of its runs, and nobody was asked for their records; name the folder that rolecall run writes to: runs: [DIR] of the source in the config, --runs, or evidence: {runs: DIR}"
	}
	unread := providers.Trace{State: providers.Unreadable, Reason: why}
	if !terms.Executed.None {
		e.Executed = unread
	}
	if !terms.Succeeded.None {
		e.Succeeded = unread
	}
}

// asked makes a stage unreadable for which the ledger names a witness that did
// not answer.
func asked(terms specs.EvidenceTerms, testimony *providers.Evidence) *providers.Evidence {
	named := [...]bool{terms.Executed.Place() != "", terms.Succeeded.Place() != "", terms.ProgressNamed()}
	if named == [...]bool{false, false, false} {
		return testimony
	}
	var out providers.Evidence
	if testimony != nil {
		out = *testimony
	}
	silent := false
	for i, trace := range out.Stages() {
		if named[i] && trace.State == providers.Untracked {
			silent = true
			*trace = providers.Trace{State: providers.Unreadable, Reason: "the ledger names where it can be seen, and nobody was asked there; state how that is reached in the config"}
		}
	}
	if silent {
		return &out
	}
	return testimony
}

// recorded are the run records of a role, which are those of the accounts whose
// tables hold its objects where the records belong to accounts and the accounts are
// known. Where there are none of it, it never ran if its runs are to be recorded,
// and else nothing is known.
func (j *judge) recorded(role specs.Role, ref specs.Ref, own []*object) *providers.Evidence {
	obs := j.sources[ref.Source]
	if obs == nil || obs.Runs == nil && obs.Accounts == nil {
		return nil
	}
	users := usersOf(own)
	if obs.Accounts == nil || users == nil {
		return j.recordedIn(obs.Runs, role, own)
	}
	var said []*providers.Evidence
	for _, user := range users {
		of, asked := obs.Accounts[user]
		if !asked {
			why := "nobody was asked for the records of the account " + user + "; name their folder: runs: [DIR] of the source in the config"
			unread := providers.Trace{State: providers.Unreadable, From: "run records", Reason: why}
			of = map[string]providers.Evidence{"": {Executed: unread, Succeeded: unread}}
		}
		said = append(said, j.recordedIn(of, role, own))
	}
	out := evidence.Join(said...)
	if out != nil {
		out.Hints = append(out.Hints, newerOfOthers(obs.Accounts, role, users, out.Executed.Last)...)
	}
	return out
}

// recordedIn is what some records say of a role, or that it has none.
func (j *judge) recordedIn(said map[string]providers.Evidence, role specs.Role, own []*object) *providers.Evidence {
	if e, ok := saidOf(said, role); ok {
		return &e
	}
	if !slices.ContainsFunc(own, func(o *object) bool { return Recorded(role, o.Attr("command")) }) {
		return nil
	}
	none := providers.Trace{State: providers.Known, From: "run records"}
	out := providers.Evidence{Executed: none, Succeeded: none}
	if e, ok := said[""]; ok {
		out = e
	}
	out.Since = countsFrom(role, own)
	return &out
}

// saidOf is what records say of a role by one of its names.
func saidOf(said map[string]providers.Evidence, role specs.Role) (providers.Evidence, bool) {
	for _, key := range append([]string{role.Key}, role.PreviousRoles...) {
		if e, ok := said[key]; ok {
			return e, true
		}
	}
	return providers.Evidence{}, false
}

// usersOf are the users of objects; nil where one has none that is known.
func usersOf(own []*object) []string {
	var out []string
	for _, o := range own {
		user := o.Attr("user")
		if user == "" || o.Sealed()["user"] != "" {
			return nil
		}
		if !slices.Contains(out, user) {
			out = append(out, user)
		}
	}
	return out
}

// newerOfOthers tells of records of other accounts that are newer than those that
// count: another account can claim what it likes, or is the one that really runs
// the job.
func newerOfOthers(accounts map[string]map[string]providers.Evidence, role specs.Role, users []string, last time.Time) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(accounts)) {
		e, ok := saidOf(accounts[name], role)
		if ok && !slices.Contains(users, name) && e.Executed.Last.After(last) {
			out = append(out, "newer records of the role stand in the "+e.Executed.From+", of the account "+name+", which do not count for a job of "+strings.Join(users, ", ")+"; look which account runs it, or name the folders that count: runs: [DIR] of the source in the config")
		}
	}
	return out
}

// countsFrom is from when on a role without records would have some: since its
// table was changed last, or since the ledger remembers its object. Zero leaves it
// to the ledger, where that states an instant.
func countsFrom(role specs.Role, own []*object) time.Time {
	last, seen := written(own), role.Remembered.Seen
	switch {
	case !role.Evidence.Since.IsZero():
		return time.Time{}
	case !seen.IsZero() && seen.Before(last):
		return seen
	}
	return last
}

// written is when the tables of objects were changed last: what was added then
// has no record yet. Zero is not known.
func written(own []*object) time.Time {
	var last time.Time
	for _, o := range own {
		for _, c := range o.Changes() {
			if c.Evidence == "file" && c.When.After(last) {
				last = c.When
			}
		}
	}
	return last
}

// Recorded says of a role of a crontab that its runs are to be recorded, so that
// without records it never ran: the ledger says how it is run, or speaks of its
// evidence and names no other place for it, or its command runs through rolecall
// run. Of another role nothing is known but what records happen to say.
func Recorded(role specs.Role, command string) bool { return toBeRecorded(role) || callsRun(command) }

// toBeRecorded says that a ledger counts on run records for a role: it states how
// the role is run, or evidence and no other place for it.
func toBeRecorded(role specs.Role) bool {
	e := role.Evidence
	elsewhere := e.Executed.Place() != "" || e.Succeeded.Place() != "" || e.Progressed.Place() != ""
	return !role.Run.IsZero() || !e.IsZero() && !elsewhere
}

// callsRun says that a command runs through rolecall run.
func callsRun(command string) bool {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"", r) })
	for i, w := range words {
		if !strings.HasSuffix(w, "rolecall") {
			continue
		}
		for _, next := range words[i+1:] {
			if next == "run" {
				return true
			}
			if next == "--" {
				break
			}
		}
	}
	return false
}

// sharing are the schedules of the workflows that objects are of, of all their
// entries that count: a run does not say which of them it is for.
func (j *judge) sharing(objects []*object) []specs.Schedule {
	if j.workflows == nil {
		j.workflows = map[workflow][]specs.Schedule{}
		for _, o := range j.claims.objects {
			if w := workflowOf(o); w.path != "" && len(o.Inactive()) == 0 {
				j.workflows[w] = append(j.workflows[w], o.Spec.Schedules...)
			}
		}
	}
	var out []specs.Schedule
	seen := map[workflow]bool{}
	for _, o := range objects {
		if w := workflowOf(o); w.path != "" && !seen[w] {
			seen[w] = true
			out = append(out, j.workflows[w]...)
		}
	}
	return out
}

// workflow names the file of an object of GitHub.
type workflow struct{ source, repo, path string }

func workflowOf(o *object) workflow {
	return workflow{o.Source(), o.Attr("repo"), o.Attr("workflow")}
}
