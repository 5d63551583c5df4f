package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	gh "github.com/google/go-github/v62/github"
	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/change"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/github"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// edition is config and ledger at one revision, or as they are in the checkout.
type edition struct {
	rev, commit string // empty for the checkout
	root        string // the folder that stands for the top of the checkout
	config      Config // with its Dir below root
	here        Config // the same, with its Dir in the checkout
	written     Config // as it is written
	ledger      ledger.Ledger
	text        []byte // of the ledger; nil if there is none
	hasConfig   bool
	// sameConfig says that it looks where the checkout does.
	sameConfig bool
}

// checkedOut is the edition of the files as they are.
func checkedOut(repo repository, s loaded, l ledger.Ledger) (edition, error) {
	text, err := os.ReadFile(l.Path)
	return edition{root: repo.top, config: s.Config, ledger: l, text: text, hasConfig: s.Config.Path != ""}, err
}

// unreadable is why an edition could not be read, with the revision in each place.
type unreadable struct{ error }

// editions reads editions out of a repository.
type editions struct {
	*app
	repo repository
	cmd  *cobra.Command
	head loaded // as it is in the checkout
	// sources are those that flags name in place of the config's; nil if none do.
	sources []Source
	// gate says that a ledger of the name that a flag gives may not be there yet.
	gate bool
}

// at reads the edition of a commit. What lies where its config looks is taken out
// into a folder, which is to be removed with the edition.
func (e editions) at(ctx context.Context, rev, commit string) (edition, error) {
	t, err := e.repo.tree(ctx, commit)
	if err != nil {
		return edition{}, err
	}
	defer t.Close()
	out := edition{rev: rev, commit: commit}
	if out.root, err = os.MkdirTemp("", "rolecall-base-"); err != nil {
		return edition{}, internal(err)
	}
	err = e.fill(ctx, t, &out)
	if ctx.Err() != nil { // whatever git said when it was stopped
		err = fmt.Errorf("%w while git was reading; no report was written", audit.ErrInterrupted)
	}
	if err != nil {
		if why := (unreadable{}); errors.As(err, &why) {
			return out, err // what could be read of it is of use
		}
		out.remove()
		return edition{}, err
	}
	return out, nil
}

func (ed edition) remove() {
	if ed.commit != "" {
		os.RemoveAll(ed.root)
	}
}

func (e editions) fill(ctx context.Context, t *commitTree, out *edition) error {
	configErr := e.readConfig(t, out)
	if configErr != nil {
		out.config = e.head.Config
	}
	ledgerErr := e.readEditionLedger(t, out)
	head := e.headPlace()
	own := head
	if out.hasConfig && e.sources == nil {
		own.dir, own.inside = out.config.Dir, true
	}
	if e.sources != nil {
		out.config.Sources = e.sources
	}
	// a .git, since only a whole checkout proves that it has no workflows
	if err := os.Mkdir(filepath.Join(out.root, ".git"), 0o700); err != nil {
		return internal(err)
	}
	wanted := append(own.wanted(out.config.Sources), head.wanted(e.headSources())...)
	if err := t.extract(ctx, out.root, wanted); err != nil {
		return err
	}
	out.here = own.rebased(out.config, e.repo.top)
	out.config = own.rebased(out.config, out.root)
	return errors.Join(configErr, ledgerErr)
}

// headSources are the sources that are looked at in the checkout.
func (e editions) headSources() []Source {
	if e.sources != nil {
		return e.sources
	}
	return e.head.Config.Sources
}

// headPlace is where the paths of the present config begin.
func (e editions) headPlace() place {
	dir := e.head.Config.Dir
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	rel, ok := e.repo.rel(dir)
	return place{top: e.repo.top, dir: rel, inside: ok, abs: abs}
}

