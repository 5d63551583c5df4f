package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// Remember writes into a role which object was seen last: its uid, if it has one,
// and when it was seen, to the second. What the role remembered is replaced; all
// else of the file stays byte for byte, and like Waive it gives an error rather
// than a file that says anything else than before.
func Remember(path string, data []byte, read ReadFile, key string, seen specs.Remembered) (out []byte, err error) {
	defer sound(&out, &err)
	before, _, err := Parse(path, data, read)
	if err != nil {
		return nil, err
	}
	if err := writable("uid", seen.UID); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(before.Roles, func(r specs.Role) bool { return r.Key == key })
	if at < 0 {
		return nil, fmt.Errorf("%s: there is no role %s in it any more, so nothing is remembered of it", path, key)
	}
	want := before.Roles[at].Remembered
	if seen.UID != "" {
		want.UID = seen.UID
	}
	want.Seen = seen.Seen.UTC().Truncate(time.Second)
	s, err := newSheet(data)
	if err == nil {
		out, err = s.make(s.refAttempts(key, refFields(want, seen.UID != "")))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: what was seen of role %s cannot be written into it: %w: %s", path, key, err, refLine(refFields(want, seen.UID != "")))
	}
	after, _, err := Parse(path, out, read)
	if err != nil {
		return nil, fmt.Errorf("with what was seen of role %s the ledger would not be sound, and it is left as it is: %w", key, err)
	}
	if len(after.Roles) != len(before.Roles) || !remembers(after.Roles[at].Remembered, want) || !sameWaivers(before.Waivers, after.Waivers) {
		return nil, fmt.Errorf("%s: what was seen of role %s cannot be written into it: %w: %s", path, key, errPlace, refLine(refFields(want, seen.UID != "")))
	}
	return out, nil
}

func remembers(a, b specs.Remembered) bool { return a.UID == b.UID && a.Seen.Equal(b.Seen) }

// field is a key with the text of its value.
type field struct{ key, value string }

func refFields(r specs.Remembered, uid bool) []field {
	out := []field{{"seen", r.Seen.Format(time.RFC3339)}}
	if uid {
		out = append([]field{{"uid", r.UID}}, out...)
	}
	return out
}

// refLine is a whole ref on one line of a block.
func refLine(fields []field) string { return "ref: {" + strings.Join(pairs(fields, false), ", ") + "}" }

func pairs(fields []field, quoteKeys bool) []string {
	var out []string
	for _, f := range fields {
		key, value := f.key, inBraces(f.value)
		if quoteKeys {
			key, value = quoted(f.key), quoted(f.value)
		}
		out = append(out, key+": "+value)
	}
	return out
}

var bareWord = lazy.Expression(`^[A-Za-z0-9](?:[A-Za-z0-9._:-]*[A-Za-z0-9])?$`)

// inBraces is a text as it stands in {…}: bare where it is read as a text so.
func inBraces(s string) string {
	if bareWord().MatchString(s) && plain(s) == s {
		return s
	}
	return quoted(s)
}

// refAttempts are the ways to write the fields into the ref of a role.
func (s *sheet) refAttempts(key string, fields []field) []attempt {
	k, roles := find(s.root, "roles")
	if k == nil || roles.Kind != yaml.MappingNode {
		return nil
	}
	roleKey, role := find(roles, key)
	if roleKey == nil || role.Kind != yaml.MappingNode || len(role.Content) == 0 {
		return nil
	}
	bound := s.bound(k)
	for i := 0; i+2 < len(roles.Content); i += 2 {
		if roles.Content[i] == roleKey {
			bound = roles.Content[i+2].Line - 1
		}
	}
	inFlow := (s.root.Style|roles.Style|role.Style)&yaml.FlowStyle != 0
	refKey, ref := find(role, "ref")
	switch {
	case refKey == nil:
		return s.addRef(key, role, fields, bound, inFlow)
	case ref.Kind != yaml.MappingNode || ref.Anchor != "":
		return nil
	case len(ref.Content) == 0:
		return s.fillRef(key, ref, fields, inFlow)
	}
	for i := 0; i+2 < len(role.Content); i += 2 {
		if role.Content[i] == refKey {
			bound = role.Content[i+2].Line - 1
		}
	}
	return s.changeRef(key, ref, fields, bound, inFlow || ref.Style&yaml.FlowStyle != 0)
}

