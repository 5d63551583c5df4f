package github

import (
	"fmt"
	"strings"
	"testing"
)

// What the conditions of a workflow make of its schedule: each row has the
// notes as line and a piece of the text.
func TestConditions(t *testing.T) {
	const two = "on:\n  schedule:\n    - cron: '17 5 * * 1'\n    - cron: 18 5 * * MON\n"
	jobs := func(conditions ...string) string {
		s := "jobs:\n"
		for i, c := range conditions {
			s += fmt.Sprintf("  j%d:\n    runs-on: u\n    if: %s\n    steps: [{run: x}]\n", i, c)
		}
		return s
	}
	step := func(c string) string {
		return "jobs:\n  a:\n    runs-on: u\n    steps:\n      - run: x\n      - run: y\n        if: " + c + "\n"
	}
	for _, tt := range []struct {
		name, jobs string
		want       []string
	}{
		{"none", jobs("true"), nil},
		{"the entries' own", jobs("github.event.schedule == '17 5 * * 1'", "github.event.schedule == '18 5 * * mon'"), nil},
		{"a text of no entry", jobs("github.event.schedule == '17 6 * * 1' || github.event_name == 'push' || x.y"), []string{`8: a condition asks for the schedule "17 6 * * 1", which is none of on.schedule ("17 5 * * 1", "18 5 * * MON")`}},
		{"two of them", jobs("github.event.schedule == '1 1 * * *' || github.event.schedule == '2 2 * * *' || x.y"), []string{`8: a condition asks for the schedule "1 1 * * *" (and 1 more)`}},
		{"the other way round", jobs("${{ '1 1 * * *' == github.event.schedule || x.y }}"), []string{`8: a condition asks`}},
		{"unequal", jobs("github.event.schedule != '1 1 * * *'"), []string{`8: a condition asks`}},
		{"by another spelling", jobs("github.event.schedule == '18 5 * * 1' || x.y"), []string{`"18 5 * * MON" is due at the same times, and its text is another`}},
		{"by an index", jobs("github['event']['SCHEDULE'] == '1 1 * * *' || x.y"), []string{`8: a condition asks`}},
		{"of a list", jobs(`contains(fromJSON('["17 5 * * 1", "1 1 * * *"]'), github.event.schedule) || x.y`), []string{`8: a condition asks for the schedule "1 1 * * *", which`}},
		{"of a list, all there", jobs(`contains(fromJSON('["17 5 * * 1", "18 5 * * MON"]'), github.event.schedule)`), nil},
		{"a part of one", jobs("contains(github.event.schedule, '5 * *')"), nil},
		{"a part of none", jobs("contains(github.event.schedule, '7 * *') || x.y"), []string{`8: a condition asks for the schedule "7 * *"`}},
		{"the head of one", jobs("startsWith(github.event.schedule, '17') || startsWith(github.event.schedule, '18')"), nil},
		{"inside case", jobs("case(github.event.schedule == '1 1 * * *', true, x.y)"), []string{`8: a condition asks`}},
		{"in a step", step("${{ github.event.schedule == '1 1 * * *' }}"), []string{`11: a condition asks`}},
		{"in a step's environment", "jobs:\n  a:\n    runs-on: u\n    steps:\n      - run: x\n        env:\n          FULL: ${{ github.event.schedule == '1 1 * * *' && 'yes' || 'no' }}\n", []string{`11: a condition asks`}},
		{"another value", jobs("github.event.action == '1 1 * * *' || x.y"), nil},

		{"an entry for nobody", jobs("github.event.schedule == '17 5 * * 1'", "github.event.schedule == '17 5 * * 1' && x.y"), []string{`4: the conditions of the jobs leave out every job when it is due by "18 5 * * MON"`}},
		{"by a list", jobs(`contains(fromJSON('["17 5 * * 1"]'), github.event.schedule)`), []string{`4: the conditions`}},
		{"by what it is not", jobs("github.event.schedule != '18 5 * * mon'"), []string{`4: the conditions`}},
		{"by case", jobs("case(github.event.schedule == '17 5 * * 1', x.y, false)"), []string{`4: the conditions`}},
		{"a job without a condition", jobs("github.event.schedule == '17 5 * * 1'", "true"), nil},
		{"what cannot be known", jobs("github.event.schedule == '17 5 * * 1' || vars.ALL"), nil},
		{"for no entry", jobs("github.event_name == 'push'", "github.event_name != 'schedule' && x.y"), []string{"3: the conditions of the jobs leave out every job when the workflow is due by its schedule"}},
		{"false", jobs("false"), []string{"3: the conditions"}},
		{"false by its signs", jobs("${{ false }}"), []string{"3: the conditions"}},
		{"a text with an expression is true", jobs("${{ false }} || x"), nil},
		{"what needs such a job", "jobs:\n  a: {runs-on: u, if: \"!always()\", steps: [{run: x}]}\n  b: {needs: A, runs-on: u, steps: [{run: x}]}\n", []string{"3: the conditions"}},
		{"what goes on all the same", "jobs:\n  a: {runs-on: u, if: false, steps: [{run: x}]}\n  b: {needs: [a], if: '!cancelled()', runs-on: u, steps: [{run: x}]}\n", nil},
		{"all steps", "jobs:\n  a: {runs-on: u, steps: [{run: x, if: github.event_name == 'push'}, {run: y, if: false}]}\n", []string{"3: the conditions"}},
		{"not all steps", "jobs:\n  a: {runs-on: u, steps: [{run: x, if: false}, {run: y}]}\n", nil},
		{"refused, so nothing runs anyway", jobs("env.A == github.event.schedule"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := readWorkflow([]byte(two+tt.jobs), "w.yml")
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(tt.name, "refused") != (w.refused != "") {
				t.Fatalf("refused: %s", w.refused)
			}
			var got []string
			for _, n := range w.notes {
				if n.Code != "early-warning" {
					t.Errorf("%+v", n)
				}
				got = append(got, fmt.Sprintf("%d: %s", n.Pos.Line, n.Message))
			}
			if len(got) != len(tt.want) {
				t.Fatalf("%q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.Contains(got[i], tt.want[i]) {
					t.Errorf("%s\nwant %s", got[i], tt.want[i])
				}
			}
		})
	}
}

