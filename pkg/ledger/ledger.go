package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// Format names the form of the ledgers that are read.
const Format = "rolecall/v1"

// Ledger is the reviewed intent: the roles, and the findings that are waived.
type Ledger struct {
	Name     string
	Revision int            // for people; 0 if none is stated
	Roles    []specs.Role   // in the order of the file
	Ignore   []specs.Ignore // rules for all roles of some sources
	Waivers  []Waiver
	Path     string // as it was given to Parse
	SHA256   string // of the file's bytes, hex

	sources map[specs.Ref]specs.Pos
}

// Waiver takes one finding out of account for a time.
type Waiver struct {
	Pos     specs.Pos
	Finding string // the id that a report prints: drift:rotate-logs@web-1
	Reason  string
	Owner   string // empty if none is stated
	// Until is the end, exclusive: the midnight (UTC) after a day that is named.
	Until     time.Time
	UntilText string // as written
}

// Warning is what `ledger check` recommends. It stops nothing.
type Warning struct {
	Pos     specs.Pos
	Message string
}

func (w Warning) String() string { return w.Pos.String() + ": " + w.Message }

// ReadFile gives the bytes of a file of the ledger's directory tree. The path
// is relative to the ledger, clean, with forward slashes, and never begins with
// "..". What leaves the tree by a symbolic link is the reader's to refuse.
type ReadFile func(rel string) ([]byte, error)

// Next is the step that helps with every error in a ledger.
const Next = "correct the ledger, then look at it again with: rolecall ledger check"

// Parse reads a ledger. The error holds all that is wrong with the file, each
// with its place (*strict.Failure); nothing of a wrong ledger is to be used.
func Parse(path string, data []byte, read ReadFile) (Ledger, []Warning, error) {
	sum := sha256.Sum256(data)
	b := builder{
		out:   Ledger{Path: path, SHA256: hex.EncodeToString(sum[:]), sources: map[specs.Ref]specs.Pos{}},
		read:  read,
		files: map[string]document{},
	}
	var f fileForm
	f.Roles.Do = func(key strict.Text, r *roleForm) { b.add(key, r, f.Roles.Len) }
	errs := strict.Decode(path, data, &f)
	if f.Ledger.Stated() && f.Ledger.Value != "" && f.Ledger.Value != Format {
		errs = strict.Errors{} // what the fields of an unknown format mean is not known
		errs.Add(f.Ledger.Pos, "the ledger has the format %s and this rolecall reads %s; take a rolecall that reads it, or convert the ledger", strict.Quote(f.Ledger.Value), Format)
		return Ledger{}, nil, errs.Err("")
	}
	b.file(f, errs)
	if err := b.errs.Err(Next); err != nil {
		return Ledger{}, nil, err
	}
	return b.out, b.warnings, nil
}

// CheckSources finds the roles of a source that the config does not have.
func (l Ledger) CheckSources(known []string) error {
	var errs strict.Errors
	for _, r := range l.Roles {
		for _, s := range r.Sources {
			if !contains(known, s) {
				errs.Add(l.sources[specs.Ref{Role: r.Key, Source: s}], "role %s is to be looked for in the source %s, which the config does not have%s", r.Key, strict.Quote(s), suggest(s, known))
			}
		}
	}
	return errs.Err("correct the ledger, or add the source to the config")
}
