package change

import (
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/specs"
)

func TestLower(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1", "2", true}, {"2", "1", false}, {"9", "10", true}, {"10", "9", false}, {"1", "1", false},
		{"1.9", "1.10", true}, {"v1", "v2", true}, {"v1", "2", true}, {"1.2", "1.2.1", true}, {"1.2.1", "1.2", false},
		{"1.0-rc1", "1.0", false}, {"1.0", "1.0-rc1", false}, {"rc1", "rc2", false}, {"2026-01-02", "2026-01-10", true},
		{"3f2a", "4b1c", false}, {"1", "x", false}, {"", "1", true}, {"99999999999999999999", "1", false},
	} {
		if got := lower(c.a, c.b); got != c.want {
			t.Errorf("%q is lower than %q: %t", c.a, c.b, got)
		}
	}
}

func TestLine(t *testing.T) {
	const before = "a\nb\nc\nd\ne\n"
	for _, c := range []struct {
		after string
		line  int
		want  int
	}{
		{before, 3, 3},
		{"a\nb\nd\ne\n", 3, 3},          // gone: what took its place
		{"a\nb\nd\ne\n", 4, 3},          // what stood below it
		{"a\nb\nc\nd\n", 5, 4},          // gone at the end: the last line
		{"x\ny\na\nb\nc\nd\ne\n", 3, 5}, // more above
		{"x\na\nb\ne\n", 3, 4},          // more above, and gone
		{"x\na\nb\nq\nd\ne\nz\n", 4, 5}, // other lines all around
		{"", 3, 1}, {"\n", 3, 1},
		{before, 0, 1}, {before, 99, 5}, {"b\n", 2, 1}, {"x\nb\n", 2, 2},
	} {
		if got := Line([]byte(before), []byte(c.after), c.line); got != c.want {
			t.Errorf("line %d of %q is line %d, want %d", c.line, c.after, got, c.want)
		}
	}
	long := strings.Repeat("x\n", 3000)
	if got := Line([]byte("a\n"+long+"b\n"), []byte("c\n"+strings.Repeat("y\n", 3000)+"d\n"), 2000); got != 1 {
		t.Errorf("a line of a long text that is all another is line %d", got)
	}
}

// What is left of a text has the line in it.
func FuzzLine(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\n", 2)
	f.Add("", "", 0)
	f.Add("\x00\n\xff", "\n\n", 3)
	f.Fuzz(func(t *testing.T, before, after string, line int) {
		if len(before)+len(after) > 4000 {
			return
		}
		got := Line([]byte(before), []byte(after), line)
		if most := max(1, strings.Count(strings.TrimSuffix(after, "\n"), "\n")+1); got < 1 || got > most {
			t.Errorf("line %d of %d", got, most)
		}
		if same := Line([]byte(before), []byte(before), line); line > 0 && line <= strings.Count(before, "\n") && same != line {
			t.Errorf("line %d of a text that stays is line %d", line, same)
		}
	})
}

func spec(text, command string) specs.Spec {
	s, err := specs.ParseSchedule(specs.Debian, text, "")
	if err != nil {
		panic(err)
	}
	return specs.Spec{Schedules: []specs.Schedule{s}, Body: specs.Pack(specs.NewMap(
		specs.Member{Key: "command", Value: specs.NewText(command)}, specs.Member{Key: "user", Value: specs.NewText("deploy")},
	))}
}

