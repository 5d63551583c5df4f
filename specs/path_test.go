package specs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePath(t *testing.T) {
	for text, want := range map[string]Path{
		"schedule":              {"schedule"},
		"env.PATH":              {"env", "PATH"},
		"a.b[main].image":       {"a", "b", "main", "image"},
		`a["team.example/x"].b`: {"a", "team.example/x", "b"},
		`["a.b"].c`:             {"a.b", "c"},
		"ports[8080/TCP]":       {"ports", "8080/TCP"},
		"secrets[my.registry]":  {"secrets", "my.registry"},
		`a["\"]\\"]`:            {"a", `"]\`},
		`a[""]`:                 {"a", ""},
		"steps[2][0]":           {"steps", "2", "0"},
		"**.image":              {"**", "image"},
		"a b.ü":                 {"a b", "ü"},
	} {
		if got, err := ParsePath(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[b", `a["b`, `a["b]`, `a["b"c]`, "a[b]c", `a["\x"]`} {
		if got, err := ParsePath(text); err == nil {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          int
	}{
		{"a", "a", 1}, {"a", "a.b.c", 1}, {"a.b", "a", 0}, {"a", "ab", 0}, {"a.b", "a[b].c", 2},
		{"a.*", "a.b.c", 2}, {"a.*", `a["x.y/z"]`, 2}, {"a.*", "a", 0}, {"*.b", "a.b", 2}, {"*.b", "a.c.b", 0},
		{"a[istio-*]", "a[istio-proxy].image", 2}, {"a[istio-*]", "a[main].image", 0}, {"a[?]", "a[1]", 2}, {"a[?]", "a[10]", 0},
		{"**.image", "image", 1}, {"**.image", "a.b[c].image.d", 4}, {"a.**.d", "a.b.c.d", 4}, {"a.**.d", "a.d.d", 2}, {"a.**", "a.b", 1},
		{"a.**", "b.a", 0}, {"**.b.**.d", "a.b.c.d", 4}, {"**.b.**.d", "a.d.c.b", 0}, {"*x*", "axb.c", 1},
	} {
		pattern, err1 := ParsePath(c.pattern)
		path, err2 := ParsePath(c.path)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if got := pattern.Covers(path); got != c.want {
			t.Errorf("%s covers %d steps of %s, want %d", c.pattern, got, c.path, c.want)
		}
	}
}

func TestParsePointer(t *testing.T) {
	for text, want := range map[string][]string{
		"/a": {"a"}, "/spec/a~1b/~0~01": {"spec", "a/b", "~~1"}, "/a b/0": {"a b", "0"},
	} {
		if got, err := ParsePointer(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "a", "a/b", "//a", "/a/", "/a~", "/a~2", "#/a"} {
		if got, err := ParsePointer(text); err == nil {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// oddKeys are keys in which the signs of a path stand.
var oddKeys = []string{"a", "b", "main", "a.b/c", "x]", "x].a[b", `"q`, `q"]`, "[", "", " ", "\x00", "ü", "\xff", `\`, "8080/TCP", "0"}

// anyValue is a small random value.
func anyValue(r *rand.Rand, depth int) Value {
	kind := r.IntN(4)
	if depth == 0 {
		return NewText(string(rune('a' + r.IntN(3))))
	}
	members := make([]Member, r.IntN(4))
	items := make([]Value, len(members))
	for i := range members {
		members[i] = Member{oddKeys[r.IntN(len(oddKeys))], anyValue(r, depth-1)}
		items[i] = members[i].Value
	}
	switch kind {
	case 1:
		return NewMap(members...)
	case 2:
		return NewKeyed(members...)
	case 3:
		return NewList(items...)
	}
	return NewText(string(rune('a' + r.IntN(3))))
}

func at(v Value, path Path) Value {
	for _, step := range path {
		if v.Kind == List {
			i := slices.IndexFunc([]string{"0", "1", "2", "3"}, func(s string) bool { return s == step })
			if i < 0 || i >= len(v.Members) {
				return Value{}
			}
			v = v.Members[i].Value
			continue
		}
		v = v.Get(step)
	}
	return v
}

// A path that is printed is read as the steps that lead to what differs, whatever
// stands in the keys, and as a rule covers its own difference and no other but
// those below it.
func TestPrintedPathsAreRead(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	differences := 0
	for range 5000 {
		a, b := NewMap(Member{"top", anyValue(r, 4)}), NewMap(Member{"top", anyValue(r, 4)})
		var paths []Path
		for _, d := range DiffValues("", a, b) {
			p, err := ParsePath(d.Path)
			if err != nil {
				t.Fatalf("%q: %v", d.Path, err)
			}
			if x, y := at(a, p), at(b, p); !cmp.Equal(x, d.Desired) || !cmp.Equal(y, d.Observed) {
				t.Fatalf("%q leads to %v and %v, not %v and %v", d.Path, x, y, d.Desired, d.Observed)
			}
			paths = append(paths, p)
		}
		for i, p := range paths {
			for k, q := range paths {
				if i != k && p.Within(q) {
					t.Fatalf("%q and %q are both a difference", p, q)
				}
			}
			if n := p.Covers(p); n == 0 {
				t.Fatalf("%q does not cover itself", p)
			}
		}
		differences += len(paths)
	}
	if differences < 3000 {
		t.Errorf("only %d differences, too few to prove much", differences)
	}
}

func TestWithout(t *testing.T) {
	after := func(key string, before ...string) Member {
		var list []Value
		for _, b := range before {
			list = append(list, NewText(b))
		}
		return Member{key, NewMap(Member{"image", NewText(key)}, Member{"after", NewList(list...)})}
	}
	chain := func(keys ...string) Value {
		var members []Member
		for i, k := range keys {
			m := Member{k, NewMap(Member{"image", NewText(k)})}
			if i > 0 {
				m.Value = NewMap(append(m.Value.Members, Member{"after", NewText(keys[i-1])})...)
			}
			members = append(members, m)
		}
		return NewKeyed(members...)
	}
	plain := func(key string) Member { return Member{key, NewMap(Member{"image", NewText(key)})} }
	for _, c := range []struct {
		name       string
		from, want Value
		gone       []Path
	}{
		{"first of a chain", chain("mesh", "a", "b"), chain("a", "b"), []Path{{"list", "mesh"}}},
		{"middle of a chain", chain("a", "mesh", "b"), chain("a", "b"), []Path{{"list", "mesh"}}},
		{"last of a chain", chain("a", "b", "mesh"), chain("a", "b"), []Path{{"list", "mesh"}}},
		{"two of a chain", chain("x", "a", "y", "b"), chain("a", "b"), []Path{{"list", "x"}, {"list", "y"}}},
		{"two in a row", chain("a", "x", "y", "b"), chain("a", "b"), []Path{{"list", "y"}, {"list", "x"}}},
		{"one that several follow", NewKeyed(plain("mesh"), after("a", "mesh"), after("b", "a", "mesh")), NewKeyed(plain("a"), after("b", "a")), []Path{{"list", "mesh"}}},
		{"one that is not there", chain("a", "b"), chain("a", "b"), []Path{{"list", "mesh"}}},
		{"what is no list", NewMap(plain("a"), plain("b")), NewMap(plain("a"), plain("b")), []Path{{"list", "a"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Spec{Body: Pack(NewMap(Member{"list", c.from}, plain("other")))}
			before := string(s.Canonical())
			got := s.Without(c.gone...)
			if d := DiffValues("", NewMap(Member{"list", c.want}, plain("other")), got.Body.Value()); len(d) > 0 {
				t.Errorf("%+v", d)
			}
			if string(s.Canonical()) != before {
				t.Error("the spec itself was changed")
			}
		})
	}
	only := Spec{Body: Pack(NewMap(Member{"pod", NewMap(Member{"list", chain("mesh")}, plain("x"))}))}
	if got := only.Without(Path{"pod", "list", "mesh"}).Body.Get("pod"); got.Get("list").Kind != Absent || got.Get("x").Kind == Absent {
		t.Errorf("a list without members is left: %+v", got)
	}
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"a.b[c]", `a["b.c"]`, "**.x", "a[", `["\u00e4"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err != nil {
			return
		}
		text := ""
		for _, step := range p {
			text = Step(text, step, text != "")
		}
		if again, err := ParsePath(text); err != nil || !slices.Equal(p, again) {
			t.Errorf("%q is %q, and that printed %q is %q, %v", s, p, text, again, err)
		}
		p.Covers(p)
	})
}
