package runs

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
)

// Plan is a run to be made.
type Plan struct {
	Role        string
	SpecVersion string
	SpecHash    string
	Due         *time.Time
	Argv        []string
	Shown       []string // the command as it is recorded, with what is secret masked
	Dir         string
	Env         []string
	Outputs     []Output
	Check       []string // a command that looks at the staged outputs
	Cleanup     []string // a command that undoes what an interrupted run left
	Readback    []string // a command that says whether a key was applied: 0 it was, 1 it was not
	WatermarkTo string
	Staging     string // a folder on the outputs' file system; empty: in the run's own folder
	Policy      Policy
	External    bool
	Overlap     string
	Capture     string
	Sweep       bool // kill what is left in the group after a normal end
	Budgets     Budgets
	Helper      time.Duration // the bound of check, cleanup and readback each
	Settle      time.Duration // how long after exit 0 a stop that came with it is looked for
}

// What to do where another run of the role, or what is left of one, goes on.
const (
	OverlapSkip = "skip"
	OverlapWait = "wait"
	OverlapKill = "kill-orphans"
)

// Margin is how much longer than its commit timeout a drain leaves a run in its
// commit.
const Margin = 5 * time.Second

// DefaultBudgets are those where nothing is stated.
func DefaultBudgets() Budgets {
	return Budgets{Grace: -1, KillAfter: 10 * time.Second, Commit: 10 * time.Second}
}

// Stop is how long a run can take from the signal that asks it to end.
func (b Budgets) Stop() time.Duration { return max(b.KillAfter, b.Commit) + b.Notice }

// Strict says that the job is not to be started where it cannot be recorded.
func (p Plan) Strict() bool { return len(p.Outputs) > 0 || p.WatermarkTo != "" || p.External }

// Validate finds what is wrong with a plan before anything is done.
func (p Plan) Validate() error {
	if err := CheckRole(p.Role); err != nil {
		return err
	}
	if len(p.Argv) == 0 {
		return errors.New("no command; name it behind --")
	}
	switch p.Overlap {
	case OverlapSkip, OverlapWait, OverlapKill:
	default:
		return fmt.Errorf("overlap %q is none of %s, %s, %s", p.Overlap, OverlapSkip, OverlapWait, OverlapKill)
	}
	switch p.Capture {
	case CaptureTee, CaptureFile, CaptureNone:
	default:
		return fmt.Errorf("capture %q is none of %s, %s, %s", p.Capture, CaptureTee, CaptureFile, CaptureNone)
	}
	if p.Policy == Readback && len(p.Readback) == 0 {
		return errors.New("on_interrupted is readback, and no readback command is named")
	}
	b := p.Budgets
	if b.KillAfter <= 0 || b.Commit <= 0 || b.MaxRuntime < 0 || b.Notice < 0 {
		return errors.New("kill-after and commit-timeout must be more than nothing, max-runtime not less")
	}
	if p.Staging != "" && !path.IsAbs(p.Staging) {
		return fmt.Errorf("the staging folder %s is not absolute", p.Staging)
	}
	return p.checkOutputs()
}

func (p Plan) checkOutputs() error {
	seen := map[string]bool{}
	for _, o := range p.Outputs {
		switch {
		case o.Staged == "" || path.IsAbs(o.Staged) || path.Clean(o.Staged) != o.Staged || o.Staged == "." || o.Staged == ".." || strings.HasPrefix(o.Staged, "../"):
			return fmt.Errorf("the staged output %q is not a path below the staging folder; the job writes it to $ROLECALL_STAGING/NAME", o.Staged)
		case !path.IsAbs(o.Final) || path.Clean(o.Final) != o.Final:
			return fmt.Errorf("the final output %q is not an absolute, clean path", o.Final)
		case seen["s"+o.Staged] || seen["f"+o.Final]:
			return fmt.Errorf("the output %s:%s names a file that another does", o.Staged, o.Final)
		}
		seen["s"+o.Staged], seen["f"+o.Final] = true, true
	}
	return nil
}
