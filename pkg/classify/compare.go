package classify

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// inactive reports the role's objects that will not run though they should.
func (j *judge) inactive(role specs.Role, ref specs.Ref, own []*object) {
	if suspended(role, j.Now) {
		return
	}
	desired := j.Desired[ref]
	var asleep []*object
	var messages []string
	var first providers.Inactive
	for _, o := range own {
		why := reasons(o, desired)
		if len(why) == 0 {
			continue
		}
		if first.Code == "" {
			first = why[0]
		}
		asleep = append(asleep, o)
		messages = append(messages, o.ID+": "+because(why))
	}
	if len(asleep) == 0 {
		return
	}
	f := about(report.Inactive, role, ref, asleep)
	f.Reason, f.NextStep = first.Code, first.Next
	f.Message = j.Mask(strings.Join(messages, "; "))
	if !role.PausedUntil.IsZero() {
		f.Hints = append(f.Hints, "the pause in the ledger ended at "+role.PausedUntil.UTC().Format(time.RFC3339))
	}
	f.ChangedBy = changedBy(asleep[0], []string{"suspend", "state"})
	j.finding(f)
}

// because joins why an object will not run. The code of the first reason is the
// finding's own.
func because(why []providers.Inactive) string {
	parts := make([]string, len(why))
	for i, w := range why {
		parts[i] = cmp.Or(w.Detail, w.Code)
		if i > 0 && w.Detail != "" {
			parts[i] = w.Code + reason(w.Detail)
		}
	}
	return strings.Join(parts, ", and ")
}

// reasons are why an object will not run. That a schedule never fires is only
// one where the ledger does not want just that.
func reasons(o *object, desired specs.Desired) []providers.Inactive {
	why := slices.Clone(o.Inactive())
	if !o.Opaque && !desired.Never && o.Spec.NeverFires() {
		why = append(why, providers.Inactive{
			Code: "never-fires", Detail: "no instant fits " + strconv.Quote(o.Spec.Written()),
			Next: "correct the schedule, or say schedule: never in the ledger if the job is only run by hand",
		})
	}
	return why
}

// drift reports what differs, over all of the role's objects in the source.
func (j *judge) drift(role specs.Role, ref specs.Ref, own []*object) {
	var drifted []*object
	var fields []report.Field
	var reason string
	var paths, hints []string
	for _, o := range own {
		diffs := j.differences(role, ref, o)
		j.cosmetic(ref, o)
		hints = append(hints, j.clockChange(ref, o)...)
		if len(diffs) == 0 {
			continue
		}
		hints = append(hints, ruleHint(diffs)...)
		drifted = append(drifted, o)
		reason = cmp.Or(reason, driftReason(role, o, diffs))
		for _, d := range diffs {
			paths = append(paths, d.Path)
			fields = append(fields, j.field(o, d, false))
		}
	}
	if len(drifted) == 0 {
		return
	}
	f := about(report.Drift, role, ref, drifted)
	f.Reason, f.Fields, f.Hints = reason, fields, hints
	f.Message = driftMessage(reason, role, drifted)
	f.ChangedBy = changedBy(drifted[0], paths)
	j.finding(f)
}

// differences compares one object with what its role wants.
func (j *judge) differences(role specs.Role, ref specs.Ref, o *object) []specs.Difference {
	var out []specs.Difference
	if suspended(role, j.Now) && len(reasons(o, specs.Desired{})) == 0 {
		out = append(out, specs.Difference{Path: "state", Desired: specs.NewText("suspended"), Observed: specs.NewText("active")})
	}
	if o.renamed {
		out = append(out, specs.Difference{Path: "role", Desired: specs.NewText(role.Key), Observed: specs.NewText(o.Marker().Role)})
	}
	if v := o.Marker().Version; v != "" && role.Version != "" && v != role.Version {
		out = append(out, specs.Difference{Path: "version", Desired: specs.NewText(role.Version), Observed: specs.NewText(v)})
	}
	if o.Opaque {
		// Refused is not suspended: where the role is to sleep, nothing else says
		// that the object is not what the ledger states.
		if suspended(role, j.Now) {
			out = append(out, specs.Difference{Path: "schedule", Desired: specs.NewText(j.Desired[ref].Spec.Written()), Observed: specs.NewText("(refused: " + because(o.Inactive()) + ")")})
		}
		return out
	}
	kept, left := sift(j.Desired[ref], o)
	j.ignored(o, left, false)
	return append(out, kept...)
}

