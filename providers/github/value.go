package github

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// value is a node as a Value. Plain scalars have the types of the YAML 1.2 core
// schema, by which GitHub reads workflows: yes, 0777, 1_000 and a date are
// strings there, though the YAML library has other views.
func (t *tree) value(n *node, depth int) (specs.Value, error) {
	n, err := t.take(n, depth)
	if err != nil {
		return specs.Value{}, err
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return scalar(n), nil
	case yaml.SequenceNode:
		items := roomFor(&t.scratch.members, len(n.Content))
		for _, c := range n.Content {
			v, err := t.value(c, depth+1)
			if err != nil {
				return specs.Value{}, err
			}
			items = append(items, specs.Member{Value: v})
		}
		return specs.Value{Kind: specs.List, Members: items}, nil
	}
	ps, err := t.pairs(n, depth)
	if err != nil {
		return specs.Value{}, err
	}
	members := roomFor(&t.scratch.members, len(ps))
	for _, p := range ps {
		v, err := t.value(p.node, depth+1)
		if err != nil {
			return specs.Value{}, err
		}
		members = append(members, specs.Member{Key: p.name, Value: v})
	}
	return specs.MapOf(members), nil
}

// scalar types a scalar by YAML 1.2.2, section 10.3.2.
func scalar(n *node) specs.Value {
	const written = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&written != 0 || n.Style&yaml.TaggedStyle != 0 && n.Tag == "!!str" {
		return specs.NewText(n.Value)
	}
	s := n.Value
	switch s {
	case "", "~", "null", "Null", "NULL":
		return specs.Value{Kind: specs.Null}
	case "true", "True", "TRUE":
		return specs.NewBool(true)
	case "false", "False", "FALSE":
		return specs.NewBool(false)
	}
	if f, ok := coreNumber(s); ok {
		return specs.NewNumber(f)
	}
	return specs.NewText(s)
}

// coreNumber reads a text that is not empty. It leaves numbers that a double does not hold exactly as texts, so
// that two different ones stay different.
func coreNumber(s string) (float64, bool) {
	if strings.IndexByte("+-.0123456789", s[0]) < 0 { // as all of the four begin
		return 0, false
	}
	var f float64
	var err error
	switch {
	case coreOct(s):
		var i uint64
		i, err = strconv.ParseUint(s[2:], 8, 64)
		f = float64(i)
	case coreHex(s):
		var i uint64
		i, err = strconv.ParseUint(s[2:], 16, 64)
		f = float64(i)
	case coreFloat(s):
		f, err = strconv.ParseFloat(s, 64)
	default:
		return 0, false
	}
	return f, err == nil && math.Abs(f) < 1<<53
}

// asText is a scalar as GitHub reads it where its schema has a string,
// whatever YAML made of it: 1.0 is "1" there, and 0x10 is "16". A number is
// written with 15 digits as .NET's format G15 does (actions/runner,
// NumberToken).
func asText(v specs.Value) specs.Value {
	switch v.Kind {
	case specs.Null:
		return specs.NewText("")
	case specs.Bool:
		return specs.NewText(v.Text)
	case specs.Number:
		f, err := strconv.ParseFloat(v.Text, 64)
		if err != nil {
			return specs.NewText(v.Text)
		}
		return specs.NewText(strconv.FormatFloat(f, 'G', 15, 64))
	}
	return v
}

// whole is a number without what is behind its point, which GitHub leaves out
// of minutes and counts.
func whole(v specs.Value) specs.Value {
	if f, err := strconv.ParseFloat(v.Text, 64); v.Kind == specs.Number && err == nil {
		return specs.NewNumber(math.Trunc(f))
	}
	return typed(v)
}

func index(i int) string { return strconv.Itoa(i) }

// secretTexts takes the members as texts, at a place where secrets stand.
func secretTexts(v specs.Value) specs.Value {
	return changeMembers(typed(v), func(_ string, m specs.Value) specs.Value { return hide(text(m)) })
}

// inputs are a step's with: a member whose name speaks of a secret is one.
func inputs(v specs.Value) specs.Value {
	return changeMembers(v, func(key string, m specs.Value) specs.Value {
		if secretName(key) {
			return hide(text(m))
		}
		return text(m)
	})
}

var secretFold = lazy.Expression(`(?i)token|secret|passw|credential|api-?_?key|private-?_?key|auth`)

// hide marks a text as one that may be a secret, unless it is a truth value, a
// small number or nothing but an expression without a quoted text in it.
func hide(v specs.Value) specs.Value {
	if v.Kind != specs.Text || harmless(strings.TrimSpace(v.Text)) {
		return v
	}
	return specs.NewSecret(v.Text)
}

// changeMembers changes each member of a map where it stands; anything else is
// left alone. The map is the caller's alone, and gone.
func changeMembers(v specs.Value, change func(key string, m specs.Value) specs.Value) specs.Value {
	if v.Kind != specs.Map {
		return v
	}
	out := v.Members[:0]
	for _, m := range v.Members { // whose order stays
		if m.Value = change(m.Key, m.Value); m.Value.Kind != specs.Absent {
			out = append(out, m)
		}
	}
	return specs.Value{Kind: specs.Map, Members: out}
}

// mapMembers is changeMembers on a map that stays as it is.
func mapMembers(v specs.Value, change func(key string, m specs.Value) specs.Value) specs.Value {
	if v.Kind != specs.Map {
		return v
	}
	v.Members = slices.Clone(v.Members)
	return changeMembers(v, change)
}
