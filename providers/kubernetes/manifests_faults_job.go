package kubernetes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// jobFaults are those between the fields of a job template.
func jobFaults(f *finder, job *batchv1.JobSpec, path *field.Path) {
	indexed := job.CompletionMode != nil && *job.CompletionMode == batchv1.IndexedCompletion
	if job.Selector != nil {
		f.add(field.Invalid(path.Child("selector"), field.OmitValueType{}, "`selector` will be auto-generated"))
	}
	if isTrue(job.ManualSelector) {
		f.add(field.NotSupported(path.Child("manualSelector"), true, []string{"nil", "false"}))
	}
	if job.MaxFailedIndexes != nil && job.BackoffLimitPerIndex == nil {
		f.add(field.Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	}
	if job.ManagedBy != nil {
		f.add(validation.IsDomainPrefixedPath(path.Child("managedBy"), *job.ManagedBy)...)
	}
	if indexed {
		f.indexedJob(job, path)
	} else {
		f.notIndexed(job, path)
	}
	f.replacement(job, path)
	f.failurePolicy(job, path.Child("podFailurePolicy", "rules"))
	f.restart(job, path.Child("template", "spec", "restartPolicy"))
}

// replacement: where failures are judged a pod is replaced when it has failed.
func (f *finder) replacement(job *batchv1.JobSpec, path *field.Path) {
	if p := job.PodReplacementPolicy; p != nil && job.PodFailurePolicy != nil && *p != batchv1.Failed {
		f.add(field.NotSupported(path.Child("podReplacementPolicy"), *p, []batchv1.PodReplacementPolicy{batchv1.Failed}))
	} else if p != nil && *p != batchv1.Failed && *p != batchv1.TerminatingOrFailed {
		f.add(field.NotSupported(path.Child("podReplacementPolicy"), *p, []batchv1.PodReplacementPolicy{batchv1.Failed, batchv1.TerminatingOrFailed}))
	}
}

// mostIndexes is the parallelism and the failed indexes that an indexed job can
// have.
const mostIndexes = 100_000

func (f *finder) indexedJob(job *batchv1.JobSpec, path *field.Path) {
	if job.Completions == nil {
		f.add(field.Required(path.Child("completions"), "when completion mode is Indexed"))
		return
	}
	if p := job.Parallelism; p != nil && *p > mostIndexes {
		f.invalid(path.Child("parallelism"), *p, fmt.Sprintf("must be less than or equal to %d when completion mode is Indexed", mostIndexes))
	}
	if n := job.MaxFailedIndexes; n != nil && *n > *job.Completions {
		f.invalid(path.Child("maxFailedIndexes"), *n, "must be less than or equal to completions")
	}
	if job.SuccessPolicy == nil {
		return
	}
	for i, r := range job.SuccessPolicy.Rules {
		f.successRule(&r, *job.Completions, path.Child("successPolicy", "rules").Index(i))
	}
}

func (f *finder) notIndexed(job *batchv1.JobSpec, path *field.Path) {
	const text = "requires indexed completion mode"
	known := job.CompletionMode == nil || *job.CompletionMode == batchv1.NonIndexedCompletion
	if n := job.BackoffLimitPerIndex; n != nil && known {
		f.invalid(path.Child("backoffLimitPerIndex"), *n, text)
	}
	if n := job.MaxFailedIndexes; n != nil && known {
		f.invalid(path.Child("maxFailedIndexes"), *n, text)
	}
	if job.SuccessPolicy != nil {
		f.add(field.Invalid(path.Child("successPolicy"), field.OmitValueType{}, text))
	}
}

func (f *finder) successRule(r *batchv1.SuccessPolicyRule, completions int32, path *field.Path) {
	if r.SucceededCount == nil && r.SucceededIndexes == nil {
		f.add(field.Required(path, "at least one of succeededCount or succeededIndexes must be specified"))
	}
	total := completions
	if r.SucceededIndexes != nil {
		n, bad := countIndexes(*r.SucceededIndexes, completions)
		if bad != "" {
			f.invalid(path.Child("succeededIndexes"), shorten(*r.SucceededIndexes), "error parsing succeededIndexes: "+bad)
			return
		}
		total = n
	}
	if n := r.SucceededCount; n != nil && *n > completions {
		f.invalid(path.Child("succeededCount"), *n, fmt.Sprintf("must be less than or equal to %d (the number of specified completions)", completions))
	} else if n != nil && *n > total {
		f.invalid(path.Child("succeededCount"), *n, fmt.Sprintf("must be less than or equal to %d (the number of indexes in the specified succeededIndexes field)", total))
	}
}

// countIndexes reads 1,3-5,7: numbers below the completions, in rising order.
func countIndexes(text string, completions int32) (total int32, bad string) {
	if text == "" {
		return 0, ""
	}
	last := -1
	for i, part := range strings.Split(text, ",") {
		limits := strings.Split(part, "-")
		if len(limits) > 2 {
			return 0, fmt.Sprintf("the fragment %q violates the requirement that an index interval can have at most two parts separated by '-'", part)
		}
		var ends [2]int
		for j, limit := range limits {
			n, err := strconv.Atoi(limit)
			if err != nil {
				return 0, fmt.Sprintf("cannot convert string to integer for index: %q", limit)
			}
			if n >= int(completions) {
				return 0, fmt.Sprintf("too large index: %q", limit)
			}
			ends[j], ends[1] = n, n
		}
		if len(limits) == 2 && ends[0] >= ends[1] {
			return 0, fmt.Sprintf("non-increasing order, previous: %d, current: %d", ends[0], ends[1])
		}
		if i > 0 && last >= ends[0] {
			return 0, fmt.Sprintf("non-increasing order, previous: %d, current: %d", last, ends[0])
		}
		last = ends[1]
		total += int32(ends[1] - ends[0] + 1)
	}
	return total, ""
}

func failureRuleFaults(f *finder, r *batchv1.PodFailurePolicyRule, path *field.Path) {
	switch stated(r.OnExitCodes != nil, len(r.OnPodConditions) > 0) {
	case 0:
		f.add(field.Invalid(path, field.OmitValueType{}, "specifying one of OnExitCodes and OnPodConditions is required"))
	case 2:
		f.add(field.Invalid(path, field.OmitValueType{}, "specifying both OnExitCodes and OnPodConditions is not supported"))
	}
	if r.OnExitCodes != nil {
		f.exitCodes(r.OnExitCodes, path.Child("onExitCodes", "values"))
	}
}

func (f *finder) exitCodes(r *batchv1.PodFailurePolicyOnExitCodesRequirement, path *field.Path) {
	if len(r.Values) == 0 {
		f.add(field.Invalid(path, field.OmitValueType{}, "at least one value is required"))
	}
	for i, v := range r.Values {
		if v == 0 && r.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn {
			f.invalid(path.Index(i), v, "must not be 0 for the In operator")
		}
		if slices.Contains(r.Values[:i], v) {
			f.add(field.Duplicate(path.Index(i), v))
		}
	}
	if !slices.IsSorted(r.Values) {
		f.invalid(path, r.Values, "must be ordered")
	}
}

// failurePolicy are the rules that hang on what stands outside them.
func (f *finder) failurePolicy(job *batchv1.JobSpec, path *field.Path) {
	if job.PodFailurePolicy == nil {
		return
	}
	var names []string
	pod := &job.Template.Spec
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		names = append(names, c.Name)
	}
	for i, r := range job.PodFailurePolicy.Rules {
		if r.Action == batchv1.PodFailurePolicyActionFailIndex && job.BackoffLimitPerIndex == nil {
			f.invalid(path.Index(i).Child("action"), r.Action, "requires the backoffLimitPerIndex to be set")
		}
		if c := r.OnExitCodes; c != nil && c.ContainerName != nil && !slices.Contains(names, *c.ContainerName) {
			f.invalid(path.Index(i).Child("onExitCodes", "containerName"), *c.ContainerName, "must be one of the container or initContainer names in the pod template")
		}
	}
}

// restart: a job's pod may not be restarted for ever, and not at all where its
// failures are judged.
func (f *finder) restart(job *batchv1.JobSpec, path *field.Path) {
	switch p := job.Template.Spec.RestartPolicy; p {
	case "OnFailure":
		if job.PodFailurePolicy != nil {
			f.invalid(path, p, `only "Never" is supported when podFailurePolicy is specified`)
		}
	case "Never":
	case "Always", "":
		f.add(field.Required(path, `valid values: "OnFailure", "Never"`))
	default:
		f.add(field.NotSupported(path, shorten(string(p)), []string{"OnFailure", "Never"}))
	}
}
