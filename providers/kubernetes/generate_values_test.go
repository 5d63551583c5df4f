package kubernetes

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The tables name a field by its Go type and its name in JSON, as those of
// defaults.go do. What they hold is from pkg/apis/{batch,core}/validation of
// Kubernetes v1.36.3, and the server judges it.

const inTemplate = ".jobTemplate.spec.template.spec"

// impossible are what no valid CronJob has.
var impossible = []exception{
	{"no ephemeral container stands in a template", []string{inTemplate + ".ephemeralContainers"}},
	{"a job template's selector is made by the controller", []string{".jobTemplate.spec.selector"}},
	{"claims are of containers", []string{inTemplate + ".resources.claims"}},
	{"a readiness probe ends no container", []string{inTemplate + ".containers[].readinessProbe.terminationGracePeriodSeconds", inTemplate + ".initContainers[].readinessProbe.terminationGracePeriodSeconds"}},
	{"a claim's template has labels and annotations", below(claim+".metadata", "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion",
		"generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields")},
}

const claim = inTemplate + ".volumes[].ephemeral.volumeClaimTemplate"

// shut are what the server drops, or refuses, unless a feature gate is opened
// that is shut by default in v1.36.
var shut = []exception{
	{"GenericWorkload", []string{inTemplate + ".schedulingGroup"}},
	{"ContainerStopSignals", []string{inTemplate + ".containers[].lifecycle.stopSignal", inTemplate + ".initContainers[].lifecycle.stopSignal"}},
	{"ClusterTrustBundleProjection", []string{inTemplate + ".volumes[].projected.sources[].clusterTrustBundle"}},
	{"PodCertificateRequest", []string{inTemplate + ".volumes[].projected.sources[].podCertificate"}},
	{"CrossNamespaceVolumeDataSource", []string{claim + ".spec.dataSourceRef.namespace"}},
}

func below(path string, names ...string) []string {
	for i := range names {
		names[i] = path + "." + names[i]
	}
	return names
}

