package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// fake answers as a server would that has a value for some queries. A query
// "bad …" is refused, alone and in a batch.
type fake struct {
	mu     sync.Mutex
	seen   []string
	values map[string]string // of a query, as JSON of a sample's value
	past   map[string]string // the same, of its look back
	answer func(w http.ResponseWriter, r *http.Request) bool
}

var wrapped = regexp.MustCompile(`(?s)label_replace\(\((.*?)\n\), "rolecall_batch", "(\d+)", "", ""\)`)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.FormValue("query")
	f.mu.Lock()
	f.seen = append(f.seen, query)
	f.mu.Unlock()
	if f.answer != nil && f.answer(w, r) {
		return
	}
	if strings.Contains(query, "bad") {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"parse error: bad"}`)
		return
	}
	parts := wrapped.FindAllStringSubmatch(query, -1)
	if parts == nil {
		parts = [][]string{{"", query, ""}}
	}
	var samples []string
	for _, p := range parts {
		samples = append(samples, f.samples(p[1], p[2])...)
	}
	fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(samples, ","))
}

func (f *fake) samples(query, n string) []string {
	values := f.values[query]
	if inner, ok := strings.CutPrefix(query, "last_over_time(("); ok {
		values = f.past[strings.TrimSuffix(strings.TrimSuffix(inner, "\n)[15d:1h])"), "\n)[1h:1m])")]
	} else if inner, ok := strings.CutPrefix(query, "last_over_time("); ok {
		values = f.past[strings.TrimSuffix(inner, "[15d])")]
	}
	var out []string
	for i, v := range strings.Fields(values) {
		metric := map[string]string{"job": "backup", "pod": strconv.Itoa(i)}
		if n != "" {
			metric[batchLabel] = n
		}
		m, _ := json.Marshal(metric)
		if v == "histogram" {
			out = append(out, fmt.Sprintf(`{"metric":%s,"histogram":[1700000000,{"count":"3","sum":"1767225600","buckets":[]}]}`, m))
			continue
		}
		out = append(out, fmt.Sprintf(`{"metric":%s,"value":[1700000000,%q]}`, m, v))
	}
	return out
}

func witness(t *testing.T, h http.Handler, queries ...string) (*Witness, []specs.Ref) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	terms := map[specs.Ref]specs.EvidenceTerms{}
	var refs []specs.Ref
	for i, q := range queries {
		ref := specs.Ref{Role: fmt.Sprintf("role-%d", i), Source: "web-1"}
		refs = append(refs, ref)
		terms[ref] = specs.EvidenceTerms{Succeeded: specs.EvidenceSource{Query: q}}
	}
	w, err := New(Config{URL: srv.URL, Timeout: 5 * time.Second}, terms)
	if err != nil {
		t.Fatal(err)
	}
	return w, refs
}

func TestAnswers(t *testing.T) {
	f := &fake{
		values: map[string]string{
			"fresh": "1767225600.5", "never": "0", "nan": "NaN", "inf": "+Inf", "minus": "-5", "age": "3600",
			"millis": "1767225600000", "buckets": "histogram", "several": "1767225600 1767225601",
		},
		past: map[string]string{"ended": "1767225600", "ended_pods{}": "1767225600 1767229200 NaN", "ended-nan": "NaN"},
	}
	cases := []struct {
		query string
		state providers.TraceState
		last  int64
		says  string
	}{
		{"fresh", providers.Known, 1767225600, ""},
		{"never", providers.Known, 0, ""},
		{"nan", providers.Unreadable, 0, "NaN"},
		{"inf", providers.Unreadable, 0, "Inf"},
		{"minus", providers.Unreadable, 0, "no Unix time"},
		{"age", providers.Unreadable, 0, "not an age"},
		{"millis", providers.Unreadable, 0, "milliseconds"},
		{"several", providers.Unreadable, 0, "2 samples, which differ in pod,"},
		{"buckets", providers.Unreadable, 0, "is a histogram"},
		{"bad {", providers.Unreadable, 0, "refuses the query: parse error"},
		{"ended", providers.StaleSeries, 1767225600, "has ended"},
		{"ended_pods{}", providers.StaleSeries, 1767229200, "has ended"},
		{"ended-nan", providers.Unreadable, 0, "its last value: the sample is NaN"},
		{"nothing", providers.NoSeries, 0, "no such series"},
	}
	var queries []string
	for _, c := range cases {
		queries = append(queries, c.query)
	}
	w, refs := witness(t, f, queries...)
	got := w.Testify(context.Background(), refs)
	for i, c := range cases {
		trace := got[refs[i]].Succeeded
		last := int64(0)
		if !trace.Last.IsZero() {
			last = trace.Last.Unix()
		}
		if trace.State != c.state || last != c.last || !strings.Contains(trace.Reason, c.says) || (c.says == "") != (trace.Reason == "") {
			t.Errorf("%s: %+v", c.query, trace)
		}
		if got[refs[i]].Executed.State != providers.Untracked {
			t.Errorf("%s: executed was not asked about", c.query)
		}
	}
	if len(got) != len(cases) {
		t.Errorf("%d answers", len(got))
	}
}

// Few requests for many roles: the figures are in the package's constants.
func TestFewRequests(t *testing.T) {
	queries := make([]string, 2000)
	f := &fake{values: map[string]string{}}
	for i := range queries {
		queries[i] = fmt.Sprintf(`max(backup_last_success_seconds{role="role-%d"})`, i)
		f.values[queries[i]] = "1767225600"
	}
	w, refs := witness(t, f, queries...)
	all := func(want int) {
		t.Helper()
		before := w.Requests()
		for ref, ev := range w.Testify(context.Background(), refs) {
			if ev.Succeeded.State != providers.Known {
				t.Fatalf("%v: %+v", ref, ev.Succeeded)
			}
		}
		if n := w.Requests() - before; n > want {
			t.Errorf("%d requests for 2,000 roles, not more than %d expected", n, want)
		}
	}
	all(10)
	if got := w.Testify(context.Background(), refs[:1]); len(got) != 1 {
		t.Errorf("asked for one role, got %d", len(got))
	}
	// Without any series each is asked for its past, the last hour's first.
	f.values = nil
	before := w.Requests()
	w.Testify(context.Background(), refs)
	if n := w.Requests() - before; n > 30 {
		t.Errorf("%d requests for 2,000 roles without a series", n)
	}
}

// A query that fails blinds no other, and costs few requests more.
func TestOneBadQuery(t *testing.T) {
	queries := make([]string, 400)
	f := &fake{values: map[string]string{}}
	for i := range queries {
		queries[i] = fmt.Sprintf("metric_%03d", i)
		f.values[queries[i]] = "1767225600"
	}
	queries[237] = "bad_one"
	w, refs := witness(t, f, queries...)
	got := w.Testify(context.Background(), refs)
	for i, ref := range refs {
		want := providers.Known
		if i == 237 {
			want = providers.Unreadable
		}
		if got[ref].Succeeded.State != want {
			t.Errorf("%s: %+v", queries[i], got[ref].Succeeded)
		}
	}
	if w.Requests() > 2+2*9 {
		t.Errorf("%d requests", w.Requests())
	}
}

// Many bad queries do not make many requests without bound.
func TestManyBadQueries(t *testing.T) {
	queries := make([]string, 2000)
	for i := range queries {
		queries[i] = fmt.Sprintf("bad_%d", i)
	}
	w, refs := witness(t, &fake{}, queries...)
	for ref, ev := range w.Testify(context.Background(), refs) {
		if ev.Succeeded.State != providers.Unreadable {
			t.Fatalf("%v: %+v", ref, ev.Succeeded)
		}
	}
	if w.Requests() > spareRequests+10 {
		t.Errorf("%d requests", w.Requests())
	}
}

// A text that is no expression alone cannot become one between its neighbours,
// nor speak for one.
func TestNoQueryReachesOut(t *testing.T) {
	hostile := []string{
		`a) or (b`, `a\n), "rolecall_batch", "1", "", "") or label_replace((b`, `"open`, "`open", "a # ) comment", "'x\n'", "[{]}", "", "a\x00b", "((((",
	}
	for _, q := range hostile {
		if q != "a # ) comment" && selfContained(q) {
			t.Errorf("%q passes for self-contained", q)
		}
	}
	for _, q := range []string{`a`, `sum by (x) (a{b="}"})`, "a # ) \n + b", `a{b='(', c=` + "`]`" + `}[5m:1m] offset 3d`, `a{b="\")"}`} {
		if !selfContained(q) {
			t.Errorf("%q does not pass", q)
		}
	}
}

func TestSelector(t *testing.T) {
	for q, want := range map[string]bool{
		"up": true, " a:b{x=\"}\"} ": true, "up{}": true, "a{x='#'}": false, "max(up)": false, "up + up": false, "up{} + up{}": false,
		"up offset 5m": false, "up[5m]": false, "5": false, "": false, "up # x": false, `{__name__="up"}`: false, "a{b}{c}": false,
	} {
		if selector(q) != want {
			t.Errorf("%q: %v", q, !want)
		}
	}
}

// What the server as a whole fails in is said of each query, at the cost of one
// request or two, and never as an absence.
func TestServerFails(t *testing.T) {
	slow := make(chan struct{})
	defer close(slow)
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request) bool
		says   string
		most   int
	}{
		"html": {func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "<html>log in</html>"); return true }, "does not speak", 1},
		"401":  {func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(401); return true }, "ROLECALL_PROMETHEUS_TOKEN", 1},
		"404":  {func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(404); return true }, "no Prometheus API", 1},
		"500": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(500)
			fmt.Fprint(w, "boom")
			return true
		}, "boom", 1},
		"empty":     {func(http.ResponseWriter, *http.Request) bool { return true }, "does not speak", 1},
		"no result": {func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, `{"status":"success"}`); return true }, "", 5},
		"null": {func(w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":null}}`)
			return true
		}, "", 5},
		"nulls": {func(w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[null]}}`)
			return true
		}, "", 5},
		"cut": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Length", "900")
			fmt.Fprint(w, `{"status":"succ`)
			return true
		}, "EOF", 1},
		"moved": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "https://other.example.com/login?secret=1", http.StatusFound)
			return true
		}, "sends on to https://other.example.com/login;", 1},
		"partial": {func(w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprint(w, `{"status":"success","warnings":["store-3 is gone"],"data":{"resultType":"vector","result":[]}}`)
			return true
		}, "store-3 is gone", 5},
		"strange": {func(w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"string","result":[1700000000,"x"]}}`)
			return true
		}, "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			w, refs := witness(t, &fake{answer: c.answer}, "a", "b", "c")
			for ref, ev := range w.Testify(context.Background(), refs) {
				if name == "null" { // an empty list, as some servers write it
					continue
				}
				if ev.Succeeded.State != providers.Unreadable || !strings.Contains(ev.Succeeded.Reason, c.says) || strings.Contains(ev.Succeeded.Reason, "secret") {
					t.Errorf("%v: %+v", ref, ev.Succeeded)
				}
			}
			if w.Requests() > c.most {
				t.Errorf("%d requests", w.Requests())
			}
		})
	}
	t.Run("slow", func(t *testing.T) {
		w, refs := witness(t, &fake{answer: func(_ http.ResponseWriter, r *http.Request) bool {
			io.Copy(io.Discard, r.Body) // only then the server notices that we have gone
			select {
			case <-slow:
			case <-r.Context().Done():
			}
			return true
		}}, "a", "b", "c")
		w.cfg.Timeout = 50 * time.Millisecond
		for ref, ev := range w.Testify(context.Background(), refs) {
			if ev.Succeeded.State != providers.Unreadable || !strings.Contains(ev.Succeeded.Reason, "in time") {
				t.Errorf("%v: %+v", ref, ev.Succeeded)
			}
		}
		if w.Requests() > 2 {
			t.Errorf("%d requests", w.Requests())
		}
	})
}

// A query that takes too long is found, where the server is well otherwise.
func TestOneSlowQuery(t *testing.T) {
	f := &fake{values: map[string]string{"a": "1767225600", "b": "1767225600", "c": "1767225600"}}
	f.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.FormValue("query"), "slow") {
			return false
		}
		<-r.Context().Done()
		return true
	}
	w, refs := witness(t, f, "a", "b", "c", "slow")
	w.cfg.Timeout = 300 * time.Millisecond
	got := w.Testify(context.Background(), refs)
	for i, ref := range refs {
		if (got[ref].Succeeded.State == providers.Known) != (i < 3) {
			t.Errorf("%d: %+v", i, got[ref].Succeeded)
		}
	}
}

func TestTooMuch(t *testing.T) {
	w, refs := witness(t, &fake{answer: func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[`)
		line := strings.Repeat(" ", 1<<20)
		for range 40 {
			io.WriteString(w, line)
		}
		fmt.Fprint(w, `]}}`)
		return true
	}}, "a")
	if got := w.Testify(context.Background(), refs)[refs[0]].Succeeded; got.State != providers.Unreadable || !strings.Contains(got.Reason, "32 MB") {
		t.Errorf("%+v", got)
	}
}

