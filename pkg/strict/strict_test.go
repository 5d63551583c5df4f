package strict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

type lamp struct {
	strict.Place
	Name   strict.Text             `strict:"name,required"`
	Note   strict.Text             `strict:"note,empty"`
	State  strict.Text             `strict:"state,enum=on|off"`
	Days   strict.Texts            `strict:"days"`
	Watts  strict.Int              `strict:"watts"`
	Dim    strict.Bool             `strict:"dim"`
	Env    strict.Map[strict.Text] `strict:"env,empty"`
	Bulbs  []bulb                  `strict:"bulbs"`
	Shade  *shade                  `strict:"shade"`
	Switch dial                    `strict:"switch"`
}

type bulb struct {
	strict.Place
	Path strict.Text `strict:"path,required,short"`
	Kind strict.Text `strict:"kind"`
}

// dial is a word, or a mapping without a key for it.
type dial struct {
	strict.Place
	Word strict.Text `strict:",short"`
	Step strict.Int  `strict:"step"`
}

type shade struct {
	Colour strict.Text `strict:"colour"`
}

func decode(t *testing.T, text string) (lamp, string) {
	t.Helper()
	var l lamp
	errs := strict.Decode("f", []byte(text), &l)
	if err := errs.Err(""); err != nil {
		return l, err.Error()
	}
	return l, ""
}

func TestTextIsLiteral(t *testing.T) {
	for written, want := range map[string]string{
		"1.10": "1.10", "010": "010", "7": "7", `"7"`: "7", "'7'": "7", "0x1F": "0x1F", "1e3": "1e3", ".inf": ".inf",
		"true": "true", "yes": "yes", "Off": "Off", "2026-11-01": "2026-11-01", "2026-11-01T09:00:00Z": "2026-11-01T09:00:00Z",
		`"a\tb"`: "a\tb", `"null"`: "null", "12:30:45": "12:30:45", "1_000": "1_000", "!!str 5": "5", `"\u00e9"`: "é", "|-\n  x\n  y": "x\ny",
	} {
		l, errs := decode(t, "name: "+written+"\n")
		if errs != "" || l.Name.Value != want {
			t.Errorf("%s is read as %q (%s), want %q", written, l.Name.Value, errs, want)
		}
	}
}

