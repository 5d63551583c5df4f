package kubernetes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// manualAnnotation is on a Job that kubectl create job --from made.
const manualAnnotation = "cronjob.kubernetes.io/instantiate"

// ofJobs is what the Jobs of a CronJob, the newest first, say of its runs.
func ofJobs(cj *batchv1.CronJob, jobs []batchv1.Job, now time.Time) []string {
	var out []string
	unfinished := filter(jobs, func(j *batchv1.Job) bool { return ending(j) == nil })
	slices.Reverse(unfinished) // the one that has gone on for longest first
	for i := range shown(unfinished) {
		out = append(out, unended(&unfinished[i], now))
	}
	if n := len(unfinished); n > mostShown {
		out = append(out, fmt.Sprintf("%d of its Jobs have not ended: they pile up; concurrencyPolicy Forbid or Replace, or jobTemplate.spec.activeDeadlineSeconds, would stop that", n))
	}
	failed := filter(jobs, func(j *batchv1.Job) bool { c := ending(j); return c != nil && c.Type == batchv1.JobFailed })
	for i := range shown(failed) {
		out = append(out, failure(&failed[i]))
	}
	if s := byHand(cj, jobs); s != "" {
		out = append(out, s)
	}
	if len(jobs) == 0 && cj.Status.LastScheduleTime != nil {
		out = append(out, "none of its Jobs is left, so how they ended cannot be known: "+historyOf(cj))
	}
	return out
}

func filter[T any](all []T, want func(*T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !want(&x) })
}

// shown are those of which a sentence is made.
func shown[T any](all []T) []T { return all[:min(len(all), mostShown)] }

// condition is the condition of a Job that holds.
func condition(j *batchv1.Job, types ...batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range j.Status.Conditions {
		if c := &j.Status.Conditions[i]; c.Status == corev1.ConditionTrue && slices.Contains(types, c.Type) {
			return c
		}
	}
	return nil
}

// ending is how a Job has ended; nil if it has not.
func ending(j *batchv1.Job) *batchv1.JobCondition {
	return condition(j, batchv1.JobComplete, batchv1.JobFailed)
}

// unended is a Job that has neither succeeded nor failed.
func unended(j *batchv1.Job, now time.Time) string {
	since := cmp.Or(timeOf(j.Status.StartTime), j.CreationTimestamp).UTC()
	name := fmt.Sprintf("Job %s", j.Name)
	look := fmt.Sprintf("kubectl -n %s describe job %s", j.Namespace, j.Name)
	if isTrue(j.Spec.Suspend) {
		return fmt.Sprintf("%s is suspended (spec.suspend) and starts no pod%s; find out who suspended it, a person or a queue like Kueue, and resume or delete it: %s", name, lastingSince(j.CreationTimestamp.UTC(), now), look)
	}
	if c := condition(j, batchv1.JobFailureTarget); c != nil {
		return fmt.Sprintf("%s has failed (%s) and waits for its pods to end; look at what holds them: %s", name, outside(c.Reason), look)
	}
	if j.DeletionTimestamp != nil {
		return fmt.Sprintf("%s was deleted at %s and is held by its finalizers or pods; look at what holds it: %s", name, stamp(j.DeletionTimestamp.Time), look)
	}
	bound := "it has no activeDeadlineSeconds, so nothing ends it"
	if d := j.Spec.ActiveDeadlineSeconds; d != nil {
		bound = fmt.Sprintf("its activeDeadlineSeconds end it after %v", time.Duration(*d)*time.Second)
	}
	return fmt.Sprintf("%s%s has not ended%s, with %d active and %d failed pods; %s; look at what it waits for: kubectl -n %s logs job/%s", name, late(j), lastingSince(since, now), j.Status.Active, j.Status.Failed, bound, j.Namespace, j.Name)
}

func lastingSince(t, now time.Time) string {
	if now.Before(t) {
		return " since " + stamp(t)
	}
	return fmt.Sprintf(" since %s (%v)", stamp(t), now.Sub(t).Round(time.Second))
}

// startsLate is how much later than due a Job may be made without a word.
const startsLate = 2 * time.Minute

// late says that a Job was made well after its due instant, as the controller
// does with one that was missed.
func late(j *batchv1.Job) string {
	at, err := time.Parse(time.RFC3339, j.Annotations[batchv1.CronJobScheduledTimestampAnnotation])
	if err != nil || j.CreationTimestamp.Sub(at) < startsLate {
		return ""
	}
	return fmt.Sprintf(" (due at %s, made only at %s)", stamp(at), stamp(j.CreationTimestamp.Time))
}

