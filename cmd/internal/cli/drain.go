package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

const drainHelp = `Refuses new runs of rolecall run in one state folder and brings those in flight to
an end (another account has its own folder, and is drained by itself or by --state): each is given its grace, its own or --grace, under the ceiling --max-grace;
then its verdict becomes interrupted, it gets one signal, and it is killed after
its kill-after. A run within its commit is left its commit timeout. It returns as
soon as nothing is in flight.

New runs stay refused until --for has passed, the next boot, or drain --cancel, which
also ends the waiting of a drain, and forces nothing. What a killed wrapper left
running is waited for and never killed. A second drain joins the first; deadlines do not move. A drain that is interrupted
leaves the runs alone, and new ones refused.

Exit codes: 0 all finished, 1 some were interrupted, 3 of some nothing can be
known or state cannot be read (those are never killed), 2 usage, 4 internal.`

type drainFlags struct {
	grace, maxGrace, span time.Duration
	reason, state         string
	status, cancel        bool
	outputs               []string
}

func (a *app) drainCommand() *cobra.Command {
	var f drainFlags
	cmd := &cobra.Command{
		Use: "drain", Short: "refuse new runs, and bring those in flight to an end", Long: drainHelp,
		Example: "  rolecall drain --grace 30s --max-grace 80s\n  rolecall drain --status -o json\n  rolecall drain --cancel",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.drain(cmd, f) },
	}
	fs := cmd.Flags()
	fs.DurationVar(&f.grace, "grace", 30*time.Second, "how long a run is waited for that states none")
	fs.DurationVar(&f.maxGrace, "max-grace", 0, "how long any run is waited for at most (default: no ceiling)")
	fs.DurationVar(&f.span, "for", 15*time.Minute, "how long new runs are refused")
	fs.StringVar(&f.reason, "reason", "", "why, for the records")
	fs.BoolVar(&f.status, "status", false, "only say what is in flight and whether a drain is in force")
	fs.BoolVar(&f.cancel, "cancel", false, "let runs start again")
	bindState(cmd, &f.state)
	bindFormat(cmd, &f.outputs)
	return cmd
}

func bindFormat(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVarP(into, "output", "o", nil, "FORMAT[=FILE], repeatable: text, json (default text)")
	complete(cmd, "output", []string{"text", "json"})
}

func (a *app) drain(cmd *cobra.Command, f drainFlags) error {
	switch {
	case f.status && f.cancel:
		return usage(errors.New("--status and --cancel are two questions; ask one"))
	case f.grace < 0 || f.maxGrace < 0 || f.span <= 0:
		return usage(errors.New("--grace and --max-grace cannot be negative, and --for must be more than nothing"))
	}
	out, err := parseOutputs(f.outputs, []string{"text", "json"}, "text")
	if err != nil {
		return err
	}
	s, err := a.store(f.state)
	if err != nil {
		return err
	}
	switch {
	case f.status:
		return a.drained(out, s.Root, s.DrainStatus(), true)
	case f.cancel:
		return a.cancelDrain(out, &s)
	}
	a.patient.Store(true)
	d := runs.Drainer{Store: s, Grace: f.grace, MaxGrace: f.maxGrace, For: f.span, By: "pid " + strconv.Itoa(os.Getpid()),
		Reason: f.reason, Poll: 100 * time.Millisecond, Cancel: cmd.Context().Done(), Progress: a.drainProgress()}
	report := d.Drain()
	if err := a.drained(out, s.Root, report, false); err != nil {
		return err
	}
	if s, ok := earlyStop(cmd.Context()); ok && report.GaveUp {
		return exitWith(128 + int(s))
	}
	return nil
}

func (a *app) cancelDrain(out []output, s *runs.Store) error {
	was, err := s.CancelDrain()
	if err != nil {
		return fault{exitIncomplete, err}
	}
	text := "no drain was in force\n"
	if was {
		text = "runs start again\n"
	}
	return a.write(out, func(format string, w io.Writer) error {
		if format == "json" {
			d := s.DrainStatus()
			d.Ended = was
			return asJSON(w, drainJSON{d, exitClean})
		}
		_, err := io.WriteString(w, text)
		return err
	})
}

