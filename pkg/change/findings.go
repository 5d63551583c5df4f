package change

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// Findings are those of the kinds that are about a change. Base names the earlier
// state to people.
func Findings(before, after Side, base string, mask func(string) string) []report.Finding {
	c := comparison{before, after, mask}
	var out []report.Finding
	for _, p := range pairs(before.Ledger, after.Ledger) {
		for _, r := range p.refs() {
			switch {
			case r.after == specs.Ref{}:
				out = append(out, c.removed(p, r.before, base))
			case r.before != specs.Ref{}:
				if f, ok := c.version(p, r); ok {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

func finding(kind report.Kind, ref specs.Ref, role *specs.Role) report.Finding {
	return report.Finding{
		ID: string(kind) + ":" + ref.String(), Kind: kind, Role: ref.Role, Source: ref.Source, Owner: role.Owner,
		Confirmed: true, NextStep: kind.Entry().NextStep, AtBase: report.AtBaseAbsent,
	}
}

// removed stands where the role did.
func (c comparison) removed(p pair, ref specs.Ref, base string) report.Finding {
	f := finding(report.Removed, ref, p.before)
	f.Location = specs.Pos{File: cmp.Or(c.after.Ledger.Path, p.before.Pos.File), Line: Line(c.before.Text, c.after.Text, p.before.Pos.Line)}
	f.Reason = "role-removed"
	f.Message = "the change takes role " + ref.Role + owned(p.before) + " out of the ledger; it stood at " + line(p.before.Pos) + " in " + base
	if p.after != nil {
		f.Reason, f.Location, f.Owner = "source-removed", p.after.Pos, p.after.Owner
		f.Message = "the change takes source " + ref.Source + " from role " + p.after.Key + owned(p.before) + ", which stays in " + strings.Join(p.after.Sources, ", ")
		f.ID, f.Role = string(report.Removed)+":"+p.after.Key+"@"+ref.Source, p.after.Key
	}
	return f
}

func owned(r *specs.Role) string {
	if r.Owner == "" {
		return ", which names no owner,"
	}
	return " (owner " + r.Owner + ")"
}

// line is a place without its column.
func line(at specs.Pos) string {
	at.Column = 0
	return at.String()
}

// version holds a role to its version.
func (c comparison) version(p pair, r refs) (report.Finding, bool) {
	was, is := p.before.Version, p.after.Version
	f := finding(report.Version, r.after, p.after)
	f.Location = p.after.Pos
	differ := c.fieldsOf(p, r)
	unstated := c.unstated(r)
	switch {
	case was == "":
		return f, false
	case is == "":
		f.Reason = "dropped"
		f.Message = "the change takes away the role's version, which was " + strconv.Quote(was) + ", so that its edits could no longer be told"
	case lower(is, was):
		f.Reason = "went-back"
		f.Message = "the change lowers the role's version from " + strconv.Quote(was) + " to " + strconv.Quote(is)
	case is == was && c.another(p, r):
		f.Reason = "not-raised"
		f.Message = "the change edits the role's spec (" + differs(differ) + ") and leaves its version at " + strconv.Quote(is)
		f.Location, f.ObservedAt = place(p.after.Statement, differ)
	case is == was && len(unstated) > 0:
		f.Reason = "not-raised"
		f.Message = "the change lets an ignore rule take part of the role's spec out of account (" + unstated[0].String() + ") and leaves its version at " + strconv.Quote(is)
		f.Location = unstated[0].Pos
	default:
		return f, false
	}
	for _, d := range differ[:min(len(differ), mostHints)] {
		f.Hints = append(f.Hints, d.Path+": "+d.Before+" → "+d.After)
	}
	return f, true
}

// unstated are the ignore rules that the change brings and that take what was
// stated of a role out of account, so that less of it is. Which fields a client
// will write is not known, so a rule by manager is one of them.
func (c comparison) unstated(r refs) []specs.Rule {
	before, was := c.before.Desired[r.before]
	after, is := c.after.Desired[r.after]
	if !was || !is || !before.Pinned.IsZero() {
		return nil
	}
	same := func(a specs.Rule) func(specs.Rule) bool {
		return func(b specs.Rule) bool { return a.String() == b.String() }
	}
	var out []specs.Rule
	for _, rule := range after.Ignore {
		if !slices.ContainsFunc(before.Ignore, same(rule)) && takes(rule, before) {
			out = append(out, rule)
		}
	}
	return out
}

// takes says that a rule takes something that is stated out of account.
func takes(rule specs.Rule, d specs.Desired) bool {
	if rule.Manager != "" {
		return true
	}
	var stated []string
	for name := range d.Attrs {
		stated = append(stated, name)
	}
	for _, x := range specs.Diff(specs.Spec{}, d.Spec) {
		stated = append(stated, x.Path)
	}
	for _, x := range specs.DiffValues("", specs.Value{}, d.Spec.Body.Value()) {
		stated = append(stated, x.Path)
	}
	if len(d.Spec.Schedules) > 0 {
		stated = append(stated, "schedule", "time_zone")
	}
	return slices.ContainsFunc(stated, func(field string) bool {
		path, err := specs.ParsePath(field)
		return err == nil && (rule.Covers(path) > 0 || path.Within(rule.Path))
	})
}

// mostHints is how many fields a finding shows; the list of changes has all.
const mostHints = 5

// another is that of both specs, or of what is written where they could not be
// translated.
func (c comparison) another(p pair, r refs) bool {
	before, was := c.before.Desired[r.before]
	after, is := c.after.Desired[r.after]
	if was && is {
		return another(before, after)
	}
	return len(c.fieldsOf(p, r)) > 0
}

func (c comparison) fieldsOf(p pair, r refs) []report.EditField {
	f := fields{mask: c.mask}
	before, was := c.before.Desired[r.before]
	after, is := c.after.Desired[r.after]
	if was && is {
		c.specFields(&f, p, before, after)
	} else {
		statementFields(&f, p)
	}
	return f.list
}

func differs(fields []report.EditField) string {
	var out []string
	for _, f := range fields {
		if len(out) == 3 {
			out = append(out, fmt.Sprintf("and %d more", len(fields)-3))
			break
		}
		out = append(out, f.Path)
	}
	return cmp.Or(strings.Join(out, ", "), "less of it is stated")
}

// place is the line of the ledger in which the first of the fields stands, and
// the file that it names as the spec.
func place(st specs.Statement, differ []report.EditField) (at, file specs.Pos) {
	at = st.Pos
	for _, name := range []string{"template", "workflow", "hash"} {
		if pos, ok := st.Place(name); ok {
			at = pos
		}
	}
	for _, f := range differ {
		if pos, ok := st.Place(f.Path); ok {
			at = pos
			break
		}
	}
	if st.Template != nil {
		file.File = st.Template.Name
	}
	return at, file
}
