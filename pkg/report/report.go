// Package report is the auditor's vocabulary: the kinds of finding and what
// each means, the report that an audit ends in, and its verdict. Every output
// format reads a Report and nothing else.
package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Schema names the form of an encoded Report.
const Schema = "rolecall.report/v1"

// Report is the outcome of one audit. Encoded, every key is present, no list
// is null, and times are UTC.
type Report struct {
	Schema           string     `json:"schema"`
	Tool             Tool       `json:"tool"`
	Mode             string     `json:"mode"` // live, offline or snapshot
	ObservedAt       time.Time  `json:"observed_at"`
	Canonicalisation string     `json:"canonicalisation"`
	Ledger           Ledger     `json:"ledger"`
	Verdict          Verdict    `json:"verdict"`
	ExitCode         int        `json:"exit_code"`
	Complete         bool       `json:"complete"` // every part in scope was read
	FailOn           []Kind     `json:"fail_on"`
	Coverage         []Coverage `json:"coverage"`
	Summary          Summary    `json:"summary"`
	Roles            []Role     `json:"roles"`
	Findings         []Finding  `json:"findings"`
	Notes            []Note     `json:"notes"`
	Gate             *Against   `json:"gate"` // null if nothing but the present state was judged
}

// Tool is the program that made a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Ledger is the reviewed intent that was compared with.
type Ledger struct {
	Path     string `json:"path"`
	Name     string `json:"name"`
	Revision int    `json:"revision"` // 0 if the ledger states none
	SHA256   string `json:"sha256"`   // of the file's bytes, hex
}

// Coverage is one part of a source and how well it was seen.
type Coverage struct {
	Source   string `json:"source"`
	Provider string `json:"provider"`
	Part     string `json:"part"`
	State    string `json:"state"` // read, denied, absent, failed, partial; out-of-scope for a source that was not looked at
	Objects  int    `json:"objects"`
	Reason   string `json:"reason"`
	// SeenAt is when it was seen, where that was before the report's ObservedAt,
	// as in a snapshot.
	SeenAt *time.Time `json:"seen_at"`
}

// Gap says that something in the part may have been missed.
func (c Coverage) Gap() bool { return c.State != "read" && c.State != string(OutOfScope) }

// Summary counts roles by their state, and what else was found.
type Summary struct {
	Roles        int `json:"roles"`
	OK           int `json:"ok"`
	Missing      int `json:"missing"`
	Duplicate    int `json:"duplicate"`
	Ambiguous    int `json:"ambiguous"`
	Inactive     int `json:"inactive"`
	Drift        int `json:"drift"`
	NotExecuted  int `json:"not_executed"`
	Hung         int `json:"hung"`
	NotSucceeded int `json:"not_succeeded"`
	Stalled      int `json:"stalled"`
	Unknown      int `json:"unknown"`
	Unreviewed   int `json:"unreviewed"`
	OutOfScope   int `json:"out_of_scope"`
	Unexpected   int `json:"unexpected"` // findings
	Version      int `json:"version"`    // findings
	Removed      int `json:"removed"`    // findings
	Waived       int `json:"waived"`     // findings
	Gaps         int `json:"gaps"`       // parts in scope that were not read whole
	Objects      int `json:"objects"`
	Ignored      int `json:"ignored"` // objects without a role that a rule or the built-in list leaves out
	// LeftOut are differences that count and that ignore rules take out of account.
	LeftOut int `json:"left_out"`
}

