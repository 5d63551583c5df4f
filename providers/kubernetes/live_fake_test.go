package kubernetes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/rolecall-dev/rolecall/providers"
)

// fakeAPI answers lists as an API server does, page by page. What the real one
// does is tested on the real one; this is for what it would never do by itself.
type fakeAPI struct {
	jobs      []batchv1.CronJob
	forbidden []string // namespaces whose CronJobs this user may not list; "" is the whole cluster
	noNames   bool     // namespaces may not be listed
	json      bool     // as behind a proxy that does not pass protobuf on
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/api/v1/namespaces" && f.noNames:
		refuse(w, 403, metav1.StatusReasonForbidden, "namespaces is forbidden")
	case r.URL.Path == "/api/v1/namespaces":
		f.list(w, r, "v1", "NamespaceList", f.namespaces())
	case strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/"):
		f.getNamespace(w, path[3])
	case r.URL.Path == "/apis/batch/v1/cronjobs":
		f.listJobs(w, r, "")
	case len(path) == 6 && path[5] == "cronjobs":
		f.listJobs(w, r, path[4])
	default:
		refuse(w, 404, metav1.StatusReasonNotFound, "not served")
	}
}

func (f *fakeAPI) getNamespace(w http.ResponseWriter, name string) {
	if slices.Contains(f.names(), name) {
		f.send(w, "v1", "Namespace", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		return
	}
	refuse(w, 404, metav1.StatusReasonNotFound, "namespaces not found")
}

func (f *fakeAPI) names() []string {
	var out []string
	for _, j := range f.jobs {
		out = append(out, j.Namespace)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

type listed interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func (f *fakeAPI) namespaces() []listed {
	var out []listed
	for _, n := range f.names() {
		out = append(out, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n}})
	}
	return out
}

func (f *fakeAPI) listJobs(w http.ResponseWriter, r *http.Request, namespace string) {
	if slices.Contains(f.forbidden, namespace) {
		refuse(w, 403, metav1.StatusReasonForbidden, `cronjobs.batch is forbidden: User "x" cannot list`)
		return
	}
	var out []listed
	for i := range f.jobs {
		if namespace == "" || f.jobs[i].Namespace == namespace {
			out = append(out, &f.jobs[i])
		}
	}
	f.list(w, r, "batch/v1", "CronJobList", out)
}

func (f *fakeAPI) list(w http.ResponseWriter, r *http.Request, version, kind string, all []listed) {
	from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	meta := metav1.ListMeta{ResourceVersion: "7"}
	page := all[from:]
	if limit > 0 && len(page) > limit {
		left := int64(len(page) - limit)
		page, meta.Continue, meta.RemainingItemCount = page[:limit], strconv.Itoa(from+limit), &left
	}
	f.send(w, version, kind, makeList(kind, meta, page))
}

func makeList(kind string, meta metav1.ListMeta, page []listed) listed {
	if kind == "NamespaceList" {
		l := &corev1.NamespaceList{ListMeta: meta}
		for _, o := range page {
			l.Items = append(l.Items, *o.(*corev1.Namespace))
		}
		return l
	}
	l := &batchv1.CronJobList{ListMeta: meta}
	for _, o := range page {
		l.Items = append(l.Items, *o.(*batchv1.CronJob))
	}
	return l
}

func (f *fakeAPI) send(w http.ResponseWriter, version, kind string, l listed) {
	if f.json {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(encodeJSON(version, kind, l))
		return
	}
	w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
	_, _ = w.Write(encodeProto(version, kind, l))
}

func encodeProto(version, kind string, l listed) []byte {
	raw, err := l.Marshal()
	if err != nil {
		panic(err)
	}
	u := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: version, Kind: kind}, Raw: raw}
	data, err := u.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte(protoMagic), data...)
}

func encodeJSON(version, kind string, l any) []byte {
	data, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	var m map[string]any
	_ = json.Unmarshal(data, &m)
	m["apiVersion"], m["kind"] = version, kind
	data, _ = json.Marshal(m)
	return data
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	s := metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: int32(code), Reason: reason, Message: message}
	_ = json.NewEncoder(w).Encode(s)
}

// front stands before an API, counts requests, and lets a fault answer for the
// n-th list request, from 1. It can go on for each later one.
type front struct {
	behind http.Handler
	fault  func(w http.ResponseWriter, r *http.Request, behind http.Handler)
	at     int
	stays  bool

	mu    sync.Mutex
	count int
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.count++
	n := f.count
	f.mu.Unlock()
	if f.fault != nil && (n == f.at || f.stays && n > f.at) {
		f.fault(w, r, f.behind)
		return
	}
	f.behind.ServeHTTP(w, r)
}

func (f *front) requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// served is a provider before a handler.
func served(t *testing.T, h http.Handler, cfg Config) *Provider {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(s.Close)
	return connected(t, &rest.Config{Host: s.URL, BearerToken: secretToken, Timeout: time.Second}, cfg)
}

const secretToken = "hunter2-hunter2"

func connected(t *testing.T, rc *rest.Config, cfg Config) *Provider {
	t.Helper()
	client, err := NewClient(rc)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Source == "" {
		cfg.Source = "prod"
	}
	p, err := New(client, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// someJobs are n CronJobs in each namespace.
func someJobs(n int, namespaces ...string) []batchv1.CronJob {
	var out []batchv1.CronJob
	for _, ns := range namespaces {
		for i := range n {
			out = append(out, oneJob(ns, fmt.Sprintf("job-%02d", i)))
		}
	}
	return out
}

func oneJob(namespace, name string) batchv1.CronJob {
	return batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: "uid-1"},
		Spec: batchv1.CronJobSpec{Schedule: "*/5 * * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{RestartPolicy: "Never", Containers: []corev1.Container{{Name: "main", Image: "registry.example/job:1"}}}}}}},
	}
}

func names(o providers.Observation) []string {
	var out []string
	for _, obj := range o.Objects {
		out = append(out, obj.Attr("namespace")+"/"+obj.Attr("name"))
	}
	return out
}

func states(o providers.Observation) map[string]providers.AreaState {
	out := map[string]providers.AreaState{}
	for _, a := range o.Areas {
		out[a.Part] = a.State
	}
	return out
}

// recorded is an answer that is kept back.
func recorded(r *http.Request, h http.Handler) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}

// hangUp ends the connection in the middle of an answer, or before it.
func hangUp(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	panic(http.ErrAbortHandler)
}

func writeAll(w io.Writer, data []byte) { _, _ = w.Write(data) }

// digest is what two equal looks have in common.
func digest(o providers.Observation) string {
	var b strings.Builder
	for _, obj := range o.Objects {
		runs, _ := json.Marshal(obj.Runs())
		fmt.Fprintln(&b, obj.ID, obj.Part(), obj.UID(), obj.Spec.Hash(), obj.Inactive(), obj.Changes(), string(runs))
	}
	fmt.Fprintln(&b, o.Areas, o.Notes, o.Requests)
	return b.String()
}
