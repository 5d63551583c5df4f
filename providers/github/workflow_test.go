package github

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const jobsTail = `
jobs:
  main:
    runs-on: ubuntu-24.04
    steps:
      - run: make
`

// shape is what the tests below compare of an object: its id's tail, its
// marker, and each entry with its zone.
func shape(os []providers.Object) []string {
	out := []string{}
	for _, o := range os {
		var es []string
		for _, e := range o.Entries() {
			zone := e.Schedule.Zone
			if zone == "" {
				zone = "refused"
			}
			es = append(es, e.Text+" "+zone)
		}
		mark := o.Marker().Role
		if o.Marker().Version != "" {
			mark += "=" + o.Marker().Version
		}
		if o.Marker().Invalid != "" {
			mark += "!" + o.Marker().Invalid
		}
		s := fmt.Sprintf("%s [%s] %s", strings.TrimPrefix(o.ID, "github:ci/acme/shop/"), mark, strings.Join(es, ", "))
		for _, in := range o.Inactive() {
			s += " " + in.Code
		}
		if o.Opaque {
			s += " opaque"
		}
		out = append(out, s)
	}
	return out
}

func codes(ns []providers.Note) []string {
	out := []string{}
	for _, n := range ns {
		out = append(out, fmt.Sprintf("%s:%d", n.Code, n.Pos.Line))
	}
	return out
}

var here = place{"ci", "acme/shop", "w.yml", "file/w.yml", "w.yml"}

