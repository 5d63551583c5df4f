package kubernetes

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const (
	roleAnnotation    = "rolecall/role"
	versionAnnotation = "rolecall/version"
)

// objectFrom is a CronJob as it was found in a part of a source: in a cluster if
// live is set, else in a manifest. A manifest that states no namespace has had
// one set by the caller. Body is that of its spec. It also gives what is wrong or
// odd with the schedule.
func objectFrom(cj *batchv1.CronJob, body specs.Packed, source, part string, pos specs.Pos, live bool, known *repeated) (providers.Object, []problem) {
	schedule, marked := known.scheduleOf(cj, live), known.labelsOf(cj)
	id, namespace, name := idOf(source, cj.Namespace, nameOf(cj))
	o := providers.Object{
		ID:     id,
		Origin: known.originOf(source, part),
		Pos:    pos,
		Marked: providers.Keep(markerOf(cj, pos)),
		Attrs:  providers.Attrs{{Name: "name", Text: name}, {Name: "namespace", Text: namespace}},
		Opaque: refused(schedule.problems),
	}
	more := providers.More{
		Labels:   marked.labels,
		Inactive: inactiveOf(cj, schedule.problems),
		UID:      string(cj.UID),
		Created:  cj.CreationTimestamp.UTC(),
		Changes:  changesOf(cj.ManagedFields, known.owned()),
	}
	if live { // what a saved object says of its runs is of no known moment
		more.Runs = runsOf(cj, known.owned())
	}
	if o.More = marked.more; o.More == nil || !onlyLabels(&more) {
		o.More = &more
	}
	o.Spec = specs.Spec{Schedules: schedule.schedules, Cosmetic: marked.cosmetic, Body: body}
	return o, schedule.problems
}

// onlyLabels says that nothing else is to be said, as of most manifests.
func onlyLabels(m *providers.More) bool {
	return len(m.Inactive) == 0 && m.UID == "" && m.Created.IsZero() && len(m.Changes) == 0 && m.Runs == nil
}

// idOf is an object's ID, and its last two parts as parts of that text.
func idOf(source, namespace, name string) (id, ns, n string) {
	id = "kubernetes:" + source + "/" + namespace + "/" + name
	at := len(id) - len(name)
	return id, id[at-1-len(namespace) : at-1], id[at:]
}

// notesAbout are the notes about a CronJob that runs in spite of what they say.
func notesAbout(cj *batchv1.CronJob, problems []problem, pos specs.Pos) []providers.Note {
	var out []providers.Note
	for _, p := range problems {
		if p.code != invalidSchedule {
			out = append(out, providers.Note{Code: p.code, Message: fmt.Sprintf("CronJob %s/%s: %s", cj.Namespace, nameOf(cj), p.detail), Pos: pos})
		}
	}
	return out
}

// nameOf is the name, or the beginning of one that the server would complete.
func nameOf(cj *batchv1.CronJob) string {
	if cj.Name == "" {
		return cj.GenerateName
	}
	return cj.Name
}

func timeOf(t *metav1.Time) metav1.Time {
	if t == nil {
		return metav1.Time{}
	}
	return *t
}

func markerOf(cj *batchv1.CronJob, pos specs.Pos) providers.Marker {
	role, ok := cj.Annotations[roleAnnotation]
	if !ok {
		return providers.Marker{}
	}
	m := providers.Marker{Role: role, Version: strings.TrimSpace(cj.Annotations[versionAnnotation]), Pos: pos}
	if !specs.ValidRoleKey(role) {
		m.Role, m.Invalid = "", role
		if role == "" {
			m.Invalid = `""`
		}
	}
	return m
}

func refused(problems []problem) bool {
	for _, p := range problems {
		if p.code == invalidSchedule {
			return true
		}
	}
	return false
}
