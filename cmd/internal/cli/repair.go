package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/repair"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const repairAbout = `Plans what may be created of what is missing; with --apply, creates it. Nothing is
ever deleted, overwritten, switched off or switched on.

Created is only what is surely the ledger's and surely missing: a role that two
looks found missing in a source that was read whole, with repair: {missing: create},
an owner and a template in the ledger, no waiver in force, and not suspended or
paused. For every other finding the plan has the next step worked out, for a person
to take. GitHub is not written to: the plan has the commands that propose the
workflow.

Before a role is created its part of the source is read once more; afterwards it is
looked at until it is there, and judged as an audit does. Only then is its ref in
the ledger brought up to date, with comments and layout kept. Every write is logged
as two JSON lines, before and after it.

Where an earlier repair was stopped between a creation and the ledger, --apply brings
the ref of what it made up to date.

The exit code is that of an audit at the end: 0 all is well, 1 something is left that
was not or may not be repaired, 2 nobody said yes, 3 something could not be read.`

const repairExamples = `  rolecall repair                              what would be created, and what not and why
  rolecall repair -o json=plan.json            the same, saved to be reviewed
  rolecall repair --plan plan.json --apply     create what that plan has, if nothing has moved since
  rolecall repair --apply --yes --role retry --log /var/log/rolecall-repair.jsonl`

type repairFlags struct {
	audit   auditFlags
	outputs []string
	plan    string
	apply   bool
	yes     bool
	wait    time.Duration
	log     string
}

func (a *app) repairCommand() *cobra.Command {
	var f repairFlags
	cmd := &cobra.Command{
		Use: "repair", Short: "plan what may be created of what is missing; with --apply, create it",
		Long: repairAbout, Example: repairExamples,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.repair(cmd, f) },
	}
	f.audit.target.bind(cmd)
	f.audit.bindGate(cmd)
	fs := cmd.Flags()
	fs.StringSliceVar(&f.audit.roles, "role", nil, "plan for these roles only")
	fs.StringArrayVarP(&f.outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: text, json (default text)")
	fs.StringVar(&f.plan, "plan", "", "a plan saved with -o json: only what it has is created, and nothing if anything has moved since")
	fs.BoolVar(&f.apply, "apply", false, "create what the plan has")
	fs.BoolVarP(&f.yes, "yes", "y", false, "do not ask before creating; needed where there is no terminal")
	fs.DurationVar(&f.wait, "wait", 10*time.Second, "how long what was created may take to be seen")
	fs.StringVar(&f.log, "log", "", "file to add the log of writes to (default: stderr)")
	return cmd
}

func (a *app) repair(cmd *cobra.Command, f repairFlags) error {
	outputs, err := parseOutputs(f.outputs, []string{"text", "json"}, "text")
	if err != nil {
		return err
	}
	if err := f.check(a.asks(), a.flags.now); err != nil {
		return usage(err)
	}
	saved, err := f.saved()
	if err != nil {
		return usage(err)
	}
	run := &mending{app: a, flags: f}
	if err := run.begin(cmd); err != nil {
		return err
	}
	if err := run.spares(cmd, outputs); err != nil {
		return usage(err)
	}
	if err := run.look(cmd.Context()); err != nil {
		return err
	}
	if f.plan != "" {
		if run.made, err = run.made.Hold(saved, run.notLooked); err != nil {
			return stale(f.plan, err)
		}
	}
	if !f.apply {
		return run.finish(outputs, run.in.Report.ExitCode)
	}
	return run.carryOut(cmd.Context(), outputs)
}

var errOnlyLive = errors.New("repair looks at the schedulers themselves, since what files or a saved listing hold says nothing of what is missing now; leave out --offline, --snapshot and the flags of files")

// check holds the flags to one another.
func (f repairFlags) check(asks bool, now string) error {
	switch {
	case f.apply && now != "":
		return errors.New("--now is for a plan as of another instant, and --apply acts at this one; leave one of them out")
	case f.audit.target.offline || len(f.audit.target.snapshots) > 0:
		return errOnlyLive
	case f.apply && !f.yes && !asks:
		return errors.New("--apply creates things, and there is no terminal to ask at; read the plan first (rolecall repair), then say --yes")
	case f.wait < 0:
		return errors.New("--wait is below zero; write how long to wait, like 10s")
	}
	return nil
}

// asks says that a person can be asked.
func (a *app) asks() bool {
	in, ok := a.In.(*os.File)
	return ok && a.ErrTTY && term.IsTerminal(int(in.Fd()))
}

// saved is the plan that --plan names.
func (f repairFlags) saved() (repair.Plan, error) {
	if f.plan == "" {
		return repair.Plan{}, nil
	}
	file, err := os.Open(f.plan)
	if err != nil {
		return repair.Plan{}, fmt.Errorf("--plan: %w", err)
	}
	defer file.Close()
	p, err := repair.Decode(file)
	if err != nil {
		return p, fmt.Errorf("--plan %s: %w", f.plan, err)
	}
	return p, nil
}

// stale says of a saved plan that it does not hold any more; a ledger that has
// changed is an error of the words, a scheduler that has changed a finding.
func stale(name string, err error) error {
	code := exitFindings
	if errors.Is(err, repair.ErrLedger) || errors.Is(err, repair.ErrNotLooked) {
		code = exitUsage
	}
	return fault{code, fmt.Errorf("--plan %s does not hold any more, and nothing was written:\n%w", name, err)}
}

// mending is one run of repair.
type mending struct {
	*app
	flags  repairFlags
	plan   audit.Plan
	in     repair.Input
	made   repair.Plan
	ledger []byte // its text, of which the plan was made
	// secrets are values of the templates that are masked wherever they stand.
	secrets []string
}

// begin reads config and ledger. Where the ledger's text cannot be had as it was
// read, since another is just writing into it, they are read again.
func (m *mending) begin(cmd *cobra.Command) error {
	for try := 1; ; try++ {
		plan, side, err := m.app.plan(cmd, m.flags.audit, nil)
		switch {
		case err != nil:
			return err
		case side != live:
			return usage(errOnlyLive)
		}
		m.plan = plan
		if err = m.keepLedger(); err == nil {
			return nil
		} else if try == 3 {
			return usage(err)
		}
	}
}

// look runs the audit and makes the plan of it.
func (m *mending) look(ctx context.Context) error {
	desired, err := audit.Desire(m.plan.Ledger, m.plan.Sources)
	if err != nil {
		return usage(err)
	}
	r, world, err := m.audited(ctx, m.plan, live)
	if err != nil {
		return err
	}
	m.secrets = secretsOf(desired)
	m.in = repair.Input{
		Report: r, World: world, Ledger: m.plan.Ledger, Desired: desired, Repairers: repairers(m.plan.Sources),
		Skipped: skippedBy(m.plan.Skipped), Same: classify.Same, Claimed: m.claimed, Now: m.now(), Mask: m.mask,
	}
	m.made = repair.Make(ctx, m.in)
	return nil
}

// spares refuses to write over what the run goes by, before anything is done; and
// where something is to be created, outputs that could not be written after it.
func (m *mending) spares(cmd *cobra.Command, outputs []output) error {
	own, err := m.ownFiles(cmd, m.plan.Ledger, m.flags.audit.target)
	if err != nil {
		return err
	}
	named := slices.Clone(outputs)
	if m.flags.log != "" {
		named = append(named, output{"log", m.flags.log})
		if m.flags.plan != "" {
			own = append(own, ownFile{path: m.flags.plan, what: "the plan"})
		}
	}
	var errs []error
	for i, o := range named {
		flag := "-o " + o.format + "=" + o.file
		if o.format == "log" {
			flag = "--log " + o.file
		}
		if o.file == "" {
			continue
		}
		errs = append(errs, spare(own, o.file, flag))
		for _, other := range named[:i] {
			if other.file != "" {
				errs = append(errs, spare([]ownFile{{path: other.file, what: "where another output goes"}}, o.file, flag))
			}
		}
		if m.flags.apply && o.format != "log" {
			errs = append(errs, canWrite(o.file))
		}
	}
	return errors.Join(errs...)
}

// skippedBy says of sources that were not looked at which of them flags left out.
func skippedBy(skipped []audit.Skipped) []repair.Skipped {
	var out []repair.Skipped
	for _, s := range skipped {
		out = append(out, repair.Skipped{Source: s.Name, Reason: s.Reason, Chosen: s.Chosen})
	}
	return out
}

// claimed says that a role of the ledger has an object by its match.
func (m *mending) claimed(o providers.Object) bool {
	return slices.ContainsFunc(m.plan.Ledger.Roles, func(r specs.Role) bool {
		return !r.Match.IsZero() && slices.Contains(r.Sources, o.Source()) && classify.Fits(r.Match, o)
	})
}

// notLooked is why this run says nothing of an expectation; empty if it does.
func (m *mending) notLooked(ref specs.Ref) string {
	if len(m.plan.Roles) > 0 && !slices.Contains(m.plan.Roles, ref.Role) {
		return "--role names others; leave it out, or make a plan with it"
	}
	for _, s := range m.plan.Skipped {
		if s.Name == ref.Source {
			return s.Reason + "; look at it as the plan did"
		}
	}
	return ""
}

// repairers are those of the live sources.
func repairers(sources []audit.Source) map[string]providers.Repairer {
	out := map[string]providers.Repairer{}
	for _, s := range sources {
		if r, ok := s.Provider.(providers.Repairer); ok && s.Rule.Live {
			out[s.Name] = r
		}
	}
	return out
}

func (m *mending) finish(outputs []output, code int) error {
	err := m.write(outputs, func(format string, w io.Writer) error {
		if format == "json" {
			return repair.Encode(w, m.made)
		}
		return m.text(w)
	})
	if err != nil {
		return err
	}
	return exitWith(code)
}

// carryOut asks, creates, and says what became of it.
func (m *mending) carryOut(ctx context.Context, outputs []output) error {
	if m.made.Count(repair.Create)+len(m.made.Refs) == 0 {
		return m.finish(outputs, m.in.Report.ExitCode)
	}
	log, done, err := m.writeLog()
	if err != nil {
		return usage(err)
	}
	defer done()
	if err := m.agreed(); err != nil {
		return err
	}
	m.patient.Store(true) // a creation that has begun is looked at to its end
	made, r, err := repair.Apply(ctx, m.made, m.in, m.hands(log))
	m.made = made
	if err != nil {
		return errors.Join(m.finish(outputs, exitClean), internal(fmt.Errorf("what is there now could not be judged: %w; run rolecall audit", err)))
	}
	return m.finish(outputs, exitOf(ctx, made, r))
}

// exitOf is the code of the audit at the end, and 1 at the least where something
// that was to be created was not.
func exitOf(ctx context.Context, made repair.Plan, r report.Report) int {
	code := r.ExitCode
	for _, row := range made.Rows {
		if row.Action != repair.Create || row.Outcome.Repaired() {
			continue
		}
		if row.Outcome.Result == repair.NotReached {
			return codeOf(ctx, audit.ErrInterrupted)
		}
		if code == exitClean {
			code = exitFindings
		}
	}
	return code
}

// agreed shows the plan to a person and asks. The error says that nothing may be
// done.
func (m *mending) agreed() error {
	if m.flags.yes {
		return nil
	}
	if err := m.text(m.Err); err != nil {
		return internal(err)
	}
	what := "Create " + plural(m.made.Count(repair.Create), "object")
	if m.made.Count(repair.Create) == 0 {
		what = "Bring " + plural(len(m.made.Refs), "ref") + " of the ledger up to date"
	}
	fmt.Fprintf(m.Err, "%s? Write yes or y; all else is a no: ", what)
	line, err := bufio.NewReader(m.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return internal(err)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "yes" && answer != "y" {
		return fault{exitUsage, errors.New("nobody said yes; nothing was written")}
	}
	return nil
}