func TestObjects(t *testing.T) {
	for _, tt := range []struct {
		name, text  string
		want, notes []string
	}{
		{"plain", "on:\n  schedule:\n    - cron: '0 5 * * *'\n" + jobsTail,
			[]string{"w.yml [] 0 5 * * * UTC"}, nil},
		{"quoted on", "\"on\":\n  schedule:\n    - cron: 0 5 * * *\n", []string{"w.yml [] 0 5 * * * UTC"}, nil},
		{"single-quoted on", "'on':\n  'schedule':\n    - 'cron': 0 5 * * *\n", []string{"w.yml [] 0 5 * * * UTC"}, nil},
		{"on that another tool wrote as true", "true:\n  schedule:\n    - cron: 0 5 * * *\n",
			[]string{"w.yml [] 0 5 * * * UTC file-not-loaded"}, nil},
		{"quoted true is no trigger", "'true':\n  schedule:\n    - cron: 0 5 * * *\n", []string{}, nil},
		{"flow style", "name: x\n# rolecall: role=a version=1\non: {push: {branches: [main]}, schedule: [{cron: \"0 5 * * *\"}]}\n",
			[]string{"w.yml [a=1] 0 5 * * * UTC"}, nil},
		{"flow entry with a zone", "on: {schedule: [{timezone: Europe/Oslo, cron: \"0 5 * * *\"}]}\n",
			[]string{"w.yml [] 0 5 * * * Europe/Oslo"}, nil},
		{"block scalar", "on:\n  schedule:\n    - cron: |\n        0 5 * * *\n", []string{"w.yml [] 0 5 * * * UTC"}, nil},
		{"folded scalar", "on:\n  schedule:\n    - cron: >-\n        0 5\n        * * *\n", []string{"w.yml [] 0 5 * * * UTC"}, nil},
		{"zone of one entry only", "on:\n  schedule:\n    - cron: 0 5 * * *\n      timezone: Europe/Oslo\n    - cron: 0 6 * * *\n",
			[]string{"w.yml [] 0 5 * * * Europe/Oslo, 0 6 * * * UTC"}, nil},
		{"zone as an item of its own", "on:\n  schedule:\n    - cron: 0 5 * * *\n    - timezone: Europe/Oslo\n",
			[]string{"w.yml [] 0 5 * * * UTC file-not-loaded"}, nil},
		{"a zone alone", "# rolecall: role=a\non:\n  schedule:\n    - timezone: Europe/Oslo\n",
			[]string{"w.yml [a]  refused file-not-loaded invalid-schedule opaque"}, nil},
		{"anchors", "env: &e {A: b}\non:\n  schedule: &s\n    - &c {cron: 0 5 * * *}\n    - cron: &t 0 6 * * *\njobs: {a: {runs-on: x, env: *e, strategy: {matrix: {x: *s, y: [*c, *t]}}, steps: [{run: x}]}}\n",
			[]string{"w.yml [] 0 5 * * *" + " UTC, 0 6 * * * UTC"}, nil},
		{"alias of a trigger", "x: &s [{cron: 0 5 * * *}]\non: {schedule: *s}\n", []string{"w.yml [] 0 5 * * * UTC"}, []string{"early-warning:1"}},
		{"merge key", "env: &s {timezone: Europe/Oslo}\non:\n  schedule:\n    - <<: *s\n      cron: 0 5 * * *\n",
			[]string{"w.yml [] 0 5 * * * Europe/Oslo file-not-loaded"}, nil},
		{"no schedule", "on: push\n# schedule\n" + jobsTail, []string{}, nil},
		{"schedule as a word", "on: [push, schedule]\n", []string{}, []string{"suspicious-schedule:1"}},
		{"empty schedule", "on:\n  schedule:\n", []string{}, []string{"suspicious-schedule:2"}},
		{"a mapping where a list belongs", "on:\n  schedule:\n    cron: 0 5 * * *\n",
			[]string{"w.yml [] 0 5 * * * UTC file-not-loaded"}, nil},
		{"a text where a list belongs", "on:\n  schedule: 0 5 * * *\n",
			[]string{"w.yml [] 0 5 * * * refused file-not-loaded invalid-schedule opaque"}, nil},
		{"refused", "on:\n  schedule:\n    - cron: 0 5 * * * *\n",
			[]string{"w.yml [] 0 5 * * * * refused invalid-schedule opaque"}, nil},
		{"foreign key in an entry", "on:\n  schedule:\n    - cron: 0 5 * * *\n      zone: UTC\n",
			[]string{"w.yml [] 0 5 * * * refused invalid-schedule opaque"}, nil},
		{"one refused entry takes the file", "on:\n  schedule:\n    # rolecall: role=a\n    - cron: 0 5 * *\n    # rolecall: role=b\n    - cron: 0 6 * * *\n",
			[]string{"w.yml#0 5 * * [a] 0 5 * * refused invalid-schedule opaque", "w.yml#0 6 * * * [b] 0 6 * * * UTC invalid-schedule"}, nil},
		{"marker at the head", "# mine\n# rolecall: role=a version=1.10\n\nname: x\non: {schedule: [{cron: 0 5 * * *}, {cron: 0 6 * * *}]}\n",
			[]string{"w.yml [a=1.10] 0 5 * * * UTC, 0 6 * * * UTC"}, nil},
		{"marker above on", "name: x\n# rolecall: role=a\n# why\non:\n  schedule:\n    - cron: 0 5 * * *\n", []string{"w.yml [a] 0 5 * * * UTC"}, nil},
		{"marker above schedule", "on:\n  # rolecall: role=a\n  schedule:\n    - cron: 0 5 * * *\n", []string{"w.yml [a] 0 5 * * * UTC"}, nil},
		{"marker above name below env", "env: {A: b}\n# rolecall: role=a\nname: x\non:\n  schedule:\n    - cron: 0 5 * * *\n", []string{"w.yml [a] 0 5 * * * UTC"}, nil},
		{"a blank line ends no marker above on", "name: x\n# rolecall: role=a\n\non:\n  schedule:\n    - cron: 0 5 * * *\n",
			[]string{"w.yml [a] 0 5 * * * UTC"}, nil},
		{"nor above an entry", "on:\n  schedule:\n    # rolecall: role=a\n\n    # why\n\n    - cron: 0 5 * * *\n    - cron: 0 6 * * *\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * UTC", "w.yml#0 6 * * * [] 0 6 * * * UTC"}, nil},
		{"nor above one that is commented out", "on:\n  schedule:\n    # rolecall: role=a\n\n    # - cron: 0 5 * * *\n\n    - cron: 0 6 * * *\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * UTC commented-out", "w.yml#0 6 * * * [] 0 6 * * * UTC"}, nil},
		{"a key between does", "on:\n  # rolecall: role=a\n\n  push:\n  schedule:\n    - cron: 0 5 * * *\n",
			[]string{"w.yml [] 0 5 * * * UTC"}, []string{"dangling-marker:2"}},
		{"marked beside unmarked", "on:\n  schedule:\n    # rolecall: role=a version=1\n    - cron: 0 5 * * *\n    - cron: 0 6 * * *\n",
			[]string{"w.yml#0 5 * * * [a=1] 0 5 * * * UTC", "w.yml#0 6 * * * [] 0 6 * * * UTC"}, nil},
		{"whole marker takes what no entry marker does", "# rolecall: role=w\non:\n  schedule:\n    # rolecall: role=a\n    - cron: 0 5 * * *\n    - cron: 0 6 * * *\n    - cron: 0 7 * * *\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * UTC", "w.yml [w] 0 6 * * * UTC, 0 7 * * * UTC"}, nil},
		{"two entries with one cron", "on:\n  schedule:\n    # rolecall: role=a\n    - cron: 0 5 * * *\n    # rolecall: role=b\n    - cron: 0 5 * * *\n      timezone: Asia/Tokyo\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * UTC", "w.yml#0 5 * * *~2 [b] 0 5 * * * Asia/Tokyo"}, nil},
		{"zone before cron", "on:\n  schedule:\n    # rolecall: role=a\n    - timezone: Asia/Tokyo\n      cron: 0 5 * * *\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * Asia/Tokyo"}, nil},
		{"bad role key", "# rolecall: role=a/b\non: {schedule: [{cron: 0 5 * * *}]}\n", []string{"w.yml [!a/b] 0 5 * * * UTC"}, nil},
		{"marker without a role", "# rolecall: retry\non: {schedule: [{cron: 0 5 * * *}]}\n", []string{"w.yml [!retry] 0 5 * * * UTC"}, nil},
		{"markers in a script are text", "on:\n  schedule:\n    - cron: 0 5 * * *\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          crontab - <<E\n          # rolecall: role=a\n\n          # - cron: x\n          E\n      - run: \"x\n\n          # rolecall: role=b\n          y\"\n      - run: 'it''s\n\n          # rolecall: role=c\n          '\n",
			[]string{"w.yml [] 0 5 * * * UTC"}, nil},
		{"marker below a script dangles", "on:\n  schedule:\n    - cron: 0 5 * * *\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          x\n  # rolecall: role=a\n",
			[]string{"w.yml [] 0 5 * * * UTC"}, []string{"dangling-marker:10"}},
		{"commented out under a marker", "on:\n  schedule:\n    # rolecall: role=a\n    # paused for the move\n    # - cron: '0 5 * * *'\n    #   timezone: Asia/Tokyo\n    # rolecall: role=b\n    - cron: 0 6 * * *\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * Asia/Tokyo commented-out", "w.yml#0 6 * * * [b] 0 6 * * * UTC"}, nil},
		{"commented out, the timezone first", "on:\n  schedule:\n    # rolecall: role=a\n    # - timezone: Asia/Tokyo\n    #   cron: 0 5 * * *\n    - cron: 0 6 * * *\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * Asia/Tokyo commented-out", "w.yml#0 6 * * * [] 0 6 * * * UTC"}, nil},
		{"all commented out", "on:\n  push:\n  # schedule:\n  # rolecall: role=a\n  #  - cron: 0 5 * * *\n  schedule:\n",
			[]string{"w.yml#0 5 * * * [a] 0 5 * * * UTC commented-out"}, []string{"suspicious-schedule:6"}},
		{"marker on a workflow without schedule", "# rolecall: role=a\non:\n  push:\n# schedule\n", []string{}, []string{"dangling-marker:1"}},
		{"more often than every five minutes", "on:\n  schedule:\n    - cron: '*/2 * * * *'\n", []string{"w.yml [] */2 * * * * UTC"}, []string{"suspicious-schedule:3"}},
		{"CRLF and a byte order mark", "\ufeff# rolecall: role=a\r\non:\r\n  schedule:\r\n    - cron: |\r\n        0 5 * * *\r\n", []string{"w.yml [a] 0 5 * * * UTC"}, nil},
		{"UTF-16", utf16LE("# rolecall: role=a\non:\n  schedule:\n    - cron: 0 5 * * *\n"), []string{"w.yml [a] 0 5 * * * UTC"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := readWorkflow([]byte(withJobs(tt.text)), "w.yml")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, shape(w.objects(here))); d != "" {
				t.Errorf("objects (-want +got):\n%s", d)
			}
			if tt.notes == nil {
				tt.notes = []string{}
			}
			if d := cmp.Diff(tt.notes, codes(w.notes)); d != "" {
				t.Errorf("notes (-want +got):\n%s", d)
			}
		})
	}
}

