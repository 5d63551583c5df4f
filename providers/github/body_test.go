package github

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/specs"
)

// What GitHub takes for the same is one spec, and what it does not is two. The
// rows name the rule of its parser or of its reference that decides.
func TestSameToGitHub(t *testing.T) {
	const on = "on: {schedule: [{cron: 0 5 * * *}]}\n"
	job := func(s string) string { return "jobs: {a: {runs-on: u, " + s + "}}" }
	step := func(s string) string { return job("steps: [{" + s + "}]") }
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		// Where the schema has a string, a scalar of another kind is one: G15.
		{"env: number", "env: {A: 1}", "env: {A: '1'}", true},
		{"env: a zero behind the point goes", "env: {A: 1.0}", "env: {A: '1'}", true},
		{"env: and is not kept", "env: {A: 1.0}", "env: {A: '1.0'}", false},
		{"env: hexadecimal", "env: {A: 0x10}", "env: {A: '16'}", true},
		{"env: octal", "env: {A: 0o17}", "env: {A: '15'}", true},
		{"env: a zero in front is decimal", "env: {A: 010}", "env: {A: '10'}", true},
		{"env: exponent", "env: {A: 1e3}", "env: {A: '1000'}", true},
		{"env: large", "env: {A: 1e15}", "env: {A: '1E+15'}", true},
		{"env: fifteen digits", "env: {A: 0.1234567890123456}", "env: {A: '0.123456789012346'}", true},
		{"env: small", "env: {A: 0.00001}", "env: {A: '1E-05'}", true},
		{"env: truth", "env: {A: True}", "env: {A: 'true'}", true},
		{"env: yes is a text", "env: {A: yes}", "env: {A: 'true'}", false},
		{"env: a sexagesimal is a text", "env: {A: 1:30}", "env: {A: '1:30'}", true},
		{"env: nothing", "env: {A: }", "env: {A: ''}", true},
		{"env: null by its word", "env: {A: ~}", "env: {A: ''}", true},
		{"with: truth", step("uses: o/r@v1, with: {x: true}"), step("uses: o/r@v1, with: {x: 'true'}"), true},
		{"with: number", step("uses: o/r@v1, with: {x: 3.10}"), step("uses: o/r@v1, with: {x: '3.1'}"), true},
		{"a called workflow's inputs keep their kinds", "jobs: {a: {uses: o/r/.github/workflows/x.yml@v1, with: {x: 1}}}", "jobs: {a: {uses: o/r/.github/workflows/x.yml@v1, with: {x: '1'}}}", false},
		{"a matrix keeps its kinds", job("strategy: {matrix: {x: [1]}}"), job("strategy: {matrix: {x: ['1']}}"), false},
		{"outputs", job("outputs: {x: 1}"), job("outputs: {x: '1'}"), true},
		{"a script that is a number", step("run: 1"), step("run: '1'"), true},

		// Words and lists of one.
		{"runs-on: one of a list", "jobs: {a: {runs-on: [u]}}", "jobs: {a: {runs-on: u}}", true},
		{"runs-on: labels alone", "jobs: {a: {runs-on: {labels: [u, v]}}}", "jobs: {a: {runs-on: [v, u]}}", true},
		{"runs-on: with a group", "jobs: {a: {runs-on: {group: g, labels: u}}}", "jobs: {a: {runs-on: u}}", false},
		{"needs: one of a list", job("needs: b"), job("needs: [b]"), true},
		{"needs: twice", job("needs: [b, b]"), job("needs: b"), true},
		{"concurrency: the short form", "concurrency: g", "concurrency: {group: g, cancel-in-progress: false, queue: single}", true},
		{"concurrency: cancelled", "concurrency: g", "concurrency: {group: g, cancel-in-progress: true}", false},
		{"concurrency: queued", "concurrency: g", "concurrency: {group: g, queue: max}", false},
		{"container: the short form", job("container: i"), job("container: {image: docker://i}"), true},
		{"container: without an image", job("container: ''"), job("container: {image: '', options: x}"), true},
		{"container: its ports are texts", job("container: {image: i, ports: [80]}"), job("container: {image: i, ports: ['80']}"), true},
		{"services: the short form", job("services: {d: i}"), job("services: {d: {image: i}}"), true},
		{"environment: the short form", job("environment: e"), job("environment: {name: e}"), true},
		{"environment: none", job("environment: ''"), job("env: "), true},

		// Defaults of the reference, spelled out.
		{"fail-fast", job("strategy: {fail-fast: true, matrix: {x: [1]}}"), job("strategy: {matrix: {x: [1]}}"), true},
		{"fail-fast off", job("strategy: {fail-fast: false, matrix: {x: [1]}}"), job("strategy: {matrix: {x: [1]}}"), false},
		{"a job's time", job("timeout-minutes: 360"), job("continue-on-error: false"), true},
		{"a job's time, no whole minutes", job("timeout-minutes: 30.9"), job("timeout-minutes: 30"), true},
		{"another time", job("timeout-minutes: 30"), job("timeout-minutes: 31"), false},
		{"a step's time has no default", step("run: x, timeout-minutes: 360"), step("run: x"), false},
		{"a step that may fail", step("run: x, continue-on-error: true"), step("run: x"), false},
		{"a step that may not", step("run: x, continue-on-error: false"), step("run: x"), true},
		{"empty defaults", "defaults: {run: {}}", "env: ", true},
		{"a shell is not its default", step("run: x, shell: bash"), step("run: x"), false},

		// permissions.
		{"permissions: no rights and none stated", "permissions: {}", "env: ", false},
		{"permissions: none is as if not named", "permissions: {contents: read, issues: none}", "permissions: {contents: read}", true},
		{"permissions: only none", "permissions: {issues: none}", "permissions: {}", true},
		{"permissions: of a job", job("permissions: {}"), job("env: "), false},
		{"permissions: of a job, none", job("permissions: {issues: none}"), job("permissions: {}"), true},
		{"permissions: all, whose list GitHub changes", "permissions: read-all", "permissions: {contents: read}", false},

		// Conditions and expressions.
		{"if: with and without the signs", job("if: '${{ github.ref == ''x'' }}'"), job("if: github.ref=='x'"), true},
		{"if: truth", job("if: true"), job("if: '${{ true }}'"), true},
		{"if: what holds without one", job("if: success()"), job("env: "), true},
		{"if: blank", job("if: ' '"), job("env: "), true},
		{"if: always", job("if: always()"), job("env: "), false},
		{"if: blanks in a text count", job("if: x == 'a  b'"), job("if: x == 'a b'"), false},
		{"if: a text around it", job("if: '${{ x }} && y'"), job("if: x && y"), false},
		{"blanks in an expression", step("run: 'echo ${{github.sha}}'"), step("run: 'echo ${{  github . sha  }}'"), true},
		{"blanks outside it", step("run: 'echo  ${{ x }}'"), step("run: 'echo ${{ x }}'"), false},
		{"an expression with a brace in a text", step("run: \"${{ format('}}{0}',x) }}\""), step("run: \"${{format('}}{0}', x)}}\""), true},
		{"what is no expression", step("run: '${{ a b }}'"), step("run: '${{ ab }}'"), false},
		{"an open expression", step("run: '${{ a'"), step("run: '${{  a'"), false},
		{"in env", "env: {A: '${{github.sha}}'}", "env: {A: '${{ github.sha }}'}", true},
		{"in a matrix", job("strategy: {matrix: '${{fromJSON(x)}}'}"), job("strategy: {matrix: '${{ fromJSON( x ) }}'}"), true},

		// Scripts.
		{"script: styles of one line", step("run: make"), "jobs:\n  a:\n    runs-on: u\n    steps:\n    - run: >\n        make\n", true},
		{"script: line feeds at its end", "jobs:\n  a:\n    runs-on: u\n    steps:\n    - run: |+\n        make\n\n\n", step("run: make"), true},
		{"script: folded is not literal", "jobs:\n  a:\n    runs-on: u\n    steps:\n    - run: |\n        make a\n        make b\n", "jobs:\n  a:\n    runs-on: u\n    steps:\n    - run: >\n        make a\n        make b\n", false},
		{"script: blanks at its end", step("run: 'x '"), step("run: x"), false},

		// Names are for people.
		{"names", job("name: One, steps: [{name: Two, run: x}]"), job("steps: [{name: Three, run: x}]"), true},
		{"ids are referred to", step("id: a, run: x"), step("id: b, run: x"), false},

		// YAML.
		{"a key that is a number", "env: {1: x}", "env: {'1': x}", true},
		{"a key that is another number", "env: {1.0: x}", "env: {'1': x}", true},
		{"order in a matrix", job("strategy: {matrix: {x: [1, 2]}}"), job("strategy: {matrix: {x: [2, 1]}}"), false},
		{"order of a matrix's axes", job("strategy: {matrix: {x: [1], y: [2]}}"), job("strategy: {matrix: {y: [2], x: [1]}}"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := specOf(t, on+tt.a), specOf(t, on+tt.b)
			diff := specs.Diff(a, b)
			if (a.Hash() == b.Hash()) != tt.same || (len(diff) == 0) != tt.same {
				t.Errorf("same %v, want %v\n%s\n%s\n%v", !tt.same, tt.same, a.Canonical(), b.Canonical(), diff)
			}
		})
	}
}

