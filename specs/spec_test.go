package specs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNumbersAsRFC8785(t *testing.T) {
	// The samples of RFC 8785, appendix B, that are finite.
	for bits, want := range map[float64]string{
		0: "0", -5e-324: "-5e-324", 5e-324: "5e-324", 1.7976931348623157e308: "1.7976931348623157e+308",
		9007199254740992: "9007199254740992", 295147905179352830000: "295147905179352830000",
		1e21: "1e+21", 9.999999999999997e22: "9.999999999999997e+22", 1e23: "1e+23", 0.000001: "0.000001",
		9.999999999999997e-7: "9.999999999999997e-7", 333333333.3333332: "333333333.3333332", 1.5: "1.5", -0.0000033333333333333333: "-0.0000033333333333333333",
	} {
		if got := NewNumber(bits).Text; got != want {
			t.Errorf("%v is %s, want %s", bits, got, want)
		}
	}
}

func TestStringsAsRFC8785(t *testing.T) {
	for text, want := range map[string]string{
		"\u20ac$\x0f\nA'B\"\\\\\"/": `"€$\u000f\nA'B\"\\\\\"/"`,
		"\b\t\f\r":                  `"\b\t\f\r"`,
		"a\xffb":                    `"a\udcffb"`,
		"\u2028<>&":                 "\"\u2028<>&\"",
	} {
		if got := string(appendString(nil, text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestKeysSortByUTF16(t *testing.T) {
	// The order of RFC 8785, section 3.2.3.
	want := []string{"\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"}
	var members []Member
	for _, i := range []int{4, 0, 6, 1, 5, 2, 3} {
		members = append(members, Member{want[i], NewBool(true)})
	}
	for i, m := range NewMap(members...).Members {
		if m.Key != want[i] {
			t.Errorf("key %d is %q, want %q", i, m.Key, want[i])
		}
	}
}

func TestMapKeepsTheLastOfAKey(t *testing.T) {
	v := NewMap(Member{"a", NewInt(1)}, Member{"b", Value{}}, Member{"a", NewInt(2)})
	if got := string(Spec{Body: Pack(v)}.CanonicalBody()); got != `{"a":2}` {
		t.Error(got)
	}
}

// randomValue makes small values that are often equal or nearly so.
func randomValue(r *rand.Rand, depth int) Value {
	switch n := r.IntN(8); {
	case n == 0:
		return NewBool(r.IntN(2) == 0)
	case n == 1:
		return NewInt(int64(r.IntN(3)))
	case n <= 4 || depth == 0:
		return NewText(strings.Repeat("x", r.IntN(3)))
	case n == 5:
		var items []Value
		for range r.IntN(3) {
			items = append(items, randomValue(r, depth-1))
		}
		return NewList(items...)
	default:
		var members []Member
		for range r.IntN(4) {
			members = append(members, Member{string(rune('a' + r.IntN(3))), randomValue(r, depth-1)})
		}
		if n == 6 {
			return NewKeyed(members...)
		}
		return NewMap(members...)
	}
}

func TestEqualHashExactlyIfNoDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	same := 0
	for range 200_000 {
		a := Spec{Body: Pack(NewMap(Member{"v", randomValue(r, 2)}))}
		b := Spec{Body: Pack(NewMap(Member{"v", randomValue(r, 2)}))}
		diffs := Diff(a, b)
		if (len(diffs) == 0) != (a.Hash() == b.Hash()) {
			t.Fatalf("%s and %s: differences %v", a.Canonical(), b.Canonical(), diffs)
		}
		if len(diffs) == 0 {
			same++
		}
		if !json.Valid(a.Canonical()) {
			t.Fatalf("not JSON: %s", a.Canonical())
		}
	}
	if same < 1000 {
		t.Errorf("only %d pairs were equal; the test says little", same)
	}
}

func TestPathsOfDifferences(t *testing.T) {
	container := func(image string) Value {
		return NewMap(Member{"image", NewText(image)}, Member{"args", NewList(NewText("a"), NewText(image))})
	}
	a := Spec{Body: Pack(NewMap(
		Member{"env", NewMap(Member{"PATH", NewText("/bin")})},
		Member{"pod", NewMap(Member{"containers", NewKeyed(Member{"main", container("1")}, Member{"gone", container("1")})}, Member{"a.b/c", NewInt(1)})},
	))}
	b := Spec{Body: Pack(NewMap(
		Member{"pod", NewMap(Member{"containers", NewKeyed(Member{"main", container("2")}, Member{"new", container("1")})}, Member{"a.b/c", NewInt(2)})},
	))}
	var got []string
	for _, d := range Diff(a, b) {
		got = append(got, d.Path)
	}
	want := `env.PATH pod["a.b/c"] pod.containers[gone] pod.containers[main].args[1] pod.containers[main].image pod.containers[new]`
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

func TestSealTellsOnlyWhetherItChanged(t *testing.T) {
	plain := Spec{Body: Pack(NewMap(Member{"command", NewSecret("run --password=x")}))}
	saved := Spec{Body: Pack(NewMap(Member{"command", Value{Kind: Sealed, Text: Seal("run --password=x")}}))}.WithHash(plain.Hash())
	if d := Diff(plain, saved); len(d) != 0 || saved.Hash() != plain.Hash() {
		t.Errorf("the saved form differs: %v", d)
	}
	other := Spec{Body: Pack(NewMap(Member{"command", NewText("run --password=y")}))}
	if d := Diff(other, saved); len(d) != 1 {
		t.Errorf("a change is not seen: %v", d)
	}
	if bytes.Contains(saved.Canonical(), []byte("password")) {
		t.Errorf("the saved form holds the text: %s", saved.Canonical())
	}
}

func TestProjectKeepsWhatIsStated(t *testing.T) {
	s := Spec{Body: Pack(NewMap(
		Member{"command", NewText("c")}, Member{"user", NewText("u")},
		Member{"env", NewMap(Member{"PATH", NewText("p")}, Member{"HOME", NewText("h")})},
	))}
	for fields, want := range map[string]string{
		"":                          `{}`,
		"command":                   `{"command":"c"}`,
		"command,stdin":             `{"command":"c"}`,
		"env.PATH,user":             `{"env":{"PATH":"p"},"user":"u"}`,
		"env.PATH,env.HOME,env.NOT": `{"env":{"HOME":"h","PATH":"p"}}`,
	} {
		if got := string(s.Project(strings.FieldsFunc(fields, func(r rune) bool { return r == ',' })).CanonicalBody()); got != want {
			t.Errorf("%s: %s, want %s", fields, got, want)
		}
	}
}

func TestSchedulesAreASet(t *testing.T) {
	parse := func(texts ...string) Spec {
		var s Spec
		for _, text := range texts {
			sched, err := ParseSchedule(GitHub, text, "UTC")
			if err != nil {
				t.Fatal(err)
			}
			s.Schedules = append(s.Schedules, sched)
		}
		return s
	}
	if parse("0 5 * * *", "0 9 * * *").Hash() != parse("00 9 * * *", "0 5 * * *", "0 5 * * *").Hash() {
		t.Error("order, repetition and text count")
	}
	if parse("0 6 * * 1-5").Hash() == parse("0 6 * * 1-3", "0 6 * * 4,5").Hash() {
		t.Error("two entries were merged into one")
	}
	zone := parse("0 5 * * *")
	zone.Schedules[0].Zone = "Europe/Oslo"
	if d := Diff(parse("0 5 * * *"), zone); len(d) != 1 || d[0].Path != "time_zone" {
		t.Errorf("another zone is %v", d)
	}
}

func TestParseHash(t *testing.T) {
	h := Spec{}.Hash()
	if back, err := ParseHash(h.String()); err != nil || back != h {
		t.Errorf("%v, %v", back, err)
	}
	for _, bad := range []string{"", "rc1:", "rc1:" + strings.Repeat("A", 64), "rc1:" + strings.Repeat("g", 64), "rc1:" + strings.Repeat("0", 63), "rc2:" + strings.Repeat("0", 64), strings.Repeat("0", 64)} {
		if _, err := ParseHash(bad); err == nil || !strings.Contains(err.Error(), "ledger hash") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if !(Hash{}).IsZero() || (Hash{}).String() != "" {
		t.Error("the zero hash is none")
	}
}

func BenchmarkHash(b *testing.B) {
	var members []Member
	for i := range 40 {
		members = append(members, Member{fmt.Sprintf("field%d", i), NewMap(Member{"name", NewText("some value of a usual length")}, Member{"n", NewInt(int64(i))})})
	}
	s := Spec{Body: Pack(NewMap(members...))}
	b.ReportAllocs()
	for b.Loop() {
		s.Hash()
	}
}

// TestPlainBytes: eight bytes at once are as one by one.
func TestPlainBytes(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			for _, pad := range []string{"a", " ", "!", "#", "[", "]", "~", "\x7f"} {
				text := []byte(strings.Repeat(pad, 17))
				text[at] = byte(c)
				want := len(text)
				if c < 0x20 || c >= 0x80 || c == '"' || c == '\\' {
					want = at
				}
				if got := plainBytes(string(text)); got != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
			}
		}
	}
}
