package dialecttest

import (
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// exception is a row on which we differ from the program, on purpose.
type exception struct {
	theirs, ours string
	reason       string
}

// panics: the program does not refuse, it breaks. For a schedule that comes to
// the same: it never runs.
var kubernetesExceptions = map[string]exception{
	"TZ=UTC": {"panic", "refuse", "robfig/cron cuts behind a blank that is not there; the API server and the controller recover and take it for invalid"},
}

func TestVerdictsAsRobfig(t *testing.T) {
	compareVerdicts(t, specs.Kubernetes, func(text string) error { _, err := robfig(text); return err }, kubernetesExceptions)
}

func TestVerdictsAsSupercronic(t *testing.T) {
	compareVerdicts(t, specs.Supercronic, func(text string) error { _, err := supercronic(text); return err }, nil)
}

// TestVerdictsAsActionlint: GitHub's server is closed. Of the two checks that
// can be run, actionlint is one; the other, GitHub's own in its editor
// (@actions/workflow-parser 0.3.61), is no Go module, and its verdict stands in
// the exceptions as it was measured. Where both agree we agree with them.
func TestVerdictsAsActionlint(t *testing.T) {
	compareVerdicts(t, specs.GitHub, lint, githubExceptions)
}

func compareVerdicts(t *testing.T, d specs.Dialect, program func(string) error, exceptions map[string]exception) {
	seen := map[string]bool{}
	accepted := 0
	for _, text := range measured(t, d) {
		if seen[text] {
			continue
		}
		seen[text] = true
		_, err := specs.ParseSchedule(d, text, "")
		ours, bad := verdict(err), program(text)
		theirs := verdict(bad)
		if theirs == "accept" {
			accepted++
		}
		e, excepted := exceptions[text]
		switch {
		case excepted && (e.ours != ours || e.theirs != theirs):
			t.Errorf("%q: we %s, the program %s (%v); the exception says we %s, it %s", text, ours, theirs, bad, e.ours, e.theirs)
		case !excepted && ours != theirs:
			t.Errorf("%q: we %s (%v), the program %s (%v)", text, ours, err, theirs, bad)
		}
	}
	for text, e := range exceptions {
		if !seen[text] {
			t.Errorf("%q is an exception and no row", text)
		}
		if e.ours == e.theirs {
			t.Errorf("%q is no exception", text)
		}
	}
	if accepted < 60 {
		t.Errorf("the program accepts only %d", accepted)
	}
}

const (
	often      = "GitHub takes a shorter interval than 5 minutes and thins the runs out; the editor's check accepts it"
	neverFires = "actionlint reckons an interval of 0 seconds; the editor's check accepts it, and so does the server"
	undocument = "robfig/cron's, not documented for GitHub; the editor's check refuses it"
	jsNumber   = "the editor's check reads JavaScript's numbers; taken with a warning"
	prefix     = "robfig/cron's prefix for a zone, not documented for GitHub; the editor's check refuses it"
)

var githubExceptions = map[string]exception{
	"*/59 * * * *":                       {"refuse", "accept", "actionlint looks at the first two instants, 0 and 59 past, and then 60 seconds; the editor's check accepts it"},
	"0-59 * * * *":                       {"refuse", "accept", often},
	"*,5 * * * *":                        {"refuse", "accept", often},
	"5,* * * * *":                        {"refuse", "accept", often},
	"5. * * * *":                         {"refuse", "accept", jsNumber},
	"1e1 * * * *":                        {"refuse", "accept", jsNumber},
	"0x1F * * * *":                       {"refuse", "accept", jsNumber},
	"0 0 31 2 *":                         {"refuse", "accept", neverFires},
	"0 0 30 2 *":                         {"refuse", "accept", neverFires},
	"0 0 31 4,6,9,11 *":                  {"refuse", "accept", neverFires},
	"*/61 * * * *":                       {"accept", "refuse", undocument},
	"*/90 * * * *":                       {"accept", "refuse", undocument},
	"5, * * * *":                         {"accept", "refuse", undocument},
	"0 0 */32 * *":                       {"accept", "refuse", undocument},
	"0 0 * * ?":                          {"accept", "refuse", undocument},
	"0 0 ? * 1":                          {"accept", "refuse", undocument},
	"0 0 1 * ?":                          {"accept", "refuse", undocument},
	"0 0 */100,1-7 * 1":                  {"accept", "refuse", undocument},
	"0 0 */100,1-7 * */7":                {"accept", "refuse", undocument},
	"0\t0\t*\t*\t*":                      {"accept", "refuse", undocument},
	"0 0 * * ,1":                         {"accept", "refuse", undocument},
	"0 0 * * 1,,2":                       {"accept", "refuse", undocument},
	"*/4294967297 * * * *":               {"accept", "refuse", undocument},
	"TZ=UTC 0 0 * * *":                   {"accept", "refuse", prefix},
	"CRON_TZ=America/New_York 0 0 * * *": {"accept", "refuse", prefix},
	"TZ= 0 0 * * *":                      {"accept", "refuse", prefix},
	"TZ=UTC":                             {"panic", "refuse", prefix},
}

// TestWhatOnlyTheEditorTakes: rows that both of us refuse, though the editor's
// check takes them. 5.5 is no minute, and what the server would make of it is
// not known.
func TestWhatOnlyTheEditorTakes(t *testing.T) {
	for _, text := range []string{"5.5 * * * *"} {
		if _, err := specs.ParseSchedule(specs.GitHub, text, ""); err == nil || lint(text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
