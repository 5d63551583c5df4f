package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/host"
)

const runHelp = `Runs a job and records what became of it, so that a success is written only when
the output and the end are both proved. A job that was cut off is never recorded
as a success, also not late.

The job finds in its environment ROLECALL_ROLE, ROLECALL_RUN_ID,
ROLECALL_IDEMPOTENCY_KEY, ROLECALL_ATTEMPT, ROLECALL_STAGING,
ROLECALL_PREVIOUS_WATERMARK and ROLECALL_STATE. It leaves its outputs in
$ROLECALL_STAGING; they are put in place when it has ended with 0 and its check
has passed, and after them the watermark is moved. From within it can say
rolecall run checkpoint TOKEN (how far it has come: the last token of the runs
before is no progress), and around a commit of its own (a database
transaction) rolecall run phase commit-begin and commit-end.

With --ledger the role's run terms come from there, and flags beat them.

A monitor that is to hear of the run is named by --ping, by the variable that the
ledger's run.ping.env names, or by ROLECALL_PING_URL, which the job does not get.
It is told of the start while the job goes on already. Whatever becomes of a ping
changes neither verdict nor exit code.

Exit codes: the job's own, 128+n where signal n ended it; 75 skipped (draining,
overlap, hold, done already), 73 it cannot be recorded, 74 a record or promotion
could not be written, 70 internal, 2 usage. A job that was cut off and said 0
gives 128+n of the signal that it was sent, never 0.`

const runExamples = `  rolecall run --role backup --output dump.gz:/srv/dump.gz -- sh -c 'pg_dump -Z6 -f "$ROLECALL_STAGING/dump.gz" shop'
  rolecall run --ledger /etc/rolecall/ledger.yaml --role backup -- /opt/shop/backup`

// runFlags are those of rolecall run; what is not stated comes from the ledger.
type runFlags struct {
	role, due, watermark, state, dir         string
	onInterrupted, overlap, capture, staging string
	check, cleanup, readback                 string
	outputs                                  []string
	external, sweep                          bool
	maxRuntime, killAfter, commit, grace     time.Duration
	helper                                   time.Duration
	textfile                                 string
	ping                                     pingFlags
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run --role ROLE [flags] -- COMMAND [ARGUMENT]...", Short: "run a job and record what became of it",
		Long: runHelp, Example: runExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 0 {
				return usage(errors.New("the command stands behind --: rolecall run --role ROLE -- COMMAND"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, f, args) },
	}
	f.bind(cmd)
	cmd.AddCommand(a.runCheckpointCommand(), a.runPhaseCommand())
	return cmd
}

