package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

type runsFlags struct {
	ledger  string
	window  time.Duration
	state   string
	outputs []string
	limit   int
	force   bool
	reason  string
	keep    runs.Retention
}

func (a *app) runsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "runs", Short: "what became of the runs of rolecall run", Args: cobra.NoArgs,
		Long: "Lists and shows the runs that rolecall run has recorded, closes those whose\nwrapper is gone, holds and releases roles, and removes old records.\n\nExit codes: 0 done, 1 something is left for a person, 2 usage, 3 something could\nnot be read or verified.",
		RunE: func(cmd *cobra.Command, _ []string) error { _ = cmd.Help(); return exitWith(exitUsage) },
	}
	cmd.AddCommand(a.runsListCommand(), a.runsShowCommand(), a.runsReapCommand(), a.runsHoldCommand(), a.runsReleaseCommand(), a.runsPruneCommand())
	return cmd
}

// runsSub is a command of runs with the flags that all have.
func (a *app) runsSub(use, short, long string, args cobra.PositionalArgs, do func(f runsFlags, s *runs.Store, out []output, args []string) error, tune func(*cobra.Command, *runsFlags)) *cobra.Command {
	var f runsFlags
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		f.ledger = a.namedLedger(cmd)
		out, err := parseOutputs(f.outputs, []string{"text", "json"}, "text")
		if err != nil {
			return err
		}
		s, err := a.store(f.state)
		if err != nil {
			return err
		}
		return do(f, &s, out, args)
	}}
	bindState(cmd, &f.state)
	bindFormat(cmd, &f.outputs)
	if tune != nil {
		tune(cmd, &f)
	}
	return cmd
}

func (a *app) runsListCommand() *cobra.Command {
	return a.runsSub("list [ROLE]...", "the runs of each role, the newest first", "With --ledger it also says which due instants of a role no run accounts for, by its\nschedule as cron on this host reads it. Where numbers of runs are left out, records\nwere removed, and what was before is not looked at.", rolesOnly, a.runsList,
		func(cmd *cobra.Command, f *runsFlags) {
			cmd.Flags().IntVar(&f.limit, "limit", 10, "how many runs of each role; 0 for all")
			cmd.Flags().DurationVar(&f.window, "since", 7*24*time.Hour, "how far back due instants without a run are looked for, where --ledger names a ledger")
		})
}

func rolesOnly(_ *cobra.Command, args []string) error {
	for _, role := range args {
		if err := runs.CheckRole(role); err != nil {
			return usage(err)
		}
	}
	return nil
}

func (a *app) runsList(f runsFlags, s *runs.Store, out []output, args []string) error {
	if f.limit < 0 || f.window <= 0 {
		return usage(errors.New("--limit cannot be negative, and --since must be more than nothing"))
	}
	l := s.List(args, f.limit)
	if f.ledger != "" {
		roles, _, err := LoadLedger(f.ledger)
		if err != nil {
			return usage(err)
		}
		if len(args) == 0 {
			l.Roles = append(l.Roles, neverRecorded(roles, s, l)...)
		}
		a.addMissed(roles, s, l.Roles, f.window)
	}
	err := a.write(out, func(format string, w io.Writer) error {
		if format == "json" {
			return asJSON(w, l)
		}
		return listText(w, l)
	})
	if err == nil && (len(l.Problems) > 0 || slices.ContainsFunc(l.Roles, func(r runs.RoleInfo) bool { return len(r.Problems) > 0 })) {
		return exitWith(exitIncomplete)
	}
	return err
}

