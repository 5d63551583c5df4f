package classify

import (
	"slices"
	"strings"
	"testing"
	"time"

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
			o.SetAttr("command", c.command)
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

// The records of the account whose table holds an object count, and no other's.
func TestRecordsOfTheAccount(t *testing.T) {
	known := func(d time.Duration) providers.Evidence { return *ran(d, d) }
	never := providers.Trace{State: providers.Known, From: "run records"}
	none := providers.Evidence{Executed: never, Succeeded: never}
	denied := providers.Trace{State: providers.Unreadable, Reason: "denied"}
	type said = map[string]providers.Evidence
	for name, c := range map[string]struct {
		user     string
		sealed   bool
		runs     said
		accounts map[string]said
		want     string
		hint     string
	}{
		"its own":                     {"deploy", false, said{}, map[string]said{"deploy": {"a": known(11 * hours), "": none}}, "", ""},
		"another's":                   {"root", false, said{"a": known(11 * hours)}, map[string]said{"root": {"": none}, "deploy": {"a": known(11 * hours), "": none}}, "not-executed:a@one never-ran", "of the account deploy, which do not count for a job of root"},
		"its own are older":           {"root", false, said{"a": known(11 * hours)}, map[string]said{"root": {"a": known(72 * hours), "": none}, "deploy": {"a": known(11 * hours), "": none}}, "not-executed:a@one stopped", "of the account deploy"},
		"another's are older":         {"root", false, said{}, map[string]said{"root": {"a": known(72 * hours), "": none}, "deploy": {"a": known(90 * hours), "": none}}, "not-executed:a@one stopped", ""},
		"its own cannot be read":      {"root", false, said{"a": known(11 * hours)}, map[string]said{"root": {"": {Executed: denied, Succeeded: denied}}, "deploy": {"a": known(11 * hours)}}, "unknown:a@one evidence-not-read", "of the account deploy"},
		"nobody was asked for its":    {"ghost", false, said{"a": known(11 * hours)}, map[string]said{"root": {"": none}}, "unknown:a@one evidence-not-read", ""},
		"the user is not known":       {"", false, said{"a": known(11 * hours)}, map[string]said{"deploy": {"": none}}, "", ""},
		"the user is kept back":       {"***", true, said{"a": known(11 * hours)}, map[string]said{"deploy": {"": none}}, "", ""},
		"records belong to no one":    {"root", false, said{"a": known(11 * hours)}, nil, "", ""},
		"only accounts, user unknown": {"", false, nil, map[string]said{"deploy": {"": none}}, "not-executed:a@one never-ran", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			o := w.object("one", "a", "0 1 * * *", "a")
			utc(w)
			o.SetAttr("command", "rolecall run --role a -- job")
			o.SetAttr("user", c.user)
			if c.sealed {
				o.Extra().Sealed = map[string]string{"user": "seal"}
			}
			w.obs[0].Runs, w.obs[0].Accounts = c.runs, c.accounts
			var got, hints []string
			for _, f := range w.judge().Findings {
				got, hints = append(got, f.ID+" "+f.Reason), append(hints, f.Hints...)
			}
			if strings.Join(got, " ") != c.want || !strings.Contains(strings.Join(hints, " "), c.hint) || c.hint == "" && strings.Contains(strings.Join(hints, " "), "do not count") {
				t.Errorf("%q with the hints %q; want %q", got, hints, c.want)
			}
		})
	}
}
