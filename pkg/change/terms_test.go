package change

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
)

// said are the fields of a change of evidence and repair, a line each.
func said(t *testing.T, before, after string) []string {
	t.Helper()
	parse := func(terms string) Side {
		text := "ledger: rolecall/v1\nroles:\n  a:\n    source: web-1\n    spec: {schedule: '0 3 * * *', command: x}\n" + terms
		l, _, err := ledger.Parse("ledger.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return Side{Ledger: l, Text: []byte(text)}
	}
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	var out []string
	for _, e := range Edits(parse(before), parse(after), mask) {
		for _, f := range e.Fields {
			out = append(out, strings.TrimSuffix(f.Path+": "+f.Before+" → "+f.After+", "+f.AfterWords, ", "))
		}
	}
	return out
}

func TestTermsAreSaidPlainly(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		want          []string
	}{
		"the same, written otherwise": {"    evidence: {succeed_within: 90m, executed: native}\n    repair: {missing: none}\n", "    evidence: {succeed_within: 1h30m}\n", nil},
		"looser": {"    evidence: {succeed_within: 30m, grace: 0s}\n", "    evidence: {succeed_within: 26h, grace: 15m}\n",
			[]string{"evidence.succeed_within: 30m → 26h, looser: an alarm comes later", "evidence.grace: 0s → 15m, looser: an alarm comes later"}},
		"tighter": {"    evidence: {max_runtime: 1h30m}\n", "    evidence: {max_runtime: 90s}\n", []string{"evidence.max_runtime: 1h30m → 1m30s, tighter: an alarm comes sooner"}},
		"stated no more": {"    evidence: {succeed_within: 30m, since: 2026-11-01}\n", "    evidence: {since: 2026-12-01}\n",
			[]string{"evidence.since: 2026-11-01T00:00:00Z → 2026-12-01T00:00:00Z, what was due before it counts no more", "evidence.succeed_within: 30m → (not set), the default holds"}},
		"nobody looks": {"    evidence: {runs: /srv/runs}\n", "    evidence: {executed: none, succeeded: {prometheus: {query: 'up{token=\"hunter2\"}'}}}\n",
			[]string{"evidence.executed: runs /srv/runs → none, nobody looks at this stage any more", `evidence.succeeded: runs /srv/runs → prometheus up{token="***"}`, "evidence.progressed: runs /srv/runs → (not set), by the scheduler, where it knows"}},
		"an older file will do": {"    evidence: {succeeded: {file: {path: x, max_age: 1h}}}\n", "    evidence: {succeeded: {file: {path: x, max_age: 2h}}}\n",
			[]string{"evidence.succeeded: file x, max_age 1h → file x, max_age 2h, looser: an alarm comes later"}},
		"repair allowed": {"", "    repair: {missing: create}\n", []string{"repair.missing: (not set) → create, rolecall repair may create a missing object"}},
		"repair elsewhere": {"    repair: {missing: create, user: deploy}\n", "    repair: {missing: create, file: /etc/cron.d/shop}\n",
			[]string{"repair.user: deploy → (not set), rolecall repair creates it in /etc/cron.d/shop from now on", "repair.file: (not set) → /etc/cron.d/shop, rolecall repair creates it in /etc/cron.d/shop from now on"}},
		"repair allowed in a table": {"", "    repair: {missing: create, user: deploy}\n",
			[]string{"repair.missing: (not set) → create, rolecall repair may create a missing object", "repair.user: (not set) → deploy"}},
		"repair forbidden": {"    repair: {missing: create}\n", "    repair: {missing: none}\n", []string{"repair.missing: create → (not set), rolecall repair may create nothing any more"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, said(t, c.before, c.after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A role that comes with repair allowed says what that means, too.
func TestNewRoleSaysItsTerms(t *testing.T) {
	text := "ledger: rolecall/v1\nroles:\n  a:\n    source: web-1\n    spec: {schedule: '0 3 * * *', command: x}\n    evidence: {succeed_within: 30m}\n    repair: {missing: create}\n"
	l, _, err := ledger.Parse("ledger.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Edits(Side{}, Side{Ledger: l}, strings.TrimSpace)[0].Fields {
		if strings.HasPrefix(f.Path, "evidence") || strings.HasPrefix(f.Path, "repair") {
			got = append(got, f.Path+": "+f.After+", "+f.AfterWords)
		}
	}
	if diff := cmp.Diff([]string{"evidence.succeed_within: 30m, ", "repair.missing: create, rolecall repair may create a missing object"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
