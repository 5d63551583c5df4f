package moments

import (
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// pair compares an object with itself at the later moment.
func (d *differ) pair(a, b providers.Object) {
	d.out.Compared++
	var fields []Field
	add := func(cosmetic bool, diffs ...specs.Difference) {
		for _, x := range diffs {
			if slices.ContainsFunc(fields, func(f Field) bool { return f.Path == x.Path }) {
				continue
			}
			f := Field{Path: x.Path, Cosmetic: cosmetic}
			f.Before, f.After = d.rules.Show(x.Desired, &f.Masked), d.rules.Show(x.Observed, &f.Masked)
			fields = append(fields, f)
		}
	}
	add(false, texts("state", stateOf(a), stateOf(b))...)
	add(false, texts("role", a.Marker().Role+a.Marker().Invalid, b.Marker().Role+b.Marker().Invalid)...)
	add(false, texts("version", a.Marker().Version, b.Marker().Version)...)
	add(false, meaning(a, b)...)
	add(false, specs.DiffValues("env", a.Env.Value(), b.Env.Value())...)
	add(true, specs.DiffValues("", a.Spec.Cosmetic.Value(), b.Spec.Cosmetic.Value())...)
	add(true, texts("uid", a.UID(), b.UID())...)
	if len(fields) > 0 {
		d.add(b, kindOf(a, b), fields, "")
	}
}

// meaning is what differs in what the objects do. Of what could not be read as
// an object only the text is known.
func meaning(a, b providers.Object) []specs.Difference {
	if !a.Opaque && !b.Opaque {
		return specs.Diff(a.Spec, b.Spec)
	}
	out := texts("schedule", a.Spec.Written(), b.Spec.Written())
	if len(out) == 0 && a.Spec.Hash() != b.Spec.Hash() {
		out = texts("hash", a.Spec.Hash().String(), b.Spec.Hash().String())
	}
	return out
}

func texts(path, a, b string) []specs.Difference {
	if a == b {
		return nil
	}
	value := func(s string) specs.Value {
		if s == "" {
			return specs.Value{}
		}
		return specs.NewText(s)
	}
	return []specs.Difference{{Path: path, Desired: value(a), Observed: value(b)}}
}

func kindOf(a, b providers.Object) Kind {
	switch was, is := active(a), active(b); {
	case was && !is:
		return Deactivated
	case is && !was:
		return Activated
	}
	return Changed
}

func active(o providers.Object) bool { return len(codes(o)) == 0 }

// stateOf is active, or inactive and why.
func stateOf(o providers.Object) string {
	if why := codes(o); len(why) > 0 {
		return "inactive (" + strings.Join(why, ", ") + ")"
	}
	return "active"
}

func codes(o providers.Object) []string {
	var out []string
	for _, in := range o.Inactive() {
		out = append(out, in.Code)
	}
	if len(out) == 0 && !o.Opaque && o.Spec.NeverFires() {
		out = append(out, "never-fires")
	}
	return out
}

// looked says whether a listing looked where an object is, and if not, why that
// is not known. A listing that has the object's part says so itself. One that does
// not have it looked there only if it has a part that holds it, or, for a file,
// if all that it has was read: a file that is gone is no part any more, while a
// namespace, repository or user that is not listed was not asked for.
func looked(o providers.Object, other providers.Observation) (bool, string) {
	for _, name := range holding(o) {
		found, gap := false, providers.Area{}
		for _, area := range other.Areas {
			if area.Part == name {
				found = true
				if area.Gap() {
					gap = area
				}
			}
		}
		if found {
			return gap.Part == "", string(gap.State) + ": " + gap.Reason
		}
	}
	if !strings.HasPrefix(o.Part(), "file/") {
		return false, o.Part() + " was not looked at"
	}
	for _, area := range other.Areas {
		if area.Gap() {
			return false, o.Part() + " is not listed, and " + area.Part + " was not read"
		}
	}
	return len(other.Areas) > 0, o.Part() + " was not looked at"
}

// holding are the parts that an object would be read in, the nearest first.
func holding(o providers.Object) []string {
	out := []string{o.Part()}
	if o.Provider() == "kubernetes" && !strings.HasPrefix(o.Part(), "file/") {
		return append(out, "namespace/"+o.Attr("namespace"), "cluster")
	}
	dir, ok := strings.CutPrefix(o.Part(), "file/")
	for ok {
		var i int
		if i = strings.LastIndexByte(dir, '/'); i < 0 {
			break
		}
		dir = dir[:i]
		out = append(out, "folder/"+dir)
	}
	return out
}
