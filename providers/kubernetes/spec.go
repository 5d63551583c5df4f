// Package kubernetes looks at CronJobs, in a cluster and in manifests. It is
// the only code that knows what the API server makes of a field that is left
// out.
//
// A CronJob becomes a Spec by one translation wherever it was read. What the
// server, or the Job and the Pod made from the template, would fill in is taken
// out, so a field that is left out equals its default spelled out. The body's
// keys are those of CronJob.spec, except schedule and timeZone, which are the
// spec's schedule, and suspend, which is the object's state.
//
// What counts, and how, is held to a real API server, v1.36.3, by the tests:
//
//   - All fields of CronJobSpec down to the Pod's count, but of a template's
//     metadata only labels, annotations and finalizers, which alone reach a Job
//     or a Pod.
//   - Lists are sets, lists by key or lists in order as the API declares them
//     (x-kubernetes-list-type); of those it calls lists a few of plain texts, like
//     capabilities, have no order either. Tolerations and terms of an affinity are
//     compared in order. Init containers run in order, so each names the one before
//     it; a container names those before it that have a postStart hook, and a
//     variable those before it to which it refers.
//   - What a Job or a Pod would have anyway is the same as leaving it out
//     (backoffLimit: 6, enableServiceLinks: true). With parallelism alone a Job is a
//     work queue, so parallelism: 1 is not nothing. Where a default hangs on another
//     field, a change of that one may be shown with both.
//   - A field that the server drops, since a feature gate is shut, is a difference
//     in that field: the cluster does not do what is stated.
//   - What a mutating webhook adds is a difference there, under a path of its own.
//     No manager owns it: the server notes who wrote what before it asks webhooks
//     (endpoints/handlers/create.go), so only a rule by field can ignore it. What an
//     operator adds by an apply of its own has its manager's name.
package kubernetes

import (
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// problem is what is wrong or odd with a CronJob's schedule.
type problem struct {
	code   string // invalidSchedule, or the code of a note
	detail string
	next   string
}

const (
	invalidSchedule = "invalid-schedule"
	zonePrefix      = "zone-prefix"
	suspicious      = "suspicious-schedule"
)

// specOf translates a CronJob, as a cluster that already has it reads it if
// live is set, else as a server would take it from a manifest.
func specOf(cj *batchv1.CronJob, live bool) (specs.Spec, []problem) {
	schedule, problems, ok := scheduleOf(cj, live)
	spec := specs.Spec{Body: specs.Pack(bodyOf(&cj.Spec)), Cosmetic: specs.Pack(cosmeticOf(cj))}
	if ok {
		spec.Schedules = []specs.Schedule{schedule}
	}
	return spec, problems
}

// bodyOf is all of the spec that counts and is neither schedule nor state.
func bodyOf(spec *batchv1.CronJobSpec) specs.Value {
	s := *spec
	spec.JobTemplate.DeepCopyInto(&s.JobTemplate)
	return bodyFrom(&s)
}

// bodyFrom is bodyOf of a spec whose template is not used again, as it is changed.
func bodyFrom(s *batchv1.CronJobSpec) specs.Value {
	rest := *s
	rest.Schedule, rest.TimeZone, rest.Suspend = "", nil, nil
	dropDependentDefaults(&rest.JobTemplate)
	return structValue(reflect.ValueOf(&rest).Elem())
}

// scheduleOf reads spec.schedule and spec.timeZone. A zone before the five
// fields is refused by the server in a new object (its validation says to use
// timeZone); where an old object still has one the controller obeys it and not
// timeZone (pkg/controller/cronjob/utils.go, formatSchedule).
func scheduleOf(cj *batchv1.CronJob, live bool) (specs.Schedule, []problem, bool) {
	text, zone := cj.Spec.Schedule, specs.Local
	if cj.Spec.TimeZone != nil {
		zone = *cj.Spec.TimeZone
	}
	_, _, prefixed := specs.SplitZonePrefix(text)
	switch {
	case prefixed && !live:
		return refusedSchedule("spec.schedule "+quote(text)+" begins with a time zone, which the API server refuses", "move the zone to spec.timeZone")
	case prefixed:
		zone = specs.Local // the prefix beats it
	case cj.Spec.TimeZone != nil && (zone == "" || strings.EqualFold(zone, specs.Local)):
		return refusedSchedule("spec.timeZone "+quote(zone)+" is refused by the API server, which wants the name of a zone or no timeZone", "name a zone like Europe/Berlin, or remove timeZone")
	}
	s, err := specs.ParseSchedule(specs.Kubernetes, text, zone)
	if err != nil {
		return refusedSchedule("the API server refuses the schedule: "+err.Error(), "correct spec.schedule or spec.timeZone")
	}
	var problems []problem
	if prefixed {
		problems = append(problems, problem{code: zonePrefix, detail: "spec.schedule " + quote(text) + " begins with a time zone; it holds, and not spec.timeZone, but a server would not take it again; move it to spec.timeZone"})
	}
	for _, w := range s.Warnings() {
		problems = append(problems, problem{code: suspicious, detail: "spec.schedule " + quote(text) + ": " + w})
	}
	return s, problems, true
}

func refusedSchedule(detail, next string) (specs.Schedule, []problem, bool) {
	return specs.Schedule{}, []problem{{invalidSchedule, detail, next}}, false
}
