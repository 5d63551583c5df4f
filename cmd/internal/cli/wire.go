package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	gh "github.com/google/go-github/v62/github"
	"k8s.io/klog/v2"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/crontab"
	"github.com/rolecall-dev/rolecall/providers/github"
	"github.com/rolecall-dev/rolecall/providers/kubernetes"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// scope is what a run looks at, and what of the config it does not.
type scope struct {
	mode    mode
	sources []audit.Source
	skipped []audit.Skipped
}

// names are all sources that a ledger may name.
func (s scope) names() []string {
	var out []string
	for _, x := range s.sources {
		out = append(out, x.Name)
	}
	for _, x := range s.skipped {
		out = append(out, x.Name)
	}
	return out
}

// hasRole says that a role of the ledger, of those with the keys if any are
// given, is to be looked for in this scope.
func (s scope) hasRole(l ledger.Ledger, keys []string) bool {
	return slices.ContainsFunc(l.Roles, func(r specs.Role) bool {
		return (len(keys) == 0 || slices.Contains(keys, r.Key)) &&
			slices.ContainsFunc(s.sources, func(x audit.Source) bool { return slices.Contains(r.Sources, x.Name) })
	})
}

// checkNamespaces refuses a match by a namespace that its source does not read:
// such a role could never be found, and would be called missing.
func (s scope) checkNamespaces(l ledger.Ledger) error {
	var errs []error
	for _, x := range s.sources {
		p, ok := x.Provider.(interface{ Reads(namespace string) bool })
		for _, r := range l.Roles {
			ns := r.Match.Keys["namespace"]
			if ok && ns != "" && !strings.ContainsAny(ns, "*?") && slices.Contains(r.Sources, x.Name) && !p.Reads(ns) {
				errs = append(errs, fmt.Errorf("%s: role %s is matched in namespace %s, which the source %s does not read; add it to the source's namespaces", r.Match.Pos, r.Key, ns, x.Name))
			}
		}
	}
	return errors.Join(errs...)
}

// why says for each source why it is not in scope.
func (s scope) why() string {
	if len(s.skipped) == 0 {
		return "the config names none"
	}
	var out []string
	for _, x := range s.skipped {
		out = append(out, x.Name+" ("+x.Reason+")")
	}
	return strings.Join(out, ", ")
}

const howToBegin = `no config and no source is given; begin with one of
  rolecall ledger init                                     write a first ledger from this host's crontabs
  rolecall audit --ledger ledger.yaml --crontab FILE       compare one crontab file
  rolecall audit --offline --config rolecall.yaml          compare the files of a checkout`

// scope decides what to look at and makes the providers for it.
func (a *app) scope(c Config, f targetFlags, args []string) (scope, error) {
	m, err := f.mode()
	if err != nil {
		return scope{}, err
	}
	sources := c.Sources
	flagged := f.any()
	if flagged {
		if sources, err = f.asSources(); err != nil {
			return scope{}, err
		}
	}
	if m != snapshot && len(sources) == 0 {
		return scope{}, usage(errors.New(howToBegin))
	}
	if n := readsStdin(sources); n > 1 && m != snapshot {
		return scope{}, usage(fmt.Errorf("%d sources are to be read from standard input, which can be read once; give the others a file", n))
	}
	s := scope{mode: m}
	w := &wiring{app: a, config: c, flags: f, flagged: flagged}
	if m == snapshot {
		err = w.replay(&s, append(slices.Clone(f.snapshots), args...))
	} else {
		err = w.look(&s, sources)
	}
	if err != nil {
		return scope{}, err
	}
	for _, src := range c.Sources {
		if !slices.Contains(s.names(), src.Name) {
			s.skipped = append(s.skipped, absent(src, m))
		}
	}
	if flagged && !slices.ContainsFunc(s.sources, func(x audit.Source) bool { return x.Rule.Live }) {
		s.mode = offline
	}
	return s, errors.Join(s.checkChosen(f.sources), s.checkRuns(f.runs))
}

