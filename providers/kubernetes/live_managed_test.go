package kubernetes

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sameJob holds unmarshalJob to Unmarshal.
func sameJob(t *testing.T, data []byte, used *batchv1.CronJob) {
	t.Helper()
	var want batchv1.CronJob
	wantErr, err := guarded(data, want.Unmarshal), guarded(data, func(b []byte) error { return unmarshalJob(b, used) })
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("error %v, want %v\n%x", err, wantErr, data)
	}
	got := *used
	if len(got.ManagedFields) == 0 && len(want.ManagedFields) == 0 {
		got.ManagedFields = want.ManagedFields
	}
	if err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v\nwant %+v\n%x", got, want, data)
	}
}

func guarded(data []byte, read func([]byte) error) (err error) {
	defer recovered(&err)
	return read(data)
}

// managedJobs are CronJobs in protobuf with managed fields of all kinds.
func managedJobs(tb testing.TB) [][]byte {
	at := metav1.NewTime(time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC))
	set := func(text string) *metav1.FieldsV1 { return &metav1.FieldsV1{Raw: []byte(text)} }
	grace := int64(30)
	var out [][]byte
	for _, entries := range [][]metav1.ManagedFieldsEntry{
		nil,
		{{}},
		{{Manager: "m"}, {FieldsV1: set("")}, {FieldsV1: set("{}"), Subresource: "status"}},
		{{Manager: "kubectl", Operation: "Update", APIVersion: "batch/v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: set(`{"f:spec":{"f:suspend":{}}}`), Subresource: "status"}, {Manager: "b", FieldsV1: set(`{"f:spec":{}}`)}},
	} {
		cj := typicalJob(7)
		cj.ManagedFields, cj.Generation, cj.DeletionGracePeriodSeconds, cj.DeletionTimestamp = entries, 3, &grace, &at
		data, err := cj.Marshal()
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

// TestManagedFieldsStayInPlace: a CronJob is the same by both ways, whole, cut
// anywhere, with each byte changed, and after one that failed.
func TestManagedFieldsStayInPlace(t *testing.T) {
	var used batchv1.CronJob
	for _, data := range managedJobs(t) {
		sameJob(t, data, &used)
		if _, _, _, ok := splitJob(data); !ok {
			t.Error("what a server writes is not read the short way")
		}
		for n := range data {
			sameJob(t, data[:n], &used)
			for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, data[n] ^ 1, data[n] + 8} {
				changed := slices.Clone(data)
				changed[n] = b
				sameJob(t, changed, &used)
			}
		}
		// Metadata twice, behind the spec, and fields in another order.
		sameJob(t, append(slices.Clone(data), data...), &used)
		meta, managed, rest, _ := splitJob(data)
		sameJob(t, slices.Concat(rest, sized(1, meta), sized(1, managed)), &used)
		sameJob(t, slices.Concat(sized(1, managed), sized(1, meta), rest), &used)
		sameJob(t, sized(1, slices.Concat(managed, meta)), &used)
		// A set twice in one entry, and one of two parts.
		one := slices.Concat(sized(7, sized(1, []byte("{}"))), sized(1, []byte("m")), sized(7, sized(1, []byte("{1}"))))
		sameJob(t, sized(1, slices.Concat(meta, sized(17, one))), &used)
		sameJob(t, sized(1, sized(17, sized(7, slices.Concat(sized(1, []byte("a")), sized(1, []byte("b")))))), &used)
	}
	m := newMaker(5, true)
	for range 60 {
		data, err := m.cronJob("a").Marshal()
		if err != nil {
			t.Fatal(err)
		}
		sameJob(t, data, &used)
	}
}

// sized is a field with a length.
func sized(number uint64, content []byte) []byte {
	b := binary.AppendUvarint(nil, number<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}

func FuzzUnmarshalJob(f *testing.F) {
	for _, data := range managedJobs(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameJob(t, data, new(batchv1.CronJob)) })
}
