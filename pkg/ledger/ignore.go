package ledger

import (
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// namingForm are the three ways to say what does not count.
type namingForm struct {
	field, pointer, manager, reason strict.Text
}

func (f ignoreForm) naming() namingForm {
	return namingForm{f.Field, f.Pointer, f.Manager, f.Reason}
}

func (f sharedIgnoreForm) naming() namingForm {
	return namingForm{f.Field, f.Pointer, f.Manager, f.Reason}
}

// ownRules are a role's. Beside a pinned hash, of which no field is known, none
// could ever apply.
func (b *builder) ownRules(role string, f *roleForm) []specs.Ignore {
	var out []specs.Ignore
	for _, it := range f.Ignore {
		if f.Spec.Hash.Stated() {
			b.errs.Add(it.Pos, "role %s pins a hash, so that its fields are not known and the rule has no effect; state a template or fields in place of the hash, or remove the rule", role)
		}
		out = append(out, b.rule("role "+role, it.Pos, it.naming()))
	}
	return out
}

// sharedRules stand beside the roles, and hold for all roles of some sources.
func (b *builder) sharedRules(forms []sharedIgnoreForm) {
	for _, f := range forms {
		ig := b.rule("the ledger", f.Pos, f.naming())
		ig.Source = f.Source.Value
		b.out.Ignore = append(b.out.Ignore, ig)
		if f.Source.Value != "" {
			b.reach(ig, f.Source.Pos)
		}
	}
}

// reach recommends to correct a rule that no role can have, and says of which
// roles it takes nothing out of account.
func (b *builder) reach(ig specs.Ignore, at specs.Pos) {
	var sources, pinned []string
	any := false
	for _, r := range b.out.Roles {
		sources = append(sources, r.Sources...)
		if !slices.ContainsFunc(r.Sources, ig.In) {
			continue
		}
		any = true
		if !r.Statement.Hash.IsZero() {
			pinned = append(pinned, r.Key)
		}
	}
	slices.Sort(sources)
	if !any {
		b.warn(at, "the ledger ignores the %s in the source %s, in which it has no role%s", ig, strict.Quote(ig.Source), suggest(ig.Source, slices.Compact(sources)))
	}
	if len(pinned) > 0 {
		b.warn(ig.Pos, "the ledger ignores the %s without effect on what pins a hash, of which no field is known: %s", ig, strings.Join(pinned, ", "))
	}
}

func (b *builder) rule(who string, pos specs.Pos, f namingForm) specs.Ignore {
	stated := 0
	for _, t := range []strict.Text{f.field, f.pointer, f.manager} {
		if t.Stated() {
			stated++
		}
	}
	switch {
	case stated == 0:
		b.errs.Add(pos, "%s ignores nothing here; add the field, pointer or manager that does not count", who)
	case stated > 1:
		b.errs.Add(pos, "%s ignores by more than one of field, pointer and manager here; make a rule of each", who)
	}
	b.ignoredField(who, f.field)
	if v := f.pointer.Value; v != "" {
		if _, err := specs.ParsePointer(v); err != nil {
			b.errs.Add(f.pointer.Pos, "%s ignores a pointer that cannot be: %v", who, err)
		}
	}
	if v := f.manager.Value; v != "" && strings.Trim(v, "*?") == "" {
		b.errs.Add(f.manager.Pos, "%s ignores the manager %s, which is everyone; name the one whose fields do not count", who, strict.Quote(v))
	}
	return specs.Ignore{Pos: pos, Field: f.field.Value, Pointer: f.pointer.Value, Manager: f.manager.Value, Reason: f.reason.Value}
}

// ignoredField refuses a path that names nothing, which would take every
// difference out of account, and one that always counts.
func (b *builder) ignoredField(who string, f strict.Text) {
	if f.Value == "" {
		return
	}
	path, err := specs.ParsePath(f.Value)
	switch {
	case !strings.ContainsFunc(f.Value, isLetter):
		b.errs.Add(f.Pos, "%s ignores the field %s, which is every field; name the one that does not count", who, strict.Quote(f.Value))
	case err != nil:
		b.errs.Add(f.Pos, "%s: %v", who, err)
	case !named(path):
		b.errs.Add(f.Pos, "%s ignores the field %s without saying which it begins with; begin with the name of a field, or with ** and a name without * and ?", who, strict.Quote(f.Value))
	case specs.Unignorable(path[0]) != "":
		b.errs.Add(f.Pos, "%s ignores the field %s, which %s", who, path[0], specs.Unignorable(path[0]))
	default:
		b.broad(who, f, path)
	}
}

// named says that a path begins with a name, or with one at any depth: an open
// first step takes fields out of account that nobody thought of, schedule and
// command among them.
func named(path specs.Path) bool {
	if path[0] == "**" && len(path) > 1 {
		path = path[1:]
	}
	return !strings.ContainsAny(path[0], "*?")
}

// whole are the fields that hold all, or nearly all, of what an object runs.
var whole = []string{"jobTemplate.spec.template.spec.containers", "jobs", "command"}

func (b *builder) broad(who string, f strict.Text, path specs.Path) {
	for _, w := range whole {
		if p, err := specs.ParsePath(w); err == nil && path.Covers(p) > 0 {
			b.warn(f.Pos, "%s ignores the field %s, so that nothing of %s is compared; name what does not count of it", who, strict.Quote(f.Value), w)
			return
		}
	}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