// Role is one expectation, a role in one source, and how it stands.
type Role struct {
	Role    string `json:"role"`
	Source  string `json:"source"`
	State   State  `json:"state"`
	Owner   string `json:"owner"`
	Purpose string `json:"purpose"`
	Version string `json:"version"`
	Hash    string `json:"hash"`    // what the ledger wants
	Partial bool   `json:"partial"` // the ledger states only some fields
	// Suspended says that the ledger wants the role not to run now.
	Suspended bool     `json:"suspended"`
	Objects   []string `json:"objects"`
	Stages    Stages   `json:"stages"`
	Seen      Seen     `json:"seen"`
	NextDue   *string  `json:"next_due"` // RFC 3339, UTC; null if never or not known
	// Next24h is what the ledger wants of the day ahead; null if it must not run
	// now, or where its minutes cannot be known beforehand.
	Next24h *Day `json:"next_24h"`
	// Schedule is what the ledger wants, as written.
	Schedule string    `json:"schedule"`
	Location specs.Pos `json:"location"`
	// Cosmetic are differences in text that are none in meaning.
	Cosmetic []Field `json:"cosmetic"`
	// Ignored are differences that a rule of the ledger takes out of account.
	Ignored []Ignored `json:"ignored"`
}

// Ignored is a difference that does not count, and the rule that says so.
type Ignored struct {
	Field
	Rule     string    `json:"rule"` // field PATH, pointer POINTER or manager NAME, as the ledger has it
	Reason   string    `json:"reason"`
	Location specs.Pos `json:"location"` // of the rule
}

// Stages are the steps of a role's ladder that this audit has looked at.
type Stages struct {
	Registered Stage `json:"registered"`
	Executed   Stage `json:"executed"`
	Succeeded  Stage `json:"succeeded"`
	Progressed Stage `json:"progressed"`
}

// Stage says whether a step of the ladder was reached, and in time.
type Stage string

// The stages. Registered is Yes, No or Unseen.
const (
	Yes        Stage = "yes"
	Late       Stage = "late"        // an instant has passed, and what is allowed has not
	Stale      Stage = "stale"       // it was reached once, and not in time since
	Never      Stage = "never"       // it was never reached, and should have been
	No         Stage = "no"          // not registered
	NotDue     Stage = "not-due"     // nothing has to have happened yet
	NotTracked Stage = "not-tracked" // nobody knows of it, or nobody was asked
	Unseen     Stage = "unknown"     // it could not be read
)

// Seen are the instants that a role's evidence has, as Unix seconds, so that an
// age is counted when it is asked for; null is never or not known.
type Seen struct {
	LastStart    *int64 `json:"last_start"`
	LastSuccess  *int64 `json:"last_success"`
	LastProgress *int64 `json:"last_progress"`
	// From is where they were read, of each stage that is tracked.
	From []string `json:"from"`
}

// Finding is one disagreement between ledger and scheduler.
type Finding struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	Role       string    `json:"role"`
	Source     string    `json:"source"`
	Owner      string    `json:"owner"`
	Severity   string    `json:"severity"` // from the catalogue
	Confirmed  bool      `json:"confirmed"`
	Reason     string    `json:"reason"` // a code: edited-without-version, suspended, …
	Message    string    `json:"message"`
	Objects    []string  `json:"objects"`
	Fields     []Field   `json:"fields"`
	ChangedBy  *Change   `json:"changed_by"`
	Hints      []string  `json:"hints"`
	Location   specs.Pos `json:"location"`        // the role in the ledger, or the object
	ObservedAt specs.Pos `json:"object_location"` // the object in its own file; empty if it has none
	NextStep   string    `json:"next_step"`
	Waiver     *Waiver   `json:"waiver"`
	// Marked says that the object of an unexpected finding carries a marker.
	Marked bool `json:"marked"`
	// AtBase says how the base of a gate stands to the finding; empty without one.
	AtBase string `json:"at_base"`
}

// Field is one difference, with secrets masked.
type Field struct {
	Object   string `json:"object"` // the object that differs
	Path     string `json:"path"`
	Desired  string `json:"desired"`
	Observed string `json:"observed"`
	Cosmetic bool   `json:"cosmetic"`
	Masked   bool   `json:"masked"` // a secret was hidden in desired or observed
}

// Change is who changed an object and when, and how that is known.
type Change struct {
	Who      string    `json:"who"`
	When     time.Time `json:"when"`
	Evidence string    `json:"evidence"`
}

// Waiver is why a finding does not gate, and until when.
type Waiver struct {
	Reason string    `json:"reason"`
	Owner  string    `json:"owner"`
	Until  string    `json:"until"`
	Ended  bool      `json:"ended"` // it is over: the finding gates again
	Pos    specs.Pos `json:"location"`
}

