//go:build unix

package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/rolecall-dev/rolecall/providers"
)

// BenchmarkList lists CronJobs as a cluster sends them, and hashes them: what
// that costs without a server and a network. kept-B/object is what stays of one.
func BenchmarkList(b *testing.B) {
	for _, objects := range []int{1000, 10_000} {
		body := typicalList(b, objects)
		for _, form := range []string{"protobuf", "json"} {
			b.Run(fmt.Sprintf("%s/%d", form, objects), func(b *testing.B) {
				p := canned(b, body[form])
				b.ReportAllocs()
				b.SetBytes(int64(len(body[form])))
				var o providers.Observation
				for b.Loop() {
					o = p.Observe(context.Background(), providers.Selection{})
					for i := range o.Objects {
						o.Objects[i].Spec.Hash()
					}
				}
				if len(o.Objects) != objects || len(o.Gaps()) > 0 {
					b.Fatalf("%d objects, areas %v", len(o.Objects), o.Areas)
				}
				with := heap()
				runtime.KeepAlive(o)
				b.ReportMetric(float64(with-heap())/float64(objects), "kept-B/object")
			})
		}
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// canned is a provider to which one answer is given.
func canned(tb testing.TB, body []byte) *Provider {
	tb.Helper()
	client, err := NewClient(&rest.Config{Host: "http://cluster.example", Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}, nil
	})})
	if err != nil {
		tb.Fatal(err)
	}
	p, err := New(client, Config{Source: "prod", PageSize: -1})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// typicalList is a list in both forms, of objects that two managers wrote.
func typicalList(tb testing.TB, n int) map[string][]byte {
	tb.Helper()
	l := &batchv1.CronJobList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for i := range n {
		cj := typicalJob(i)
		cj.TypeMeta = metav1.TypeMeta{}
		owned(tb, &cj, "deployer", "gitops")
		l.Items = append(l.Items, cj)
	}
	asJSON, err := json.Marshal(&batchv1.CronJobList{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJobList"}, ListMeta: l.ListMeta, Items: l.Items})
	if err != nil {
		tb.Fatal(err)
	}
	return map[string][]byte{"protobuf": encodeProto("batch/v1", "CronJobList", l), "json": asJSON}
}

// owned makes managers the owners of all fields of the spec.
func owned(tb testing.TB, cj *batchv1.CronJob, managers ...string) {
	tb.Helper()
	data, err := json.Marshal(cj)
	if err != nil {
		tb.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err != nil {
		tb.Fatal(err)
	}
	set, err := json.Marshal(map[string]any{"f:spec": fieldSet(object["spec"])})
	if err != nil {
		tb.Fatal(err)
	}
	at := metav1.NewTime(time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC))
	for _, m := range managers {
		cj.ManagedFields = append(cj.ManagedFields, metav1.ManagedFieldsEntry{Manager: m, Operation: "Update", APIVersion: "batch/v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: set}})
	}
}

// fieldSet is the set of all fields of a value, lists by name where their members
// have one.
func fieldSet(v any) any {
	set := map[string]any{}
	switch v := v.(type) {
	case map[string]any:
		for k, below := range v {
			set["f:"+k] = fieldSet(below)
		}
	case []any:
		for _, m := range v {
			if member, ok := m.(map[string]any); ok && member["name"] != nil {
				below := fieldSet(member).(map[string]any)
				below["."] = map[string]any{}
				set[fmt.Sprintf(`k:{"name":%q}`, member["name"])] = below
			}
		}
	}
	return set
}
