package change

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// Edits are what a change does to a ledger, as far as it says something else:
// order, layout and comments are nothing. Mask hides secrets in a text.
func Edits(before, after Side, mask func(string) string) []report.Edit {
	c := comparison{before, after, mask}
	out := c.itself()
	for _, p := range pairs(before.Ledger, after.Ledger) {
		if e, ok := c.role(p); ok {
			out = append(out, e)
		}
	}
	return append(append(out, c.waivers()...), c.rules()...)
}

type comparison struct {
	before, after Side
	mask          func(string) string
}

// itself are the fields of the ledger itself. One that appears says nothing.
func (c comparison) itself() []report.Edit {
	a, b := c.before.Ledger, c.after.Ledger
	if a.Path == "" || b.Path == "" {
		return nil
	}
	f := fields{mask: c.mask}
	f.add("name", a.Name, b.Name)
	f.add("revision", revision(a), revision(b))
	if len(f.list) == 0 {
		return nil
	}
	at, was := specs.Pos{File: b.Path, Line: 1}, specs.Pos{File: a.Path, Line: 1}
	return []report.Edit{{Of: "ledger", Name: cmp.Or(b.Name, b.Path), What: "changed", Fields: f.list, Location: at, BaseLocation: was}}
}

func revision(l ledger.Ledger) string {
	if l.Revision == 0 {
		return ""
	}
	return fmt.Sprint(l.Revision)
}

// fields gathers those that differ.
type fields struct {
	list []report.EditField
	mask func(string) string
}

const notSet = "(not set)"

func (f *fields) add(path, before, after string) { f.addWords(path, before, after, "", "") }

func (f *fields) addWords(path, before, after, beforeWords, afterWords string) {
	if before == after {
		return
	}
	e := report.EditField{Path: path, Before: f.mask(before), After: f.mask(after), BeforeWords: f.mask(beforeWords), AfterWords: f.mask(afterWords)}
	e.Masked = e.Before != before || e.After != after
	e.Before, e.After = cmp.Or(e.Before, notSet), cmp.Or(e.After, notSet)
	f.put(e)
}

// put keeps a field once: in several sources it may be the same.
func (f *fields) put(e report.EditField) {
	if !slices.Contains(f.list, e) {
		f.list = append(f.list, e)
	}
}

// role is what a change does to one role.
func (c comparison) role(p pair) (report.Edit, bool) {
	e := report.Edit{Of: "role", What: "changed"}
	switch {
	case p.before == nil:
		e.What, e.Name, e.Owner, e.Location = "added", p.after.Key, p.after.Owner, p.after.Pos
	case p.after == nil:
		e.What, e.Name, e.Owner, e.BaseLocation = "removed", p.before.Key, p.before.Owner, p.before.Pos
	default:
		e.Name, e.Owner, e.Location, e.BaseLocation = p.after.Key, p.after.Owner, p.after.Pos, p.before.Pos
		if p.before.Key != p.after.Key {
			e.What = "renamed"
		}
	}
	f := fields{mask: c.mask}
	a, b := sayings(p.before), sayings(p.after)
	for i, name := range sayingNames {
		if e.Location.Line > 0 && e.BaseLocation.Line > 0 || worthSaying(name, a[i]+b[i]) {
			f.add(name, a[i], b[i])
		}
	}
	f.list = append(f.list, c.spec(p)...)
	f.terms(p)
	e.Fields = f.list
	return e, len(e.Fields) > 0 || p.before == nil || p.after == nil
}

// sayingNames are what a role says beside its spec, each as one text.
var sayingNames = []string{"role", "owner", "purpose", "sources", "version", "state", "paused_until", "match", "previous_roles", "review", "ignore", "ref", "spec"}

// worthSaying says that something of a role that appears or vanishes is not said
// by its name already, nor the usual.
func worthSaying(name, text string) bool {
	return name != "role" && name != "owner" && text != "active"
}

