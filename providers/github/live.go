package github

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Config says which repositories a source is.
type Config struct {
	Source string
	// Repos are owner/name, or owner/pattern with * and ? in the name.
	Repos []string
	// CacheDir is where blobs are kept; empty: nowhere. Private repositories'
	// workflows lie there too, readable for this user alone.
	CacheDir string
	// TemplateDir is a checkout whose workflows are the templates of roles that
	// name one; empty: only their path is compared.
	TemplateDir string
	// Here is the folder from which the names of templates are, for commands that
	// are to be run in another; empty: they are absolute.
	Here string
	// Each runs f for 0 … n-1, in parallel as far as it likes; nil: in turn.
	Each func(n int, f func(i int))
	// Runs asks for the scheduled runs of exactly named repositories as well,
	// which is a fourth request for each. Those that a pattern names are asked
	// in any case.
	Runs bool
	// Permissions asks whether Actions is switched on, one more request for a
	// repository. It needs a token that may read the repository's administration.
	Permissions bool
	// BulkFrom is the number of repositories from which on their workflow files are
	// read by GraphQL, a hundred repositories a query, where the server has it for
	// this token; 0: never. It changes how much is asked and nothing that is said.
	BulkFrom int
}

// Provider looks at the workflows of repositories over GitHub's REST API.
type Provider struct {
	client *gh.Client
	cfg    Config
	want   wanted
	blobs  *store
}

// New makes a provider. It asks nothing yet. Retries, limits and conditional
// requests are the client's matter: see NewTransport.
func New(client *gh.Client, cfg Config) (*Provider, error) {
	if client == nil || cfg.Source == "" || len(cfg.Repos) == 0 {
		return nil, errors.New("a GitHub source needs a client, a name and repositories; set repos: in the config, for example repos: [owner/name]")
	}
	want, err := readRepos(cfg.Repos)
	if err != nil {
		return nil, err
	}
	p := &Provider{client: client, cfg: cfg, want: want, blobs: &store{limit: blobLimit}}
	if cfg.CacheDir != "" {
		p.blobs.dir = filepath.Join(cfg.CacheDir, "blobs")
	}
	return p, nil
}

// Translate gives what a statement wants. A workflow that it names is, where
// TemplateDir is set, that checkout's file as a template. What a template calls
// is read there too where the source is one repository, so that the checkout can
// only be its.
func (p *Provider) Translate(st specs.Statement) (specs.Desired, error) {
	switch {
	case p.cfg.TemplateDir == "":
		return translate(st, nil, nil)
	case len(p.want.exact) == 1 && len(p.want.patterns) == 0:
		return translate(st, p.templateFile, p.templateFile)
	}
	return translate(st, p.templateFile, nil)
}

// templateFile reads a workflow of the checkout, which must lie in it.
func (p *Provider) templateFile(name string) ([]byte, error) {
	root, err := os.OpenRoot(p.cfg.TemplateDir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name = filepath.FromSlash(path.Clean(name))
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f)
}

// Observe lists the repositories and reads each. Its areas are owner/O for the
// listing of an owner, glob/O/PATTERN for a pattern that matches nothing, and
// repo/O/R. A repository that answers 404 is denied, never absent.
func (p *Provider) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	out := providers.Observation{Source: p.cfg.Source, Provider: "github"}
	g := &gate{}
	targets := p.targets(ctx, g, sel, &out)
	found := make([]reading, len(targets))
	asked := make([]int, len(targets))
	ahead, queries := p.bulk(ctx, targets)
	out.Requests += queries
	p.each(len(targets), func(i int) {
		r := p.repository(ctx, g, targets[i], sel.Literals)
		r.ahead = ahead[i]
		found[i] = r.observe()
		asked[i] = r.requests
	})
	for i, f := range found {
		out.Areas = append(out.Areas, f.area)
		out.Objects = append(out.Objects, f.objects...)
		out.Notes = append(out.Notes, f.notes...)
		out.Requests += asked[i]
	}
	if !p.cfg.Permissions && slices.ContainsFunc(out.Objects, func(o providers.Object) bool { return len(o.Inactive()) == 0 }) {
		out.Notes = append(out.Notes, providers.Note{Code: "not-checked", Message: "whether GitHub Actions is switched on at all for a repository is not asked for: that takes a token that may read its administration"})
	}
	out.Notes = append(out.Notes, topOfHour(out.Objects)...)
	out.Sort()
	return out
}

func (p *Provider) each(n int, f func(int)) {
	if p.cfg.Each != nil {
		p.cfg.Each(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// target is a repository to look at.
type target struct {
	name string // owner/name, as the config or the listing has it
	// meta is what the listing said of it; nil if it was not listed.
	meta *gh.Repository
}

func (t target) part() string { return "repo/" + t.name }

// targets are the repositories to look at, each once. Listings that fail are
// areas of the observation.
func (p *Provider) targets(ctx context.Context, g *gate, sel providers.Selection, out *providers.Observation) []target {
	if len(sel.Parts) > 0 && !slices.ContainsFunc(sel.Parts, func(s string) bool { return strings.HasPrefix(s, "owner/") || strings.HasPrefix(s, "glob/") }) {
		return p.selected(sel)
	}
	listed := map[string]*gh.Repository{}
	var order []target
	for _, owner := range p.want.owners() {
		for _, m := range p.owner(ctx, g, owner, out) {
			key := strings.ToLower(m.GetFullName())
			if listed[key] == nil && p.want.covers(m.GetFullName()) {
				order = append(order, target{m.GetFullName(), m})
			}
			listed[key] = m
		}
	}
	for _, name := range p.want.exact {
		if m := listed[strings.ToLower(name)]; m == nil {
			order = append(order, target{name: name})
			listed[strings.ToLower(name)] = &gh.Repository{}
		}
	}
	order = slices.DeleteFunc(order, func(t target) bool { return !sel.Wants(t.part()) })
	arrange.By(order, func(a, b target) int { return strings.Compare(a.name, b.name) })
	return order
}

// selected are the repositories that a selection names, of those that are the
// source's.
func (p *Provider) selected(sel providers.Selection) []target {
	var out []target
	for _, part := range sel.Parts {
		name, ok := strings.CutPrefix(part, "repo/")
		if ok && p.want.covers(name) && !slices.ContainsFunc(out, func(t target) bool { return t.name == name }) {
			out = append(out, target{name: name})
		}
	}
	return out
}

// owner lists an owner's repositories, as far as that can be done, and says
// which patterns matched none.
func (p *Provider) owner(ctx context.Context, g *gate, owner string, out *providers.Observation) []*gh.Repository {
	l := &listing{asker: asker{ctx: ctx, client: p.client, gate: g}, owner: owner}
	err := l.read()
	out.Requests += l.requests
	out.Notes = append(out.Notes, l.notes...)
	area := providers.Area{Part: "owner/" + owner, State: providers.Read}
	if err != nil {
		t := l.explain(err)
		area.State, area.Reason = t.state, "the list of repositories: "+t.reason
		if len(l.found) > 0 {
			area.State = providers.Partial
		}
	}
	out.Areas = append(out.Areas, area)
	for _, pattern := range p.want.patterns {
		if of, _, _ := strings.Cut(pattern, "/"); err != nil || !strings.EqualFold(of, owner) || l.matches(pattern) {
			continue
		}
		out.Areas = append(out.Areas, providers.Area{Part: "glob/" + pattern, State: providers.Missing,
			Reason: fmt.Sprintf("none of the %d repositories of %s that this token sees matches it; correct the pattern, or give the token access", len(l.found), owner)})
	}
	return l.found
}