func TestSecretsStayAtTheServer(t *testing.T) {
	var header string
	f := &fake{answer: func(_ http.ResponseWriter, r *http.Request) bool {
		header = r.Header.Get("Authorization")
		return false
	}}
	w, refs := witness(t, f, "bad")
	w.cfg.Token = "s3cret"
	srv, err := New(Config{URL: w.cfg.URL, Token: "s3cret"}, w.terms)
	if err != nil {
		t.Fatal(err)
	}
	got := srv.Testify(context.Background(), refs)[refs[0]].Succeeded
	if header != "Bearer s3cret" || strings.Contains(got.Reason+got.From, "s3cret") {
		t.Errorf("%q %+v", header, got)
	}
	if srv, _ = New(Config{URL: w.cfg.URL, User: "u", Password: "s3cret"}, w.terms); srv.Check(context.Background()) != nil || !strings.HasPrefix(header, "Basic ") {
		t.Errorf("%q", header)
	}
}

func TestURLs(t *testing.T) {
	for url, good := range map[string]bool{
		"http://prom:9090": true, "https://prom.example.com/prometheus/": true,
		"": false, "prom:9090": false, "ftp://prom": false, "http://u:p@prom": false, "http://prom?x=1": false, "http://[::1": false, "http://": false,
	} {
		_, err := New(Config{URL: url}, nil)
		if (err == nil) != good {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: the error shows the password: %v", url, err)
		}
	}
}