// Names are shown where someone asks for them.
func TestNamesAreCosmetic(t *testing.T) {
	const on = "name: N\non: {schedule: [{cron: 0 5 * * *}]}\n"
	a := specOf(t, on+"jobs: {a: {name: One, runs-on: u, steps: [{run: x}, {name: Two, run: y}]}}")
	b := specOf(t, on+"jobs: {a: {name: Uno, runs-on: u, steps: [{run: x}, {name: Due, run: y}]}}")
	var paths []string
	for _, d := range specs.DiffValues("", a.Cosmetic.Value(), b.Cosmetic.Value()) {
		paths = append(paths, d.Path)
	}
	if d := cmp.Diff([]string{"jobs.a.name", "jobs.a.steps[1].name"}, paths); d != "" {
		t.Error(d)
	}
}

func TestSpaced(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{" github.event.schedule=='0 5 * * *' ", "github.event.schedule == '0 5 * * *'"},
		{"!contains( fromJSON( '[1]' ),x )&&(a||b)", "!contains(fromJSON('[1]'), x) && (a || b)"},
		{"a [ 'b' ] . c", "a['b'].c"},
		{"steps.*.outcome", "steps.*.outcome"},
		{"x==-1.5", "x == -1.5"},
		{"format( 'it''s' )", "format('it''s')"},
		{"a == (b)", "a == (b)"},
		{"a && !b", "a && !b"},
		{`x == "y"`, `x == "y"`},
		{" a = b", "a = b"},
	} {
		if got := spaced(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
		if got := spaced(spaced(tt.in)); got != spaced(tt.in) {
			t.Errorf("%q is not stable: %q", tt.in, got)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, s := range []string{"a == 'b'", "!x && (y || contains(z, '1,2'))", "a['b'].*.c[0]", "((((", "'", "${{ x }}", "-1 .5 +.", "a.b.", "\x00", "case(a, b, c)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := spaced(s)
		if again := spaced(once); again != once {
			t.Errorf("%q: %q, then %q", s, once, again)
		}
		if (parseExpr(s) == nil) != (parseExpr(once) == nil) {
			t.Errorf("%q and %q are not both expressions", s, once)
		}
		text := interpolated(s)
		if again := interpolated(text); again != text {
			t.Errorf("text %q: %q, then %q", s, text, again)
		}
		walkExpr(parseExpr(s), func(*expr) {})
	})
}
