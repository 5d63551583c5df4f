package classify

import (
	"slices"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
)

// The records of a source say under the empty key what they say of a role that
// has none: that it never ran, or that nobody could look.
func TestRolesWithoutRecords(t *testing.T) {
	const through = "/usr/bin/rolecall run --role a -- job"
	for name, c := range map[string]struct {
		command string
		none    providers.TraceState
		want    string
	}{
		"never ran":          {through, providers.Known, "not-executed:a@one never-ran"},
		"unread":             {through, providers.Unreadable, "unknown:a@one evidence-not-read"},
		"not to be recorded": {"a", providers.Unreadable, ""},
		"nor that it ran":    {"a", providers.Known, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			o := w.object("one", "a", "0 1 * * *", "a")
			o.Attrs["command"] = c.command
			trace := providers.Trace{State: c.none, From: "run records", Reason: "denied"}
			w.obs[0].Runs = map[string]providers.Evidence{"": {Executed: trace, Succeeded: trace}}
			var got []string
			for _, f := range w.judge().Findings {
				got = append(got, f.ID+" "+f.Reason)
			}
			if c.want == "" && len(got) > 0 || c.want != "" && !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
