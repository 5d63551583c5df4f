// Package kubernetes looks at CronJobs, in a cluster and in manifests. It is
// the only code that knows what the API server makes of a field that is left
// out.
//
// A CronJob becomes a Spec by one translation wherever it was read. What the
// server, or the Job and the Pod made from the template, would fill in is taken
// out, so a field that is left out equals its default spelled out. The body's
// keys are those of CronJob.spec, except schedule and timeZone, which are the
// spec's schedule, and suspend, which is the object's state.
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
)

// specOf translates a CronJob, as a cluster that already has it reads it if
// live is set, else as a server would take it from a manifest.
func specOf(cj *batchv1.CronJob, live bool) (specs.Spec, []problem) {
	schedule, problems, ok := scheduleOf(cj, live)
	spec := specs.Spec{Body: bodyOf(&cj.Spec), Cosmetic: cosmeticOf(cj)}
	if ok {
		spec.Schedules = []specs.Schedule{schedule}
	}
	return spec, problems
}

// bodyOf is all of the spec that counts and is neither schedule nor state.
func bodyOf(spec *batchv1.CronJobSpec) specs.Value {
	s := *spec
	s.Schedule, s.TimeZone, s.Suspend = "", nil, nil
	spec.JobTemplate.DeepCopyInto(&s.JobTemplate)
	dropDependentDefaults(&s.JobTemplate)
	return structValue(reflect.ValueOf(s))
}

// scheduleOf reads spec.schedule and spec.timeZone. A zone before the five
// fields is refused by the server in a new object (its validation says to use
// timeZone); where an old object still has one the controller obeys it and not
// timeZone (pkg/controller/cronjob/utils.go, formatSchedule).
func scheduleOf(cj *batchv1.CronJob, live bool) (specs.Schedule, []problem, bool) {
	text, zone := cj.Spec.Schedule, specs.Local
	var problems []problem
	if cj.Spec.TimeZone != nil {
		zone = *cj.Spec.TimeZone
	}
	prefixZone, rest, prefixed := cutZone(text)
	switch {
	case prefixed && !live:
		return specs.Schedule{}, []problem{{invalidSchedule, "spec.schedule " + quote(text) + " begins with a time zone, which the API server refuses", "move the zone to spec.timeZone"}}, false
	case prefixed:
		problems = append(problems, problem{code: zonePrefix, detail: "spec.schedule " + quote(text) + " begins with a time zone; it holds, but a server would refuse to take it again; move it to spec.timeZone"})
		text, zone = rest, prefixZone
	case cj.Spec.TimeZone != nil && (zone == "" || strings.EqualFold(zone, "local")):
		return specs.Schedule{}, []problem{{invalidSchedule, "spec.timeZone " + quote(zone) + " is refused by the API server, which wants a zone's name or no timeZone", "name a zone like Europe/Berlin, or remove timeZone"}}, false
	}
	s, err := specs.ParseSchedule(specs.Kubernetes, text, zone)
	if err != nil {
		return specs.Schedule{}, append(problems, problem{invalidSchedule, "the API server refuses the schedule: " + err.Error(), "correct spec.schedule or spec.timeZone"}), false
	}
	return s, problems, true
}

// cutZone takes a zone off the front of a schedule as robfig/cron v3 does: an
// empty name is UTC, Local is the zone of the controller.
func cutZone(text string) (zone, rest string, found bool) {
	if !strings.HasPrefix(text, "TZ=") && !strings.HasPrefix(text, "CRON_TZ=") {
		return "", text, false
	}
	head, rest, _ := strings.Cut(text, " ")
	_, zone, _ = strings.Cut(head, "=")
	switch zone {
	case "":
		zone = "UTC"
	case "Local":
		zone = specs.Local
	}
	return zone, strings.TrimSpace(rest), true
}
