package kubernetes

import (
	"fmt"
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// faultsOf is what the API server would say about a new CronJob, as far as that
// is certain from the manifest alone: ValidateCronJobCreate and what it calls
// (pkg/apis/batch/validation, pkg/apis/core/validation) of Kubernetes v1.36.3,
// in the same words; the schedule has its own place, scheduleOf. Left out is what
// hangs on a server's feature gates and admission, what is said of pods of
// Windows, of resources of a whole pod, of user namespaces and of volume types
// of single vendors. So no fault here does not mean that a server takes it.
func faultsOf(cj *batchv1.CronJob) field.ErrorList {
	if !slow.Only() && len(faultsFound(&finder{unplaced: true}, cj)) == 0 {
		return nil
	}
	return faultsFound(&finder{}, cj)
}

func faultsFound(f *finder, cj *batchv1.CronJob) field.ErrorList {
	f.meta(cj)
	f.fields(reflect.ValueOf(&cj.Spec).Elem(), field.NewPath("spec"))
	template := &cj.Spec.JobTemplate.Spec.Template
	path := field.NewPath("spec", "jobTemplate", "spec", "template") // the server leaves metadata out
	f.labels(template.Labels, path.Child("labels"))
	f.annotations(template.Annotations, path.Child("annotations"))
	return f.list
}

// faultRules are between the fields of one object.
var faultRules = map[string]func(*finder, any, *field.Path){
	"AppArmorProfile": ruleFor(appArmorFaults), "SeccompProfile": ruleFor(seccompFaults), "SecurityContext": ruleFor(contextFaults),
	"Container": ruleFor(containerFaults), "EnvVar": ruleFor(envFaults), "EnvFromSource": ruleFor(envFromFaults), "VolumeMount": ruleFor(mountFaults),
	"Probe": ruleFor(probeFaults), "LifecycleHandler": ruleFor(hookFaults), "HTTPGetAction": ruleFor(httpFaults), "TCPSocketAction": ruleFor(tcpFaults),
	"ResourceRequirements": ruleFor(amountFaults), "PodResourceClaim": ruleFor(resourceClaimFaults),
	"PersistentVolumeClaimTemplate": ruleFor(claimTemplateFaults), "PersistentVolumeClaimSpec": ruleFor(claimFaults), "ProjectedVolumeSource": ruleFor(projectedFaults),
	"LabelSelector": ruleFor(selectorFaults), "NodeSelector": ruleFor(nodeFaults), "NodeSelectorTerm": ruleFor(nodeTermFaults),
	"PodAffinityTerm": ruleFor(affinityFaults), "Toleration": ruleFor(tolerationFaults),
	"PodSpec": ruleFor(podFaults), "JobSpec": ruleFor(jobFaults), "PodFailurePolicyRule": ruleFor(failureRuleFaults),
}

// longestName leaves room for what the controller puts behind it in a job's name.
const longestName = validation.DNS1035LabelMaxLength - 11

// meta judges the name that the object would have. A CronJob that states
// a UID has been taken by a server, which does not judge the length again.
func (f *finder) meta(cj *batchv1.CronJob) {
	meta := field.NewPath("metadata")
	path, full := meta.Child("name"), cj.Name
	if full == "" { // names.SimpleNameGenerator puts five letters and digits behind it
		path, full = meta.Child("generateName"), cj.GenerateName+"bcdfg"
	}
	shown := shorten(nameOf(cj))
	f.invalid(path, shown, isSubdomain(full)...)
	if len(full) > longestName && cj.UID == "" {
		f.invalid(path, shown, fmt.Sprintf("must be no more than %d characters", longestName))
	}
	f.labels(cj.Labels, meta.Child("labels"))
	f.annotations(cj.Annotations, meta.Child("annotations"))
	for _, name := range cj.Finalizers {
		f.invalid(meta.Child("finalizers"), shorten(name), isQualified(name)...)
	}
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
