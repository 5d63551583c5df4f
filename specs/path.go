package specs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path names a field of a spec step by step: the keys of maps and of members
// that have a key, and the numbers of members of plain lists.
type Path []string

// ParsePath reads what a Difference's Path prints: steps after a dot, or in
// brackets; in brackets a step may be quoted as Go does. What it reads of a
// path that was printed are the steps from which that was made.
//
//	jobTemplate.spec.template.spec.containers[main].image
//	jobTemplate.spec.template.metadata.annotations["team.example/owner"]
func ParsePath(s string) (Path, error) {
	var out Path
	for rest := s; rest != "" || len(out) == 0; {
		step, tail, err := nextStep(rest, len(out) == 0)
		if err != nil {
			return nil, fmt.Errorf("%q is not the path of a field: %w; paste the path that a report prints", s, err)
		}
		out, rest = append(out, step), tail
	}
	return out, nil
}

func nextStep(s string, first bool) (step, rest string, err error) {
	switch {
	case strings.HasPrefix(s, `["`):
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(quoted):], "]") {
			return "", "", fmt.Errorf("the quoted step at %q does not end in \"]", s)
		}
		step, err := strconv.Unquote(quoted)
		return step, s[len(quoted)+2:], err
	case strings.HasPrefix(s, "["):
		end := strings.IndexByte(s, ']')
		if end < 2 {
			return "", "", fmt.Errorf("the step at %q does not end in ]", s)
		}
		return s[1:end], s[end+1:], nil
	case !first:
		if !strings.HasPrefix(s, ".") {
			return "", "", fmt.Errorf("neither . nor [ stands before %q", s)
		}
		s = s[1:]
	}
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	if end == 0 {
		return "", "", fmt.Errorf("a step is empty")
	}
	return s[:end], s[end:], nil
}

// Within says that a path names the field p or one below it.
func (p Path) Within(path Path) bool {
	return len(p) <= len(path) && slices.Equal(p, path[:len(p)])
}

// Covers is the length of the shortest beginning of a path that p names, so
// that what lies below a named field is named too; 0 if there is none. In p a
// step may hold * for any text and ? for one character of it, and a step ** is
// any number of steps.
func (p Path) Covers(path Path) int {
	for n := 1; n <= len(path); n++ {
		if fitsSteps(p, path[:n]) {
			return n
		}
	}
	return 0
}

// anySteps is the step of a pattern that stands for any number of them.
const anySteps = "**"

// fitsSteps matches without backtracking over more than the last **.
func fitsSteps(pattern, path Path) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(path) {
		switch {
		case p < len(pattern) && pattern[p] == anySteps:
			star, mark = p, i
			p++
		case p < len(pattern) && Glob(pattern[p], path[i], false):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == anySteps {
		p++
	}
	return p == len(pattern)
}

// Glob matches a whole text with * and ?, without backtracking over more than
// the last star. In a path of files neither crosses a slash.
func Glob(pattern, s string, files bool) bool {
	if pattern == s {
		return true
	}
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == s[i] || pattern[p] == '?' && !(files && s[i] == '/')):
			p++
			i++
		case star >= 0 && !(files && s[mark] == '/'):
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// Without is the spec as it would be without the members at some paths, each of
// a list whose members have keys. Where the order of such a list counts, a
// member names those before it as after; there the gap is closed. What has no
// members left is not there. Any other path is left alone.
func (s Spec) Without(gone ...Path) Spec {
	body := s.Body.Value()
	for _, p := range gone {
		body = body.without(p)
	}
	s.Body = Pack(body)
	s.saved = nil
	return s
}

// afterStep is the key under which a member of a keyed list says what stands
// before it: one key, or a list of them.
const afterStep = "after"

func (v Value) without(path Path) Value {
	if len(path) == 0 || len(path) == 1 && !v.Keyed || v.Get(path[0]).Kind == Absent {
		return v
	}
	out := v
	out.Members = make([]Member, 0, len(v.Members))
	for _, m := range v.Members {
		switch {
		case m.Key == path[0] && len(path) == 1:
			continue
		case m.Key == path[0]:
			before := m.Value
			if m.Value = before.without(path[1:]); m.Value.Empty() && !before.Empty() {
				continue
			}
		case len(path) == 1:
			m.Value = m.Value.closeGap(path[0], v.Get(path[0]).Get(afterStep))
		}
		out.Members = append(out.Members, m)
	}
	return out
}

// closeGap makes a member follow what the one that is gone followed.
func (v Value) closeGap(gone string, before Value) Value {
	after := v.Get(afterStep)
	switch {
	case after.Kind == Text && after.Text == gone:
		after = before
	case after.Kind == List:
		after.Members = slices.DeleteFunc(slices.Clone(after.Members), func(m Member) bool { return m.Value.Text == gone })
		if after.Empty() {
			after = Value{}
		}
	default:
		return v
	}
	v.Members = append(slices.Clip(v.Members), Member{afterStep, after})
	if after.Kind == Absent {
		v.Members = slices.DeleteFunc(slices.Clone(v.Members), func(m Member) bool { return m.Key == afterStep })
	}
	keyed := v.Keyed
	v = NewMap(v.Members...)
	v.Keyed = keyed
	return v
}
