package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

const waiveAbout = `Writes a waiver into the ledger: until a day the finding is reported as waived
and does not gate. A finding that is waived already gets the new reason and end.
Comments and layout of the file stay as they are, and the change is shown.

FINDING is the id that a report prints. After the day that --until names (UTC,
that day included) the finding is back.`

type waiveFlags struct {
	reason, until, owner string
	dryRun               bool
}

func (a *app) ledgerWaiveCommand() *cobra.Command {
	var f waiveFlags
	cmd := &cobra.Command{
		Use: "waive FINDING --reason TEXT --until DATE", Short: "take a finding out of account until a day",
		Long: waiveAbout, Example: "  rolecall ledger waive drift:rotate-logs@web-1 --reason 'trial of a later hour, CHG-1182' --until 2026-12-24",
		Args:              oneArg("the id of a finding, as a report prints it"),
		ValidArgsFunction: a.completeWaiver,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.ledgerWaive(cmd, args[0], f) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.reason, "reason", "", "why it does not count; required")
	fs.StringVar(&f.until, "until", "", "the last day (2026-12-24), or an RFC 3339 instant; required")
	fs.StringVar(&f.owner, "owner", "", "who answers for it")
	fs.BoolVar(&f.dryRun, "dry-run", false, "show the change and write nothing")
	return cmd
}

func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] == "" {
			return usage(fmt.Errorf("%s takes %s; see: %s --help", cmd.CommandPath(), what, cmd.CommandPath()))
		}
		return nil
	}
}

func (a *app) ledgerWaive(cmd *cobra.Command, id string, f waiveFlags) error {
	until, err := f.check(a.now())
	if err != nil {
		return usage(err)
	}
	s, err := a.load(cmd)
	if err != nil {
		return err
	}
	file, err := openForEdit(cmd.Context(), s.Settings.Ledger, f.dryRun)
	if err != nil {
		return err
	}
	defer file.close()
	l, _, err := ledger.Parse(file.name, file.data, file.read)
	if err != nil {
		return usage(err)
	}
	if err := l.CheckFinding(id); err != nil {
		return usage(err)
	}
	out, was, err := ledger.Waive(file.name, file.data, file.read, ledger.Waiver{Finding: id, Reason: f.reason, Owner: f.owner, UntilText: f.until})
	if err != nil {
		return usage(err)
	}
	if until.Sub(a.now()) > longWaiver {
		fmt.Fprintf(a.Err, "rolecall: warning: %s is more than a year away; what is waived that long nobody looks at again\n", escapeLine(f.until))
	}
	return a.putEdit(edit{ledger: file.name, before: file.data, after: out, dryRun: f.dryRun, said: waived(id, f, was)})
}

// longWaiver is when a waiver is looked at with suspicion.
const longWaiver = 366 * 24 * time.Hour

// check holds the flags to what a waiver needs, all that is missing in one go.
func (f waiveFlags) check(now time.Time) (time.Time, error) {
	var errs []error
	if strings.TrimSpace(f.reason) == "" {
		errs = append(errs, errors.New("say why the finding does not count: --reason TEXT"))
	}
	if f.until == "" {
		return time.Time{}, errors.Join(append(errs, errors.New("say until when: --until DATE, like 2026-12-24; nothing is waived for ever"))...)
	}
	until, err := ledger.ParseUntil(f.until)
	switch {
	case err != nil:
		errs = append(errs, fmt.Errorf("--until: %w", err))
	case !until.After(now):
		errs = append(errs, fmt.Errorf("--until %s is past, so that the finding would not be waived; name a later day", f.until))
	}
	return until, errors.Join(errs...)
}

func waived(id string, f waiveFlags, was *ledger.Waiver) string {
	text := fmt.Sprintf("%s is waived until %s", id, f.until)
	if was != nil {
		text += fmt.Sprintf(", in place of the waiver until %s", was.UntilText)
	}
	if strings.HasPrefix(id, "unexpected:") {
		text += "; that the object is there was not checked, the next audit will say if the waiver is of no use"
	}
	return text
}

// edit is a change of a ledger, with the file that comes with it.
type edit struct {
	ledger        string
	before, after []byte
	added         []target
	dryRun        bool
	said          string
}

// putEdit shows a change as a diff, and writes it: what is new first, and none of
// it if one file cannot be written.
func (a *app) putEdit(e edit) error {
	if !e.dryRun && !bytes.Equal(e.before, e.after) {
		if err := createAll(e.added); err != nil {
			return err
		}
		if err := replaceFile(e.ledger, e.before, e.after); err != nil {
			for _, t := range e.added {
				os.Remove(t.path)
			}
			return internal(fmt.Errorf("%w; nothing was written", err))
		}
	}
	if err := a.write([]output{{}}, func(_ string, w io.Writer) error {
		text := unified(filepath.ToSlash(e.ledger), e.before, e.after)
		for _, t := range e.added {
			text += unified(filepath.ToSlash(t.path), nil, t.data)
		}
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		return err
	}
	switch {
	case bytes.Equal(e.before, e.after):
		e.said += " (the ledger says so already)"
	case e.dryRun:
		e.said += " (--dry-run: nothing was written)"
	}
	if !a.flags.quiet {
		fmt.Fprintf(a.Err, "rolecall: %s: %s\n", escapeLine(e.ledger), escapeLine(e.said))
	}
	return nil
}

// openLedger is a ledger's text and the reader of its templates.
type openLedger struct {
	name string
	data []byte
	root *os.Root

	unlock func()
}

// openForEdit reads a ledger. Nobody else changes it until it is closed, unless
// it is only looked at.
func openForEdit(ctx context.Context, name string, look bool) (*openLedger, error) {
	unlock := func() {}
	if !look {
		var err error
		if unlock, err = lockLedger(ctx, name); err != nil {
			return nil, err
		}
	}
	data, err := readRegular(os.Stat, os.Open, name)
	if err != nil {
		unlock()
		return nil, usage(fmt.Errorf("ledger: %w; name it with --ledger, or write a first one with: rolecall ledger init", err))
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		unlock()
		return nil, usage(fmt.Errorf("ledger: %w", err))
	}
	return &openLedger{name, data, root, unlock}, nil
}

func (o *openLedger) close() {
	o.root.Close()
	o.unlock()
}

func (o *openLedger) read(rel string) ([]byte, error) {
	return readRegular(o.root.Stat, o.root.Open, filepath.FromSlash(rel))
}

// completeWaiver completes the ids that a waiver can name of the ledger's roles.
func (a *app) completeWaiver(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 {
		return nil, directive
	}
	s, err := a.load(cmd)
	if err != nil {
		return nil, directive
	}
	l, _, err := a.readLedger(s)
	if err != nil {
		return nil, directive
	}
	var out []string
	for _, r := range l.Roles {
		for _, source := range r.Sources {
			for _, kind := range []report.Kind{report.Missing, report.Duplicate, report.Ambiguous, report.Inactive, report.Drift} {
				if id := string(kind) + ":" + r.Key + "@" + source; strings.HasPrefix(id, typed) {
					out = append(out, id)
				}
			}
		}
	}
	return out, directive
}
