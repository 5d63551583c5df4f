package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// Against is the revision that a gate compared with, and what the change since
// then does to the ledger.
type Against struct {
	Rev       string `json:"rev"`        // as it was named
	Base      string `json:"base"`       // the commit that was compared with
	MergeBase bool   `json:"merge_base"` // it is the common ancestor of rev and the checkout
	Ledger    Ledger `json:"ledger"`     // the one there; without a path if there was none
	// OnlyNew says that what the base has just so does not gate.
	OnlyNew bool   `json:"only_new"`
	Changes []Edit `json:"changes"`
}

// The values of Finding.AtBase.
const (
	AtBaseAbsent    = "absent"    // the change brings it
	AtBaseDifferent = "different" // the base has it too, with other details
	AtBasePresent   = "present"   // it is just so at the base
	AtBaseUnknown   = "unknown"   // the base could not be read
)

// Edit is what a change does to one thing that a ledger says.
type Edit struct {
	Of     string      `json:"of"`   // ledger, role, waiver, ignore or config
	Name   string      `json:"name"` // the role's key, the waived finding, the rule
	What   string      `json:"what"` // added, removed, renamed or changed
	Owner  string      `json:"owner"`
	Fields []EditField `json:"fields"`
	// Location is the place after the change, BaseLocation the one before; each
	// is empty where there is none.
	Location     specs.Pos `json:"location"`
	BaseLocation specs.Pos `json:"base_location"`
}

// EditField is one field before and after, with secrets masked. What is not
// stated is the text (not set).
type EditField struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
	// BeforeWords and AfterWords say a schedule in words, and AfterWords plainly what
	// a change of evidence or repair does.
	BeforeWords string `json:"before_words"`
	AfterWords  string `json:"after_words"`
	Masked      bool   `json:"masked"`
}

// Compare is the order of edits: the ledger itself, roles, waivers, rules, the config,
// each by name.
func (e Edit) Compare(f Edit) int {
	order := []string{"ledger", "role", "waiver", "ignore", "config"}
	return cmp.Or(
		cmp.Compare(slices.Index(order, e.Of), slices.Index(order, f.Of)),
		strings.Compare(e.Name, f.Name), strings.Compare(e.What, f.What), e.Location.Compare(f.Location),
	)
}

// tidy gives edits their one order, and leaves nothing null.
func tidy(edits []Edit) []Edit {
	out := sorted(edits, Edit.Compare)
	for i := range out {
		out[i].Fields = notNil(out[i].Fields)
		out[i].Location.Column, out[i].BaseLocation.Column = 0, 0
	}
	return out
}

// OfChange says that a kind is about a change, and found by a gate alone; it is
// never the state of a role.
func (k Kind) OfChange() bool { return k == Version || k == Removed }
