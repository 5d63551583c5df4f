package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Config says which CronJobs of a cluster a source is.
type Config struct {
	// Source is the source's name.
	Source string
	// Namespaces are those to read. None means all of them, since an audit must
	// not overlook any.
	Namespaces []string
	// AllNamespaces reads all, whatever Namespaces says.
	AllNamespaces bool
	// Selector narrows the source to objects with labels, in kubectl's form. An
	// object that has lost its label is no longer in the source.
	Selector string
	// PageSize is how many objects are asked for at a time: 0 means 10,000, and a
	// negative number means all at once.
	PageSize int64
	// Each calls do(0) to do(n-1), at once as far as the caller wants that, and
	// returns when all have returned. It is used where namespaces must be read
	// one by one; nil means one after the other.
	Each func(n int, do func(i int))
	// Now is the instant of judgement, from which Explain counts what was missed
	// and for how long something has been going on. Nil leaves that out.
	Now func() time.Time
}

// defaultPageSize is the most that the API server reads from etcd at a time of its
// own accord (maxLimit in storage/etcd3/store.go), so that a page is nothing unusual
// to it. In pages of 500 the same list was up to twice the work for it (v1.36.3),
// and each is a way to and fro.
const defaultPageSize = 10_000

const (
	clusterPart     = "cluster"
	namespacePrefix = "namespace/"
)

// Provider lists the CronJobs of a cluster. It sends get and list requests and
// nothing else.
type Provider struct {
	client     rest.Interface
	source     string
	namespaces []string // none means the whole cluster
	selector   string
	pageSize   int64
	each       func(n int, do func(i int))
	now        func() time.Time
}

var (
	_ providers.Provider   = (*Provider)(nil)
	_ providers.Translator = (*Provider)(nil)
	_ providers.Explainer  = (*Provider)(nil)
)

// New is a provider over a client that NewClient made. An error is a mistake in
// the configuration.
func New(client rest.Interface, cfg Config) (*Provider, error) {
	p := &Provider{client: client, source: cfg.Source, selector: cfg.Selector, pageSize: cfg.PageSize, each: cfg.Each, now: cfg.Now}
	if cfg.Source == "" {
		return nil, errors.New("a kubernetes source has no name; give it one with name:")
	}
	if _, err := labels.Parse(cfg.Selector); err != nil {
		return nil, fmt.Errorf("source %s: selector %q: %w; write it as for kubectl -l", cfg.Source, cfg.Selector, err)
	}
	if !cfg.AllNamespaces {
		p.namespaces = slices.Compact(slices.Sorted(slices.Values(cfg.Namespaces)))
	}
	for _, ns := range p.namespaces {
		if problems := validation.IsDNS1123Label(ns); len(problems) > 0 {
			return nil, fmt.Errorf("source %s: namespace %q cannot exist: %s", cfg.Source, ns, problems[0])
		}
	}
	if p.pageSize == 0 {
		p.pageSize = defaultPageSize
	}
	if p.each == nil {
		p.each = oneByOne
	}
	if p.now == nil {
		p.now = func() time.Time { return time.Time{} }
	}
	return p, nil
}

func oneByOne(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

// Translate gives what a role's statement wants of a CronJob.
func (p *Provider) Translate(st specs.Statement) (specs.Desired, error) {
	return p.scope().translate(st)
}

// Reads says that the source can hold CronJobs of a namespace, as far as its
// configuration says: of all of them where it names none.
func (p *Provider) Reads(namespace string) bool { return p.scope().reads(namespace) }

func (p *Provider) scope() scope { return scope{source: p.source, namespaces: p.namespaces} }

// Observe lists the CronJobs. Named namespaces are an area each. The whole
// cluster is asked for in one list and is one area, named cluster; where that
// is forbidden and the namespaces can be listed, each of them is an area.
func (p *Provider) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	o := providers.Observation{Source: p.source, Provider: "kubernetes"}
	switch {
	case len(p.namespaces) > 0:
		p.readNamespaces(ctx, &o, wanted(p.namespaces, sel), true, sel.Literals)
	case sel.Wants(clusterPart):
		p.readCluster(ctx, &o, sel.Literals)
	default:
		p.readNamespaces(ctx, &o, namespacesOf(sel), false, sel.Literals)
	}
	o.Sort()
	return o
}

func wanted(namespaces []string, sel providers.Selection) []string {
	return slices.DeleteFunc(slices.Clone(namespaces), func(ns string) bool { return !sel.Wants(namespacePrefix + ns) })
}

// namespacesOf are the namespaces that a selection of areas names.
func namespacesOf(sel providers.Selection) []string {
	var out []string
	for _, part := range sel.Parts {
		if ns, ok := strings.CutPrefix(part, namespacePrefix); ok && len(validation.IsDNS1123Label(ns)) == 0 {
			out = append(out, ns)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// readCluster reads all namespaces in one list, or one by one where only that
// is allowed.
func (p *Provider) readCluster(ctx context.Context, o *providers.Observation, literals bool) {
	whole := p.readJobs(ctx, "", literals)
	if whole.area.State != providers.Denied {
		whole.addTo(o)
		return
	}
	o.Requests += whole.requests
	names, requests, err := p.listNamespaces(ctx)
	o.Requests += requests
	p.readNamespaces(ctx, o, names, false, literals)
	switch {
	case len(names) == 0:
		whole.area.Reason += namespacesUnknown(err)
		o.Areas = append(o.Areas, whole.area)
	case err != nil:
		o.Areas = append(o.Areas, providers.Area{Part: clusterPart, State: providers.Partial,
			Reason: "not all namespaces could be listed: " + reasonOf(ctx, err, "namespaces", "")})
	}
}

func namespacesUnknown(err error) string {
	if err == nil {
		return "; the list of namespaces is empty for this user too"
	}
	return "; namespaces cannot be listed either, so name those that count: namespaces: in the config, or -n"
}

// readNamespaces reads each namespace into its own slot.
func (p *Provider) readNamespaces(ctx context.Context, o *providers.Observation, names []string, named, literals bool) {
	slots := make([]reading, len(names))
	p.each(len(names), func(i int) {
		slots[i] = p.readJobs(ctx, names[i], literals)
		if named && p.selector == "" && slots[i].whole() && len(slots[i].objects) == 0 {
			p.doubtEmpty(ctx, &slots[i], names[i])
		}
	})
	for i := range slots {
		slots[i].addTo(o)
	}
}

// doubtEmpty tells a namespace without CronJobs from one that does not exist,
// for which the server's list is just as empty. It only makes a note: both were
// read and hold nothing.
func (p *Provider) doubtEmpty(ctx context.Context, r *reading, namespace string) {
	r.requests++
	if p.namespaceGone(ctx, namespace) {
		r.notes = append(r.notes, providers.Note{Code: "suspicious-empty",
			Message: fmt.Sprintf("source %s: namespace %s does not exist in the cluster; check its spelling and the context", p.source, namespace)})
	}
}