// checkRuns refuses records of a source that there is not, or of several.
func (s scope) checkRuns(given []string) error {
	var crontabs []string
	for _, x := range s.sources {
		if x.Kind == "crontab" {
			crontabs = append(crontabs, x.Name)
		}
	}
	for _, v := range given {
		name, _ := named(v, "")
		switch {
		case name == "" && len(crontabs) == 1:
		case name == "" && len(crontabs) == 0:
			return usage(fmt.Errorf("--runs %s: no crontab source is looked at, and the records of rolecall run are evidence of those", v))
		case name == "":
			return usage(fmt.Errorf("--runs %s: there are %d crontab sources; say whose records they are: --runs %s=%s", v, len(crontabs), crontabs[0], v))
		case !slices.Contains(crontabs, name):
			return usage(fmt.Errorf("--runs %s: no crontab source %s is looked at", v, name))
		}
	}
	return nil
}

// readsStdin counts the files that are standard input.
func readsStdin(sources []Source) int {
	n := 0
	for _, s := range sources {
		if s.Crontab != nil {
			for _, f := range s.Crontab.Files {
				if f.Path == "-" {
					n++
				}
			}
		}
		if s.Kubernetes != nil {
			for _, p := range s.Kubernetes.Manifests {
				if p == "-" {
					n++
				}
			}
		}
	}
	return n
}

// absent is a source of the config that is not part of a run that does not go by
// the config.
func absent(src Source, m mode) audit.Skipped {
	if m == snapshot {
		return audit.Skipped{Name: src.Name, Kind: src.kind(), Reason: "no snapshot of it is given"}
	}
	return audit.Skipped{Name: src.Name, Kind: src.kind(), Reason: "the flags name other sources", Chosen: true}
}

// notChosen is a source that --source does not name.
func notChosen(name, kind string) audit.Skipped {
	return audit.Skipped{Name: name, Kind: kind, Reason: "--source names others", Chosen: true}
}

// chosen says that --source does not name other sources only.
func (w *wiring) chosen(name string) bool {
	return len(w.flags.sources) == 0 || slices.Contains(w.flags.sources, name)
}

// checkChosen refuses a --source that there is not.
func (s scope) checkChosen(names []string) error {
	for _, n := range names {
		if !slices.Contains(s.names(), n) {
			return usage(fmt.Errorf("--source %s: no such source%s", n, didYouMean(n, s.names())))
		}
	}
	return nil
}

func didYouMean(word string, known []string) string {
	if best := strict.Nearest(word, known); best != "" {
		return "; did you mean " + best + "?"
	}
	return "; there are " + strings.Join(known, ", ")
}

// wiring makes providers.
type wiring struct {
	*app
	config  Config
	flags   targetFlags
	flagged bool
}

// look makes a provider for each source that has a side for the mode.
func (w *wiring) look(s *scope, sources []Source) error {
	var errs []error
	for _, src := range sources {
		if !w.chosen(src.Name) { // its server need not even be known here
			s.skipped = append(s.skipped, notChosen(src.Name, src.kind()))
			continue
		}
		p, isLive, why, err := w.provider(src, s.mode)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("source %s: %w", src.Name, err))
		case why != "":
			s.skipped = append(s.skipped, audit.Skipped{Name: src.Name, Kind: src.kind(), Reason: why})
		default:
			s.sources = append(s.sources, audit.Source{Name: src.Name, Kind: src.kind(), Provider: p, Rule: src.rule(isLive)})
		}
	}
	if len(errs) > 0 {
		return usage(errors.Join(errs...))
	}
	return nil
}

func (src Source) rule(isLive bool) classify.Rule {
	return classify.Rule{Live: isLive, IgnoreUnexpected: src.Unexpected == "ignore", Ignore: src.Ignore}
}

// kind is the name of the source's provider.
func (src Source) kind() string {
	switch {
	case src.Crontab != nil:
		return "crontab"
	case src.GitHub != nil:
		return "github"
	}
	return "kubernetes"
}

const (
	noOffline = "it has no offline side"
	noLive    = "it has no live side"
)

// provider is the source's for a mode, or why it has none. A source that flags
// name by its files is looked at in any mode.
func (w *wiring) provider(src Source, m mode) (p providers.Provider, isLive bool, why string, err error) {
	isLive = m == live
	switch {
	case src.Crontab != nil:
		isLive = isLive && !(w.flagged && len(src.Crontab.Files) > 0)
		p, why, err = w.crontab(src.Name, *src.Crontab, isLive)
	case src.GitHub != nil:
		isLive = isLive && !(w.flagged && src.GitHub.Workflows != "")
		p, why, err = w.github(src.Name, *src.GitHub, isLive)
	default:
		isLive = isLive && !(w.flagged && len(src.Kubernetes.Manifests) > 0)
		p, why, err = w.kubernetes(src.Name, *src.Kubernetes, isLive)
	}
	return p, isLive, why, err
}

