package ledger

import (
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// waivable are the kinds of finding that a person can take out of account.
var waivable = []string{"missing", "duplicate", "ambiguous", "inactive", "drift", "not-executed", "hung", "not-succeeded", "stalled", "version", "removed", "unexpected"}

// unwaivable are the kinds that no waiver can help with, and why.
var unwaivable = map[string]string{
	"unknown":    "what could not be looked at cannot be judged; make it readable, or audit with --allow-partial",
	"unreviewed": "a person has to read the role; then remove its line review: pending",
}

func (b *builder) waivers(forms []waiverForm) {
	first := map[string]specs.Pos{}
	for _, f := range forms {
		w := Waiver{Pos: f.Pos, Finding: f.Finding.Value, Reason: f.Reason.Value, Owner: f.Owner.Value, UntilText: f.Until.Value}
		b.finding(f)
		if f.Until.Value != "" {
			end, err := ParseUntil(f.Until.Value)
			if err != nil {
				b.errs.Add(f.Until.Pos, "until of the waiver for %s: %v", strict.Quote(w.Finding), err)
			}
			w.Until = end
		}
		if at, twice := first[w.Finding]; twice && w.Finding != "" {
			b.errs.Add(f.Finding.Pos, "%s is waived twice, first in line %d; keep one waiver", strict.Quote(w.Finding), at.Line)
		} else {
			first[w.Finding] = f.Pos
		}
		if !f.Has("owner") {
			b.warn(f.Pos, "the waiver for %s has no owner; say who answers for it", strict.Quote(w.Finding))
		}
		b.out.Waivers = append(b.out.Waivers, w)
	}
}

// finding holds a waiver to an id that a report can print.
func (b *builder) finding(f waiverForm) {
	id := f.Finding.Value
	if id == "" {
		return
	}
	kind, rest, ok := strings.Cut(id, ":")
	why, never := unwaivable[kind]
	role, source, named := strings.Cut(rest, "@")
	switch {
	case never:
		b.errs.Add(f.Finding.Pos, "a finding of the kind %s cannot be waived: %s", kind, why)
	case !contains(waivable, kind):
		b.errs.Add(f.Finding.Pos, "%s does not begin with a kind of finding and a colon; the kinds that can be waived are %s", strict.Quote(id), strings.Join(waivable, ", "))
	case kind == "unexpected" && rest != "":
	case kind == "unexpected":
		b.errs.Add(f.Finding.Pos, "%s names no object; paste the id that a report prints", strict.Quote(id))
	case !ok || !named || source == "" || !specs.ValidRoleKey(role):
		b.errs.Add(f.Finding.Pos, "%s is not the id of a finding, like %s:ROLE@SOURCE; paste the id that a report prints", strict.Quote(id), kind)
	default:
		b.waivedRole(f, specs.Ref{Role: role, Source: source})
	}
}

// waivedRole recommends to drop a waiver that no finding can have. That a role is
// removed is waived in a ledger that does not have it any more.
func (b *builder) waivedRole(f waiverForm, ref specs.Ref) {
	if _, known := b.out.sources[ref]; !known && !strings.HasPrefix(f.Finding.Value, "removed:") {
		b.warn(f.Finding.Pos, "the waiver for %s names a role and source that the ledger does not have; correct or remove it", strict.Quote(f.Finding.Value))
	}
}
