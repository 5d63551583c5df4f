package github

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDotted holds what is made of an expression at a glance against what its
// tokens say.
func TestDotted(t *testing.T) {
	parts := []string{"github", "Event", ".", ".", ".", " ", "a", "-", "_", "9", "true", "'x'", "''", "é", "\u212a", "\u00a0", "\n", "*", "[", "]", "(", ")", "!", "+1"}
	r := rand.New(rand.NewSource(1))
	met := 0
	for range 200_000 {
		var s string
		for range r.Intn(7) {
			s += parts[r.Intn(len(parts))]
		}
		name, ok := dotted(s)
		if !ok {
			continue
		}
		met++
		if got := string(appendTokens(nil, s)); got != name {
			t.Fatalf("%q: %q, by its tokens %q", s, name, got)
		}
		want := &expr{op: opValue, text: strings.ToLower(name)}
		if d := cmp.Diff(want, parseTokens(s), cmp.AllowUnexported(expr{})); d != "" {
			t.Fatalf("%q: %s", s, d)
		}
	}
	if met == 0 {
		t.Skip("the short way is switched off")
	}
}
