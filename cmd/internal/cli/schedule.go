package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/specs"
)

const scheduleHelp = `What an expression means to the program that runs it: whether it is taken, when
it fires next, how long it pauses at most, and what other programs make of it.

The expression is one argument, or its fields are one each. Quote it: the shell
puts file names in the place of *. One that begins with - stands behind --.

With --equal there are two expressions, one argument each, and the answer is
whether both fire at the same instants, and if not, the first that differs.

In different zones two may fire at the same instants by the rules that the zones
have today. That is equal here, and an audit holds them apart, since rules change.

Without --zone the schedule is in the scheduler's own zone. That is UTC for
github; for the others it is not known here, so their instants are those of a
scheduler whose clock shows UTC, and they equal no schedule in a named zone.
For cronie --zone is that of a CRON_TZ line in the table, which is not the daemon's
own: where its clock skips an hour nothing is made up for, and where it repeats one
jobs run twice. The zone: of a source in rolecall.yaml is the daemon's own.

Exit codes: 0 the expression is taken (the two are equal), 1 it is refused (they
are not, or that cannot be known), 2 usage.`

const scheduleExamples = `  rolecall schedule --dialect kubernetes '*/15 8-17 * * 1-5'
  rolecall schedule --dialect cronie --zone Europe/Berlin '30 2 * * *'
  rolecall schedule --dialect debian -- '-5 * * * *'
  rolecall schedule --equal --dialect debian --dialect-b kubernetes '0 0 * * 7' '0 0 * * 0'`

// mostNext bounds --next.
const mostNext = 1000

type scheduleFlags struct {
	dialect, dialectB string
	zone, zoneB       string
	equal             bool
	next              int
	outputs           []string
}

func (a *app) scheduleCommand() *cobra.Command {
	var f scheduleFlags
	cmd := &cobra.Command{
		Use: "schedule --dialect DIALECT EXPR", Short: "what an expression means, or whether two are equal",
		Long: scheduleHelp, Example: scheduleExamples,
		Args:              func(cmd *cobra.Command, args []string) error { return f.check(cmd, args) },
		RunE:              func(cmd *cobra.Command, args []string) error { return a.schedule(f, args) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.dialect, "dialect", "", "the program that runs it: "+strings.Join(dialectNames(), ", "))
	fs.StringVar(&f.zone, "zone", "", "the zone of the schedule, an IANA name, for cronie by CRON_TZ (default: the scheduler's own)")
	fs.IntVar(&f.next, "next", 5, "how many due instants to show")
	fs.BoolVar(&f.equal, "equal", false, "compare two expressions")
	fs.StringVar(&f.dialectB, "dialect-b", "", "the program of the second one (default: as --dialect)")
	fs.StringVar(&f.zoneB, "zone-b", "", "the zone of the second one (default: as --zone)")
	fs.StringArrayVarP(&f.outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: text, json (default text)")
	cmd.SetFlagErrorFunc(flagOrExpression)
	complete(cmd, "dialect", dialectNames())
	complete(cmd, "dialect-b", dialectNames())
	complete(cmd, "zone", specs.ZoneNames())
	complete(cmd, "zone-b", specs.ZoneNames())
	complete(cmd, "output", []string{"text", "json"})
	return cmd
}

// flagOrExpression says how an expression is written that looks like a flag.
func flagOrExpression(_ *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "" {
		return usage(fmt.Errorf("%w; an expression that begins with - stands behind --", err))
	}
	return plainly(err)
}

func complete(cmd *cobra.Command, flag string, values []string) {
	// the error is that of a flag that is not there
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func dialectNames() []string {
	var out []string
	for _, d := range specs.Dialects() {
		out = append(out, string(d))
	}
	return out
}

// check refuses what is no question at all.
func (f *scheduleFlags) check(cmd *cobra.Command, args []string) error {
	changed := cmd.Flags().Changed
	switch {
	case f.equal && len(args) != 2:
		return usage(fmt.Errorf("--equal takes two expressions, one quoted argument each, and here are %d arguments", len(args)))
	case len(args) == 0:
		return usage(errors.New("schedule takes an expression, quoted: rolecall schedule --dialect debian '*/5 * * * *'"))
	case !f.equal && (changed("dialect-b") || changed("zone-b")):
		return usage(errors.New("--dialect-b and --zone-b belong to --equal, which takes two expressions"))
	case f.next < 0 || f.next > mostNext:
		return usage(fmt.Errorf("--next %d: name a number from 0 to %d", f.next, mostNext))
	case f.dialect == "":
		return usage(errors.New("name the program that runs the schedule, for the same text means other times elsewhere: --dialect with one of " + strings.Join(dialectNames(), ", ")))
	}
	if !changed("dialect-b") {
		f.dialectB = f.dialect
	}
	if !changed("zone-b") {
		f.zoneB = f.zone
	}
	for _, flag := range [][3]string{{"", f.dialect, f.zone}, {"-b", f.dialectB, f.zoneB}} {
		if err := checkReading(flag[0], flag[1], flag[2]); err != nil {
			return err
		}
	}
	return nil
}

func checkReading(side, dialect, zone string) error {
	if !slices.Contains(dialectNames(), dialect) {
		return usage(fmt.Errorf("--dialect%s %q: no such dialect%s", side, dialect, didYouMean(dialect, dialectNames())))
	}
	if _, err := specs.CanonicalZone(zone); err != nil {
		return usage(fmt.Errorf("--zone%s: %w", side, err))
	}
	return nil
}

func (a *app) schedule(f scheduleFlags, args []string) error {
	out, err := parseOutputs(f.outputs, []string{"text", "json"}, "text")
	if err != nil {
		return err
	}
	if f.equal {
		return a.equal(f, args, out)
	}
	m, _ := a.meaning(specs.Dialect(f.dialect), strings.Join(args, " "), f.zone, f.next)
	if !m.Valid && len(args) > 1 {
		m.Notes = append(m.Notes, fmt.Sprintf("the expression came as %d arguments; quote it, or the shell puts file names in the place of *", len(args)))
	}
	err = a.write(out, func(format string, w io.Writer) error {
		if format == "json" {
			return render.MeaningJSON(w, m, a.now())
		}
		return render.MeaningText(w, m, a.textOptions())
	})
	return ends(err, m.Valid)
}

func (a *app) equal(f scheduleFlags, args []string, out []output) error {
	x := a.pair(f, args)
	err := a.write(out, func(format string, w io.Writer) error {
		if format == "json" {
			return render.PairJSON(w, x, a.now())
		}
		return render.PairText(w, x, a.textOptions())
	})
	return ends(err, x.Equal)
}

func (a *app) textOptions() render.TextOptions {
	return render.TextOptions{Width: a.Width, Color: a.colour(), Verbose: a.flags.verbose, Quiet: a.flags.quiet}
}

// ends is how a command ends whose answer was written: yes or no.
func ends(err error, yes bool) error {
	if err == nil && !yes {
		return exitWith(exitFindings)
	}
	return err
}
