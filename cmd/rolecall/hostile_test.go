package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/cmd/internal/cli"
)

// payloads are texts that try to be more than text: to a terminal, to a CI
// system, to what a report is pasted into, and to the parsers on the way.
var payloads = map[string]string{
	"controls":    "\x1b[2J\x1b[1;32mall roles ok\x1b[0m \x1b]0;owned\x07\x1b]8;;https://evil.example\x1b\\click \a\b\f\v\x7f \u009b31mred\u009c\u0085next",
	"newline":     "first\nsecond\r\nthird\rfourth",
	"command":     "\n::error file=ledger.yaml::owned\n::add-mask::ok\n::set-output name=x::y",
	"command 2":   "::add-mask::ok ##[add-mask]ok ##vso[task.setvariable variable=x]y a,file=b::",
	"percent":     "%0A::warning::owned %s %n %d %!x %1$s",
	"markdown":    "| a | b |\n|---|---|\n[x](javascript:alert(1)) <img src=x onerror=alert(1)> `code` **bold** ```",
	"formula":     "=cmd|' /C calc'!A0",
	"unseen":      "\u202egpj.exe\u202c \u2066isolated\u2069 \u200flook a\u200bb\u200dc\ufeffd\u2028e\u2029f\u00adg\u3164h\U000e0041",
	"nul":         "before\x00after",
	"invalid":     "before\xff\xfe\xc3(after\xed\xa0\x80",
	"surrogate":   "\U0010ffff\ufffe\uffff\ufffd",
	"quotes":      `"'` + "`" + `\"\\\'`,
	"yaml":        ": # - ? ! & * | > @ {a: [b]} --- ...",
	"marker":      "# rolecall: role=other version=1",
	"long":        strings.Repeat("A", 1<<19) + strings.Repeat(" 0123456789abcde", 1<<15),
	"many blanks": strings.Repeat(" ", 1<<11) + strings.Repeat("\t", 1<<8),
}

// planted are secrets in the positions where people put them. None of them may
// stand in any output.
const planted = "tulip-falcon-"

// hostile is a folder with files for everything that is read, in which each
// free text is the payload.
type hostile struct {
	t       *testing.T
	dir     string
	p       string // the payload
	secrets int
	whole   int // times that it was written whole
}

// long says that the payload is one whose size is what matters, so that not all
// is tried with it.
func (h *hostile) long() bool { return len(h.p) > 1<<16 }

