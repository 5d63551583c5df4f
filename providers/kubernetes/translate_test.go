package kubernetes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// translate is that of a source of all namespaces.
func translate(st specs.Statement) (specs.Desired, error) { return scope{}.translate(st) }

func ptr[T any](v T) *T { return &v }

// at is the place that the fields of a statement have in these tests.
func at(fields ...string) (out []specs.StatedField) {
	for i, f := range fields {
		out = append(out, specs.StatedField{Name: f, Pos: specs.Pos{File: "ledger.yaml", Line: 10 + i}})
	}
	return out
}

func TestTranslateInline(t *testing.T) {
	st := specs.Statement{Schedule: []string{"0 3 * * 1-5"}, TimeZone: ptr("Etc/UTC"), ConcurrencyPolicy: ptr("Forbid"), StartingDeadlineSeconds: ptr(int64(60))}
	want, err := translate(st)
	if err != nil {
		t.Fatal(err)
	}
	manifest := strings.Replace(cronJob("a", "0 3 * * MON-FRI"), "spec:", "spec:\n  timeZone: UTC\n  concurrencyPolicy: Forbid\n  startingDeadlineSeconds: 60\n  failedJobsHistoryLimit: 9", 1)
	seen, _ := specOf(readManifest([]byte(manifest)).found[0].cronJob, false)
	if d := specs.Diff(want.Spec, seen.Project(want.Stated)); len(d) > 0 || want.Spec.Hash() != seen.Project(want.Stated).Hash() {
		t.Errorf("the same CronJob differs: %+v", d)
	}
	if d := cmp.Diff([]string{"concurrencyPolicy", "startingDeadlineSeconds"}, want.Stated); d != "" || !want.Partial() {
		t.Errorf("stated (-want +got):\n%s", d)
	}
}

func TestTranslateInlineLeavesDefaults(t *testing.T) {
	want, err := translate(specs.Statement{Schedule: []string{"@daily"}, ConcurrencyPolicy: ptr("Allow")})
	if err != nil {
		t.Fatal(err)
	}
	for manifest, paths := range map[string][]string{
		cronJob("a", "0 0 * * *"): nil,
		strings.Replace(cronJob("a", "0 0 * * *"), "spec:", "spec:\n  concurrencyPolicy: Replace", 1): {"concurrencyPolicy"},
		strings.Replace(cronJob("a", "0 0 * * *"), "spec:", "spec:\n  startingDeadlineSeconds: 0", 1): {"startingDeadlineSeconds"},
		strings.Replace(cronJob("a", "0 0 * * *"), "spec:", "spec:\n  timeZone: UTC", 1):              {"time_zone"},
		strings.Replace(cronJob("a", "0 0 * * *"), "spec:", "spec:\n  failedJobsHistoryLimit: 5", 1):  nil,
		strings.Replace(cronJob("a", "0 0 * * *"), "main, image", "main, command: [sh], image", 1):    nil,
	} {
		seen, _ := specOf(readManifest([]byte(manifest)).found[0].cronJob, false)
		var got []string
		for _, d := range specs.Diff(want.Spec, seen.Project(want.Stated)) {
			got = append(got, d.Path)
		}
		if d := cmp.Diff(paths, got); d != "" {
			t.Errorf("%s(-want +got):\n%s", manifest, d)
		}
	}
}

func TestTranslateNever(t *testing.T) {
	want, err := translate(specs.Statement{Schedule: []string{"never"}})
	if err != nil || !want.Never || !want.Spec.NeverFires() {
		t.Fatalf("%+v, %v", want, err)
	}
	seen, _ := specOf(readManifest([]byte(cronJob("a", "0 0 30 2 *"))).found[0].cronJob, false)
	if d := specs.Diff(want.Spec, seen.Project(want.Stated)); len(d) > 0 {
		t.Errorf("a schedule that never fires differs from never: %+v", d)
	}
}

