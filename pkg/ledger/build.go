package ledger

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// builder turns the written form into the roles, and gathers errors.
type builder struct {
	out      Ledger
	errs     strict.Errors
	warnings []Warning
	read     ReadFile
	files    map[string]document // templates that were read, by path
	former   []former
}

// former are the keys that a role had.
type former struct {
	role string
	keys []strict.Text
}

func (b *builder) warn(pos specs.Pos, format string, args ...any) {
	b.warnings = append(b.warnings, Warning{pos, fmt.Sprintf(format, args...)})
}

// add is called for each role while the file is decoded, so that its written form
// need not be kept.
func (b *builder) add(key strict.Text, f *roleForm, all int) {
	if b.out.Roles == nil {
		b.out.Roles = make([]specs.Role, 0, all)
		b.out.sources = make(map[specs.Ref]specs.Pos, all)
	}
	b.out.Roles = append(b.out.Roles, b.role(key, f))
	if items := f.PreviousRoles.Items; len(items) > 0 {
		b.former = append(b.former, former{key.Value, items})
	}
}

// file goes on with what stands beside the roles. Errors are gathered in an
// order, since only so many are kept: those of decoding come first.
func (b *builder) file(f fileForm, decoding strict.Errors) {
	ofRoles := b.errs
	b.errs = decoding
	b.out.Name = f.Name.Value
	if f.Revision.Value < 0 || f.Revision.Value > math.MaxInt32 {
		b.errs.Add(f.Revision.Pos, "revision is %d and must be a small whole number from 0 up", f.Revision.Value)
	}
	b.out.Revision = int(f.Revision.Value)
	b.errs.Join(ofRoles)
	if f.Roles.Len == 0 {
		b.warn(f.Pos, "the ledger has no roles, so an audit has nothing to compare; begin with: rolecall ledger init")
	}
	b.previousRoles()
	b.sameMatch()
	b.ownPlaces()
	b.sharedRules(f.Ignore)
	b.waivers(f.Waivers)
}

func (b *builder) role(key strict.Text, f *roleForm) specs.Role {
	if !specs.ValidRoleKey(key.Value) {
		b.errs.Add(key.Pos, "the role key %s is not 1 to 63 letters, digits, dots, underscores and hyphens; rename the role", strict.Quote(key.Value))
	}
	r := specs.Role{
		Key: key.Value, Pos: key.Pos,
		Owner: f.Owner.Value, Purpose: f.Purpose.Value,
		Sources:       b.sources(key.Value, f),
		Version:       f.Version.Value,
		Suspended:     f.State.Value == "suspended",
		Match:         b.match(key.Value, &f.Match),
		PreviousRoles: f.PreviousRoles.Values(),
		Pending:       f.Review.Value == "pending",
	}
	if f.Spec.Stated() {
		r.Statement = b.statement(key.Value, &f.Spec)
	}
	b.pause(&r, f)
	b.remembered(&r, f.Ref)
	r.Ignore = b.ownRules(key.Value, f)
	r.Run = b.runTerms(key.Value, &f.Run)
	r.Evidence = b.evidence(key.Value, &f.Evidence)
	r.Repair = b.repairTerms(key.Value, f.Repair)
	for _, name := range []string{"owner", "version"} {
		if !f.Has(name) {
			b.warn(key.Pos, "role %s has no %s; add one", key.Value, name)
		}
	}
	return r
}

// sources are the names in source or sources, of which a role has just one.
func (b *builder) sources(role string, f *roleForm) []string {
	if !f.Place.Stated() {
		return nil
	}
	if !f.Has("source") && !f.Has("sources") {
		b.errs.Add(f.Pos, "role %s has neither source nor sources; say where to look for it", role)
	}
	if f.Source.Stated() && f.Sources.Stated() {
		b.errs.Add(f.Sources.Pos, "role %s has both source and sources; keep one of them", role)
	}
	list := f.Sources.Items
	if f.Source.Stated() {
		list = []strict.Text{f.Source}
	}
	var out []string
	for _, s := range list {
		out = append(out, s.Value)
		b.out.sources[specs.Ref{Role: role, Source: s.Value}] = s.Pos
	}
	return out
}

func (b *builder) pause(r *specs.Role, f *roleForm) {
	if !f.PausedUntil.Stated() || f.PausedUntil.Value == "" {
		return
	}
	if r.Suspended {
		b.errs.Add(f.PausedUntil.Pos, "role %s is suspended without an end and paused until one; keep state or paused_until", r.Key)
	}
	end, err := ParseUntil(f.PausedUntil.Value)
	if err != nil {
		b.errs.Add(f.PausedUntil.Pos, "paused_until of role %s: %v", r.Key, err)
	}
	r.PausedUntil = end
}

func (b *builder) remembered(r *specs.Role, f refForm) {
	if !f.Place.Stated() {
		return
	}
	r.Remembered = specs.Remembered{Pos: f.Pos, UID: f.UID.Value}
	if f.Seen.Value == "" {
		return
	}
	seen, err := parseInstant(f.Seen.Value)
	if err != nil {
		b.errs.Add(f.Seen.Pos, "ref.seen of role %s: %v", r.Key, err)
	}
	r.Remembered.Seen = seen
}

// previousRoles refuses an old key that a role has now, or that two claim.
func (b *builder) previousRoles() {
	if len(b.former) == 0 {
		return
	}
	isRole := make(map[string]bool, len(b.out.Roles))
	for i := range b.out.Roles {
		isRole[b.out.Roles[i].Key] = true
	}
	claimed := map[string]string{}
	for _, r := range b.former {
		for _, p := range r.keys {
			switch other, twice := claimed[p.Value]; {
			case p.Value == "":
			case !specs.ValidRoleKey(p.Value):
				b.errs.Add(p.Pos, "role %s had the key %s, which is not 1 to 63 letters, digits, dots, underscores and hyphens; no marker can hold it", r.role, strict.Quote(p.Value))
			case isRole[p.Value]:
				b.errs.Add(p.Pos, "role %s names %s as a previous role, which is a role of this ledger; remove it here, or rename the other", r.role, p.Value)
			case twice && other != r.role:
				b.errs.Add(p.Pos, "roles %s and %s both name %s as a previous role; a marker can only mean one of them", other, r.role, p.Value)
			}
			claimed[p.Value] = r.role
		}
	}
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// suggest ends a message about an unknown word.
func suggest(word string, known []string) string {
	if n := strict.Nearest(word, known); n != "" {
		return "; did you mean `" + n + "`?"
	}
	if len(known) == 0 {
		return ""
	}
	return "; there are " + strings.Join(known, ", ")
}
