package kubernetes

import (
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

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
		container("a container name with a capital", func(c *corev1.Container) { c.Name = "Main" }, `name: Invalid value: "Main": a lowercase RFC 1123 label`),
		container("an image policy in small letters", func(c *corev1.Container) { c.ImagePullPolicy = "always" }, `imagePullPolicy: Unsupported value: "always": supported values: "Always", "IfNotPresent", "Never"`),
		container("more asked for than the limit", func(c *corev1.Container) {
			c.Resources.Limits = corev1.ResourceList{"memory": resource.MustParse("512Mi")}
			c.Resources.Requests = corev1.ResourceList{"memory": resource.MustParse("1Gi")}
		}, `resources.requests: Invalid value: "1Gi": must be less than or equal to memory limit of 512Mi`),
		container("as much as the limit, by another text", func(c *corev1.Container) {
			c.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("0.5")}
			c.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("500m")}
		}, ""),
		container("a resource that is none", func(c *corev1.Container) { c.Resources.Limits = corev1.ResourceList{"mem": resource.MustParse("1")} }, `resources.limits[mem]: Invalid value: "mem": must be a standard resource for containers`),
		container("half a card", func(c *corev1.Container) {
			c.Resources.Limits = corev1.ResourceList{"example.com/card": resource.MustParse("500m")}
		}, `resources.limits[example.com/card]: Invalid value`),
		container("a variable without a name", func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Value: "x"}} }, `env[0].name: Required value`),
		container("a variable with an equals sign", func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "A=B"}} }, `env[0].name: Invalid value: "A=B"`),
		container("a variable with a dash", func(c *corev1.Container) { c.Env = []corev1.EnvVar{{Name: "a-b.c"}} }, ""),
		container("a value and where it is from", func(c *corev1.Container) {
			c.Env = []corev1.EnvVar{{Name: "A", Value: "x", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}}
		}, "env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty"),
		container("a field that no variable can have", func(c *corev1.Container) {
			c.Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.phase"}}}}
		}, `env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase"`),
		container("a source of variables that is none", func(c *corev1.Container) { c.EnvFrom = []corev1.EnvFromSource{{Prefix: "X_"}} }, "envFrom: Invalid value: \"\": must specify one of"),
		container("a port too high", func(c *corev1.Container) { c.Ports = []corev1.ContainerPort{{ContainerPort: 70000}} }, `ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`),
		container("a port of no number", func(c *corev1.Container) { c.Ports = []corev1.ContainerPort{{Name: "web"}} }, `ports[0].containerPort: Required value`),
		container("one name for two ports", func(c *corev1.Container) {
			c.Ports = []corev1.ContainerPort{{Name: "web", ContainerPort: 80}, {Name: "web", ContainerPort: 81}}
		}, `ports[1].name: Duplicate value: "web"`),
		container("one port of the host twice", func(c *corev1.Container) {
			c.Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}, {ContainerPort: 81, HostPort: 80}}
		}, `ports[1].hostPort: Duplicate value: "TCP//80"`),
		container("a mount of no volume", func(c *corev1.Container) { c.VolumeMounts = []corev1.VolumeMount{{Name: "work", MountPath: "/w"}} }, `volumeMounts[0].name: Not found: "work"`),
		container("a probe that does nothing", func(c *corev1.Container) { c.LivenessProbe = &corev1.Probe{} }, `livenessProbe: Required value: must specify a handler type`),
		container("a probe that does two things", func(c *corev1.Container) {
			c.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"a"}}, TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(1)}}}
		}, `readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`),
		container("a probe of a port by a bad name", func(c *corev1.Container) {
			c.LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromString("8080")}}}
		}, `livenessProbe.httpGet.port: Invalid value: "8080": must contain at least one letter`),
		container("privileged and no escalation", func(c *corev1.Container) {
			c.SecurityContext = &corev1.SecurityContext{Privileged: ptr(true), AllowPrivilegeEscalation: ptr(false)}
		}, "securityContext: Invalid value"),
		container("a profile of the node without its name", func(c *corev1.Container) {
			c.SecurityContext = &corev1.SecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: "Localhost"}}
		}, "securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost"),
		pod("an init container with a probe", func(p *corev1.PodSpec) {
			p.InitContainers = []corev1.Container{{Name: "first", Image: "r/f", LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"a"}}}}}}
		}, "initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"),
		pod("a sidecar with a probe", func(p *corev1.PodSpec) {
			p.InitContainers = []corev1.Container{{Name: "first", Image: "r/f", RestartPolicy: ptr(corev1.ContainerRestartPolicyAlways), LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"a"}}}}}}
		}, ""),
		pod("the name of an init container again", func(p *corev1.PodSpec) { p.InitContainers = []corev1.Container{{Name: "main", Image: "r/f"}} }, `initContainers[0].name: Duplicate value: "main"`),
		pod("one path for two mounts", func(p *corev1.PodSpec) {
			p.Volumes = []corev1.Volume{{Name: "a"}, {Name: "b"}}
			p.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "a", MountPath: "/w"}, {Name: "b", MountPath: "/w"}}
		}, `containers[0].volumeMounts[1].mountPath: Invalid value: "/w": must be unique`),
		pod("one volume twice", func(p *corev1.PodSpec) { p.Volumes = []corev1.Volume{{Name: "a"}, {Name: "a"}} }, `volumes[1].name: Duplicate value: "a"`),
		pod("a volume of two types", func(p *corev1.PodSpec) {
			p.Volumes = []corev1.Volume{{Name: "a", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}, HostPath: &corev1.HostPathVolumeSource{Path: "/x"}}}}
		}, "volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"),
		pod("a secret of no name", func(p *corev1.PodSpec) {
			p.Volumes = []corev1.Volume{{Name: "a", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{}}}}
		}, "volumes[0].secret.secretName: Required value"),
		pod("a mode that is too much", func(p *corev1.PodSpec) {
			p.Volumes = []corev1.Volume{{Name: "a", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "c"}, DefaultMode: ptr(int32(644))}}}}
		}, "volumes[0].configMap.defaultMode: Invalid value: 644: must be a number between 0 and 0777 (octal), both inclusive"),
		pod("a way out of the host's folder", func(p *corev1.PodSpec) {
			p.Volumes = []corev1.Volume{{Name: "a", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/a/../b"}}}}
		}, "volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"),
		pod("a node's label that can be none", func(p *corev1.PodSpec) { p.NodeSelector = map[string]string{"disk": "very fast"} }, `nodeSelector: Invalid value: "very fast"`),
		pod("a toleration of all with a value", func(p *corev1.PodSpec) {
			p.Tolerations = []corev1.Toleration{{Key: "a", Operator: "Exists", Value: "b"}}
		}, "tolerations[0].operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'"),
		pod("a service account with a slash", func(p *corev1.PodSpec) { p.ServiceAccountName = "a/b" }, `serviceAccountName: Invalid value: "a/b"`),
		pod("no name server of its own", func(p *corev1.PodSpec) { p.DNSPolicy = "None" }, "dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"),
		pod("a container for debugging", func(p *corev1.PodSpec) {
			p.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "d", Image: "r/d"}}}
		}, "ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"),
		job("failures are judged and restarted", func(j *batchv1.JobSpec) {
			j.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: "FailJob", OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: "In", Values: []int32{1}}}}}
			j.Template.Spec.RestartPolicy = "OnFailure"
		}, `template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified`),
		job("exit codes out of order", func(j *batchv1.JobSpec) {
			j.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: "FailJob", OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: "In", Values: []int32{2, 1}}}}}
		}, `podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered`),
		job("an index and no number of them", func(j *batchv1.JobSpec) { j.CompletionMode = ptr(batchv1.IndexedCompletion) }, `completions: Required value: when completion mode is Indexed`),
		job("a success of indexes without any", func(j *batchv1.JobSpec) {
			j.SuccessPolicy = &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededCount: ptr(int32(1))}}}
		}, `successPolicy: Invalid value`),
		job("a selector of its own", func(j *batchv1.JobSpec) { j.ManualSelector = ptr(true) }, `manualSelector: Unsupported value: true: supported values: "nil", "false"`),
		job("a label that can be none", func(j *batchv1.JobSpec) { j.Template.Labels = map[string]string{"app": "a b"} }, `template.labels: Invalid value: "a b"`),
	}
}

