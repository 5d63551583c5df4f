package specs

import "time"

// EvidenceTerms are what a ledger says of a role's stages beyond registered: how
// long a run may take, by when it must have succeeded, and who knows of it. They
// are no part of its Spec: no scheduler holds them.
type EvidenceTerms struct {
	Pos Pos
	// Since is the instant before which no due instant counts; zero if there is none.
	Since time.Time
	// Durations; nil where none is stated.
	MaxRuntime     *time.Duration
	SucceedWithin  *time.Duration
	ProgressWithin *time.Duration
	Grace          *time.Duration
	// Who knows of each stage; zero leaves it to the scheduler.
	Executed, Succeeded, Progressed EvidenceSource
}

// IsZero says that nothing is stated.
func (t EvidenceTerms) IsZero() bool { return t.Pos == Pos{} }

// EvidenceSource is where a stage can be seen. At most one of its fields but Pos
// and MaxAge is stated; none means the scheduler itself, where it knows.
type EvidenceSource struct {
	Pos    Pos
	None   bool   // the stage is not to be tracked
	Runs   string // a state folder of rolecall run
	Query  string // PromQL whose one sample is a Unix time in seconds
	File   string // a file whose time of change counts
	MaxAge *time.Duration
}

// IsZero says that nothing is stated.
func (s EvidenceSource) IsZero() bool { return s.Pos == Pos{} }

// RepairTerms are what a ledger allows to be repaired.
type RepairTerms struct {
	Pos Pos
	// CreateMissing allows an object to be created where none is.
	CreateMissing bool
	// User or File is the crontab in which it is created: a user's table, or the
	// absolute path of one with a user column. Both empty: nothing is said of it.
	User, File string
}
