package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"
)

// Drainer refuses new runs and brings those in flight to an end: by waiting, and
// when their grace is over by force. It holds nothing that a run needs in order
// to finish.
type Drainer struct {
	Store
	Grace    time.Duration // for runs that state none
	MaxGrace time.Duration // for all; 0: no ceiling
	For      time.Duration // how long new runs are refused
	By       string
	Reason   string
	Poll     time.Duration
	Cancel   <-chan struct{} // gives the waiting up, and leaves the runs alone
	Progress func(Drained)   // at every change, and once a second

	report Drained
	now    Mark
	wards  []*ward
}

// The results of a run in a drain.
const (
	ResultFinished     = "finished"       // it ended by itself
	ResultInterrupted  = "interrupted"    // it was in flight when the end was forced
	ResultLate         = "committed-late" // it was within its commit when its grace was over
	ResultUnverifiable = "unverifiable"   // of it nothing can be known, or it could not be stopped
	ResultWaiting      = "waiting"
)

// Drained is what a drain did.
type Drained struct {
	Schema   string        `json:"schema"`
	ID       string        `json:"id"`
	Joined   bool          `json:"joined"` // another drain's mark was in force
	Refusing bool          `json:"refusing"`
	Until    *time.Time    `json:"refusing_until"`
	Elapsed  time.Duration `json:"elapsed_ns"` // really spent, by the monotonic clock
	GaveUp   bool          `json:"gave_up"`    // the waiting was cancelled
	Ended    bool          `json:"cancelled"`  // the drain that was in force was cancelled
	Bound    time.Duration `json:"bound_ns"`   // the longest that it can take; 0 if nothing is in flight
	Runs     []DrainedRun  `json:"runs"`
	Problems []string      `json:"problems"` // what could not be read or done
}

// DrainedRun is one run in a drain.
type DrainedRun struct {
	Role   string `json:"role"`
	RunID  string `json:"run_id"`
	Result string `json:"result"`
	State  State  `json:"state"`
	Cause  string `json:"cause"`
	Note   string `json:"note"`
}

// DrainSchema names the form of Drained.
const DrainSchema = "rolecall.drain/v1"

// Waiting counts the runs that have not ended.
func (d Drained) Waiting() int { return d.count(ResultWaiting) }

func (d Drained) count(result string) int {
	n := 0
	for _, r := range d.Runs {
		if r.Result == result {
			n++
		}
	}
	return n
}

// Code is the exit code: 0 all finished, 1 some interrupted, 3 some that could
// not be verified or read.
func (d Drained) Code() int {
	switch {
	case d.count(ResultInterrupted) > 0:
		return 1
	case len(d.Problems) > 0 || d.count(ResultUnverifiable) > 0 || d.Waiting() > 0:
		return 3
	}
	return 0
}

const (
	barrierWait  = 10 * time.Second
	stopReserve  = 3 * time.Second // for the wrapper to write its closure after its kill
	deathWait    = 3 * time.Second // after the wrapper's own kill
	progressTick = time.Second
)

// Drain marks, counts, waits and forces. Nothing that it cannot read is killed.
func (d *Drainer) Drain() Drained {
	begun := d.Mono()
	d.report = Drained{Schema: DrainSchema, Runs: []DrainedRun{}, Problems: []string{}}
	if err := d.begin(); err != nil {
		d.problem("%v", err)
	}
	d.wait(begun)
	d.report.Elapsed = d.Mono() - begun
	return d.snapshot()
}

func (d *Drainer) problem(format string, args ...any) {
	d.report.Problems = append(d.report.Problems, fmt.Sprintf(format, args...))
}

func (d *Drainer) begin() error {
	if err := d.mark(); err != nil {
		return fmt.Errorf("the drain mark could not be written, so new runs are not refused: %w", err)
	}
	d.report.ID, d.report.Refusing = d.now.ID, true
	until := d.now.Until
	d.report.Until = &until
	barrier, err := d.patiently(barrierWait, func() (Lock, error) { return d.Locks.Exclusive(d.admissionLock()) })
	if err != nil {
		d.problem("%s: %v; a run that was just starting may not be counted", d.admissionLock(), err)
	} else {
		barrier.Release()
	}
	found, problems := d.inFlight()
	for _, p := range problems {
		d.problem("%v", p)
	}
	for _, r := range found {
		d.take(r)
	}
	d.fromMark()
	if len(d.wards) == 0 {
		return nil
	}
	return d.remember()
}

// take counts a run.
func (d *Drainer) take(r *Run) {
	grace := d.Grace
	if r.Scheduled != nil && r.Scheduled.Body.Budgets.Grace >= 0 {
		grace = r.Scheduled.Body.Budgets.Grace
	}
	if d.MaxGrace > 0 {
		grace = min(grace, d.MaxGrace)
	}
	d.report.Bound = max(d.report.Bound, grace+forcing(r))
	d.wards = append(d.wards, &ward{DrainedRun: DrainedRun{Role: r.Role, RunID: r.ID, Result: ResultWaiting}, deadline: d.now.Begun + grace})
}

