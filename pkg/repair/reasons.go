package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// reasons are all that keeps a missing role from being created: of the finding
// first, then of the role.
func (in Input) reasons(role specs.Role, f report.Finding) []Reason {
	return slices.Concat(in.ofFinding(role, f), in.ofSource(f), in.ofOthers(role, f), in.ofRole(role, f))
}

func (in Input) ofFinding(role specs.Role, f report.Finding) []Reason {
	var out []Reason
	add := func(code, message, next string) { out = append(out, Reason{code, message, next}) }
	if f.Waived() {
		add("waived", "the finding is waived until "+f.Waiver.Until+": "+f.Waiver.Reason, "take the waiver out of the ledger ("+f.Waiver.Pos.String()+") if the role is to be there again")
	}
	if !f.Confirmed {
		add("not-confirmed", "one look says that it is missing, and no second look was taken", "run it again without --settle 0")
	}
	if at := in.elsewhere(role, f); at != "" {
		add("moved", at, "look at that object; if the role belongs there, say so in the ledger, and if not take its marker off")
	}
	return out
}

// elsewhere says where the role may have moved to.
func (in Input) elsewhere(role specs.Role, f report.Finding) string {
	for _, hint := range f.Hints {
		if strings.HasPrefix(hint, "it may have moved") {
			return hint
		}
	}
	for _, o := range in.World.Observations {
		for _, x := range o.Objects {
			if x.Marker().Role != "" && (x.Marker().Role == role.Key || slices.Contains(role.PreviousRoles, x.Marker().Role)) && !slices.Contains(role.Sources, x.Source()) {
				return "it may have moved: " + x.ID
			}
		}
	}
	return ""
}

// ofSource is what keeps a whole source from being repaired.
func (in Input) ofSource(f report.Finding) []Reason {
	var out []Reason
	var unread []string
	for _, c := range in.Report.Coverage {
		if c.Source == f.Source && c.Gap() {
			unread = append(unread, c.Part+" ("+c.State+": "+c.Reason+")")
		}
	}
	if len(unread) > 0 {
		out = append(out, Reason{"not-read", "not all of the source was read: " + strings.Join(unread, "; "), "make what was not read readable, then run it again"})
	}
	for _, n := range in.Report.Notes {
		if n.Source == f.Source && n.Code == "suspicious-empty" {
			out = append(out, Reason{"suspicious-empty", n.Message, "check that this is the right host, cluster or repository; if all was really lost, bring one job back by hand, and the others can be repaired"})
		}
	}
	if in.Repairers[f.Source] == nil {
		out = append(out, Reason{"no-writer", "rolecall cannot create anything in this source", "register the job by hand as the ledger states it"})
	}
	return out
}

// ofOthers are other sources in which the role may stand by now and that were not
// read, though they could be.
func (in Input) ofOthers(role specs.Role, f report.Finding) []Reason {
	var out []Reason
	add := func(source, why, next string) {
		if source != f.Source && !slices.Contains(role.Sources, source) {
			out = append(out, Reason{"not-read", "the role may have moved to source " + source + ", which " + why, next})
		}
	}
	for _, o := range in.World.Observations {
		if why := unread(o); why != "" {
			add(o.Source, "was not all read: "+why, "make what was not read readable, then run it again")
		}
	}
	for _, u := range in.Skipped {
		if u.Chosen {
			add(u.Source, "was not looked at: "+u.Reason, "look at all sources of the config at once")
		}
	}
	return out
}

// unread is what of a source was not read; empty if all was.
func unread(o providers.Observation) string {
	gaps := o.Gaps()
	switch {
	case len(o.Areas) == 0:
		return "nothing was said of it"
	case len(gaps) == 0:
		return ""
	}
	text := gaps[0].Part + " (" + string(gaps[0].State) + ": " + gaps[0].Reason + ")"
	if n := len(gaps) - 1; n > 0 {
		text += fmt.Sprintf(", and %d parts more", n)
	}
	return text
}

// skipped announces the sources that this run has no way to look at, in which the
// role may stand.
func (in Input) skipped(role specs.Role) []string {
	var out []string
	for _, u := range in.Skipped {
		if !u.Chosen && !slices.Contains(role.Sources, u.Source) {
			out = append(out, "not looked at: "+u.Source+" ("+u.Reason+"); if the role has moved there, it would run twice")
		}
	}
	return out
}

// ofPlace are objects that are there already: at the very place, or doing the same.
func (in Input) ofPlace(role specs.Role, ref specs.Ref, p providers.Proposal) []Reason {
	if o, ok := in.object(p.Place); ok {
		return []Reason{{"place-taken", "there is an object already at " + p.Place + ", which does not play the role" + marked(o), "look at it; put the role's marker on it if it is the right one, or give the template another name"}}
	}
	var out []Reason
	for _, o := range in.World.Observations {
		for _, x := range o.Objects {
			if !x.Marker().Present() && in.alike(in.Desired[ref], p, x) && !in.Claimed(x) {
				out = append(out, Reason{"same-job", "the same job is there already without a marker, " + x.ID + " at " + x.Pos.String() + "; created once more it would run twice", "if it is the role's, put the marker on it (" + markerFor(role, x) + "); if not, take it out, or state it as a role of its own: rolecall ledger adopt " + specs.ShellWord(x.ID) + " --role NAME"})
			}
		}
	}
	return out
}

