package runs

import "time"

// The records of a run, by file.
const (
	KindScheduled  = "scheduled"
	KindStarted    = "started"
	KindCheckpoint = "checkpoint"
	KindStop       = "stop-request"
	KindGate       = "gate"
	KindTerminal   = "terminal"
	KindLate       = "late"
	KindReadback   = "readback"
	KindWatermark  = "watermark"
	KindHold       = "hold"
	KindRelease    = "release"
	KindDrain      = "drain"
)

// State is what a run is. The first four are written, the others derived.
type State string

// The states.
const (
	Completed    State = "completed"
	Failed       State = "failed"
	Interrupted  State = "interrupted"
	Skipped      State = "skipped"
	InFlight     State = "in-flight"
	NeverStarted State = "never-started"
	OwnerLost    State = "owner-lost"
	Orphaned     State = "orphaned"
	Unverifiable State = "unverifiable"
	Corrupt      State = "corrupt"
)

// Verdict is what a gate says.
type Verdict string

// The verdicts.
const (
	Commit   Verdict = "commit"
	Fail     Verdict = "fail"
	Stopped  Verdict = "interrupt"
	Declined Verdict = "skip"
)

// Causes of verdicts and closures.
const (
	CauseExit         = "exit"               // it ended by itself
	CauseExec         = "exec"               // it could not be started
	CausePreflight    = "preflight"          // its output could not have been promoted
	CauseValidation   = "validation"         // its output is not what it should be
	CauseDurability   = "durability"         // a sync failed, which is final
	CausePromotion    = "promotion"          // nothing of it could be put in place
	CauseRecord       = "record"             // it could not be recorded
	CauseSignal       = "signal"             // its wrapper was told to stop
	CauseDeadline     = "deadline"           // it ran longer than it may
	CauseKilled       = "killed"             // a signal that was not ours ended it
	CauseDrain        = "drain-grace-over"   // it was in flight when a drain forced the end
	CauseOwnerLost    = "owner-lost"         // its wrapper is gone
	CauseNeverStarted = "never-started"      // its wrapper is gone, and nothing says that it began
	CauseLostInCommit = "lost-in-commit"     // its wrapper is gone, and nothing was promoted
	CauseInternal     = "internal"           // a fault of rolecall
	CauseJobCommit    = "job-commit"         // the job began a commit of its own and did not end it
	CauseDraining     = "draining"           // skipped: the machine is being drained
	CauseOverlap      = "overlap"            // skipped: another run of the role goes on
	CauseOrphans      = "orphans"            // skipped: processes of a lost run go on
	CauseHold         = "hold"               // skipped: a person must release the role
	CauseDone         = "already-completed"  // skipped: its key has completed
	CauseApplied      = "already-applied"    // skipped: readback says that its key was applied
	CauseReplays      = "replay-limit"       // skipped: its key was tried again once already
	CausePredecessor  = "predecessor-unsure" // skipped: of the run before it nothing can be known
	CauseCleanup      = "cleanup"            // skipped: what the run before left could not be cleaned up
)

// Budgets bound what a run may take, in nanoseconds of the monotonic clock.
type Budgets struct {
	MaxRuntime time.Duration `json:"max_runtime_ns"` // 0: unbounded
	Grace      time.Duration `json:"grace_ns"`       // -1: the drain's own
	KillAfter  time.Duration `json:"kill_after_ns"`
	Commit     time.Duration `json:"commit_timeout_ns"`
	Notice     time.Duration `json:"notice_ns"` // how long notices may take after the end
}

// Scheduled is written before anything else is done for a run.
type Scheduled struct {
	Number      int        `json:"number"`        // of the role's runs
	Due         *time.Time `json:"scheduled_for"` // the instant that it is for; null where none is named
	Trigger     string     `json:"trigger"`       // schedule or manual
	SpecVersion string     `json:"spec_version"`
	SpecHash    string     `json:"spec_hash"`
	Key         string     `json:"idempotency_key"`
	Policy      Policy     `json:"on_interrupted"`
	External    bool       `json:"external_effects"`
	Argv        []string   `json:"argv"`
	Outputs     []Output   `json:"outputs"`
	WatermarkTo string     `json:"watermark_to"`
	Budgets     Budgets    `json:"budgets"`
	Host        Host       `json:"host"`
	LockScope   string     `json:"lock_scope"`
	Wrapper     Process    `json:"wrapper"`
}

// Output is a file that a job leaves in its staging folder, and where it goes.
type Output struct {
	Staged string `json:"staged"` // below the staging folder
	Final  string `json:"final"`
}

// Started is written when the job's process is there.
type Started struct {
	Child             Process `json:"child"` // it leads its process group
	Attempt           int     `json:"attempt"`
	Key               string  `json:"idempotency_key"` // of a replay: that of the run that it replays
	ReplayOf          string  `json:"replay_of"`
	PreviousWatermark string  `json:"previous_watermark"`
	Staging           string  `json:"staging"`
	Capture           string  `json:"capture"`
	Mono              int64   `json:"monotonic_ns"`
}

