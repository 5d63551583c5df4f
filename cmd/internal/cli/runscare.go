package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

func (a *app) runsReapCommand() *cobra.Command {
	return a.runsSub("reap [ROLE]...", "close the runs whose wrapper is gone", "Closes each run whose wrapper is proved to be dead, by what its records prove: a\ncommit that had put all in place is rolled forward, all else is interrupted.\nWhat cannot be verified is closed only with --force, what is corrupt never.",
		rolesOnly, a.runsReap, func(cmd *cobra.Command, f *runsFlags) {
			cmd.Flags().BoolVar(&f.force, "force", false, "also close runs of which it cannot be verified that their wrapper is dead")
		})
}

// done is what a command did, as JSON.
type done struct {
	Schema string   `json:"schema"`
	Done   []tended `json:"done"`
}

// tended is what became of one run or role.
type tended struct {
	Role  string `json:"role"`
	RunID string `json:"run_id"`
	State string `json:"state"`
	Note  string `json:"note"`
}

func (a *app) runsReap(f runsFlags, s *runs.Store, out []output, roles []string) error {
	var list []tended
	code := exitClean
	all, err := s.Open(roles)
	if err != nil {
		list, code = append(list, tended{State: "unreadable", Note: err.Error()}), exitIncomplete
	}
	for _, r := range all {
		goesOn := r.Terminal == nil && s.Life(r).Desc == runs.Alive
		got, err := s.Settle(r, "runs reap", f.force, false)
		t := tended{Role: r.Role, RunID: r.ID, State: string(got.State), Note: got.Why}
		if err != nil {
			t.Note = err.Error()
		}
		if goesOn && t.Note == "" {
			t.Note = "what its job started goes on; end its processes"
		}
		list = append(list, t)
		code = worse(code, got.State, err)
	}
	return a.tend(out, list, code, "nothing to close")
}

// worse is the exit code after one more run.
func worse(code int, s runs.State, err error) int {
	switch {
	case s == runs.Unverifiable || s == runs.Corrupt || err != nil:
		return exitIncomplete
	case (s == runs.OwnerLost || s == runs.Orphaned) && code == exitClean:
		return exitFindings
	}
	return code
}

// tend shows what was done, and ends with a code.
func (a *app) tend(out []output, list []tended, code int, nothing string) error {
	err := a.write(out, func(format string, w io.Writer) error {
		if format == "json" {
			return asJSON(w, done{runs.DoneSchema, append([]tended{}, list...)})
		}
		if len(list) == 0 {
			fmt.Fprintln(w, nothing)
		}
		for _, t := range list {
			fmt.Fprintln(w, escapeLine(line(t)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return exitWith(code)
}

func line(t tended) string {
	text := t.Role
	if t.RunID != "" {
		text += "/" + t.RunID
	}
	text += ": " + t.State
	if t.Note != "" {
		text += ": " + t.Note
	}
	return text
}

func (a *app) runsHoldCommand() *cobra.Command {
	return a.runsSub("hold ROLE", "let no run of a role start until it is released", "", oneRole, a.runsHold, reasonFlag)
}

func (a *app) runsReleaseCommand() *cobra.Command {
	return a.runsSub("release ROLE", "let a held role run once more", "Ends the hold of a role after a person has looked. The next run goes, also where\nit tries again what a run before was for.", oneRole, a.runsRelease, func(cmd *cobra.Command, f *runsFlags) {
		reasonFlag(cmd, f)
		cmd.Flags().BoolVar(&f.force, "force", false, "also a hold that cannot be read, which is put aside; if the last run asks for one, the next run holds the role again")
	})
}

func reasonFlag(cmd *cobra.Command, f *runsFlags) {
	cmd.Flags().StringVar(&f.reason, "reason", "", "why, for the records")
}

func oneRole(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(errors.New("name one role"))
	}
	return rolesOnly(cmd, args)
}

func (a *app) runsHold(f runsFlags, s *runs.Store, out []output, args []string) error {
	reason := f.reason
	if reason == "" {
		reason = "held by a person"
	}
	if err := s.HoldRole(args[0], reason); err != nil {
		return fault{exitIncomplete, err}
	}
	return a.tend(out, []tended{{Role: args[0], State: "held", Note: reason}}, exitClean, "")
}

func (a *app) runsRelease(f runsFlags, s *runs.Store, out []output, args []string) error {
	release := s.Release
	if f.force {
		release = s.ReleaseCorrupt
	}
	rel, err := release(args[0], "rolecall runs release", f.reason)
	if errors.Is(err, runs.ErrCorrupt) {
		err = fmt.Errorf("%w; look at it, then: rolecall runs release --force %s", err, args[0])
	}
	if errors.Is(err, runs.ErrNotHeld) {
		return fault{exitFindings, err}
	}
	if err != nil {
		return fault{exitIncomplete, err}
	}
	return a.tend(out, []tended{{Role: args[0], RunID: rel.RunID, State: "released", Note: f.reason}}, exitClean, "")
}

func (a *app) runsPruneCommand() *cobra.Command {
	return a.runsSub("prune [ROLE]...", "remove old records that nothing needs", "Never removes a run that has not ended or cannot be read, the last run, start,\nsuccess and checkpoint of a role, the first run of one that never succeeded, nor\nwhat proves that an instant has completed.",
		rolesOnly, a.runsPrune, func(cmd *cobra.Command, f *runsFlags) {
			fs := cmd.Flags()
			fs.IntVar(&f.keep.Keep, "keep", 100, "the newest runs of each role that stay")
			fs.DurationVar(&f.keep.MaxAge, "max-age", 30*24*time.Hour, "runs that ended since then stay")
			fs.DurationVar(&f.keep.KeyAge, "key-age", 366*24*time.Hour, "how long it is remembered which instants have completed")
			fs.DurationVar(&f.keep.LogsAge, "logs-age", 0, "remove output and staging of runs that ended before (default: with the run)")
			fs.BoolVar(&f.keep.DryRun, "dry-run", false, "only say what would be removed")
		})
}

func (a *app) runsPrune(f runsFlags, s *runs.Store, out []output, roles []string) error {
	if f.keep.Keep < 0 || f.keep.MaxAge < 0 || f.keep.KeyAge < 0 || f.keep.LogsAge < 0 {
		return usage(errors.New("nothing that is kept can be negative"))
	}
	var list []tended
	code := exitClean
	all, err := s.Roles()
	if err != nil {
		return fault{exitIncomplete, err}
	}
	did := "removed"
	if f.keep.DryRun {
		did = "would be removed"
	}
	for _, role := range all {
		if len(roles) > 0 && !slices.Contains(roles, role) {
			continue
		}
		got, err := s.Prune(role, f.keep)
		for _, p := range got {
			list = append(list, tended{Role: p.Role, RunID: p.RunID, State: did, Note: p.Part})
		}
		if err != nil {
			list, code = append(list, tended{Role: role, State: "not removed", Note: err.Error()}), exitIncomplete
		}
	}
	return a.tend(out, list, code, "nothing to remove")
}