// alike says that an object does what a role wants: all of it, or in a crontab the
// same command for the same user at the same times, whatever its environment.
func (in Input) alike(d specs.Desired, p providers.Proposal, o providers.Object) bool {
	switch owner, personal := strings.CutPrefix(p.Part, "user/"); {
	case o.Opaque || d.Never || len(d.Spec.Schedules) == 0 || o.Provider() != in.kind(p.Ref.Source):
		return false
	case personal && o.Attr("user") != "" && o.Attr("user") != owner:
		return false
	case in.Same(d, o):
		return true
	case o.Provider() != "crontab" || times(d.Spec) != times(o.Spec):
		return false
	}
	for _, field := range []string{"command", "stdin", "user"} {
		want := d.Spec.Body.Get(field)
		if have := o.Spec.Body.Get(field); want.Text != have.Text && !(field == "user" && want.Empty()) {
			return false
		}
	}
	return true
}

// times is equal for two specs exactly if their schedules are.
func times(s specs.Spec) string {
	var out []string
	for _, schedule := range s.Schedules {
		out = append(out, schedule.Canonical())
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\n")
}

// markerFor is how an object would say that it plays a role.
func markerFor(role specs.Role, o providers.Object) string {
	version := role.Version
	if o.Provider() == "kubernetes" {
		text := "kubectl annotate cronjob " + specs.ShellWord(o.Attr("name")) + " -n " + specs.ShellWord(o.Attr("namespace")) + " rolecall/role=" + specs.ShellWord(role.Key)
		if version != "" {
			text += " rolecall/version=" + specs.ShellWord(version)
		}
		return text
	}
	if version != "" {
		version = " version=" + version
	}
	return "a line above it: # rolecall: role=" + role.Key + version
}

// ofTemplate is why what the template states would not run.
func (in Input) ofTemplate(role specs.Role, ref specs.Ref, p providers.Proposal) []Reason {
	var out []Reason
	const next = "correct the template, or set state: suspended if it is not to run"
	for _, why := range p.Inactive {
		code := "inactive-template"
		if why.Code == "suspended" {
			code = "suspended-template"
		}
		out = append(out, Reason{code, "the role is to be active, and as the template has it, it would not run: " + cmp.Or(why.Detail, why.Code), next})
	}
	if d := in.Desired[ref]; d.Spec.NeverFires() && !d.Never {
		out = append(out, Reason{"inactive-template", "the role is to be active, and the template's schedule never fires: " + d.Spec.Written(), next})
	}
	return out
}

func (in Input) ofRole(role specs.Role, f report.Finding) []Reason {
	var out []Reason
	add := func(code, message, next string) { out = append(out, Reason{code, message, next}) }
	at := role.Pos.String()
	switch {
	case role.Suspended:
		add("suspended", "the ledger says state: suspended, so that nothing would run", "register it by hand, or set state: active if it is to run")
	case in.Now.Before(role.PausedUntil):
		add("paused", "the role is paused until "+role.PausedUntil.UTC().Format("2006-01-02 15:04")+" UTC", "run it again after that, or take paused_until out of the ledger")
	}
	if role.Pending {
		add("unreviewed", "nobody has reviewed the role yet", "read the role at "+at+", then remove its line review: pending")
	}
	if !role.Repair.CreateMissing {
		add("not-allowed", "the ledger does not allow it", "add repair: {missing: create} to the role at "+at+" by a reviewed change")
	}
	if role.Owner == "" {
		add("no-owner", "the role has no owner who answers for what runs", "add owner: to the role at "+at)
	}
	st := role.Statement
	switch {
	case st.Template != nil || st.Workflow != "" && in.kind(f.Source) == "github":
	case !st.Hash.IsZero():
		add("hash-only", "the ledger pins only the hash of the object, from which it cannot be made", "state the object by spec: {template: FILE} in place of the hash, at "+at)
	default:
		add("no-template", "the ledger states some fields and not the whole object", "state the object by spec: {template: FILE}, at "+at)
	}
	return out
}

// kind is the name of a source's provider.
func (in Input) kind(source string) string {
	o, _ := in.World.Source(source)
	return o.Provider
}

// neverRepaired is the reason for a finding of another kind than missing.
func (in Input) neverRepaired(f report.Finding) Reason {
	why := map[report.Kind]string{
		report.Unknown:    "it could not be seen whether it is there",
		report.Duplicate:  "which of several objects is the right one is for a person to say; none is ever removed",
		report.Inactive:   "somebody or something switched it off; nothing is ever switched on",
		report.Drift:      "it is there and differs; nothing is ever overwritten",
		report.Ambiguous:  "which role the object plays is for the ledger to say",
		report.Unreviewed: "nobody has reviewed the role yet",
		report.Unexpected: "nothing is ever removed",
	}[f.Kind]
	if why == "" {
		why = "it is registered; creating it again would not help"
	}
	code := string(f.Kind)
	if f.Kind == report.Unknown {
		code = "not-read"
	}
	return Reason{code, f.Message + "; " + why, f.NextStep}
}
