package kubernetes

import (
	batchv1 "k8s.io/api/batch/v1"

	"github.com/rolecall-dev/rolecall/providers"
)

// runsOf is what the status of a live CronJob says of its runs.
func runsOf(cj *batchv1.CronJob) *providers.Evidence {
	return &providers.Evidence{
		Executed:  providers.Trace{State: providers.Known, Last: timeOf(cj.Status.LastScheduleTime).UTC(), From: "status.lastScheduleTime"},
		Succeeded: providers.Trace{State: providers.Known, Last: timeOf(cj.Status.LastSuccessfulTime).UTC(), From: "status.lastSuccessfulTime"},
		Since:     cj.CreationTimestamp.UTC(),
	}
}
