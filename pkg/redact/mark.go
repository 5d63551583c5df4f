package redact

import (
	"slices"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// Mark sets Secret on the texts of a spec whose place says that they are secrets,
// which the text alone does not: what stands under a sensitive key, and the
// argument after a flag that takes a secret. The meaning, and so the hash, stays
// what it was. Secrets within a text are left to Text. A body that needs no mark is
// the same string.
func Mark(body specs.Packed) specs.Packed {
	if body == "" || !slow.Only() && !body.Any(new(doubt).about) {
		return body
	}
	if marked := markAll(body); marked != body {
		return marked
	}
	return body
}

func markAll(body specs.Packed) specs.Packed { return specs.Pack(mark(body.Value(), false)) }

// doubt tells whether a body may have something to mark without taking it apart.
type doubt struct {
	sensitive uint64 // the depths above at which a map stands under a sensitive key
}

func (d *doubt) about(depth int, key string, kind specs.Kind, text string) bool {
	if depth >= 63 {
		return true
	}
	d.sensitive &= 1<<depth - 1
	if key == "" {
		return kind == specs.Text && doubtful(text)
	}
	if key == "value" && depth > 0 && d.sensitive>>(depth-1)&1 == 1 {
		return true
	}
	if kind != specs.Text && kind != specs.Map || !needed(key).has(assignedFinder) || !sensitive(key) {
		return false
	}
	d.sensitive |= 1 << depth
	return kind == specs.Text && hideable(text)
}

// doubtful says that an argument may be a secret, or be what gives away that
// another is one.
func doubtful(arg string) bool {
	if arg == "-p" {
		return true
	}
	asked := needed(arg)
	return asked.has(flaggedFinder) || asked.has(assignedFinder) && arg[0] == '-'
}

// mark marks a value. A list that was walked before, with the program that stands
// elsewhere, is not walked again without it.
func mark(v specs.Value, walked bool) specs.Value {
	if v.Kind != specs.Map && v.Kind != specs.List {
		return v
	}
	v.Members = slices.Clone(v.Members)
	switch {
	case v.Kind == specs.Map:
		markCommand(v.Members)
	case !walked:
		new(argWalk).mark(v.Members)
	}
	for i, m := range v.Members {
		value := mark(m.Value, v.Kind == specs.Map && (m.Key == "command" || m.Key == "args"))
		if m.Key != "" && sensitive(m.Key) {
			value = sealed(value)
		}
		v.Members[i].Value = value
	}
	return v
}

// sealed marks a text, or the value of an entry that has one under a key.
func sealed(v specs.Value) specs.Value {
	switch {
	case v.Kind == specs.Text && hideable(v.Text):
		v.Secret = true
	case v.Kind == specs.Map:
		for i, m := range v.Members {
			if m.Key == "value" {
				v.Members[i].Value = sealed(m.Value)
			}
		}
	}
	return v
}

func hideable(text string) bool { return text != "" && !reference(text) && !plainWord(text) }

// markCommand marks the arguments of a container, whose program stands in another
// list than its arguments.
func markCommand(members []specs.Member) {
	var w argWalk
	for _, key := range []string{"command", "args"} {
		for i, m := range members {
			if m.Key == key && m.Value.Kind == specs.List {
				members[i].Value.Members = slices.Clone(m.Value.Members)
				w.mark(members[i].Value.Members)
			}
		}
	}
}

func (w *argWalk) mark(items []specs.Member) {
	for i, m := range items {
		if m.Value.Kind != specs.Text {
			*w = argWalk{}
			continue
		}
		if _, ok := w.secret(m.Value.Text); ok {
			items[i].Value.Secret = true
		}
	}
}
