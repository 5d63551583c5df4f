package kubernetes

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
)

// queueLabel on a job says that Kueue starts it. Its documentation of CronJobs
// tells people to suspend the job template, which Kueue undoes job by job.
const queueLabel = "kueue.x-k8s.io/queue-name"

// inactiveOf is why no work comes of a CronJob. What its controller makes of
// each is in syncCronJob (pkg/controller/cronjob/cronjob_controllerv2.go; of a
// deadline of 0 in mostRecentScheduleTime, and seen on a real cluster), what
// that of its jobs does in manageJob (pkg/controller/job/job_controller.go), of
// Kubernetes v1.36.3.
func inactiveOf(cj *batchv1.CronJob, problems []problem) []providers.Inactive {
	var out []providers.Inactive
	if t := cj.DeletionTimestamp; t != nil {
		out = append(out, beingDeleted(t, cj.Finalizers))
	}
	if isTrue(cj.Spec.Suspend) {
		out = append(out, providers.Inactive{Code: "suspended", Detail: "spec.suspend is true"})
	}
	if d := cj.Spec.StartingDeadlineSeconds; d != nil && *d == 0 {
		out = append(out, providers.Inactive{Code: "no-start-window", Detail: "spec.startingDeadlineSeconds is 0: its controller always comes later than that, and starts nothing", Next: "set spec.startingDeadlineSeconds to 10 or more, or remove it; if that is meant, say state: suspended in the ledger"})
	}
	out = append(out, idleJobs(&cj.Spec.JobTemplate)...)
	for _, p := range problems {
		if p.code == invalidSchedule {
			out = append(out, providers.Inactive{Code: invalidSchedule, Detail: p.detail, Next: p.next})
		}
	}
	return out
}

// beingDeleted is a CronJob that is only kept until its finalizers are gone:
// its controller updates the status and starts nothing more, and nothing takes
// a deletion back.
func beingDeleted(at *metav1.Time, finalizers []string) providers.Inactive {
	const most = 5
	held := make([]string, 0, most+1)
	for i, f := range finalizers {
		if i == most {
			held = append(held, fmt.Sprintf("and %d more", len(finalizers)-i))
			break
		}
		held = append(held, quote(f))
	}
	by := "no finalizer"
	if len(held) > 0 {
		by = "metadata.finalizers " + strings.Join(held, ", ")
	}
	return providers.Inactive{
		Code:   "being-deleted",
		Detail: fmt.Sprintf("it was deleted at %s and is held by %s; its controller starts nothing more for it", at.UTC().Format(time.RFC3339), by),
		Next:   "find out who deleted it and why; a deletion cannot be taken back, so let it end (the finalizers' owners do that) and create the CronJob anew",
	}
}

// idleJobs is why the jobs that are made do nothing.
func idleJobs(template *batchv1.JobTemplateSpec) []providers.Inactive {
	var out []providers.Inactive
	if _, queued := template.Labels[queueLabel]; isTrue(template.Spec.Suspend) && !queued {
		out = append(out, providers.Inactive{Code: "suspended", Detail: "jobTemplate.spec.suspend is true: its jobs are made and do not start"})
	}
	if n := template.Spec.Parallelism; n != nil && *n == 0 {
		out = append(out, providers.Inactive{Code: "no-parallelism", Detail: "jobTemplate.spec.parallelism is 0: its jobs are made and start no pod", Next: "set jobTemplate.spec.parallelism to 1 or more, or remove it; if that is meant, say state: suspended in the ledger"})
	}
	if n := template.Spec.Completions; n != nil && *n == 0 {
		out = append(out, providers.Inactive{Code: "no-completions", Detail: "jobTemplate.spec.completions is 0: its jobs are complete at once, without a pod", Next: "set jobTemplate.spec.completions to 1 or more, or remove it; if that is meant, say state: suspended in the ledger"})
	}
	return out
}

func isTrue(b *bool) bool { return b != nil && *b }
