package draft

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// keysets are the sets of match keys by provider, the preferred first. The last
// one is all that can tell two objects apart.
var keysets = map[string][][]string{
	"kubernetes": {{"namespace", "name"}},
	"github":     {{"repo", "workflow"}, {"repo", "workflow", "cron"}},
	"crontab": {
		{"command"}, {"user", "command"}, {"file", "command"}, {"command", "schedule"},
		{"user", "command", "schedule"}, {"file", "command", "schedule"}, {"user", "file", "command"},
		{"file", "schedule"}, {"user", "file", "schedule"}, {"file"}, {"user", "file"},
		{"user", "file", "command", "schedule"},
	},
}

// matcher finds for an object the fewest keys that mean it and no other of its
// source.
type matcher struct {
	rules   Rules
	sets    [][]string
	objects []providers.Object
	// all and unmarked count the objects by their values of a key set: all, and
	// those that no marker beats the match for.
	all, unmarked []map[string]int
	sorted        map[string][]int // by key: objects in the order of their values
	roles         map[string]*role // by identity
}

func newMatcher(o providers.Observation, rules Rules) *matcher {
	m := &matcher{rules: rules, sets: keysets[o.Provider], objects: o.Objects, sorted: map[string][]int{}, roles: map[string]*role{}}
	for _, set := range m.sets {
		all, unmarked := map[string]int{}, map[string]int{}
		for _, obj := range o.Objects {
			t := tuple(set, obj)
			all[t]++
			if !obj.Marker().Present() {
				unmarked[t]++
			}
		}
		m.all, m.unmarked = append(m.all, all), append(m.unmarked, unmarked)
	}
	return m
}

// tuple is an object's values of a set of keys.
func tuple(set []string, o providers.Object) string {
	values := make([]string, len(set))
	for i, key := range set {
		v, ok := o.LookupAttr(key)
		if !ok {
			continue
		}
		if byFields(key) {
			v = strings.Join(strings.Fields(v), " ")
		}
		values[i] = "=" + v
	}
	return strings.Join(values, "\x00")
}

// byFields says that a star in a key's value is a star, and blanks do not count.
func byFields(key string) bool { return key == "cron" || key == "schedule" }

// identity is equal for two objects that no match can tell apart.
func (m *matcher) identity(o providers.Object) string {
	if len(m.sets) == 0 {
		return o.ID
	}
	return tuple(m.sets[len(m.sets)-1], o)
}

// find is the match of an object. It would rather stay right when a marker goes
// away; where that cannot be, it is right as markers stand now. It is false where
// every match would mean other objects, too.
func (m *matcher) find(o providers.Object) (specs.Match, bool) {
	for _, marked := range []bool{true, false} {
		counts := m.unmarked
		if marked {
			counts = m.all
		}
		for i, set := range m.sets {
			match, wild, ok := m.pattern(set, o)
			if !ok {
				continue
			}
			twins := counts[len(counts)-1][m.identity(o)]
			if counts[i][tuple(set, o)] != twins {
				continue
			}
			if !wild || m.count(match, marked) == twins {
				return match, true
			}
		}
	}
	return specs.Match{}, false
}

// count is how many objects a match means.
func (m *matcher) count(match specs.Match, marked bool) int {
	n := 0
	for _, i := range m.candidates(match) {
		if o := m.objects[i]; (marked || !o.Marker().Present()) && m.rules.Fits(match, o) {
			n++
		}
	}
	return n
}

// candidates are the objects that a match could mean by the text before its
// first star, for the key by which they are the fewest.
func (m *matcher) candidates(match specs.Match) []int {
	var best []int
	for _, key := range slices.Sorted(maps.Keys(match.Keys)) {
		if byFields(key) {
			continue
		}
		prefix := match.Keys[key]
		if i := strings.IndexAny(prefix, "*?"); i >= 0 {
			prefix = prefix[:i]
		}
		all := m.byValue(key)
		from := sort.Search(len(all), func(i int) bool { return m.objects[all[i]].Attr(key) >= prefix })
		n := sort.Search(len(all)-from, func(i int) bool { return !strings.HasPrefix(m.objects[all[from+i]].Attr(key), prefix) })
		if best == nil || n < len(best) {
			best = all[from : from+n]
		}
	}
	return best
}

// byValue are the objects in the order of their values of a key.
func (m *matcher) byValue(key string) []int {
	if all, ok := m.sorted[key]; ok {
		return all
	}
	all := make([]int, len(m.objects))
	for i := range all {
		all[i] = i
	}
	arrange.By(all, func(a, b int) int { return strings.Compare(m.objects[a].Attr(key), m.objects[b].Attr(key)) })
	m.sorted[key] = all
	return all
}

// pattern states an object's values of a set of keys. A secret in one, and what
// YAML cannot hold, becomes a star. Wild says that a value holds a star or a
// question mark, and so can mean more than itself.
func (m *matcher) pattern(set []string, o providers.Object) (match specs.Match, wild, ok bool) {
	match.Keys = map[string]string{}
	for _, key := range set {
		v := o.Attr(key)
		if v == "" {
			continue
		}
		if _, sealed := o.Sealed()[key]; sealed {
			return match, false, false
		}
		p := asGlob(v)
		if masked := m.rules.Mask(v); masked != v {
			p = stars().ReplaceAllString(asGlob(masked), "*")
		}
		if p != v && (byFields(key) || strings.Trim(p, "*? ") == "") {
			return match, false, false
		}
		match.Keys[key] = p
		wild = wild || !byFields(key) && strings.ContainsAny(p, "*?")
	}
	return match, wild, len(match.Keys) > 0 && (!wild || m.rules.Fits(match, o))
}

var stars = lazy.Expression(`\*+`)

// asGlob puts a question mark for each byte that YAML cannot hold.
func asGlob(s string) string {
	if writable(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !writable(s[i:i+n]) {
			b = append(b, strings.Repeat("?", n)...)
		} else {
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return string(b)
}
