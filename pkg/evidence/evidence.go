package evidence

import (
	"math"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Case is all that the judgement of one role in one source depends on.
type Case struct {
	Role     specs.Role
	Provider string // crontab, github or kubernetes
	// Schedules are those by which the scheduler starts the role's objects.
	Schedules []specs.Schedule
	// Evidence is what is known from all places, merged.
	Evidence providers.Evidence
	// Inactive says that none of the objects will run, which is a finding already.
	Inactive bool
	Now      time.Time
}

// Result is how far a role has come on its ladder.
type Result struct {
	Executed, Succeeded, Progressed report.Stage
	Seen                            report.Seen
	Findings                        []Verdict // at most one of each kind, in the order of the kinds
}

// Verdict is a finding about the stages of a role. Its texts hold what the
// evidence said, unmasked.
type Verdict struct {
	Kind     report.Kind
	Reason   string
	Message  string
	NextStep string
	Hints    []string
}

// The reasons of verdicts.
const (
	NeverRan          = "never-ran"
	Stopped           = "stopped"
	NeverSucceeded    = "never-succeeded"
	StoppedSucceeding = "stopped-succeeding"
	NoProgress        = "no-progress"
	NoSeries          = "no-series"
	StaleSeries       = "stale-series"
	PastMaxRuntime    = "past-max-runtime"
	NotRead           = "evidence-not-read"
	Clock             = "clock"
)

const (
	startLatency   = time.Minute     // of a scheduler
	clockTolerance = time.Minute     // between the clocks of scheduler and auditor
	hungTolerance  = time.Minute     // beyond max_runtime
	future         = 5 * time.Minute // a time further ahead is a wrong clock
	githubGrace    = 6 * time.Hour
	zoneSlack      = time.Hour // a clock change in a zone that is not known
)

// Grace is how long after an instant is due nothing is missed yet.
func Grace(role specs.Role, provider string) time.Duration {
	switch {
	case role.Evidence.Grace != nil:
		return *role.Evidence.Grace
	case provider == "github":
		return githubGrace
	}
	return 0
}

// MaxRuntime is how long a run of the role may take; false if that is not stated.
func MaxRuntime(role specs.Role) (time.Duration, bool) {
	for _, d := range []*time.Duration{role.Evidence.MaxRuntime, role.Run.MaxRuntime} {
		if d != nil {
			return *d, true
		}
	}
	return 0, false
}

// plus adds durations and stays at the longest one there is.
func plus(ds ...time.Duration) time.Duration {
	var out time.Duration
	for _, d := range ds {
		if d > 0 && out > math.MaxInt64-d {
			return math.MaxInt64
		}
		out += d
	}
	return out
}
