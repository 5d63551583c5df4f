package kubernetes

import (
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// refusal is a CronJob that a server refuses, or takes where there is no text.
type refusal struct {
	name string
	edit func(cj *batchv1.CronJob, pod *corev1.PodSpec)
	text string // how one of the faults begins
}

const (
	inJob = "spec.jobTemplate.spec."
	inPod = inJob + "template.spec."
)

// refusals are asked of faultsOf and of a real server.
func refusals() []refusal {
	long := strings.Repeat("a", 51)
	return []refusal{
		{"good", func(cj *batchv1.CronJob, pod *corev1.PodSpec) {}, ""},
		{"a name of 52", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name = long + "b" }, ""},
		{"a name of 53", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name = long + "bc" }, `metadata.name: Invalid value: "` + long + `bc": must be no more than 52 characters`},
		{"a dot in the name", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name = "a.b" }, ""},
		{"a capital in the name", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name = "nightSync" }, `metadata.name: Invalid value: "nightSync": a lowercase RFC 1123 subdomain must consist of`},
		{"an underscore", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name = "a_b" }, `metadata.name: Invalid value: "a_b"`},
		{"a dash at the end", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name = "a-" }, `metadata.name: Invalid value: "a-"`},
		{"a generated name", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name, cj.GenerateName = "", "a-" }, ""},
		{"the longest generated name", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Name, cj.GenerateName = "", long[:47] }, ""},
		{"no restart policy", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { pod.RestartPolicy = "" }, inPod + `restartPolicy: Required value: valid values: "OnFailure", "Never"`},
		{"Always", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { pod.RestartPolicy = "Always" }, inPod + `restartPolicy: Required value: valid values: "OnFailure", "Never"`},
		{"OnFailure", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { pod.RestartPolicy = "OnFailure" }, ""},
		{"an unknown restart policy", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { pod.RestartPolicy = "never" }, inPod + `restartPolicy: Unsupported value: "never"`},
		{"no containers", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { pod.Containers = nil }, inPod + "containers: Required value"},
		{"no image", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { pod.Containers[0].Image = "" }, inPod + "containers[0].image: Required value"},
		{"no container name", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { pod.Containers[0].Name = "" }, inPod + "containers[0].name: Required value"},
		{"a name twice", func(cj *batchv1.CronJob, pod *corev1.PodSpec) {
			pod.Containers = append(pod.Containers, pod.Containers[0])
		}, inPod + `containers[1].name: Duplicate value: "main"`},
		{"an init container without an image", func(cj *batchv1.CronJob, pod *corev1.PodSpec) {
			pod.InitContainers = []corev1.Container{{Name: "first"}}
		}, inPod + "initContainers[0].image: Required value"},
		{"an unknown concurrency policy", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Spec.ConcurrencyPolicy = "forbid" }, `spec.concurrencyPolicy: Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace"`},
		{"a negative deadline", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Spec.StartingDeadlineSeconds = ptr(int64(-1)) }, "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"},
		{"a negative history", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Spec.FailedJobsHistoryLimit = ptr(int32(-2)) }, "spec.failedJobsHistoryLimit: Invalid value: -2: must be greater"},
		{"no parallelism", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Spec.JobTemplate.Spec.Parallelism = ptr(int32(0)) }, ""},
		{"a negative backoff limit", func(cj *batchv1.CronJob, pod *corev1.PodSpec) { cj.Spec.JobTemplate.Spec.BackoffLimit = ptr(int32(-1)) }, inJob + "backoffLimit: Invalid value: -1"},
	}
}

func (r refusal) cronJob(namespace string) *batchv1.CronJob {
	cj := oneJob(namespace, "a")
	cj.UID = ""
	cj.TypeMeta = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"}
	r.edit(&cj, &cj.Spec.JobTemplate.Spec.Template.Spec)
	return &cj
}

func TestFaults(t *testing.T) {
	for _, r := range refusals() {
		var said []string
		for _, e := range faultsOf(r.cronJob("shop")) {
			said = append(said, e.Error())
		}
		fits := func(s string) bool { return strings.HasPrefix(s, r.text) }
		if (len(said) > 0) != (r.text != "") || r.text != "" && !slices.ContainsFunc(said, fits) {
			t.Errorf("%s: %q, want %q", r.name, said, r.text)
		}
	}
}

