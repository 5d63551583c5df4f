package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/specs"
)

func TestEvidenceTerms(t *testing.T) {
	l, warnings, err := parse(t, filepath.Join(folder, "ok", "evidence.yaml"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	at := func(line, column int) specs.Pos {
		return specs.Pos{File: "evidence.yaml", Line: line, Column: column}
	}
	want := []specs.EvidenceTerms{
		{
			Pos: at(9, 7), Since: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
			MaxRuntime: ptr(90 * time.Minute), SucceedWithin: ptr(26 * time.Hour), ProgressWithin: ptr(48 * time.Hour), Grace: ptr(time.Duration(0)),
			Executed:   specs.EvidenceSource{Pos: at(15, 17)}, // native, though runs tells of the rest
			Succeeded:  specs.EvidenceSource{Pos: at(16, 18), File: "../out/dump.gz", MaxAge: ptr(26 * time.Hour)},
			Progressed: specs.EvidenceSource{Pos: at(14, 13), Runs: "state/runs", Shared: true},
		},
		{
			Pos: at(24, 7), Since: time.Date(2026, 11, 1, 8, 30, 0, 0, time.UTC),
			Executed:   specs.EvidenceSource{Pos: at(25, 17), Runs: "/var/lib/rolecall"},
			Succeeded:  specs.EvidenceSource{Pos: at(26, 18), Query: `max(settle_last_success_timestamp_seconds{job="settle"})`},
			Progressed: specs.EvidenceSource{Pos: at(27, 19), None: true},
		},
		{},
	}
	var got []specs.EvidenceTerms
	var repair []bool
	for _, r := range l.Roles {
		got, repair = append(got, r.Evidence), append(repair, r.Repair.CreateMissing)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]bool{true, false, false}, repair); diff != "" {
		t.Errorf("repair (-want +got):\n%s", diff)
	}
	if !got[2].IsZero() || got[1].Succeeded.IsZero() || got[0].Executed.IsZero() {
		t.Error("what is stated and what is not are not told apart")
	}
}

// One term at a time, so that no fault hides another: parser and schema agree.
func TestEvidenceVerdicts(t *testing.T) {
	for field, cases := range map[string][2][]string{
		"evidence": {
			{
				"{since: 2026-11-01}", "{since: 2026-11-01T00:00:00Z}", "{grace: 0s}", "{max_runtime: 26h}", "{runs: x}", "{runs: 5}",
				"{executed: native}", "{executed: none}", "{executed: {runs: x}}", "{executed: {prometheus: {query: up}}}",
				"{succeeded: {file: {path: x}}}", "{progressed: {file: {path: x, max_age: 500ms}}}",
			},
			{
				"{}", "none", "[]", "{runs: ''}", "{runs: \"\\0\"}", "{since: 01.11.2026}", "{since: 2026-11-01 10:00}", "{grace: 1d}", "{max_runtime: 0s}", "{succeed_within: 0m0s}", "{progress_within: 5}",
				"{executed: never}", "{executed: }", "{executed: {}}", "{executed: {native: true}}", "{executed: {'': native}}", "{executed: [none]}", "{executed: {file: {path: x}}}",
				"{succeeded: {runs: x, file: {path: x}}}", "{succeeded: {runs: ''}}", "{succeeded: {prometheus: up}}", "{succeeded: {prometheus: {}}}", "{succeeded: {prometheus: {query: ''}}}",
				"{progressed: {file: x}}", "{progressed: {file: {path: ''}}}", "{progressed: {file: {max_age: 1h}}}", "{progressed: {file: {path: x, max_age: 0s}}}", "{progressed: {file: {path: x, age: 1h}}}", "{progressed: {runs: x, max_age: 1h}}",
			},
		},
		"repair": {
			{"{missing: create}", "{missing: none}", "{missing: create, user: deploy}", "{missing: create, user: 1000}", "{missing: create, file: /etc/cron.d/shop}"},
			{
				"{missing: none, user: deploy}", "{missing: none, file: /etc/crontab}", "{missing: create, user: deploy, file: /etc/crontab}", "{user: deploy}", "{missing: create, user: ''}",
				"{missing: create, user: 'dep*'}", "{missing: create, user: a/b}", "{missing: create, user: \"a\\0b\"}", "{missing: create, user: [deploy]}", "{missing: create, file: shop}",
				"{missing: create, file: '/etc/cron.d/*'}", "{missing: create, file: 5}", "{missing: create, file: ''}", "{missing: create, namespace: batch}", "{}", "create", "{missing: delete}", "{missing: true}", "{missing: [create]}", "{inactive: create}",
			},
		},
	} {
		for i, list := range cases {
			for _, terms := range list {
				t.Run(field+" "+terms, func(t *testing.T) {
					holdBoth(t, "    "+field+": "+terms+"\n", i == 0)
				})
			}
		}
	}
}

// holdBoth holds parser and schema to one verdict on a line of a role.
func holdBoth(t *testing.T, line string, good bool) {
	t.Helper()
	text := "ledger: rolecall/v1\nroles:\n  a:\n    source: web-1\n    spec: {schedule: '0 3 * * *', command: x}\n" + line
	file := filepath.Join(t.TempDir(), "ledger.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := parse(t, file); (err == nil) != good {
		t.Errorf("parser: %v", err)
	}
	if err := schemaVerdict(t, "ledger", file); (err == nil) != good {
		t.Errorf("schema: %v", err)
	}
}

func TestProgressWithinNeedsAWitness(t *testing.T) {
	for who, warned := range map[string]bool{"": true, ", progressed: native": true, ", progressed: none": true, ", runs: x": false, ", progressed: {prometheus: {query: up}}": false} {
		text := "ledger: rolecall/v1\nroles:\n  a:\n    owner: o\n    version: 1\n    source: web-1\n    spec: {schedule: '0 3 * * *', command: x}\n    evidence: {progress_within: 2h" + who + "}\n"
		_, warnings, err := ledger.Parse("ledger.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(warnings) == 1 && strings.Contains(warnings[0].Message, "progress_within"); got != warned {
			t.Errorf("%q: %v", who, warnings)
		}
	}
}

// A role in several sources has a place of evidence in each.
func TestEachSourceHasItsOwnEvidence(t *testing.T) {
	const where = "names one place for 2 sources"
	for terms, wrong := range map[string][]string{
		"runs: /var/lib/rolecall":                                       {"evidence.runs"},
		"runs: 'records/{source}'":                                      nil,
		"succeed_within: 1h":                                            nil,
		"executed: native, succeeded: none":                             nil,
		"succeeded: {file: {path: out/dump.gz}}":                        {"evidence.succeeded"},
		"succeeded: {file: {path: 'out/{source}.gz'}}":                  nil,
		"executed: {prometheus: {query: up}}, progressed: {runs: x}":    {"evidence.executed", "evidence.progressed"},
		"succeeded: {prometheus: {query: 'max(t{host=\"{source}\"})'}}": nil,
		"runs: 'r/{source}', progressed: {file: {path: x}}":             {"evidence.progressed"},
	} {
		for sources, shared := range map[string]bool{"source: one": false, "sources: [one]": false, "sources: [one, two]": true} {
			text := "ledger: rolecall/v1\nroles:\n  a:\n    " + sources + "\n    spec: {schedule: '0 3 * * *', command: x}\n    evidence: {" + terms + "}\n"
			_, _, err := ledger.Parse("ledger.yaml", []byte(text), nil)
			switch {
			case !shared || len(wrong) == 0:
				if err != nil {
					t.Errorf("%s, %s: %v", sources, terms, err)
				}
			case err == nil:
				t.Errorf("%s, %s: no error", sources, terms)
			default:
				if n := strings.Count(err.Error(), where); n != len(wrong) {
					t.Errorf("%s, %s: %v", sources, terms, err)
				}
				for _, field := range wrong {
					if !strings.Contains(err.Error(), field+" of role a "+where) {
						t.Errorf("%s, %s: %v; want one of %s", sources, terms, err, field)
					}
				}
			}
		}
	}
}

func TestSinceAhead(t *testing.T) {
	l, _, err := ledger.Parse("ledger.yaml", []byte("ledger: rolecall/v1\nroles:\n  a:\n    source: one\n    spec: {schedule: '0 3 * * *', command: x}\n    evidence: {since: 2027-01-10}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := l.Ahead(time.Date(2027, 1, 9, 23, 0, 0, 0, time.UTC)); len(w) != 1 || w[0].Pos.Line != 6 || !strings.Contains(w[0].Message, "2027-01-10T00:00:00Z") {
		t.Error(w)
	}
	if w := l.Ahead(time.Date(2027, 1, 10, 0, 0, 0, 0, time.UTC)); len(w) != 0 {
		t.Error(w)
	}
}
