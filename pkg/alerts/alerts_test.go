package alerts

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/specs"
)

var update = flag.Bool("update", false, "write the goldens anew")

const day = 24 * time.Hour

// nasty is a text that would be a template, a query, a line of YAML.
const nasty = "{{ query \"up\" }} {{{ \"}} \\ '\n# \x1b[31m\x00 %s \xff ${x} \u202e é"

// sample has a role of each sort.
func sample() Input {
	return Input{
		Ledger: "shop", For: 5 * time.Minute, AuditWithin: 150 * time.Minute, Executed: true,
		Runbook: "https://runbooks.example/{alert}/{role}?source={source}&of={owner}",
		Roles: []Role{
			{Key: "retry", Source: "prod", Owner: "payments-oncall", Purpose: "Re-sends payments.", Schedule: "*/5 * * * *", Succeeded: 10 * time.Minute, Executed: 10 * time.Minute, Basis: KubeState, Namespace: "batch", Name: "retry", Labels: []Label{{"cluster", "prod"}}},
			{Key: "retry", Source: "test", Owner: "payments-oncall", Succeeded: 10 * time.Minute, Basis: KubeState, Namespace: "batch", Name: "retry", Labels: []Label{{"cluster", "test \"1\""}}},
			{Key: "nightly-backup", Source: "web-1", Owner: "platform", Schedule: "15 2 * * *", Succeeded: 49 * time.Hour, Executed: 48 * time.Hour, Basis: Run, Labels: []Label{{"instance", "web-1:9100"}}},
			{Key: "nightly-backup", Source: "web-2", Owner: "platform", Schedule: "15 2 * * *", Succeeded: 49 * time.Hour, Basis: Run, Labels: []Label{{"instance", "web-2:9100"}}},
			{Key: "monthly", Source: "web-1", Owner: nasty, Purpose: nasty, Schedule: "0 0 31 * *", Succeeded: 123*day + 1500*time.Millisecond, Executed: 123 * day, Basis: Audit},
			{Key: "held", Source: "web-1", Suspended: true, Basis: Audit, Succeeded: time.Hour},
			{Key: "paused", Source: "web-1", Suspended: true, PausedUntil: time.Date(2027, 1, 11, 0, 0, 0, 0, time.UTC), Basis: Audit, Succeeded: time.Hour},
			{Key: "begun", Source: "prod", Since: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Basis: Audit, Succeeded: time.Hour, Executed: time.Hour},
			{Key: "at-boot", Source: "web-1", Basis: Audit, Schedule: "@reboot"},
		},
	}
}

func made(t *testing.T, in Input) (rules, tests string) {
	t.Helper()
	var a, b bytes.Buffer
	r := Make(in)
	if err := r.Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteTest(&b, "rules.yaml"); err != nil {
		t.Fatal(err)
	}
	return a.String(), b.String()
}

func TestGolden(t *testing.T) {
	rules, tests := made(t, sample())
	for name, got := range map[string]string{"rules.yaml": rules, "rules_test.yaml": tests} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// TestOrderOfRolesIsNone: rules are the same however the ledger is ordered.
func TestOrderOfRolesIsNone(t *testing.T) {
	in := sample()
	rules, tests := made(t, in)
	for i, j := 0, len(in.Roles)-1; i < j; i, j = i+1, j-1 {
		in.Roles[i], in.Roles[j] = in.Roles[j], in.Roles[i]
	}
	if again, testsAgain := made(t, in); again != rules || testsAgain != tests {
		t.Error("another order of roles gives other rules")
	}
}

// promtool is Prometheus' own checker.
func promtool(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err == nil {
		return path
	}
	if os.Getenv("ROLECALL_REAL") == "require" {
		t.Fatalf("promtool is required here: %v; install Debian's prometheus", err)
	}
	t.Skip("promtool is not installed; it is in Debian's prometheus")
	return ""
}

// promtoolOn runs promtool on files, and gives whether it is content.
func promtoolOn(t *testing.T, rules, tests string) (string, bool) {
	t.Helper()
	tool := promtool(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"rules.yaml": rules, "rules_test.yaml": tests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		cmd := exec.Command(tool, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return string(out), false
		}
	}
	return "", true
}

// TestPromtool: Prometheus' own checker takes the rules and their tests, for
// each basis alone and for all together.
func TestPromtool(t *testing.T) {
	variants := map[string]func(*Input){
		"all":          func(*Input) {},
		"at once":      func(in *Input) { in.For = 0 },
		"odd":          func(in *Input) { in.For = 90*time.Second + time.Millisecond },
		"no audit":     func(in *Input) { in.AuditWithin = 0 },
		"no runbook":   func(in *Input) { in.Runbook, in.Executed = "", false },
		"one role":     func(in *Input) { in.Roles = in.Roles[:1] },
		"no role":      func(in *Input) { in.Roles = nil },
		"nasty ledger": func(in *Input) { in.Ledger = nasty },
	}
	for _, b := range Bases() {
		variants[string(b)] = func(in *Input) {
			var roles []Role
			for _, r := range in.Roles {
				if r.Basis == b {
					roles = append(roles, r)
				}
			}
			in.Roles = roles
		}
	}
	for name, vary := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sample()
			vary(&in)
			rules, tests := made(t, in)
			if out, ok := promtoolOn(t, rules, tests); !ok {
				t.Errorf("%s\n%s", out, rules)
			}
		})
	}
}

