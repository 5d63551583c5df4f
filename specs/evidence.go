package specs

import (
	"strings"
	"time"
)

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
	// Shared says that Runs was named for all stages together.
	Shared bool
}

// IsZero says that nothing is stated.
func (s EvidenceSource) IsZero() bool { return s.Pos == Pos{} }

// Place is where it is to be seen: a folder, a query or a file; empty if the
// ledger names none.
func (s EvidenceSource) Place() string { return s.Runs + s.Query + s.File }

// Stages are who knows of each stage, in the order of the ladder.
func (t *EvidenceTerms) Stages() [3]*EvidenceSource {
	return [3]*EvidenceSource{&t.Executed, &t.Succeeded, &t.Progressed}
}

// NamesPlace says that the ledger names a place where some stage is to be seen.
func (t *EvidenceTerms) NamesPlace() bool {
	return t.Executed.Place()+t.Succeeded.Place()+t.Progressed.Place() != ""
}

// ProgressNamed says that the ledger itself wants progress to be seen. Records
// that are named for all stages tell of it only where a run stated some.
func (t EvidenceTerms) ProgressNamed() bool {
	return t.Progressed.Place() != "" && (!t.Progressed.Shared || t.ProgressWithin != nil)
}

// SourceMark stands in a place for the name of the source in question.
const SourceMark = "{source}"

// In are the terms as they hold in one source: its name is put where a place has
// SourceMark.
func (t EvidenceTerms) In(source string) EvidenceTerms {
	for _, s := range t.Stages() {
		for _, place := range []*string{&s.Runs, &s.Query, &s.File} {
			*place = strings.ReplaceAll(*place, SourceMark, source)
		}
	}
	return t
}

// RepairTerms are what a ledger allows to be repaired.
type RepairTerms struct {
	Pos Pos
	// CreateMissing allows an object to be created where none is.
	CreateMissing bool
	// User or File is the crontab in which it is created: a user's table, or the
	// absolute path of one with a user column. Both empty: nothing is said of it.
	User, File string
}