// readConfig finds the config as it was: under its present name, else from here
// upward under the usual one. Without any it is the present one.
func (e editions) readConfig(t *commitTree, out *edition) error {
	out.config = e.head.Config
	for _, name := range e.configNames() {
		if !t.has(name) {
			continue
		}
		data, err := t.read(name, strict.MaxBytes)
		if err != nil {
			return unreadable{fmt.Errorf("%s:%s: %w", out.rev, name, err)}
		}
		c, err := ParseConfig(name, data)
		if err != nil {
			return unreadable{placedAt(out.rev, err)}
		}
		c.Dir = path.Dir(name)
		out.config, out.written, out.hasConfig = c, c, true
		now, err := os.ReadFile(e.head.Config.Path)
		was, _ := e.repo.rel(e.head.Config.Path)
		out.sameConfig = err == nil && was == name && bytes.Equal(now, data)
		return nil
	}
	return nil
}

func (e editions) configNames() []string {
	var out []string
	if e.head.Config.Path != "" {
		name, ok := e.repo.rel(e.head.Config.Path)
		if !ok {
			return nil // one of the user's own, as it is
		}
		out = append(out, name)
	}
	here, ok := e.repo.rel(".")
	for ok {
		out = append(out, path.Join(here, ConfigName))
		if here == "." {
			break
		}
		here = path.Dir(here)
	}
	return out
}

// readEditionLedger reads the ledger that a flag or a variable names, or, for a
// gate, where there was none of that name, the one that the config named.
func (e editions) readEditionLedger(t *commitTree, out *edition) error {
	name := e.ledgerName(t, *out)
	switch {
	case name == "" && e.gate:
		return e.ledgerGone(t, *out)
	case name == "":
		return nil
	}
	data, err := t.read(name, strict.MaxBytes)
	if err != nil {
		return unreadable{fmt.Errorf("%s:%s: %w", out.rev, name, err)}
	}
	shown := e.shown(name)
	read := func(rel string) ([]byte, error) {
		return t.read(path.Join(path.Dir(name), rel), strict.MaxBytes)
	}
	l, _, err := ledger.Parse(shown, data, read)
	if err != nil {
		return unreadable{placedAt(out.rev, err)}
	}
	out.ledger, out.text = l, data
	return nil
}