// endings are the reasons for which the Job controller fails a Job, and what each
// asks for (batch/v1, JobReason*).
var endings = map[string]string{
	batchv1.JobReasonBackoffLimitExceeded:     "its pods failed more often than backoffLimit allows; look at their log",
	batchv1.JobReasonDeadlineExceeded:         "it ran longer than activeDeadlineSeconds; see what it waited for, or give it more",
	batchv1.JobReasonPodFailurePolicy:         "its podFailurePolicy ends it at such a failure; look at the pod's exit code and condition",
	batchv1.JobReasonFailedIndexes:            "some of its indexes failed; look at their pods",
	batchv1.JobReasonMaxFailedIndexesExceeded: "more of its indexes failed than maxFailedIndexes allows; look at their pods",
}

// failure is a Job that has failed.
func failure(j *batchv1.Job) string {
	c := ending(j)
	what, ok := endings[c.Reason]
	if !ok {
		what = "look at its events and at the log of its pods"
	}
	made := ""
	if j.Annotations[manualAnnotation] != "" {
		made = ", which was started by hand,"
	}
	return fmt.Sprintf("Job %s%s failed at %s: %s (%s): %s: kubectl -n %s logs job/%s", j.Name, made, stamp(c.LastTransitionTime.Time), outside(c.Reason), outside(c.Message), what, j.Namespace, j.Name)
}

// byHand is about a last success that no schedule brought about: the controller
// moves status.lastSuccessfulTime for every Job that the CronJob owns.
func byHand(cj *batchv1.CronJob, jobs []batchv1.Job) string {
	var scheduled time.Time
	manual := ""
	for i := range jobs {
		j := &jobs[i]
		done := j.Status.CompletionTime
		switch {
		case condition(j, batchv1.JobComplete) == nil || done == nil:
		case j.Annotations[manualAnnotation] == "":
			scheduled = laterOf(scheduled, done.UTC())
		case done.Equal(cj.Status.LastSuccessfulTime):
			manual = j.Name
		}
	}
	if manual == "" {
		return ""
	}
	other := "no Job of the schedule that is kept has succeeded"
	if !scheduled.IsZero() {
		other = "the schedule's last success that is kept was at " + stamp(scheduled)
	}
	return fmt.Sprintf("the last success, at %s, is of Job %s, which was started by hand (kubectl create job --from); %s; look at how the schedule's own runs end", stamp(cj.Status.LastSuccessfulTime.Time), manual, other)
}

// historyOf is what keeps finished Jobs from being seen.
func historyOf(cj *batchv1.CronJob) string {
	var why []string
	for name, n := range map[string]*int32{"failedJobsHistoryLimit": cj.Spec.FailedJobsHistoryLimit, "successfulJobsHistoryLimit": cj.Spec.SuccessfulJobsHistoryLimit} {
		if n != nil && *n == 0 {
			why = append(why, name+" is 0")
		}
	}
	if ttl := cj.Spec.JobTemplate.Spec.TTLSecondsAfterFinished; ttl != nil {
		why = append(why, fmt.Sprintf("ttlSecondsAfterFinished is %d", *ttl))
	}
	if len(why) == 0 {
		return "they were deleted; find out by whom (the API server's audit log)"
	}
	slices.Sort(why)
	return strings.Join(why, " and ") + "; raise it, so that the next failure can be looked at"
}

// podsOf are the Jobs whose pods tell more: those that should have one and have
// not ended, and the last that failed.
func podsOf(jobs []batchv1.Job) []batchv1.Job {
	out := filter(jobs, func(j *batchv1.Job) bool { return ending(j) == nil && !isTrue(j.Spec.Suspend) })
	out = slices.Clone(shown(out))
	for i := range jobs {
		if c := ending(&jobs[i]); c != nil && c.Type == batchv1.JobFailed {
			return append(out, jobs[i])
		}
	}
	return out
}

// withoutPod is the first Job that has not ended and has no pod.
func withoutPod(jobs []batchv1.Job, pods []corev1.Pod) *batchv1.Job {
	for i := range jobs {
		j := &jobs[i]
		own := slices.ContainsFunc(pods, func(p corev1.Pod) bool { return controlledBy(&p.ObjectMeta, j.UID) })
		if ending(j) == nil && j.Status.Active == 0 && !own {
			return j
		}
	}
	return nil
}