// withJobs is a workflow with a job below it, if it has none.
func withJobs(text string) string {
	switch {
	case strings.HasPrefix(text, "\xff\xfe"):
		return text + utf16LE(jobsTail)[2:]
	case strings.Contains(text, "jobs:"):
		return text
	case strings.HasPrefix(text, "{"):
		return strings.TrimSuffix(strings.TrimSpace(text), "}") + ", jobs: {a: {runs-on: x, steps: [{run: x}]}}}"
	}
	return text + jobsTail
}

func utf16LE(s string) string {
	b := []byte{0xFF, 0xFE}
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return string(b)
}

func TestNoWorkflow(t *testing.T) {
	bomb := "on: {schedule: [{cron: 0 5 * * *}]}\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for _, tt := range []struct{ name, text, want string }{
		{"tab", "on:\n\tschedule:\n", "line 2: "},
		{"open quote", "on: {schedule: [{cron: \"0 5 * * *}]}\n", "line"},
		{"a list", "- schedule\n", "line 1: a workflow is a mapping"},
		{"twice", "on: push\nname: x\non: {schedule: [{cron: 0 5 * * *}]}\n", `line 3: the key "on" stands here a second time`},
		{"twice below", "on:\n  schedule: []\n  schedule: []\n", `line 3: the key "schedule" stands here a second time`},
		{"two documents", "on: push\n---\non: {schedule: []}\n", "a second YAML document"},
		{"bomb", bomb, "the aliases make more than"},
		{"self", "on: &a {schedule: *a}\n", ""},
		{"mapping as key", "? {a: b}\n: schedule\n", "line 1: a key is not a plain word"},
		{"NUL", "on:\n  schedule: \x00\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readWorkflow([]byte(tt.text), "w.yml")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// One meaning in two spellings is one spec, and two meanings are two.
func TestSpelling(t *testing.T) {
	base := "on: {schedule: [{cron: 0 5 * * *}]}\n"
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"layout and comments", "jobs: {a: {steps: [{run: x}]}}", "jobs:\n  # hello\n  a:\n    steps:\n    - run: 'x'   # why", true},
		{"name and other triggers", "name: one\njobs: {a: {}}", "name: two\nrun-name: three\njobs: {a: {}}", true},
		{"order of keys", "jobs: {a: {if: x, uses: y}}", "jobs: {a: {uses: y, if: x}}", true},
		{"order of steps", "jobs: {a: {steps: [{run: x}, {run: y}]}}", "jobs: {a: {steps: [{run: y}, {run: x}]}}", false},
		{"line feed at a script's end", "jobs: {a: {steps: [{run: x}]}}", "jobs:\n  a:\n    steps:\n      - run: |\n          x\n", true},
		{"a script's text", "jobs: {a: {steps: [{run: x}]}}", "jobs: {a: {steps: [{run: x y}]}}", false},
		{"number by value", "jobs: {a: {timeout-minutes: 1.0}}", "jobs: {a: {timeout-minutes: 1}}", true},
		{"number and text", "jobs: {a: {uses: x, with: {n: 1}}}", "jobs: {a: {uses: x, with: {n: '1'}}}", false},
		{"env is text", "env: {A: 1, B: true, C: }", "env: {A: '1', B: 'true', C: ''}", true},
		{"a step's inputs are text", "jobs: {a: {steps: [{uses: x, with: {n: 3.10}}]}}", "jobs: {a: {steps: [{uses: x, with: {n: '3.1'}}]}}", true},
		{"empty env", "env: {}\njobs: {a: {}}", "jobs: {a: {env: }}", true},
		{"empty permissions are none at all", "permissions: {}", "jobs: ", false},
		{"permissions", "permissions: {contents: read}", "permissions: {contents: write}", false},
		{"one runner", "jobs: {a: {runs-on: [u]}}", "jobs: {a: {runs-on: u}}", true},
		{"labels are a set", "jobs: {a: {runs-on: [u, self-hosted]}}", "jobs: {a: {runs-on: [self-hosted, u]}}", true},
		{"needs are a set", "jobs: {a: {needs: [b, c]}}", "jobs: {a: {needs: [c, b]}}", true},
		{"defaults of a job", "jobs: {a: {timeout-minutes: 360, continue-on-error: false, strategy: {fail-fast: true}}}", "jobs: {a: {}}", true},
		{"short forms", "concurrency: g\njobs: {a: {container: i, environment: e}}", "concurrency: {group: g, cancel-in-progress: false}\njobs: {a: {container: {image: i}, environment: {name: e}}}", true},
		{"condition", "jobs: {a: {if: '${{ x == y }}'}}", "jobs: {a: {if: x == y}}", true},
		{"two conditions", "jobs: {a: {if: '${{ x }} ${{ y }}'}}", "jobs: {a: {if: 'x }} ${{ y'}}", false},
		{"yes is a text", "jobs: {a: {x: yes}}", "jobs: {a: {x: true}}", false},
		{"a leading zero is decimal", "jobs: {a: {x: 0777}}", "jobs: {a: {x: 777}}", true},
		{"an underscore is a text", "jobs: {a: {x: 1_000}}", "jobs: {a: {x: 1000}}", false},
		{"a date is a text", "jobs: {a: {x: 2026-01-02}}", "jobs: {a: {x: '2026-01-02'}}", true},
		{"large numbers stay apart", "jobs: {a: {x: 9007199254740993}}", "jobs: {a: {x: 9007199254740992}}", false},
		{"anchors", "jobs: {a: {env: &e {A: b}}, c: {env: *e}}", "jobs: {a: {env: {A: b}}, c: {env: {A: b}}}", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := specOf(t, base+tt.a), specOf(t, base+tt.b)
			diff := specs.Diff(a, b)
			if (a.Hash() == b.Hash()) != tt.same || (len(diff) == 0) != tt.same {
				t.Errorf("same %v, want %v\n%s\n%s\n%v", !tt.same, tt.same, a.Canonical(), b.Canonical(), diff)
			}
		})
	}
}

