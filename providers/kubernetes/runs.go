package kubernetes

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// runsOf is what the status of a live CronJob says of its runs, without asking
// for its Jobs. Its controller writes there (cronjob_controllerv2.go of
// Kubernetes v1.36.3): the due instant of the last Job that it made, when a Job
// that it owns completed last, also one that was made by hand, and which of those
// that it made have not ended. Known may be nil, as for changesOf.
func runsOf(cj *batchv1.CronJob, known ownedSets) *providers.Evidence {
	e := &providers.Evidence{
		Executed:  providers.Trace{State: providers.Known, Last: timeOf(cj.Status.LastScheduleTime).UTC(), From: "status.lastScheduleTime"},
		Succeeded: providers.Trace{State: providers.Known, Last: timeOf(cj.Status.LastSuccessfulTime).UTC(), From: "status.lastSuccessfulTime"},
		Since:     laterOf(cj.CreationTimestamp.UTC(), switched(cj.ManagedFields, known)),
		Running:   runningOf(cj),
		Failed:    failedOf(cj),
	}
	for _, r := range e.Running {
		if r.Start.IsZero() {
			e.Hints = append(e.Hints, fmt.Sprintf("status.active names Job %s, whose start cannot be told from there; look at it: kubectl -n %s get job %s", r.ID, cj.Namespace, r.ID))
		}
	}
	if e.Executed.Last.IsZero() && !e.Succeeded.Last.IsZero() {
		e.Hints = append(e.Hints, "its success at "+stamp(e.Succeeded.Last)+" is of a Job that was started by hand (kubectl create job --from): the schedule has started none yet")
	}
	return e
}

// runningOf are the Jobs in status.active, the oldest first, those of unknown
// start before them.
func runningOf(cj *batchv1.CronJob) []providers.Running {
	var out []providers.Running
	for _, ref := range cj.Status.Active {
		start := dueOf(cj, ref.Name)
		if start.IsZero() && len(cj.Status.Active) == 1 {
			start = timeOf(cj.Status.LastScheduleTime).UTC()
		}
		out = append(out, providers.Running{ID: ref.Name, Start: start})
	}
	if len(out) == 1 && !out[0].Start.IsZero() {
		out[0].Start = laterOf(out[0].Start, statusWritten(cj.ManagedFields))
	}
	arrange.By(out, func(a, b providers.Running) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.ID, b.ID))
	})
	return out
}

// dueOf is the due instant in the name of a Job: the minutes since 1970 behind
// the name of its CronJob, before Kubernetes 1.21 the seconds. It is zero for
// what cannot be such a name: the controller makes no Job for an instant after
// status.lastScheduleTime.
func dueOf(cj *batchv1.CronJob, job string) time.Time {
	digits, ok := strings.CutPrefix(job, cj.Name+"-")
	n, err := strconv.ParseUint(digits, 10, 40)
	if !ok || err != nil || digits[0] == '0' {
		return time.Time{}
	}
	at := time.Unix(int64(n)*60, 0).UTC()
	if len(digits) >= 10 {
		at = time.Unix(int64(n), 0).UTC()
	}
	if at.Second() != 0 || at.After(timeOf(cj.Status.LastScheduleTime).UTC()) {
		return time.Time{}
	}
	return at
}

// failedOf is the run of status.lastScheduleTime, where none is active any more
// and no success is as late as that: it has ended otherwise, or its Job was
// deleted before its end. When that was is when the status was written last.
func failedOf(cj *batchv1.CronJob) *providers.Failure {
	start, success := timeOf(cj.Status.LastScheduleTime).UTC(), timeOf(cj.Status.LastSuccessfulTime).UTC()
	if start.IsZero() || len(cj.Status.Active) > 0 || !success.Before(start) {
		return nil
	}
	return &providers.Failure{
		ID:  fmt.Sprintf("%s-%d", cj.Name, start.Unix()/60),
		At:  laterOf(start, statusWritten(cj.ManagedFields)),
		Why: "it is not active any more and did not succeed: it failed, or its Job was deleted before its end",
	}
}

// statusWritten is when the controller changed the status last. It does not
// write where nothing has changed, so where one Job is active this is when it
// was made, or later: a Job for an instant that was missed, since the CronJob was
// suspended or the controller down, is made long after that instant.
func statusWritten(entries []metav1.ManagedFieldsEntry) time.Time {
	var at time.Time
	for _, e := range entries {
		if e.Subresource == "status" && e.Time != nil && e.FieldsV1 != nil && bytes.Contains(e.FieldsV1.GetRawBytes(), []byte(`"f:lastScheduleTime"`)) {
			at = laterOf(at, e.Time.UTC())
		}
	}
	return at
}

// whenDue are the fields that decide when a CronJob is due, as Change.Paths
// names them.
var whenDue = []string{"schedule", "time_zone", "state"}

// switched is when the schedule, its zone or suspend were written, where that is
// known: the writer owns nothing else of the spec. The time of one that owns more
// moves with each of its fields, so that a CronJob which is deployed every day
// would never be late by it.
func switched(entries []metav1.ManagedFieldsEntry, known ownedSets) time.Time {
	var at time.Time
	for i := range entries {
		e := &entries[i]
		if e.Time == nil || e.Subresource != "" || e.FieldsV1 == nil || len(e.FieldsV1.GetRawBytes()) > mostSwitch {
			continue
		}
		paths := known.paths(e.FieldsV1.GetRawBytes())
		if len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return !slices.Contains(whenDue, p) }) {
			at = laterOf(at, e.Time.UTC())
		}
	}
	return at
}

// mostSwitch is more than the set of the three fields takes, in bytes, so that
// those of whole objects need not be read twice.
const mostSwitch = 512

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
