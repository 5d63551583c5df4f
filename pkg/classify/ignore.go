package classify

import (
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// leftOut is a difference that a rule takes out of account.
type leftOut struct {
	specs.Difference
	rules []specs.Rule // all that do, at least one
}

// sift is the only place in which ignore rules have an effect: it parts what is
// not as desired into what counts and what a rule takes out of account. A rule
// names a field with all that lies below it, so one whose path names a member of
// a list that has a key takes that member off both sides, with the place that it
// has in an order. Of a pinned hash no field is known, and no rule applies.
func sift(d specs.Desired, o *object) (kept []specs.Difference, out []leftOut) {
	elsewhere := compareAttrs(d, o)
	diffs := append(slices.Clip(elsewhere), compareSpec(d, o)...)
	if len(d.Ignore) == 0 || !d.Pinned.IsZero() || len(diffs) == 0 {
		return diffs, nil
	}
	by := rulesFor(d, o)
	kept, out, gone := by.part(diffs)
	if len(gone) == 0 {
		return kept, out
	}
	again, _, _ := by.part(append(elsewhere, specs.Diff(d.Spec.Without(gone...), seen(d, o).Without(gone...))...))
	for _, k := range kept {
		if !slices.ContainsFunc(again, func(a specs.Difference) bool { return a.Path == k.Path }) {
			out = append(out, leftOut{k, by.beside(k, out)})
		}
	}
	return again, out
}

// judgeRules are the rules for one object, and who wrote which of its fields.
type judgeRules struct {
	rules  []specs.Rule
	owners owners
}

func rulesFor(d specs.Desired, o *object) judgeRules {
	by := judgeRules{rules: d.Ignore}
	if slices.ContainsFunc(d.Ignore, func(r specs.Rule) bool { return r.Manager != "" }) {
		by.owners = ownersOf(o)
	}
	return by
}

// part says of each difference whether it counts, and which members of lists
// with keys the rules take away.
func (by judgeRules) part(diffs []specs.Difference) (kept []specs.Difference, out []leftOut, gone []specs.Path) {
	for _, d := range diffs {
		path, err := specs.ParsePath(d.Path)
		var rules []specs.Rule
		for _, r := range by.rules {
			n := 0
			switch {
			case err != nil:
			case r.Manager == "":
				n = r.Covers(path)
			case by.owners.own(r, path, d):
				n = len(path)
			}
			if n > 0 {
				rules = append(rules, r)
				gone = append(gone, path[:n])
			}
		}
		if len(rules) == 0 {
			kept = append(kept, d)
			continue
		}
		out = append(out, leftOut{d, rules})
	}
	return kept, out, gone
}

// beside are the rules that took away a member of the list in which a
// difference was one of order only.
func (by judgeRules) beside(d specs.Difference, out []leftOut) []specs.Rule {
	path, _ := specs.ParsePath(d.Path)
	for _, o := range out {
		other, _ := specs.ParsePath(o.Path)
		for n := 1; n < min(len(path), len(other)); n++ {
			if path[n:][0] != other[n] && slices.Equal(path[:n], other[:n]) && slices.Contains(path[n+1:], orderStep) {
				return o.rules
			}
		}
	}
	return out[0].rules
}

// orderStep is the field of a list's member that names those before it.
const orderStep = "after"

// owners are the fields of an object by the client that it names as having
// written them.
type owners map[string][]owned

// owned is a field that a client wrote, or of which it wrote that it is there.
type owned struct {
	path specs.Path
	key  bool // it is a member of a list
}

// managedFields is the evidence that tells fields by who wrote them.
const managedFields = "managedFields"

func ownersOf(o *object) owners {
	out := owners{}
	for _, c := range o.Changes() {
		if c.Evidence != managedFields {
			continue
		}
		for _, p := range c.Paths {
			if path, err := specs.ParsePath(p); err == nil {
				out[c.Who] = append(out[c.Who], owned{path, strings.HasSuffix(p, "]")})
			}
		}
	}
	return out
}

// own says that the clients of a rule wrote all of a field: it or one above it as
// a whole, or each value below it. What nobody is known to have written, or what
// is gone, is nobody's.
func (w owners) own(rule specs.Rule, path specs.Path, d specs.Difference) bool {
	theirs := ownership{atomic: rule.Atomic}
	for who, fields := range w {
		if specs.Glob(rule.Manager, who, false) {
			theirs.fields = append(theirs.fields, fields...)
		}
	}
	return len(theirs.fields) > 0 && theirs.all(path, d.Observed, strings.HasSuffix(d.Path, "]"))
}

// ownership is what some clients wrote. Of a field that can be written in parts
// they may have written no more than that it is there: once others have taken
// over all that is in it, its entry reads like that of a value
// (structured-merge-diff, fieldpath/serialize.go).
type ownership struct {
	fields []owned
	atomic []string
}

// all looks at what a value holds. The order of a list's members is no field of
// the object.
func (w ownership) all(path specs.Path, v specs.Value, member bool) bool {
	parts := v.Kind == specs.Map && len(v.Members) > 0
	if slices.ContainsFunc(w.fields, func(f owned) bool { return w.whole(f, path, parts) }) {
		return true
	}
	if v.Kind != specs.Map || !slices.ContainsFunc(w.fields, func(f owned) bool { return path.Within(f.path) }) {
		return false
	}
	return !slices.ContainsFunc(v.Members, func(m specs.Member) bool {
		return !(member && m.Key == orderStep) && !w.all(append(slices.Clip(path), m.Key), m.Value, v.Keyed)
	})
}

// whole says that an owned field is the one at a path, or one above it, with all
// that is in it.
func (w ownership) whole(f owned, path specs.Path, parts bool) bool {
	if !f.path.Within(path) {
		return false
	}
	return len(f.path) == len(path) && !parts || !f.key && slices.Contains(w.atomic, f.path[len(f.path)-1])
}

// ignored keeps what rules take out of account with the role, so that nothing
// hides.
func (j *judge) ignored(o *object, out []leftOut, cosmetic bool) {
	r := &j.out.Roles[len(j.out.Roles)-1]
	for _, d := range out {
		for _, rule := range d.rules {
			j.used[rule.Pos] = true
		}
		rule := d.rules[0]
		r.Ignored = append(r.Ignored, report.Ignored{
			Field: j.field(o, d.Difference, cosmetic),
			Rule:  j.Mask(rule.String()), Reason: j.Mask(rule.Reason), Location: rule.Pos,
		})
	}
}

// unusedRules says which rules took nothing out of account, where all that they
// could have been for was read and compared.
func (j *judge) unusedRules() {
	if len(j.Ledger.Ignore) == 0 && !slices.ContainsFunc(j.Ledger.Roles, func(r specs.Role) bool { return len(r.Ignore) > 0 }) {
		return
	}
	looks := j.compared()
	said := map[specs.Pos]bool{}
	for _, role := range j.Ledger.Roles {
		for _, ig := range role.Ignore {
			j.unusedRule(ig, []specs.Role{role}, looks, said)
		}
	}
	for _, ig := range j.Ledger.Ignore {
		j.unusedRule(ig, j.Ledger.Roles, looks, said)
	}
}

// compare says how the comparison of a role in a source went.
type compare uint8

const (
	nothing  compare = iota // there is no object, or only its hash is compared
	blind                   // not all was read, or not as it is
	unowned                 // whole, but nobody says who wrote what
	compared                // whole
)

func (j *judge) compared() map[specs.Ref]compare {
	gaps := map[string]bool{}
	for _, obs := range j.World.Observations {
		gaps[obs.Source] = len(obs.Gaps()) > 0
	}
	out := map[specs.Ref]compare{}
	for _, role := range j.Ledger.Roles {
		for _, source := range role.Sources {
			ref := specs.Ref{Role: role.Key, Source: source}
			own, _, disputed := j.claims.of(role, ref)
			_, inScope := j.Rules[source]
			out[ref] = howCompared(own, !inScope || gaps[source] || len(disputed) > 0, !j.Desired[ref].Pinned.IsZero())
		}
	}
	return out
}

func howCompared(own []*object, unread, pinned bool) compare {
	switch {
	case unread || slices.ContainsFunc(own, func(o *object) bool { return o.Opaque }):
		return blind
	case len(own) == 0 || pinned:
		return nothing
	case slices.ContainsFunc(own, func(o *object) bool {
		return !slices.ContainsFunc(o.Changes(), func(c providers.Change) bool { return c.Evidence == managedFields })
	}):
		return unowned
	}
	return compared
}

func (j *judge) unusedRule(ig specs.Ignore, roles []specs.Role, looks map[specs.Ref]compare, said map[specs.Pos]bool) {
	n := 0
	for _, role := range roles {
		for _, source := range role.Sources {
			if !ig.In(source) {
				continue
			}
			switch how := looks[specs.Ref{Role: role.Key, Source: source}]; {
			case how == blind, how == unowned && ig.Manager != "", how == nothing && ig.Source == "":
				return
			case how != nothing:
				n++
			}
		}
	}
	if j.used[ig.Pos] || said[ig.Pos] || n == 0 && ig.Source == "" {
		return
	}
	said[ig.Pos] = true
	j.note("unused-ignore", "", "the rule that ignores the "+ig.String()+" takes nothing out of account here; remove it, unless another look (live or offline) needs it", ig.Pos)
}

// mostRules is how many rules a hint writes out.
const mostRules = 3

// ruleHint is the rule by which additions would not count, ready for the ledger.
func ruleHint(diffs []specs.Difference) []string {
	var rules []string
	for _, d := range diffs {
		if d.Desired.Kind != specs.Absent || !strings.ContainsAny(d.Path, ".[") {
			return nil
		}
		rules = append(rules, "{field: '"+strings.ReplaceAll(d.Path, "'", "''")+"', reason: WHY}")
	}
	if len(rules) == 0 || len(rules) > mostRules {
		return nil
	}
	return []string{"if it is added by design, say so in the role: ignore: [" + strings.Join(rules, ", ") + "]"}
}
