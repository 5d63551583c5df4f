package classify

import (
	"math/rand/v2"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// The roles that are looked at for an object are all that could mean it.
func TestCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := []string{"user", "command", "file", "schedule", "namespace", "name", "repo", "workflow", "cron"}
	values := []string{"a", "b", "*", "a*", "?", "* * * * *", "*  * * * *", "x/y", "x/*", ""}
	some := func() map[string]string {
		out := map[string]string{}
		for range 1 + r.IntN(3) {
			out[keys[r.IntN(len(keys))]] = values[r.IntN(len(values))]
		}
		return out
	}
	var m matching
	for range 200 {
		role := specs.Role{Match: specs.Match{Keys: some()}}
		if r.IntN(4) == 0 {
			role.Match.Labels = map[string]string{"app": values[r.IntN(5)]}
			if r.IntN(3) == 0 {
				role.Match.Labels["part"] = values[r.IntN(5)]
			}
			if r.IntN(2) == 0 {
				role.Match.Keys = nil
			}
		}
		m.add(&role)
	}
	met := 0
	for range 2000 {
		o := providers.Object{Attrs: providers.AttrsOf(some()), More: &providers.More{Labels: map[string]string{"app": values[r.IntN(3)], "part": values[r.IntN(3)]}}}
		if r.IntN(5) == 0 {
			o.Extra().Sealed = map[string]string{"command": specs.Seal("a")}
		}
		want, got := 0, 0
		for _, role := range m.roles {
			if matches(role.Match, o) != no {
				want++
			}
		}
		for _, role := range m.candidates(&o) {
			if matches(role.Match, o) != no {
				got++
			}
		}
		if got != want {
			t.Fatalf("%+v: %d of %d roles", o, got, want)
		}
		met += want
	}
	if met < 1000 {
		t.Errorf("only %d matches were met, too few to prove much", met)
	}
}
