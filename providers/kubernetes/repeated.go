package kubernetes

import (
	"encoding/binary"
	"slices"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// repeated is what the objects of a list have in common, and share: the sets of
// fields that their managers own, schedules, and labels. A nil one shares
// nothing.
type repeated struct {
	sets      ownedSets
	schedules map[scheduleText]scheduleRead
	labels    map[string]labelsRead
	origin    *providers.Origin // of the last object
}

// mostRepeated bounds each kind of what is kept for later objects.
const mostRepeated = 4096

func newRepeated() *repeated {
	return &repeated{sets: ownedSets{}, schedules: map[scheduleText]scheduleRead{}, labels: map[string]labelsRead{}}
}

// originOf is where an object was read, which a list's have in common.
func (r *repeated) originOf(source, part string) *providers.Origin {
	own := providers.Origin{Source: source, Provider: "kubernetes", Part: part}
	if r == nil {
		return &own
	}
	if r.origin == nil || *r.origin != own {
		r.origin = &own
	}
	return r.origin
}

func (r *repeated) owned() ownedSets {
	if r == nil {
		return nil
	}
	return r.sets
}

type scheduleText struct {
	text, zone string
	zoned      bool
}

type scheduleRead struct {
	schedules []specs.Schedule // one, or none where it is refused
	problems  []problem
}

// scheduleOf reads the schedule of a live CronJob.
func (r *repeated) scheduleOf(cj *batchv1.CronJob, live bool) scheduleRead {
	key := scheduleText{text: cj.Spec.Schedule, zoned: cj.Spec.TimeZone != nil}
	if key.zoned {
		key.zone = *cj.Spec.TimeZone
	}
	if r != nil {
		if known, ok := r.schedules[key]; ok {
			return known
		}
	}
	var out scheduleRead
	schedule, problems, ok := scheduleOf(cj, live)
	if out.problems = problems; ok {
		out.schedules = []specs.Schedule{schedule}
	}
	if r != nil && len(r.schedules) < mostRepeated {
		r.schedules[key] = out
	}
	return out
}

type labelsRead struct {
	labels   map[string]string
	cosmetic specs.Packed
	more     *providers.More // of an object of which only its labels are to be said
}

// labelsOf are the labels of a CronJob, and all that is cosmetic about it.
func (r *repeated) labelsOf(cj *batchv1.CronJob) labelsRead {
	out := labelsRead{labels: cj.Labels}
	if r == nil || len(cj.Labels) == 0 || !onlyBookkeeping(cj.Annotations) {
		out.cosmetic = specs.Pack(cosmeticOf(cj))
		return out
	}
	key := labelsKey(cj.Labels)
	if known, ok := r.labels[string(key)]; ok {
		return known
	}
	out.cosmetic, out.more = specs.Pack(cosmeticOf(cj)), &providers.More{Labels: cj.Labels}
	if len(r.labels) < mostRepeated {
		r.labels[string(key)] = out
	}
	return out
}

// labelsKey writes labels so that no two sets are one text.
func labelsKey(labels map[string]string) []byte {
	var few [16]string
	names := few[:0]
	for name := range labels {
		names = append(names, name)
	}
	slices.Sort(names)
	var key []byte
	for _, name := range names {
		for _, s := range []string{name, labels[name]} {
			key = append(binary.AppendUvarint(key, uint64(len(s))), s...)
		}
	}
	return key
}

// onlyBookkeeping says that annotations hold nothing that is cosmetic.
func onlyBookkeeping(annotations map[string]string) bool {
	for name := range annotations {
		if !isBookkeeping(name) {
			return false
		}
	}
	return true
}