// TestPromtoolSeesAWrongRule: the unit tests fail for rules that are not right.
func TestPromtoolSeesAWrongRule(t *testing.T) {
	for name, change := range map[string][2]string{
		"a later bound":              {"> 600", "> 660"},
		"an earlier bound":           {"> 600", "> 540"},
		"another role's success":     {`retry",cluster="test`, `retry",cluster!="test`},
		"another host's success":     {`rolecall_run_last_success_timestamp_seconds{role="nightly-backup",instance="web-1`, `rolecall_run_last_success_timestamp_seconds{role="nightly-backup",instance!="web-1`},
		"no label":                   {"owner: platform", "owner: platforms"},
		"absence of another":         {`absent(kube_cronjob_info{namespace="batch",cronjob="retry",cluster="prod"`, `absent(kube_cronjob_info{namespace="batch",cronjob="retry",cluster!="prod"`},
		"no fallback":                {"or max(kube_cronjob_created", "and max(kube_cronjob_created"},
		"no fallback of runs":        {"or max(rolecall_run_first", "and max(rolecall_run_first"},
		"an address of another":      {"$labels.role |", "$labels.source |"},
		"an address with a plus":     {`$labels.owner | urlquery | reReplaceAll "[+]" "%20"`, `$labels.owner | urlquery`},
		"a template":                 {`{{"{"}}{{"{"}} query`, `{{ query`},
		"stages of another ledger":   {`rolecall_role_stage{ledger="shop"`, `rolecall_role_stage{ledger="shops"`},
		"audits of files count":      {`mode!="offline"`, `mode!=""`},
		"a shorter for":              {"for: 5m", "for: 4m"},
		"a watchdog that sleeps":     {"vector(1)", "vector(1) > 1"},
		"a pause that is not heeded": {">= 1799625600", "< 1799625600"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, tests := made(t, sample())
			wrong := strings.Replace(rules, change[0], change[1], 1)
			if wrong == rules {
				t.Fatalf("nothing to replace: %s\n%s", change[0], rules)
			}
			if _, ok := promtoolOn(t, wrong, tests); ok {
				t.Error("promtool test rules is content")
			}
		})
	}
}

func TestTexts(t *testing.T) {
	for in, want := range map[string]string{
		"plain":       "plain",
		"{{ up }}":    `{{"{"}}{{"{"}} up }}`,
		"a\nb\x00":    `a\nb\x00`,
		"\xff\u202e":  `\xff\u202e`,
		"é ü 漢":       "é ü 漢",
		"x" + age:     "x{{ $value | humanizeDuration }}",
		"{" + age:     `{{"{"}}{{ $value | humanizeDuration }}`,
		"\x01 \\ \"'": `\x01 \ "'`,
	} {
		if got := inert(in); got != want {
			t.Errorf("inert(%q) = %s, want %s", in, got, want)
		}
	}
	for in, want := range map[time.Duration]string{
		0: "0s", time.Millisecond: "1s", 90 * time.Second: "1m 30s", 150 * time.Minute: "2h 30m", 400 * day: "400d",
	} {
		if got := words(in); got != want {
			t.Errorf("words(%v) = %s, want %s", in, got, want)
		}
	}
}

// FuzzMake: whatever a ledger's free texts are, the rules are YAML whose labels
// and texts are no templates, and queries keep them in their strings.
func FuzzMake(f *testing.F) {
	f.Add("shop", "payments", "Re-sends payments.", "https://x.example/{role}")
	f.Add(nasty, nasty, nasty, nasty)
	f.Add("{", "{", "{{", "{owner}{owner}")
	f.Add(age, age, "\x01", "{alert}\x00")
	f.Fuzz(func(t *testing.T, ledger, owner, purpose, runbook string) {
		in := sample()
		in.Ledger, in.Runbook, in.Roles = ledger, runbook, in.Roles[4:5]
		in.Roles[0].Owner, in.Roles[0].Purpose = owner, purpose
		rules, tests := made(t, in)
		var file ruleFile
		if err := yaml.Unmarshal([]byte(rules), &file); err != nil {
			t.Fatal(err)
		}
		var units testFile
		if err := yaml.Unmarshal([]byte(tests), &units); err != nil {
			t.Fatal(err)
		}
		for _, g := range file.Groups {
			for _, r := range g.Rules {
				for _, text := range append(values(r.Labels), values(r.Annotations)...) {
					rest := strings.ReplaceAll(text, `{{"{"}}`, "")
					for _, s := range slots {
						rest = strings.ReplaceAll(rest, s.template, "")
					}
					if strings.Contains(rest, "{") {
						t.Errorf("%s: a template: %s", r.Alert, text)
					}
				}
			}
		}
	})
}

