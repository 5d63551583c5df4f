package prometheus

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// program is the path of a real part, without which the test is skipped or fails.
func program(t *testing.T, name string) string {
	t.Helper()
	p, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return p
}

// within polls until a condition holds.
func within(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// server starts a real Prometheus that scrapes what page gives, with a history of
// its own, and returns its URL.
func server(t *testing.T, page func() string, history string) string {
	t.Helper()
	prometheus, promtool := program(t, "prometheus"), program(t, "promtool")
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page()) }))
	t.Cleanup(target.Close)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "history"), history)
	write(t, filepath.Join(dir, "prometheus.yml"), fmt.Sprintf(`
scrape_configs:
  - job_name: jobs
    scrape_interval: 200ms
    scrape_timeout: 200ms
    static_configs: [{targets: [%q]}]
`, strings.TrimPrefix(target.URL, "http://")))
	if out, err := exec.Command(promtool, "tsdb", "create-blocks-from", "openmetrics", filepath.Join(dir, "history"), filepath.Join(dir, "data")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	addr := freeAddress(t)
	cmd := exec.Command(prometheus, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+addr, "--query.timeout=10s", "--log.level=error")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("prometheus said: %s", said)
		}
	})
	return "http://" + addr
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestRealPrometheus asks a real server: about what it has, what has ended now
// and hours ago, what it never had, and what it refuses.
func TestRealPrometheus(t *testing.T) {
	success := time.Now().Add(-time.Hour).Truncate(time.Second)
	var ended atomic.Bool
	page := func() string {
		text := fmt.Sprintf("fresh_seconds %d\nnot_a_number NaN\nnever_seconds 0\nmillis %d\nseveral_seconds{pod=\"a\"} 1767225600\nseveral_seconds{pod=\"b\"} 1767225601\n", success.Unix(), success.UnixMilli())
		for i := range 500 {
			text += fmt.Sprintf("many_seconds{role=\"r%d\"} %d\n", i, success.Unix()-int64(i))
		}
		if !ended.Load() {
			text += fmt.Sprintf("gone_seconds %d\n", success.Unix())
		}
		return text
	}
	var history strings.Builder
	history.WriteString("# TYPE old_seconds gauge\n")
	for at := -3 * time.Hour; at < -2*time.Hour; at += 30 * time.Second {
		fmt.Fprintf(&history, "old_seconds{pod=\"x\"} %d %d\n", success.Unix()-7200, time.Now().Add(at).Unix())
	}
	history.WriteString("# EOF\n")
	url := server(t, page, history.String())

	cases := []struct {
		query string
		state providers.TraceState
		last  time.Time
		says  string
	}{
		{"fresh_seconds", providers.Known, success, ""},
		{`max(fresh_seconds{job="jobs"}) # the last one`, providers.Known, success, ""},
		{"scalar(fresh_seconds)", providers.Known, success, ""},
		{"never_seconds", providers.Known, time.Time{}, ""},
		{"time()", providers.Known, time.Now(), ""},
		{"not_a_number", providers.Unreadable, time.Time{}, "NaN"},
		{"millis", providers.Unreadable, time.Time{}, "milliseconds"},
		{"several_seconds", providers.Unreadable, time.Time{}, "differ in pod,"},
		{"max(several_seconds)", providers.Known, time.Unix(1767225601, 0), ""},
		{"gone_seconds", providers.StaleSeries, success, "has ended"},
		{"old_seconds", providers.StaleSeries, success.Add(-2 * time.Hour), "has ended"},
		{"max by (job) (old_seconds)", providers.StaleSeries, success.Add(-2 * time.Hour), "has ended"},
		{"no_such_seconds", providers.NoSeries, time.Time{}, "no such series"},
		{"max(", providers.Unreadable, time.Time{}, "refuses the query"},
		{"max(fresh_seconds[5m])", providers.Unreadable, time.Time{}, "refuses the query"},
		{"fresh_seconds[5m]", providers.Unreadable, time.Time{}, "range"},
		{`"text"`, providers.Unreadable, time.Time{}, "one sample"},
		{"fresh_seconds * on(job) several_seconds", providers.Unreadable, time.Time{}, "refuses the query"},
		{`label_replace(fresh_seconds, "rolecall_batch", "77", "", "")`, providers.Known, success, ""},
	}
	terms := map[specs.Ref]specs.EvidenceTerms{}
	var refs, many []specs.Ref
	for i, c := range cases {
		ref := specs.Ref{Role: fmt.Sprint(i), Source: "s"}
		refs, terms[ref] = append(refs, ref), specs.EvidenceTerms{Executed: specs.EvidenceSource{Query: c.query}}
	}
	for i := range 2000 {
		ref := specs.Ref{Role: fmt.Sprint("many-", i), Source: "s"}
		many, terms[ref] = append(many, ref), specs.EvidenceTerms{Succeeded: specs.EvidenceSource{Query: fmt.Sprintf(`max(many_seconds{role="r%d"}) + 0 * %d`, i%500, i)}}
	}
	w, err := New(Config{URL: url}, terms)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	within(t, "the server answers", func() bool { return w.Check(ctx) == nil })
	shows := func(query string, n int) func() bool {
		return func() bool { v, err := w.query(ctx, query); return err == nil && len(v) == n }
	}
	within(t, "the target is scraped", shows("gone_seconds", 1))
	ended.Store(true)
	within(t, "the series has ended", shows("gone_seconds", 0))

	got := w.Testify(ctx, refs)
	for i, c := range cases {
		trace := got[refs[i]].Executed
		off := trace.Last.Sub(c.last).Abs()
		if trace.State != c.state || off > 2*time.Minute || c.query != "time()" && off > 0 && c.state != providers.Unreadable || !anyOf(trace.Reason, c.says) {
			t.Errorf("%s: %+v", c.query, trace)
		}
	}

	before := w.Requests()
	for ref, ev := range w.Testify(ctx, many) {
		if ev.Succeeded.State != providers.Known {
			t.Fatalf("%v: %+v", ref, ev.Succeeded)
		}
	}
	if n := w.Requests() - before; n != 10 {
		t.Errorf("%d requests for 2,000 roles", n)
	}
}

func anyOf(text, words string) bool {
	for _, w := range strings.Split(words, "|") {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