// Entries that are commented out are none, and a refused one ends the question.
func TestConditionsOfOtherEntries(t *testing.T) {
	const jobs = "jobs: {a: {runs-on: u, if: github.event.schedule == '17 5 * * *', steps: [{run: x}]}}\n"
	for _, tt := range []struct {
		on string
		n  int
	}{
		{"on:\n  schedule:\n    # rolecall: role=a\n    # - cron: 17 5 * * *\n    - cron: 18 5 * * *\n", 2},
		{"on:\n  schedule:\n    # rolecall: role=a\n    # - cron: 18 5 * * *\n    - cron: 17 5 * * *\n", 0},
		{"on:\n  schedule:\n    - cron: 18 5 * *\n", 0},
	} {
		w, err := readWorkflow([]byte(tt.on+jobs), "w.yml")
		if err != nil || len(w.notes) != tt.n {
			t.Errorf("%s: %v %+v", tt.on, err, w.notes)
		}
	}
}

func TestTopOfHour(t *testing.T) {
	texts := map[string]string{}
	for i, cron := range []string{"0 5 * * *", "00 * * * *", "5 0 * * *", "*/10 * * * *", "0,30 1 * * *", "0 1 * * 1", "0 2 * * *"} {
		texts[fmt.Sprintf(".github/workflows/%d.yml", i)] = "on: {schedule: [{cron: '" + cron + "'}, {cron: '7 7 * * *'}]}\n" + jobsTail
	}
	texts[".github/workflows/off.yml"] = "on: {schedule: [{cron: 0 5 * * *}]}\njobs: {}\n"
	o := look(t, CheckoutConfig{Source: "ci", Base: plant(t, texts), Dir: ".", Repo: "acme/shop"})
	want := "due at minute 0, when GitHub's load is highest and it starts runs late or leaves some out: acme/shop/.github/workflows/0.yml, acme/shop/.github/workflows/1.yml, acme/shop/.github/workflows/5.yml, and 1 more; another minute is safer"
	if len(o.Notes) != 1 || o.Notes[0].Code != "early-warning" || o.Notes[0].Message != want || !strings.HasSuffix(o.Notes[0].Pos.File, "0.yml") {
		t.Errorf("%+v", o.Notes)
	}
}

// Each doubt about a schedule is said once for a workflow.
func TestDoubts(t *testing.T) {
	w, err := readWorkflow([]byte("on:\n  schedule:\n    - cron: '*/2 * * * *'\n    - cron: '1-59/3 * * * *'\n    - cron: '1,3 4 * * *'\n    - cron: '1 1 */2 * 1'\n"+jobsTail), "w.yml")
	if err != nil || strings.Join(codes(w.notes), " ") != "suspicious-schedule:3 suspicious-schedule:6" {
		t.Errorf("%v %+v", err, w.notes)
	}
}

// A public repository's objects carry the day of its last push.
func TestPushedAt(t *testing.T) {
	for _, private := range []bool{false, true} {
		m := shop()
		m.private = private
		got := newFake(t, m).look(t, Config{Repos: []string{"acme/shop"}}, "")
		if len(got.Objects) != 1 || (got.Objects[0].Attr("pushed_at") == "2026-01-02T03:04:05Z") == private {
			t.Errorf("private %v: %+v", private, got.Objects[0].Attrs)
		}
	}
	m := shop()
	m.workflows[0].state = "disabled_inactivity"
	if got := newFake(t, m).look(t, Config{Repos: []string{"acme/shop"}}, ""); got.Objects[0].Attr("pushed_at") != "" {
		t.Errorf("%+v", got.Objects[0].Attrs)
	}
}
