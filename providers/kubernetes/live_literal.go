package kubernetes

import (
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/specs"
)

// manifest is what of a CronJob a person would write.
type manifest struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Metadata   manifestMeta        `json:"metadata"`
	Spec       batchv1.CronJobSpec `json:"spec"`
}

type manifestMeta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// literalOf is a live CronJob as a manifest that a server would take: without
// status, identity and bookkeeping, without suspend, which is a role's state,
// and with a zone before the schedule moved to where it belongs. What the
// server filled in stays, since it cannot be told from what was written.
func literalOf(cj *batchv1.CronJob) ([]byte, error) {
	spec := *cj.Spec.DeepCopy()
	spec.Suspend = nil
	_, rest, prefixed := specs.SplitZonePrefix(spec.Schedule)
	if schedule, _, ok := scheduleOf(cj, true); ok && prefixed {
		spec.Schedule, spec.TimeZone = rest, nil
		if schedule.Zone != specs.Local {
			spec.TimeZone = &schedule.Zone
		}
	}
	notes := maps.Clone(cj.Annotations)
	maps.DeleteFunc(notes, func(name, _ string) bool {
		return name != roleAnnotation && name != versionAnnotation && slices.ContainsFunc(bookkeeping, func(p string) bool { return strings.HasPrefix(name, p) })
	})
	return yaml.Marshal(manifest{APIVersion: "batch/v1", Kind: "CronJob", Spec: spec,
		Metadata: manifestMeta{Name: nameOf(cj), Namespace: cj.Namespace, Labels: cj.Labels, Annotations: notes}})
}
