package kubernetes

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/specs/slow"
)

func wireOf(t *testing.T, cj *batchv1.CronJob) []byte {
	t.Helper()
	data, err := cj.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBodiesOfAllFields: over all fields that the API has, and one by one where a
// default hangs on another field, the body from the wire is that of the object.
func TestBodiesOfAllFields(t *testing.T) {
	r := newReader()
	const n = 1500
	for _, gated := range []bool{false, true} {
		m := newMaker(11, gated)
		for i := range n / 2 {
			r.same(t, wireOf(t, m.cronJob(fmt.Sprint("a", i))))
		}
	}
	t.Logf("%d of %d were read from the wire", r.bodies, n)
	if r.bodies < n/2 && !slow.Only() {
		t.Errorf("only %d of %d were read from the wire", r.bodies, n)
	}
}

// TestBodiesOfOneField: what hangs on another field, and what is refused.
func TestBodiesOfOneField(t *testing.T) {
	type pod = corev1.PodSpec
	type unit = corev1.Container
	first := func(change func(*unit)) func(*batchv1.CronJob) {
		return func(cj *batchv1.CronJob) { change(&cj.Spec.JobTemplate.Spec.Template.Spec.Containers[0]) }
	}
	inPod := func(change func(*pod)) func(*batchv1.CronJob) {
		return func(cj *batchv1.CronJob) { change(&cj.Spec.JobTemplate.Spec.Template.Spec) }
	}
	inJob := func(change func(*batchv1.JobSpec)) func(*batchv1.CronJob) {
		return func(cj *batchv1.CronJob) { change(&cj.Spec.JobTemplate.Spec) }
	}
	number := func(n int32) *int32 { return &n }
	failed := batchv1.Failed
	env := func(vars ...corev1.EnvVar) func(*batchv1.CronJob) { return first(func(c *unit) { c.Env = vars }) }
	from := func(divisor string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.cpu", Divisor: resource.MustParse(divisor)}}
	}
	hook := &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}}
	amounts := func(cpu string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}
	yes, empty, tokyo := true, "", "Asia/Tokyo"
	for _, c := range []struct {
		name   string
		read   bool
		change func(*batchv1.CronJob)
	}{
		{"nothing", true, func(*batchv1.CronJob) {}},
		{"suspended", true, func(cj *batchv1.CronJob) { cj.Spec.Suspend = &yes }},
		{"an empty zone", true, func(cj *batchv1.CronJob) { cj.Spec.TimeZone = &empty }},
		{"a zone", true, func(cj *batchv1.CronJob) { cj.Spec.TimeZone = &tokyo }},
		{"no start window", true, func(cj *batchv1.CronJob) { cj.Spec.StartingDeadlineSeconds = new(int64) }},
		{"no labels", true, func(cj *batchv1.CronJob) { cj.Labels = nil }},
		{"labels of the job", true, func(cj *batchv1.CronJob) { cj.Spec.JobTemplate.Labels = map[string]string{"a": "b"} }},
		{"those of the pod", true, func(cj *batchv1.CronJob) {
			cj.Spec.JobTemplate.Labels, cj.Spec.JobTemplate.Spec.Template.Labels = map[string]string{"a": "b"}, map[string]string{"a": "b"}
		}},
		{"a queue", true, func(cj *batchv1.CronJob) {
			cj.Spec.JobTemplate.Labels, cj.Spec.JobTemplate.Spec.Suspend = map[string]string{queueLabel: "q"}, &yes
		}},
		{"a suspended job", true, inJob(func(j *batchv1.JobSpec) { j.Suspend = &yes })},
		{"finalizers", true, func(cj *batchv1.CronJob) { cj.Spec.JobTemplate.Finalizers = []string{"a/b"} }},
		{"one at a time", true, inJob(func(j *batchv1.JobSpec) { j.Parallelism = number(1) })},
		{"one in all", true, inJob(func(j *batchv1.JobSpec) { j.Parallelism, j.Completions = number(1), number(1) })},
		{"none", true, inJob(func(j *batchv1.JobSpec) { j.Parallelism, j.Completions = number(0), number(0) })},
		{"backoff", true, inJob(func(j *batchv1.JobSpec) { j.BackoffLimit = number(6) })},
		{"backoff by index", true, inJob(func(j *batchv1.JobSpec) { j.BackoffLimit, j.BackoffLimitPerIndex = number(6), number(1) })},
		{"replacement", true, inJob(func(j *batchv1.JobSpec) {
			j.PodFailurePolicy, j.PodReplacementPolicy = &batchv1.PodFailurePolicy{}, &failed
		})},
		{"an account", true, inPod(func(p *pod) { p.ServiceAccountName, p.DeprecatedServiceAccount = "a", "a" })},
		{"an account by its old name", true, inPod(func(p *pod) { p.DeprecatedServiceAccount = "a" })},
		{"the host's network", false, inPod(func(p *pod) {
			p.HostNetwork, p.Containers[0].Ports = true, []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		})},
		{"ports", true, first(func(c *unit) { c.Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}} })},
		{"no containers", false, inPod(func(p *pod) { p.Containers = nil })},
		{"no name", false, first(func(c *unit) { c.Name = "" })},
		{"a name beyond ASCII", false, first(func(c *unit) { c.Name = "é" })},
		{"one name twice", false, inPod(func(p *pod) { p.Containers = append(p.Containers, p.Containers[0]) })},
		{"two", true, inPod(func(p *pod) { p.Containers = append(p.Containers, unit{Name: "a"}) })},
		{"one hook", true, first(func(c *unit) { c.Lifecycle = hook })},
		{"a hook of two", false, inPod(func(p *pod) { p.Containers = append([]unit{{Name: "z", Lifecycle: hook}}, p.Containers...) })},
		{"what comes before", true, inPod(func(p *pod) { p.InitContainers = []unit{{Name: "z", Args: []string{"x"}}, {Name: "b"}, {Name: "a"}} })},
		{"beside it", false, inPod(func(p *pod) {
			p.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "e"}}}
		})},
		{"pulled by the rule", true, first(func(c *unit) { c.Image, c.ImagePullPolicy = "a", corev1.PullAlways })},
		{"pulled otherwise", true, first(func(c *unit) { c.Image, c.ImagePullPolicy = "a:1", corev1.PullAlways })},
		{"no image", true, first(func(c *unit) { c.Image, c.ImagePullPolicy = "", corev1.PullIfNotPresent })},
		{"requests as limits", true, first(func(c *unit) { c.Resources.Limits, c.Resources.Requests = amounts("1000m"), amounts("1") })},
		{"requests below limits", true, first(func(c *unit) { c.Resources.Limits, c.Resources.Requests = amounts("1"), amounts("100m") })},
		{"no variables", true, env()},
		{"harmless variables", true, env(corev1.EnvVar{Name: "LEVEL", Value: "Development"}, corev1.EnvVar{Name: "N", Value: "123456"}, corev1.EnvVar{Name: "PIN", Value: "1234"}, corev1.EnvVar{Name: "EMPTY"})},
		{"one that refers", true, env(corev1.EnvVar{Name: "B", Value: "x"}, corev1.EnvVar{Name: "A", Value: "$(B)"})},
		{"one again", true, env(corev1.EnvVar{Name: "A", Value: "x"}, corev1.EnvVar{Name: "A", Value: "y"})},
		{"one again that is referred to", true, env(corev1.EnvVar{Name: "A", Value: "x"}, corev1.EnvVar{Name: "B", Value: "$(A)"}, corev1.EnvVar{Name: "A", Value: "y"})},
		{"variables beyond ASCII", true, env(corev1.EnvVar{Name: "é", Value: "x"}, corev1.EnvVar{Name: "\U0001F600", Value: "y"}, corev1.EnvVar{Name: "\uFFFD", Value: "z"})},
		{"one without a name", true, env(corev1.EnvVar{Value: "x"})},
		{"a divisor", true, env(corev1.EnvVar{Name: "A", ValueFrom: from("1")}, corev1.EnvVar{Name: "B", ValueFrom: from("1m")})},
		{"both", true, env(corev1.EnvVar{Name: "A", Value: "$(B)", ValueFrom: from("1")}, corev1.EnvVar{Name: "B", Value: "x", ValueFrom: from("0")})},
		{"a source of nothing", true, env(corev1.EnvVar{Name: "A", ValueFrom: &corev1.EnvVarSource{}})},
		{"an empty folder", true, inPod(func(p *pod) {
			p.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		})},
		{"one volume twice", true, inPod(func(p *pod) { p.Volumes = []corev1.Volume{{Name: "v"}, {Name: "v"}} })},
		{"a large part", true, first(func(c *unit) { c.WorkingDir = strings.Repeat("x", 2*mostPartSize) })},
		{"no text", true, first(func(c *unit) { c.Command, c.Args = []string{""}, []string{"", "\xff"} })},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newReader()
			for i := range 2 { // the second time with the parts of the first
				cj := typicalJob(i)
				cj.CreationTimestamp = metav1.Now()
				c.change(&cj)
				r.same(t, wireOf(t, &cj))
			}
			if want := map[bool]int{true: 2}[c.read && !slow.Only()]; r.bodies != want {
				t.Errorf("%d were read from the wire, want %d", r.bodies, want)
			}
		})
	}
}

// TestPartsAreBounded: a list without repetition does not fill the memory.
func TestPartsAreBounded(t *testing.T) {
	s := newSpine()
	for i := range 2*mostParts + 1 {
		if !s.ofContainer.of(sized(5, fmt.Append(nil, i)), containerPart).alone {
			t.Fatal("not read")
		}
		s.policy(fmt.Append(nil, i))
	}
	s.ofJob.of(make([]byte, mostPartSize+1), jobPart)
	if len(s.ofContainer) != mostParts || len(s.policies) != mostParts || len(s.ofJob) != 0 {
		t.Errorf("%d, %d and %d are kept", len(s.ofContainer), len(s.policies), len(s.ofJob))
	}
}

// TestLongestHarmless: no longer value is harmless.
func TestLongestHarmless(t *testing.T) {
	for _, w := range harmlessWords {
		if len(w) > longestHarmless {
			t.Error(w)
		}
	}
	if harmless(strings.Repeat("1", longestHarmless+1)) {
		t.Error("a long number is harmless")
	}
}
