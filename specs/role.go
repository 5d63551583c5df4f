package specs

import "time"

// Role is one expected job, as a ledger states it.
type Role struct {
	Key     string
	Pos     Pos
	Owner   string
	Purpose string
	// Sources are the names of the sources that must hold exactly one object
	// of the role each.
	Sources []string
	// Version is the text of the spec's version; empty if none is stated.
	Version   string
	Statement Statement
	// Suspended says that the role's object must not be active.
	Suspended bool
	// PausedUntil is the end of a pause, exclusive; zero if there is none.
	PausedUntil time.Time
	Match       Match
	// PreviousRoles are old keys whose markers still count as this role.
	PreviousRoles []string
	Remembered    Remembered
	// Pending says that no person has reviewed the role yet.
	Pending  bool
	Ignore   []Ignore
	Run      RunTerms
	Evidence EvidenceTerms
	Repair   RepairTerms
}

// Statement is a role's spec as the ledger writes it. Exactly one of Template,
// Hash and the inline fields is what is compared; beside a Hash a schedule may
// stand for readers.
type Statement struct {
	Pos      Pos
	Template *Document
	Hash     Hash
	// Inline fields; a nil pointer is a field that is not stated.
	Schedule []string
	TimeZone *string
	User     *string
	Command  *string
	Stdin    *string
	Env      map[string]string
	Workflow string
	// ConcurrencyPolicy and StartingDeadlineSeconds are a CronJob's control
	// fields; not stated they mean the scheduler's default.
	ConcurrencyPolicy       *string
	StartingDeadlineSeconds *int64
	// Fields are the places of the stated fields, for errors.
	Fields []StatedField
}

// StatedField is where a field of a statement stands; one of env is env.NAME.
type StatedField struct {
	Name string
	Pos  Pos
}

// Place is where a field stands; ok is false where it is not stated.
func (st Statement) Place(field string) (pos Pos, ok bool) {
	for i := range st.Fields {
		if st.Fields[i].Name == field {
			return st.Fields[i].Pos, true
		}
	}
	return Pos{}, false
}

// PlaceOr is where a field stands, or the whole statement.
func (st Statement) PlaceOr(field string) Pos {
	if pos, ok := st.Place(field); ok {
		return pos
	}
	return st.Pos
}

// Document is a file that is read as a whole.
type Document struct {
	Name string
	Data []byte
}

// Match finds a role's object where no marker names one. Each stated key must
// fit; a value is exact or a glob with * and ?.
type Match struct {
	Pos    Pos
	Keys   map[string]string // user command file | repo workflow cron | namespace name
	Labels map[string]string
}

// IsZero says that the role has no match.
func (m Match) IsZero() bool { return len(m.Keys) == 0 && len(m.Labels) == 0 }

// Remembered is the object that was seen last. It is a pointer for looking
// things up and never evidence that the role is registered.
type Remembered struct {
	Pos  Pos
	UID  string
	Seen time.Time
}

// Desired is a role's statement after the provider of one source has
// translated it.
type Desired struct {
	Ref  Ref
	Spec Spec
	// Stated are the body's fields that count. Nil means all: the spec came
	// from a template.
	Stated []string
	// Attrs are the attributes of the object itself that a template states, by the
	// names that a provider's objects have them by: the namespace of a CronJob.
	// One that is not among them may be anything.
	Attrs map[string]string
	// Pinned is the hash that counts instead of the spec.
	Pinned Hash
	// Never says that the ledger wants a schedule that never fires.
	Never bool
	// Ignore are the rules by which differences do not count, the role's own and
	// those of its source.
	Ignore []Rule
}

// Partial says that only some fields are stated, so that the hash of the
// observed object cannot be pinned from it.
func (d Desired) Partial() bool { return d.Stated != nil }
