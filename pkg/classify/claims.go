package classify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// object is an observed one and which roles it plays.
type object struct {
	*providers.Object
	role      string   // the one role of the ledger that it plays; empty if none
	renamed   bool     // by a marker that the role had before
	claimants []string // the roles whose match claims it, where several do
	perhaps   []string // the roles of which it cannot be told, since the listing hides what they match
}

// place is where a person finds the object.
func (o *object) place() string {
	if o.Pos.File == "" {
		return o.ID
	}
	return o.ID + " at " + o.Pos.String()
}

// claims are the objects of a world by the role that they play.
type claims struct {
	objects  []*object
	byRole   map[string][]*object
	disputed map[string][]*object
	perhaps  map[specs.Ref]*object
}

func claim(in Input) claims {
	c := claims{byRole: map[string][]*object{}, disputed: map[string][]*object{}, perhaps: map[specs.Ref]*object{}}
	by := indexRoles(in.Ledger.Roles, in.Desired)
	for _, obs := range in.World.Observations {
		for i := range obs.Objects {
			if parts := split(&obs.Objects[i], by.matching[obs.Source].all()); parts != nil {
				for k := range parts {
					c.add(by.assign(&parts[k]))
				}
				continue
			}
			c.add(by.assign(&obs.Objects[i]))
		}
	}
	return c
}

func (c *claims) add(o *object) {
	c.objects = append(c.objects, o)
	if o.role != "" {
		c.byRole[o.role] = append(c.byRole[o.role], o)
	}
	for _, key := range o.claimants {
		c.disputed[key] = append(c.disputed[key], o)
	}
	for _, key := range o.perhaps {
		c.perhaps[specs.Ref{Role: key, Source: o.Source()}] = o
	}
}

// of are the role's objects in one of its sources, those in sources that it
// does not name, and those there that another role claims as well.
func (c claims) of(role specs.Role, ref specs.Ref) (own, elsewhere, disputed []*object) {
	for _, o := range c.byRole[role.Key] {
		switch {
		case o.Source() == ref.Source:
			own = append(own, o)
		case !slices.Contains(role.Sources, o.Source()):
			elsewhere = append(elsewhere, o)
		}
	}
	for _, o := range c.disputed[role.Key] {
		if o.Source() == ref.Source {
			disputed = append(disputed, o)
		}
	}
	return own, elsewhere, disputed
}

// roleIndex finds the roles for an object without walking all of them.
type roleIndex struct {
	desired  map[specs.Ref]specs.Desired
	byMarker map[string]marked
	matching map[string]*matching // by source
}

type marked struct {
	key     string
	renamed bool
}

func indexRoles(roles []specs.Role, desired map[specs.Ref]specs.Desired) roleIndex {
	by := roleIndex{desired: desired, byMarker: map[string]marked{}, matching: map[string]*matching{}}
	for i := range roles {
		r := &roles[i]
		for _, old := range r.PreviousRoles {
			by.byMarker[old] = marked{r.Key, true}
		}
		if !r.Match.IsZero() {
			for _, s := range r.Sources {
				if by.matching[s] == nil {
					by.matching[s] = &matching{}
				}
				by.matching[s].add(r)
			}
		}
	}
	for _, r := range roles {
		by.byMarker[r.Key] = marked{key: r.Key}
	}
	return by
}

// assign gives an object its role: by its marker, else by the match of the
// roles of its own source. It never goes by likeness.
func (by roleIndex) assign(o *providers.Object) *object {
	out := &object{Object: o}
	if o.Marker().Present() {
		m := by.byMarker[o.Marker().Role]
		out.role, out.renamed = m.key, m.renamed
		return out
	}
	var keys []string
	candidates := by.matching[o.Source()].candidates(o)
	one := *o
	if len(candidates) > 1 {
		one.Attrs = o.Spelled()
	}
	for _, r := range candidates {
		switch matches(r.Match, one) {
		case yes:
			keys = append(keys, r.Key)
		case unsure:
			// What hides the match does not hide the hash, which tells an object
			// more exactly than any match.
			if pin := by.desired[specs.Ref{Role: r.Key, Source: o.Source()}].Pinned; !pin.IsZero() && pin == o.Spec.Hash() {
				keys = append(keys, r.Key)
				continue
			}
			out.perhaps = append(out.perhaps, r.Key)
		}
	}
	switch len(keys) {
	case 0:
	case 1:
		out.role = keys[0]
	default:
		out.claimants = keys
	}
	return out
}

// Fits says that an object is one that a match means. It does not look at the
// object's marker, which would beat any match.
func Fits(m specs.Match, o providers.Object) bool { return matches(m, o) == yes }

// answer is what can be said of a match.
type answer uint8

const (
	no answer = iota
	// unsure: a key of a saved listing is sealed, and the pattern is a glob.
	unsure
	yes
)

// matches says whether each stated key fits.
func matches(m specs.Match, o providers.Object) answer {
	out := yes
	for key, pattern := range m.Keys {
		value, ok := o.LookupAttr(key)
		out = min(out, matchesKey(pattern, value, ok, o.Sealed()[key], func(value string) bool { return fits(key, pattern, value) }))
	}
	for key, pattern := range m.Labels {
		value, ok := o.Labels()[key]
		out = min(out, matchesKey(pattern, value, ok, o.Sealed()[providers.LabelSeal+key], func(value string) bool { return specs.Glob(pattern, value, false) }))
	}
	return out
}

func matchesKey(pattern, value string, ok bool, seal string, fits func(string) bool) answer {
	switch {
	case seal != "" && seal == specs.Seal(pattern):
		return yes
	case seal != "" && strings.ContainsAny(pattern, "*?"):
		return unsure
	case seal != "" || !ok || !fits(value):
		return no
	}
	return yes
}

// fits compares one key. In a path a star does not cross a slash; in what is
// written as cron fields a star is a star.
func fits(key, pattern, value string) bool {
	switch key {
	case "cron", "schedule":
		return plainValue(key, pattern) == plainValue(key, value)
	case "file", "workflow":
		return specs.Glob(pattern, value, true)
	}
	return specs.Glob(pattern, value, false)
}

// split makes of a workflow's object one for each of its entries, if a role of
// its source matches a single entry, and is nil otherwise. A marker beats that.
func split(o *providers.Object, roles []*specs.Role) []providers.Object {
	forOne := func(r *specs.Role) bool { return r.Match.Keys["cron"] != "" }
	if o.Marker().Present() || len(o.Entries()) < 1 || !slices.ContainsFunc(roles, forOne) {
		return nil
	}
	out := entriesOf(*o)
	if slices.ContainsFunc(out, func(one providers.Object) bool {
		return slices.ContainsFunc(roles, func(r *specs.Role) bool { return forOne(r) && Fits(r.Match, one) })
	}) {
		return out
	}
	return nil
}

// entriesOf are the entries of a workflow as objects of their own.
func entriesOf(o providers.Object) []providers.Object {
	out := make([]providers.Object, len(o.Entries()))
	for i, e := range o.Entries() {
		one := o
		if !strings.HasSuffix(o.ID, "#"+e.Text) {
			one.ID = o.ID + "#" + e.Text
		}
		one.Pos = e.Pos
		one.Extra().Entries = nil
		one.Spec.Schedules = []specs.Schedule{e.Schedule}
		one.SetAttr("cron", e.Text)
		out[i] = one
	}
	return out
}

func count(n int) string { return fmt.Sprint(n) }