func specOf(t *testing.T, text string) specs.Spec {
	t.Helper()
	w, err := readWorkflow([]byte(text), "w.yml")
	if err != nil {
		t.Fatal(err)
	}
	os := w.objects(here)
	if len(os) != 1 {
		t.Fatalf("%d objects, want 1", len(os))
	}
	return os[0].Spec
}

func TestFieldPath(t *testing.T) {
	on := "on: {schedule: [{cron: 0 5 * * *}]}\n"
	a := specOf(t, on+"jobs: {grind: {runs-on: u, steps: [{run: a}, {run: b}]}}")
	b := specOf(t, on+"jobs: {grind: {runs-on: v, steps: [{run: a}, {run: c}]}}")
	var paths []string
	for _, d := range specs.Diff(a, b) {
		paths = append(paths, d.Path)
	}
	if d := cmp.Diff([]string{"jobs.grind.runs-on", "jobs.grind.steps[1].run"}, paths); d != "" {
		t.Error(d)
	}
}

func TestSecretPlaces(t *testing.T) {
	s := specOf(t, `on: {schedule: [{cron: 0 5 * * *}]}
env: {PLAIN: hunter2, EXPR: "${{ secrets.X }}", COUNT: 3, FLAG: true, MIXED: "Bearer ${{ secrets.X }}", LITERAL: "${{ format('hunter2') }}"}
jobs:
  a:
    container: {image: i, credentials: {username: u, password: hunter2}, env: {P: hunter2}}
    services: {db: {image: i, env: {P: hunter2}}}
    secrets: {S: hunter2}
    steps:
      - {uses: x, with: {token: hunter2, path: hunter2}, env: {P: hunter2}}
`)
	var secret []string
	walk("", s.Body.Value(), func(path string, v specs.Value) {
		if v.Secret {
			secret = append(secret, path)
		}
	})
	want := []string{"/env/LITERAL", "/env/MIXED", "/env/PLAIN",
		"/jobs/a/container/credentials/password", "/jobs/a/container/credentials/username", "/jobs/a/container/env/P",
		"/jobs/a/secrets/S", "/jobs/a/services/db/env/P", "/jobs/a/steps//env/P", "/jobs/a/steps//with/token"}
	if d := cmp.Diff(want, secret); d != "" {
		t.Error(d)
	}
}