func (h *hostile) write(name, text string) {
	file := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

// secret is another planted one.
func (h *hostile) secret() string {
	h.secrets++
	return fmt.Sprintf("%s%d", planted, h.secrets)
}

// name is the payload as far as a file can be called so.
func (h *hostile) name() string {
	s := strings.NewReplacer("\x00", "", "/", "_").Replace(h.p)
	return s[:min(len(s), 100)]
}

// q is the payload as a quoted scalar of YAML.
func (h *hostile) q() string { return quoted(h.p[:min(len(h.p), 1<<12)]) }

// full is the whole of a long one, in the ledger, a workflow, a template and the
// first CronJob.
func (h *hostile) full() string {
	if h.whole++; h.whole > 5 {
		return h.q()
	}
	return quoted(h.p)
}

// key is the payload as far as YAML takes it for a simple key.
func (h *hostile) key() string { return quoted(h.p[:min(len(h.p), 100)]) }

// quoted is a scalar of YAML. What is no UTF-8 is replaced.
func quoted(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0x7f && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r >= 0x10000:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// crontab has the payload in each kind of line, as it is.
func (h *hostile) crontab(user string) string { return h.table(user, h.p[:min(len(h.p), 1<<12)]) }

func (h *hostile) table(user, p string) string {
	return strings.Join([]string{
		"# " + p,
		"PAYLOAD=" + p,
		"API_TOKEN=" + h.secret(),
		"# rolecall: role=plain version=1",
		"0 1 * * * " + user + "/opt/plain --password=" + h.secret() + " " + p,
		"# rolecall: role=fed version=" + p,
		"0 2 * * * " + user + "/opt/fed%" + p,
		"# rolecall: role=" + p + " version=1",
		"0 3 * * * " + user + "/opt/x https://me:" + h.secret() + "@host.example/ " + p,
		"#Ansible: " + p,
		"0 4 * * * " + user + p + " /opt/x --token " + h.secret(),
		"# rolecall: role=off version=1",
		"#0 5 * * * " + user + "/opt/off -p" + h.secret() + " --password " + h.secret() + " " + p,
		"",
		"# rolecall: role=bad version=1",
		"0 5 * * " + p + " " + user + "/opt/bad --password=" + h.secret(),
		"61 * * * * " + user + "/opt/bad --password=" + h.secret() + " " + p,
		p,
		"# rolecall: role=dangling version=" + p,
		"",
	}, "\n")
}

// workflow has the payload in keys and values, beside a job and an action by
// which GitHub takes it, or does not.
func (h *hostile) workflow(job, action string) string {
	q, key := h.q(), h.key()
	return `# rolecall: role=flow version=1
name: ` + h.full() + `
on:
  schedule:
    - cron: "0 6 * * *"
    - cron: ` + q + `
      timezone: ` + q + `
  ` + key + `: {}
permissions: {` + key + `: read}
env: {PAYLOAD: ` + q + `, ` + key + `: x, DB_PASSWORD: ` + h.secret() + `}
concurrency: ` + q + `
jobs:
  ` + job + `:
    name: ` + q + `
    runs-on: ` + q + `
    steps:
      - name: ` + q + `
        run: ` + h.full() + `
      - uses: ` + action + `
        with: {password: ` + h.secret() + `, text: ` + q + `}
      - run: |
          curl -H "Authorization: Bearer ` + h.secret() + `" https://me:` + h.secret() + `@host.example
`
}

// good is a workflow that GitHub would take, with the payload where it can be.
func (h *hostile) good() string {
	q := h.q()
	return `# rolecall: role=build version=1
name: ` + q + `
on: {schedule: [{cron: "0 7 * * *"}]}
env: {PAYLOAD: ` + q + `, DB_PASSWORD: ` + h.secret() + `}
jobs: {build: {name: ` + q + `, runs-on: ubuntu-24.04, steps: [{name: ` + q + `, run: ` + q + `}, {run: "make --token ` + h.secret() + `"}]}}
`
}

func (h *hostile) cronJob(name, role, schedule, more string) string {
	q, key := h.q(), h.key()
	return `---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: ` + name + `
  namespace: ` + q + `
  labels: {` + key + `: ` + q + `, text: ` + q + `}
  annotations: {rolecall/role: ` + role + `, rolecall/version: ` + q + `, ` + key + `: ` + q + `}
  managedFields: [{manager: ` + q + `, operation: Update, time: "2026-02-03T04:05:06Z", fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:schedule": {}}}}]
spec:
  schedule: ` + schedule + `
` + more + `
  jobTemplate:
    metadata: {labels: {text: ` + q + `}}
    spec:
      template:
        metadata: {annotations: {` + key + `: ` + q + `}}
        spec:
          restartPolicy: Never
          nodeSelector: {` + key + `: ` + q + `}
          containers:
            - name: ` + q + `
              image: ` + q + `
              command: [` + q + `, "--password=` + h.secret() + `"]
              args: ["--token", ` + h.secret() + `, ` + q + `]
              env: [{name: ` + q + `, value: ` + h.full() + `}, {name: DB_PASSWORD, value: ` + h.secret() + `}, {name: HARMLESS, value: ` + h.secret() + `}]
`
}

// takenJob is a CronJob that an API server would take, with the payload where
// it can be.
func (h *hostile) takenJob(schedule string) string {
	q := h.q()
	return `---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: job
  annotations: {rolecall/role: job, rolecall/version: ` + q + `, text: ` + q + `}
spec:
  schedule: ` + schedule + `
  jobTemplate:
    spec:
      template:
        metadata: {annotations: {text: ` + q + `}}
        spec:
          restartPolicy: Never
          containers:
            - name: main
              image: registry.example/job:1
              command: [` + q + `, "--password=` + h.secret() + `"]
              args: ["--token", ` + h.secret() + `, ` + q + `]
              env: [{name: PAYLOAD, value: ` + h.full() + `}, {name: DB_PASSWORD, value: ` + h.secret() + `}, {name: HARMLESS, value: ` + h.secret() + `}]
`
}

func (h *hostile) ledger(free string) string {
	return `ledger: rolecall/v1
name: ` + free + `
roles:
  plain: {owner: ` + free + `, purpose: ` + h.full() + `, source: cron, version: ` + free + `, spec: {schedule: "0 1 * * *", command: ` + free + `, env: {PAYLOAD: ` + free + `, API_TOKEN: ` + h.secret() + `}}, ref: {uid: ` + free + `}, ignore: [{field: x, reason: ` + free + `}]}
  fed: {owner: ` + free + `, source: cron, version: "1", spec: {schedule: "0 2 * * *", command: "/opt/fed --password=` + h.secret() + `", stdin: ` + free + `}}
  off: {owner: ` + free + `, source: cron, version: "1", spec: {schedule: "0 5 * * *"}}
  bad: {owner: ` + free + `, source: cron, version: "1", spec: {schedule: "0 5 * * *"}}
  matched: {owner: ` + free + `, source: cron, version: "1", match: {command: ` + free + `}, spec: {schedule: "0 5 * * *"}}
  flow: {owner: ` + free + `, source: actions, version: "1", spec: {schedule: ["0 6 * * *"], workflow: .github/workflows/flow.yml}}
  build: {owner: ` + free + `, source: actions, version: "1", review: pending, spec: {template: roles/build.yml}}
  job: {owner: ` + free + `, source: prod, version: ` + free + `, spec: {template: roles/job.yaml}}
  zone: {owner: ` + free + `, source: prod, version: "1", spec: {schedule: "0 9 * * *"}}
  labels: {owner: ` + free + `, source: prod, version: "1", match: {labels: {text: ` + free + `}, name: ` + free + `}, spec: {schedule: "0 9 * * *"}}
  wire: {owner: ` + free + `, source: hub, version: "1", spec: {schedule: ["0 6 * * *"]}}
  cluster: {owner: ` + free + `, source: cluster, version: "1", spec: {schedule: "0 6 * * *"}}
  host: {owner: ` + free + `, source: host, version: "1", spec: {schedule: "0 1 * * *", user: ` + free + `}}
waivers:
  - {finding: "drift:plain@cron", reason: ` + free + `, owner: ` + free + `, until: 2099-12-31}
  - {finding: "missing:nobody@cron", reason: ` + free + `, until: 2020-12-31}
`
}

// world writes everything.
func (h *hostile) world(api string) {
	q, key := h.q(), h.key()
	cronD := strings.ToValidUTF8(h.name(), "x")
	h.write("rolecall.yaml", `ledger: ledger.yaml
sources:
  - {name: cron, crontab: {files: [ops/*, "ops/cron.d/*"], dialect: debian}, ignore: [`+q+`]}
  - {name: actions, github: {repos: [acme/hostile], api: "`+api+`", workflows: .}}
  - {name: prod, kubernetes: {manifests: [deploy]}}
  - {name: hub, github: {repos: [acme/hostile], api: "`+api+`"}}
  - {name: cluster, kubernetes: {context: hostile, all_namespaces: true}}
  - {name: host, crontab: {system: true, users: [root], root: host, dialect: cronie}}
`)
	h.write("kubeconfig", `apiVersion: v1
kind: Config
clusters: [{name: hostile, cluster: {server: "`+api+`"}}]
contexts: [{name: hostile, context: {cluster: hostile, user: hostile}}]
users: [{name: hostile, user: {token: `+h.secret()+`}}]
current-context: hostile
`)
	h.write("ledger.yaml", h.ledger(q))
	h.write("ops/plain.crontab", h.table("", h.p))
	h.write("ops/cron.d/system", h.crontab("root "))
	h.write("ops/cron.d/"+cronD, h.crontab("root "))
	h.write("ops/"+h.name(), h.crontab(""))
	h.write("host/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"+h.p+"\n")
	h.write("host/root/x", "")
	h.write("host/etc/crontab", h.crontab("root "))
	h.write("host/etc/cron.d/"+h.name(), h.crontab(h.name()+" "))
	h.write("host/etc/anacrontab", "1 5 "+h.p+" /opt/x "+h.p+"\n7 5 a /opt/y --password="+h.secret()+"\n")
	h.write("host/etc/cron.daily/"+h.name(), "#!/bin/sh\n# rolecall: role="+h.p+"\n"+h.p)
	h.write("host/var/spool/cron/root", h.crontab(""))
	h.write(".github/workflows/flow.yml", h.workflow("build", "actions/checkout@v5"))
	h.write(".github/workflows/refused.yml", h.workflow(h.key(), h.q()))
	h.write(".github/workflows/"+h.name()+".yml", h.good())
	h.write(".github/workflows/build.yml", h.good())
	h.write(".github/workflows/raw.yml", "on: {schedule: [{cron: '0 1 * * *'}]}\njobs: "+h.p+"\n# "+h.p)
	h.write("roles/build.yml", strings.Replace(h.good(), "0 7 * * *", "0 8 * * *", 1))
	h.write("roles/job.yaml", h.takenJob(`"0 8 * * *"`))
	h.write("deploy/taken.yaml", h.takenJob(`"0 9 * * *"`))
	h.write("deploy/all.yaml", h.cronJob("job", "job", `"0 9 * * *"`, "")+
		h.cronJob("zone", "zone", `"0 9 * * *"`, "  timeZone: "+q)+
		h.cronJob("bad", q, q, "  suspend: true")+
		h.cronJob(q, q, `"0 9 * * *"`, "  concurrencyPolicy: "+q))
	h.write("deploy/field.yaml", h.cronJob("field", "field", `"0 9 * * *"`, "  "+h.key()+": "+q))
	h.write("deploy/raw.yaml", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: raw}\nspec: {schedule: "+h.p+"}\n")
	h.write("deploy/types.yaml", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: types}\nspec: {schedule: '0 1 * * *', suspend: "+q+", jobTemplate: {spec: {template: {spec: {containers: [{name: a, env: [{name: DB_PASSWORD, value: {x: "+h.secret()+"}}]}]}}}}}\n")
	h.write("deploy/"+strings.ToValidUTF8(h.name(), "x")+".yaml", h.cronJob("named", "named", `"0 9 * * *"`, ""))

	h.write("bad/ledger.yaml", "ledger: rolecall/v1\nname: x\nroles:\n  "+key+": {owner: x, source: "+q+", "+key+": x, state: "+q+", paused_until: "+q+", previous_roles: ["+q+"], spec: {schedule: "+q+", time_zone: "+q+", template: "+q+", hash: "+q+", env: {"+key+": x}}}\nwaivers: [{finding: "+q+", reason: x, until: "+q+"}]\n"+key+": x\n")
	h.write("bad/sources.yaml", "ledger: rolecall/v1\nname: x\nroles:\n  a: {owner: x, source: "+q+", version: '1', spec: {schedule: '0 1 * * *', time_zone: UTC}}\n  b: {owner: x, source: cron, version: '1', spec: {schedule: "+q+"}}\n")
	h.write("bad/translate.yaml", "ledger: rolecall/v1\nname: x\nroles:\n  a: {owner: x, source: cron, version: '1', spec: {schedule: "+q+"}}\n  b: {owner: x, source: actions, version: '1', spec: {schedule: ["+q+"]}}\n  e: {owner: x, source: actions, version: '1', spec: {schedule: ['0 1 * * *'], workflow: "+q+"}}\n  c: {owner: x, source: prod, version: '1', spec: {schedule: "+q+"}}\n  d: {owner: x, source: prod, version: '1', spec: {template: ../deploy/raw.yaml}}\n")
	h.write("bad/raw.yaml", "ledger: "+h.p+"\nname: "+h.p+"\n")
	h.write("bad/config.yaml", "ledger: "+q+"\nsources: [{name: "+q+", crontab: {files: ["+q+"], dialect: "+q+", zone: "+q+", users: ["+q+"]}}, {name: y, github: {repos: ["+q+"], api: "+q+"}}, {name: z, kubernetes: {namespaces: ["+q+"], "+key+": x}}]\nfail_on: ["+q+"]\nsettle: "+q+"\n")
	h.write("bad/files.yaml", "ledger: ../ledger.yaml\nsources: [{name: cron, crontab: {files: ["+q+"], zone: UTC}}, {name: actions, github: {workflows: "+q+"}}, {name: prod, kubernetes: {manifests: ["+q+"], selector: "+q+"}}, {name: hub, github: {workflows: "+q+"}}, {name: cluster, kubernetes: {manifests: ["+q+"]}}, {name: host, crontab: {users: [root], root: "+q+"}}]\n")
	h.write("bad/config-raw.yaml", "ledger: "+h.p+"\n")
	h.write("bad/report.json", h.p)
}

// run is one run of the program, in this process.
func (h *hostile) run(stdin string, args ...string) (code int, out, errs string) {
	h.t.Helper()
	var stdout, stderr bytes.Buffer
	env := map[string]string{
		"HOME": h.dir, "XDG_CACHE_HOME": filepath.Join(h.dir, ".cache"), "GH_TOKEN": planted + "in-the-environment",
	}
	args = append(args, "--now", "2026-11-25T12:00:00Z")
	code = cli.Main(context.Background(), args, func(k string) (string, bool) { v, ok := env[k]; return v, ok }, cli.Streams{
		In: strings.NewReader(stdin), Out: &stdout, Err: &stderr,
	})
	return code, stdout.String(), stderr.String()
}

// check runs a command, most of them twice, and holds its output to what must be
// so of all.
func (h *hostile) check(want []int, args ...string) (stdout string) {
	h.t.Helper()
	code, out, errs := h.run("", args...)
	again, out2, errs2 := code, out, errs
	if !h.long() && args[0] != "explain" && args[0] != "ledger" && !slices.Contains(args, "forged.json") {
		again, out2, errs2 = h.run("", args...)
	}
	what := "rolecall " + strings.Join(args, " ")
	logged := slices.Contains(args, "-vv") // which is when, and in the order in which it happened
	if code != again || out != out2 || errs != errs2 && !logged {
		h.t.Errorf("%s: not the same twice: %d and %d\n%s", what, code, again, firstDifference(out+errs, out2+errs2))
	}
	ok := false
	for _, w := range want {
		ok = ok || code == w
	}
	if !ok {
		h.t.Errorf("%s: exit %d, not one of %v: %.2000s", what, code, want, errs)
	}
	for name, text := range map[string]string{"standard output": out, "standard error": errs} {
		if why := unsafe(text); why != "" {
			h.t.Errorf("%s: %s: %s", what, name, why)
		}
	}
	return out
}

// unsafe says why a text is not safe to print; empty if it is.
func unsafe(text string) string {
	around := func(i int) string { return fmt.Sprintf("%q", text[max(0, i-80):min(len(text), i+40)]) }
	if i := strings.Index(text, planted); i >= 0 {
		return "a secret is printed: " + around(i)
	}
	if !utf8.ValidString(text) {
		for i, r := range text {
			if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
				return "no UTF-8: " + around(i)
			}
		}
	}
	for i, r := range text {
		switch {
		case r == '\n':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return fmt.Sprintf("the character %U: %s", r, around(i))
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") && !annotation.MatchString(line) {
			return fmt.Sprintf("a line begins as a command to a CI system: %.200q", line)
		}
	}
	if at := order.FindStringIndex(text); at != nil {
		return "a command to a CI system within a line: " + around(at[0])
	}
	return ""
}

// annotation is what -o github means to write, and order what a CI system takes
// for a command anywhere in a line.
var (
	annotation = regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]*,(line=\d+,)?)?title=[^,:]*::`)
	order      = regexp.MustCompile(`##(\[|vso\[)`)
)

