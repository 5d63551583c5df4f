package kubernetes

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

type faultFunc = func(w http.ResponseWriter, r *http.Request, behind http.Handler)

// fault is something that can happen to one page of a list.
type fault struct {
	name string
	do   faultFunc
	// first is the state of an area whose first page it hits; Failed if unset.
	// On a later page it is always Partial.
	first providers.AreaState
	// reason is part of what is said.
	reason string
	// tells says that part of the page arrives.
	tells bool
	// stays says that it hits all later requests too: Go asks again by itself
	// where a connection that it used before is closed without an answer.
	stays bool
}

func faults() []fault {
	return []fault{
		{name: "500", do: answers(500, metav1.StatusReasonInternalError, "etcdserver: leader changed"), reason: "leader changed"},
		{name: "503", do: answers(503, metav1.StatusReasonServiceUnavailable, "apiserver is shutting down"), reason: "shutting down"},
		{name: "504", do: answers(504, metav1.StatusReasonTimeout, "request did not complete"), reason: "504"},
		{name: "429", do: answers(429, metav1.StatusReasonTooManyRequests, "slow down"), reason: "too many requests"},
		{name: "403", do: answers(403, metav1.StatusReasonForbidden, "cronjobs.batch is forbidden"), first: providers.Denied, reason: "grant get and list"},
		{name: "401", do: answers(401, metav1.StatusReasonUnauthorized, "Unauthorized"), first: providers.Denied, reason: "credentials"},
		{name: "404", do: answers(404, metav1.StatusReasonNotFound, "the server could not find the requested resource"), first: providers.Missing, reason: "does not know"},
		{name: "proxy's 502", do: page(502, "text/html", "<html>Bearer "+secretToken+"</html>"), reason: "not from an API server"},
		{name: "login page", do: page(200, "text/html", "<html>log in</html>"), reason: "login page"},
		{name: "empty", do: page(200, "application/json", ""), reason: "empty"},
		{name: "no content", do: page(204, "", ""), reason: "empty"},
		{name: "JSON without a list", do: page(200, "application/json", "{}"), reason: "no kind"},
		{name: "another kind", do: page(200, "application/json", `{"kind":"JobList","apiVersion":"batch/v1","metadata":{},"items":[]}`), reason: "JobList"},
		{name: "a status", do: page(200, "application/json", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}`), reason: "Status"},
		{name: "cut short with its length", do: cutShort(true), reason: "cut short", tells: true},
		{name: "cut short in chunks", do: cutShort(false), reason: "cut short", tells: true},
		{name: "cut short by a proxy that hides it", do: cutQuietly, reason: "cut short", tells: true},
		{name: "hung up at once", do: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { panic(http.ErrAbortHandler) }, reason: "EOF", stays: true},
		{name: "no answer", do: silent, reason: "did not answer in time"},
		{name: "no end", do: endless, reason: "did not answer in time", tells: true},
		{name: "one bad item", do: badItem, first: providers.Partial, reason: "could not be read", tells: true},
	}
}

func answers(code int, reason metav1.StatusReason, message string) faultFunc {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refuse(w, code, reason, message) }
}

func page(code int, contentType, body string) faultFunc {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		if body != "" {
			writeAll(w, []byte(body))
		}
	}
}

func cutShort(length bool) faultFunc {
	return func(w http.ResponseWriter, r *http.Request, behind http.Handler) {
		rec := recorded(r, behind)
		w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
		if length {
			w.Header().Set("Content-Length", fmt.Sprint(rec.Body.Len()))
		}
		writeAll(w, rec.Body.Bytes()[:rec.Body.Len()/2])
		hangUp(w)
	}
}

func cutQuietly(w http.ResponseWriter, r *http.Request, behind http.Handler) {
	rec := recorded(r, behind)
	w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
	writeAll(w, rec.Body.Bytes()[:rec.Body.Len()/2])
}

func silent(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

func endless(w http.ResponseWriter, r *http.Request, behind http.Handler) {
	rec := recorded(r, behind)
	writeAll(w, rec.Body.Bytes()[:rec.Body.Len()/2])
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// badItem breaks the inside of the page's first item and leaves its frame whole.
func badItem(w http.ResponseWriter, r *http.Request, behind http.Handler) {
	body := string(recorded(r, behind).Body.Bytes())
	writeAll(w, []byte(strings.Replace(body, "\n\x06job-", "\n\x7fjob-", 1)))
}

const (
	pages   = 4
	perPage = 3
)

// TestEveryFaultOnEveryPage: what could not be read is never called absent.
func TestEveryFaultOnEveryPage(t *testing.T) {
	api := &fakeAPI{jobs: someJobs(pages*perPage, "batch")}
	for _, f := range faults() {
		for at := 1; at <= pages; at++ {
			t.Run(fmt.Sprintf("%s/page %d", f.name, at), func(t *testing.T) {
				t.Parallel()
				h := &front{behind: api, fault: f.do, at: at, stays: f.stays}
				p := served(t, h, Config{Namespaces: []string{"batch"}, PageSize: perPage})
				checkFault(t, f, at, p.Observe(context.Background(), providers.Selection{}))
			})
		}
	}
}

func checkFault(t *testing.T, f fault, at int, o providers.Observation) {
	t.Helper()
	want := providers.Partial
	if at == 1 && !f.tells {
		want = first(f)
	}
	if len(o.Areas) != 1 || o.Areas[0].State != want || !strings.Contains(o.Areas[0].Reason, f.reason) {
		t.Fatalf("areas %+v, want one that is %s and says %q", o.Areas, want, f.reason)
	}
	if strings.Contains(fmt.Sprintf("%+v", o), secretToken) {
		t.Errorf("a token is shown: %+v", o.Areas)
	}
	got := names(o)
	for i := range pages * perPage {
		name := fmt.Sprintf("batch/job-%02d", i)
		if i < (at-1)*perPage && !slices.Contains(got, name) {
			t.Errorf("%s was read before the fault and is lost", name)
		}
		if presence := lookup(o, name); presence == providers.Absent {
			t.Errorf("%s is called absent", name)
		}
	}
	if f.name != "one bad item" && len(got) > at*perPage {
		t.Errorf("%d objects after a fault on page %d", len(got), at)
	}
}

func first(f fault) providers.AreaState {
	if f.first == "" {
		return providers.Failed
	}
	return f.first
}

func lookup(o providers.Observation, name string) providers.Presence {
	w := providers.World{Observations: []providers.Observation{o}}
	return w.Lookup(specs.Ref{Role: "x", Source: o.Source}, func(obj providers.Object) bool {
		return obj.Attr("namespace")+"/"+obj.Attr("name") == name
	})
}

func TestExpiredListIsReadAgain(t *testing.T) {
	gone := answers(410, metav1.StatusReasonExpired, "The provided continue parameter is too old")
	tests := map[string]struct {
		at       int
		stays    bool
		state    providers.AreaState
		objects  int
		requests int
	}{
		"on the first page":  {at: 1, state: providers.Failed, objects: 0, requests: 1},
		"on the second page": {at: 2, state: providers.Read, objects: pages * perPage, requests: 3},
		"on the last page":   {at: pages, state: providers.Read, objects: pages * perPage, requests: pages + 1},
		"again at once":      {at: 3, stays: true, state: providers.Partial, objects: 2 * perPage, requests: 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := &front{behind: &fakeAPI{jobs: someJobs(pages*perPage, "batch")}, fault: gone, at: tt.at, stays: tt.stays}
			o := served(t, h, Config{PageSize: perPage}).Observe(context.Background(), providers.Selection{})
			if len(o.Areas) != 1 || o.Areas[0].State != tt.state {
				t.Errorf("areas %+v, want state %s", o.Areas, tt.state)
			}
			if len(o.Objects) != tt.objects || h.requests() != tt.requests || o.Requests != tt.requests {
				t.Errorf("%d objects by %d requests (%d said), want %d by %d", len(o.Objects), h.requests(), o.Requests, tt.objects, tt.requests)
			}
		})
	}
}

// TestListWithoutItsEnd: a server that breaks its own word about what follows.
func TestListWithoutItsEnd(t *testing.T) {
	left := int64(5)
	for name, meta := range map[string]metav1.ListMeta{
		"no token":   {RemainingItemCount: &left},
		"same token": {Continue: "again"},
	} {
		t.Run(name, func(t *testing.T) {
			l := makeList("CronJobList", meta, nil)
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeAll(w, encodeProto("batch/v1", "CronJobList", l)) })
			o := served(t, h, Config{}).Observe(context.Background(), providers.Selection{})
			if len(o.Areas) != 1 || o.Areas[0].State != providers.Partial {
				t.Errorf("areas %+v, want partial", o.Areas)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	api := &fakeAPI{jobs: someJobs(2, "a", "b", "c"), forbidden: []string{""}}
	ctx, cancel := context.WithCancel(context.Background())
	// The second of three namespaces is asked for when the person gives up.
	stop := func(w http.ResponseWriter, r *http.Request, behind http.Handler) { cancel(); silent(w, r, behind) }
	h := &front{behind: api, fault: stop, at: 2}
	o := served(t, h, Config{Namespaces: []string{"a", "b", "c"}}).Observe(ctx, providers.Selection{})
	want := map[string]providers.AreaState{"namespace/a": providers.Read, "namespace/b": providers.Failed, "namespace/c": providers.Failed}
	for part, state := range states(o) {
		if want[part] != state {
			t.Errorf("%s is %s, want %s", part, state, want[part])
		}
	}
	for _, a := range o.Gaps() {
		if !strings.Contains(a.Reason, "interrupted") {
			t.Errorf("reason %q", a.Reason)
		}
	}
	if len(o.Areas) != 3 || len(o.Objects) != 2 {
		t.Errorf("%d areas and %d objects, want 3 and 2", len(o.Areas), len(o.Objects))
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	o := served(t, &fakeAPI{}, Config{}).Observe(ctx, providers.Selection{})
	if len(o.Areas) != 1 || o.Areas[0].State != providers.Failed || !strings.Contains(o.Areas[0].Reason, "--timeout") {
		t.Errorf("areas %+v", o.Areas)
	}
}
