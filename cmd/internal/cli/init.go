package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/draft"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

const initAbout = `Writes a first ledger from what the sources hold, and a rolecall.yaml where none
is found. Without a config and without flags the sources are this host's crontabs.

A CronJob is stated by a template, which is compared whole; a crontab entry by
its fields (an environment that it does not set is not compared), a workflow by
its schedules and path (its content is compared live, with the checkout's file).
State a template instead where more has to count.

Nothing is overwritten: where one of the files exists, none is written. Each role
carries review: pending until a person has read it and removed that line; an
audit does not end clean before. Where the text of a job seems to hold a secret
only its hash is written.`

const initExamples = `  rolecall ledger init                          this host's crontabs
  rolecall ledger init --offline                the files that rolecall.yaml names
  rolecall ledger init --manifests 'deploy/**/*.yaml' --workflows .
  rolecall ledger init --context prod -A`

func (a *app) ledgerInitCommand() *cobra.Command {
	var f targetFlags
	cmd := &cobra.Command{
		Use: "init", Short: "write a first ledger from what the sources hold",
		Long: initAbout, Example: initExamples,
		Args: f.snapshotArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return a.ledgerInit(cmd, f, args) },
	}
	f.bind(cmd)
	cmd.Flags().Bool("allow-partial", false, "write a ledger also where something could not be read")
	return cmd
}

// beginning is what a first ledger is made from.
type beginning struct {
	loaded
	from   []Source // those of the config, of flags, or this host
	scope  scope
	world  providers.World
	config []byte // of rolecall.yaml; nil where one is there
}

func (a *app) ledgerInit(cmd *cobra.Command, f targetFlags, args []string) error {
	b, err := a.begin(cmd, f, args)
	if err != nil {
		return err
	}
	if err := refuseExisting(b.targets(nil)); err != nil {
		return err
	}
	if b.world, err = a.lookWithLiterals(cmd.Context(), b); err != nil {
		return err
	}
	if err := a.gaps(b); err != nil {
		return err
	}
	d := draft.Write(b.draftInput())
	for _, w := range d.Warnings {
		fmt.Fprintf(a.Err, "rolecall: %s\n", escapeLine(w))
	}
	if d.Roles == 0 {
		return usage(fmt.Errorf("there is no job to write a role for: %s", b.nothing(d)))
	}
	j, err := a.rejudge(b, d.Ledger, d.Templates, nil)
	if err != nil {
		return internal(fmt.Errorf("the draft is not read back as it was meant: %w; nothing was written, please report this", err))
	}
	if err := createAll(b.targets(&d)); err != nil {
		return err
	}
	return a.sayBegun(b, d, j)
}

// begin finds what to look at: as every command does, or else this host's
// crontabs.
func (a *app) begin(cmd *cobra.Command, f targetFlags, args []string) (beginning, error) {
	s, err := a.load(cmd)
	if err != nil {
		return beginning{}, err
	}
	b := beginning{loaded: s, from: s.Sources}
	m, err := f.mode()
	switch {
	case err != nil:
		return b, err
	case m == snapshot:
	case f.any():
		if b.from, err = f.asSources(); err != nil {
			return b, err
		}
	case m == live && len(s.Sources) == 0:
		b.from = []Source{a.thisHost()}
	}
	c := s.Config
	if !f.any() {
		c.Sources = b.from
	}
	if c.Path == "" && m != snapshot {
		b.config = configText(b.from, s.Settings.Ledger, f.selector)
	}
	if b.scope, err = a.scope(c, f, args); err != nil {
		return b, err
	}
	if len(b.scope.sources) == 0 {
		return b, usage(fmt.Errorf("no source is in scope: %s; nothing would be looked at", b.scope.why()))
	}
	a.strangeSources(b)
	return b, nil
}

// strangeSources warns of sources that an audit would not find in the config.
func (a *app) strangeSources(b beginning) {
	if b.config != nil {
		return
	}
	for _, src := range b.scope.sources {
		if !slices.Contains(b.SourceNames(), src.Name) {
			fmt.Fprintf(a.Err, "rolecall: source %s is not in the config; add it there, or give the same flags to: rolecall audit\n", escapeLine(src.Name))
		}
	}
}

