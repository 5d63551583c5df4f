package evidence

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// words are what a stage is called in messages.
var words = [...]struct {
	kind                         report.Kind
	noun, neverReason, oldReason string
}{
	executed:   {report.NotExecuted, "start", NeverRan, Stopped},
	succeeded:  {report.NotSucceeded, "success", NeverSucceeded, StoppedSucceeding},
	progressed: {report.Stalled, "progress", NoProgress, NoProgress},
}

// silence is the finding about a stage that was not reached in time.
func (h *hearing) silence(i int) Verdict {
	s, w := h.steps[i], words[i]
	v := Verdict{Kind: w.kind, Message: h.lastWords(i) + h.missedWords(i)}
	switch {
	case s.trace.State == providers.NoSeries:
		v.Reason = NoSeries
	case s.trace.State == providers.StaleSeries:
		v.Reason = StaleSeries
	case s.stage == report.Never:
		v.Reason = w.neverReason
	default:
		v.Reason = w.oldReason
	}
	if why := s.trace.Reason; why != "" && s.trace.State != providers.Known {
		v.Message += "; " + why
	}
	v.NextStep = nextStep(i, v.Reason, h.Provider)
	v.Hints = h.hints(v.Reason)
	return v
}

// lastWords say when the stage was reached last, and where that was read.
func (h *hearing) lastWords(i int) string {
	s, noun := h.steps[i], words[i].noun
	from := ""
	if s.trace.From != "" {
		from = " (" + s.trace.From + ")"
	}
	switch {
	case s.trace.State == providers.NoSeries:
		return "there is no metric at all of the last " + noun + from
	case s.trace.State == providers.StaleSeries && !s.trace.Last.IsZero():
		return "the series has ended, with the last " + noun + " at " + instant(s.trace.Last) + from
	case s.trace.State == providers.StaleSeries:
		return "the series of the last " + noun + " has ended" + from
	case s.trace.Last.IsZero():
		return "no " + noun + " is known" + from
	}
	return "the last " + noun + " was at " + instant(s.trace.Last) + from
}

// missedWords say what should have come since.
func (h *hearing) missedWords(i int) string {
	s := h.steps[i]
	if s.aged {
		return ", and it may be no older than " + s.age.String()
	}
	c := s.now.Add(-s.allowed)
	d1, _ := h.agenda.lastTwo(h.since, c)
	if s.within {
		return ", and there had to be one for the due instant " + h.about() + instant(d1) + " within " + s.allowed.String()
	}
	last := s.trace.Last
	if s.trace.State == providers.NoSeries {
		last = time.Time{}
	}
	if !last.IsZero() {
		last = last.Add(s.tolerance)
	}
	n, more := h.agenda.passed(last, h.since, c)
	count := fmt.Sprint(n)
	if more {
		count = "at least " + count
	}
	since := ""
	switch {
	case h.since.After(last):
		since = " since " + instant(h.since)
	case !last.IsZero():
		since = " since then"
	}
	return ", and " + count + " due instants have passed" + since + ", the last " + h.about() + "at " + instant(d1)
}

// about says that due instants are reckoned and not known.
func (h *hearing) about() string {
	if len(h.agenda.loose) > 0 {
		return "no later than "
	}
	return ""
}

// hints are what the places say beside, and what explains a silence.
func (h *hearing) hints(reason string) []string {
	var out []string
	if f := h.Evidence.Failed; f != nil {
		out = append(out, failureWords(*f))
	}
	for _, r := range h.Evidence.Running {
		if reason != PastMaxRuntime && !r.Start.IsZero() && !r.Gone {
			out = append(out, "a run is under way: "+runWords(r))
			break
		}
	}
	never := slices.Contains([]string{NeverRan, NeverSucceeded, NoProgress, NoSeries}, reason)
	if never && h.since.IsZero() {
		out = append(out, "if the job is newer than these instants, say since when they count: evidence: {since: DATE}")
	}
	return append(out, h.Evidence.Hints...)
}

func failureWords(f providers.Failure) string {
	out := "the last run that did not succeed"
	if f.ID != "" {
		out += ", " + f.ID + ","
	}
	if !f.At.IsZero() {
		out += " ended at " + instant(f.At)
	}
	if f.Why != "" {
		out += ": " + f.Why
	}
	return out
}

func runWords(r providers.Running) string {
	id := r.ID
	if id == "" {
		id = "one without a name"
	}
	return id + ", begun at " + instant(r.Start)
}

// hung is the finding about runs that have gone on for too long.
func (h *hearing) hung() (Verdict, bool) {
	if !h.limited {
		return Verdict{}, false
	}
	var watched, gone []string
	for _, r := range h.Evidence.Running {
		switch {
		case r.Start.IsZero() || asOf(r.AsOf, h.Now).Sub(r.Start) <= plus(h.runtime, hungTolerance):
		case r.Gone:
			gone = append(gone, runWords(r))
		default:
			watched = append(watched, runWords(r))
		}
	}
	v := Verdict{Kind: report.Hung, Reason: PastMaxRuntime, NextStep: hungSteps[h.Provider], Hints: h.hints(PastMaxRuntime)}
	switch {
	case len(watched)+len(gone) == 0:
		return Verdict{}, false
	case len(gone) == 0:
		v.Message = some(watched) + ": it may take " + h.runtime.String() + " and has not ended"
	case len(watched) == 0:
		v.Message, v.NextStep = some(gone)+goneWords, goneStep
	default:
		v.Message = some(watched) + ": it may take " + h.runtime.String() + " and has not ended; " + some(gone) + goneWords
	}
	return v, true
}

const goneWords = ": it was cut off, since what watched over it is gone, and nothing will record its end"

// some are the first few of a list.
func some(list []string) string {
	const most = 3
	out := strings.Join(list[:min(most, len(list))], "; ")
	if len(list) > most {
		out += fmt.Sprintf("; and %d more", len(list)-most)
	}
	return out
}

// unknown is the finding about all stages that could not be read.
func (h *hearing) unknown() (Verdict, bool) {
	var parts []string
	clocks := 0
	for i, s := range h.steps {
		if s.stage != report.Unseen {
			continue
		}
		if s.clock {
			clocks++
		}
		part := stepNames[i]
		if s.trace.From != "" {
			part += " (" + s.trace.From + ")"
		}
		parts = append(parts, part+": "+s.unread)
	}
	if len(parts) == 0 {
		return Verdict{}, false
	}
	v := Verdict{
		Kind: report.Unknown, Reason: NotRead, Message: "evidence could not be read: " + strings.Join(parts, "; "),
		NextStep: "make the evidence readable, or name another place for the stage in the ledger's evidence, and run the audit again", Hints: h.Evidence.Hints,
	}
	if clocks == len(parts) {
		v.Reason, v.NextStep = Clock, "compare the clocks of this machine, of the scheduler and of what wrote the time; a query must give Unix seconds"
	}
	return v, true
}
