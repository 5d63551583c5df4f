package providers

import (
	"fmt"
	"slices"
	"time"
)

// evidenceForm is what a place knew of runs, as an inventory keeps it.
type evidenceForm struct {
	Executed   *traceForm    `json:"executed"`
	Succeeded  *traceForm    `json:"succeeded"`
	Progressed *traceForm    `json:"progressed"`
	Since      *time.Time    `json:"since"`
	Running    []runningForm `json:"running"`
	Failed     *failureForm  `json:"failed"`
	Hints      []text        `json:"hints"`
}

// traceForm is one stage; null stands for one that nobody was asked about.
type traceForm struct {
	State  TraceState `json:"state"`
	Last   *time.Time `json:"last"`
	From   text       `json:"from"`
	Reason text       `json:"reason"`
}

type runningForm struct {
	ID    text       `json:"id"`
	Start *time.Time `json:"start"`
	Gone  bool       `json:"gone"`
}

type failureForm struct {
	ID  text       `json:"id"`
	At  *time.Time `json:"at"`
	Why text       `json:"why"`
}

var traceStates = []TraceState{Known, Unreadable, NoSeries, StaleSeries}

func (e inventoryWriter) evidence(ev Evidence) *evidenceForm {
	f := evidenceForm{
		Executed: e.trace(ev.Executed), Succeeded: e.trace(ev.Succeeded), Progressed: e.trace(ev.Progressed),
		Since: instant(ev.Since), Running: []runningForm{}, Hints: []text{},
	}
	for _, r := range ev.Running {
		f.Running = append(f.Running, runningForm{e.shown(r.ID), instant(r.Start), r.Gone})
	}
	if ev.Failed != nil {
		f.Failed = &failureForm{e.shown(ev.Failed.ID), instant(ev.Failed.At), e.shown(ev.Failed.Why)}
	}
	for _, h := range ev.Hints {
		f.Hints = append(f.Hints, e.shown(h))
	}
	return &f
}

func (e inventoryWriter) trace(t Trace) *traceForm {
	if t.State == Untracked {
		return nil
	}
	return &traceForm{t.State, instant(t.Last), e.shown(t.From), e.shown(t.Reason)}
}

func (f evidenceForm) evidence() (Evidence, error) {
	ev := Evidence{Since: timeOf(f.Since)}
	into := ev.Stages()
	for i, form := range []*traceForm{f.Executed, f.Succeeded, f.Progressed} {
		if form == nil {
			continue
		}
		if !slices.Contains(traceStates, form.State) {
			return ev, fmt.Errorf("a stage has the state %q, which this rolecall does not know", form.State)
		}
		*into[i] = Trace{State: form.State, Last: timeOf(form.Last), From: string(form.From), Reason: string(form.Reason)}
	}
	for _, r := range f.Running {
		ev.Running = append(ev.Running, Running{ID: string(r.ID), Start: timeOf(r.Start), Gone: r.Gone})
	}
	if f.Failed != nil {
		ev.Failed = &Failure{string(f.Failed.ID), timeOf(f.Failed.At), string(f.Failed.Why)}
	}
	for _, h := range f.Hints {
		ev.Hints = append(ev.Hints, string(h))
	}
	return ev, nil
}
