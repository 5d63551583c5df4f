package classify

import (
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// matching are the roles of one source that have a match. A ledger of 10,000
// roles meets 10,000 objects, so an object is held only against those roles
// whose most telling exact key it has, and against those without one.
type matching struct {
	roles []specs.Role
	exact map[keyValue][]int
	rest  []int
}

type keyValue struct{ key, value string }

// telling are the keys of a match, those that fewest objects share first.
var telling = []string{"name", "command", "workflow", "cron", "file", "schedule", "repo", "namespace", "user"}

func (m *matching) add(r specs.Role) {
	i := len(m.roles)
	m.roles = append(m.roles, r)
	for _, key := range telling {
		pattern, ok := r.Match.Keys[key]
		if ok && (asFields(key) || !strings.ContainsAny(pattern, "*?")) {
			if m.exact == nil {
				m.exact = map[keyValue][]int{}
			}
			at := keyValue{key, plainValue(key, pattern)}
			m.exact[at] = append(m.exact[at], i)
			return
		}
	}
	m.rest = append(m.rest, i)
}

// candidates are the roles that could mean an object, in the ledger's order. Of
// an object with sealed values it could be any.
func (m *matching) candidates(o *providers.Object) []specs.Role {
	if m == nil || len(o.Sealed) > 0 {
		return m.all()
	}
	at := slices.Clone(m.rest)
	for key, value := range o.Attrs {
		at = append(at, m.exact[keyValue{key, plainValue(key, value)}]...)
	}
	slices.Sort(at)
	out := make([]specs.Role, len(at))
	for i, n := range at {
		out[i] = m.roles[n]
	}
	return out
}

func (m *matching) all() []specs.Role {
	if m == nil {
		return nil
	}
	return m.roles
}

// asFields says that a key's value is written as cron fields, in which a star is
// a star.
func asFields(key string) bool { return key == "cron" || key == "schedule" }

// plainValue is equal for two values of a key that are the same.
func plainValue(key, value string) string {
	if asFields(key) {
		return strings.Join(strings.Fields(value), " ")
	}
	return value
}
