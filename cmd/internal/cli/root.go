package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

const about = `rolecall calls the roll of scheduled jobs.

A ledger in version control says which roles must be running, on which
scheduler, when, and doing what. rolecall lists what crontabs, GitHub Actions
schedules and Kubernetes CronJobs really hold, compares the two, and says which
roles are missing, duplicate, inactive, drifted or unexpected, and what could
not be looked at.`

// commonFlags are those of every command.
type commonFlags struct {
	config    string
	now       string
	color     string
	logFormat string
	quiet     bool
	verbose   int
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "rolecall", Short: "call the roll of scheduled jobs", Long: about,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare() },
		Args:              noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = cmd.Help()
			return exitWith(exitUsage)
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return plainly(err) })
	root.CompletionOptions.DisableDefaultCmd = false
	f := root.PersistentFlags()
	f.StringVar(&a.flags.config, "config", "", "config file (default: rolecall.yaml from here upward, then $XDG_CONFIG_HOME/rolecall/rolecall.yaml)")
	f.String("ledger", "", "ledger file (default: the config's, else ledger.yaml)")
	f.StringVar(&a.flags.now, "now", "", "the instant to judge at, RFC 3339 (default: the clock)")
	f.StringVar(&a.flags.color, "color", "auto", "auto, always or never; NO_COLOR is honoured")
	f.StringVar(&a.flags.logFormat, "log-format", "text", "text or json, for what is logged to stderr")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "only the verdict")
	f.CountVarP(&a.flags.verbose, "verbose", "v", "more: all roles and the coverage; twice: what is being read")
	root.AddCommand(
		a.auditCommand(), a.gateCommand(), a.listCommand(), a.explainCommand(), a.ledgerCommand(), a.renderCommand(),
		a.snapshotCommand(), a.diffCommand(), a.scheduleCommand(), a.doctorCommand(), a.schemaCommand(), a.versionCommand(),
		a.manualCommand(), a.repairCommand(), a.runCommand(), a.drainCommand(), a.runsCommand(), a.rulesCommand(),
	)
	root.AddCommand(topics()...)
	root.SetHelpCommand(helpCommand())
	return root
}

// plainly says of a flag's value what it should be, where the parser says what
// its function did not like.
func plainly(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return usage(err)
	}
	flag, value := "--"+bad.GetFlag().Name, bad.GetValue()
	switch bad.GetFlag().Value.Type() {
	case "int", "count":
		return usage(fmt.Errorf("%s %q is no whole number; write one like 5", flag, value))
	case "duration":
		return usage(fmt.Errorf("%s %q is no duration; write one like 30s or 1h30m", flag, value))
	case "bool":
		return usage(fmt.Errorf("%s=%s is neither true nor false", flag, value))
	}
	return usage(err)
}

// noCommand refuses a word that is no command, with the nearest one that is.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Root().Commands() {
		names = append(names, c.Name())
	}
	return usage(fmt.Errorf("no command or help page %q%s", args[0], didYouMean(args[0], names)))
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND|PAGE]", Short: "help about a command, or a page of its own",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || about == cmd.Root() && len(rest) > 0 {
				return noCommand(cmd, args)
			}
			return about.Help()
		},
	}
}

// prepare checks the common flags and sets the clock and the logger.
func (a *app) prepare() error {
	if a.flags.now != "" {
		t, err := specs.ParseInstant(a.flags.now)
		if err != nil {
			return usage(fmt.Errorf("--now %q is not an instant like 2026-11-25T12:00:00Z", a.flags.now))
		}
		a.now = func() time.Time { return t }
	}
	opts := &slog.HandlerOptions{Level: slog.LevelWarn}
	if a.flags.verbose > 1 {
		opts.Level = slog.LevelInfo
	}
	switch a.flags.logFormat {
	case "text":
		a.log = slog.New(slog.NewTextHandler(a.Err, opts))
	case "json":
		a.log = slog.New(slog.NewJSONHandler(a.Err, opts))
	default:
		return usage(fmt.Errorf("--log-format %q is neither text nor json", a.flags.logFormat))
	}
	return nil
}

// colour says whether the standard output gets colour.
func (a *app) colour() bool {
	switch a.flags.color {
	case "always":
		return true
	case "never":
		return false
	}
	_, no := a.env("NO_COLOR")
	return a.OutTTY && !no && a.getenv("TERM") != "dumb"
}

// suggest adds to an error about a flag the nearest one there is.
func suggest(cmd *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if cmd == nil || !errors.As(err, &missing) {
		return err.Error()
	}
	var names []string
	add := func(f *pflag.Flag) { names = append(names, f.Name) }
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	if best := strict.Nearest(missing.GetSpecifiedName(), names); best != "" {
		return err.Error() + "; did you mean --" + best + "?"
	}
	return err.Error() + "; see: " + cmd.CommandPath() + " --help"
}

// escapeLine makes a line of a message safe for a terminal and a CI system's log.
func escapeLine(s string) string { return render.Line(strings.TrimSuffix(s, "\r")) }
