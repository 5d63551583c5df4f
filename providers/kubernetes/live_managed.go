package kubernetes

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// liveJob is a CronJob of a list, and the room that the next one is read into.
type liveJob struct {
	batchv1.CronJob
	// body is that of the spec, if it could be read without it. Then the spec holds
	// what objectFrom looks at, and no more than that of its template.
	body specs.Packed
	read bool
}

// unmarshalJob reads a CronJob as its Unmarshal does, but leaves the sets of
// managed fields, which are half of most objects, where they stand in data: the
// CronJob is good as long as data is. With a spine it makes the body of the spec.
// What is not encoded as a server does it is read by Unmarshal alone.
func unmarshalJob(data []byte, into *liveJob, s *spine) error {
	entries := into.ManagedFields[:0]
	*into = liveJob{}
	if !slow.Only() && unmarshalParts(data, into, entries, s) {
		return nil
	}
	*into = liveJob{}
	return into.Unmarshal(data)
}

func unmarshalParts(data []byte, into *liveJob, entries []metav1.ManagedFieldsEntry, s *spine) bool {
	meta, managed, rest, ok := splitJob(data)
	if !ok {
		return false
	}
	into.ManagedFields, ok = managedIn(managed, entries)
	if !ok || into.ObjectMeta.Unmarshal(meta) != nil {
		return false
	}
	if s != nil {
		rest = s.jobIn(rest, into)
	}
	return into.CronJob.Unmarshal(rest) == nil
}

// Numbers of fields in k8s.io/api/batch/v1 and apimachinery's meta/v1
// (generated.proto): CronJob.metadata and spec, ObjectMeta.managedFields,
// ManagedFieldsEntry.fieldsV1, FieldsV1.Raw.
const (
	jobMetadata   = 1
	jobSpec       = 2
	metaManaged   = 17
	entryFieldsV1 = 7
	fieldsRaw     = 1
)

// splitJob parts a CronJob into its metadata without the managed fields, these,
// and what follows the metadata.
func splitJob(data []byte) (meta, managed, rest []byte, ok bool) {
	f, ok := fieldIn(data)
	if !ok || f.number != jobMetadata || !f.sized {
		return nil, nil, nil, false
	}
	meta, rest = f.content, f.rest
	before, found := cutBefore(meta, metaManaged)
	return meta[:before], meta[before:], rest, found
}

// managedIn reads managed fields that stand one after the other.
func managedIn(data []byte, out []metav1.ManagedFieldsEntry) ([]metav1.ManagedFieldsEntry, bool) {
	for len(data) > 0 {
		f, ok := fieldIn(data)
		if !ok || f.number != metaManaged || !f.sized {
			return nil, false
		}
		var e metav1.ManagedFieldsEntry
		if !unmarshalEntry(f.content, &e) {
			return nil, false
		}
		out, data = append(out, e), f.rest
	}
	return out, true
}

// unmarshalEntry reads one entry; its set stays in data.
func unmarshalEntry(data []byte, e *metav1.ManagedFieldsEntry) bool {
	before, ok := cutBefore(data, entryFieldsV1)
	if !ok {
		return false
	}
	head, tail := data[:before], data[before:]
	if len(tail) > 0 {
		f, ok := fieldIn(tail)
		if !ok || !f.sized {
			return false
		}
		raw, ok := fieldIn(f.content)
		if !ok || raw.number != fieldsRaw || !raw.sized || len(raw.rest) > 0 {
			return false
		}
		e.FieldsV1, tail = &metav1.FieldsV1{Raw: raw.content}, f.rest
		if again, ok := cutBefore(tail, entryFieldsV1); !ok || again < len(tail) {
			return false
		}
	}
	return e.Unmarshal(head) == nil && e.Unmarshal(tail) == nil
}
