package kubernetes

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// cronJob is a manifest of nine lines.
func cronJob(name, schedule string) string {
	return `apiVersion: batch/v1
kind: CronJob
metadata: {name: ` + name + `, namespace: shop}
spec:
  schedule: "` + schedule + `"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: main, image: "r/m:1"}]}
`
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"

// summary is what a test compares of a file's contents.
type summary struct {
	Found    []string // name:line
	Troubles []string // line: a part of the text
	Remarks  []string
}

func summaryOf(c contents) summary {
	var s summary
	for _, f := range c.found {
		s.Found = append(s.Found, fmt.Sprintf("%s:%d", nameOf(f.cronJob), f.line))
	}
	for _, t := range c.troubles {
		s.Troubles = append(s.Troubles, fmt.Sprintf("%d: %s", t.line, t.text))
	}
	for _, t := range c.remarks {
		s.Remarks = append(s.Remarks, fmt.Sprintf("%d: %s", t.line, t.text))
	}
	return s
}

func TestReadManifest(t *testing.T) {
	indented := func(s string) string { return "  " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n  ") + "\n" }
	item := func(s string) string { return "- " + strings.TrimPrefix(indented(s), "  ") }
	a, b := cronJob("a", "0 3 * * *"), cronJob("b", "0 4 * * *")
	tests := []struct {
		name, text string
		want       summary
	}{
		{"empty", "", summary{}},
		{"comments only", "# nothing: CronJob\n---\n# here\n", summary{}},
		{"one", a, summary{Found: []string{"a:1"}}},
		{"comment before it", "# of the shop\n\n---\n# really\n" + a, summary{Found: []string{"a:5"}}},
		{"several documents", a + "---\n" + configMap + "--- # the second\n" + b, summary{Found: []string{"a:1", "b:16"}}},
		{"document end", a + "...\n" + b, summary{Found: []string{"a:1", "b:11"}}},
		{"directive", "%YAML 1.1\n---\n" + a, summary{Found: []string{"a:3"}}},
		{"CRLF", strings.ReplaceAll(a+"---\n"+b, "\n", "\r\n"), summary{Found: []string{"a:1", "b:11"}}},
		{"CR", strings.ReplaceAll(a+"---\n"+b, "\n", "\r"), summary{Found: []string{"a:1", "b:11"}}},
		{"list", "apiVersion: v1\nkind: List\nitems:\n" + item(a) + item(configMap) + item(b), summary{Found: []string{"a:4", "b:17"}}},
		{"list, indented", "kind: List\napiVersion: v1\nitems:\n" + indented(item(a)+item(b)), summary{Found: []string{"a:4", "b:13"}}},
		{"list before its kind", "items:\n" + item(a) + "kind: List\napiVersion: v1\n", summary{Found: []string{"a:2"}}},
		{"CronJobList without kinds", "apiVersion: batch/v1\nkind: CronJobList\nitems:\n- metadata: {name: a}\n  spec: {schedule: '@daily'}\n- metadata: {name: b}\n  spec: {schedule: '@daily'}\n", summary{Found: []string{"a:4", "b:6"}}},
		{"list in flow style", "kind: List\napiVersion: v1\nitems: [{kind: CronJob, apiVersion: batch/v1, metadata: {name: a}, spec: {schedule: '@daily'}},\n {kind: CronJob, apiVersion: batch/v1, metadata: {name: b}, spec: {schedule: '@daily'}}]\n", summary{Found: []string{"a:3", "b:4"}}},
		{"JSON", "{\n \"kind\": \"CronJob\", \"apiVersion\": \"batch/v1\",\n\t\"metadata\": {\"name\": \"a\"}, \"spec\": {\"schedule\": \"@daily\"}}\n", summary{Found: []string{"a:1"}}},
		{"JSON, one after another", "{\"kind\": \"CronJob\", \"apiVersion\": \"batch/v1\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"schedule\": \"@daily\"}}\n\n{\"kind\": \"CronJob\", \"apiVersion\": \"batch/v1\", \"metadata\": {\"name\": \"b\"}, \"spec\": {\"schedule\": \"@daily\"}}\n", summary{Found: []string{"a:1", "b:3"}}},
		{"JSON list", "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [\n{\"kind\": \"CronJob\", \"apiVersion\": \"batch/v1\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"schedule\": \"@daily\"}}\n,\n{\"kind\": \"CronJob\", \"apiVersion\": \"batch/v1\", \"metadata\": {\"name\": \"b\"}, \"spec\": {\"schedule\": \"@daily\"}}]}", summary{Found: []string{"a:2", "b:4"}}},
		{"flow mapping that is no JSON", "{kind: CronJob, apiVersion: batch/v1, metadata: {name: a}, spec: {schedule: '@daily'}}", summary{Found: []string{"a:1"}}},
		{"older versions", strings.Replace(a, "batch/v1", "batch/v1beta1", 1) + "---\n" + strings.Replace(b, "batch/v1", "batch/v2alpha1", 1), summary{Found: []string{"a:1", "b:11"}}},
		{"a later version", strings.Replace(a, "batch/v1", "batch/v9", 1), summary{Troubles: []string{`1: a CronJob of the unknown version "batch/v9"; write apiVersion: batch/v1`}}},
		{"no version", strings.Replace(a, "apiVersion: batch/v1\n", "", 1), summary{Troubles: []string{"1: a CronJob without apiVersion; write apiVersion: batch/v1"}}},
		{"another group's CronJob", strings.Replace(a, "batch/v1", "batch.example/v1", 1), summary{}},
		{"patch", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {suspend: true}\n", summary{}},
		{"patch without spec", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\n", summary{}},
		{"patch that deletes", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\n$patch: delete\nspec: {schedule: null}\n", summary{}},
		{"text in a ConfigMap", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  x: |\n" + indented(a), summary{}},
		{"generated name", strings.Replace(a, "name: a,", "generateName: a-,", 1), summary{Found: []string{"a-:1"}}},
		{"no name", strings.Replace(a, "name: a, ", "", 1), summary{Troubles: []string{"1: a CronJob without metadata.name; give it a name"}}},
		{"anchor and merge", "x: &m {restartPolicy: Never}\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: &n a, labels: {app: *n}}\nspec:\n  schedule: '@daily'\n  jobTemplate: {spec: {template: {spec: {<<: *m, restartPolicy: OnFailure, containers: []}}}}\n", summary{Found: []string{"a:1"}, Remarks: []string{`1: unknown field "x"; the API server drops it, so it is not compared; correct its name or remove it`}}},
		{"braces in a command", strings.Replace(a, "image:", "args: ['{{range .items}}{{end}}'], image:", 1), summary{Found: []string{"a:1"}}},
		{"unknown field", strings.Replace(a, "  jobTemplate:", "  skedule: x\n  jobTemplate:", 1), summary{Found: []string{"a:1"}, Remarks: []string{`6: unknown field "spec.skedule"; the API server drops it, so it is not compared; correct its name or remove it`}}},
		{"field in another case", strings.Replace(a, "  jobTemplate:", "  Suspend: true\n  jobTemplate:", 1), summary{Found: []string{"a:1"}, Remarks: []string{`6: unknown field "spec.Suspend"; the API server drops it, so it is not compared; correct its name or remove it`}}},
		{"key twice", strings.Replace(a, "  jobTemplate:", "  schedule: '@daily'\n  jobTemplate:", 1), summary{Found: []string{"a:1"}, Remarks: []string{`6: the key "schedule" stands twice in a CronJob and the later one holds; remove the other`}}},
		{"key twice in JSON", `{"kind": "CronJob", "apiVersion": "batch/v1", "metadata": {"name": "a", "name": "b"}, "spec": {"schedule": "@daily"}}`, summary{Found: []string{"b:1"}, Remarks: []string{`1: the key "name" stands twice in a CronJob and the later one holds; remove the other`}}},
		{"a word that YAML 1.1 takes for false", strings.Replace(a, "image:", "env: [{name: A, value: x},\n {name: B, value: n}], image:", 1), summary{Troubles: []string{"10: a CronJob that the API server would refuse: spec.jobTemplate.spec.template.spec.containers.env.value is a bool, not a string; put it in quotes"}}},
		{"a number for a string", strings.Replace(a, "namespace: shop", "annotations: {rolecall/role: r,\n rolecall/version: 7}", 1), summary{Troubles: []string{"4: a CronJob that the API server would refuse: metadata.annotations[rolecall/version] is a number, not a string; put it in quotes"}}},
		{"a string for a number", strings.Replace(a, "  jobTemplate:", "  failedJobsHistoryLimit: many\n  jobTemplate:", 1), summary{Troubles: []string{"6: a CronJob that the API server would refuse: spec.failedJobsHistoryLimit is a string, not a int32; correct it"}}},
		{"a list for a spec", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: [schedule]\n", summary{Troubles: []string{"4: a CronJob that the API server would refuse: spec is a array, not a struct; correct it"}}},
		{"wrong type in an item of a list", "apiVersion: v1\nkind: List\nitems:\n" + item(b) + item(strings.Replace(a, "  jobTemplate:", "  suspend: maybe\n  jobTemplate:", 1)), summary{Found: []string{"b:4"}, Troubles: []string{"18: a CronJob that the API server would refuse: spec.suspend is a string, not a bool; correct it"}}},
		{"a good document beside a bad one", a + "---\nkind: CronJob\n  x: y\n---\n" + b, summary{Found: []string{"a:1", "b:14"}, Troubles: []string{"12: not YAML: mapping values are not allowed in this context; correct the file"}}},
		{"helm", "{{- if .Values.on }}\n" + strings.Replace(a, "name: a", `name: {{ include "x" . }}`, 1) + "{{- end }}\n", summary{Troubles: []string{"1: not YAML but a template; " + renderFirst}}},
		{"helm without the word", "{{- include \"lib.job\" . }}\n", summary{Troubles: []string{"1: not YAML but a template; " + renderFirst}}},
		{"helm in quotes", strings.Replace(a, "0 3 * * *", "{{ .Values.schedule }}", 1), summary{Troubles: []string{`5: spec.schedule is "{{ .Values.schedule }}", which has yet to be rendered; ` + renderFirst}}},
		{"a variable for the name", strings.Replace(a, "name: a", "name: '${NAME}'", 1), summary{Troubles: []string{`3: metadata.name is "${NAME}", which has yet to be rendered; ` + renderFirst}}},
		{"ytt", strings.Replace(a, `"0 3 * * *"`, "#@ data.values.schedule", 1), summary{Troubles: []string{"1: a template of ytt; render it first (ytt -f DIR > FILE) and name the rendered file"}}},
		{"OpenShift", "apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n" + item(strings.Replace(a, "0 3 * * *", "${SCHEDULE}", 1)), summary{Troubles: []string{"1: a template of OpenShift; render it first (oc process --local -f TEMPLATE -o yaml > FILE) and name the rendered file"}}},
		{"escaped kind", strings.Replace(a, "kind: CronJob", `kind: "Cron\u004aob"`, 1), summary{Found: []string{"a:1"}}},
		{"folded kind", strings.Replace(a, "kind: CronJob", "kind: \"Cron\\\n  Job\"", 1), summary{Found: []string{"a:1"}}},
		{"escaped key", strings.Replace(a, "kind: CronJob", `"\x6bind": CronJob`, 1), summary{Found: []string{"a:1"}}},
		{"UTF-16 little-endian", inUTF16(a, binary.LittleEndian, true), summary{Found: []string{"a:1"}}},
		{"UTF-16 big-endian", inUTF16(a, binary.BigEndian, true), summary{Found: []string{"a:1"}}},
		{"UTF-16 without a mark", inUTF16(a, binary.LittleEndian, false), summary{Found: []string{"a:1"}}},
		{"UTF-8 with a mark", "\ufeff" + a, summary{Found: []string{"a:1"}}},
		{"UTF-32", "\xff\xfe\x00\x00k\x00\x00\x00", summary{Troubles: []string{"1: the file is UTF-32; save it as UTF-8"}}},
		{"NUL", "kind: ConfigMap\x00\n", summary{Troubles: []string{"1: the file holds NUL bytes, so it is no text; name manifests only"}}},
		{"invalid UTF-8", strings.Replace(a, "name: a", "name: a\xff", 1), summary{Troubles: []string{"1: not YAML: invalid leading UTF-8 octet; correct the file"}}},
		{"huge quantity", strings.Replace(a, "image:", "resources: {limits: {cpu: 1e999999999}}, image:", 1), summary{Troubles: []string{`1: the quantity "1e999999999" is out of range; correct it`}}},
		{"a text like a huge quantity", strings.Replace(a, "image:", "env: [{name: A, value: '1e999999999'}], image:", 1), summary{Found: []string{"a:1"}}},
		{"anchor within itself", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: &s {schedule: '@daily', x: *s}\n", summary{Troubles: []string{"1: not YAML: " + errBomb.Error() + "; correct the file"}}},
		{"large text by alias", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nx: &s '" + strings.Repeat("x", 1<<16) + "'\ny: [" + strings.Repeat("*s, ", 2000) + "]\nspec: {schedule: '@daily'}\n", summary{Troubles: []string{"1: not YAML: " + errBomb.Error() + "; correct the file"}}},
		{"many by alias", "kind: CronJob\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n", summary{Troubles: []string{"1: not YAML: " + errBomb.Error() + "; correct the file"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, summaryOf(readManifest([]byte(tt.text)))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func inUTF16(s string, order binary.AppendByteOrder, mark bool) string {
	var out []byte
	if mark {
		out = order.AppendUint16(out, 0xfeff)
	}
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

// lookAt writes files, looks at them, and gives the observation.
func lookAt(t *testing.T, cfg ManifestConfig, tree map[string]string) providers.Observation {
	t.Helper()
	cfg.Source, cfg.Base = "prod", t.TempDir()
	for name, text := range tree {
		path := filepath.Join(cfg.Base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := NewManifests(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m.Observe(context.Background(), providers.Selection{})
}

// rows are the areas, with the parts of reasons that a test names.
func rows(o providers.Observation) []string {
	var out []string
	for _, a := range o.Areas {
		out = append(out, a.Part+" "+string(a.State))
	}
	return out
}

func ids(o providers.Observation) []string {
	var out []string
	for _, obj := range o.Objects {
		out = append(out, obj.ID+" "+obj.Part())
	}
	return out
}

func TestObserveManifests(t *testing.T) {
	tree := map[string]string{
		"deploy/a.yaml":       cronJob("a", "0 3 * * *"),
		"deploy/b/b.yml":      cronJob("b", "0 4 * * *") + "---\n" + cronJob("a", "0 5 * * *"),
		"deploy/b/c.json":     `{"kind": "CronJob", "apiVersion": "batch/v1", "metadata": {"name": "c"}, "spec": {"schedule": "@daily"}}`,
		"deploy/chart.yaml":   "{{ x }}\nkind: CronJob\n",
		"deploy/half.yaml":    cronJob("d", "0 6 * * *") + "---\n{{ x }}\n",
		"deploy/service.yaml": configMap,
		"deploy/notes.txt":    cronJob("no", "0 6 * * *"),
	}
	o := lookAt(t, ManifestConfig{Patterns: []string{"deploy", "deploy/*.yaml", "deploy/a.yaml", "gone.yaml", "none/*.yaml", "-"}, Stdin: strings.NewReader(cronJob("in", "0 7 * * *"))}, tree)
	if d := cmp.Diff([]string{
		"file/deploy/a.yaml read", "file/deploy/b/b.yml read", "file/deploy/b/c.json read", "file/deploy/chart.yaml failed",
		"file/deploy/half.yaml partial", "file/deploy/service.yaml read", "file/gone.yaml absent", "glob/none/*.yaml absent", "stdin read",
	}, rows(o)); d != "" {
		t.Errorf("areas (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{
		"kubernetes:prod/default/c file/deploy/b/c.json",
		"kubernetes:prod/shop/a file/deploy/a.yaml",
		"kubernetes:prod/shop/a file/deploy/b/b.yml",
		"kubernetes:prod/shop/b file/deploy/b/b.yml",
		"kubernetes:prod/shop/d file/deploy/half.yaml",
		"kubernetes:prod/shop/in stdin",
	}, ids(o)); d != "" {
		t.Errorf("objects (-want +got):\n%s", d)
	}
	for _, a := range o.Areas {
		if a.Gap() != (a.Reason != "") {
			t.Errorf("area %+v: a gap has a reason and nothing else has one", a)
		}
	}
	if got := o.Objects[2].Pos; got.Line != 11 || !strings.HasSuffix(got.File, "deploy/b/b.yml") {
		t.Errorf("the second document stands at %v", got)
	}
}

func TestObserveOnlySomeNamespaces(t *testing.T) {
	tree := map[string]string{"a.yaml": cronJob("a", "@daily") + "---\n" + strings.Replace(cronJob("b", "@daily"), "namespace: shop", "namespace: other", 1) + "---\n" + strings.Replace(cronJob("c", "@daily"), ", namespace: shop", "", 1)}
	o := lookAt(t, ManifestConfig{Patterns: []string{"a.yaml"}, Namespaces: []string{"shop"}}, tree)
	if d := cmp.Diff([]string{"kubernetes:prod/shop/a file/a.yaml", "kubernetes:prod/shop/c file/a.yaml"}, ids(o)); d != "" {
		t.Errorf("objects (-want +got):\n%s", d)
	}
	if len(o.Notes) != 1 || o.Notes[0].Code != "out-of-scope" {
		t.Errorf("notes %+v", o.Notes)
	}
}

func TestObserveNotesAPatchWithASchedule(t *testing.T) {
	tree := map[string]string{"patch.yaml": "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a, namespace: shop}\nspec: {schedule: '@daily'}\n"}
	o := lookAt(t, ManifestConfig{Patterns: []string{"patch.yaml"}}, tree)
	if len(o.Objects) != 1 || len(o.Notes) != 1 || !strings.Contains(o.Notes[0].Message, "shop/a has no containers") {
		t.Errorf("%+v", o)
	}
}

func TestObserveAgainAndInParts(t *testing.T) {
	m, err := NewManifests(ManifestConfig{Source: "s", Base: t.TempDir(), Patterns: []string{"-"}, Stdin: strings.NewReader(cronJob("in", "@daily"))})
	if err != nil {
		t.Fatal(err)
	}
	first, second := m.Observe(context.Background(), providers.Selection{}), m.Observe(context.Background(), providers.Selection{})
	if d := cmp.Diff(ids(first), ids(second)); d != "" || len(first.Objects) != 1 {
		t.Errorf("the second look at standard input (-first +second):\n%s", d)
	}
	if o := m.Observe(context.Background(), providers.Selection{Parts: []string{"file/x"}}); len(o.Areas)+len(o.Objects) > 0 {
		t.Errorf("a part that was not asked for: %+v", o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o := m.Observe(ctx, providers.Selection{}); len(o.Areas) != 1 || o.Areas[0].State != providers.Failed || len(o.Objects) > 0 {
		t.Errorf("after the end of its time: %+v", o)
	}
}

func TestUnreadableFileIsAGap(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything; run it as another user")
	}
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "a.yaml"), nil, 0o000); err != nil {
		t.Fatal(err)
	}
	m, _ := NewManifests(ManifestConfig{Source: "s", Base: base, Patterns: []string{"a.yaml"}})
	if o := m.Observe(context.Background(), providers.Selection{}); len(o.Areas) != 1 || o.Areas[0].State != providers.Denied {
		t.Errorf("%+v", o.Areas)
	}
}

func TestNewManifestsRefuses(t *testing.T) {
	for _, cfg := range []ManifestConfig{{Source: "s"}, {Source: "s", Patterns: []string{"-"}}} {
		if _, err := NewManifests(cfg); err == nil || !strings.Contains(err.Error(), `"s"`) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

func TestObject(t *testing.T) {
	text := `apiVersion: batch/v1
kind: CronJob
metadata:
  name: a
  namespace: shop
  uid: u-1
  creationTimestamp: "2026-05-04T10:00:00Z"
  labels: {app: shop}
  annotations:
    rolecall/role: retry
    rolecall/version: "7"
    team: web
    kubectl.kubernetes.io/last-applied-configuration: '{"password":"hush"}'
  managedFields:
  - manager: kubectl-create
    operation: Update
    apiVersion: batch/v1
    time: "2026-05-04T10:00:00Z"
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:schedule": {}, "f:jobTemplate": {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}, "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {"f:hostPort": {}}}}}}}}}}}
  - manager: ops
    operation: Update
    apiVersion: batch/v1
    time: "2026-05-05T10:00:00Z"
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:suspend": {}, "f:timeZone": {}}, "f:metadata": {"f:annotations": {"f:rolecall/role": {}, "f:rolecall/version": {}}}}
  - manager: kube-controller-manager
    operation: Update
    apiVersion: batch/v1
    subresource: status
    time: "2026-05-06T10:00:00Z"
    fieldsType: FieldsV1
    fieldsV1: {"f:status": {"f:lastScheduleTime": {}}}
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Oslo
  suspend: true
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "r/m:1"}]}}}}
status: {lastScheduleTime: "2026-05-06T03:00:00Z", lastSuccessfulTime: "2026-05-06T03:01:00Z"}
`
	r := readManifest([]byte(text))
	if len(r.found) != 1 {
		t.Fatalf("%+v", r)
	}
	pos := specs.Pos{File: "a.yaml", Line: 1}
	got := objectOf(r.found[0].cronJob, "prod", "file/a.yaml", pos, false)
	at := func(s string) time.Time {
		tm, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return tm
	}
	const image = "jobTemplate.spec.template.spec.containers[main]"
	schedule, err := specs.ParseSchedule(specs.Kubernetes, "0 3 * * *", "Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Object{
		ID: "kubernetes:prod/shop/a", Origin: &providers.Origin{Source: "prod", Provider: "kubernetes", Part: "file/a.yaml"}, Pos: pos,
		Marked: &providers.Marker{Role: "retry", Version: "7", Pos: pos},
		Attrs:  providers.AttrsOf(map[string]string{"namespace": "shop", "name": "a"}), More: &providers.More{Labels: map[string]string{"app": "shop"},
			Inactive: []providers.Inactive{{Code: "suspended", Detail: "spec.suspend is true"}},
			UID:      "u-1", Created: at("2026-05-04T10:00:00Z"),
			Changes: []providers.Change{
				{Who: "kubectl-create", When: at("2026-05-04T10:00:00Z"), Evidence: "managedFields", Paths: []string{image + ".image", image + ".ports[80/TCP].hostPort", "schedule"}},
				{Who: "ops", When: at("2026-05-05T10:00:00Z"), Evidence: "managedFields", Paths: []string{"role", "state", "time_zone", "version"}},
			}},
	}
	spec := got.Spec
	got.Spec = specs.Spec{}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(specs.Spec{}, specs.Hash{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(spec.Schedules) != 1 || spec.Schedules[0].Canonical() != schedule.Canonical() {
		t.Errorf("schedule %v", spec.Schedules)
	}
	if c := fmt.Sprint(spec.Cosmetic); strings.Contains(c, "hush") || !strings.Contains(c, "web") || strings.Contains(c, "retry") {
		t.Errorf("cosmetic %s", c)
	}
}

func TestScheduleThatIsRefused(t *testing.T) {
	zone := func(z string) func(string) string {
		return func(s string) string { return strings.Replace(s, "spec:", "spec:\n  timeZone: "+z, 1) }
	}
	same := func(s string) string { return s }
	for _, tt := range []struct {
		schedule      string
		edit          func(string) string
		live, refused bool
		note          string
	}{
		{"0 4 * * 7", same, false, true, ""},
		{"0 30 7 * 9 *", same, false, true, ""},
		{"", same, false, true, ""},
		{"TZ=UTC", same, false, true, ""},
		{"TZ=UTC", same, true, true, ""},
		{"CRON_TZ=Europe/Lisbon 0 20 * * 4", same, false, true, ""},
		{"CRON_TZ=Europe/Lisbon 0 20 * * 4", same, true, false, "zone-prefix"},
		{"CRON_TZ=Europe/Lisbon 0 20 * * 4", zone("Mars/Base"), true, false, "zone-prefix"},
		{"0 4 * * *", zone("Mars/Base"), false, true, ""},
		{"0 4 * * *", zone("Local"), false, true, ""},
		{"0 4 * * *", zone("local"), false, true, ""},
		{"0 4 * * *", zone(`""`), false, true, ""},
		{"0 4 * * *", zone("Europe/Oslo"), false, false, ""},
		{"0 4 31 2 *", same, false, false, ""},
	} {
		r := readManifest([]byte(tt.edit(cronJob("a", tt.schedule))))
		if len(r.found) != 1 {
			t.Fatalf("%q: %+v", tt.schedule, r)
		}
		cj := r.found[0].cronJob
		o := objectOf(cj, "s", "p", specs.Pos{}, tt.live)
		refused := len(o.Inactive()) == 1 && o.Inactive()[0].Code == "invalid-schedule" && o.Inactive()[0].Next != ""
		if refused != tt.refused || o.Opaque != tt.refused || (len(o.Spec.Schedules) == 0) != tt.refused {
			t.Errorf("%q, live %v: inactive %+v, opaque %v", tt.schedule, tt.live, o.Inactive(), o.Opaque)
		}
		note := ""
		for _, n := range notesOf(cj, specs.Pos{}, tt.live) {
			note += n.Code
		}
		if note != tt.note {
			t.Errorf("%q, live %v: note %q, want %q", tt.schedule, tt.live, note, tt.note)
		}
	}
}

func TestPrefixBeatsTimeZone(t *testing.T) {
	cj := readManifest([]byte(strings.Replace(cronJob("a", "TZ=Europe/Lisbon 0 20 * * 4"), "spec:", "spec:\n  timeZone: Europe/Oslo", 1))).found[0].cronJob
	if spec, _ := specOf(cj, true); spec.Zones() != "Europe/Lisbon" || spec.Written() != "0 20 * * 4" {
		t.Errorf("%s %s", spec.Written(), spec.Zones())
	}
}

func TestMarkerThatIsNoKey(t *testing.T) {
	for text, want := range map[string]providers.Marker{
		`"a b"`:                             {Invalid: "a b"},
		`""`:                                {Invalid: `""`},
		`"ghost\n::warning::x"`:             {Invalid: "ghost\n::warning::x"},
		`"ok"`:                              {Role: "ok"},
		`"` + strings.Repeat("a", 64) + `"`: {Invalid: strings.Repeat("a", 64)},
	} {
		r := readManifest([]byte(strings.Replace(cronJob("a", "@daily"), "namespace: shop", "annotations: {rolecall/role: "+text+"}", 1)))
		o := objectOf(r.found[0].cronJob, "s", "p", specs.Pos{}, false)
		if d := cmp.Diff(want, o.Marker()); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
}