// Same says that an object does what is desired, as far as that is stated and
// no rule takes it out of account.
func Same(d specs.Desired, o providers.Object) bool {
	kept, _ := sift(d, &object{Object: &o})
	return len(kept) == 0
}

// compareAttrs is empty if the object itself is as stated, its namespace say. The
// attribute that a file leaves open is none that differs.
func compareAttrs(d specs.Desired, o *object) []specs.Difference {
	var out []specs.Difference
	for _, name := range slices.Sorted(maps.Keys(d.Attrs)) {
		if want, have := d.Attrs[name], o.Attr(name); want != have && o.Attr("unstated") != name {
			out = append(out, specs.Difference{Path: name, Desired: specs.NewText(want), Observed: specs.NewText(have)})
		}
	}
	return out
}

// compareSpec is empty exactly if the object does what is desired.
func compareSpec(d specs.Desired, o *object) []specs.Difference {
	switch {
	case !d.Pinned.IsZero():
		if h := o.Spec.Hash(); h != d.Pinned {
			return []specs.Difference{{Path: "hash", Desired: specs.NewText(d.Pinned.String()), Observed: specs.NewText(h.String())}}
		}
		return nil
	case !d.Partial() && d.Spec.Hash() == o.Spec.Hash():
		return nil
	}
	return specs.Diff(d.Spec, seen(d, o))
}

// seen is what of an object is compared.
func seen(d specs.Desired, o *object) specs.Spec {
	if d.Partial() {
		return projected(d, o)
	}
	return o.Spec
}

// projected is the object's spec as far as the ledger states one. Environment
// and workflow are taken from the object's surroundings: a spec keeps of these
// only what every command depends on.
func projected(d specs.Desired, o *object) specs.Spec {
	s := o.Spec
	extra := []specs.Member{}
	for _, f := range d.Stated {
		switch {
		case f == "workflow":
			extra = append(extra, specs.Member{Key: f, Value: specs.NewText(o.Attr("workflow"))})
		case strings.HasPrefix(f, "env.") && o.Env != "":
			extra = append(extra, specs.Member{Key: "env", Value: o.Env.Value()})
		}
	}
	if len(extra) > 0 {
		s = s.With(extra...)
	}
	return s.Project(d.Stated)
}

// cosmetic keeps what differs only in text, for those who ask.
func (j *judge) cosmetic(ref specs.Ref, o *object) {
	d := j.Desired[ref]
	if o.Opaque || !d.Pinned.IsZero() {
		return
	}
	var diffs []specs.Difference
	if want, have := d.Spec.Written(), o.Spec.Written(); want != have && len(specs.Diff(specs.Spec{Schedules: d.Spec.Schedules}, specs.Spec{Schedules: o.Spec.Schedules})) == 0 {
		diffs = append(diffs, specs.Difference{Path: "schedule", Desired: specs.NewText(want), Observed: specs.NewText(have)})
	}
	if !d.Partial() {
		diffs = append(diffs, specs.DiffValues("", d.Spec.Cosmetic.Value(), o.Spec.Cosmetic.Value())...)
	}
	diffs, left, _ := rulesFor(d, o).part(diffs)
	j.ignored(o, left, true)
	r := &j.out.Roles[len(j.out.Roles)-1]
	for _, diff := range diffs {
		r.Cosmetic = append(r.Cosmetic, j.field(o, diff, true))
	}
}

// field shows a difference. A text from a position of secrets is hidden, of any
// other text what looks like a secret; that it changed is said by the field
// being there.
func (j *judge) field(o *object, d specs.Difference, cosmetic bool) report.Field {
	f := report.Field{Object: o.ID, Path: d.Path, Cosmetic: cosmetic}
	f.Desired = j.show(d.Desired, &f.Masked)
	f.Observed = j.show(d.Observed, &f.Masked)
	return f
}