func container(name string, edit func(*corev1.Container), text string) refusal {
	return pod(name, func(p *corev1.PodSpec) { edit(&p.Containers[0]) }, after("containers[0].", text))
}

func pod(name string, edit func(*corev1.PodSpec), text string) refusal {
	return refusal{name, func(_ *batchv1.CronJob, p *corev1.PodSpec) { edit(p) }, after(inPod, text)}
}

func job(name string, edit func(*batchv1.JobSpec), text string) refusal {
	return refusal{name, func(cj *batchv1.CronJob, _ *corev1.PodSpec) { edit(&cj.Spec.JobTemplate.Spec) }, after(inJob, text)}
}

func after(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
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
		name := obj.Attr("name")
		last := obj.Inactive()[len(obj.Inactive())-1]
		codes := []string{"invalid-manifest"}
		if name == "e" {
			codes = []string{"invalid-schedule", "invalid-manifest"}
		}
		if !slices.Equal(codesOf(obj), codes) || last.Next == "" || obj.Opaque != (name == "e") {
			t.Errorf("%s: %+v, opaque %v", name, obj.Inactive(), obj.Opaque)
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
	if o := objectOf(&cj, "s", "p", specs.Pos{}, true); len(o.Inactive()) > 0 {
		t.Errorf("%+v", o.Inactive())
	}
}
