// Package providers is the contract between what looks at schedulers and what
// judges: a Provider lists one source, and says of each part of it how well it
// was seen. It knows no scheduler and does no I/O.
package providers

import (
	"context"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// Provider lists one source.
type Provider interface {
	// Observe returns what it saw and what it could not see. There is no error
	// beside it: a part that could not be read is an Area with the reason, and
	// the objects that were read before a failure are kept. A cancelled context
	// makes the parts that were not reached Failed.
	Observe(ctx context.Context, sel Selection) Observation
}

// Translator is what a provider grows where a ledger's statement can be put in
// its own terms: the template by the same translation as a live object.
type Translator interface {
	// Translate gives what the statement wants of an object in this source, or
	// an error that names the place in the ledger or template. Its Ref is left
	// to the caller.
	Translate(st specs.Statement) (specs.Desired, error)
}

// Locator is what a provider grows where an ignore rule can name what does not
// count in the terms of the native object: by a JSON pointer, or by who wrote it.
type Locator interface {
	// Locate puts a rule by pointer or by manager in the terms of this source. The
	// error says why its objects have no such thing, and ends with the next step;
	// it does not name the rule's place.
	Locate(rule specs.Ignore) (specs.Rule, error)
}

// Attributor is what a provider grows where finding out who changed an object
// last costs a request of its own, so that it is asked only of objects that
// there is a finding about.
type Attributor interface {
	// Attribute gives what is known; nothing where it cannot be known.
	Attribute(ctx context.Context, o Object) []Change
}

// Selection narrows what is looked at. The zero Selection is the whole source.
type Selection struct {
	// Parts are the names of the areas to look at; empty means all.
	Parts []string
	// Literals asks for the text of each object as well, for a template.
	Literals bool
}

// Wants says whether an area is to be looked at.
func (s Selection) Wants(part string) bool {
	if len(s.Parts) == 0 {
		return true
	}
	for _, p := range s.Parts {
		if p == part {
			return true
		}
	}
	return false
}

// Observation is one look at one source.
type Observation struct {
	Source   string
	Provider string // crontab, github or kubernetes
	Objects  []Object
	Areas    []Area
	Notes    []Note
	// SeenAt is when the source was seen, where that was before the instant of
	// judgement, as in a saved listing. Zero is the instant of judgement.
	SeenAt time.Time
	// Runs is what the source's run records say, by the key of the role; under the
	// empty key what they say of every role that has none: that it never ran, or
	// that they cannot be read.
	Runs map[string]Evidence
	// Accounts is the same of the records that count for the tables of one account,
	// by its name. Those of another do not speak for it, so that of an object whose
	// user is known only these count. It is nil where no records belong to accounts.
	Accounts map[string]map[string]Evidence
	// Requests counts what was asked of a server; 0 for files.
	Requests int
}

// AreaState is how well a part of a source was seen.
type AreaState string

// The states of an area. Only Read lets anything be called absent.
const (
	Read    AreaState = "read"
	Denied  AreaState = "denied"
	Missing AreaState = "absent"
	Failed  AreaState = "failed"
	Partial AreaState = "partial"
)

// Area is a part of a source, the unit of coverage: a namespace, a repository,
// a user, a file.
type Area struct {
	Part   string // namespace/batch, repo/acme/shop, file/etc/crontab, user/deploy
	State  AreaState
	Reason string // why it was not read, and the next step; empty for Read
}

// Gap says that something in the area may have been missed.
func (a Area) Gap() bool { return a.State != Read }

// Marker is what an object says about its role.
type Marker struct {
	Role    string // empty if there is none
	Version string // empty if none is stated
	Pos     specs.Pos
	// Invalid is the text of a marker that cannot be the key of a role.
	Invalid string
}

// Present says that the object carries a marker, good or bad.
func (m Marker) Present() bool { return m.Role != "" || m.Invalid != "" }

// Entry is one schedule of an object that has several.
type Entry struct {
	Text     string // as written
	Schedule specs.Schedule
	Pos      specs.Pos
}

// Inactive is why an object will not run.
type Inactive struct {
	// Code is suspended, being-deleted, no-start-window, no-parallelism,
	// no-completions, invalid-manifest or invalid-schedule of a CronJob; commented-out,
	// invalid-line, file-not-loaded or user-denied of a crontab; file-not-loaded,
	// invalid-schedule, archived, actions-disabled or GitHub's own word for the
	// state of a workflow.
	Code   string
	Detail string // what was seen, with its place
	Next   string // what to do about it; empty for the catalogue's own
}

// Change is who changed something and when, as far as that can be known.
type Change struct {
	Who      string
	When     time.Time
	Evidence string // managedFields, commit, file
	// Paths are the fields that the change is known to have touched, as in a
	// Difference; empty if it is not known.
	Paths []string
}

// Note is something worth saying that never gates.
type Note struct {
	Code    string // bad-line, dangling-marker, ineffective-zone …
	Message string
	Pos     specs.Pos
}
