// Package prometheus asks a Prometheus server for the evidence that a ledger
// names a query for: each gives one sample, a Unix time in seconds.
//
// The queries of all roles go out together, in a few requests: each is wrapped
// in a label_replace that numbers it, and they are joined by or. A request that
// fails for a query of its is halved until that one stands alone, so that a bad
// query blinds no other. What gives nothing now is asked for its past, to tell a
// series that has ended from one that never was.
package prometheus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Config says which server is asked, and how.
type Config struct {
	URL     string        // http or https, without user info
	Timeout time.Duration // of one request; 0 is 10 s
	// A token, or a user with a password. They are sent to the server of the URL
	// alone, and are part of no message.
	Token          string
	User, Password string
	// At is the instant to ask about; zero is the server's own now.
	At time.Time
	// Each runs f for every index below n, some at a time; nil is one after
	// another.
	Each func(n int, f func(i int))
	// Transport is nil for the default one.
	Transport http.RoundTripper
}

// Witness asks the server about the roles that have a query.
type Witness struct {
	cfg      Config
	api      v1.API
	terms    map[specs.Ref]specs.EvidenceTerms
	requests atomic.Int64
}

// New makes a witness for the roles with the terms. Its error says what is wrong
// with the config.
func New(cfg Config, terms map[specs.Ref]specs.EvidenceTerms) (*Witness, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the prometheus URL is not the base URL of a server, like http://prometheus.example.com:9090; a token or password belongs in the environment")
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Second)
	if cfg.Each == nil {
		cfg.Each = func(n int, f func(int)) {
			for i := range n {
				f(i)
			}
		}
	}
	w := &Witness{cfg: cfg, terms: terms}
	client := &http.Client{Transport: &transport{cfg: cfg, host: u.Host, count: &w.requests}, CheckRedirect: noRedirect}
	c, err := api.NewClient(api.Config{Address: cfg.URL, Client: client})
	if err != nil {
		return nil, fmt.Errorf("prometheus: %w; correct its url", err)
	}
	w.api = v1.NewAPI(c)
	return w, nil
}

// Requests is how many were sent.
func (w *Witness) Requests() int { return int(w.requests.Load()) }

// Check says why the server does not answer queries; nil if it does.
func (w *Witness) Check(ctx context.Context) error {
	if _, err := w.query(ctx, "vector(1)"); err != nil {
		return errors.New(said(err))
	}
	return nil
}

// Testify asks about the stages of the roles that have a query.
func (w *Witness) Testify(ctx context.Context, refs []specs.Ref) map[specs.Ref]providers.Evidence {
	queries := w.queries(refs)
	traces := w.traces(ctx, queries)
	out := map[specs.Ref]providers.Evidence{}
	for _, ref := range refs {
		var ev providers.Evidence
		asked := false
		terms, into := w.terms[ref], ev.Stages()
		for n, stage := range terms.Stages() {
			if i, ok := slices.BinarySearch(queries, stage.Query); ok && stage.Query != "" {
				*into[n], asked = traces[i], true
			}
		}
		if asked {
			out[ref] = ev
		}
	}
	return out
}

// queries are those of the roles, each once, sorted.
func (w *Witness) queries(refs []specs.Ref) []string {
	var out []string
	for _, ref := range refs {
		terms := w.terms[ref]
		for _, stage := range terms.Stages() {
			if stage.Query != "" {
				out = append(out, stage.Query)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
