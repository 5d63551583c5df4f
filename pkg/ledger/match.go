package ledger

import (
	"maps"
	"slices"
	"strconv"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// matchKeys are what a match can name, by the provider whose objects have it.
var matchKeys = []struct {
	provider string
	keys     []string
}{
	{"crontab", []string{"user", "command", "file", "schedule"}},
	{"github", []string{"repo", "workflow", "cron"}},
	{"kubernetes", []string{"namespace", "name", "labels"}},
}

func (b *builder) match(role string, f *matchForm) specs.Match {
	if !f.Place.Stated() {
		return specs.Match{}
	}
	m := specs.Match{Pos: f.Pos, Keys: map[string]string{}}
	for _, k := range []struct {
		name string
		text *strict.Text
	}{
		{"user", &f.User}, {"command", &f.Command}, {"file", &f.File}, {"schedule", &f.Schedule},
		{"repo", &f.Repo}, {"workflow", &f.Workflow}, {"cron", &f.Cron},
		{"namespace", &f.Namespace}, {"name", &f.Name},
	} {
		if k.text.Stated() {
			m.Keys[k.name] = k.text.Value
		}
	}
	for _, it := range f.Labels.Items {
		if m.Labels == nil {
			m.Labels = map[string]string{}
		}
		m.Labels[it.Key.Value] = it.Value.Value
	}
	b.oneProvider(role, f)
	return m
}

// oneProvider refuses keys of several providers, since no object has them all,
// and a match without any, since every object would have it.
func (b *builder) oneProvider(role string, f *matchForm) {
	first, of, meant := "", "", false
	for _, p := range matchKeys {
		for _, k := range p.keys {
			at, stated := f.Field(k)
			meant = meant || f.Has(k)
			switch {
			case !stated:
			case first == "":
				first, of = k, p.provider
			case of != p.provider:
				b.errs.Add(at, "the match of role %s names %s of a %s object beside %s of a %s object; no object has both, keep one kind", role, k, p.provider, first, of)
			}
		}
	}
	if !meant || f.Labels.Stated() && len(f.Labels.Items) == 0 {
		b.errs.Add(f.Pos, "the match of role %s names nothing, so every object would fit; name the object, or remove match", role)
	}
}

// sameMatch finds roles of one source that surely claim the same object.
func (b *builder) sameMatch() {
	first := make(map[string]string, len(b.out.Roles))
	for i := range b.out.Roles {
		r := &b.out.Roles[i]
		if r.Match.IsZero() {
			continue
		}
		var said []string
		for _, s := range r.Sources {
			k := matchText(s, r.Match)
			other, twice := first[k]
			if twice && other != r.Key && !contains(said, other) {
				said = append(said, other)
				b.errs.Add(r.Match.Pos, "roles %s and %s of the source %s have the same match, so both claim the same object; %s, or put a role marker on the object", other, r.Key, strict.Quote(s), narrower(r.Match))
			}
			if !twice {
				first[k] = r.Key
			}
		}
	}
}

// narrower names the key by which a match would mean fewer objects.
func narrower(m specs.Match) string {
	for _, p := range matchKeys {
		of := func(k string) bool { return m.Keys[k] != "" || k == "labels" && len(m.Labels) > 0 }
		if !slices.ContainsFunc(p.keys, of) {
			continue
		}
		for _, k := range []string{"command", "schedule", "workflow", "cron", "name", "namespace"} {
			if slices.Contains(p.keys, k) && !of(k) {
				return "narrow one by " + k
			}
		}
	}
	return "narrow one"
}

// matchText is equal for two matches in a source exactly if they are the same.
func matchText(source string, m specs.Match) string {
	text := part(make([]byte, 0, 128), source)
	for _, p := range matchKeys {
		for _, k := range p.keys {
			if v, stated := m.Keys[k]; stated {
				text = part(append(text, k...), v)
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m.Labels)) {
		text = part(part(text, k), m.Labels[k])
	}
	return string(text)
}

// part says where it ends before it begins, so that no text can look like two.
func part(to []byte, s string) []byte {
	return append(append(strconv.AppendInt(to, int64(len(s)), 10), ':'), s...)
}
