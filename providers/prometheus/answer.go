package prometheus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/rolecall-dev/rolecall/providers"
)

// lookback is how far a server keeps what was by default. The past of a plain
// selector is seen whole. That of an expression costs an evaluation a step: it is
// seen at every minute of the last hour, and before that at every hour, so that
// its last value can be an hour old, and what was there for less passed over.
const lookback = "15d"

var steps = []string{"1h:1m", lookback + ":1h"}

// traces are what the queries say, each in its place.
func (w *Witness) traces(ctx context.Context, queries []string) []providers.Trace {
	out := make([]providers.Trace, len(queries))
	var silent []int
	for i, a := range w.ask(ctx, queries) {
		out[i] = w.trace(queries[i], a)
		if out[i].State == providers.NoSeries {
			silent = append(silent, i)
		}
	}
	for _, step := range steps {
		silent = w.past(ctx, queries, out, silent, step)
	}
	for _, i := range silent {
		out[i].Reason = "there is no such series, nor was there one in " + lookback + "; look at the query, its labels and the exporter"
	}
	return out
}

// past asks for what was of the queries with the indexes, and gives those of which
// there was nothing.
func (w *Witness) past(ctx context.Context, queries []string, out []providers.Trace, silent []int, step string) (left []int) {
	texts := make([]string, len(silent))
	for n, i := range silent {
		texts[n] = ended(queries[i], step)
	}
	for n, a := range w.ask(ctx, texts) {
		if i := silent[n]; w.remember(&out[i], a) {
			left = append(left, i)
		}
	}
	return left
}

// ended asks for the last value of what a query gives nothing of now. A range of
// samples passes over the marker that ends a series.
func ended(query, step string) string {
	if selector(query) {
		return fmt.Sprintf("last_over_time(%s[%s])", strings.TrimSpace(query), lookback)
	}
	return fmt.Sprintf("last_over_time((%s\n)[%s])", query, step)
}

// trace is what one query says now.
func (w *Witness) trace(query string, a answer) providers.Trace {
	t := providers.Trace{State: providers.Known, From: "the query " + clip(query, 120) + " at " + w.cfg.URL}
	switch {
	case a.err != nil:
		t.State, t.Reason = providers.Unreadable, said(a.err)
	case len(a.samples) == 0:
		t.State = providers.NoSeries
	case len(a.samples) > 1:
		t.State = providers.Unreadable
		t.Reason = fmt.Sprintf("the query gives %d samples, which differ in %s, where one is needed; name one series, or take the latest with max(…)", len(a.samples), differing(a.samples))
	default:
		var why string
		if t.Last, why = instantOf(a.samples[0]); why != "" {
			t.State, t.Reason = providers.Unreadable, why
		}
	}
	return t
}

// remember tells a series that has ended from none, which it says yes of. Of
// several that have ended, as one for each pod, the latest time counts.
func (w *Witness) remember(t *providers.Trace, a answer) (none bool) {
	if a.err != nil {
		t.State, t.Reason = providers.Unreadable, "the query gives nothing, and whether it ever did could not be asked: "+said(a.err)
		return false
	}
	why := ""
	for _, s := range a.samples {
		last, bad := instantOf(s)
		if bad != "" {
			why = bad
			continue
		}
		t.State = providers.StaleSeries
		if last.After(t.Last) {
			t.Last = last
		}
	}
	switch {
	case t.State == providers.StaleSeries:
		t.Reason = "the series has ended: its exporter, or the job that pushes it, is gone; look at the target in Prometheus"
	case why != "":
		t.State, t.Reason = providers.Unreadable, "the series has ended, and of its last value: "+why
	default:
		return true
	}
	return false
}

// Times before this are no times of runs: an age, a count or a flag.
const earliest = 1e9 // 9 September 2001

// instant reads a sample; 0 is what a gauge says that was never set.
func instant(v float64) (time.Time, string) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return time.Time{}, fmt.Sprintf("the sample is %v, which is no time; look at how the query comes by it", v)
	case v == 0:
		return time.Time{}, ""
	case v > 1e11:
		return time.Time{}, fmt.Sprintf("the sample %.0f is no Unix time in seconds, but may be one in milliseconds; divide it by 1000 in the query", v)
	case v < earliest:
		return time.Time{}, fmt.Sprintf("the sample %v is no Unix time in seconds; let the query give the time itself, not an age or a count", v)
	}
	whole, part := math.Modf(v)
	return time.Unix(int64(whole), int64(part*1e9)).UTC(), ""
}

// instantOf is the instant that a sample says. One that is a histogram has no value,
// which the client gives as 0.
func instantOf(s *model.Sample) (time.Time, string) {
	if s.Histogram != nil {
		return time.Time{}, "the sample is a histogram, which is no time; let the query give one number"
	}
	return instant(float64(s.Value))
}

// differing names the labels in which samples differ, or says that none does.
func differing(samples model.Vector) string {
	values := map[string]map[string]bool{}
	for _, s := range samples {
		for name := range s.Metric {
			values[string(name)] = map[string]bool{}
		}
	}
	for _, s := range samples {
		for name, seen := range values {
			seen[string(s.Metric[model.LabelName(name)])] = true
		}
	}
	var out []string
	for name, seen := range values {
		if len(seen) > 1 {
			out = append(out, clip(name, 40))
		}
	}
	slices.Sort(out)
	switch {
	case len(out) == 0:
		return "no label"
	case len(out) > 8:
		out = append(out[:8], "…")
	}
	return strings.Join(out, ", ")
}

// said is an error with what to do about it.
func said(err error) string {
	var e *v1.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "Prometheus did not answer in time; look at the server, or give it more with prometheus.timeout in the config"
	case errors.Is(err, context.Canceled):
		return "the look was broken off"
	case errors.As(err, &e):
		return apiSaid(e)
	case ofQuery(err):
		return clip(err.Error(), 400)
	}
	var u *url.Error
	if errors.As(err, &u) { // its URL may be one that it was sent on to
		err = u.Err
	}
	return "Prometheus cannot be asked: " + clip(err.Error(), 400)
}

func apiSaid(e *v1.Error) string {
	text := clip(e.Msg, 300)
	switch e.Type {
	case v1.ErrBadData, v1.ErrExec:
		return "Prometheus refuses the query: " + text
	case v1.ErrTimeout:
		return "Prometheus gave the query up, since it took too long: " + text
	case v1.ErrClient:
		if strings.HasSuffix(e.Msg, ": 401") || strings.HasSuffix(e.Msg, ": 403") {
			return "Prometheus refuses access (" + text + "); set ROLECALL_PROMETHEUS_TOKEN, or _USER and _PASSWORD"
		}
		return "what answers is no Prometheus API (" + text + "); look at prometheus.url"
	case v1.ErrBadResponse:
		return "what answers does not speak the Prometheus API, or broke off (" + text + "); look at prometheus.url and what stands before the server"
	}
	return "Prometheus failed: " + text + ": " + clip(e.Detail, 200)
}

// clip shortens a text for a line.
func clip(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