func TestTranslateTemplate(t *testing.T) {
	doc := func(text string) specs.Statement {
		return specs.Statement{Template: &specs.Document{Name: "roles/a.yaml", Data: []byte(text)}}
	}
	good := cronJob("a", "0 3 * * *")
	want, err := translate(doc(configMap + "---\n" + good))
	if err != nil || want.Stated != nil || want.Partial() {
		t.Fatalf("%+v, %v", want, err)
	}
	seen, _ := specOf(readManifest([]byte(strings.Replace(good, "name: a", "name: other", 1))).found[0].cronJob, true)
	if want.Spec.Hash() != seen.Hash() {
		t.Errorf("%+v", specs.Diff(want.Spec, seen))
	}
	for text, part := range map[string]string{
		"":                       "template roles/a.yaml holds 0 CronJobs with a schedule; put exactly one in it",
		good + "---\n" + good:    "holds 2 CronJobs",
		"{{ x }}\nkind: CronJob": "template roles/a.yaml:1: not YAML but a template",
		"x: [\nkind: CronJob":    "template roles/a.yaml:2: not YAML",
		strings.Replace(good, "  jobTemplate:", "  concurencyPolicy: Forbid\n  jobTemplate:", 1): `template roles/a.yaml:6: unknown field "spec.concurencyPolicy"`,
		strings.Replace(good, "  jobTemplate:", "  suspend: x\n  jobTemplate:", 1):               "template roles/a.yaml:6: a CronJob that the API server would refuse: spec.suspend is a string",
		strings.Replace(good, "restartPolicy: Never, ", "", 1):                                   `template roles/a.yaml:9: a CronJob that the API server would refuse: spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"; correct it`,
		strings.Replace(good, "name: a", "name: A", 1):                                           `template roles/a.yaml:3: a CronJob that the API server would refuse: metadata.name: Invalid value: "A"`,
		strings.Replace(good, `containers: [{name: main, image: "r/m:1"}]`, "containers: []", 1): "template roles/a.yaml:9: a CronJob that the API server would refuse: spec.jobTemplate.spec.template.spec.containers: Required value",
		strings.Replace(good, "0 3 * * *", "0 3 * * 7", 1):                                       "template roles/a.yaml:1: the API server refuses the schedule",
		strings.Replace(good, "0 3 * * *", "TZ=UTC 0 3 * * *", 1):                                "begins with a time zone",
	} {
		if _, err := translate(doc(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("template %q: %v; want %q", text, err, part)
		}
	}
}

func TestTranslatePinned(t *testing.T) {
	seen, _ := specOf(readManifest([]byte(cronJob("a", "0 3 * * *"))).found[0].cronJob, false)
	want, err := translate(specs.Statement{Hash: seen.Hash(), Schedule: []string{"0 3 * * *"}})
	if err != nil || want.Pinned != seen.Hash() || want.Spec.Written() != "0 3 * * *" || want.Partial() {
		t.Errorf("%+v, %v", want, err)
	}
	if _, err := translate(specs.Statement{Hash: seen.Hash()}); err != nil {
		t.Error(err)
	}
}

func TestTranslateRefuses(t *testing.T) {
	daily := []string{"@daily"}
	for _, tt := range []struct {
		st   specs.Statement
		want string
	}{
		{specs.Statement{Schedule: daily, User: ptr("root"), Fields: at("user")}, "ledger.yaml:10: user does not apply to a CronJob; state the whole object as a template"},
		{specs.Statement{Schedule: daily, Command: ptr("x"), Fields: at("schedule", "command")}, "ledger.yaml:11: command does not apply"},
		{specs.Statement{Schedule: daily, Stdin: ptr("x"), Fields: at("stdin")}, "ledger.yaml:10: stdin"},
		{specs.Statement{Schedule: daily, Env: map[string]string{"A": "b"}, Fields: at("env")}, "ledger.yaml:10: env"},
		{specs.Statement{Schedule: daily, Workflow: "w", Fields: at("workflow")}, "ledger.yaml:10: workflow"},
		{specs.Statement{Schedule: daily, Workflow: "w", Pos: specs.Pos{File: "ledger.yaml", Line: 3}}, "ledger.yaml:3: workflow"},
		{specs.Statement{Fields: at("schedule")}, "ledger.yaml:10: 0 schedules"},
		{specs.Statement{Schedule: []string{"@daily", "@hourly"}, Fields: at("schedule")}, "ledger.yaml:10: 2 schedules"},
		{specs.Statement{Schedule: []string{"0 3 * * 7"}, Fields: at("schedule")}, "ledger.yaml:10: "},
		{specs.Statement{Schedule: []string{"TZ=UTC 0 3 * * *"}, Fields: at("schedule")}, "state it as time_zone"},
		{specs.Statement{Schedule: daily, TimeZone: ptr("Mars/Base"), Fields: at("schedule", "time_zone")}, "ledger.yaml:11: time_zone: "},
		{specs.Statement{Schedule: []string{"never"}, TimeZone: ptr("UTC"), Fields: at("schedule", "time_zone")}, "ledger.yaml:11: time_zone says nothing"},
		{specs.Statement{Schedule: daily, ConcurrencyPolicy: ptr("forbid"), Fields: at("concurrency_policy")}, "ledger.yaml:10: concurrency_policy"},
		{specs.Statement{Schedule: daily, StartingDeadlineSeconds: ptr(int64(-1)), Fields: at("starting_deadline_seconds")}, "ledger.yaml:10: starting_deadline_seconds"},
	} {
		if _, err := translate(tt.st); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v; want %q", err, tt.want)
		}
	}
}

