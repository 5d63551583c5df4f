package report

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what sort of disagreement a finding is.
type Kind string

// The kinds, in the order in which the first of them is a role's state.
const (
	Missing      Kind = "missing"
	Duplicate    Kind = "duplicate"
	Ambiguous    Kind = "ambiguous"
	Inactive     Kind = "inactive"
	Drift        Kind = "drift"
	NotExecuted  Kind = "not-executed"
	Hung         Kind = "hung"
	NotSucceeded Kind = "not-succeeded"
	Stalled      Kind = "stalled"
	Unknown      Kind = "unknown"
	Unreviewed   Kind = "unreviewed"
	Version      Kind = "version"
	Removed      Kind = "removed"
	Unexpected   Kind = "unexpected"
)

// State is how a role stands in a source: the first of the kinds of its
// findings, or OK, or OutOfScope where the source was not looked at.
type State string

// The states that are not kinds of finding.
const (
	OK         State = "ok"
	OutOfScope State = "out-of-scope"
)

// Entry is what the catalogue knows of a kind.
type Entry struct {
	Kind     Kind
	Title    string // a few words
	Severity string // error, warning, note
	Meaning  string // one sentence
	NextStep string // what to look at first
}

// Catalogue is every kind of finding in the fixed order. Titles in text, rules
// in SARIF and the table in the README are made from it.
func Catalogue() []Entry { return slices.Clone(catalogue) }

var catalogue = []Entry{
	{Missing, "missing", "error", "The source was read whole and holds no object of the role.", "find the change that removed it, then register the job again as the ledger states it"},
	{Duplicate, "duplicate", "error", "More than one object plays a role that expects one, also across sources: the job runs twice.", "decide which object is the right one and remove the others"},
	{Ambiguous, "ambiguous", "error", "Two roles claim one object by their match, so it satisfies neither.", "put a role marker on the object, or narrow the match of the roles"},
	{Inactive, "inactive", "error", "The object is there and will not run.", "find out who switched it off and why, then switch it on again or say state: suspended in the ledger"},
	{Drift, "drift", "error", "The object does not do, or not when, what the ledger states, or has another version.", "compare the fields, then bring the object or the ledger up to date by a reviewed change"},
	{NotExecuted, "not executed", "error", "The object is registered and active, and due instants have passed without a start.", "look at the trigger and the scheduler: is its daemon or controller running, does it see the object, is something holding the start back"},
	{Hung, "hung", "error", "A run has begun, has gone on longer than it may, and has not ended.", "look at what the run waits for, then end it; a max_runtime on the job itself would end the next one"},
	{NotSucceeded, "not succeeded", "error", "Runs start, and none has succeeded in time.", "look at the log of the last run, at how it ended, and at its timeout"},
	{Stalled, "stalled", "error", "Runs succeed, and what they are for does not move on.", "look at the input of the job and at the conditions under which it finds nothing to do"},
	{Unknown, "unknown", "warning", "The role was not found, and a part in which it could be was not read; or evidence of its runs could not be read.", "make the unread part readable (see coverage) and run the audit again"},
	{Unreviewed, "unreviewed", "warning", "No person has reviewed the role yet.", "read the role, then remove its line review: pending"},
	{Version, "version", "error", "The change gives a role another spec and leaves its version, or lowers the version (gate only).", "raise the version in the ledger and on the object, or take the edit back"},
	{Removed, "removed", "error", "The change takes a role out of the ledger, so that nothing would miss its job any more (gate only).", "ask the owner; if the role is to go, waive this finding in the same change"},
	{Unexpected, "unexpected", "warning", "An object plays no role that the ledger has here.", "add the role to the ledger, or remove the job, or ignore it for its source"},
}

// Entry is the catalogue's entry of a kind.
func (k Kind) Entry() Entry {
	if i := k.order(); i < len(catalogue) {
		return catalogue[i]
	}
	return Entry{Kind: k, Title: string(k), Severity: "error"}
}

// Before says that a kind stands before another in the fixed order.
func (k Kind) Before(other Kind) bool { return k.order() < other.order() }

// OfRuns says that a kind is about the runs of what is registered.
func (k Kind) OfRuns() bool {
	return k == NotExecuted || k == Hung || k == NotSucceeded || k == Stalled
}

func (k Kind) order() int {
	i := slices.IndexFunc(catalogue, func(e Entry) bool { return e.Kind == k })
	if i < 0 {
		return len(catalogue)
	}
	return i
}

// Gating are the kinds that fail an audit by default: all but Unknown, which
// has an exit code of its own. Of Unexpected only objects with a marker count.
func Gating() []Kind {
	return slices.DeleteFunc(GatingChange(), Kind.OfChange)
}

// GatingChange are those that fail a gate by default. Of Unexpected only objects
// count that carry a marker or that the change brings.
func GatingChange() []Kind {
	var out []Kind
	for _, e := range catalogue {
		if e.Kind != Unknown && e.Kind != Unexpected {
			out = append(out, e.Kind)
		}
	}
	return out
}

// ParseKinds reads a list of kinds as --fail-on takes it; none stands for no
// kind at all.
func ParseKinds(words []string) ([]Kind, error) {
	out := []Kind{}
	for _, w := range words {
		w = strings.TrimSpace(w)
		if w == "none" && len(words) == 1 {
			return out, nil
		}
		k := Kind(w)
		if k.order() == len(catalogue) || k == Unknown {
			return nil, fmt.Errorf("--fail-on %q is not a kind that can fail an audit; take some of %s, or none (what could not be read has exit code 3; see --allow-partial)", w, kindWords())
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out, nil
}

func kindWords() string {
	var words []string
	for _, e := range catalogue {
		if e.Kind != Unknown {
			words = append(words, string(e.Kind))
		}
	}
	return strings.Join(words, ", ")
}