// Checkpoint is what a job says of its progress; a later one replaces it.
type Checkpoint struct {
	N     int    `json:"n"`
	Token string `json:"token"`
	Phase string `json:"phase"` // run, commit-begin or commit-end
	// Since is when the token became another than the last of the runs before,
	// which is Before; null in records that do not say so.
	Since  *time.Time `json:"since"`
	Before *Said      `json:"before"`
}

// The phases that a job can be in by its own word.
const (
	PhaseRun         = "run"
	PhaseCommitBegin = "commit-begin"
	PhaseCommitEnd   = "commit-end"
)

// StopRequest is written once, by whoever then sends the one signal.
type StopRequest struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Gate is the verdict.
type Gate struct {
	Verdict   Verdict     `json:"verdict"`
	Cause     string      `json:"cause"`
	By        string      `json:"by"` // the run itself, or a drain, a reaper, a job
	Token     string      `json:"token"`
	Evidence  Evidence    `json:"evidence"`
	ByJob     bool        `json:"by_job"` // the job commits by itself
	Promotion []Promotion `json:"promotion"`
	Watermark *Move       `json:"watermark"`
	Exit      *Exit       `json:"exit"` // of the job, where it had ended
}

// Evidence is what was known when a verdict was claimed.
type Evidence struct {
	Note    string        `json:"note"`
	Grace   time.Duration `json:"grace_ns"`
	Elapsed time.Duration `json:"elapsed_ns"`
	Owner   Liveness      `json:"owner"`
	Desc    Liveness      `json:"descendants"`
}

// Promotion is what a commit intends for one output.
type Promotion struct {
	Staged   string `json:"staged"` // absolute
	Final    string `json:"final"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
	Replaced string `json:"replaced_sha256"` // of what stood there; empty if nothing did
}

// Move is a watermark's, by compare-and-set.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Exit is how the job's process ended.
type Exit struct {
	Code   int    `json:"code"`   // -1 if a signal ended it
	Signal Signal `json:"signal"` // 0 if none did
	Core   bool   `json:"core"`
}

// Effects says what is known of a run's effects outside its outputs.
type Effects string

// The values of Effects.
const (
	EffectsNone      Effects = "none"
	EffectsUnknown   Effects = "unknown"
	EffectsConfirmed Effects = "confirmed"
)

// Terminal is the closure.
type Terminal struct {
	State          State         `json:"state"`
	Cause          string        `json:"cause"`
	Note           string        `json:"note"`
	Exit           *Exit         `json:"exit"`
	StartedWall    *time.Time    `json:"started"`
	Duration       time.Duration `json:"duration_ns"` // monotonic
	Promoted       []Promotion   `json:"promoted"`
	WatermarkMoved bool          `json:"watermark_moved"`
	Recovered      bool          `json:"recovered"` // by another than the run itself
	Out            Stream        `json:"stdout"`
	Err            Stream        `json:"stderr"`
	PipeHeld       bool          `json:"stdout_held_by_descendant"`
	Descendants    string        `json:"descendants_left"` // none, some, swept or unknown
	StopRequested  bool          `json:"stop_requested_before_exit"`
	SideEffects    Effects       `json:"side_effects"`
	By             string        `json:"by"`
}

// Stream counts what was kept of an output of the job.
type Stream struct {
	Kept    int64 `json:"kept_bytes"`
	Dropped int64 `json:"dropped_bytes"`
	Failed  int64 `json:"lost_bytes"` // of those to be kept: they could not be written
}

// Late is what a run saw that had lost its gate.
type Late struct {
	Wanted  Verdict     `json:"wanted"`
	Cause   string      `json:"cause"`
	Exit    *Exit       `json:"exit"`
	Outputs []Promotion `json:"outputs"`
	By      string      `json:"by"`
}

// Annotation is what a readback found of a run that had been cut off.
type Annotation struct {
	Answer Answer `json:"answer"`
	By     string `json:"by"`
}

// Watermark is how far a role has come. N counts the times that it was written.
type Watermark struct {
	Value    string `json:"value"`
	Previous string `json:"previous"`
	RunID    string `json:"run_id"`
	N        int    `json:"n"`
	// Since is when it came to a value that it had not had before; null in records
	// that do not say so.
	Since *time.Time `json:"since"`
	Had   []string   `json:"had"`       // digests of the last values that it had
	Back  string     `json:"back_from"` // the furthest value, where it stands behind that
}

// Hold stops a role until a person releases it.
type Hold struct {
	ID     string `json:"id"`
	RunID  string `json:"source_run"` // empty if a person held the role
	Cause  string `json:"cause"`
	Reason string `json:"reason"`
}

// Release ends one hold.
type Release struct {
	HoldID string `json:"hold_id"`
	RunID  string `json:"source_run"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}