func TestValuesAndPlaces(t *testing.T) {
	l, errs := decode(t, `name: reading
note: ""
state: off
days: mon
watts: -40
dim: TRUE
env: {B: "", A: 1, "x.y": z}
bulbs:
  - one.yaml
  - {path: two.yaml, kind: led}
shade:
  colour: green
`)
	if errs != "" {
		t.Fatal(errs)
	}
	at := func(line, column int) specs.Pos { return specs.Pos{File: "f", Line: line, Column: column} }
	if !l.Note.Stated() || l.Note.Value != "" || *l.Note.Pointer() != "" {
		t.Errorf("note %+v", l.Note)
	}
	if diff := cmp.Diff([]string{"mon"}, l.Days.Values()); diff != "" {
		t.Error(diff)
	}
	if l.Watts.Value != -40 || !l.Dim.Value || l.Shade.Colour.Value != "green" {
		t.Errorf("watts %+v, dim %+v, shade %+v", l.Watts, l.Dim, l.Shade)
	}
	if len(l.Env.Items) != 3 || l.Env.Items[0].Key.Value != "B" || l.Env.Items[1].Value.Value != "1" {
		t.Errorf("env %+v", l.Env)
	}
	if l.Bulbs[0].Path.Value != "one.yaml" || l.Bulbs[1].Kind.Value != "led" {
		t.Errorf("bulbs %+v", l.Bulbs)
	}
	for what, got := range map[string][2]specs.Pos{
		"a key":              {fieldOf(l.Place, "watts"), at(5, 1)},
		"a value":            {l.Watts.Pos, at(5, 8)},
		"a value in a list":  {l.Bulbs[1].Kind.Pos, at(10, 28)},
		"a bare scalar":      {fieldOf(l.Bulbs[0].Place, "path"), at(9, 5)},
		"a key of a mapping": {l.Env.Items[2].Key.Pos, at(7, 20)},
	} {
		if got[0] != got[1] {
			t.Errorf("%s stands at %s, want %s", what, got[0], got[1])
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"nmae: x\n":                              "f:1:1: unknown field \"nmae\"; did you mean `name`?",
		"naem: x\nname: y\n":                     "f:1:1: unknown field \"naem\"; did you mean `name`?",
		"state: on\n":                            "f:1:1: the file lacks the field `name`; add it",
		"name: [a]\n":                            "f:1:7: name is a list and must be text",
		"name: {a: b}\n":                         "f:1:7: name is a mapping and must be text",
		"name:\n":                                "f:1:6: name has no value; give it one, or remove the field",
		"name: ~\n":                              "f:1:7: name has no value; give it one, or remove the field",
		"name: ''\n":                             "f:1:7: name is empty; give it a value, or remove the field",
		"name: a\nname: b\n":                     "f:2:1: \"name\" stands twice, first in line 1; remove one",
		"name: a\n'name': b\n":                   "f:2:1: \"name\" stands twice, first in line 1; remove one",
		"name: a\nstate: up\n":                   "f:2:8: state is \"up\" and must be on or off",
		"name: a\nstate: no\n":                   "f:2:8: state is \"no\" and must be on or off; did you mean `on`?",
		"name: a\nwatts: 010\n":                  "f:2:8: watts is \"010\" and must be a whole number in decimal digits",
		"name: a\nwatts: 1e2\n":                  "f:2:8: watts is \"1e2\" and must be a whole number in decimal digits",
		"name: a\nwatts: \"5\"\n":                "f:2:8: watts is \"5\" and must be a whole number in decimal digits",
		"name: a\nwatts: 99999999999999999999\n": "f:2:8: watts is \"99999999999999999999\" and must be a whole number in decimal digits",
		"name: a\ndim: yes\n":                    "f:2:6: dim is \"yes\" and must be true or false",
		"name: a\ndays: []\n":                    "f:2:7: days is an empty list; name at least one, or remove the field",
		"name: a\ndays: [b, c, b]\n":             "f:2:14: days[2] repeats \"b\" of line 2; remove one",
		"name: a\ndays: {b: c}\n":                "f:2:7: days is a mapping and must be text or a list of texts",
		"name: a\nbulbs: one\n":                  "f:2:8: bulbs is a single value and must be a list",
		"name: a\nbulbs: [{kind: b}]\n":          "f:2:9: bulbs[0] lacks the field `path`; add it",
		"name: a\nenv: {b: [c]}\n":               "f:2:10: env.b is a list and must be text",
		"name: a\nswitch: {\"\": up}\n":          "f:2:10: unknown field \"\" in switch; the fields here are step",
		"name: a\nswitch: [up]\n":                "f:2:9: switch is a list and must be a mapping",
		"name: a\nswitch:\n":                     "f:2:8: switch has no value; give it one, or remove the field",
		"name: a\nfutur: 1\n":                    "f:2:1: unknown field \"futur\"; the fields here are name, note, state, days, watts, dim, env, bulbs, shade, switch",
		"name: a\n? [x]\n: y\n":                  "f:2:3: a key in the file is a list and must be text",
		"name: a\nnull: y\n":                     "f:2:1: a key in the file is without a value and must be text",
		"name: a\n<<: b\n":                       "f:2:5: the merge << in the file is a single value and must be a mapping",
		"name: !x a\n":                           "f:1:7: name has the tag \"!x\", which is not read; remove the tag",
		"name: a\nshade: !x {}\n":                "f:2:8: shade has the tag \"!x\", which is not read; remove the tag",
		"name: a\n--- {}\n":                      "f:2:1: a second document starts here; a file has exactly one",
		"name: a\n...\nx\n":                      "f:3: not YAML: did not find expected <document start>",
		"":                                       "f:1:1: the file is empty",
		"# a\n":                                  "f:1:1: the file is empty",
		"a\n":                                    "f:1:1: the file is a single value and must be a mapping",
		"name: a: b\n":                           "f:1: not YAML: mapping values are not allowed in this context",
		"name: 'a\n":                             "f:2: not YAML: found unexpected end of stream",
		"name: a\n\tb: c\n":                      "f:2: not YAML: found a tab character that violates indentation",
		"name: \"a\xffb\"\n":                     "f:1:9: not YAML: invalid leading UTF-8 octet",
		"name: a\nnote: \"\x00\"\n":              "f:2:8: not YAML: control characters are not allowed",
		"name: a\n\"b\\e[31m\": c\n":             "f:2:1: unknown field \"b\\x1b[31m\"; the fields here are name, note, state, days, watts, dim, env, bulbs, shade, switch",
	} {
		if _, got := decode(t, text); got != want {
			t.Errorf("%q gives\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestAllErrorsInTheOrderOfTheFile(t *testing.T) {
	l, errs := decode(t, "watts: x\nnmae: a\nstate: on\nbulbs: [{pth: b}, c]\nswitch: {step: x}\n")
	want := "f:1:8: watts is \"x\" and must be a whole number in decimal digits\n" +
		"f:2:1: unknown field \"nmae\"; did you mean `name`?\n" +
		"f:4:10: unknown field \"pth\" in bulbs[0]; did you mean `path`?\n" +
		"f:5:16: switch.step is \"x\" and must be a whole number in decimal digits"
	if errs != want {
		t.Errorf("got\n%s\nwant\n%s", errs, want)
	}
	if l.State.Value != "on" || l.Bulbs[1].Path.Value != "c" {
		t.Errorf("what was right is not read: %+v", l)
	}
}

func TestAWordOfItsOwn(t *testing.T) {
	l, errs := decode(t, "name: a\nswitch: up\n")
	if errs != "" || l.Switch.Word.Value != "up" || !l.Switch.Word.Stated() {
		t.Errorf("%+v %s", l.Switch, errs)
	}
	l, errs = decode(t, "name: a\nswitch: {step: 2}\n")
	if errs != "" || l.Switch.Word.Stated() || l.Switch.Step.Value != 2 {
		t.Errorf("%+v %s", l.Switch, errs)
	}
}

func TestMerges(t *testing.T) {
	l, errs := decode(t, "name: a\nenv: {A: 1, <<: [&x {A: 2, B: 2}, {B: 3, C: 3, <<: {D: 4}}]}\n")
	got := map[string]string{}
	for _, it := range l.Env.Items {
		got[it.Key.Value] = it.Value.Value
	}
	if diff := cmp.Diff(map[string]string{"A": "1", "B": "2", "C": "3", "D": "4"}, got); diff != "" || errs != "" {
		t.Errorf("%s%s", errs, diff)
	}
	deep := strings.Repeat("{<<: ", 50) + "{A: 1}" + strings.Repeat("}", 50)
	if _, errs := decode(t, "name: a\nenv: "+deep+"\n"); !strings.Contains(errs, "deeper than") {
		t.Errorf("deep merges: %s", errs)
	}
}

func TestBombsAndCycles(t *testing.T) {
	bomb := "name: a\ndays:\n  - &b0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 40; i++ {
		bomb += fmt.Sprintf("  - &b%d [%s]\n", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*b%d, ", i-1), 10), ", "))
	}
	allocs := testing.AllocsPerRun(1, func() {
		if _, errs := decode(t, bomb); !strings.Contains(errs, "unfold to more than") {
			t.Errorf("a bomb: %s", errs)
		}
	})
	if allocs > 50_000 {
		t.Errorf("%v allocations for a bomb of %d bytes", allocs, len(bomb))
	}
	if _, errs := decode(t, "name: a\nbulbs: &x [*x]\n"); !strings.Contains(errs, "f:2:12: alias \"*x\" stands inside") {
		t.Errorf("a cycle: %s", errs)
	}
	chain := "name: a\nenv:\n  k0: &k0 {a: b}\n"
	for i := 1; i < 5000; i++ {
		chain += fmt.Sprintf("  k%d: &k%d {<<: *k%d}\n", i, i, i-1)
	}
	if _, errs := decode(t, chain); errs == "" {
		t.Error("a chain of merges passes")
	}
}

func TestSizeIsLimited(t *testing.T) {
	if err := strict.CheckSize("f", strict.MaxBytes); err != nil {
		t.Errorf("the largest: %v", err)
	}
	err := strict.CheckSize("f", 200_000_000)
	if err == nil || !strings.HasPrefix(err.Error(), "f: the file has 200000000 bytes") {
		t.Errorf("200 MB: %v", err)
	}
	if _, errs := decode(t, "name: "+strings.Repeat("x", strict.MaxBytes)); !strings.Contains(errs, "at most") {
		t.Errorf("too large: %.200s", errs)
	}
}

func TestManyErrorsAreCut(t *testing.T) {
	var e strict.Errors
	for i := range 2500 {
		e.Add(specs.Pos{File: "f", Line: 2500 - i}, "error %d", i)
	}
	err := e.Err("next step")
	lines := strings.Split(err.Error(), "\n")
	if e.Len() != 2500 || len(lines) != 1002 || lines[1000] != "and 1500 errors more" || lines[1001] != "next step" || lines[0] != "f:1501: error 999" {
		t.Errorf("%d errors, %d lines, %q … %q", e.Len(), len(lines), lines[0], lines[len(lines)-2:])
	}
	var none strict.Errors
	if none.Err("next") != nil {
		t.Error("no errors are an error")
	}
}

func TestNearest(t *testing.T) {
	known := []string{"schedule", "source", "sources", "time_zone", "on", "web-1", "offline"}
	for word, want := range map[string]string{
		"shedule": "schedule", "Schedule": "schedule", "schedul": "schedule", "timeZone": "time_zone", "time-zone": "time_zone",
		"sorce": "source", "suorce": "source", "sourcess": "sources", "web1": "web-1", "ofline": "offline", "no": "on",
		"zebra": "", "": "", "x": "", strings.Repeat("schedule", 1000): "",
	} {
		if got := strict.Nearest(word, known); got != want {
			t.Errorf("%.20q is near %q, want %q", word, got, want)
		}
	}
}

func TestQuoteIsSafe(t *testing.T) {
	for in, want := range map[string]string{"a": `"a"`, "a\x1b[2J\n\u202e": `"a\x1b[2J\n\u202e"`, "\xff": `"\xff"`, strings.Repeat("é", 50): `"` + strings.Repeat("é", 40) + `"…`} {
		if got := strict.Quote(in); got != want {
			t.Errorf("%q is shown as %s, want %s", in, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("name: a\nenv: {<<: &x {A: 1}, B: *x}\nbulbs: [a, {path: b}]\n"))
	f.Add([]byte("name: a\nswitch: {\"\": b}\n"))
	f.Add([]byte("{\"name\": \"a\", \"days\": [\"b\"], \"watts\": 5}"))
	f.Add([]byte("name: &a [*a]\n--- !x\n? [b]\n: |\n c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var l lamp
		errs := strict.Decode("f", data, &l)
		if errs.Len() == 0 && !l.Name.Stated() {
			t.Error("a required field is not there, and no error")
		}
	})
}

func fieldOf(p strict.Place, name string) specs.Pos {
	at, _ := p.Field(name)
	return at
}