// formats are those of a report beside text and json.
var formats = []string{"sarif", "junit", "github", "markdown", "prometheus", "html", "csv"}

func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-80)
	return fmt.Sprintf("%.300q\n%.300q", a[from:], b[from:])
}

// TestHostileText puts each payload into every free text of every provider, of
// the ledger, the config, a report and a saved listing. Whatever is read: no
// crash, a known exit code, the same bytes twice, nothing on the screen that is
// not to be seen, and no secret.
func TestHostileText(t *testing.T) {
	for name, payload := range payloads {
		t.Run(name, func(t *testing.T) {
			if len(payload) > 1<<16 && testing.Short() {
				t.Skip("a million letters in a line take a while")
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				json.NewEncoder(w).Encode(map[string]any{"message": payload, "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": payload, "code": 403})
			}))
			defer server.Close()
			h := &hostile{t: t, dir: t.TempDir(), p: payload}
			h.world(server.URL)
			t.Chdir(h.dir)
			t.Setenv("KUBECONFIG", filepath.Join(h.dir, "kubeconfig")) // client-go reads it by itself
			h.commands()
		})
	}
}

func (h *hostile) commands() {
	audited, listed, refused := []int{1}, []int{0, 3}, []int{2}
	live := func(side ...string) [][]string {
		if h.long() {
			return [][]string{{"--offline"}}
		}
		return [][]string{{"--offline"}, side}
	}
	for _, side := range live("--settle", "0") {
		h.check(audited, append([]string{"audit", "-o", "text"}, side...)...)
		h.check(audited, append([]string{"audit", "-o", "text", "-vv"}, side...)...)
		h.check(audited, append([]string{"audit", "-o", "text", "-q"}, side...)...)
		for _, format := range formats {
			h.check(audited, append([]string{"audit", "-o", format}, side...)...)
		}
		h.reports(h.check(audited, append([]string{"audit", "-o", "json"}, side...)...))
	}
	for _, side := range live() {
		for _, format := range []string{"table", "wide", "json", "yaml", "csv"} {
			h.check(listed, append([]string{"list", "-o", format}, side...)...)
		}
		h.inventories(h.check(listed, append([]string{"snapshot"}, side...)...))
		h.check([]int{0, 1, 3}, append([]string{"doctor"}, side...)...)
	}
	if h.long() {
		h.check(audited, "audit", "-vv", "--settle", "0")
		h.check(listed, "list", "-o", "yaml")
	}
	roles := []string{"plain", "job", "flow", "fed", "off", "bad", "matched", "build", "zone", "labels", "wire", "cluster", "host"}
	if h.long() {
		roles = roles[:3]
	}
	for _, role := range roles {
		h.check([]int{0}, "explain", "--offline", role)
	}
	h.check([]int{0}, "explain", "host")
	h.check([]int{0}, "ledger", "check")
	h.check([]int{0}, "ledger", "hash", "--offline")
	h.schedules()
	h.begin()
	for _, l := range []string{"ledger", "sources", "translate", "raw"} {
		h.check(refused, "audit", "--offline", "--ledger", "bad/"+l+".yaml")
		h.check(refused, "ledger", "check", "--ledger", "bad/"+l+".yaml")
	}
	h.check(refused, "audit", "--offline", "--config", "bad/config.yaml")
	h.check([]int{1, 2, 3}, "audit", "--offline", "--config", "bad/files.yaml")
	h.check(refused, "audit", "--offline", "--config", "bad/config-raw.yaml")
	h.check(refused, "render", "bad/report.json")
	h.check(refused, "audit", "--snapshot", "bad/report.json")
	if p := strings.ToValidUTF8(h.p, "x"); !strings.HasPrefix(p, "-") {
		for _, args := range [][]string{{"explain", "--offline", p}, {"audit", "--offline", "--role", p}, {"audit", "--offline", "--source", p}, {"audit", "--offline", "-o", p}, {"audit", "--offline", "--fail-on", p}, {p}, {"audit", "--" + p}, {"audit", "--ledger", p, "--offline"}, {"audit", "--config", p, "--offline"}} {
			h.check(refused, args...)
		}
	}
}