// TestAnother is the table of what needs another version, in the forms in which
// a spec can be stated.
func TestAnother(t *testing.T) {
	whole := specs.Desired{Spec: spec("5 4 * * *", "run")}
	other := specs.Desired{Spec: spec("6 4 * * *", "run")}
	part := func(d specs.Desired, stated ...string) specs.Desired {
		return specs.Desired{Spec: d.Spec.Project(stated), Stated: append([]string{}, stated...)}
	}
	pinned := func(d specs.Desired) specs.Desired { return specs.Desired{Spec: d.Spec, Pinned: d.Spec.Hash()} }
	in := func(d specs.Desired, namespace string) specs.Desired {
		d.Attrs = map[string]string{"namespace": namespace}
		return d
	}
	for name, c := range map[string]struct {
		before, after specs.Desired
		want          bool
	}{
		"in the same namespace":         {in(whole, "shop"), in(whole, "shop"), false},
		"in another namespace":          {in(whole, "shop"), in(whole, "stock"), true},
		"in a namespace from now on":    {whole, in(whole, "stock"), false},
		"wherever it is":                {in(whole, "shop"), whole, true},
		"in a namespace, then pinned":   {in(whole, "shop"), pinned(whole), false}, // a hash says no place
		"the same":                      {whole, whole, false},
		"another time":                  {whole, other, true},
		"written otherwise":             {whole, specs.Desired{Spec: spec("5 04 * * 0-7", "run")}, false},
		"part of it":                    {part(whole, "command"), part(whole, "command"), false},
		"part of it, another time":      {part(whole, "command"), part(other, "command"), true},
		"more of it":                    {part(whole, "command"), part(whole, "command", "user"), false},
		"less of it":                    {part(whole, "command", "user"), part(whole, "command"), true},
		"the schedule alone, then more": {part(whole), part(whole, "command"), false},
		"then the whole":                {part(whole, "command"), whole, false},
		"then another whole":            {part(whole, "command"), other, true},
		"no more than a part":           {whole, part(whole, "command"), true},
		"pinned":                        {whole, pinned(whole), false},
		"pinned to another":             {whole, pinned(other), true},
		"no more pinned":                {pinned(whole), whole, false},
		"pinned as before":              {pinned(whole), pinned(whole), false},
		"pinned otherwise":              {pinned(whole), pinned(other), true},
		"pinned, then a part":           {pinned(whole), part(whole, "command"), true},
		"a part, then pinned":           {part(whole, "command"), pinned(whole), true}, // what is pinned cannot be told
	} {
		if got := another(c.before, c.after); got != c.want {
			t.Errorf("%s: another %t", name, got)
		}
	}
}

func TestPartners(t *testing.T) {
	role := func(key string, previous []string, sources ...string) specs.Role {
		return specs.Role{Key: key, PreviousRoles: previous, Sources: sources}
	}
	ref := func(s string) specs.Ref {
		role, source, _ := strings.Cut(s, "@")
		return specs.Ref{Role: role, Source: source}
	}
	for name, c := range map[string]struct {
		before, after []specs.Role
		want          map[string]string // after: before
	}{
		"stays":                      {[]specs.Role{role("a", nil, "x")}, []specs.Role{role("a", nil, "x")}, map[string]string{"a@x": "a@x"}},
		"moves":                      {[]specs.Role{role("a", nil, "x")}, []specs.Role{role("a", nil, "y")}, map[string]string{"a@y": "a@x"}},
		"one of two moves":           {[]specs.Role{role("a", nil, "x", "y")}, []specs.Role{role("a", nil, "z", "y")}, map[string]string{"a@y": "a@y", "a@z": "a@x"}},
		"one more":                   {[]specs.Role{role("a", nil, "x")}, []specs.Role{role("a", nil, "x", "y")}, map[string]string{"a@x": "a@x"}},
		"renamed":                    {[]specs.Role{role("a", nil, "x")}, []specs.Role{role("b", []string{"a"}, "x")}, map[string]string{"b@x": "a@x"}},
		"renamed, and a was another": {[]specs.Role{role("a", nil, "x"), role("b", nil, "x")}, []specs.Role{role("b", []string{"a"}, "x")}, map[string]string{"b@x": "b@x"}},
		"gone and come":              {[]specs.Role{role("a", nil, "x")}, []specs.Role{role("b", nil, "x")}, map[string]string{}},
	} {
		got := Partners(ledger.Ledger{Roles: c.before}, ledger.Ledger{Roles: c.after})
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
		}
		for after, before := range c.want {
			if got[ref(after)] != ref(before) {
				t.Errorf("%s: %s was %v, want %s", name, after, got[ref(after)], before)
			}
		}
	}
}