// drainJSON is what a drain, its status and its cancelling are as JSON.
type drainJSON struct {
	runs.Drained
	ExitCode int `json:"exit_code"`
}

// drainProgress tells a person what is waited for, at every change, and at a
// terminal once a second.
func (a *app) drainProgress() func(runs.Drained) {
	last := -1
	var once sync.Once
	return func(d runs.Drained) {
		once.Do(func() { a.warnDrain(d.Bound) })
		left := d.Waiting()
		if a.flags.quiet || left == 0 || left == last && !a.ErrTTY {
			return
		}
		last = left
		fmt.Fprintf(a.Err, "draining: %s in flight after %s%s\n", plural(left, "run"), d.Elapsed.Round(time.Second), waitingFor(d))
	}
}

func waitingFor(d runs.Drained) string {
	const most = 5
	text, n := "", 0
	for _, r := range d.Runs {
		if r.Result != runs.ResultWaiting {
			continue
		}
		if n++; n > most {
			return text + ", and more"
		}
		if n == 1 {
			text = ": "
		} else {
			text += ", "
		}
		text += escapeLine(r.Role + " " + r.RunID)
	}
	return text
}

// drained shows what a drain did, or would find.
func (a *app) drained(out []output, state string, d runs.Drained, status bool) error {
	code := d.Code()
	if status && d.Waiting() > 0 && len(d.Problems) == 0 {
		code = exitClean
	}
	err := a.write(out, func(format string, w io.Writer) error {
		if format == "json" {
			return asJSON(w, drainJSON{d, code})
		}
		err := drainText(w, d, status)
		if err == nil && len(d.Runs) == 0 {
			_, err = fmt.Fprintf(w, "looked for runs in %s; those of another account are in its own folder: --state\n", escapeLine(state))
		}
		return err
	})
	if err != nil {
		return err
	}
	return exitWith(code)
}

func asJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func drainText(w io.Writer, d runs.Drained, status bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, r := range d.Runs {
		result := r.Result
		if status && result == runs.ResultWaiting {
			result = string(r.State)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", result, escapeLine(r.Role), escapeLine(r.RunID), escapeLine(note(r)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, p := range d.Problems {
		fmt.Fprintf(w, "not known: %s\n", escapeLine(p))
	}
	if status {
		fmt.Fprintf(w, "%s in flight; %s\n", plural(d.Waiting(), "run"), refusing(d))
		return nil
	}
	joined := ""
	if d.Joined {
		joined = " (joined a drain that was in force)"
	}
	done := "drained"
	if d.Ended {
		done = "the drain was cancelled meanwhile"
	}
	fmt.Fprintf(w, done+"%s: %s%s; %s spent\n%s\n", joined, plural(len(d.Runs), "run"), tally(d), d.Elapsed.Round(10*time.Millisecond), refusing(d))
	return nil
}

func note(r runs.DrainedRun) string {
	text := string(r.State)
	if r.Cause != "" {
		text += " (" + r.Cause + ")"
	}
	if r.Note != "" {
		text += ": " + r.Note
	}
	return text
}

func tally(d runs.Drained) string {
	text := ""
	for _, result := range []string{runs.ResultFinished, runs.ResultLate, runs.ResultInterrupted, runs.ResultUnverifiable, runs.ResultWaiting} {
		n := 0
		for _, r := range d.Runs {
			if r.Result == result {
				n++
			}
		}
		if n > 0 {
			text += fmt.Sprintf(", %d %s", n, result)
		}
	}
	return text
}

func refusing(d runs.Drained) string {
	switch {
	case !d.Refusing:
		return "new runs are not refused"
	case d.Until == nil:
		return "new runs are refused by a mark that cannot be read; to end that: rolecall drain --cancel"
	}
	return "new runs are refused until " + d.Until.UTC().Format(time.RFC3339) + " or the next boot; to end that: rolecall drain --cancel"
}
