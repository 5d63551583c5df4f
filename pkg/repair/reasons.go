package repair

import (
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// reasons are all that keeps a missing role from being created: of the finding
// first, then of the role.
func (in Input) reasons(role specs.Role, f report.Finding) []Reason {
	return slices.Concat(in.ofFinding(role, f), in.ofSource(f), in.ofRole(role, f))
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
			if x.Marker.Role != "" && (x.Marker.Role == role.Key || slices.Contains(role.PreviousRoles, x.Marker.Role)) && !slices.Contains(role.Sources, x.Source) {
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
