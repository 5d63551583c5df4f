package classify

import (
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// TestSelfAudit: the audit that sits on what it guards is told of, unless another
// looks from elsewhere.
func TestSelfAudit(t *testing.T) {
	const command = "/usr/bin/rolecall audit --config /etc/rolecall/rolecall.yaml"
	for name, c := range map[string]struct {
		build func(*testing.T, *world)
		want  bool
	}{
		"beside others": {func(t *testing.T, w *world) { w.object("one", "watch", "0 * * * *", command) }, true},
		"switched off": {func(t *testing.T, w *world) {
			w.object("one", "watch", "0 * * * *", command).Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
		}, false},
		"not its command": {func(t *testing.T, w *world) { w.object("one", "watch", "0 * * * *", "/opt/rolecall-audit/run") }, false},
		"a run":           {func(t *testing.T, w *world) { w.object("one", "watch", "0 * * * *", "rolecall run --role x -- /opt/x") }, false},
		"without a role":  {func(t *testing.T, w *world) { w.object("one", "", "0 * * * *", command) }, false},
		"two": {func(t *testing.T, w *world) {
			w.object("one", "watch", "0 * * * *", command)
			w.role("second", "two")
			w.object("two", "second", "0 * * * *", command)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.role("retry", "one")
			w.role("watch", "one")
			w.object("one", "retry", "5 * * * *", "retry")
			c.build(t, w)
			var got []string
			for _, n := range w.judge().Notes {
				if n.Code == "self-audit" {
					got = append(got, n.Message)
				}
			}
			if (len(got) == 1 && strings.HasPrefix(got[0], "role watch runs the audit in one")) != c.want {
				t.Errorf("%q", got)
			}
		})
	}
	alone := newWorld(t)
	alone.roles = alone.roles[1:] // z, in two
	alone.role("watch", "one")
	alone.object("one", "watch", "0 * * * *", command)
	for _, n := range alone.judge().Notes {
		if n.Code == "self-audit" {
			t.Errorf("nothing else is there to guard: %s", n.Message)
		}
	}
}

func TestRunsAudit(t *testing.T) {
	text := specs.NewText
	for name, c := range map[string]struct {
		body specs.Value
		want bool
	}{
		"a command": {specs.NewMap(specs.Member{Key: "command", Value: text("cd / && rolecall audit -q")}), true},
		"a CronJob": {specs.NewMap(
			specs.Member{Key: "args", Value: specs.NewList(text("audit"), text("-v"))},
			specs.Member{Key: "image", Value: text("registry.example:5000/x/rolecall:1@sha256:00")}), true},
		"a workflow": {specs.NewMap(specs.Member{Key: "uses", Value: text("rolecall-dev/rolecall@v1")}, specs.Member{Key: "run", Value: text("rolecall audit\necho done")}), true},
		"a secret":   {specs.NewMap(specs.Member{Key: "env", Value: specs.NewSecret("rolecall audit")}), false},
		"other":      {specs.NewMap(specs.Member{Key: "command", Value: text("npm audit")}), false},
		"nothing":    {specs.Value{}, false},
	} {
		if got := runsAudit(specs.Pack(c.body)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
