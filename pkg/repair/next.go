package repair

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// nextSteps are what a person does about a finding that is never repaired, worked
// out for its objects. No command among them is ever run by rolecall.
func (in Input) nextSteps(f report.Finding) []string {
	switch f.Kind {
	case report.Inactive:
		return in.ofInactive(f)
	case report.Duplicate:
		return in.ofDuplicate(f)
	case report.Drift:
		return in.ofDrift(f)
	case report.Unexpected:
		return in.ofUnexpected(f)
	}
	return append([]string{f.NextStep}, f.Hints...)
}

// changed says who made a finding so.
func changed(f report.Finding) string {
	if c := f.ChangedBy; c != nil {
		return "changed by " + by(c.Who, c.When, c.Evidence)
	}
	return "changed by whom is not known here"
}

func by(who string, when time.Time, evidence string) string {
	text := who
	if text == "" {
		text = "somebody unnamed"
	}
	if !when.IsZero() {
		text += " at " + when.UTC().Format(time.RFC3339)
	}
	if evidence != "" {
		text += " (" + evidence + ")"
	}
	return text
}

// ofInactive names what switched each object off, and then the command that would
// switch it on.
func (in Input) ofInactive(f report.Finding) []string {
	ask := "ask " + owner(f) + " whether that was meant; if it was, say state: suspended in the ledger at " + f.Location.String()
	out := []string{changed(f), ask}
	if in.kind(f.Source) == "github" { // a commit switches no workflow off
		out[0] = "who switched it off is in the audit log of the repository's owner; the file was last " + changed(f)
	}
	for _, o := range in.objects(f) {
		for _, off := range o.Inactive() {
			if step := enabling(o, off); step != "" {
				out = append(out, "if it was not: "+step)
			}
		}
	}
	if len(out) == 2 {
		out = append(out, "if it was not: "+f.NextStep)
	}
	return out
}

func owner(f report.Finding) string {
	if f.Owner == "" {
		return "who answers for the role"
	}
	return f.Owner
}

// objects are those that a finding names; two may share an id.
func (in Input) objects(f report.Finding) []providers.Object {
	var out []providers.Object
	for _, o := range in.World.Observations {
		for _, x := range o.Objects {
			if slices.Contains(f.Objects, x.ID) {
				out = append(out, x)
			}
		}
	}
	return out
}

// enabling is the command that undoes one cause of inactivity, or what to do
// where there is none.
func enabling(o providers.Object, off providers.Inactive) string {
	switch o.Provider() + " " + off.Code {
	case "kubernetes suspended":
		patch := `{"spec":{"suspend":false}}`
		if strings.HasPrefix(off.Detail, "jobTemplate.") {
			patch = `{"spec":{"jobTemplate":{"spec":{"suspend":false}}}}`
		}
		return "kubectl patch cronjob " + specs.ShellWord(o.Attr("name")) + " -n " + specs.ShellWord(o.Attr("namespace")) + " --type=merge -p " + specs.ShellWord(patch)
	case "github disabled_manually", "github disabled_inactivity", "github disabled_fork":
		return "gh workflow enable " + specs.ShellWord(path.Base(o.Attr("workflow"))) + " -R " + specs.ShellWord(o.Attr("repo"))
	case "github archived":
		return "gh repo unarchive " + specs.ShellWord(o.Attr("repo"))
	case "github actions-disabled":
		return "gh api -X PUT " + specs.ShellWord("repos/"+o.Attr("repo")+"/actions/permissions") + " -F enabled=true"
	case "crontab commented-out":
		return edit(o) + ", and take the comment sign off the entry at " + o.Pos.String()
	case "crontab invalid-line", "crontab file-not-loaded":
		if off.Next == "" {
			return edit(o) + ", and correct what cron refuses: " + off.Detail
		}
	}
	return off.Next
}

// spools are the folders of users' tables to which crontab(1) of the machine
// writes: of Debian, cronie and busybox.
var spools = []string{"", "/var/spool/cron/crontabs", "/var/spool/cron", "/etc/crontabs"}

// edit is the command that opens the table in which an entry stands. What stands
// below another root is a file there, and no table of this machine's users.
func edit(o providers.Object) string {
	folder := strings.TrimSuffix(path.Dir(o.Pos.File), "/")
	if o.Pos.File == "" {
		folder = ""
	}
	if user, ok := strings.CutPrefix(o.Part(), "user/"); ok && slices.Contains(spools, folder) {
		return "crontab -e -u " + specs.ShellWord(user)
	}
	return "sudoedit " + specs.ShellWord(o.Pos.File)
}

// ofDuplicate lists the objects with who made each and says what running them at
// once may do.
func (in Input) ofDuplicate(f report.Finding) []string {
	var out []string
	running := 0
	for _, o := range in.objects(f) {
		state := "active"
		if len(o.Inactive()) > 0 {
			state = "inactive: " + o.Inactive()[0].Code
		} else {
			running++
		}
		id := o.ID
		if o.Pos.File != "" {
			id += " at " + o.Pos.String()
		}
		out = append(out, fmt.Sprintf("%s, %s, %s, fires at: %s", id, origin(o), state, o.Spec.Written()))
	}
	risk := "only one of them is active now; the job runs twice from the day on which another is switched on"
	if running != 1 {
		risk = "each active one runs at its own instants: two runs at once may do the work twice, or undo each other's"
	}
	return append(out, risk, "decide with "+owner(f)+" which one is right (compare them with: rolecall explain "+f.Role+"), let a run that has begun end, and only then take the others out")
}

// origin is who made or last changed an object, and since when it is there.
func origin(o providers.Object) string {
	var parts []string
	if n := len(o.Changes()); n > 0 {
		last := o.Changes()[0]
		for _, c := range o.Changes() {
			if c.When.After(last.When) {
				last = c
			}
		}
		parts = append(parts, "last changed by "+by(last.Who, last.When, last.Evidence))
	} else if user := o.Attr("user"); user != "" {
		parts = append(parts, "of user "+user)
	}
	if !o.Created().IsZero() && o.Created().Unix() > 0 {
		parts = append(parts, "there since "+o.Created().UTC().Format(time.RFC3339))
	}
	if len(parts) == 0 {
		return "who made it and when is not known here"
	}
	return strings.Join(parts, ", ")
}

// ofDrift sets what is wanted against what is there.
func (in Input) ofDrift(f report.Finding) []string {
	out := []string{changed(f)}
	for _, d := range f.Fields {
		if !d.Cosmetic {
			out = append(out, fmt.Sprintf("%s: the ledger wants %s, there is %s", d.Path, shown(d.Desired), shown(d.Observed)))
		}
	}
	step := "find out with " + owner(f) + " which of the two is right; then bring the object up to date the way it is deployed, or the ledger by a reviewed change with a new version"
	if role, ok := in.role(f.Role); ok && role.Statement.Template != nil && in.kind(f.Source) == "kubernetes" {
		step += "; what would change: kubectl diff -f " + specs.ShellWord(role.Statement.Template.Name)
	}
	return append(out, step)
}

func shown(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return s
}

// ofUnexpected says who made an object and since when, and both ways out.
func (in Input) ofUnexpected(f report.Finding) []string {
	var out []string
	for _, o := range in.objects(f) {
		out = append(out, o.ID+": "+origin(o))
		name := "NAME"
		if o.Marker().Role != "" {
			name = o.Marker().Role
		}
		out = append(out, "if it is wanted: rolecall ledger adopt "+specs.ShellWord(o.ID)+" --role "+specs.ShellWord(name))
	}
	return append(append(out, f.Hints...), "if it is not, ask who made it before it is taken out")
}
