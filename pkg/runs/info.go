package runs

import "time"

// The names of forms: that of Listing, that of one run with its records, and that
// of what a command did to runs.
const (
	InfoSchema = "rolecall.runs/v1"
	ShowSchema = "rolecall.runs.show/v1"
	DoneSchema = "rolecall.runs.done/v1"
)

// Listing is what a state folder holds, for people and scripts. Every key is
// there; lists are never null.
type Listing struct {
	Schema   string     `json:"schema"`
	State    string     `json:"state"`
	Roles    []RoleInfo `json:"roles"`
	Problems []string   `json:"problems"` // what could not be read; then the rest is not all
}

// RoleInfo is one role. Instants are Unix seconds of the wall clock, so that an
// age is counted when it is asked for; null means never.
type RoleInfo struct {
	Role         string        `json:"role"`
	LastStarted  *int64        `json:"last_started"`
	LastSuccess  *int64        `json:"last_success"`
	LastProgress *int64        `json:"last_progress"`
	Watermark    string        `json:"watermark"`
	Last         State         `json:"last_state"`
	LastRun      string        `json:"last_run"`
	Held         bool          `json:"held"`
	HeldWhy      string        `json:"held_why"`
	Counts       map[State]int `json:"counts"`
	Runs         []RunInfo     `json:"runs"`   // newest first
	Missed       *MissedInfo   `json:"missed"` // null where no ledger says when runs are due
	Hints        []string      `json:"hints"`  // what is odd, though it could be read
	Problems     []string      `json:"problems"`
}

// MissedInfo are due instants that no run and no skip accounts for.
type MissedInfo struct {
	Since  time.Time   `json:"since"` // what was due before is not looked at
	Count  int         `json:"count"`
	Newest []time.Time `json:"newest"` // the newest first, of many not all
}

// RunInfo is one run.
type RunInfo struct {
	RunID       string     `json:"run_id"`
	State       State      `json:"state"`
	Cause       string     `json:"cause"`
	Why         string     `json:"why"`
	Key         string     `json:"idempotency_key"`
	Attempt     int        `json:"attempt"`
	ReplayOf    string     `json:"replay_of"`
	Due         *time.Time `json:"scheduled_for"`
	Scheduled   *time.Time `json:"scheduled"`
	Started     *time.Time `json:"started"`
	Ended       *time.Time `json:"ended"`
	DurationMS  int64      `json:"duration_ms"`
	ExitCode    *int       `json:"exit_code"`
	Signal      Signal     `json:"signal"`
	Checkpoint  string     `json:"checkpoint"`
	Owner       Liveness   `json:"owner"`
	Descendants Liveness   `json:"descendants"`
	SideEffects Effects    `json:"side_effects"`
	Late        int        `json:"late_records"`
	Dir         string     `json:"dir"`
}

// Info is what is known of one run.
func (s *Store) Info(r *Run) RunInfo {
	life := s.Life(r)
	out := RunInfo{RunID: r.ID, State: r.State(life), Key: r.Key(), Attempt: r.Attempt(), Owner: life.Owner, Descendants: life.Desc, Late: len(r.Lates), Dir: r.Dir}
	switch {
	case len(r.Corrupt) > 0:
		out.Why = r.Corrupt[0]
	case r.Unread != nil:
		out.Why = r.Unread.Error()
	case out.State == Unverifiable:
		out.Why = life.Why
	}
	if r.Scheduled != nil {
		at := r.Scheduled.Wall
		out.Scheduled, out.Due = &at, r.Scheduled.Body.Due
	}
	if r.Started != nil {
		at := r.Started.Wall
		out.Started, out.ReplayOf = &at, r.Started.Body.ReplayOf
	}
	if r.Checkpoint != nil {
		out.Checkpoint = r.Checkpoint.Body.Token
	}
	if out.State != Corrupt && r.Terminal != nil {
		out.close(r.Terminal)
	}
	return out
}

func (out *RunInfo) close(t *Record[Terminal]) {
	at := t.Wall
	out.Ended, out.Cause, out.SideEffects = &at, t.Body.Cause, t.Body.SideEffects
	out.DurationMS = t.Body.Duration.Milliseconds()
	if out.Why == "" {
		out.Why = t.Body.Note
	}
	if t.Body.Exit != nil {
		code := t.Body.Exit.Shell()
		out.ExitCode, out.Signal = &code, t.Body.Exit.Signal
	}
}

// List reads the roles that are named, or all. most bounds the runs that are
// listed of each, the newest first; 0 lists all.
func (s *Store) List(roles []string, most int) Listing {
	out := Listing{Schema: InfoSchema, State: s.Root, Roles: []RoleInfo{}, Problems: []string{}}
	all, err := s.Roles()
	if err != nil {
		out.Problems = append(out.Problems, err.Error())
	}
	if len(roles) == 0 {
		roles = all
	}
	for _, role := range roles {
		out.Roles = append(out.Roles, s.role(role, most))
	}
	return out
}

func (s *Store) role(role string, most int) RoleInfo {
	sum := s.Summarize(role)
	out := RoleInfo{Role: role, LastStarted: unix(sum.LastStarted), LastSuccess: unix(sum.LastSuccess), LastProgress: unix(sum.LastProgress),
		Watermark: sum.Watermark, Last: sum.Last, LastRun: sum.LastRun, Counts: sum.Counts, Runs: []RunInfo{},
		Hints: append([]string{}, sum.Hints...), Problems: append([]string{}, sum.Problems...)}
	if sum.Held != nil {
		out.Held, out.HeldWhy = true, sum.Held.Reason
	}
	ids, _, _ := s.IDs(role) // its error is among the problems
	for i := len(ids) - 1; i >= 0 && (most == 0 || len(out.Runs) < most); i-- {
		out.Runs = append(out.Runs, s.Info(s.Load(role, ids[i])))
	}
	return out
}

func unix(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	u := t.Unix()
	return &u
}