// roleOf is the role of a key in a tree.
func roleOf(root *yaml.Node, key string) *yaml.Node {
	_, roles := find(root, "roles")
	_, role := find(roles, key)
	return role
}

func refNodes(fields []field) []*yaml.Node {
	var out []*yaml.Node
	for _, f := range fields {
		out = append(out, text(f.key), text(f.value))
	}
	return out
}

// addRef puts a ref last in a role that has none; in braces, first.
func (s *sheet) addRef(key string, role *yaml.Node, fields []field, bound int, inFlow bool) []attempt {
	put := func(first bool) func(*yaml.Node) {
		return func(root *yaml.Node) {
			m := roleOf(root, key)
			added := []*yaml.Node{text("ref"), {Kind: yaml.MappingNode, Tag: "!!map", Content: refNodes(fields)}}
			if first {
				m.Content = append(added, m.Content...)
				return
			}
			m.Content = append(m.Content, added...)
		}
	}
	if inFlow {
		at := s.body(role) + 1
		add := quoted("ref") + ": {" + strings.Join(pairs(fields, true), ", ") + "}, "
		return []attempt{{[]splice{{at, at, add}}, put(true)}}
	}
	column := role.Content[0].Column
	line := []string{refLine(fields)}
	last := role.Content[len(role.Content)-2].Line - 1
	return []attempt{
		{[]splice{s.after(s.lastLine(last, bound, column-1), line, column-1)}, put(false)},
		{[]splice{s.after(s.lastOwn(last, bound, column-1), line, column-1)}, put(false)},
		{[]splice{s.before(s.start(role, column), column, line)}, put(true)},
	}
}

// fillRef writes into {}.
func (s *sheet) fillRef(key string, ref *yaml.Node, fields []field, inFlow bool) []attempt {
	at := s.body(ref)
	if at >= len(s.text) || s.text[at] != '{' {
		return nil
	}
	add := strings.Join(pairs(fields, inFlow), ", ")
	return []attempt{{[]splice{{at + 1, at + 1, add}}, func(root *yaml.Node) {
		_, m := find(roleOf(root, key), "ref")
		m.Content = refNodes(fields)
	}}}
}

// changeRef gives the fields of a ref other values, and puts those before the
// others that it does not have.
func (s *sheet) changeRef(key string, ref *yaml.Node, fields []field, bound int, inFlow bool) []attempt {
	var splices []splice
	var missing []field
	for _, f := range fields {
		k, v := find(ref, f.key)
		switch {
		case k == nil:
			missing = append(missing, f)
			continue
		case v.Kind != yaml.ScalarNode || v.Anchor != "":
			return nil
		}
		splices = append(splices, splice{s.at(v), s.scalarEnd(v, s.body(v), max(bound, v.Line), k.Column-1), s.likeBefore(v, f.value, inFlow)})
	}
	if first := ref.Content[0]; len(missing) > 0 && inFlow {
		at := s.at(first)
		splices = append(splices, splice{at, at, strings.Join(pairs(missing, first.Style&yaml.DoubleQuotedStyle != 0), ", ") + ", "})
	} else if len(missing) > 0 {
		splices = append(splices, s.before(s.at(first), first.Column, lines(missing)))
	}
	return []attempt{{splices, func(root *yaml.Node) {
		_, m := find(roleOf(root, key), "ref")
		for _, f := range fields {
			if k, v := find(m, f.key); k != nil {
				v.Value, v.Tag, v.Style = f.value, "!!str", 0
			}
		}
		m.Content = append(refNodes(missing), m.Content...)
	}}}
}

// likeBefore writes a value with quotes if the one before had them.
func (s *sheet) likeBefore(v *yaml.Node, value string, inFlow bool) string {
	switch {
	case v.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return quoted(value)
	case inFlow:
		return inBraces(value)
	}
	return plain(value)
}

func lines(fields []field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.key+": "+plain(f.value))
	}
	return out
}