// alternatives are the types of which only one field may be set.
var alternatives = map[string][]string{
	"VolumeSource": {"hostPath", "emptyDir", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "secret", "nfs", "iscsi", "glusterfs",
		"persistentVolumeClaim", "rbd", "flexVolume", "cinder", "cephfs", "flocker", "downwardAPI", "fc", "azureFile", "configMap", "vsphereVolume",
		"quobyte", "azureDisk", "photonPersistentDisk", "projected", "portworxVolume", "scaleIO", "storageos", "csi", "ephemeral", "image"},
	"VolumeProjection":             {"secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle", "podCertificate"},
	"ProbeHandler":                 {"exec", "httpGet", "tcpSocket", "grpc"},
	"LifecycleHandler":             {"exec", "httpGet", "tcpSocket", "sleep"},
	"EnvVar":                       {"value", "valueFrom"},
	"EnvVarSource":                 {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"},
	"EnvFromSource":                {"configMapRef", "secretRef"},
	"PodFailurePolicyRule":         {"onExitCodes", "onPodConditions"},
	"PodResourceClaim":             {"resourceClaimName", "resourceClaimTemplateName"},
	"DownwardAPIVolumeFile":        {"fieldRef", "resourceFieldRef"},
	"ClusterTrustBundleProjection": {"name", "signerName"},
	"FlockerVolumeSource":          {"datasetName", "datasetUUID"},
	"FCVolumeSource":               {"targetWWNs", "wwids"},
}

// required are the fields without which an object is refused.
var required = strings.Fields(`
	CronJobSpec.schedule CronJobSpec.jobTemplate JobTemplateSpec.spec JobSpec.template PodTemplateSpec.spec PodSpec.containers PodSpec.restartPolicy
	Container.name Container.image PodFailurePolicy.rules PodFailurePolicyRule.action PodFailurePolicyOnExitCodesRequirement.operator
	PodFailurePolicyOnExitCodesRequirement.values PodFailurePolicyOnPodConditionsPattern.type SuccessPolicy.rules SuccessPolicyRule.succeededIndexes
	ContainerPort.containerPort EnvVar.name ConfigMapEnvSource.name SecretEnvSource.name ConfigMapKeySelector.name ConfigMapKeySelector.key
	SecretKeySelector.name SecretKeySelector.key FileKeySelector.volumeName FileKeySelector.path FileKeySelector.key ObjectFieldSelector.fieldPath
	ResourceFieldSelector.resource ResourceClaim.name ContainerResizePolicy.resourceName ContainerResizePolicy.restartPolicy
	ContainerRestartRule.action ContainerRestartRule.exitCodes ContainerRestartRuleOnExitCodes.operator ContainerRestartRuleOnExitCodes.values
	VolumeMount.name VolumeMount.mountPath VolumeDevice.name VolumeDevice.devicePath ExecAction.command HTTPGetAction.port TCPSocketAction.port
	GRPCAction.port HTTPHeader.name HTTPHeader.value SleepAction.seconds SeccompProfile.type AppArmorProfile.type
	Volume.name HostPathVolumeSource.path GCEPersistentDiskVolumeSource.pdName AWSElasticBlockStoreVolumeSource.volumeID
	GitRepoVolumeSource.repository SecretVolumeSource.secretName NFSVolumeSource.server NFSVolumeSource.path ISCSIVolumeSource.targetPortal
	ISCSIVolumeSource.iqn ISCSIVolumeSource.lun GlusterfsVolumeSource.endpoints GlusterfsVolumeSource.path PersistentVolumeClaimVolumeSource.claimName
	RBDVolumeSource.monitors RBDVolumeSource.image FlexVolumeSource.driver CinderVolumeSource.volumeID CephFSVolumeSource.monitors
	AzureFileVolumeSource.secretName AzureFileVolumeSource.shareName ConfigMapVolumeSource.name VsphereVirtualDiskVolumeSource.volumePath
	QuobyteVolumeSource.registry QuobyteVolumeSource.volume AzureDiskVolumeSource.diskName AzureDiskVolumeSource.diskURI
	PhotonPersistentDiskVolumeSource.pdID PortworxVolumeSource.volumeID ScaleIOVolumeSource.gateway ScaleIOVolumeSource.system
	ScaleIOVolumeSource.volumeName ScaleIOVolumeSource.secretRef StorageOSVolumeSource.volumeName CSIVolumeSource.driver
	EphemeralVolumeSource.volumeClaimTemplate PersistentVolumeClaimTemplate.spec PersistentVolumeClaimSpec.accessModes
	PersistentVolumeClaimSpec.resources VolumeResourceRequirements.requests TypedLocalObjectReference.kind TypedLocalObjectReference.name
	TypedObjectReference.kind TypedObjectReference.name ImageVolumeSource.reference KeyToPath.key KeyToPath.path DownwardAPIVolumeFile.path
	SecretProjection.name ConfigMapProjection.name ServiceAccountTokenProjection.path ClusterTrustBundleProjection.path
	PodCertificateProjection.signerName PodCertificateProjection.keyType PodCertificateProjection.credentialBundlePath LocalObjectReference.name
	NodeSelector.nodeSelectorTerms NodeSelectorRequirement.key NodeSelectorRequirement.operator LabelSelectorRequirement.key
	LabelSelectorRequirement.operator PreferredSchedulingTerm.weight PreferredSchedulingTerm.preference WeightedPodAffinityTerm.weight
	WeightedPodAffinityTerm.podAffinityTerm PodAffinityTerm.topologyKey PodAffinityTerm.labelSelector HostAlias.ip PodDNSConfigOption.name
	PodReadinessGate.conditionType TopologySpreadConstraint.maxSkew TopologySpreadConstraint.topologyKey TopologySpreadConstraint.whenUnsatisfiable
	TopologySpreadConstraint.labelSelector PodOS.name PodSchedulingGate.name PodResourceClaim.name Sysctl.name Sysctl.value
	OwnerReference.apiVersion OwnerReference.kind OwnerReference.name OwnerReference.uid PodSchedulingGroup.podGroupName`)

type value = func(*maker) any

func oneOf[T any](list ...T) value {
	return func(m *maker) any { return list[m.rnd.IntN(len(list))] }
}

func between(low, high int) value {
	return func(m *maker) any { return low + m.rnd.IntN(high-low+1) }
}

func word(format string) value {
	return func(m *maker) any { return fmt.Sprintf(format, m.word()) }
}

func listOf(v value) value {
	return func(m *maker) any {
		out := make([]string, 1+m.rnd.IntN(3))
		for i := range out {
			out[i] = v(m).(string)
		}
		return out
	}
}

var letters = []string{"ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"}

// word is a DNS label that was not used before.
func (m *maker) word() string {
	m.n++
	return fmt.Sprintf("%s-%d", letters[m.rnd.IntN(len(letters))], m.n)
}

func (m *maker) portOrName() intstr.IntOrString {
	if m.rnd.IntN(2) == 0 {
		return intstr.FromInt32(int32(1 + m.rnd.IntN(65535)))
	}
	return intstr.FromString(letters[m.rnd.IntN(len(letters))])
}

// bytes is a quantity of memory or the like.
func (m *maker) bytes() resource.Quantity {
	return resource.MustParse([]string{"1Gi", "512Mi", "1500M", "1.5Gi", "123456789", "64Ki", "2G", "100k", "1e9", "3Ti"}[m.rnd.IntN(10)])
}

func (m *maker) cpu() resource.Quantity {
	return resource.MustParse([]string{"1", "500m", "0.25", "1.5", "2000m", "100m", "0.1", "3", "1e0", "0.0015"}[m.rnd.IntN(10)])
}

// free are texts in which every character counts.
var free = []string{"plain", "two words", " leading", "trailing ", "tab\there", "line\nbreak", "ends with line\n", "it's", `"quoted"`, `back\slash`, "#no comment", "a: b", "- dash", "yes", "no", "null", "~",
	"0644", "1e3", "1_000", "0x10", "12:30:45", "2024-01-02", "$(A) and $$(B)", "{{ x }}", "ünïcödé ☃", "%", "@at", "&amp", "*star", "!tag", "| pipe", "> more", "", "on", "true", "3.0", ".5", "=", "<<", "\u0085", "a\u2028b", "\ufeffx", "\t", "  "}

var (
	labelValue  = oneOf("a", "B-2", "x.y_z", "", "0", "true", "null", "1.10", strings.Repeat("v", 63))
	labelKey    = oneOf("app", "tier", "example.com/team", "app.kubernetes.io/name", "x_1", "A.b")
	enumTrue    = oneOf(true, false)
	mode        = oneOf(0o400, 0o644, 0o777, 0, 0o600, 256)
	address     = oneOf("10.0.0.1", "192.168.1.20", "fd00::1", "127.0.0.1")
	profileType = oneOf("RuntimeDefault", "Unconfined", "Localhost")
	image       = oneOf("r/m:1", "r/m", "r/m:latest", "r.example:5000/m", "r.example:5000/m:2", "busybox", "r/m@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "R/Upper:1", " ", "r/m:1.2.3-rc_4")
)

func texts(m *maker) any {
	out := make([]string, 1+m.rnd.IntN(4))
	for i := range out {
		out[i] = free[m.rnd.IntN(len(free))]
	}
	return out
}

func someLabels(m *maker) any {
	out := map[string]string{}
	for range 1 + m.rnd.IntN(3) {
		out[labelKey(m).(string)] = labelValue(m).(string)
	}
	return out
}

func someAnnotations(m *maker) any {
	out := map[string]string{}
	for range 1 + m.rnd.IntN(3) {
		out[labelKey(m).(string)] = free[m.rnd.IntN(len(free))]
	}
	return out
}

var values = map[string]value{
	"CronJobSpec.schedule":                oneOf("0 3 * * *", "*/5 * * * *", "@daily", "@every 90m", "0 0 * JAN-mar Mon", "0 0 ? * ?", "5,10-20/3 1 1,15 * 1-5", "0 0 31 2 *", "@hourly", "0 0 */2 * 1", "59 23 * 12 sat"),
	"CronJobSpec.timeZone":                oneOf("UTC", "Etc/UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Etc/GMT+5", "GMT"),
	"CronJobSpec.startingDeadlineSeconds": between(0, 600), "CronJobSpec.concurrencyPolicy": oneOf("Allow", "Forbid", "Replace"),
	"CronJobSpec.successfulJobsHistoryLimit": between(0, 5), "CronJobSpec.failedJobsHistoryLimit": between(0, 5),

	"ObjectMeta.labels": someLabels, "ObjectMeta.annotations": someAnnotations, "ObjectMeta.finalizers": listOf(word("example.com/%s")),
	"ManagedFieldsEntry.operation": oneOf("Apply", "Update"), "ManagedFieldsEntry.fieldsType": oneOf("FieldsV1"),
	"ManagedFieldsEntry.apiVersion": oneOf("batch/v1", "v1"), "OwnerReference.apiVersion": oneOf("apps/v1", "batch/v1"),

	"JobSpec.parallelism": between(0, 9), "JobSpec.completions": between(0, 9), "JobSpec.backoffLimit": oneOf(0, 6, 3, 2147483647), "JobSpec.manualSelector": oneOf(false),
	"JobSpec.activeDeadlineSeconds": between(0, 9999), "JobSpec.ttlSecondsAfterFinished": between(0, 9999), "JobSpec.backoffLimitPerIndex": between(0, 4),
	"JobSpec.maxFailedIndexes": between(0, 4), "JobSpec.completionMode": oneOf("NonIndexed", "Indexed"), "JobSpec.podReplacementPolicy": oneOf("Failed", "TerminatingOrFailed"),
	"JobSpec.managedBy": oneOf("example.com/queue", "kubernetes.io/job-controller"), "PodFailurePolicyRule.action": oneOf("Ignore", "FailJob", "Count", "FailIndex"),
	"PodFailurePolicyOnExitCodesRequirement.operator": oneOf("In", "NotIn"), "PodFailurePolicyOnExitCodesRequirement.values": oneOf([]int32{1}, []int32{1, 42}, []int32{3, 5, 255}),
	"PodFailurePolicyOnPodConditionsPattern.type": oneOf("DisruptionTarget", "example.com/Lost"), "PodFailurePolicyOnPodConditionsPattern.status": oneOf("True", "False", "Unknown"),
	"SuccessPolicyRule.succeededIndexes": oneOf("0", "0-2", "0,2", "1,3-4"), "SuccessPolicyRule.succeededCount": oneOf(1, 0),

	"PodSpec.restartPolicy": oneOf("Never", "OnFailure"), "PodSpec.dnsPolicy": oneOf("ClusterFirst", "Default", "None", "ClusterFirstWithHostNet"),
	"PodSpec.terminationGracePeriodSeconds": oneOf(30, 60, 31, 300), "PodSpec.nodeSelector": someLabels, "PodSpec.priority": oneOf(0, 1000, -5), "PodSpec.preemptionPolicy": oneOf("Never", "PreemptLowerPriority"),
	"PodSpec.overhead":           func(m *maker) any { return map[string]resource.Quantity{"cpu": m.cpu(), "memory": m.bytes()} },
	"PodSpec.serviceAccountName": oneOf("default", "runner", "x.y"), "PodSpec.serviceAccount": oneOf("default", "runner", "other"),
	"PodSpec.schedulerName": oneOf("default-scheduler", "volcano"),
	"PodOS.name":            oneOf("linux"), "HostAlias.ip": address, "PodDNSConfig.nameservers": listOf(address), "PodDNSConfig.searches": oneOf([]string{"a.example"}, []string{"b.example.", "_x.example", "."}),
	"PodReadinessGate.conditionType": word("example.com/%s"), "PodSchedulingGate.name": word("example.com/%s"),
	"PodSecurityContext.supplementalGroups": oneOf([]int64{100}, []int64{200, 100}, []int64{0, 5, 7}), "PodSecurityContext.supplementalGroupsPolicy": oneOf("Merge", "Strict"),
	"PodSecurityContext.fsGroupChangePolicy": oneOf("Always", "OnRootMismatch"), "PodSecurityContext.seLinuxChangePolicy": oneOf("Recursive"),
	"Sysctl.name": word("kernel.%s"), "SeccompProfile.type": profileType, "AppArmorProfile.type": profileType,
	"WindowsSecurityContextOptions.runAsUserName": oneOf("ContainerUser", `DOMAIN\user`), "WindowsSecurityContextOptions.hostProcess": oneOf(false),

	"Toleration.key": labelKey, "Toleration.operator": oneOf("Exists", "Equal", ""), "Toleration.value": labelValue, "Toleration.effect": oneOf("NoSchedule", "PreferNoSchedule", "NoExecute"),
	"NodeSelectorRequirement.key": labelKey, "NodeSelectorRequirement.operator": oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"), "NodeSelectorRequirement.values": listOf(labelValue),
	"LabelSelectorRequirement.key": labelKey, "LabelSelectorRequirement.operator": oneOf("In", "NotIn", "Exists", "DoesNotExist"), "LabelSelectorRequirement.values": listOf(labelValue), "LabelSelector.matchLabels": someLabels,
	"PreferredSchedulingTerm.weight": between(1, 100), "WeightedPodAffinityTerm.weight": between(1, 100),
	"PodAffinityTerm.topologyKey": oneOf("kubernetes.io/hostname", "topology.kubernetes.io/zone"), "PodAffinityTerm.matchLabelKeys": listOf(word("m.%s")), "PodAffinityTerm.mismatchLabelKeys": listOf(word("n.%s")),
	"TopologySpreadConstraint.topologyKey": word("zone.%s"), "TopologySpreadConstraint.whenUnsatisfiable": oneOf("DoNotSchedule", "ScheduleAnyway"), "TopologySpreadConstraint.matchLabelKeys": listOf(word("m.%s")),
	"TopologySpreadConstraint.nodeAffinityPolicy": oneOf("Honor", "Ignore"), "TopologySpreadConstraint.nodeTaintsPolicy": oneOf("Honor", "Ignore"),

	"Container.image": image, "Container.command": texts, "Container.args": texts, "Container.workingDir": oneOf("/srv", "/ with space", "rel"), "Container.terminationMessagePath": oneOf("/dev/termination-log", "/tmp/why"),
	"Container.terminationMessagePolicy": oneOf("File", "FallbackToLogsOnError"), "Container.imagePullPolicy": oneOf("Always", "IfNotPresent", "Never"),
	"Container.restartPolicy": oneOf("Always", "Never", "OnFailure"), "ContainerRestartRule.action": oneOf("Restart", "RestartAllContainers"),
	"ContainerRestartRuleOnExitCodes.operator": oneOf("In", "NotIn"), "ContainerRestartRuleOnExitCodes.values": oneOf([]int32{1}, []int32{42, 7}, []int32{0, 255}),
	"ContainerResizePolicy.resourceName": oneOf("cpu", "memory"), "ContainerResizePolicy.restartPolicy": oneOf("NotRequired", "RestartContainer"),
	"ContainerPort.name": func(m *maker) any { m.n++; return fmt.Sprintf("p%d", m.n) }, "ContainerPort.containerPort": between(1, 65535), "ContainerPort.hostPort": between(1, 65535), "ContainerPort.protocol": oneOf("TCP", "UDP", "SCTP"), "ContainerPort.hostIP": address,
	"EnvVar.name": func(m *maker) any {
		m.n++
		return fmt.Sprintf([]string{"V_%d", "v.%d-x", "9%d", "V %d"}[m.rnd.IntN(4)], m.n)
	}, "EnvVar.value": oneOf(free...), "EnvFromSource.prefix": oneOf("P_", "p.", "1"),
	"ObjectFieldSelector.fieldPath": oneOf("metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels['app']", "metadata.annotations['example.com/team']"), "ObjectFieldSelector.apiVersion": oneOf("v1"),
	"ResourceFieldSelector.resource": oneOf("limits.memory", "requests.memory", "limits.cpu", "requests.ephemeral-storage"), "ResourceFieldSelector.divisor": oneOf(resource.MustParse("1"), resource.MustParse("1m"), resource.MustParse("1Mi")),
	"VolumeMount.mountPath": word("/mnt/%s"), "VolumeMount.subPath": word("a/%s"), "VolumeMount.subPathExpr": word("$(X)/%s"), "VolumeMount.mountPropagation": oneOf("None", "HostToContainer", "Bidirectional"), "VolumeMount.recursiveReadOnly": oneOf("Disabled", "IfPossible", "Enabled"),
	"VolumeDevice.devicePath": word("/dev/%s"), "ExecAction.command": texts, "HTTPGetAction.path": oneOf("/", "/healthz?a=b", "no-slash"), "HTTPGetAction.scheme": oneOf("HTTP", "HTTPS"),
	"HTTPHeader.name": oneOf("Accept", "X-Probe", "Authorization"), "HTTPHeader.value": oneOf(free...), "GRPCAction.port": between(1, 65535), "GRPCAction.service": oneOf("", "ready"),
	"Probe.successThreshold": between(1, 3), "Probe.initialDelaySeconds": between(0, 9), "Probe.timeoutSeconds": between(0, 9), "Probe.periodSeconds": between(0, 20), "Probe.failureThreshold": between(0, 5),
	"SleepAction.seconds": between(0, 30), "Lifecycle.stopSignal": oneOf("SIGTERM", "SIGUSR1", "SIGRTMIN+3"),
	"Capabilities.add": oneOf([]string{"NET_ADMIN"}, []string{"SYS_TIME", "CHOWN"}), "Capabilities.drop": oneOf([]string{"ALL"}, []string{"NET_RAW", "KILL"}), "SecurityContext.procMount": oneOf("Default", "Unmasked"),

	"HostPathVolumeSource.path": word("/srv/%s"), "HostPathVolumeSource.type": oneOf("", "Directory", "File", "DirectoryOrCreate", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"),
	"EmptyDirVolumeSource.medium": oneOf("", "Memory", "HugePages", "HugePages-2Mi"), "GCEPersistentDiskVolumeSource.partition": between(0, 255), "AWSElasticBlockStoreVolumeSource.partition": between(0, 255),
	"SecretVolumeSource.defaultMode": mode, "ConfigMapVolumeSource.defaultMode": mode, "DownwardAPIVolumeSource.defaultMode": mode, "ProjectedVolumeSource.defaultMode": mode, "KeyToPath.mode": mode, "DownwardAPIVolumeFile.mode": mode,
	"KeyToPath.path": word("k/%s"), "DownwardAPIVolumeFile.path": word("d/%s"), "ServiceAccountTokenProjection.path": word("t/%s"), "ClusterTrustBundleProjection.path": word("c/%s"),
	"ServiceAccountTokenProjection.expirationSeconds": oneOf(3600, 600, 86400), "NFSVolumeSource.path": word("/export/%s"),
	"ISCSIVolumeSource.iqn": word("iqn.2001-04.com.example:%s"), "ISCSIVolumeSource.initiatorName": word("iqn.2001-04.com.example:%s"), "ISCSIVolumeSource.lun": between(0, 255), "ISCSIVolumeSource.targetPortal": oneOf("10.0.0.5:3260", "10.0.0.6"),
	"FlexVolumeSource.driver": word("example.com/%s"), "FCVolumeSource.lun": between(0, 255), "QuobyteVolumeSource.registry": oneOf("10.0.0.7:7861", "q1:1,q2:2"),
	"AzureDiskVolumeSource.kind": oneOf("Managed", "Shared", "Dedicated"), "AzureDiskVolumeSource.cachingMode": oneOf("None", "ReadOnly", "ReadWrite"), "AzureDiskVolumeSource.fsType": oneOf("ext4", "xfs"), "AzureDiskVolumeSource.diskURI": word("https://blob.example/%s"),
	"RBDVolumeSource.pool": oneOf("rbd", "fast"), "RBDVolumeSource.user": oneOf("admin", "backup"), "ScaleIOVolumeSource.storageMode": oneOf("ThinProvisioned", "ThickProvisioned"), "ScaleIOVolumeSource.fsType": oneOf("xfs", "ext4"),
	"PersistentVolumeClaimSpec.accessModes": oneOf([]string{"ReadWriteOnce"}, []string{"ReadOnlyMany", "ReadWriteMany"}, []string{"ReadWriteOncePod"}), "PersistentVolumeClaimSpec.volumeMode": oneOf("Filesystem", "Block"),
	"VolumeResourceRequirements.requests": storage, "VolumeResourceRequirements.limits": storage,
	"ImageVolumeSource.reference": image, "ImageVolumeSource.pullPolicy": oneOf("Always", "IfNotPresent", "Never"),
	"ClusterTrustBundleProjection.signerName": word("example.com/%s"), "PodCertificateProjection.signerName": word("example.com/%s"), "PodCertificateProjection.keyType": oneOf("ED25519", "RSA4096"),
	"PodCertificateProjection.maxExpirationSeconds": oneOf(3600, 86400), "PodCertificateProjection.credentialBundlePath": word("b/%s"), "PodCertificateProjection.keyPath": word("b/%s"), "PodCertificateProjection.certificateChainPath": word("b/%s"),
	"PodCertificateProjection.userAnnotations": func(m *maker) any { return map[string]string{"example.com/" + m.word(): "x"} },
	"TypedLocalObjectReference.apiGroup":       oneOf("snapshot.storage.k8s.io", "populator.example"), "TypedLocalObjectReference.kind": oneOf("VolumeSnapshot", "Archive"),
	"TypedObjectReference.apiGroup": oneOf("snapshot.storage.k8s.io", "populator.example"), "TypedObjectReference.kind": oneOf("VolumeSnapshot", "Archive"),
	"CSIVolumeSource.driver": oneOf("csi.example.com", "secrets-store.csi.k8s.io"),

	"ResourceRequirements.limits":   func(m *maker) any { return m.amounts(true) },
	"ResourceRequirements.requests": func(m *maker) any { return m.amounts(false) },
}

func storage(m *maker) any { return map[string]resource.Quantity{"storage": m.bytes()} }

// amounts are of resources of a container; what may not be asked for beyond its
// limit is set by a rule.
func (m *maker) amounts(limits bool) map[string]resource.Quantity {
	out := map[string]resource.Quantity{"cpu": m.cpu(), "memory": m.bytes()}
	if m.rnd.IntN(2) == 0 {
		out["ephemeral-storage"] = m.bytes()
	}
	if limits && m.rnd.IntN(3) == 0 {
		out["hugepages-2Mi"] = resource.MustParse([]string{"4Mi", "2097152", "10Mi"}[m.rnd.IntN(3)])
		out["example.com/gpu"] = resource.MustParse([]string{"1", "2"}[m.rnd.IntN(2)])
	}
	return out
}