// targets are the files that will be written, by path.
func (b beginning) targets(d *draft.Draft) []target {
	out := []target{{path: b.Settings.Ledger}}
	if b.config != nil {
		out = append(out, target{path: ConfigName, data: b.config})
	}
	if d == nil {
		return out
	}
	out[0].data = d.Ledger
	for _, t := range d.Templates {
		out = append(out, target{path: filepath.Join(filepath.Dir(b.Settings.Ledger), filepath.FromSlash(t.Name)), data: t.Data})
	}
	return out
}

func (b beginning) draftInput() draft.Input {
	in := draft.Input{Folder: "roles", Rules: draft.Rules{
		Fits: classify.Fits, Same: classify.Same, Mask: redact.Text, Mark: redact.Mark,
		Harmless: func(name, value string) bool { return redact.EnvValue(name, value) == value },
	}}
	for _, src := range b.scope.sources {
		seen, _ := b.world.Source(src.Name)
		in.Sources = append(in.Sources, draft.Source{
			Observation: seen, Translate: src.Provider.(providers.Translator).Translate, Workflows: b.hasCheckout(src),
			Files: !src.Rule.Live && b.scope.mode != snapshot,
		})
	}
	return in
}

// hasCheckout says that an audit of the source reads workflows from a checkout.
func (b beginning) hasCheckout(src audit.Source) bool {
	if src.Kind != "github" || b.scope.mode == snapshot {
		return false
	}
	return !src.Rule.Live || slices.ContainsFunc(b.from, func(s Source) bool {
		return s.Name == src.Name && s.GitHub != nil && s.GitHub.Workflows != ""
	})
}

// withLiterals is a provider that is always asked for the text of objects.
type withLiterals struct {
	providers.Provider
	providers.Translator
}

func (w withLiterals) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	sel.Literals = true
	return w.Provider.Observe(ctx, sel)
}

func (a *app) lookWithLiterals(ctx context.Context, b beginning) (providers.World, error) {
	for i, src := range b.scope.sources {
		t, ok := src.Provider.(providers.Translator)
		if !ok {
			return providers.World{}, internal(fmt.Errorf("source %s cannot translate a spec", src.Name))
		}
		b.scope.sources[i].Provider = withLiterals{src.Provider, t}
	}
	return audit.Look(ctx, audit.Plan{Sources: b.scope.sources, Now: a.now(), Timeout: b.Timeout, Progress: a.progress()})
}

// gaps refuses to write a ledger from a partial look: the roles that were not
// seen would be missing from it, and nobody would ever miss them.
func (a *app) gaps(b beginning) error {
	n := 0
	for _, o := range b.world.Observations {
		for _, gap := range o.Gaps() {
			n++
			fmt.Fprintf(a.Err, "rolecall: %s: %s: %s: %s\n", escapeLine(o.Source), escapeLine(gap.Part), gap.State, escapeLine(redact.Text(gap.Reason)))
		}
	}
	if n == 0 || b.AllowPartial {
		return nil
	}
	return fault{exitIncomplete, fmt.Errorf("%s could not be read, so a ledger would lack what is there; nothing was written. Make it readable, or write what was read with --allow-partial", plural(n, "part"))}
}

// nothing says why there is nothing to write.
func (b beginning) nothing(d draft.Draft) string {
	var parts []string
	for _, o := range b.world.Observations {
		parts = append(parts, fmt.Sprintf("%s holds %d objects", o.Source, len(o.Objects)))
	}
	text := strings.Join(parts, ", ")
	if d.LeftOut > 0 {
		text += fmt.Sprintf(", of which %d are left out", d.LeftOut)
	}
	return text + "; look at them with: rolecall list"
}

// rejudge reads a ledger as an audit will, with templates that are not written
// yet, and judges what was seen by it. Read knows the other templates.
func (a *app) rejudge(b beginning, text []byte, templates []draft.File, read ledger.ReadFile) (classify.Judgement, error) {
	l, _, err := ledger.Parse(b.Settings.Ledger, text, withFiles(templates, read))
	if err != nil {
		return classify.Judgement{}, err
	}
	desired, err := audit.Desire(l, b.scope.sources)
	if err != nil {
		return classify.Judgement{}, err
	}
	rules := map[string]classify.Rule{}
	for _, src := range b.scope.sources {
		rules[src.Name] = src.Rule
	}
	return classify.Judge(classify.Input{Ledger: l, Desired: desired, World: b.world, Rules: rules, Now: a.now(), Mask: redact.Text}), nil
}