func values(m map[string]string) (out []string) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// TestOf: a basis that cannot tell of a role is not taken for it, and the reason
// is said.
func TestOf(t *testing.T) {
	template := &specs.Document{Name: "retry.yaml", Data: []byte("metadata: {namespace: batch, name: retry}")}
	nameless := &specs.Document{Name: "retry.yaml", Data: []byte("metadata: {name: retry}")}
	hour := time.Hour
	schedule, err := specs.ParseSchedule(specs.Kubernetes, "0 * * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	desired := specs.Desired{Spec: specs.Spec{Schedules: []specs.Schedule{schedule}}}
	for name, c := range map[string]struct {
		role  specs.Role
		from  Source
		basis Basis
		at    string
		said  bool
	}{
		"audit":              {specs.Role{}, Source{}, Audit, "/", false},
		"template":           {specs.Role{Statement: specs.Statement{Template: template}}, Source{Basis: KubeState}, KubeState, "batch/retry", false},
		"namespace of all":   {specs.Role{Statement: specs.Statement{Template: nameless}}, Source{Basis: KubeState, Namespace: "shop"}, KubeState, "shop/retry", false},
		"no namespace":       {specs.Role{Statement: specs.Statement{Template: nameless}}, Source{Basis: KubeState}, Audit, "/", true},
		"match":              {specs.Role{Match: specs.Match{Keys: map[string]string{"namespace": "a", "name": "b"}}}, Source{Basis: KubeState}, KubeState, "a/b", false},
		"a glob":             {specs.Role{Match: specs.Match{Keys: map[string]string{"namespace": "a", "name": "b-*"}}}, Source{Basis: KubeState}, Audit, "/", true},
		"no name":            {specs.Role{}, Source{Basis: KubeState, Namespace: "shop"}, Audit, "/", true},
		"other evidence":     {specs.Role{Statement: specs.Statement{Template: template}, Evidence: specs.EvidenceTerms{Succeeded: specs.EvidenceSource{Query: "up", Pos: specs.Pos{Line: 1}}}}, Source{Basis: KubeState}, Audit, "/", true},
		"run":                {specs.Role{}, Source{Basis: Run}, Run, "/", false},
		"run, but by a file": {specs.Role{Evidence: specs.EvidenceTerms{Succeeded: specs.EvidenceSource{File: "/srv/dump", MaxAge: &hour, Pos: specs.Pos{Line: 1}}}}, Source{Basis: Run}, Audit, "/", true},
	} {
		t.Run(name, func(t *testing.T) {
			c.from.Name, c.from.Provider, c.from.Labels = "prod", "kubernetes", []Label{{"cluster", "a"}}
			got, why := Of(evidence.NewCalendar(), c.role, desired, c.from)
			if got.Basis != c.basis || got.Namespace+"/"+got.Name != c.at || (why != "") != c.said {
				t.Errorf("%s %s/%s %q", got.Basis, got.Namespace, got.Name, why)
			}
			if want := evidence.NewCalendar().Bounds(c.role, "kubernetes", desired.Spec.Schedules); got.Succeeded != want.Success || got.Executed != want.Start || want.Success == 0 {
				t.Errorf("bounds %v %v, want %+v", got.Succeeded, got.Executed, want)
			}
		})
	}
}

// TestCheck: series that cannot be told apart are refused.
func TestCheck(t *testing.T) {
	cluster := func(v string) []Label { return []Label{{"cluster", v}} }
	role := func(b Basis, source string, labels []Label) Role {
		return Role{Key: "retry", Source: source, Basis: b, Namespace: "batch", Name: "retry", Labels: labels}
	}
	for name, c := range map[string]struct {
		roles []Role
		wrong bool
	}{
		"audit tells apart":   {[]Role{role(Audit, "a", nil), role(Audit, "b", nil)}, false},
		"one":                 {[]Role{role(KubeState, "a", nil), role(Run, "b", nil)}, false},
		"two clusters":        {[]Role{role(KubeState, "a", nil), role(KubeState, "b", nil)}, true},
		"one with a label":    {[]Role{role(KubeState, "a", cluster("a")), role(KubeState, "b", nil)}, true},
		"the same label":      {[]Role{role(Run, "a", cluster("a")), role(Run, "b", cluster("a"))}, true},
		"two labels":          {[]Role{role(Run, "a", cluster("a")), role(Run, "b", cluster("b"))}, false},
		"labels of two names": {[]Role{role(Run, "a", cluster("a")), role(Run, "b", []Label{{"host", "b"}})}, true},
	} {
		if err := (Input{Roles: c.roles}).Check(); (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}
