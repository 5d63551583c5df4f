package kubernetes

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// ofCronJob is what a CronJob itself says of why its runs do not come, by what
// its controller does (syncCronJob and mostRecentScheduleTime in
// pkg/controller/cronjob of Kubernetes v1.36.3). Now may be zero.
func ofCronJob(cj *batchv1.CronJob, now time.Time) []string {
	var out []string
	add := func(s string) {
		if s != "" {
			out = append(out, s)
		}
	}
	missed := missedBy(cj, now)
	add(shortDeadline(cj.Spec.StartingDeadlineSeconds))
	add(manyMissed(cj, missed))
	add(held(cj, missed))
	add(replaced(cj))
	add(rewritten(cj, now))
	return out
}

// leastDeadline is the startingDeadlineSeconds below which Kubernetes' own page
// on CronJobs warns that a start may not come.
const leastDeadline = 10

func shortDeadline(seconds *int64) string {
	if seconds == nil || *seconds >= leastDeadline {
		return ""
	}
	return fmt.Sprintf("startingDeadlineSeconds is %d: a start that the controller comes to later than that, as after its restart, is left out (event MissSchedule); set it to %d or more, or remove it", *seconds, leastDeadline)
}

// mostMissed is how many missed starts the controller remarks on.
const mostMissed = 100

// missedBy counts the due instants after the last start until an instant, one
// more than mostMissed at most. A schedule without a zone is read in UTC, which
// may be wrong by a few.
func missedBy(cj *batchv1.CronJob, now time.Time) int {
	s, _, ok := scheduleOf(cj, true)
	from := lastStart(cj)
	if !ok || now.IsZero() || from.IsZero() {
		return 0
	}
	n := 0
	for at, due := s.NextIn(from, time.UTC); due && !at.After(now) && n <= mostMissed; at, due = s.NextIn(at, time.UTC) {
		n++
	}
	return n
}

// lastStart is where the controller counts from: the last start, or the creation.
func lastStart(cj *batchv1.CronJob) time.Time {
	if t := cj.Status.LastScheduleTime; t != nil {
		return t.UTC()
	}
	return cj.CreationTimestamp.UTC()
}

// manyMissed is about more than a hundred missed starts. The controller since
// Kubernetes 1.21 makes up for the latest of them all the same, and says
// TooManyMissedTimes; the one before it gave up on such a CronJob for good.
func manyMissed(cj *batchv1.CronJob, missed int) string {
	if missed <= mostMissed {
		return ""
	}
	return fmt.Sprintf("more than %d due instants have passed since %s: the controller starts the latest of them and notes TooManyMissedTimes, so look whether it runs at all (kube-controller-manager) and what it notes about this CronJob; before Kubernetes 1.21 it gave up here until startingDeadlineSeconds was set or the CronJob made anew", mostMissed, stamp(lastStart(cj)))
}

// held is about a start that waits for the end of another.
func held(cj *batchv1.CronJob, missed int) string {
	if cj.Spec.ConcurrencyPolicy != batchv1.ForbidConcurrent || len(cj.Status.Active) == 0 {
		return ""
	}
	job := cj.Status.Active[0].Name
	skipped := ""
	if missed > 0 {
		skipped = fmt.Sprintf(", and %s passed by since", due(missed))
	}
	return fmt.Sprintf("concurrencyPolicy is Forbid and Job %s is still active: nothing is started before it has ended%s; look at what it waits for, delete it if it hangs (kubectl -n %s delete job %s), and set jobTemplate.spec.activeDeadlineSeconds to end the next one", job, skipped, cj.Namespace, job)
}

func due(n int) string {
	switch {
	case n > mostMissed:
		return fmt.Sprintf("more than %d due instants have", mostMissed)
	case n == 1:
		return "one due instant has"
	}
	return fmt.Sprintf("%d due instants have", n)
}

// replaced is about runs that end each other.
func replaced(cj *batchv1.CronJob) string {
	start, success := timeOf(cj.Status.LastScheduleTime), timeOf(cj.Status.LastSuccessfulTime)
	if cj.Spec.ConcurrencyPolicy != batchv1.ReplaceConcurrent || start.IsZero() || !success.Before(&start) {
		return ""
	}
	return "concurrencyPolicy is Replace: a run that has not ended by the next due instant is deleted and begun anew, so one that takes longer than a period never succeeds; see whether its Jobs live that long, and make the period longer or the run shorter"
}

// rewritten is about a schedule that may be another since the last start: its
// writer owns more than that, so what was written is not known (see switched). Two
// due instants later it is no reason any more.
func rewritten(cj *batchv1.CronJob, now time.Time) string {
	var who string
	var at time.Time
	for _, c := range changesOf(cj.ManagedFields, nil) {
		if c.When.After(at) && slices.ContainsFunc(c.Paths, func(p string) bool { return slices.Contains(whenDue, p) }) {
			who, at = c.Who, c.When
		}
	}
	if !at.After(lastStart(cj)) || at.Equal(switched(cj.ManagedFields, nil)) {
		return ""
	}
	next := ""
	if s, _, ok := scheduleOf(cj, true); ok {
		first, _ := s.Next(at)
		second, two := s.Next(first)
		if two && !second.After(now) {
			return ""
		}
		if s.Zone != specs.Local && !first.IsZero() {
			next = ", which after that is " + stamp(first)
		}
	}
	return fmt.Sprintf("%s, who holds its schedule or spec.suspend, wrote to it at %s, after the last start: if those were changed then, what was due before does not tell; look at the next due instant%s", quote(who), stamp(at), next)
}