// withFiles reads templates that are not written yet before those that are.
func withFiles(templates []draft.File, read ledger.ReadFile) ledger.ReadFile {
	return func(rel string) ([]byte, error) {
		for _, t := range templates {
			if t.Name == rel {
				return t.Data, nil
			}
		}
		if read == nil {
			return nil, fs.ErrNotExist
		}
		return read(rel)
	}
}

// sayBegun prints what was written, what an audit makes of it, and what to do.
func (a *app) sayBegun(b beginning, d draft.Draft, j classify.Judgement) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "wrote %s: %s", b.Settings.Ledger, plural(d.Roles, "role"))
	if d.Pinned > 0 {
		fmt.Fprintf(&out, ", %d of them by hash only", d.Pinned)
	}
	if d.LeftOut > 0 {
		fmt.Fprintf(&out, "; %s left out", plural(d.LeftOut, "object"))
	}
	fmt.Fprintln(&out)
	if len(d.Templates) > 0 {
		fmt.Fprintf(&out, "wrote %s: %s\n", path.Join(path.Dir(filepath.ToSlash(b.Settings.Ledger)), "roles"), plural(len(d.Templates), "template"))
	}
	if b.config != nil {
		fmt.Fprintf(&out, "wrote %s\n", ConfigName)
	}
	fmt.Fprintf(&out, "an audit finds now: %s\n", kindCounts(j))
	fmt.Fprintf(&out, "next: read each role, correct it, add its owner and purpose, and remove its line review: pending; then: %s\n", b.auditCommand())
	if _, err := a.Out.Write(out.Bytes()); err != nil {
		return internal(fmt.Errorf("standard output: %w", err))
	}
	return nil
}

// auditCommand is the command that looks at the same side of the sources.
func (b beginning) auditCommand() string {
	cmd := "rolecall audit"
	if b.scope.mode == offline {
		cmd += " --offline"
	}
	if b.Path == "" && filepath.Clean(b.Settings.Ledger) != "ledger.yaml" && b.config == nil {
		cmd += " --ledger " + b.Settings.Ledger
	}
	return cmd
}

func kindCounts(j classify.Judgement) string {
	n := map[report.Kind]int{}
	for _, f := range j.Findings {
		n[f.Kind]++
	}
	var parts []string
	for _, e := range report.Catalogue() {
		if n[e.Kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[e.Kind], e.Kind))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// target is a file to write, which must not be there.
type target struct {
	path string
	data []byte
}

// refuseExisting names all files that are in the way.
func refuseExisting(targets []target) error {
	var errs []error
	for _, t := range targets {
		_, err := os.Lstat(t.path)
		switch {
		case err == nil:
			errs = append(errs, fmt.Errorf("%s is there already and is not overwritten; nothing was written. Move it away, or name another ledger with --ledger", t.path))
		case !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, fmt.Errorf("%w; nothing was written", err))
		}
	}
	if len(errs) > 0 {
		return usage(errors.Join(errs...))
	}
	return nil
}

// createAll makes all of the files or none: each appears under its name only
// when it is complete, and what was made is taken away again if one fails.
func createAll(targets []target) (err error) {
	if err := refuseExisting(targets); err != nil {
		return err
	}
	var made []string
	defer func() {
		if err == nil {
			return
		}
		for _, p := range slices.Backward(made) {
			os.Remove(p)
		}
	}()
	for _, t := range slices.Backward(targets) {
		dirs, err := makeDirs(filepath.Dir(t.path))
		made = append(made, dirs...)
		if err == nil {
			err = create(t)
		}
		if err != nil {
			return usage(fmt.Errorf("%w; nothing was written", err))
		}
		made = append(made, t.path)
	}
	return nil
}

// makeDirs makes a folder and those above it, and returns the new ones.
func makeDirs(dir string) ([]string, error) {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	var made []string
	for _, d := range slices.Backward(missing) {
		if err := os.Mkdir(d, 0o755); err != nil {
			return made, err
		}
		made = append(made, d)
	}
	return made, nil
}

// create writes a new file in one step. A link is used, since unlike a renaming
// it fails where the name is taken by now.
func create(t target) error {
	tmp, err := os.CreateTemp(filepath.Dir(t.path), "."+filepath.Base(t.path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, werr := tmp.Write(t.data)
	merr := tmp.Chmod(0o644)
	serr := tmp.Sync()
	if err := errors.Join(werr, merr, serr, tmp.Close()); err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	err = os.Link(tmp.Name(), t.path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(tmp.Name(), t.path) // a file system without links
}
