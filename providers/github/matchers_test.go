package github

import (
	"math/rand"
	"regexp"
	"strings"
	"testing"
)

// TestMatchers makes texts of what the expressions tell apart.
func TestMatchers(t *testing.T) {
	marker := regexp.MustCompile(`^\s*#+\s*rolecall:\s*(.*?)\s*$`)
	for _, m := range []struct {
		name, expression string
		is               func(string) bool
		parts            []string
	}{
		{"identifier", `^[A-Za-z_][A-Za-z0-9_-]{0,98}$`, identifier, []string{"a", "Z", "_", "-", "9", "0", "é", " ", strings.Repeat("x", 96), "@", "[", "`", "{", "/", ":", "\n"}},
		{"action", `^[^@/\\]+[/\\][^@]*[^@/\\][^@]*@[^@]+$`, actionName, []string{"a", "/", `\`, "@", "v1", ".", "\n", "é", "\xff"}},
		{"called here", `^(\./|\$/)[^@]+$`, calledHere, []string{"./", "$/", ".", "$", "/", "@", "a", "\n", "é"}},
		{"called", `^[^@/]{2,}/[^@/]+/[^@]+@[^@]+$|^[^@/.$]/[^@/]+/[^@]+@[^@]+$`, calledName, []string{"a", "bc", "/", "@", ".", "$", "é", "\xff", "\n", "/x/y@1"}},
		{"octal", `^0o[0-7]+$`, coreOct, []string{"0o", "0", "7", "8", "o", "-"}},
		{"hex", `^0x[0-9a-fA-F]+$`, coreHex, []string{"0x", "0", "9", "a", "F", "g", "G", "@", "`", "-"}},
		{"number", `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$|^[-+]?[0-9]+$`, coreFloat, []string{"0", "9", ".", "e", "E", "+", "-", "12", "_", "\n"}},
		{"secret", `(?i)token|secret|passw|credential|api-?_?key|private-?_?key|auth`, secretName, []string{"tok", "en", "TOKEN", "Secret", "pass", "w", "W", "credential", "api", "-", "_", "key", "KEY", "private", "auth", "au", "th", "x", "\u212a", "\u017f", "é", "\xff", "\x10", "ecret"}},
		{"harmless", `^(|true|false|[0-9]{1,5}|\$\{\{[^}'"]*\}\})$`, harmless, []string{"true", "false", "1", "23", "456", "${{", "}}", "}", "'", `"`, "a", "\n", "\xff", "$", "{{"}},
		{"word of an expression", `^[A-Za-z_][A-Za-z0-9_-]*$`, isExprWord, []string{"a", "Z", "_", "-", "9", "\u017f", "\u212a", "\xff", "."}},
		{"no end of a word", `^[^\s\v\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}()\[\],!><=&|]*$`, func(s string) bool { return wordLength(s, true) == len(s) }, []string{"a.b", "é", "\u0085", "\u00a0", "\u2028", "\u3000", "\xff", "\x85", "\x00", " ", "\v", "(", "]", "|", "-"}},
		{"marker", marker.String(), func(s string) bool { _, ok := markerLine(s); return ok }, []string{"#", " ", "\t", "\r", "\n", "\v", "rolecall:", "role=a", "rolecall", ":", "\xff", "é"}},
	} {
		t.Run(m.name, func(t *testing.T) {
			want := regexp.MustCompile(m.expression)
			r := rand.New(rand.NewSource(1))
			met := map[bool]int{}
			for range 100_000 {
				var s string
				for range r.Intn(8) {
					s += m.parts[r.Intn(len(m.parts))]
				}
				if got := m.is(s); got != want.MatchString(s) {
					t.Fatalf("%q: %v", s, got)
				}
				met[m.is(s)]++
				if said, ok := markerLine(s); ok && said != marker.FindStringSubmatch(s)[1] {
					t.Fatalf("%q: it says %q", s, said)
				}
			}
			if met[true] < 100 || met[false] < 100 {
				t.Errorf("the texts are too much alike: %v", met)
			}
		})
	}
}