func (f *runFlags) bind(cmd *cobra.Command) {
	d := runs.DefaultBudgets()
	fs := cmd.Flags()
	fs.StringVar(&f.role, "role", "", "the role's key")
	fs.StringVar(&f.due, "scheduled-for", "", "the instant that the run is for, RFC 3339, or minute for the minute that it is; the same instant does not complete twice")
	fs.StringArrayVar(&f.outputs, "output", nil, "STAGED:FINAL, repeatable: a file below $ROLECALL_STAGING and where it belongs; the last is what readers go by")
	fs.StringVar(&f.check, "check", "", "a shell command that looks at the outputs in the staging folder; all but 0 refuses them")
	fs.StringVar(&f.watermark, "watermark-to", "", "how far the role has come when this run has completed")
	fs.StringVar(&f.staging, "staging", "", "a folder on the outputs' file system (default: in the run's own folder)")
	fs.DurationVar(&f.maxRuntime, "max-runtime", 0, "end the job when it runs longer (default: no bound)")
	fs.DurationVar(&f.killAfter, "kill-after", d.KillAfter, "kill the job so long after its one signal")
	fs.DurationVar(&f.commit, "commit-timeout", d.Commit, "how long putting the outputs in place may take")
	fs.DurationVar(&f.grace, "grace", 0, "how long a drain waits for this run (default: the drain's own)")
	fs.DurationVar(&f.helper, "helper-timeout", time.Minute, "how long a check, cleanup or readback may take")
	fs.StringVar(&f.overlap, "overlap", runs.OverlapSkip, "while another run of the role goes on: skip, wait or kill-orphans")
	fs.StringVar(&f.capture, "capture", runs.CaptureTee, "the job's output: tee (passed through, head and tail kept), file (whole, in the run's folder) or none (passed through)")
	fs.StringVar(&f.onInterrupted, "on-interrupted", "", "the next run after one that was cut off: "+strings.Join(runs.Policies(), ", ")+" (default: hold with --external-effects, else clean-then-retry)")
	fs.BoolVar(&f.external, "external-effects", false, "the job does what no file shows: it sends, pays, posts")
	fs.StringVar(&f.cleanup, "cleanup", "", "a shell command that undoes what a cut-off run left, where that is no file")
	fs.StringVar(&f.readback, "readback", "", "a shell command that says of $ROLECALL_IDEMPOTENCY_KEY: 0 applied, 1 not applied, else unknown")
	fs.BoolVar(&f.sweep, "sweep", false, "kill what the job leaves running in its process group")
	fs.StringVar(&f.dir, "chdir", "", "run the job in this folder")
	fs.StringVar(&f.textfile, "textfile", "", "leave the role's metrics in this folder, for the textfile collector of node_exporter (default: $ROLECALL_TEXTFILE_DIR)")
	f.ping.bind(cmd)
	f.ping.bindOutput(cmd)
	bindState(cmd, &f.state)
	complete(cmd, "overlap", []string{runs.OverlapSkip, runs.OverlapWait, runs.OverlapKill})
	complete(cmd, "capture", []string{runs.CaptureTee, runs.CaptureFile, runs.CaptureNone})
	complete(cmd, "on-interrupted", runs.Policies())
}

// run makes the run. From here on signals are the run's own.
func (a *app) run(cmd *cobra.Command, f runFlags, argv []string) error {
	if code, isInit := a.asInit(); isInit {
		return exitWith(code)
	}
	if err := f.ping.check(); err != nil {
		return usage(err)
	}
	plan, named, err := a.runPlan(cmd, f, argv)
	if err != nil {
		return usage(err)
	}
	m, err := host.New()
	if err != nil {
		return usage(err)
	}
	root, err := a.stateRoot(f.state)
	if err != nil {
		return usage(err)
	}
	w := runs.Wrapper{Store: runs.Store{Machine: m, Root: root}, Launcher: a.launcher(), Warn: a.say}
	if err := host.CheckState(root); err != nil {
		if plan.Strict() {
			a.say(err.Error())
			return exitWith(runs.ExitCannotRecord)
		}
		a.say(err.Error() + "; this run is not recorded")
		w.Root = "" // nothing can be recorded there
	}
	w.Notices = a.notices(&f.ping, &plan, a.addresses(&f.ping, named), m.Token())
	a.warnStop(plan.Budgets)
	metrics := a.metricsFile(cmp.Or(f.textfile, a.getenv("ROLECALL_TEXTFILE_DIR")), w.Store, plan.Role)
	w.Started = metrics.started
	stops, done := a.stops(cmd.Context())
	defer done()
	w.Stops = stops
	out := w.Run(plan)
	metrics.ended(out)
	if out.Message != "" {
		a.say(out.Message)
	}
	return exitWith(out.Code)
}

// say tells a person something on standard error. It never fails.
func (a *app) say(text string) {
	fmt.Fprintf(a.Err, "rolecall: %s\n", escapeLine(redact.Text(text)))
}

func (a *app) launcher() runs.Launcher {
	l := host.Launcher{Stdout: a.Out, Stderr: a.Err}
	// A job that leads a group of its own is not the terminal's foreground: it
	// would be stopped where it reads.
	if f, ok := a.In.(*os.File); ok && !isTerminal(f) {
		l.Stdin = f
	}
	return l
}