const hidden = "***"

func (j *judge) show(v specs.Value, masked *bool) string { return Show(v, j.Mask, masked) }

// Show is a value as text, in which what is a secret by its place or by mask is
// hidden; that something was is said by masked.
func Show(v specs.Value, mask func(string) string, masked *bool) string {
	switch {
	case v.Kind == specs.Absent:
		return "(not set)"
	case v.Kind == specs.Sealed, v.Secret:
		*masked = true
		return hidden
	case v.Kind == specs.Text || v.Kind == specs.Number || v.Kind == specs.Bool:
		s := mask(v.Text)
		*masked = *masked || s != v.Text
		return s
	}
	return mask(string(specs.Spec{Body: specs.Pack(hide(v, masked))}.CanonicalBody()))
}

// hide replaces the secret leaves of a value.
func hide(v specs.Value, masked *bool) specs.Value {
	if v.Secret || v.Kind == specs.Sealed {
		*masked = true
		return specs.NewText(hidden)
	}
	v.Members = slices.Clone(v.Members)
	for i := range v.Members {
		v.Members[i].Value = hide(v.Members[i].Value, masked)
	}
	return v
}

// driftReason tells which kind of drift it is, for one object.
func driftReason(role specs.Role, o *object, diffs []specs.Difference) string {
	has := func(path string) bool {
		return slices.ContainsFunc(diffs, func(d specs.Difference) bool { return d.Path == path })
	}
	switch {
	case o.renamed:
		return "renamed"
	case has("version") && compareVersions(o.Marker().Version, role.Version) < 0:
		return "behind"
	case has("version"):
		return "ahead"
	case has("state") && len(diffs) == 1:
		return "active-though-suspended"
	}
	return "edited-without-version"
}

func driftMessage(reason string, role specs.Role, drifted []*object) string {
	o := drifted[0]
	where := o.ID
	if len(drifted) > 1 {
		where += " and " + count(len(drifted)-1) + " more"
	}
	switch reason {
	case "renamed":
		return where + " still carries the old marker " + strconv.Quote(o.Marker().Role)
	case "behind":
		return where + " is at version " + strconv.Quote(o.Marker().Version) + ", the ledger at " + strconv.Quote(role.Version)
	case "ahead":
		return where + " is at version " + strconv.Quote(o.Marker().Version) + ", ahead of the ledger's " + strconv.Quote(role.Version)
	case "active-though-suspended":
		return where + " is active, and the ledger wants it suspended"
	}
	return where + " is not as the ledger states, though its version was not changed"
}

// compareVersions orders versions part by part, numbers by value: 9 is before
// 10, 1.9 before 1.10.
func compareVersions(a, b string) int {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '-' || r == '_' || r == '+' })
	}
	x, y := split(a), split(b)
	for i := range min(len(x), len(y)) {
		m, err1 := strconv.ParseUint(strings.TrimPrefix(x[i], "v"), 10, 64)
		n, err2 := strconv.ParseUint(strings.TrimPrefix(y[i], "v"), 10, 64)
		c := strings.Compare(x[i], y[i])
		if err1 == nil && err2 == nil {
			c = cmp.Compare(m, n)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// changedBy is the last known change that touched one of the fields, else the
// last one of which it is not known what it touched.
func changedBy(o *object, paths []string) *report.Change {
	var best *providers.Change
	changes := o.Changes()
	for i := range changes {
		c := &changes[i]
		touched := len(c.Paths) == 0 || slices.ContainsFunc(c.Paths, func(p string) bool {
			return slices.ContainsFunc(paths, func(q string) bool { return p == q || strings.HasPrefix(q, p+".") || strings.HasPrefix(q, p+"[") })
		})
		if touched && (best == nil || len(best.Paths) == 0 && len(c.Paths) > 0 || (len(best.Paths) == 0) == (len(c.Paths) == 0) && c.When.After(best.When)) {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return &report.Change{Who: best.Who, When: best.When.UTC(), Evidence: best.Evidence}
}