func TestBrokenOff(t *testing.T) {
	w, refs := witness(t, &fake{}, "a", "b")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for ref, ev := range w.Testify(ctx, refs) {
		if ev.Succeeded.State != providers.Unreadable {
			t.Errorf("%v: %+v", ref, ev.Succeeded)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"rolecall_batch":"0"},"value":[1,"2"]}]}}`), 200)
	f.Add([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`), 200)
	f.Add([]byte(`{"status":"success","data":{"resultType":"scalar","result":[1,"NaN"]}}`), 422)
	f.Add([]byte(`[]`), 503)
	terms := map[specs.Ref]specs.EvidenceTerms{}
	var refs []specs.Ref
	for _, q := range []string{"a", "b"} {
		ref := specs.Ref{Role: q, Source: "s"}
		refs, terms[ref] = append(refs, ref), specs.EvidenceTerms{Progressed: specs.EvidenceSource{Query: q}}
	}
	f.Fuzz(func(t *testing.T, body []byte, code int) {
		w, err := New(Config{URL: "http://prom", Transport: canned{body, 200 + (code&0x7fffffff)%400}}, terms)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range w.Testify(context.Background(), refs) {
			if ev.Progressed.State == providers.Untracked {
				t.Error("a stage that was asked about is said to be untracked")
			}
		}
	})
}

type canned struct {
	body []byte
	code int
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c.body))), Request: r}, nil
}