func listText(w io.Writer, l runs.Listing) error {
	if len(l.Roles) == 0 && len(l.Problems) == 0 {
		fmt.Fprintf(w, "no runs are recorded in %s\n", escapeLine(l.State))
	}
	for _, r := range l.Roles {
		fmt.Fprintf(w, "%s  last start %s, last success %s, last progress %s\n", r.Role, instant(r.LastStarted), instant(r.LastSuccess), instant(r.LastProgress))
		if r.Held {
			fmt.Fprintf(w, "  held: %s; look, then: rolecall runs release %s\n", escapeLine(r.HeldWhy), r.Role)
		}
		if r.Missed != nil && r.Missed.Count > 0 {
			fmt.Fprintf(w, "  missed: %s since %s, last %s\n", plural(r.Missed.Count, "due instant"), stamp(r.Missed.Since), stamp(r.Missed.Newest[0]))
		}
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		for _, run := range r.Runs {
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", run.RunID, stateText(run), runStamp(run.Scheduled), took(run), escapeLine(exitText(run)))
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, h := range r.Hints {
			fmt.Fprintf(w, "  %s\n", escapeLine(h))
		}
		for _, p := range r.Problems {
			fmt.Fprintf(w, "  not known: %s\n", escapeLine(p))
		}
	}
	for _, p := range l.Problems {
		fmt.Fprintf(w, "not known: %s\n", escapeLine(p))
	}
	return nil
}

func instant(unix *int64) string {
	if unix == nil {
		return "never"
	}
	return time.Unix(*unix, 0).UTC().Format(time.RFC3339)
}

func runStamp(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

func stateText(r runs.RunInfo) string {
	if r.Cause == "" || r.Cause == runs.CauseExit {
		return string(r.State)
	}
	return string(r.State) + " (" + r.Cause + ")"
}

func took(r runs.RunInfo) string {
	if r.Ended == nil || r.Started == nil {
		return "-"
	}
	return (time.Duration(r.DurationMS) * time.Millisecond).String()
}

func exitText(r runs.RunInfo) string {
	switch {
	case r.ExitCode == nil:
		return ""
	case r.Signal != 0:
		return "signal " + strconv.Itoa(int(r.Signal))
	}
	return "exit " + strconv.Itoa(*r.ExitCode)
}

func (a *app) runsShowCommand() *cobra.Command {
	return a.runsSub("show RUN", "one run, with all its records", "RUN is a run's id or the beginning of one, ROLE/RUN where two roles have it, or a\nrole's key for its last run.",
		oneWord("show takes one run; see: rolecall runs list"), a.runsShow, nil)
}

func (a *app) runsShow(f runsFlags, s *runs.Store, out []output, args []string) error {
	r, err := findRun(s, args[0])
	if err != nil {
		return usage(err)
	}
	info := s.Info(r)
	return a.write(out, func(format string, w io.Writer) error {
		if format == "json" {
			return asJSON(w, shown{Schema: runs.ShowSchema, Role: r.Role, Run: info, Records: r.Records()})
		}
		return showText(w, r, info)
	})
}

// shown is one run as JSON.
type shown struct {
	Schema  string         `json:"schema"`
	Role    string         `json:"role"`
	Run     runs.RunInfo   `json:"run"`
	Records map[string]any `json:"records"`
}

// findRun finds a run by what a person calls it.
func findRun(s *runs.Store, name string) (*runs.Run, error) {
	roles, err := s.Roles()
	if err != nil {
		return nil, err
	}
	role, prefix, both := strings.Cut(name, "/")
	var found []*runs.Run
	for _, key := range roles {
		ids, _, err := s.IDs(key)
		if err != nil {
			return nil, err
		}
		if !both && key == name && len(ids) > 0 {
			return s.Load(key, ids[len(ids)-1]), nil
		}
		for _, id := range ids {
			if both && key == role && strings.HasPrefix(id, prefix) || !both && strings.HasPrefix(id, name) {
				found = append(found, s.Load(key, id))
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no run or role %q is recorded in %s; see: rolecall runs list", name, s.Root)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%d runs are called %q; the first are %s/%s and %s/%s", len(found), name, found[0].Role, found[0].ID, found[1].Role, found[1].ID)
}

func showText(w io.Writer, r *runs.Run, i runs.RunInfo) error {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-14s%s\n", name, escapeLine(value))
		}
	}
	line("run", r.Role+"/"+i.RunID)
	line("state", stateText(i))
	line("why", i.Why)
	if i.Due != nil {
		line("for", runStamp(i.Due))
	}
	line("scheduled", runStamp(i.Scheduled))
	line("started", runStamp(i.Started))
	line("ended", runStamp(i.Ended))
	line("took", took(i))
	line("exit", exitText(i))
	line("key", i.Key)
	if i.Attempt > 1 {
		line("attempt", strconv.Itoa(i.Attempt))
	}
	line("after", i.ReplayOf)
	line("checkpoint", i.Checkpoint)
	line("effects", string(i.SideEffects))
	line("wrapper", string(i.Owner))
	line("descendants", string(i.Descendants))
	if i.Late > 0 {
		line("late records", strconv.Itoa(i.Late))
	}
	line("folder", i.Dir)
	return nil
}