func walk(path string, v specs.Value, f func(string, specs.Value)) {
	f(path, v)
	for _, m := range v.Members {
		walk(path+"/"+m.Key, m.Value, f)
	}
}

// What is large and odd costs time in proportion to its size: these would take
// minutes if it were its square.
func TestLargeAndOdd(t *testing.T) {
	flow := "on: {schedule: [" + strings.Repeat(`{cron: "0 5 * * *"}, `, 40_000) + "]}\n"
	marked := "on:\n  schedule:\n" + strings.Repeat("    # rolecall: role=a\n    - cron: x\n", 9_000)
	for name, text := range map[string]string{
		"one line of entries":          flow,
		"below a long comment":         strings.Repeat("# x\n", 200_000) + flow,
		"many refused entries":         marked,
		"a megabyte of comment":        "# rolecall: " + strings.Repeat("x", 1<<20) + "\non: {schedule: [{cron: 0 5 * * *}]}\n",
		"a cron of a megabyte":         "on: {schedule: [{cron: " + strings.Repeat("x", 1<<20) + "}]}\n",
		"a megabyte of role":           "# rolecall: role=" + strings.Repeat("a", 1<<20) + "\non: {schedule: [{cron: 0 5 * * *}]}\n",
		"markers in a row, no entries": "on: {schedule: []}\n" + strings.Repeat("# rolecall: role=a\n", 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			w, err := readWorkflow([]byte(text), "w.yml")
			if err == nil && len(w.objects(here)) == 0 && len(w.notes) == 0 {
				t.Error("nothing came of it")
			}
		})
	}
}