// forcing is how long the end of a run can take once it is forced.
func forcing(r *Run) time.Duration {
	if r.Scheduled == nil {
		return 0
	}
	b := r.Scheduled.Body.Budgets
	return max(b.KillAfter+stopReserve, b.Commit+Margin) + max(deathWait, b.Notice+Margin)
}

// fromMark counts what an earlier drain under the same mark had counted and did
// not bring to an end.
func (d *Drainer) fromMark() {
	for _, c := range d.now.Counted {
		known := slices.ContainsFunc(d.wards, func(w *ward) bool { return w.Role == c.Role && w.RunID == c.RunID })
		if r := d.Load(c.Role, c.RunID); !known && r.Terminal == nil {
			d.wards = append(d.wards, &ward{DrainedRun: DrainedRun{Role: c.Role, RunID: c.RunID, Result: ResultWaiting}, deadline: c.Deadline})
		}
	}
}

// inFlight lists the runs that are not known to have ended: with a wrapper that
// lives, or a job that goes on without it, or of which nothing can be known.
func (s *Store) inFlight() (out []*Run, problems []error) {
	roles, err := s.Roles()
	if err != nil {
		return nil, []error{fmt.Errorf("the runs cannot be listed, so what is in flight is not known: %w", err)}
	}
	for _, role := range roles {
		ids, _, err := s.IDs(role)
		if err != nil {
			problems = append(problems, fmt.Errorf("the runs of role %s cannot be listed, so what is in flight is not known: %w", role, err))
		}
		for _, id := range ids {
			if r := s.open(role, id); r != nil {
				out = append(out, r)
			}
		}
	}
	return out, problems
}

// open is a run that may be in flight, nil for one that is not.
func (s *Store) open(role, id string) *Run {
	dir := s.RunDir(role, id)
	held, err := s.Locks.Held(path.Join(dir, "owner.lock"))
	if err == nil && !held {
		if _, terr := s.FS.Stat(path.Join(dir, "terminal.json")); terr == nil {
			return nil
		}
	}
	r := s.Load(role, id)
	life := s.Life(r)
	switch {
	case life.Owner == Alive:
		return r
	case r.Closed(life), life.Owner == Dead && life.Desc != Alive:
		return nil
	case len(r.Corrupt) > 0 && err == nil && s.FS.Scope(dir) == ScopeLocal:
		return nil // nobody holds its lock, and nobody else could
	}
	return r
}

// wait looks at the runs until each has its result, or the drain is cancelled:
// then nothing is forced any more.
func (d *Drainer) wait(begun time.Duration) {
	last, told := -1, time.Duration(0)
	for {
		now := d.Mono()
		if d.cancelled() {
			return
		}
		left := 0
		for _, w := range d.wards {
			if w.Result == ResultWaiting {
				d.look(w, now)
			}
			if w.Result == ResultWaiting {
				left++
			}
		}
		if d.Progress != nil && len(d.wards) > 0 && (left != last || now-told >= progressTick) {
			last, told = left, now
			d.report.Elapsed = now - begun
			d.Progress(d.snapshot())
		}
		if left == 0 {
			return
		}
		tick, stop := d.After(d.Poll)
		select {
		case <-tick:
		case <-d.Cancel:
			stop()
			d.report.GaveUp = true
			return
		}
	}
}

// cancelled says that the drain's mark was taken away, so that runs start again.
// One that cannot be read, or was never written, is still held to be in force.
func (d *Drainer) cancelled() bool {
	if d.report.Ended || !d.report.Refusing {
		return d.report.Ended
	}
	if _, err := d.FS.Stat(d.drainMark()); errors.Is(err, fs.ErrNotExist) {
		d.report.Ended, d.report.Refusing, d.report.Until = true, false, nil
	}
	return d.report.Ended
}

func (d *Drainer) snapshot() Drained {
	out := d.report
	out.Runs = []DrainedRun{}
	for _, w := range d.wards {
		out.Runs = append(out.Runs, w.DrainedRun)
	}
	return out
}

// DrainStatus is what a drain would find now, and whether one is in force.
func (s *Store) DrainStatus() Drained {
	out := Drained{Schema: DrainSchema, Runs: []DrainedRun{}, Problems: []string{}}
	draining, err := s.Draining()
	out.Refusing = draining
	m, merr := s.DrainMark()
	if err := errors.Join(err, merr); err != nil {
		out.Problems = append(out.Problems, err.Error())
	}
	if m != nil {
		out.ID, out.Until = m.Body.ID, &m.Body.Until
		out.Elapsed = s.Mono() - m.Body.Begun
	}
	found, problems := s.inFlight()
	for _, p := range problems {
		out.Problems = append(out.Problems, p.Error())
	}
	for _, r := range found {
		state := r.State(s.Life(r))
		result := ResultWaiting
		if state == Unverifiable || state == Corrupt {
			result = ResultUnverifiable
		}
		out.Runs = append(out.Runs, DrainedRun{Role: r.Role, RunID: r.ID, Result: result, State: state})
	}
	return out
}
