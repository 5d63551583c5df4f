package kubernetes

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// reader reads CronJobs one after the other, by all ways.
type reader struct {
	plain, short liveJob
	spine        *spine
	bodies       int // that were made without the object
}

func newReader() *reader { return &reader{spine: newSpine()} }

// same holds unmarshalJob to Unmarshal, with a spine and without, and the objects
// that come of it.
func (r *reader) same(t *testing.T, data []byte) {
	t.Helper()
	var want batchv1.CronJob
	wantErr := guarded(data, want.Unmarshal)
	err := guarded(data, func(b []byte) error { return unmarshalJob(b, &r.plain, nil) })
	shortErr := guarded(data, func(b []byte) error { return unmarshalJob(b, &r.short, r.spine) })
	if (err != nil) != (wantErr != nil) || (shortErr != nil) != (wantErr != nil) {
		t.Fatalf("errors %v and %v, want %v\n%x", err, shortErr, wantErr, data)
	}
	if err != nil {
		return
	}
	if got := withoutEmpty(r.plain.CronJob); r.plain.read || !reflect.DeepEqual(got, withoutEmpty(want)) {
		t.Fatalf("%+v\nwant %+v\n%x", got, want, data)
	}
	if !r.short.read {
		if got := withoutEmpty(r.short.CronJob); !reflect.DeepEqual(got, withoutEmpty(want)) {
			t.Fatalf("%+v\nwant %+v\n%x", got, want, data)
		}
		return
	}
	r.bodies++
	body := specs.Pack(bodyOf(&want.Spec))
	if d := specs.DiffValues("", body.Value(), r.short.body.Value()); len(d) > 0 || body != r.short.body {
		t.Fatalf("body %q\nwant %q\n%v\n%x", r.short.body, body, d, data)
	}
	object, problems := objectFrom(&want, body, "s", "p", specs.Pos{}, true, nil)
	short, shortProblems := objectFrom(&r.short.CronJob, body, "s", "p", specs.Pos{}, true, nil)
	if !reflect.DeepEqual(object, short) || !reflect.DeepEqual(problems, shortProblems) {
		t.Fatalf("%+v %v\nwant %+v %v\n%x", short, shortProblems, object, problems, data)
	}
}

// withoutEmpty makes an empty list of managed fields none.
func withoutEmpty(cj batchv1.CronJob) batchv1.CronJob {
	if len(cj.ManagedFields) == 0 {
		cj.ManagedFields = nil
	}
	return cj
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
	r := newReader()
	for _, data := range managedJobs(t) {
		r.same(t, data)
		if _, _, _, ok := splitJob(data); !ok {
			t.Error("what a server writes is not read the short way")
		}
		for n := range data {
			r.same(t, data[:n])
			for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, data[n] ^ 1, data[n] + 8} {
				changed := slices.Clone(data)
				changed[n] = b
				r.same(t, changed)
			}
		}
		// Metadata twice, behind the spec, and fields in another order.
		r.same(t, append(slices.Clone(data), data...))
		meta, managed, rest, _ := splitJob(data)
		r.same(t, slices.Concat(rest, sized(1, meta), sized(1, managed)))
		r.same(t, slices.Concat(sized(1, managed), sized(1, meta), rest))
		r.same(t, sized(1, slices.Concat(managed, meta)))
		// A set twice in one entry, and one of two parts.
		one := slices.Concat(sized(7, sized(1, []byte("{}"))), sized(1, []byte("m")), sized(7, sized(1, []byte("{1}"))))
		r.same(t, sized(1, slices.Concat(meta, sized(17, one))))
		r.same(t, sized(1, sized(17, sized(7, slices.Concat(sized(1, []byte("a")), sized(1, []byte("b")))))))
	}
	m := newMaker(5, true)
	for range 60 {
		data, err := m.cronJob("a").Marshal()
		if err != nil {
			t.Fatal(err)
		}
		r.same(t, data)
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
	r := newReader()
	f.Fuzz(func(t *testing.T, data []byte) { r.same(t, data) })
}