// schedules asks what the payload means.
func (h *hostile) schedules() {
	for _, d := range []string{"debian", "cronie", "busybox", "supercronic", "github", "kubernetes"} {
		h.check([]int{1}, "schedule", "--dialect="+d, "-o", "json", "x "+h.p)
		h.check([]int{1}, "schedule", "--dialect="+d, "x "+h.p)
		h.check([]int{0, 1}, "schedule", "--dialect="+d, "0 1 * * *"+h.p)
	}
	h.check([]int{1}, "schedule", "--equal", "--dialect=debian", "x "+h.p, "0 1 * * *")
	h.check([]int{1}, "schedule", "--equal", "--dialect=debian", "-o", "json", "0 1 * * *", "TZ="+h.p)
	h.check([]int{2}, "schedule", "--dialect=debian", "--zone="+h.p, "0 1 * * *")
	h.check([]int{2}, "schedule", "--dialect="+h.p, "0 1 * * *")
	h.check([]int{2}, "schedule", "--dialect=debian", "-o="+h.p, "0 1 * * *")
}

// begin writes a first ledger from all of this. It must read as one, and holds
// no secret.
func (h *hostile) begin() {
	if err := os.MkdirAll("begun", 0o755); err != nil {
		h.t.Fatal(err)
	}
	code, out, errs := h.run("", "ledger", "init", "--offline", "--allow-partial", "--ledger", "begun/ledger.yaml")
	if why := unsafe(out + errs); why != "" {
		h.t.Errorf("ledger init: %s", why)
	}
	if code != 0 {
		h.t.Errorf("ledger init: exit %d: %s", code, errs[max(0, len(errs)-2000):])
		return
	}
	err := filepath.WalkDir("begun", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if i := bytes.Index(data, []byte(planted)); i >= 0 {
			h.t.Errorf("%s: a secret is written: %q", path, data[max(0, i-80):min(len(data), i+40)])
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.check([]int{0}, "ledger", "check", "--ledger", "begun/ledger.yaml")
	h.check([]int{1}, "audit", "--offline", "--ledger", "begun/ledger.yaml")
	h.edits()
}

// edit runs a command that changes a file. It is safe to look at, and what it
// leaves is a ledger without a secret.
func (h *hostile) edit(ledger string, args ...string) {
	code, out, errs := h.run("", append(args, "--ledger", ledger)...)
	if why := unsafe(out + errs); why != "" {
		h.t.Errorf("%.300q: %s", args, why)
	}
	if code != 0 && code != 2 {
		h.t.Errorf("%.300q: exit %d: %.2000s", args, code, errs)
	}
	data, err := os.ReadFile(ledger)
	if err != nil {
		h.t.Fatal(err)
	}
	if i := bytes.Index(data, []byte(planted)); i >= 0 {
		h.t.Errorf("%.300q: a secret is written: %q", args, data[max(0, i-80):min(len(data), i+40)])
	}
}

var anyID = regexp.MustCompile(`"id": ("(?:\\.|[^"\\])*")`)

// edits waives with each payload as a text, and adopts what is there one by one.
func (h *hostile) edits() {
	h.edit("begun/ledger.yaml", "ledger", "waive", "unexpected:crontab:x/y", "--until", "2999-01-01", "--reason="+h.p, "--owner="+h.p)
	h.edit("begun/ledger.yaml", "ledger", "waive", "unexpected:crontab:x/"+h.p, "--until", "2999-01-01", "--reason=r")
	h.edit("begun/ledger.yaml", "ledger", "waive", "--until", "2999-01-01", "--reason=r", "--", h.p)
	h.edit("begun/ledger.yaml", "ledger", "waive", "drift:a@b", "--until="+h.p, "--reason=r")
	h.check([]int{0}, "ledger", "check", "--ledger", "begun/ledger.yaml")

	h.write("adopted/ledger.yaml", "ledger: rolecall/v1\nroles: {}\n")
	h.edit("adopted/ledger.yaml", "ledger", "adopt", "--offline", "--role", "x", "--", h.p)
	h.edit("adopted/ledger.yaml", "ledger", "adopt", "--offline", "--role="+h.p, "x")
	_, listing, _ := h.run("", "list", "--offline", "-o", "json")
	for n, m := range anyID.FindAllStringSubmatch(listing, 12) {
		var id string
		if json.Unmarshal([]byte(m[1]), &id) == nil && !h.long() {
			h.edit("adopted/ledger.yaml", "ledger", "adopt", "--offline", "--owner="+h.p, "--role", fmt.Sprintf("r%d", n), "--", id)
			h.edit("adopted/ledger.yaml", "ledger", "adopt", "--offline", "--", id)
		}
	}
	h.check([]int{0}, "ledger", "check", "--ledger", "adopted/ledger.yaml")
}

// texts are the strings of a JSON document whose key is free text.
var texts = regexp.MustCompile(`"(owner|purpose|version|message|reason|who|evidence|file|desired|observed|next_step|role|source|part|provider|path|id|schedule|text|key|detail|uid|name|hash|object|part|invalid)": ?"`)

// reports renders a report in which every free text begins with the payload.
func (h *hostile) reports(report string) {
	h.write("report.json", report)
	h.check([]int{0}, "render", "report.json")
	h.write("forged.json", h.forge(report))
	h.check([]int{0, 2}, "render", "forged.json")
	h.check([]int{0, 2}, "render", "-v", "-o", "text", "forged.json")
	for _, format := range append(formats, "json") {
		h.check([]int{0, 2}, "render", "-o", format, "forged.json")
	}
	h.write("cut.json", report[:len(report)/2])
	h.check([]int{2}, "render", "cut.json")
}

// inventories judges a saved listing, and one that was forged.
func (h *hostile) inventories(inventory string) {
	h.write("saved.json", inventory)
	h.check([]int{1}, "audit", "--snapshot", "saved.json")
	h.check([]int{0, 3}, "list", "-o", "wide", "--snapshot", "saved.json")
	h.write("forged.json", h.forge(inventory))
	h.check([]int{1, 2, 3}, "audit", "--snapshot", "forged.json")
	h.check([]int{0, 2, 3}, "list", "--snapshot", "forged.json")
	for _, args := range [][]string{{"saved.json", "forged.json"}, {"forged.json", "saved.json"}, {"saved.json", "--offline"}} {
		h.check([]int{0, 1, 2, 3}, append([]string{"diff", "-v"}, args...)...)
		h.check([]int{0, 1, 2, 3}, append([]string{"diff", "-o", "json"}, args...)...)
	}
	h.write("cut.json", inventory[:len(inventory)/2])
	h.check([]int{2}, "audit", "--snapshot", "cut.json")
	h.check([]int{2}, "diff", "cut.json", "saved.json")
}

func (h *hostile) forge(document string) string {
	quoted, err := json.Marshal(h.p[:min(len(h.p), 4096)])
	if err != nil {
		h.t.Fatal(err)
	}
	return texts.ReplaceAllString(document, "${0}"+strings.ReplaceAll(string(quoted[1:len(quoted)-1]), "$", "$$"))
}
