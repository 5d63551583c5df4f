package evidence

import (
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Merge puts together what is known of a role's runs, stage by stage: what a
// witness says where the ledger names one, else the run records, else the
// scheduler itself. A stage that the ledger does not want tracked is Untracked,
// and so is one whose witness was not asked. Each place may be nil.
func Merge(terms specs.EvidenceTerms, native, recorded, testimony *providers.Evidence) providers.Evidence {
	var out providers.Evidence
	named := terms.Stages()
	for i, into := range out.Stages() {
		*into = pick(*named[i], i, native, recorded, testimony)
	}
	for _, e := range []*providers.Evidence{testimony, recorded, native} {
		if e != nil {
			out.Since = later(out.Since, e.Since)
			out.Beside(*e)
		}
	}
	tidy(&out)
	return out
}

// pick is the trace of one stage.
func pick(s specs.EvidenceSource, stage int, native, recorded, testimony *providers.Evidence) providers.Trace {
	switch {
	case s.None:
		return providers.Trace{}
	case s.Place() != "":
		recorded, native = nil, nil
	}
	for _, e := range []*providers.Evidence{testimony, recorded, native} {
		if e == nil {
			continue
		}
		if t := e.Stages()[stage]; t.State != providers.Untracked {
			return *t
		}
	}
	return providers.Trace{}
}

// Join is what several objects of one role have done together: each stage by
// the last to reach it, and by none where one of them could not be read.
func Join(all ...*providers.Evidence) *providers.Evidence {
	var out *providers.Evidence
	for _, e := range all {
		switch {
		case e == nil:
		case out == nil:
			one := *e
			one.Running, one.Hints = slices.Clone(e.Running), slices.Clone(e.Hints)
			out = &one
		default:
			more := e.Stages()
			for i, into := range out.Stages() {
				*into = joinTrace(*into, *more[i])
			}
			if e.Since.Before(out.Since) {
				out.Since = e.Since
			}
			out.Beside(*e)
		}
	}
	if out != nil {
		tidy(out)
	}
	return out
}

var firmness = []providers.TraceState{providers.Untracked, providers.NoSeries, providers.StaleSeries, providers.Known}

func joinTrace(a, b providers.Trace) providers.Trace {
	x, y := slices.Index(firmness, a.State), slices.Index(firmness, b.State)
	switch {
	case x < 0:
		return a
	case y < 0 || y > x || y == x && b.Last.After(a.Last):
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// tidy brings the runs in order, and takes out what is said twice.
func tidy(e *providers.Evidence) {
	arrange.By(e.Running, func(a, b providers.Running) int { return a.Start.Compare(b.Start) })
	e.Running = slices.Compact(e.Running)
	var hints []string
	for _, h := range e.Hints {
		if !slices.Contains(hints, h) {
			hints = append(hints, h)
		}
	}
	e.Hints = hints
}
