package classify

import (
	"maps"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// matching are the roles of one source that have a match. A ledger of 10,000
// roles meets 10,000 objects, so an object is held only against those roles
// whose most telling key it could have, by its whole value or by what stands
// before the first star, and against those without such a key.
type matching struct {
	roles   []*specs.Role
	exact   map[keyValue][]int
	prefix  map[keyValue][]int
	lengths map[string][]int // by key: of its prefixes
	labels  bool             // some role is found by a label
	rest    []int
}

// keyValue is of an attribute, or of a label with what Sealed has before one.
type keyValue struct{ key, value string }

// telling are the keys of a match, those that fewest objects share first.
var telling = []string{"name", "command", "workflow", "cron", "file", "schedule", "repo", "namespace", "user"}

func (m *matching) add(r *specs.Role) {
	i := len(m.roles)
	m.roles = append(m.roles, r)
	if key, ok := m.leastShared(r); ok {
		m.labels = m.labels || strings.HasPrefix(key.key, providers.LabelSeal)
		into(&m.exact, key, i)
		return
	}
	begin := longestBegin(r)
	if begin.value == "" {
		m.rest = append(m.rest, i)
		return
	}
	into(&m.prefix, begin, i)
	if n := len(begin.value); !slices.Contains(m.lengths[begin.key], n) {
		into(&m.lengths, begin.key, n)
	}
}

// leastShared is, of the keys and labels of a match that name a whole value, the
// one by which fewest of the roles before are found.
func (m *matching) leastShared(r *specs.Role) (least keyValue, ok bool) {
	take := func(key keyValue) {
		if !ok || len(m.exact[key]) < len(m.exact[least]) {
			least, ok = key, true
		}
	}
	for _, key := range telling {
		if pattern, stated := r.Match.Keys[key]; stated && (asFields(key) || !strings.ContainsAny(pattern, "*?")) {
			take(keyValue{key, plainValue(key, pattern)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Match.Labels)) {
		if pattern := r.Match.Labels[name]; !strings.ContainsAny(pattern, "*?") {
			take(keyValue{providers.LabelSeal + name, pattern})
		}
	}
	return least, ok
}

// longestBegin is the longest text before a star.
func longestBegin(r *specs.Role) (begin keyValue) {
	for _, key := range telling {
		pattern := r.Match.Keys[key]
		if star := strings.IndexAny(pattern, "*?"); !asFields(key) && star > len(begin.value) {
			begin = keyValue{key, pattern[:star]}
		}
	}
	return begin
}

func into[K comparable](m *map[K][]int, key K, i int) {
	if *m == nil {
		*m = map[K][]int{}
	}
	(*m)[key] = append((*m)[key], i)
}

// candidates are the roles that could mean an object, in the ledger's order. Of
// an object with sealed values it could be any.
func (m *matching) candidates(o *providers.Object) []*specs.Role {
	if m == nil {
		return nil
	}
	at := slices.Clone(m.rest)
	for key, value := range o.EachAttr {
		at = append(at, m.exact[keyValue{key, plainValue(key, value)}]...)
		for _, n := range m.lengths[key] {
			if n <= len(value) {
				at = append(at, m.prefix[keyValue{key, value[:n]}]...)
			}
		}
	}
	if m.labels {
		for name, value := range o.Labels() {
			at = append(at, m.exact[keyValue{providers.LabelSeal + name, value}]...)
		}
	}
	slices.Sort(at)
	if len(o.Sealed()) > 0 {
		at = slices.Grow(at[:0], len(m.roles))
		for i := range m.roles {
			at = append(at, i)
		}
	}
	out := make([]*specs.Role, len(at))
	for i, n := range at {
		out[i] = m.roles[n]
	}
	return out
}

func (m *matching) all() []*specs.Role {
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
