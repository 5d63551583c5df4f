package kubernetes

import (
	"encoding/binary"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// unmarshalJob reads a CronJob as its Unmarshal does, but leaves the sets of
// managed fields, which are half of most objects, where they stand in data: the
// CronJob is good as long as data is. What is not encoded as a server does it is
// read by Unmarshal alone.
func unmarshalJob(data []byte, cj *batchv1.CronJob) error {
	entries := cj.ManagedFields[:0]
	*cj = batchv1.CronJob{}
	if unmarshalParts(data, cj, entries) {
		return nil
	}
	*cj = batchv1.CronJob{}
	return cj.Unmarshal(data)
}

func unmarshalParts(data []byte, cj *batchv1.CronJob, entries []metav1.ManagedFieldsEntry) bool {
	meta, managed, rest, ok := splitJob(data)
	if !ok {
		return false
	}
	cj.ManagedFields, ok = managedIn(managed, entries)
	return ok && cj.ObjectMeta.Unmarshal(meta) == nil && cj.Unmarshal(rest) == nil
}

// Numbers of fields in k8s.io/api/batch/v1 and apimachinery's meta/v1
// (generated.proto): CronJob.metadata, ObjectMeta.managedFields,
// ManagedFieldsEntry.fieldsV1, FieldsV1.Raw.
const (
	jobMetadata   = 1
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

// cutBefore is where the first field of a number begins, or the end.
func cutBefore(data []byte, number uint64) (int, bool) {
	for at := data; len(at) > 0; {
		f, ok := fieldIn(at)
		if !ok {
			return 0, false
		}
		if f.number == number {
			return len(data) - len(at), true
		}
		at = f.rest
	}
	return len(data), true
}

// wireField is one field of a protobuf message: content is that of one with a
// length, rest what follows it.
type wireField struct {
	number        uint64
	sized         bool
	content, rest []byte
}

// fieldIn is the field at the beginning of data. Those of fixed size, which a
// CronJob's metadata does not have, are not read.
func fieldIn(data []byte) (f wireField, ok bool) {
	tag, n := binary.Uvarint(data)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return f, false
	}
	f.number, f.sized = tag>>3, tag&7 == 2
	value, m := binary.Uvarint(data[n:])
	if m <= 0 || tag&7 != 0 && !f.sized {
		return f, false
	}
	f.rest = data[n+m:]
	if !f.sized {
		return f, true
	}
	if value > uint64(len(f.rest)) {
		return f, false
	}
	f.content, f.rest = f.rest[:value:value], f.rest[value:]
	return f, true
}