func TestFaultsOfNames(t *testing.T) {
	for name, tt := range map[string]struct {
		meta metav1.ObjectMeta
		want string
	}{
		"a generated name that becomes too long": {metav1.ObjectMeta{GenerateName: strings.Repeat("a", 48)}, "must be no more than 52 characters"},
		"a label that would begin with a dash":   {metav1.ObjectMeta{GenerateName: "a.-"}, "metadata.generateName: Invalid value"},
		"an old one that a server has":           {metav1.ObjectMeta{Name: strings.Repeat("a", 54), UID: "u"}, ""},
		"a huge name":                            {metav1.ObjectMeta{Name: strings.Repeat("A", 1<<20)}, "must be no more than 253"},
	} {
		cj := oneJob("", "")
		cj.ObjectMeta = tt.meta
		var said string
		if e := faultsOf(&cj).ToAggregate(); e != nil {
			said = e.Error()
		}
		if (said == "") != (tt.want == "") || !strings.Contains(said, tt.want) || len(said) > 1<<12 {
			t.Errorf("%s: %.500q, want %q", name, said, tt.want)
		}
	}
}

// TestObserveInvalidManifest: what a server would refuse is seen, is not
// active, and says where and why.
func TestObserveInvalidManifest(t *testing.T) {
	list := "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(cronJob("b", "@daily")), "\n", "\n  ") + "\n"
	tree := map[string]string{
		"a.yaml":     configMap + "---\n" + strings.Replace(strings.Replace(cronJob("nightSync", "0 3 * * *"), "restartPolicy: Never, ", "", 1), "  jobTemplate:", "  concurrencyPolicy: forbid\n  startingDeadlineSeconds: -1\n  jobTemplate:", 1),
		"list.yaml":  strings.Replace(list, "restartPolicy: Never", "restartPolicy: Always", 1),
		"c.json":     `{"kind": "CronJob", "apiVersion": "batch/v1",` + "\n" + `"metadata": {"name": "c"}, "spec": {"schedule": "@daily"}}`,
		"patch.yaml": "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: d}\nspec: {suspend: true, jobTemplate: {spec: {template: {spec: {containers: [{name: main}]}}}}}\n",
		"both.yaml":  strings.Replace(cronJob("e", "61 * * * *"), "restartPolicy: Never, ", "", 1),
	}
	o := lookAt(t, ManifestConfig{Patterns: []string{"*.yaml", "*.json"}}, tree)
	want := map[string]string{ // by name, a detail in pieces
		"nightSync": `the API server would refuse it: |a.yaml:8: metadata.name: Invalid value: "nightSync"|a.yaml:11: spec.concurrencyPolicy: Unsupported value: "forbid"|a.yaml:12: spec.startingDeadlineSeconds|; and 1 more`,
		"b":         `list.yaml:12: spec.jobTemplate.spec.template.spec.restartPolicy: Required value`,
		"c":         `c.json:2: spec.jobTemplate.spec.template.spec.containers: Required value`,
		"e":         `both.yaml:9: spec.jobTemplate.spec.template.spec.restartPolicy: Required value`,
	}
	if len(o.Objects) != len(want) {
		t.Fatalf("objects %v", ids(o))
	}
	for _, obj := range o.Objects {
		name := obj.Attrs["name"]
		last := obj.Inactive[len(obj.Inactive)-1]
		codes := []string{"invalid-manifest"}
		if name == "e" {
			codes = []string{"invalid-schedule", "invalid-manifest"}
		}
		if !slices.Equal(codesOf(obj), codes) || last.Next == "" || obj.Opaque != (name == "e") {
			t.Errorf("%s: %+v, opaque %v", name, obj.Inactive, obj.Opaque)
		}
		for _, piece := range strings.Split(want[name], "|") {
			if !strings.Contains(last.Detail, piece) {
				t.Errorf("%s: %s; want %q", name, last.Detail, piece)
			}
		}
	}
	for _, a := range o.Areas {
		if a.State != providers.Read {
			t.Errorf("%+v: a manifest that is refused has been read", a)
		}
	}
}

// TestLiveIsNotJudged: what a cluster holds it has taken, by its own rules.
func TestLiveIsNotJudged(t *testing.T) {
	cj := oneJob("shop", strings.Repeat("a", 60))
	if o := objectOf(&cj, "s", "p", specs.Pos{}, true); len(o.Inactive) > 0 {
		t.Errorf("%+v", o.Inactive)
	}
}
