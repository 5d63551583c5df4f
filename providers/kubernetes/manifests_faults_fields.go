package kubernetes

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The tables here name a field by its Go type in k8s.io/api and its name in
// JSON, as those of defaults.go do. They are facts of
// pkg/apis/{batch,core}/validation of Kubernetes v1.36.3. What a feature gate or
// a later version may allow is left alone: an unknown condition or a new
// operator is not refused.

// enums are the fields that hold one of a few words, in the order in which the
// server lists them.
var enums = map[string][]string{
	"CronJobSpec.concurrencyPolicy":                   {"Allow", "Forbid", "Replace"},
	"JobSpec.completionMode":                          {"NonIndexed", "Indexed"},
	"PodFailurePolicyRule.action":                     {"Count", "FailIndex", "FailJob", "Ignore"},
	"PodFailurePolicyOnExitCodesRequirement.operator": {"In", "NotIn"},
	"PodFailurePolicyOnPodConditionsPattern.status":   {"False", "True", "Unknown"},
	"PodSpec.dnsPolicy":                               {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
	"PodSpec.preemptionPolicy":                        {"PreemptLowerPriority", "Never"},
	"Container.restartPolicy":                         {"Always", "Never", "OnFailure"},
	"ImageVolumeSource.pullPolicy":                    {"Always", "IfNotPresent", "Never"},
	"PodSecurityContext.fsGroupChangePolicy":          {"Always", "OnRootMismatch"},
	"PodSecurityContext.supplementalGroupsPolicy":     {"Merge", "Strict"},
	"Container.imagePullPolicy":                       {"Always", "IfNotPresent", "Never"},
	"Container.terminationMessagePolicy":              {"File", "FallbackToLogsOnError"},
	"ContainerPort.protocol":                          {"SCTP", "TCP", "UDP"},
	"HTTPGetAction.scheme":                            {"HTTP", "HTTPS"},
	"SecurityContext.procMount":                       {"Default", "Unmasked"},
	"SeccompProfile.type":                             {"Localhost", "RuntimeDefault", "Unconfined"},
	"AppArmorProfile.type":                            {"Localhost", "RuntimeDefault", "Unconfined"},
	"HostPathVolumeSource.type":                       {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"},
	"PersistentVolumeClaimSpec.volumeMode":            {"Block", "Filesystem"},
	"TopologySpreadConstraint.whenUnsatisfiable":      {"DoNotSchedule", "ScheduleAnyway"},
	"TopologySpreadConstraint.nodeAffinityPolicy":     {"Honor", "Ignore"},
	"TopologySpreadConstraint.nodeTaintsPolicy":       {"Honor", "Ignore"},
	"Toleration.effect":                               {"NoSchedule", "PreferNoSchedule", "NoExecute"},
}

// needed are the fields that have no default and may not be left out, with what
// the server adds.
var needed = map[string]string{
	"Container.name": "", "Container.image": "", "ContainerPort.containerPort": "", "EnvVar.name": "", "ExecAction.command": "",
	"VolumeMount.name": "", "VolumeMount.mountPath": "", "VolumeDevice.name": "", "VolumeDevice.devicePath": "", "Volume.name": "",
	"HostPathVolumeSource.path": "", "SecretVolumeSource.secretName": "", "ConfigMapVolumeSource.name": "", "NFSVolumeSource.server": "",
	"NFSVolumeSource.path": "", "PersistentVolumeClaimVolumeSource.claimName": "", "CSIVolumeSource.driver": "",
	"EphemeralVolumeSource.volumeClaimTemplate": "", "PersistentVolumeClaimSpec.accessModes": "at least 1 access mode is required",
	"KeyToPath.key": "", "KeyToPath.path": "", "SecretProjection.name": "", "ConfigMapProjection.name": "",
	"ConfigMapEnvSource.name": "", "SecretEnvSource.name": "", "ConfigMapKeySelector.key": "", "SecretKeySelector.key": "",
	"FileKeySelector.key": "", "FileKeySelector.path": "", "FileKeySelector.volumeName": "",
	"AWSElasticBlockStoreVolumeSource.volumeID": "", "AzureFileVolumeSource.secretName": "", "AzureFileVolumeSource.shareName": "", "CinderVolumeSource.volumeID": "",
	"CephFSVolumeSource.monitors": "", "FlexVolumeSource.driver": "", "GitRepoVolumeSource.repository": "", "GlusterfsVolumeSource.endpoints": "",
	"GlusterfsVolumeSource.path": "", "ISCSIVolumeSource.targetPortal": "", "ISCSIVolumeSource.iqn": "", "PhotonPersistentDiskVolumeSource.pdID": "",
	"PortworxVolumeSource.volumeID": "", "QuobyteVolumeSource.volume": "", "RBDVolumeSource.monitors": "", "RBDVolumeSource.image": "",
	"ScaleIOVolumeSource.gateway": "", "ScaleIOVolumeSource.system": "", "ScaleIOVolumeSource.volumeName": "", "VsphereVirtualDiskVolumeSource.volumePath": "",
	"ObjectFieldSelector.fieldPath": "", "PodResourceClaim.name": "", "Sysctl.name": "", "SuccessPolicy.rules": "at least one rules must be specified when the successPolicy is specified",
	"SeccompProfile.type": "type is required when seccompProfile is set", "AppArmorProfile.type": "type is required when appArmorProfile is set",
	"PodFailurePolicyRule.action":                     `valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`,
	"PodFailurePolicyOnExitCodesRequirement.operator": `valid values: ["In" "NotIn"]`,
	"NodeSelector.nodeSelectorTerms":                  "must have at least one node selector term",
	"PodAffinityTerm.topologyKey":                     "can not be empty", "TopologySpreadConstraint.topologyKey": "can not be empty",
}

// formats are the forms of texts that may be left out, or are needed.
var formats = map[string]func(string) []string{
	"Container.name": isLabel, "Volume.name": isLabel, "PodResourceClaim.name": isLabel,
	"PodSpec.hostname": isLabel, "PodSpec.subdomain": isLabel,
	"PodSpec.serviceAccountName": isSubdomain, "PodSpec.nodeName": isSubdomain,
	"PodSpec.priorityClassName": isSubdomain, "PodSpec.runtimeClassName": isSubdomain,
	"PodSpec.hostnameOverride": isSubdomain, "HostAlias.hostnames": isSubdomain,
	"EnvVar.name": validation.IsRelaxedEnvVarName, "EnvFromSource.prefix": validation.IsRelaxedEnvVarName,
	"ContainerPort.name": validation.IsValidPortName, "ConfigMapKeySelector.key": validation.IsConfigMapKey, "SecretKeySelector.key": validation.IsConfigMapKey,
	"ConfigMapKeySelector.name": isSubdomain, "SecretKeySelector.name": isSubdomain,
	"ConfigMapEnvSource.name": namePrefix, "SecretEnvSource.name": namePrefix,
	"PodReadinessGate.conditionType": isQualified, "PodFailurePolicyOnPodConditionsPattern.type": isQualified,
	"Toleration.key": isQualified, "PodAffinityTerm.topologyKey": isQualified,
	"HostPathVolumeSource.path": noBacksteps, "KeyToPath.path": localPath, "FileKeySelector.path": noBacksteps, "FileKeySelector.key": validation.IsRelaxedEnvVarName,
}

// span is what a number may be, and what the server says of another.
type span struct {
	least, most int64
	text        string
}

const mostNumber = 1<<63 - 1

var (
	notNegative = span{0, mostNumber, "must be greater than or equal to 0"}
	positive    = span{1, mostNumber, "must be greater than zero"}
	fileMode    = span{0, 0o777, "must be a number between 0 and 0777 (octal), both inclusive"}
	weight      = span{1, 100, "must be in the range 1-100"}
	port        = span{1, 65535, validation.InclusiveRangeError(1, 65535)}
	userID      = span{0, 1<<31 - 1, validation.InclusiveRangeError(0, 1<<31-1)}
)

var spans = map[string]span{
	"CronJobSpec.startingDeadlineSeconds": notNegative, "CronJobSpec.successfulJobsHistoryLimit": notNegative, "CronJobSpec.failedJobsHistoryLimit": notNegative,
	"JobSpec.parallelism": notNegative, "JobSpec.completions": notNegative, "JobSpec.activeDeadlineSeconds": notNegative, "JobSpec.backoffLimit": notNegative,
	"JobSpec.ttlSecondsAfterFinished": notNegative, "JobSpec.backoffLimitPerIndex": notNegative, "JobSpec.maxFailedIndexes": notNegative,
	"SuccessPolicyRule.succeededCount": notNegative,
	"PodSpec.activeDeadlineSeconds":    {1, 1<<31 - 1, validation.InclusiveRangeError(1, 1<<31-1)},
	"Probe.initialDelaySeconds":        notNegative, "Probe.timeoutSeconds": notNegative, "Probe.periodSeconds": notNegative,
	"Probe.successThreshold": notNegative, "Probe.failureThreshold": notNegative, "Probe.terminationGracePeriodSeconds": {1, mostNumber, "must be greater than 0"},
	"ContainerPort.containerPort": port, "ContainerPort.hostPort": port,
	"SecretVolumeSource.defaultMode": fileMode, "ConfigMapVolumeSource.defaultMode": fileMode, "DownwardAPIVolumeSource.defaultMode": fileMode,
	"ProjectedVolumeSource.defaultMode": fileMode, "KeyToPath.mode": fileMode,
	"SecurityContext.runAsUser": userID, "SecurityContext.runAsGroup": userID, "PodSecurityContext.runAsUser": userID,
	"PodSecurityContext.runAsGroup": userID, "PodSecurityContext.fsGroup": userID, "PodSecurityContext.supplementalGroups": userID,
	"PreferredSchedulingTerm.weight": weight, "WeightedPodAffinityTerm.weight": weight,
	"TopologySpreadConstraint.maxSkew": positive, "TopologySpreadConstraint.minDomains": positive,
}

// finder collects what the server would say.
type finder struct {
	list field.ErrorList
	// unplaced leaves the places of fields out, for which most of the memory is
	// taken, where it is only asked whether there is anything to be said.
	unplaced bool
}

// somewhere is a place that is not said.
var somewhere = field.NewPath("").Index(0)

func (f *finder) child(path *field.Path, name string) *field.Path {
	if f.unplaced {
		return somewhere
	}
	return path.Child(name)
}

func (f *finder) index(path *field.Path, i int) *field.Path {
	if f.unplaced {
		return somewhere
	}
	return path.Index(i)
}

func (f *finder) add(errs ...*field.Error) { f.list = append(f.list, errs...) }

func (f *finder) invalid(path *field.Path, value any, texts ...string) {
	for _, text := range texts {
		f.add(field.Invalid(path, value, text))
	}
}

// fields holds each field of an object, and of all in it, to the tables, and
// each object to the rules between its fields.
func (f *finder) fields(v reflect.Value, path *field.Path) {
	for _, j := range judgedOf(v.Type()) {
		x := v
		for _, i := range j.index {
			x = x.Field(i)
		}
		if j.always || x.Kind() == reflect.Struct || !x.IsZero() {
			f.field(j.key, x, f.child(path, j.name))
		}
	}
	if rule, ok := faultRules[typeName(v.Type())]; ok && v.CanAddr() {
		rule(f, v.Addr().Interface(), path)
	}
}

// judgedField is a field as the tables know it.
type judgedField struct {
	index     []int // from the type down, through structs that are inline
	name, key string
	// always says that something may be said of it also where it is left out.
	always bool
}

// judged are the fields of the types that a CronJob's spec is made of.
var judged = sync.OnceValue(func() map[reflect.Type][]judgedField { return tableOf(atoms, newJudged) })

func (f judgedField) at() []int { return f.index }

func newJudged(t reflect.Type) []judgedField { return judgedFields(t, typeName(t), nil) }

func judgedOf(t reflect.Type) []judgedField {
	if known, ok := judged()[t]; ok {
		return known
	}
	return newJudged(t)
}

// judgedFields counts the fields of an embedded object to that which embeds it.
func judgedFields(t reflect.Type, owner string, above []int) (out []judgedField) {
	for i := range t.NumField() {
		index := append(slices.Clip(above), i)
		name, inline := jsonName(t.Field(i))
		if inline {
			out = append(out, judgedFields(t.Field(i).Type, owner, index)...)
			continue
		}
		key := owner + "." + name
		if _, need := needed[key]; !slices.Contains(notLooked, key) {
			out = append(out, judgedField{index, name, key, need || slices.Contains(counted, key)})
		}
	}
	return out
}

func (f *finder) field(key string, v reflect.Value, path *field.Path) {
	if text, ok := needed[key]; ok && (v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0) {
		f.add(field.Required(path, text))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Elem().Kind() != reflect.Struct { // a pointer to a zero has been stated
			f.scalar(key, v.Elem(), path)
			return
		}
		f.field(key, v.Elem(), path)
	case reflect.Struct:
		if !slices.Contains(atoms, v.Type()) {
			f.fields(v, path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.item(key, v.Index(i), f.index(path, i))
		}
	default:
		if !v.IsZero() || slices.Contains(counted, key) {
			f.scalar(key, v, path)
		}
	}
}

// counted are the fields that are judged also where they are left out.
var counted = []string{
	"PreferredSchedulingTerm.weight", "WeightedPodAffinityTerm.weight", "TopologySpreadConstraint.maxSkew", "TopologySpreadConstraint.whenUnsatisfiable",
	"PodReadinessGate.conditionType", "PodFailurePolicyOnPodConditionsPattern.type", "ConfigMapKeySelector.name", "SecretKeySelector.name",
}

func (f *finder) item(key string, v reflect.Value, path *field.Path) {
	if v.Kind() == reflect.Struct {
		f.fields(v, path)
		return
	}
	f.scalar(key, v, path)
}

// scalar holds a text or number that is stated to the tables.
func (f *finder) scalar(key string, v reflect.Value, path *field.Path) {
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		if words, ok := enums[key]; ok && text != "" && !slices.Contains(words, text) {
			f.add(field.NotSupported(path, shorten(text), words))
		}
		if form, ok := formats[key]; ok {
			if texts := form(text); len(texts) > 0 {
				f.invalid(path, shorten(text), texts...)
			}
		}
	case reflect.Int32, reflect.Int64:
		if s, ok := spans[key]; ok && (v.Int() < s.least || v.Int() > s.most) {
			f.invalid(path, v.Int(), s.text)
		}
	}
}

// notLooked are parts of which nothing is said here: metadata is looked at where
// the server does, and the rest is refused as a whole or was taken by a server.
var notLooked = []string{
	"CronJob.metadata", "CronJob.status", "JobTemplateSpec.metadata", "PodTemplateSpec.metadata", "PersistentVolumeClaimTemplate.metadata",
	"PodSpec.ephemeralContainers", "JobSpec.selector", "DownwardAPIVolumeSource.items", "DownwardAPIProjection.items",
}

// namePrefix is what the server asks of some names: that a name can begin so.
func namePrefix(name string) []string {
	if n := len(name); n > 1 && name[n-1] == '-' {
		name = name[:n-2] + "a"
	}
	return isSubdomain(name)
}

// noBacksteps and localPath are the server's rules for paths.
func noBacksteps(path string) []string {
	if slices.Contains(strings.Split(path, "/"), "..") {
		return []string{"must not contain '..'"}
	}
	return nil
}

func localPath(path string) []string {
	out := descendingPath(path)
	if strings.HasPrefix(path, "..") && !strings.HasPrefix(path, "../") {
		out = append(out, "must not start with '..'")
	}
	return out
}

func descendingPath(path string) []string {
	var out []string
	if strings.HasPrefix(path, "/") {
		out = append(out, "must be a relative path")
	}
	return append(out, noBacksteps(path)...)
}

// ruleFor makes a rule of the table out of one for a type.
func ruleFor[T any](rule func(*finder, *T, *field.Path)) func(*finder, any, *field.Path) {
	return func(f *finder, v any, path *field.Path) { rule(f, v.(*T), path) }
}

// stated counts the fields that are set.
func stated(fields ...bool) (n int) {
	for _, set := range fields {
		if set {
			n++
		}
	}
	return n
}
