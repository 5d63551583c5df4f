package specs

import "time"

// RunTerms are what a ledger says of how a role's runs are made and ended. They
// are no part of its Spec: no scheduler holds them.
type RunTerms struct {
	Pos Pos
	// OnInterrupted is retry, clean-then-retry, readback or hold; empty for the
	// default.
	OnInterrupted   string
	ExternalEffects bool
	Outputs         []RunOutput
	Check           []string // argument lists of commands
	Cleanup         []string
	Readback        []string
	Staging         string // an absolute folder; empty for the run's own
	Overlap         string // skip, wait or kill-orphans; empty for skip
	Capture         string // tee, file or none; empty for tee
	Sweep           bool
	PingEnv         string // the variable that holds the address of an outside monitor; empty if none is named
	// Durations; nil where none is stated.
	Grace         *time.Duration
	CommitTimeout *time.Duration
	KillAfter     *time.Duration
	MaxRuntime    *time.Duration
}

// RunOutput is a file that a job leaves below its staging folder, and the
// absolute path that it is brought to.
type RunOutput struct{ From, To string }

// IsZero says that nothing is stated.
func (t RunTerms) IsZero() bool { return t.Pos == Pos{} }