func FuzzReadWorkflow(f *testing.F) {
	for _, s := range []string{
		"", "on: {schedule: [{cron: 0 5 * * *}]}", "on:\n  schedule:\n    # rolecall: role=a version=1\n    - cron: |\n        0 5 * * *\n      timezone: Asia/Tokyo\njobs:\n  a:\n    steps:\n      - run: \"a\n # rolecall: x\"\n",
		"a: &a [*a]\non: *a\n", "? [a]\n: b\n", "%YAML 1.1\n---\non: <<\n", "x: &x {<<: *x}\non: {schedule: *x}", "\xff\xfeo\x00n\x00", "on:\u2028 schedule:\u0085", "# rolecall: role=\n#- cron: {\n",
		"on: !!binary schedule\n", "!!set {on: , schedule: }", "<<: [{on: {schedule: []}}, x]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := readWorkflow(data, "w.yml")
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for _, o := range w.objects(here) {
			if ids[o.ID] {
				t.Errorf("id %q stands twice", o.ID)
			}
			ids[o.ID] = true
			if len(o.Entries()) == 0 {
				t.Errorf("object %q has no entry", o.ID)
			}
			if !o.Opaque && len(o.Spec.Schedules) != len(o.Entries()) {
				t.Errorf("object %q lost a schedule", o.ID)
			}
			o.Spec.Hash()
			if d := specs.Diff(o.Spec, o.Spec); len(d) > 0 {
				t.Errorf("object %q differs from itself: %v", o.ID, d)
			}
		}
	})
}
