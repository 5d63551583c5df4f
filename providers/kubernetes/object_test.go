package kubernetes

import (
	batchv1 "k8s.io/api/batch/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// objectOf is objectFrom of a CronJob that is used again.
func objectOf(cj *batchv1.CronJob, source, part string, pos specs.Pos, live bool) providers.Object {
	o, _ := objectFrom(cj, specs.Pack(bodyOf(&cj.Spec)), source, part, pos, live, nil)
	return o
}

// notesOf are the notes about a CronJob.
func notesOf(cj *batchv1.CronJob, pos specs.Pos, live bool) []providers.Note {
	_, problems, _ := scheduleOf(cj, live)
	return notesAbout(cj, problems, pos)
}
