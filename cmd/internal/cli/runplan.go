package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/specs"
)

// runPlan is the run that flags and ledger ask for; a flag beats the ledger. named
// is the variable in which the ledger says that a monitor's address is.
func (a *app) runPlan(cmd *cobra.Command, f runFlags, argv []string) (p runs.Plan, named string, err error) {
	if f.role == "" {
		return p, "", errors.New("name the role: --role")
	}
	role, err := a.runRole(cmd, f.role)
	if err != nil {
		return p, "", err
	}
	due, err := a.dueInstant(f.due)
	if err != nil {
		return p, "", err
	}
	named = role.Run.PingEnv
	p = runs.Plan{Role: f.role, Due: due, Argv: argv, Shown: redact.Args(argv), Dir: f.dir, Env: withoutPings(os.Environ(), named), WatermarkTo: f.watermark,
		Helper: f.helper, Settle: 3 * time.Millisecond, SpecVersion: role.Version, SpecHash: statedHash(role, argv)}
	t := f.over(cmd, role.Run)
	p.Check, p.Cleanup, p.Readback, p.Staging = t.Check, t.Cleanup, t.Readback, t.Staging
	p.External, p.Overlap, p.Capture, p.Sweep = t.ExternalEffects, t.Overlap, t.Capture, t.Sweep
	p.Budgets = budgets(t)
	if p.Policy, err = runs.PolicyOf(t.OnInterrupted, t.ExternalEffects); err != nil {
		return p, "", err
	}
	if p.Outputs, err = outputsOf(f.outputs, t); err != nil {
		return p, "", err
	}
	return p, named, p.Validate()
}

// namedLedger is the ledger that the flag or its variable names; empty if neither
// does.
func (a *app) namedLedger(cmd *cobra.Command) string {
	if flag := cmd.Flags().Lookup("ledger"); flag != nil && flag.Changed {
		return flag.Value.String()
	}
	return a.getenv("ROLECALL_LEDGER")
}

// runRole is the role in the ledger that is named, empty if none is.
func (a *app) runRole(cmd *cobra.Command, key string) (specs.Role, error) {
	path := a.namedLedger(cmd)
	if path == "" {
		return specs.Role{}, nil
	}
	l, _, err := LoadLedger(path)
	if err != nil {
		return specs.Role{}, err
	}
	var keys []string
	for _, r := range l.Roles {
		if r.Key == key {
			return r, nil
		}
		keys = append(keys, r.Key)
	}
	return specs.Role{}, fmt.Errorf("the ledger %s has no role %q%s", path, key, didYouMean(key, keys))
}

// over lays the flags that are stated over the ledger's terms.
func (f runFlags) over(cmd *cobra.Command, t specs.RunTerms) specs.RunTerms {
	stated := cmd.Flags().Changed
	text := func(name string, into *string, v string) {
		if stated(name) || *into == "" {
			*into = v
		}
	}
	text("on-interrupted", &t.OnInterrupted, f.onInterrupted)
	text("overlap", &t.Overlap, f.overlap)
	text("capture", &t.Capture, f.capture)
	text("staging", &t.Staging, f.staging)
	shell := func(name string, into *[]string, v string) {
		if stated(name) {
			*into = []string{"/bin/sh", "-c", v}
		}
	}
	shell("check", &t.Check, f.check)
	shell("cleanup", &t.Cleanup, f.cleanup)
	shell("readback", &t.Readback, f.readback)
	span := func(name string, into **time.Duration, v time.Duration, always bool) {
		if stated(name) || *into == nil && always {
			*into = &v
		}
	}
	span("grace", &t.Grace, f.grace, false)
	span("max-runtime", &t.MaxRuntime, f.maxRuntime, true)
	span("kill-after", &t.KillAfter, f.killAfter, true)
	span("commit-timeout", &t.CommitTimeout, f.commit, true)
	t.ExternalEffects = t.ExternalEffects && !stated("external-effects") || f.external
	t.Sweep = t.Sweep && !stated("sweep") || f.sweep
	return t
}

func budgets(t specs.RunTerms) runs.Budgets {
	b := runs.DefaultBudgets()
	b.MaxRuntime, b.KillAfter, b.Commit = *t.MaxRuntime, *t.KillAfter, *t.CommitTimeout
	if t.Grace != nil {
		b.Grace = *t.Grace
	}
	return b
}

// outputsOf are the flags', or the ledger's where no flag names one.
func outputsOf(flags []string, t specs.RunTerms) ([]runs.Output, error) {
	var out []runs.Output
	if len(flags) == 0 {
		for _, o := range t.Outputs {
			out = append(out, runs.Output{Staged: o.From, Final: o.To})
		}
		return out, nil
	}
	for _, text := range flags {
		from, to, ok := strings.Cut(text, ":")
		if !ok || from == "" || to == "" {
			return nil, fmt.Errorf("--output %q is not STAGED:FINAL, like dump.gz:/srv/dump.gz", text)
		}
		abs, err := filepath.Abs(to)
		if err != nil {
			return nil, err
		}
		out = append(out, runs.Output{Staged: from, Final: filepath.ToSlash(abs)})
	}
	return out, nil
}

// dueInstant is the instant that a run is for. One that has not come is no run's.
func (a *app) dueInstant(text string) (*time.Time, error) {
	now := a.now().UTC()
	switch text {
	case "":
		return nil, nil
	case "minute":
		t := now.Truncate(time.Minute)
		return &t, nil
	}
	t, err := specs.ParseInstant(text)
	if err != nil {
		return nil, fmt.Errorf("--scheduled-for %w", err)
	}
	if t.After(now) {
		return nil, fmt.Errorf("--scheduled-for %s has not come yet, so no run is for it", text)
	}
	t = t.UTC()
	return &t, nil
}

// statedHash identifies what is run, for the idempotency key: the role's spec as
// the ledger states it, or the command where no ledger does. Run terms are no
// part of it.
func statedHash(r specs.Role, argv []string) string {
	s := r.Statement
	if !s.Hash.IsZero() {
		return s.Hash.String()
	}
	v := map[string]any{"argv": argv}
	if r.Key != "" {
		v = map[string]any{"schedule": s.Schedule, "zone": s.TimeZone, "user": s.User, "command": s.Command, "stdin": s.Stdin,
			"env": s.Env, "workflow": s.Workflow, "policy": s.ConcurrencyPolicy, "deadline": s.StartingDeadlineSeconds}
		if s.Template != nil {
			v["template"] = s.Template.Data
		}
	}
	data, _ := json.Marshal(v) // texts, numbers and bytes
	sum := sha256.Sum256(data)
	return "st1:" + hex.EncodeToString(slices.Clone(sum[:]))
}
