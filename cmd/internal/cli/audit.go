package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

const auditExamples = `  rolecall audit                        what the schedulers hold now, by rolecall.yaml
  rolecall audit --offline              the same for the files of a checkout
  rolecall audit --ledger ledger.yaml --crontab ops/web-1.crontab
  rolecall audit --snapshot web-1.json web-2.json
  rolecall audit -o text -o json=report.json`

// auditFlags are those of audit alone.
type auditFlags struct {
	target   targetFlags
	outputs  []string
	roles    []string
	exitZero bool
	// explains says that the run decides nothing: a role out of scope is told so.
	explains bool
}

func (a *app) auditCommand() *cobra.Command {
	var f auditFlags
	var watch pingFlags
	cmd := &cobra.Command{
		Use: "audit", Short: "compare what the schedulers hold with the ledger, and report",
		Example: auditExamples,
		Args:    f.target.snapshotArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.watched(cmd.Context(), &watch, func(said func(report.Report)) error { return a.runAudit(cmd, f, args, said) })
		},
	}
	f.target.bind(cmd)
	f.target.bindAge(cmd)
	f.target.bindWitness(cmd)
	f.bindGate(cmd)
	watch.bind(cmd)
	cmd.Flags().StringArrayVarP(&f.outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: "+strings.Join(reportFormats(), ", ")+" (default text)")
	cmd.Flags().StringSliceVar(&f.roles, "role", nil, "report on these roles only")
	return cmd
}

// bindGate adds the flags of what may fail an audit. Those of them that
// variables and the config can give as well are read by LoadSettings.
func (f *auditFlags) bindGate(cmd *cobra.Command) {
	f.bindVerdict(cmd)
	cmd.Flags().String("settle", "2s", "wait before a live source with findings is looked at again; 0 turns that off")
}

// bindVerdict adds those of the kinds and gaps that count.
func (f *auditFlags) bindVerdict(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSlice("fail-on", nil, "kinds of finding that fail the audit, or none (default: all, unexpected only with a marker)")
	fs.BoolVar(&f.exitZero, "exit-zero", false, "take findings out of account for the exit code; a gap still exits 3")
	fs.Bool("allow-partial", false, "take what could not be read out of account for the exit code")
	fs.Bool("require-all-sources", false, "a source that is not looked at counts as not read")
}

// gate says what may fail the audit.
func (f auditFlags) gate(s Settings) report.Gate {
	return report.Gate{Kinds: s.FailOn, ExitZero: f.exitZero, AllowPartial: s.AllowPartial, RequireAllSources: s.RequireAllSources}
}

// runAudit audits and publishes; said hears of the report first.
func (a *app) runAudit(cmd *cobra.Command, f auditFlags, args []string, said func(report.Report)) error {
	outputs, err := parseOutputs(f.outputs, reportFormats(), "text")
	if err != nil {
		return err
	}
	plan, mode, err := a.plan(cmd, f, args)
	if err != nil {
		return err
	}
	if err := a.spareOwn(cmd, plan.Ledger, f.target, outputs); err != nil {
		return usage(err)
	}
	r, _, err := a.audited(cmd.Context(), plan, mode)
	if err != nil {
		return err
	}
	said(r)
	if err := a.publish(r, outputs); err != nil {
		return err
	}
	return exitWith(r.ExitCode)
}

// plan makes of flags, config and ledger one audit.
func (a *app) plan(cmd *cobra.Command, f auditFlags, args []string) (audit.Plan, mode, error) {
	none := func(err error) (audit.Plan, mode, error) { return audit.Plan{}, "", err }
	if f.target.selector != "" {
		return none(usage(errors.New("-l narrows what list shows; an audit has to see all of a source, or what it hides would be called missing: give the source a selector in the config")))
	}
	s, err := a.load(cmd)
	if err != nil {
		return none(err)
	}
	if len(s.Sources) == 0 && !f.target.any() && len(f.target.snapshots) == 0 {
		return none(usage(errors.New(howToBegin)))
	}
	l, _, err := a.readLedger(s)
	if err != nil {
		return none(err)
	}
	if len(l.Roles) == 0 {
		return none(usage(fmt.Errorf("%s: the ledger names no role, so there is nothing to compare; write a first one with: rolecall ledger init", l.Path)))
	}
	scope, err := a.scope(s.Config, f.target, args)
	if err != nil {
		return none(err)
	}
	if err := l.CheckSources(scope.names()); err != nil {
		return none(usage(err))
	}
	if err := checkRoles(f.roles, l); err != nil {
		return none(err)
	}
	if len(scope.sources) == 0 {
		return none(usage(fmt.Errorf("no source is in scope: %s; nothing would be audited", scope.why())))
	}
	if !f.explains && !scope.hasRole(l, f.roles) {
		return none(usage(fmt.Errorf("no role of %s that is asked for is in scope: the sources that it names are not looked at: %s; nothing would be compared", l.Path, scope.why())))
	}
	if err := scope.checkNamespaces(l); err != nil {
		return none(usage(err))
	}
	w := &wiring{app: a, config: s.Config, flags: f.target}
	witnesses, err := w.witnesses(l, scope)
	if err != nil {
		return none(err)
	}
	return audit.Plan{
		Ledger: l, Sources: scope.sources, Skipped: scope.skipped, Witnesses: witnesses, Roles: f.roles, Now: a.now(), Gate: f.gate(s.Settings),
		Settle: s.Settle, Timeout: s.Timeout, Mask: redact.Text, Mark: redact.Mark, Progress: a.progress(),
	}, scope.mode, nil
}

// audited runs a plan and adds what only the program knows.
func (a *app) audited(ctx context.Context, plan audit.Plan, m mode) (report.Report, providers.World, error) {
	r, world, err := audit.Run(ctx, plan)
	r.Mode = string(m)
	r.Tool = report.Tool{Name: "rolecall", Version: version()}
	return r, world, err
}

// reportFormats are the names of the forms that a report can take.
func reportFormats() []string {
	var out []string
	for _, f := range render.Formats() {
		out = append(out, f.Name)
	}
	return out
}

// publish puts a report where its outputs go. What is shown is the report as it
// is saved, so that rolecall render gives the same bytes.
func (a *app) publish(r report.Report, outputs []output) error {
	r, err := report.Saved(r)
	if err != nil {
		return internal(err)
	}
	if err := a.write(outputs, a.reportWriter(r)); err != nil {
		return err
	}
	return a.stepSummary(r, outputs)
}

// reportWriter renders a report in any of its formats.
func (a *app) reportWriter(r report.Report) func(string, io.Writer) error {
	opts := render.Options{
		Text:  render.TextOptions{Width: a.Width, Color: a.colour(), Verbose: a.flags.verbose, Quiet: a.flags.quiet},
		Place: checkout(),
	}
	return func(format string, w io.Writer) error {
		for _, f := range render.Formats() {
			if f.Name == format {
				return f.New(opts)(w, r)
			}
		}
		return fmt.Errorf("no format %s", format)
	}
}

// checkRoles refuses a --role that the ledger does not have.
func checkRoles(keys []string, l ledger.Ledger) error {
	if len(keys) == 0 {
		return nil
	}
	var known []string
	for _, r := range l.Roles {
		known = append(known, r.Key)
	}
	for _, k := range keys {
		if !slices.Contains(known, k) {
			return usage(fmt.Errorf("%s: no role %s%s", l.Path, k, didYouMean(k, known)))
		}
	}
	return nil
}