func (w *wiring) crontab(name string, c CrontabSource, isLive bool) (providers.Provider, string, error) {
	cfg := crontab.Config{
		Source: name, Zone: c.Zone, Live: isLive, Users: c.Users, System: c.System, Root: "/", Base: w.config.Dir,
		Now: func() time.Time { return w.now().Local() }, Each: each,
	}
	if state, err := w.ownState(); isLive && err == nil {
		cfg.Backups = filepath.Join(state, "crontabs")
	}
	if c.Dialect != "" && c.Dialect != "auto" {
		cfg.Dialect = specs.Dialect(c.Dialect)
	}
	switch {
	case isLive && len(c.Users) == 0 && !c.System:
		return nil, noLive, nil
	case isLive && c.Host != "" && !sameHost(c.Host):
		return nil, "it is the host " + c.Host + " and this is another one; take its snapshot there", nil
	case !isLive && len(c.Files) == 0:
		return nil, noOffline, nil
	}
	if c.Root != "" {
		cfg.Root = filepath.Join(w.config.Dir, c.Root)
		if filepath.IsAbs(c.Root) {
			cfg.Root = c.Root
		}
	}
	for _, f := range c.Files {
		cfg.Files = append(cfg.Files, crontab.File{Path: f.Path, Format: f.Format, User: f.User})
	}
	p, err := crontab.New(crontab.NewHost(cfg.Root, w.In), cfg)
	if err != nil {
		return nil, "", err
	}
	records, err := w.recordsOf(name, c, isLive)
	if err != nil || len(records) == 0 {
		return p, "", err
	}
	return recordedCrontab{p, records, w.homes(name, c)}, "", nil
}

// sameHost compares by the short names, in any case.
func sameHost(name string) bool {
	here, err := os.Hostname()
	if err != nil {
		return false
	}
	short := func(s string) string { s, _, _ = strings.Cut(s, "."); return strings.ToLower(s) }
	return strings.EqualFold(name, here) || short(name) == short(here) && (!strings.Contains(name, ".") || !strings.Contains(here, "."))
}

func (w *wiring) kubernetes(name string, c KubernetesSource, isLive bool) (providers.Provider, string, error) {
	if !isLive {
		if len(c.Manifests) == 0 {
			return nil, noOffline, nil
		}
		p, err := kubernetes.NewManifests(kubernetes.ManifestConfig{Source: name, Base: w.config.Dir, Patterns: c.Manifests, Namespaces: c.Namespaces, Stdin: w.In, Each: each})
		return p, "", err
	}
	if c.Context == "" && len(c.Namespaces) == 0 && !c.AllNamespaces {
		return nil, noLive, nil
	}
	klog.SetLogger(logr.Discard()) // client-go would write to stderr beside what is reported
	rest, _, err := kubernetes.LoadConfig(w.flags.kubeconfig, c.Context, "")
	if err != nil {
		return w.unreachable(name, err)
	}
	rest.Timeout, rest.UserAgent = w.flags.request, "rolecall/"+version()
	client, err := kubernetes.NewClient(rest)
	if err != nil {
		return nil, "", err
	}
	p, err := kubernetes.New(client, kubernetes.Config{
		Source: name, Namespaces: c.Namespaces, AllNamespaces: len(c.Namespaces) == 0, Selector: cmp.Or(w.flags.selector, c.Selector), Each: each, Now: w.now,
	})
	return p, "", err
}

// unreachable is a cluster that this machine does not know how to reach: a gap of
// its own source, and no reason not to look at the others.
func (w *wiring) unreachable(name string, why error) (providers.Provider, string, error) {
	t, err := w.translator(Source{}, name, "kubernetes", "")
	return replayed{providers.Replay(providers.Observation{
		Source: name, Provider: "kubernetes",
		Areas: []providers.Area{{Part: "cluster", State: providers.Failed, Reason: why.Error()}},
	}), t}, "", err
}

