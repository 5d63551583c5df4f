package providers

import (
	"context"
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// Evidence is what one place knows of the runs of a role: its scheduler, a
// folder of run records, a metric, a file.
type Evidence struct {
	Executed, Succeeded, Progressed Trace
	// Since is from when on a run would show: the object was created then, the
	// history reaches back so far. Zero is always.
	Since time.Time
	// Running are the runs that have begun and not ended, the oldest first.
	Running []Running
	// Failed is the last run that ended otherwise than in success; nil if none is
	// known.
	Failed *Failure
	// Hints are what the place says beside, for people.
	Hints []string
}

// Trace is what is known of one stage.
type Trace struct {
	State TraceState
	// Last is when the stage was reached last; zero is never.
	Last time.Time
	// From is where it was read, for people: status.lastSuccessfulTime, run
	// records in /var/lib/rolecall, a query.
	From string
	// Reason is why it could not be read, or what is odd about the series, and
	// the next step.
	Reason string
	// AsOf is when this was so, where it was seen before the instant of judgement,
	// as in a saved listing: it is judged as of then. Zero is the instant of
	// judgement.
	AsOf time.Time
}

// TraceState is how well a stage was seen.
type TraceState string

// The states of a trace. The zero value claims nothing.
const (
	Untracked   TraceState = ""             // nobody was asked
	Known       TraceState = "known"        // Last holds
	Unreadable  TraceState = "unreadable"   // was asked, and could not be read
	NoSeries    TraceState = "no-series"    // a metric of which there is no series
	StaleSeries TraceState = "stale-series" // a metric whose series has ended; Last is its last value
)

// Running is a run that has begun and not ended.
type Running struct {
	ID    string
	Start time.Time
	AsOf  time.Time // as of a Trace
	// Gone says that what watched over the run is gone, so that nothing will record
	// its end.
	Gone bool
}

// Stages are the traces, in the order of the ladder.
func (e *Evidence) Stages() [3]*Trace { return [3]*Trace{&e.Executed, &e.Succeeded, &e.Progressed} }

// Beside adds what another place says beside its stages and their beginning: runs,
// the last failure, hints.
func (e *Evidence) Beside(other Evidence) {
	e.Running = append(e.Running, other.Running...)
	if other.Failed != nil && (e.Failed == nil || other.Failed.At.After(e.Failed.At)) {
		e.Failed = other.Failed
	}
	e.Hints = append(e.Hints, other.Hints...)
}

// At gives the evidence as seen at an instant before that of judgement.
func (e Evidence) At(seen time.Time) Evidence {
	for _, t := range e.Stages() {
		if t.State != Untracked {
			t.AsOf = seen
		}
	}
	e.Running = slices.Clone(e.Running)
	for i := range e.Running {
		e.Running[i].AsOf = seen
	}
	return e
}

// Failure is a run that ended otherwise than in success.
type Failure struct {
	ID  string
	At  time.Time
	Why string
}

// Witness tells of the runs of roles what their source does not.
type Witness interface {
	// Testify gives what is known of the roles, and nothing of those about which
	// it is not to be asked. There is no error beside it: a stage that could not
	// be read is an Unreadable trace with the reason.
	Testify(ctx context.Context, refs []specs.Ref) map[specs.Ref]Evidence
}

// Explainer is what a provider grows where finding out why the runs of an object
// do not come or do not succeed costs requests of its own, so that it is asked
// only of objects that there is such a finding about.
type Explainer interface {
	// Explain gives what was found, a sentence each; what could not be read is one.
	Explain(ctx context.Context, o Object) []string
}
