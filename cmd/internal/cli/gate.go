package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/change"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const gateAbout = `Audits the files of a git checkout as rolecall audit --offline does, and says what
the change since REV does: roles that it takes out of the ledger, specs that it
makes other ones without a new version, schedules that it removes. Of every
finding it says whether the base has it too.

The files are those of the checkout, committed or not. The base is the common
ancestor of REV and HEAD, so that what others did since counts for nothing; where
the clone does not hold one it is REV itself, which a note says. Nothing is
fetched: REV has to be in the clone (fetch-depth: 0 of actions/checkout).`

const gateExamples = `  rolecall gate --base origin/main
  rolecall gate --base "origin/$GITHUB_BASE_REF" -o github -o sarif=rolecall.sarif
  rolecall gate --base HEAD             what is not committed yet`

// gateFlags are those of gate beside an audit's.
type gateFlags struct {
	audit   auditFlags
	base    string
	onlyNew bool
}

func (a *app) gateCommand() *cobra.Command {
	var f gateFlags
	f.audit.target.offline = true
	cmd := &cobra.Command{
		Use: "gate --base REV", Short: "audit a checkout, and what a change does to the ledger",
		Long: gateAbout, Example: gateExamples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runGate(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.base, "base", "", "the revision that the change is for: a branch, tag or commit")
	fs.BoolVar(&f.onlyNew, "only-new", false, "take out of account what is just so at the base")
	f.audit.target.bindFiles(cmd)
	f.audit.bindVerdict(cmd)
	f.audit.bindReport(cmd)
	return cmd
}

func (a *app) runGate(cmd *cobra.Command, f gateFlags) error {
	outputs, err := parseOutputs(f.audit.outputs, reportFormats(), "text")
	if err != nil {
		return err
	}
	if f.base == "" {
		return usage(errors.New("a gate needs the revision to compare with: --base origin/main"))
	}
	r, err := a.gated(cmd, f)
	if err != nil {
		return err
	}
	if err := a.publish(r, outputs); err != nil {
		return err
	}
	return exitWith(r.ExitCode)
}

// gated is the report of a gate.
func (a *app) gated(cmd *cobra.Command, f gateFlags) (report.Report, error) {
	ctx := cmd.Context()
	s, err := a.load(cmd)
	if err != nil {
		return report.Report{}, err
	}
	asked := f.audit.roles
	f.audit.roles = a.present(s, asked)
	plan, mode, err := a.plan(cmd, f.audit, nil)
	if err != nil {
		return report.Report{}, err
	}
	plan.Roles = asked
	repo, err := openRepository(ctx, filepath.Dir(plan.Ledger.Path))
	if err != nil {
		return report.Report{}, notInterrupted(err)
	}
	e := editions{app: a, repo: repo, cmd: cmd, head: s, gate: true}
	if f.audit.target.any() {
		if e.sources, err = f.audit.target.asSources(); err != nil {
			return report.Report{}, err
		}
	}
	if readsStdin(e.headSources()) > 0 {
		return report.Report{}, usage(errors.New("standard input has no earlier state to compare with; give the gate files of the checkout"))
	}
	against, note, err := a.against(ctx, repo, f.base)
	if err != nil {
		return report.Report{}, notInterrupted(err)
	}
	g := gating{editions: e, flags: f, plan: plan}
	in, err := g.input(ctx, against)
	if err != nil {
		return report.Report{}, err
	}
	defer g.remove()
	if plan.Roles, err = g.asked(asked); err != nil {
		return report.Report{}, err
	}
	in.Roles = plan.Roles
	settings, err := g.decidedAtBase(in.Base.Unread != "")
	if err != nil {
		return report.Report{}, usage(err)
	}
	plan.Gate, plan.Sources, in.Config = f.audit.gate(settings), g.strict(plan.Sources), g.configEdits()
	in.Gate = plan.Gate
	in.Gate.OnlyNew = f.onlyNew
	if in.Report, in.World, err = a.audited(ctx, plan, mode); err != nil {
		return report.Report{}, err
	}
	if in.Base.Unread == "" {
		if in.Unseen, err = g.outOfSight(ctx, in.World); err != nil {
			return report.Report{}, err
		}
	}
	in.Report.Notes = append(in.Report.Notes, append(note, g.notes...)...)
	return change.Judge(in), nil
}

// present are the roles that are asked for and that the ledger of the checkout
// has; the base may have the others.
func (a *app) present(s loaded, asked []string) []string {
	l, _, err := a.readLedger(s)
	if err != nil {
		return asked // the plan says so
	}
	return slices.DeleteFunc(slices.Clone(asked), func(key string) bool { return checkRoles([]string{key}, l) != nil })
}

// asked are the roles to report on: those that either ledger has, and those that
// the change gives another key by that too.
func (g *gating) asked(keys []string) ([]string, error) {
	known := g.plan.Ledger
	known.Roles = slices.Clone(known.Roles)
	for _, r := range g.base.ledger.Roles {
		if !slices.ContainsFunc(known.Roles, func(have specs.Role) bool { return have.Key == r.Key }) {
			known.Roles = append(known.Roles, r)
		}
	}
	if err := checkRoles(keys, known); err != nil {
		return nil, err
	}
	out := slices.Clone(keys)
	for after, before := range change.Partners(g.base.ledger, g.plan.Ledger) {
		if slices.Contains(keys, before.Role) && !slices.Contains(out, after.Role) {
			out = append(out, after.Role)
		}
	}
	slices.Sort(out)
	return out, nil
}

// notInterrupted is an error of the words or the checkout, unless the run was
// interrupted.
func notInterrupted(err error) error {
	var f fault
	if errors.Is(err, audit.ErrInterrupted) || errors.As(err, &f) {
		return err
	}
	return usage(err)
}

// against finds the commit to compare with.
func (a *app) against(ctx context.Context, repo repository, rev string) (report.Against, []report.Note, error) {
	out := report.Against{Rev: rev}
	named, err := repo.commit(ctx, rev)
	if err != nil {
		return out, nil, err
	}
	head, err := repo.commit(ctx, "HEAD")
	if err != nil {
		return out, nil, err
	}
	base, err := repo.mergeBase(ctx, named, head)
	if err != nil {
		return out, nil, err
	}
	if out.Base, out.MergeBase = base, true; base != "" {
		return out, nil, nil
	}
	out.Base, out.MergeBase = named, false
	return out, []report.Note{{Code: "no-merge-base", Message: "the clone holds no common ancestor of " + rev + " and the checkout, so " + rev + " itself is compared with, and what was changed there since counts as undone by this change; clone the whole history (fetch-depth: 0)"}}, nil
}

// gating is one run of a gate.
type gating struct {
	editions
	flags gateFlags
	plan  audit.Plan
	base  edition
	notes []report.Note
}

func (g *gating) remove() { g.base.remove() }

// input is what the gate judges, but for the audit of the checkout.
func (g *gating) input(ctx context.Context, against report.Against) (in change.Input, err error) {
	in = change.Input{Roles: g.plan.Roles, Now: g.plan.Now, Mask: redact.Text, Base: change.Base{Against: against}}
	g.base, err = g.at(ctx, against.Rev, against.Base)
	if why := (unreadable{}); errors.As(err, &why) {
		in.Base.Unread = redact.Text(strings.ReplaceAll(err.Error(), "\n", "; ")) + "; let it pass once with --allow-partial, where this change corrects it"
		return in, nil
	}
	if err != nil {
		return in, notInterrupted(err)
	}
	if err := g.fill(ctx, &in); err != nil {
		g.remove()
		return in, err
	}
	return in, nil
}

func (g *gating) fill(ctx context.Context, in *change.Input) error {
	head, err := checkedOut(g.repo, g.head, g.plan.Ledger)
	if err != nil {
		return usage(err)
	}
	head.config.Sources = g.headSources()
	b := &in.Base
	b.Against.Ledger = g.base.reportLedger()
	if g.base.ledger.Path == "" {
		g.notes = append(g.notes, report.Note{Code: "no-base-ledger", Message: "there is no ledger in " + b.Against.Rev + " where its config names one, so that every role counts as new; if it had another name there, what was taken out of it is not seen"})
	}
	var wasErr, isErr error
	b.Side, in.Side, wasErr, isErr = g.sides(g.base, head)
	if isErr != nil {
		return usage(isErr)
	}
	if wasErr != nil {
		b.Unread = redact.Text(b.Against.Rev + ": " + strings.ReplaceAll(g.inCheckout(wasErr.Error()), "\n", "; "))
		return nil
	}
	if b.Report, b.World, err = g.auditBase(ctx, g.base.config); err != nil {
		return err
	}
	if !g.base.sameConfig {
		wide := g.headPlace().rebased(head.config, g.base.root)
		if _, b.Wide, err = g.auditBase(ctx, wide); err != nil {
			return err
		}
	}
	b.Where, b.Line = g.where, g.line
	return nil
}

// inCheckout takes the folder of the base out of a text.
func (g *gating) inCheckout(text string) string {
	return strings.ReplaceAll(text, g.base.root+string(filepath.Separator), "")
}

// auditBase audits the files of the base by a config.
func (g *gating) auditBase(ctx context.Context, c Config) (report.Report, providers.World, error) {
	s := scope{mode: offline}
	w := &wiring{app: g.app, config: c, flags: g.flags.audit.target, flagged: g.sources != nil}
	if err := w.look(&s, c.Sources); err != nil {
		// a source that cannot be made is not looked at; the checkout's own are right
		return report.Report{}, providers.World{}, nil
	}
	plan := audit.Plan{Ledger: g.base.ledger, Sources: s.sources, Skipped: s.skipped, Now: g.plan.Now, Timeout: g.plan.Timeout, Mask: redact.Text, Mark: redact.Mark}
	r, world, err := audit.Run(ctx, plan)
	if errors.Is(err, audit.ErrInterrupted) {
		return r, world, err
	}
	return r, world, nil
}

// where is a place of the base as it is in the checkout.
func (g *gating) where(at specs.Pos) specs.Pos {
	if rel, err := filepath.Rel(g.base.root, at.File); err == nil && filepath.IsLocal(rel) {
		at.File = g.shown(filepath.ToSlash(rel))
	}
	return at
}

// line is what stands now where something did at the base.
func (g *gating) line(at specs.Pos) (specs.Pos, bool) {
	now := g.where(at)
	before, err := readRegular(os.Stat, os.Open, at.File)
	if err != nil || now.File == at.File {
		return specs.Pos{}, false
	}
	after, err := readRegular(os.Stat, os.Open, now.File)
	if err != nil {
		return specs.Pos{}, false
	}
	now.Line = change.Line(before, after, at.Line)
	return now, true
}

// bindFiles adds the flags that say which files are looked at.
func (f *targetFlags) bindFiles(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSliceVar(&f.sources, "source", nil, "look at these sources only")
	fs.String("timeout", "2m", "bound on one look at one source")
	fs.StringArrayVar(&f.crontabs, "crontab", nil, "[NAME=]FILE: a crontab file; in place of the config's sources")
	fs.StringArrayVar(&f.workflows, "workflows", nil, "[NAME=]DIR: a checkout with .github/workflows; in place of the config's sources")
	fs.StringArrayVar(&f.manifests, "manifests", nil, "[NAME=]GLOB: Kubernetes manifests; in place of the config's sources")
}

// bindReport adds the flags of what is reported, and how.
func (f *auditFlags) bindReport(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&f.outputs, "output", "o", nil, fmt.Sprintf("FORMAT[=FILE], repeatable: %s (default text)", strings.Join(reportFormats(), ", ")))
	cmd.Flags().StringSliceVar(&f.roles, "role", nil, "report on these roles only")
}