func (w *wiring) github(name string, c GitHubSource, isLive bool) (providers.Provider, string, error) {
	if !isLive {
		if c.Workflows == "" {
			return nil, noOffline, nil
		}
		p, err := github.NewCheckout(github.CheckoutConfig{Source: name, Base: w.config.Dir, Dir: c.Workflows, Repo: onlyRepo(c.Repos), Each: each})
		return p, "", err
	}
	if len(c.Repos) == 0 {
		return nil, noLive, nil
	}
	client, cache, err := w.githubClient(c.API)
	if err != nil {
		return nil, "", err
	}
	cfg := github.Config{Source: name, Repos: c.Repos, CacheDir: cache, Each: each, Runs: true, BulkFrom: manyRepositories}
	if slow.Only() {
		cfg.BulkFrom = 0
	}
	if c.Workflows != "" {
		cfg.TemplateDir = filepath.Join(w.config.Dir, c.Workflows)
	}
	if cfg.Here, err = os.Getwd(); err != nil {
		return nil, "", err
	}
	p, err := github.New(client, cfg)
	return p, "", err
}

// onlyRepo is the repository that a checkout must be of, if the config names
// just one and no pattern.
func onlyRepo(repos []string) string {
	if len(repos) == 1 && !strings.ContainsAny(repos[0], "*?") {
		return repos[0]
	}
	return ""
}

// githubClient is a client for github.com, or for the server that the config or
// GH_HOST names, with gh's variables for the token: one for github.com is never
// sent to another server.
func (w *wiring) githubClient(api string) (*gh.Client, string, error) {
	host := w.githubHost(api)
	cache := w.cacheDir("github")
	opts := []github.TransportOption{github.WithPatience(patienceWithLimits, pause)}
	longest := w.flags.request + patienceWithLimits
	if host == "" { // a server of one's own has no limits unless it is given some
		opts = append(opts, github.WithPace(githubPace, time.Minute, time.Now, pause))
		longest += time.Minute
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.ResponseHeaderTimeout = w.flags.request
	client := gh.NewClient(&http.Client{Timeout: longest, Transport: github.NewTransport(base, cache, opts...)})
	if host != "" {
		if !strings.Contains(host, "://") {
			host = "https://" + host
		}
		u, err := url.Parse(host)
		if err != nil || u.Host == "" {
			return nil, "", fmt.Errorf("api %q is no address of a GitHub server; give one like https://github.example.com", host)
		}
		if client, err = client.WithEnterpriseURLs(host, host); err != nil {
			return nil, "", fmt.Errorf("api %q: %w", host, err)
		}
	}
	if name := w.tokenVariable(api); name != "" {
		client = client.WithAuthToken(w.getenv(name))
	}
	client.UserAgent = "rolecall/" + version()
	return client, cache, nil
}

// githubHost is the server that is asked in place of github.com; empty for that
// one.
func (a *app) githubHost(api string) string {
	if host := cmp.Or(api, a.getenv("GH_HOST")); host != "github.com" && host != "https://api.github.com" {
		return host
	}
	return ""
}

// tokenVariables are those that are used for a server, in their order: a token
// for github.com is sent to no other.
func (a *app) tokenVariables(api string) []string {
	if a.githubHost(api) != "" {
		return []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
	}
	return []string{"GH_TOKEN", "GITHUB_TOKEN"}
}

// tokenVariable is the first variable that is set.
func (a *app) tokenVariable(api string) string {
	for _, n := range a.tokenVariables(api) {
		if a.getenv(n) != "" {
			return n
		}
	}
	return ""
}

const (
	// manyRepositories is from how many on GitHub's GraphQL API is asked for their
	// files.
	manyRepositories = 50
	// githubPace is how many requests a minute github.com allows (REST reference,
	// secondary rate limits).
	githubPace = 900
)

// patienceWithLimits is the longest pause that GitHub may ask for and get; a
// limit that lasts longer is a gap that says when it ends.
const patienceWithLimits = 20 * time.Second

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// cacheDir is where what can be read again is kept, by the XDG base directory
// specification; empty if neither it nor a home is known.
func (a *app) cacheDir(of string) string {
	if dir := a.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "rolecall", of)
	}
	if home := a.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "rolecall", of)
	}
	return ""
}

// each runs f for every index below n, a few at a time.
func each(n int, f func(i int)) {
	bound := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		bound <- struct{}{}
		go func() {
			defer wg.Done()
			defer func() { <-bound }()
			f(i)
		}()
	}
	wg.Wait()
}
