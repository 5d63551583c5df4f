package cli

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/prometheus"
	"github.com/rolecall-dev/rolecall/specs"
)

// witnesses are those that the ledger names for roles of sources in scope. What is
// read from files of a checkout has not run anywhere: nobody is asked about it,
// but where a flag says whom.
func (w *wiring) witnesses(l ledger.Ledger, s scope) ([]providers.Witness, error) {
	queries := map[specs.Ref]specs.EvidenceTerms{}
	places := placeWitness{base: filepath.Dir(l.Path), terms: map[specs.Ref]placed{}}
	for _, src := range s.sources {
		runs := src.Rule.Live || s.mode == snapshot
		if !runs && w.flags.prometheus == "" {
			continue
		}
		for i := range l.Roles {
			r := &l.Roles[i]
			if !r.Evidence.NamesPlace() || !slices.Contains(r.Sources, src.Name) {
				continue // nobody is to be asked
			}
			ref, terms := specs.Ref{Role: r.Key, Source: src.Name}, r.Evidence.In(src.Name)
			queries[ref] = terms
			if runs {
				places.terms[ref] = placed{terms, w.elsewhere(src, s.mode), w.below(src)}
			}
		}
	}
	p, err := w.prometheus(queries)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return []providers.Witness{places, unasked(queries)}, nil
	}
	return []providers.Witness{places, p}, nil
}

// elsewhere says that the paths of a host's roles are not those of this machine:
// its crontabs are known by a listing from there.
func (w *wiring) elsewhere(src audit.Source, m mode) bool {
	if src.Kind != "crontab" || m != snapshot {
		return false
	}
	c := w.configured(providers.Observation{Source: src.Name}).Crontab
	return c == nil || c.Host == "" || !sameHost(c.Host)
}

// below is the root under which the absolute paths of a source's roles are; empty
// for this machine's own.
func (w *wiring) below(src audit.Source) string {
	if c := w.configured(providers.Observation{Source: src.Name}).Crontab; src.Kind == "crontab" && c != nil {
		return w.rootOf(*c)
	}
	return ""
}

// fixedNow is the instant that --now fixes, if it does.
func (a *app) fixedNow() time.Time {
	if a.flags.now == "" {
		return time.Time{}
	}
	return a.now()
}

// prometheusURL is the server that is asked: the flag's, else the config's.
func (w *wiring) prometheusURL() string { return cmp.Or(w.flags.prometheus, w.config.Prometheus.URL) }

// prometheus is the witness for queries; nil where no server is known.
func (w *wiring) prometheus(terms map[specs.Ref]specs.EvidenceTerms) (*prometheus.Witness, error) {
	if w.prometheusURL() == "" {
		return nil, nil
	}
	p, err := prometheus.New(prometheus.Config{
		URL: w.prometheusURL(), Timeout: w.config.Prometheus.Timeout, At: w.fixedNow(), Each: each, Transport: http.DefaultTransport,
		Token: w.getenv("ROLECALL_PROMETHEUS_TOKEN"), User: w.getenv("ROLECALL_PROMETHEUS_USER"), Password: w.getenv("ROLECALL_PROMETHEUS_PASSWORD"),
	}, terms)
	if err != nil {
		return nil, usage(err)
	}
	return p, nil
}

// unasked answers for queries where no server is known to ask.
type unasked map[specs.Ref]specs.EvidenceTerms

// Testify says of each stage with a query that nobody could be asked.
func (u unasked) Testify(_ context.Context, refs []specs.Ref) map[specs.Ref]providers.Evidence {
	out := map[specs.Ref]providers.Evidence{}
	for _, ref := range refs {
		var ev providers.Evidence
		asked, terms, into := false, u[ref], ev.Stages()
		for i, source := range terms.Stages() {
			if source.Query != "" {
				asked = true
				*into[i] = unreadTrace("", "the ledger names a query and no Prometheus is known to ask; add prometheus: {url: URL} to the config, or give --prometheus URL")
			}
		}
		if asked {
			out[ref] = ev
		}
	}
	return out
}

func unreadTrace(from, why string) providers.Trace {
	return providers.Trace{State: providers.Unreadable, From: from, Reason: why}
}
