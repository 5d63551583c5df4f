package kubernetes

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// faultsOf is what the API server would say about a new CronJob, as far as that
// is cheap and certain from the manifest alone. It is a part of
// ValidateCronJobCreate and validateJobSpec (pkg/apis/batch/validation) and of
// validateContainers (pkg/apis/core/validation) of Kubernetes v1.36.3, in the
// same words; the schedule has its own place, scheduleOf.
func faultsOf(cj *batchv1.CronJob) field.ErrorList {
	spec := field.NewPath("spec")
	job := spec.Child("jobTemplate", "spec")
	out := metaFaults(cj)
	out = append(out, policyFaults(cj.Spec.ConcurrencyPolicy, spec.Child("concurrencyPolicy"))...)
	out = append(out, numberFaults(&cj.Spec, spec)...)
	return append(out, podFaults(&cj.Spec.JobTemplate.Spec.Template.Spec, job.Child("template", "spec"))...)
}

// longestName leaves room for what the controller puts behind it in a job's name.
const longestName = validation.DNS1035LabelMaxLength - 11

// metaFaults judges the name that the object would have. A CronJob that states
// a UID has been taken by a server, which does not judge the length again.
func metaFaults(cj *batchv1.CronJob) field.ErrorList {
	meta := field.NewPath("metadata")
	path, full := meta.Child("name"), cj.Name
	if full == "" { // names.SimpleNameGenerator puts five letters and digits behind it
		path, full = meta.Child("generateName"), cj.GenerateName+"bcdfg"
	}
	shown := shorten(nameOf(cj))
	var out field.ErrorList
	for _, text := range validation.IsDNS1123Subdomain(full) {
		out = append(out, field.Invalid(path, shown, text))
	}
	if len(full) > longestName && cj.UID == "" {
		out = append(out, field.Invalid(path, shown, fmt.Sprintf("must be no more than %d characters", longestName)))
	}
	return out
}

func policyFaults(p batchv1.ConcurrencyPolicy, path *field.Path) field.ErrorList {
	switch p {
	case "", batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent:
		return nil
	}
	return field.ErrorList{field.NotSupported(path, shorten(string(p)), []batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent})}
}

// numberFaults are the numbers below 0 (ValidateNonnegativeField).
func numberFaults(spec *batchv1.CronJobSpec, path *field.Path) field.ErrorList {
	job, jobPath := &spec.JobTemplate.Spec, path.Child("jobTemplate", "spec")
	var out field.ErrorList
	for _, n := range []struct {
		path  *field.Path
		value *int64
	}{
		{path.Child("startingDeadlineSeconds"), spec.StartingDeadlineSeconds},
		{path.Child("successfulJobsHistoryLimit"), wide(spec.SuccessfulJobsHistoryLimit)},
		{path.Child("failedJobsHistoryLimit"), wide(spec.FailedJobsHistoryLimit)},
		{jobPath.Child("parallelism"), wide(job.Parallelism)},
		{jobPath.Child("completions"), wide(job.Completions)},
		{jobPath.Child("activeDeadlineSeconds"), job.ActiveDeadlineSeconds},
		{jobPath.Child("backoffLimit"), wide(job.BackoffLimit)},
		{jobPath.Child("ttlSecondsAfterFinished"), wide(job.TTLSecondsAfterFinished)},
	} {
		if n.value != nil && *n.value < 0 {
			out = append(out, field.Invalid(n.path, *n.value, "must be greater than or equal to 0"))
		}
	}
	return out
}

func wide(n *int32) *int64 {
	if n == nil {
		return nil
	}
	w := int64(*n)
	return &w
}

func podFaults(pod *corev1.PodSpec, path *field.Path) field.ErrorList {
	var out field.ErrorList
	if len(pod.Containers) == 0 {
		out = append(out, field.Required(path.Child("containers"), ""))
	}
	seen := map[string]bool{}
	out = append(out, containerFaults(pod.InitContainers, path.Child("initContainers"), seen)...)
	out = append(out, containerFaults(pod.Containers, path.Child("containers"), seen)...)
	valid := []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}
	switch pod.RestartPolicy {
	case corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
	case corev1.RestartPolicyAlways, "":
		out = append(out, field.Required(path.Child("restartPolicy"), fmt.Sprintf("valid values: %q, %q", valid[0], valid[1])))
	default:
		out = append(out, field.NotSupported(path.Child("restartPolicy"), shorten(string(pod.RestartPolicy)), valid))
	}
	return out
}

func containerFaults(containers []corev1.Container, path *field.Path, seen map[string]bool) field.ErrorList {
	var out field.ErrorList
	for i, c := range containers {
		at := path.Index(i)
		switch {
		case c.Name == "":
			out = append(out, field.Required(at.Child("name"), ""))
		case seen[c.Name]:
			out = append(out, field.Duplicate(at.Child("name"), shorten(c.Name)))
		}
		seen[c.Name] = true
		if c.Image == "" {
			out = append(out, field.Required(at.Child("image"), ""))
		}
	}
	return out
}

// faults puts what the server would say at its lines.
func (p place) faults(cj *batchv1.CronJob) []saying {
	var out []saying
	for _, e := range faultsOf(cj) {
		out = append(out, saying{p.lineNear(e.Field), e.Error()})
	}
	return out
}

// lineNear is the line of a field or, where it is left out, of what it would
// stand in.
func (p place) lineNear(field string) int {
	for {
		if n := find(p.in.root(), join(p.path, field)); n != nil {
			return p.in.base + n.Line - 1
		}
		i := strings.LastIndexAny(field, ".[")
		if i < 0 {
			return p.line
		}
		field = field[:i]
	}
}

// invalidManifest is why nothing comes of a manifest with faults.
func invalidManifest(path string, faults []saying) providers.Inactive {
	const most = 3
	var said []string
	for i, f := range faults {
		if i == most {
			said = append(said, fmt.Sprintf("and %d more", len(faults)-i))
			break
		}
		said = append(said, specs.Pos{File: path, Line: f.line}.String()+": "+f.text)
	}
	return providers.Inactive{
		Code:   "invalid-manifest",
		Detail: "the API server would refuse it: " + strings.Join(said, "; "),
		Next:   "correct the manifest; if it is a patch or a base, name the rendered file instead (kustomize build DIR > FILE)",
	}
}