// ledgerName is the path of an edition's ledger below the top; empty if it has none.
func (e editions) ledgerName(t *commitTree, out edition) string {
	var names []string
	add := func(name string, ok bool) {
		if ok && t.has(name) {
			names = append(names, name)
		}
	}
	if !out.hasConfig || e.namedLedger() {
		add(e.repo.rel(e.head.Settings.Ledger))
	}
	switch {
	case len(names) > 0 || e.namedLedger() && !e.gate:
	case out.hasConfig && filepath.IsAbs(out.config.Ledger):
		add(e.repo.rel(out.config.Ledger))
	case out.hasConfig:
		add(path.Clean(path.Join(out.config.Dir, filepath.ToSlash(orLedger(out.config.Ledger)))), true)
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// ledgerGone refuses an edition that has no ledger under any name that is known
// here, but one under a name that the checkout no longer has.
func (e editions) ledgerGone(t *commitTree, out edition) error {
	for _, entry := range t.under([]string{"."}) {
		name := entry.path
		if ext := path.Ext(name); ext != ".yaml" && ext != ".yml" || !t.has(name) || hasFile(filepath.Join(e.repo.top, filepath.FromSlash(name))) {
			continue
		}
		data, err := t.read(name, strict.MaxBytes)
		if err == nil && ledgerLine().Match(data) {
			return unreadable{fmt.Errorf("%s has no ledger where its config or --ledger names one, but %s is one there and is gone in the checkout; move it in one change and edit it in another, or let the config name it in both", out.rev, name)}
		}
	}
	return nil
}

var ledgerLine = lazy.Expression(`(?m)^["']?ledger["']?:\s*["']?rolecall/`)

func orLedger(name string) string {
	if name == "" {
		return "ledger.yaml"
	}
	return name
}

func (e editions) namedLedger() bool {
	f := e.cmd.Flags().Lookup("ledger")
	return f != nil && f.Changed || e.getenv(envName("ledger")) != ""
}

// shown is a path below the top as a person here writes it.
func (e editions) shown(name string) string {
	return shownFrom(filepath.Join(e.repo.top, filepath.FromSlash(name)))
}

func shownFrom(abs string) string {
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return abs
	}
	if rel, err := filepath.Rel(here, abs); err == nil {
		return rel
	}
	return abs
}

// placedAt puts the revision before each place of an error.
func placedAt(rev string, err error) error {
	var f *strict.Failure
	if !errors.As(err, &f) {
		return fmt.Errorf("%s:%w", rev, err)
	}
	out := *f
	out.Errors = slices.Clone(f.Errors)
	for i := range out.Errors {
		out.Errors[i].Pos.File = rev + ":" + out.Errors[i].Pos.File
	}
	return &out
}

// place is the folder to which a config's paths are relative.
type place struct {
	top    string // of the checkout
	dir    string // below the top, with slashes
	inside bool   // it is in the checkout
	abs    string // where it is now
}

// below is a path or pattern from the top of the checkout; false if it leads out
// of it.
func (p place) below(pattern string) (string, bool) {
	if filepath.IsAbs(pattern) {
		in, err := filepath.Rel(p.top, pattern)
		return filepath.ToSlash(in), err == nil && filepath.IsLocal(in)
	}
	rel := path.Join(p.dir, filepath.ToSlash(pattern))
	return rel, p.inside && rel != ".." && !strings.HasPrefix(rel, "../")
}

// wanted are the paths below the top at which sources look.
func (p place) wanted(sources []Source) []string {
	var out []string
	for _, s := range sources {
		for _, pattern := range offlineSide(s) {
			if rel, ok := p.below(pattern); ok && pattern != "-" {
				out = append(out, fixedPart(rel))
			}
		}
	}
	return out
}

// offlineSide are the paths and patterns of a source's files.
func offlineSide(s Source) []string {
	var out []string
	switch {
	case s.Crontab != nil:
		for _, f := range s.Crontab.Files {
			out = append(out, f.Path)
		}
	case s.GitHub != nil && s.GitHub.Workflows != "":
		out = append(out, path.Join(filepath.ToSlash(s.GitHub.Workflows), ".github/workflows"))
	case s.Kubernetes != nil:
		out = s.Kubernetes.Manifests
	}
	return out
}

// fixedPart is a pattern's path before the first part that is none.
func fixedPart(pattern string) string {
	var out []string
	for _, part := range strings.Split(path.Clean(pattern), "/") {
		if strings.ContainsAny(part, `*?[{\`) {
			break
		}
		out = append(out, part)
	}
	return path.Join(append([]string{"."}, out...)...)
}

// rebased is a config that looks at the same places below another top. What lies
// outside the checkout is no part of any revision, and stays where it is.
func (p place) rebased(c Config, root string) Config {
	c.Dir = p.abs
	if p.inside {
		c.Dir = filepath.Join(root, filepath.FromSlash(p.dir))
	}
	c.Sources = slices.Clone(c.Sources)
	move := func(pattern string) string {
		rel, below := p.below(pattern)
		switch {
		case pattern == "-":
		case below && filepath.IsAbs(pattern):
			return filepath.Join(root, filepath.FromSlash(rel))
		case !below && !filepath.IsAbs(pattern) && p.inside:
			return filepath.Join(p.top, filepath.FromSlash(rel))
		}
		return pattern
	}
	for i := range c.Sources {
		s := &c.Sources[i]
		switch {
		case s.Crontab != nil:
			one := *s.Crontab
			one.Files = slices.Clone(one.Files)
			for k := range one.Files {
				one.Files[k].Path = move(one.Files[k].Path)
			}
			s.Crontab = &one
		case s.GitHub != nil && s.GitHub.Workflows != "":
			one := *s.GitHub
			one.Workflows = move(one.Workflows)
			s.GitHub = &one
		case s.Kubernetes != nil:
			one := *s.Kubernetes
			one.Manifests = slices.Clone(one.Manifests)
			for k := range one.Manifests {
				one.Manifests[k] = move(one.Manifests[k])
			}
			s.Kubernetes = &one
		}
	}
	return c
}

// desire puts the ledger of an edition in the terms of the sources of configs, of
// which the first that has a source counts. What a workflow that a role names
// holds counts as its spec, where it can be read. The error is one of the roles
// that cannot be translated; the others are there.
func (a *app) desire(ed edition, configs ...Config) (map[specs.Ref]specs.Desired, map[specs.Ref]specs.Desired, error) {
	w := &wiring{app: a, config: ed.config}
	var plain, whole []audit.Source
	seen := map[string]bool{}
	for _, c := range configs {
		for _, src := range c.Sources {
			if seen[src.Name] {
				continue
			}
			seen[src.Name] = true
			t, err := w.translatorOf(src)
			if err != nil {
				return nil, nil, fmt.Errorf("source %s: %w", src.Name, err)
			}
			plain = append(plain, audit.Source{Name: src.Name, Kind: src.kind(), Provider: t})
			if src.GitHub != nil && src.GitHub.Workflows != "" {
				t, err := templates(src.Name, filepath.Join(ed.config.Dir, workflowsOf(ed.config, src)))
				if err != nil {
					return nil, nil, fmt.Errorf("source %s: %w", src.Name, err)
				}
				whole = append(whole, audit.Source{Name: src.Name, Kind: src.kind(), Provider: t})
			}
		}
	}
	roles, err := audit.Desire(ed.ledger, plain)
	content, _ := audit.Desire(ed.ledger, whole)
	return marked(roles), marked(content), err
}

// workflowsOf is a source's checkout as the edition's own config has it.
func workflowsOf(c Config, src Source) string {
	for _, s := range c.Sources {
		if s.Name == src.Name && s.GitHub != nil && s.GitHub.Workflows != "" {
			return s.GitHub.Workflows
		}
	}
	return src.GitHub.Workflows
}

// templates translates with the workflows of a checkout as templates. It asks no
// server: the client is never used, and the repository's name is none.
func templates(source, dir string) (providers.Provider, error) {
	return github.New(gh.NewClient(nil), github.Config{Source: source, Repos: []string{"checkout/only"}, TemplateDir: dir})
}

// sides are two editions as they are compared, in the terms of the sources of the
// later one. The content of workflows counts where both have it.
func (a *app) sides(before, after edition) (change.Side, change.Side, error, error) {
	was, wasWhole, wasErr := a.desire(before, after.config, before.config)
	is, isWhole, isErr := a.desire(after, after.config)
	for ref, before := range change.Partners(before.ledger, after.ledger) {
		old, had := wasWhole[before]
		now, has := isWhole[ref]
		if had && has {
			was[before], is[ref] = withoutPath(old), withoutPath(now)
		}
	}
	return change.Side{Ledger: before.ledger, Text: before.text, Desired: was}, change.Side{Ledger: after.ledger, Text: after.text, Desired: is}, wasErr, isErr
}

// withoutPath is a role whose workflow is known by what it holds: under another
// path it is the same.
func withoutPath(d specs.Desired) specs.Desired {
	if d.Partial() {
		d.Stated = slices.DeleteFunc(slices.Clone(d.Stated), func(f string) bool { return f == "workflow" })
		d.Spec = d.Spec.Project(d.Stated)
	}
	return d
}

// reportLedger is what a report says of an edition's ledger.
func (ed edition) reportLedger() report.Ledger {
	l := ed.ledger
	return report.Ledger{Path: l.Path, Name: l.Name, Revision: l.Revision, SHA256: l.SHA256}
}

// marked are roles in which what is a secret by its place is marked as such.
func marked(roles map[specs.Ref]specs.Desired) map[specs.Ref]specs.Desired {
	for ref, d := range roles {
		d.Spec.Body, d.Spec.Cosmetic = redact.Mark(d.Spec.Body), redact.Mark(d.Spec.Cosmetic)
		roles[ref] = d
	}
	return roles
}

func hasFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