// TestTranslateTemplateOfAnotherNamespace: a template that the source can never
// hold is an error, and Reads says the same.
func TestTranslateTemplateOfAnotherNamespace(t *testing.T) {
	live := func(namespaces ...string) *Provider {
		return connected(t, &rest.Config{Host: "https://east.example"}, Config{Source: "east", Namespaces: namespaces})
	}
	manifests := func(namespaces ...string) *Manifests {
		m, err := NewManifests(ManifestConfig{Source: "east", Base: t.TempDir(), Patterns: []string{"*.yaml"}, Namespaces: namespaces})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	type source interface {
		providers.Translator
		Reads(namespace string) bool
	}
	every := connected(t, &rest.Config{Host: "https://east.example"}, Config{Namespaces: []string{"pay"}, AllNamespaces: true})
	for name, tt := range map[string]struct {
		source    source
		namespace string
		ok        bool
	}{
		"live, all":                          {live(), "shop", true},
		"live, all in spite of a name":       {every, "shop", true},
		"live, named":                        {live("pay", "shop"), "shop", true},
		"live, another":                      {live("pay", "stock"), "shop", false},
		"live, default is not named":         {live("pay", "stock"), "default", false},
		"manifests, all":                     {manifests(), "shop", true},
		"manifests, named":                   {manifests("shop"), "shop", true},
		"manifests, another":                 {manifests("pay", "stock"), "shop", false},
		"manifests, where unstated ones are": {manifests("pay", "stock"), "default", true},
		"manifests, one is where they are":   {manifests("pay"), "default", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(cronJob("a", "@daily"), "metadata: {name: a, namespace: shop}", "metadata:\n  name: a\n  namespace: "+tt.namespace, 1)
			_, err := tt.source.Translate(specs.Statement{Template: &specs.Document{Name: "roles/a.yaml", Data: []byte(text)}})
			if (err == nil) != tt.ok || tt.source.Reads(tt.namespace) != tt.ok {
				t.Errorf("%v, reads %v; want %v", err, tt.source.Reads(tt.namespace), tt.ok)
			}
			if err != nil && !(strings.HasPrefix(err.Error(), "template roles/a.yaml:5: its namespace "+quote(tt.namespace)) && strings.Contains(err.Error(), "source east reads (pay")) {
				t.Error(err)
			}
			unstated := strings.Replace(text, "  namespace: "+tt.namespace+"\n", "", 1)
			if _, err := tt.source.Translate(specs.Statement{Template: &specs.Document{Name: "roles/a.yaml", Data: []byte(unstated)}}); err != nil {
				t.Errorf("without a namespace: %v", err)
			}
		})
	}
}
