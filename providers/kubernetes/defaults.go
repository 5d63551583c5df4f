package kubernetes

import (
	"maps"
	"math"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// The tables name a field by its Go type in k8s.io/api and its name in JSON.
// They are the facts of pkg/apis/{batch,core}/v1/defaults.go and
// zz_generated.defaults.go of Kubernetes v1.36.3, and of a read-back from that
// server. A test walks the API types and finds a name that does not exist.

// defaults are what the API server, or the Job and the Pod made from the
// template, make of a field that is left out.
var defaults = map[string]specs.Value{
	"CronJobSpec.concurrencyPolicy":          specs.NewText("Allow"),
	"CronJobSpec.successfulJobsHistoryLimit": specs.NewInt(3),
	"CronJobSpec.failedJobsHistoryLimit":     specs.NewInt(1),

	"JobSpec.completionMode":                        specs.NewText("NonIndexed"),
	"JobSpec.suspend":                               specs.NewBool(false),
	"JobSpec.manualSelector":                        specs.NewBool(false),
	"PodFailurePolicyOnPodConditionsPattern.status": specs.NewText("True"),

	"PodSpec.dnsPolicy":                     specs.NewText("ClusterFirst"),
	"PodSpec.restartPolicy":                 specs.NewText("Always"),
	"PodSpec.schedulerName":                 specs.NewText("default-scheduler"),
	"PodSpec.securityContext":               specs.NewMap(),
	"PodSpec.terminationGracePeriodSeconds": specs.NewInt(30),
	"PodSpec.enableServiceLinks":            specs.NewBool(true),      // SetDefaults_Pod
	"PodSpec.serviceAccountName":            specs.NewText("default"), // admission plugin ServiceAccount

	"Container.terminationMessagePath":   specs.NewText("/dev/termination-log"),
	"Container.terminationMessagePolicy": specs.NewText("File"),
	"ContainerPort.protocol":             specs.NewText("TCP"),
	"ObjectFieldSelector.apiVersion":     specs.NewText("v1"),
	"FileKeySelector.optional":           specs.NewBool(false),

	"Probe.timeoutSeconds":   specs.NewInt(1),
	"Probe.periodSeconds":    specs.NewInt(10),
	"Probe.successThreshold": specs.NewInt(1),
	"Probe.failureThreshold": specs.NewInt(3),
	"HTTPGetAction.path":     specs.NewText("/"),
	"HTTPGetAction.scheme":   specs.NewText("HTTP"),
	"GRPCAction.service":     specs.NewText(""),

	"ConfigMapVolumeSource.defaultMode":               specs.NewInt(0o644),
	"SecretVolumeSource.defaultMode":                  specs.NewInt(0o644),
	"DownwardAPIVolumeSource.defaultMode":             specs.NewInt(0o644),
	"ProjectedVolumeSource.defaultMode":               specs.NewInt(0o644),
	"ServiceAccountTokenProjection.expirationSeconds": specs.NewInt(3600),
	"HostPathVolumeSource.type":                       specs.NewText(""),
	"PersistentVolumeClaimSpec.volumeMode":            specs.NewText("Filesystem"),
	"ISCSIVolumeSource.iscsiInterface":                specs.NewText("default"),
	"RBDVolumeSource.pool":                            specs.NewText("rbd"),
	"RBDVolumeSource.user":                            specs.NewText("admin"),
	"RBDVolumeSource.keyring":                         specs.NewText("/etc/ceph/keyring"),
	"AzureDiskVolumeSource.cachingMode":               specs.NewText("ReadWrite"),
	"AzureDiskVolumeSource.fsType":                    specs.NewText("ext4"),
	"AzureDiskVolumeSource.readOnly":                  specs.NewBool(false),
	"AzureDiskVolumeSource.kind":                      specs.NewText("Shared"),
	"ScaleIOVolumeSource.storageMode":                 specs.NewText("ThinProvisioned"),
	"ScaleIOVolumeSource.fsType":                      specs.NewText("xfs"),

	// The server leaves these unset; the API's documentation says what unset
	// means.
	"Toleration.operator":                         specs.NewText("Equal"),
	"TopologySpreadConstraint.nodeAffinityPolicy": specs.NewText("Honor"),
	"TopologySpreadConstraint.nodeTaintsPolicy":   specs.NewText("Ignore"),
	"SecurityContext.procMount":                   specs.NewText("Default"), // old servers wrote it
	"Container.securityContext":                   specs.NewMap(),
	"Container.lifecycle":                         specs.NewMap(),
	"SecurityContext.capabilities":                specs.NewMap(),
	"SecurityContext.seLinuxOptions":              specs.NewMap(),
	"SecurityContext.windowsOptions":              specs.NewMap(),
	"PodSecurityContext.seLinuxOptions":           specs.NewMap(),
	"PodSecurityContext.windowsOptions":           specs.NewMap(),
	"PodSpec.affinity":                            specs.NewMap(),
	"PodSpec.dnsConfig":                           specs.NewMap(),
	"PodSpec.resources":                           specs.NewMap(),
	"Affinity.nodeAffinity":                       specs.NewMap(),
	"Affinity.podAffinity":                        specs.NewMap(),
	"Affinity.podAntiAffinity":                    specs.NewMap(),
}

// keyed are the lists whose members the API tells apart by fields of their own.
var keyed = map[string][]string{
	"PodSpec.volumes":                   {"name"},
	"PodSpec.initContainers":            {"name"},
	"PodSpec.containers":                {"name"},
	"PodSpec.ephemeralContainers":       {"name"},
	"PodSpec.imagePullSecrets":          {"name"},
	"PodSpec.hostAliases":               {"ip"},
	"PodSpec.topologySpreadConstraints": {"topologyKey", "whenUnsatisfiable"},
	"PodSpec.schedulingGates":           {"name"},
	"PodSpec.resourceClaims":            {"name"},
	"Container.ports":                   {"containerPort", "protocol"},
	"Container.volumeMounts":            {"mountPath"},
	"Container.volumeDevices":           {"devicePath"},
	"ResourceRequirements.claims":       {"name"},
}

// sets are the lists of texts and numbers that the API calls sets, or whose
// order has no effect.
var sets = []string{
	"Capabilities.add", "Capabilities.drop",
	"ContainerRestartRuleOnExitCodes.values",
	"LabelSelectorRequirement.values", "NodeSelectorRequirement.values",
	"ObjectMeta.finalizers",
	"PersistentVolumeClaimSpec.accessModes",
	"PodAffinityTerm.matchLabelKeys", "PodAffinityTerm.mismatchLabelKeys", "PodAffinityTerm.namespaces",
	"PodFailurePolicyOnExitCodesRequirement.values",
	"PodSecurityContext.supplementalGroups",
	"TopologySpreadConstraint.matchLabelKeys",
}

// ignored are the fields of a template that reach neither Job nor Pod, since
// the controllers copy labels, annotations and a pod template's finalizers
// alone, and a name of one field that is only an alias of another.
var ignored = []string{
	"ObjectMeta.name", "ObjectMeta.generateName", "ObjectMeta.namespace", "ObjectMeta.selfLink",
	"ObjectMeta.uid", "ObjectMeta.resourceVersion", "ObjectMeta.generation",
	"ObjectMeta.creationTimestamp", "ObjectMeta.deletionTimestamp", "ObjectMeta.deletionGracePeriodSeconds",
	"ObjectMeta.ownerReferences", "ObjectMeta.managedFields",
	"PodSpec.serviceAccount",
}

// secret are the fields in which people put passwords, beside env values.
var secret = []string{"HTTPHeader.value", "FlexVolumeSource.options"}

// dropDependentDefaults clears the fields whose default hangs on another field
// and which are set to it.
func dropDependentDefaults(t *batchv1.JobTemplateSpec) {
	dropTemplateDefaults(t)
	dropJobDefaults(&t.Spec)
	dropPodDefaults(&t.Spec.Template.Spec)
}

// dropTemplateDefaults clears of a template's own metadata what no Job gets from
// it, or would get anyway.
func dropTemplateDefaults(t *batchv1.JobTemplateSpec) {
	if maps.Equal(t.Labels, t.Spec.Template.Labels) {
		t.Labels = nil // SetDefaults_Job
	}
	if len(t.Finalizers) > 0 {
		t.Finalizers = nil // getJobFromTemplate2 does not copy them
	}
}

func dropPodDefaults(pod *corev1.PodSpec) {
	if pod.ServiceAccountName == "" {
		pod.ServiceAccountName = pod.DeprecatedServiceAccount
	}
	for i := range pod.InitContainers {
		dropContainerDefaults(&pod.InitContainers[i], pod.HostNetwork)
	}
	for i := range pod.Containers {
		dropContainerDefaults(&pod.Containers[i], pod.HostNetwork)
	}
	for i := range pod.EphemeralContainers {
		c := corev1.Container(pod.EphemeralContainers[i].EphemeralContainerCommon)
		dropContainerDefaults(&c, false)
		pod.EphemeralContainers[i].EphemeralContainerCommon = corev1.EphemeralContainerCommon(c)
	}
	for i := range pod.Volumes {
		dropVolumeDefaults(&pod.Volumes[i])
	}
}

// dropJobDefaults undoes SetDefaults_Job where it looks at two fields.
// Completions left out means 1 only if parallelism is left out too: with
// parallelism alone the first success ends a work queue.
func dropJobDefaults(job *batchv1.JobSpec) {
	if job.Completions != nil && isInt(job.Parallelism, 1) {
		job.Parallelism = nil
	}
	if isInt(job.Completions, 1) && job.Parallelism == nil {
		job.Completions = nil
	}
	backoff := int32(6)
	if job.BackoffLimitPerIndex != nil {
		backoff = math.MaxInt32
	}
	if isInt(job.BackoffLimit, backoff) {
		job.BackoffLimit = nil
	}
	replacement := batchv1.TerminatingOrFailed
	if job.PodFailurePolicy != nil {
		replacement = batchv1.Failed
	}
	if job.PodReplacementPolicy != nil && *job.PodReplacementPolicy == replacement {
		job.PodReplacementPolicy = nil
	}
}

func isInt(p *int32, n int32) bool { return p != nil && *p == n }

// dropContainerDefaults undoes SetDefaults_Container and, of SetDefaults_Pod,
// that requests follow limits and host ports a host network.
func dropContainerDefaults(c *corev1.Container, hostNetwork bool) {
	if c.ImagePullPolicy == pullPolicy(c.Image) {
		c.ImagePullPolicy = ""
	}
	for name, limit := range c.Resources.Limits {
		if request, ok := c.Resources.Requests[name]; ok && request.Cmp(limit) == 0 {
			delete(c.Resources.Requests, name)
		}
	}
	for i := range c.Ports {
		if hostNetwork && c.Ports[i].HostPort == c.Ports[i].ContainerPort {
			c.Ports[i].HostPort = 0
		}
	}
	dropDivisors(c.Env)
}

func dropDivisors(env []corev1.EnvVar) {
	for i := range env {
		if from := env[i].ValueFrom; from != nil && from.ResourceFieldRef != nil {
			dropDivisor(from.ResourceFieldRef)
		}
	}
}

// dropDivisor clears a divisor of 1, which is what 0 and nothing stand for.
func dropDivisor(r *corev1.ResourceFieldSelector) {
	if r.Divisor.CmpInt64(1) == 0 || r.Divisor.IsZero() {
		r.Divisor.Reset()
	}
}

func dropVolumeDefaults(v *corev1.Volume) {
	if only := (corev1.VolumeSource{EmptyDir: v.EmptyDir}); v.EmptyDir != nil && v.VolumeSource == only && *v.EmptyDir == (corev1.EmptyDirVolumeSource{}) {
		v.EmptyDir = nil
	}
	if v.Image != nil && v.Image.PullPolicy == pullPolicy(v.Image.Reference) {
		v.Image.PullPolicy = ""
	}
	for _, items := range downwardItems(v) {
		if items.ResourceFieldRef != nil {
			dropDivisor(items.ResourceFieldRef)
		}
	}
}

func downwardItems(v *corev1.Volume) []corev1.DownwardAPIVolumeFile {
	var out []corev1.DownwardAPIVolumeFile
	if v.DownwardAPI != nil {
		out = append(out, v.DownwardAPI.Items...)
	}
	if v.Projected == nil {
		return out
	}
	for _, s := range v.Projected.Sources {
		if s.DownwardAPI != nil {
			out = append(out, s.DownwardAPI.Items...)
		}
	}
	return out
}

// isDefault says that a value stands for nothing in the field of a key.
func isDefault(key string, v specs.Value) bool {
	f := apiField{standard: defaults[key]}
	return f.isStandard(v)
}

// bookkeeping are the annotations that tools keep for themselves; some hold a
// copy of the whole object, secrets and all.
var bookkeeping = []string{
	"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision",
	"objectset.rio.cattle.io/", "kapp.k14s.io/", "banzaicloud.com/last-applied", "meta.helm.sh/",
	"argocd.argoproj.io/", "config.kubernetes.io/", "config.k8s.io/", "internal.config.kubernetes.io/",
	"kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/", "batch.kubernetes.io/", "cnrm.cloud.google.com/",
	"pulumi.com/", "autopilot.gke.io/",
	roleAnnotation, versionAnnotation,
}

// cosmeticOf are the labels and annotations of the CronJob itself: nothing that
// runs has them.
func cosmeticOf(cj *batchv1.CronJob) specs.Value {
	kept := maps.Clone(cj.Annotations)
	maps.DeleteFunc(kept, func(name, _ string) bool { return isBookkeeping(name) })
	var members []specs.Member
	for key, texts := range map[string]map[string]string{"labels": cj.Labels, "annotations": kept} {
		if v := textsValue(texts); !v.Empty() {
			members = append(members, specs.Member{Key: key, Value: v})
		}
	}
	return specs.NewMap(members...)
}

func isBookkeeping(name string) bool {
	return slices.ContainsFunc(bookkeeping, func(p string) bool { return strings.HasPrefix(name, p) })
}

func textsValue(texts map[string]string) specs.Value {
	members := make([]specs.Member, 0, len(texts))
	for k, v := range texts {
		members = append(members, specs.Member{Key: k, Value: specs.NewText(v)})
	}
	return specs.NewMap(members...)
}