// stateRoot is the state folder: the flag, $ROLECALL_STATE, or the user's own.
func (a *app) stateRoot(flag string) (string, error) {
	dir := flag
	if dir == "" {
		dir = a.getenv("ROLECALL_STATE")
	}
	if dir == "" {
		var err error
		if dir, err = a.ownState(); err != nil {
			return "", err
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	_ = os.MkdirAll(filepath.Dir(abs), 0o700) // what cannot be written says so itself
	return filepath.ToSlash(abs), nil
}

func (a *app) ownState() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/lib/rolecall", nil
	}
	if dir := a.getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "rolecall"), nil
	}
	if home := a.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "rolecall"), nil
	}
	return "", errors.New("neither XDG_STATE_HOME nor HOME is set; name the state folder with --state")
}

func bindState(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "state", "", "the state folder (default: $ROLECALL_STATE, /var/lib/rolecall for root, else $XDG_STATE_HOME/rolecall)")
}

// store is the state folder of a command that only looks after runs.
func (a *app) store(flag string) (runs.Store, error) {
	m, err := host.New()
	if err != nil {
		return runs.Store{}, usage(err)
	}
	root, err := a.stateRoot(flag)
	if err != nil {
		return runs.Store{}, usage(err)
	}
	if err := host.CheckState(root); err != nil {
		return runs.Store{}, fault{exitIncomplete, err}
	}
	return runs.Store{Machine: m, Root: root}, nil
}

func (a *app) runCheckpointCommand() *cobra.Command {
	return &cobra.Command{
		Use: "checkpoint TOKEN", Short: "from within a job: how far it has come", Args: oneWord("checkpoint takes one token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.inside(func(s *runs.Store, role, id string) error { return s.Checkpoint(role, id, args[0]) })
		},
	}
}

func (a *app) runPhaseCommand() *cobra.Command {
	begin, end := runs.PhaseCommitBegin, runs.PhaseCommitEnd
	return &cobra.Command{
		Use: "phase " + begin + "|" + end, Short: "from within a job: around a commit of its own",
		Long:      "commit-begin claims the verdict for the job, and fails where the run is being\nstopped: then the job must not commit. From there on a stop waits for the job,\nwithin its commit timeout.",
		ValidArgs: []string{begin, end}, Args: oneWord("phase takes " + begin + " or " + end),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case begin:
				return a.inside((*runs.Store).CommitBegin)
			case end:
				return a.inside((*runs.Store).CommitEnd)
			}
			return usage(fmt.Errorf("phase %q is neither %s nor %s", args[0], begin, end))
		},
	}
}

func oneWord(message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(errors.New(message))
		}
		return nil
	}
}

// inside says something for the run that this process is a part of.
func (a *app) inside(do func(s *runs.Store, role, id string) error) error {
	role, id, root := a.getenv("ROLECALL_ROLE"), a.getenv("ROLECALL_RUN_ID"), a.getenv("ROLECALL_STATE")
	if role == "" || id == "" || root == "" {
		return usage(errors.New("ROLECALL_ROLE, ROLECALL_RUN_ID and ROLECALL_STATE are not set; this is for a job under a rolecall run that is recorded"))
	}
	if err := errors.Join(runs.CheckRole(role), runs.CheckID(id)); err != nil {
		return usage(err)
	}
	s, err := a.store(root)
	if err != nil {
		return err
	}
	if err := do(&s, role, id); err != nil {
		return fault{exitFindings, err}
	}
	return nil
}

// stops are the signals that ask this process to stop, from here on in the run's
// own hands.
func (a *app) stops(ctx context.Context) (<-chan runs.Signal, func()) {
	a.patient.Store(true)
	return catchStops(ctx)
}

// earlyStop is the signal that ended a context.
func earlyStop(ctx context.Context) (runs.Signal, bool) {
	var s signalled
	if ctx.Err() == nil || !errors.As(context.Cause(ctx), &s) {
		return 0, false
	}
	n, ok := s.Signal.(syscall.Signal)
	return runs.Signal(n), ok
}
