// Package change says what a change does to a ledger, and which findings of an
// audit it brings. It is a function of two states that others have read: no
// revision, file or clock is known here.
//
// What of a change is a finding, for one role in one of its sources:
//
//	spec another one, version the same          version, not-raised
//	new ignore rule over it, the same           version, not-raised
//	version lower, as far as parts are numbers  version, went-back
//	version no longer stated                    version, dropped
//	role gone, no other has it as previous      removed
//	one source fewer than before                removed, for that source
//
// A spec is another one if what was stated before is no longer stated, or not
// with the same meaning; to state more, in any of the three forms, is no other
// spec. A role that never stated a version is held to none.
package change

import (
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/specs"
)

// Side is a ledger at one moment.
type Side struct {
	Ledger ledger.Ledger
	Text   []byte // of the ledger's file
	// Desired holds the roles that could be translated. A role without one is
	// compared by its text.
	Desired map[specs.Ref]specs.Desired
}

// pair is a role before and after a change; one of them is nil where it appears
// or vanishes.
type pair struct{ before, after *specs.Role }

// pairs finds for each role the one that it was, by its key or a previous one.
func pairs(before, after ledger.Ledger) []pair {
	old, now, taken := byKey(before), byKey(after), map[string]bool{}
	var out []pair
	for i := range after.Roles {
		role := &after.Roles[i]
		was := old[role.Key]
		for _, key := range role.PreviousRoles {
			if was == nil && now[key] == nil && !taken[key] {
				was = old[key]
			}
		}
		if was != nil {
			taken[was.Key] = true
		}
		out = append(out, pair{was, role})
	}
	for i := range before.Roles {
		if role := &before.Roles[i]; !taken[role.Key] {
			out = append(out, pair{role, nil})
		}
	}
	return out
}

func byKey(l ledger.Ledger) map[string]*specs.Role {
	out := make(map[string]*specs.Role, len(l.Roles))
	for i := range l.Roles {
		out[l.Roles[i].Key] = &l.Roles[i]
	}
	return out
}

// refs are the expectations of a role in two states, each with the one that it
// was: in the same source, else in one that the role has left. Those that are
// gone come without a later one, those that are new without an earlier one.
type refs struct{ before, after specs.Ref }

func (p pair) refs() []refs {
	var was, is []string
	if p.before != nil {
		was = p.before.Sources
	}
	if p.after != nil {
		is = p.after.Sources
	}
	left := slices.DeleteFunc(slices.Clone(was), func(s string) bool { return slices.Contains(is, s) })
	var out []refs
	for _, s := range is {
		r := refs{after: specs.Ref{Role: p.after.Key, Source: s}}
		switch {
		case slices.Contains(was, s):
			r.before = specs.Ref{Role: p.before.Key, Source: s}
		case len(left) > 0:
			r.before = specs.Ref{Role: p.before.Key, Source: left[0]}
			left = left[1:]
		}
		out = append(out, r)
	}
	for _, s := range left {
		out = append(out, refs{before: specs.Ref{Role: p.before.Key, Source: s}})
	}
	return out
}

// Partners are the expectations of a ledger that an earlier one had too, in the
// same source or in one that the role has left, and under what names.
func Partners(before, after ledger.Ledger) map[specs.Ref]specs.Ref {
	out := map[specs.Ref]specs.Ref{}
	for _, p := range pairs(before, after) {
		for _, r := range p.refs() {
			if r.before != (specs.Ref{}) && r.after != (specs.Ref{}) {
				out[r.after] = r.before
			}
		}
	}
	return out
}

// movedOn says that an attribute that was stated is no longer, or otherwise.
func movedOn(before, after map[string]string) bool {
	for name, value := range before {
		if after[name] != value {
			return true
		}
	}
	return false
}

// another says that a spec is another one than before.
func another(before, after specs.Desired) bool {
	switch {
	case !before.Pinned.IsZero():
		return after.Pinned != before.Pinned && (after.Partial() || !after.Pinned.IsZero() || after.Spec.Hash() != before.Pinned)
	case !after.Pinned.IsZero():
		return before.Partial() || before.Spec.Hash() != after.Pinned
	case movedOn(before.Attrs, after.Attrs):
		return true
	case !before.Partial():
		return after.Partial() || before.Spec.Hash() != after.Spec.Hash()
	case after.Partial() && slices.ContainsFunc(before.Stated, func(f string) bool { return !slices.Contains(after.Stated, f) }):
		return true
	}
	return before.Spec.Project(before.Stated).Hash() != after.Spec.Project(before.Stated).Hash()
}