// Waived says that the finding is taken out of account.
func (f Finding) Waived() bool { return f.Waiver != nil && !f.Waiver.Ended }

// Note is something worth saying that never gates.
type Note struct {
	Code     string    `json:"code"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Location specs.Pos `json:"location"`
}

// Compare is the order of findings: by role and source, then by kind; those
// without a role last, by object.
func (f Finding) Compare(g Finding) int {
	return cmp.Or(
		cmp.Compare(btoi(f.Role == ""), btoi(g.Role == "")),
		strings.Compare(f.Role, g.Role),
		strings.Compare(f.Source, g.Source),
		cmp.Compare(f.Kind.order(), g.Kind.order()),
		strings.Compare(f.ID, g.ID),
	)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Tidy gives the report its one order, fills what the catalogue knows, leaves no
// list null, and takes out what the encoded form does not hold (columns), so
// that a report and its saved form render alike.
func (r Report) Tidy() Report {
	r.Coverage = sorted(r.Coverage, func(a, b Coverage) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Part, b.Part))
	})
	r.Roles = tidied(r.Roles, compareRoles, Role.tidy, (*Role).makeTidy)
	r.Notes = sorted(r.Notes, func(a, b Note) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), a.Location.Compare(b.Location), strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
	for i := range r.Notes {
		r.Notes[i].Location.Column = 0
	}
	r.Notes = slices.Compact(r.Notes)
	r.Findings = tidied(r.Findings, Finding.Compare, Finding.tidy, (*Finding).makeTidy)
	r.FailOn = notNil(r.FailOn)
	if r.Gate != nil {
		gate := *r.Gate
		gate.Changes = tidy(gate.Changes)
		r.Gate = &gate
	}
	return r
}

// tidied is a list in order, each of it tidy. One that is so already is given back
// as it is, for a report of many roles is tidied on each of its ways.
func tidied[T any](in []T, compare func(a, b T) int, tidy func(T) bool, makeTidy func(*T)) []T {
	ready := in != nil
	for i := 0; ready && i < len(in); i++ {
		ready = tidy(in[i]) && (i == 0 || compare(in[i-1], in[i]) <= 0)
	}
	if ready {
		return in
	}
	out := sorted(in, compare)
	for i := range out {
		makeTidy(&out[i])
	}
	return out
}

func compareRoles(a, b Role) int {
	return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Source, b.Source))
}

func (x Role) tidy() bool {
	column := func(i Ignored) bool { return i.Location.Column != 0 }
	return x.Objects != nil && x.Cosmetic != nil && x.Ignored != nil && x.Seen.From != nil && x.Location.Column == 0 &&
		(x.Next24h == nil || x.Next24h.Due != nil) && !slices.ContainsFunc(x.Ignored, column)
}

func (x *Role) makeTidy() {
	x.Objects, x.Cosmetic, x.Ignored = notNil(x.Objects), notNil(x.Cosmetic), slices.Clone(notNil(x.Ignored))
	x.Location.Column = 0
	x.Seen.From = notNil(x.Seen.From)
	if x.Next24h != nil {
		x.Next24h = &Day{x.Next24h.Minutes, notNil(x.Next24h.Due)}
	}
	for k := range x.Ignored {
		x.Ignored[k].Location.Column = 0
	}
}

func (f Finding) tidy() bool {
	return f.Severity == f.Kind.Entry().Severity && f.Objects != nil && f.Fields != nil && f.Hints != nil && f.Location.Column == 0 && f.ObservedAt.Column == 0
}

func (f *Finding) makeTidy() {
	f.Severity = f.Kind.Entry().Severity
	f.Objects, f.Fields, f.Hints = notNil(f.Objects), notNil(f.Fields), notNil(f.Hints)
	f.Location.Column, f.ObservedAt.Column = 0, 0
}

func sorted[T any](in []T, compare func(a, b T) int) []T {
	out := slices.Clone(notNil(in))
	arrange.By(out, compare)
	return out
}

func notNil[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