func sayings(r *specs.Role) []string {
	if r == nil {
		return make([]string, len(sayingNames))
	}
	state, paused, review := "active", "", ""
	if r.Suspended {
		state = "suspended"
	}
	if !r.PausedUntil.IsZero() {
		paused = r.PausedUntil.UTC().Format(time.RFC3339)
	}
	if r.Pending {
		review = "pending"
	}
	return []string{
		r.Key, r.Owner, r.Purpose, listed(r.Sources), r.Version, state, paused, matchText(r.Match), listed(r.PreviousRoles), review, ruleText(r.Ignore), r.Remembered.UID, form(r.Statement),
	}
}

func listed(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), ", ") }

func matchText(m specs.Match) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m.Keys)) {
		out = append(out, k+": "+m.Keys[k])
	}
	for _, k := range slices.Sorted(maps.Keys(m.Labels)) {
		out = append(out, "label "+k+": "+m.Labels[k])
	}
	return strings.Join(out, ", ")
}

func ruleText(rules []specs.Ignore) string {
	var out []string
	for _, r := range rules {
		out = append(out, r.String()+", "+r.Reason)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// form is how a spec is stated.
func form(st specs.Statement) string {
	switch {
	case st.Template != nil:
		return "template " + st.Template.Name
	case !st.Hash.IsZero():
		return "hash"
	case st.Workflow != "":
		return "workflow " + st.Workflow
	}
	return "inline"
}

// spec are the fields in which a role's spec is another one.
func (c comparison) spec(p pair) []report.EditField {
	f := fields{mask: c.mask}
	translated := false
	for _, r := range p.refs() {
		before, was := c.before.Desired[r.before]
		after, is := c.after.Desired[r.after]
		if was && is || p.after == nil && was || p.before == nil && is {
			translated = true
			c.specFields(&f, p, before, after)
		}
	}
	switch {
	case !translated:
		statementFields(&f, p)
	case p.before != nil && p.after != nil && form(p.before.Statement) == form(p.after.Statement):
		uncompared(&f, p)
	}
	return f.list
}

func (c comparison) specFields(f *fields, p pair, before, after specs.Desired) {
	switch {
	case p.before == nil || p.after == nil:
		f.addWords("schedule", before.Spec.Written(), after.Spec.Written(), words(before.Spec), words(after.Spec))
		return
	case !before.Pinned.IsZero() || !after.Pinned.IsZero():
		if another(before, after) {
			f.add("hash", hashText(before), hashText(after))
		}
	}
	if before.Pinned.IsZero() && after.Pinned.IsZero() {
		names := slices.AppendSeq(slices.Collect(maps.Keys(before.Attrs)), maps.Keys(after.Attrs))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			f.add(name, before.Attrs[name], after.Attrs[name])
		}
	}
	a, b := before.Spec, after.Spec
	switch {
	case !before.Pinned.IsZero() || !after.Pinned.IsZero():
		a.Body, b.Body = "", ""
	case before.Partial() && !after.Partial():
		b = b.Project(before.Stated)
	case after.Partial() && !before.Partial():
		a = a.Project(after.Stated)
	}
	for _, d := range specs.Diff(a, b) {
		if len(b.Schedules)+len(a.Schedules) > 0 && d.Path == "schedule" {
			f.addWords(d.Path, a.Written(), b.Written(), words(a), words(b))
			continue
		}
		e := report.EditField{Path: d.Path}
		e.Before, e.After = classify.Show(d.Desired, c.mask, &e.Masked), classify.Show(d.Observed, c.mask, &e.Masked)
		f.put(e)
	}
}

func hashText(d specs.Desired) string {
	if d.Pinned.IsZero() {
		return d.Spec.Hash().String()
	}
	return d.Pinned.String()
}

// words say when a spec comes due.
func words(s specs.Spec) string {
	var out []string
	for _, schedule := range s.Schedules {
		out = append(out, schedule.Words())
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "; ")
}

// uncompared adds what is written otherwise and is not compared in the role's
// sources, so that no translation has it.
func uncompared(f *fields, p pair) {
	var raw fields
	raw.mask = f.mask
	statementFields(&raw, p)
	for _, e := range raw.list {
		known := func(have report.EditField) bool { return have.Path == e.Path }
		if e.Path != "schedule" && e.Path != "time_zone" && e.Path != "template" && e.Path != "hash" && !slices.ContainsFunc(f.list, known) {
			f.put(e)
		}
	}
}

// statementFields compares specs as they are written, where they could not be
// translated.
func statementFields(f *fields, p pair) {
	a, b := stated(p.before), stated(p.after)
	names := slices.Sorted(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasPrefix(name, "content ") {
			if a[name] != b[name] && a[name] != "" && b[name] != "" {
				f.put(report.EditField{Path: "template", Before: "one text", After: "another text"})
			}
			continue
		}
		f.add(name, a[name], b[name])
	}
}

func stated(r *specs.Role) map[string]string {
	out := map[string]string{}
	if r == nil {
		return out
	}
	st := r.Statement
	out["schedule"] = strings.Join(slices.Sorted(slices.Values(st.Schedule)), "; ")
	out["workflow"] = st.Workflow
	for name, v := range map[string]*string{"time_zone": st.TimeZone, "user": st.User, "command": st.Command, "stdin": st.Stdin, "concurrency_policy": st.ConcurrencyPolicy} {
		if v != nil {
			out[name] = *v
		}
	}
	if st.StartingDeadlineSeconds != nil {
		out["starting_deadline_seconds"] = fmt.Sprint(*st.StartingDeadlineSeconds)
	}
	for name, v := range st.Env {
		out["env."+name] = v
	}
	if st.Template != nil {
		out["content "] = string(st.Template.Data)
	}
	if !st.Hash.IsZero() {
		out["hash"] = st.Hash.String()
	}
	return out
}

func (c comparison) waivers() []report.Edit {
	index := func(l ledger.Ledger) map[string]ledger.Waiver {
		out := map[string]ledger.Waiver{}
		for _, w := range l.Waivers {
			out[w.Finding] = w
		}
		return out
	}
	texts := func(w ledger.Waiver) [][2]string {
		return [][2]string{{"reason", w.Reason}, {"owner", w.Owner}, {"until", w.UntilText}}
	}
	before, after := index(c.before.Ledger), index(c.after.Ledger)
	return things(c, "waiver", before, after, func(w ledger.Waiver) specs.Pos { return w.Pos }, texts)
}

func (c comparison) rules() []report.Edit {
	index := func(l ledger.Ledger) map[string]specs.Ignore {
		out := map[string]specs.Ignore{}
		for _, ig := range l.Ignore {
			out[ig.String()+" in "+ig.Source] = ig
		}
		return out
	}
	texts := func(ig specs.Ignore) [][2]string { return [][2]string{{"reason", ig.Reason}} }
	before, after := index(c.before.Ledger), index(c.after.Ledger)
	return things(c, "ignore", before, after, func(ig specs.Ignore) specs.Pos { return ig.Pos }, texts)
}

// things are the edits of what a ledger lists by a name.
func things[T any](c comparison, of string, before, after map[string]T, pos func(T) specs.Pos, texts func(T) [][2]string) []report.Edit {
	var out []report.Edit
	for _, name := range slices.Sorted(maps.Keys(merged(before, after))) {
		a, was := before[name]
		b, is := after[name]
		e := report.Edit{Of: of, Name: c.mask(name), What: "changed"}
		switch {
		case !was:
			e.What, e.Location = "added", pos(b)
		case !is:
			e.What, e.BaseLocation = "removed", pos(a)
		default:
			e.Location, e.BaseLocation = pos(b), pos(a)
		}
		f := fields{mask: c.mask}
		x, y := texts(a), texts(b)
		for i := range x {
			f.add(x[i][0], x[i][1], y[i][1])
		}
		if e.Fields = f.list; len(e.Fields) > 0 {
			out = append(out, e)
		}
	}
	return out
}

func merged[T any](a, b map[string]T) map[string]T {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
