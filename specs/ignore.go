package specs

import (
	"fmt"
	"slices"
	"strings"
)

// Ignore is a rule by which differences do not count, and why. It names them in
// one of three ways.
type Ignore struct {
	Pos Pos
	// Source is the name, or a glob for the names, of the sources of a rule that
	// stands beside the roles; empty in a role's own.
	Source string
	// Field is the path of the field as a report prints it, or a pattern for
	// such paths as Path.Covers takes it.
	Field string
	// Pointer is a JSON pointer (RFC 6901) into the native object, in which the
	// members of a list that have a key are named by it.
	Pointer string
	// Manager is the name, or a glob for the names, of the clients whose fields
	// do not count, as the object itself records who wrote which of its fields.
	Manager string
	Reason  string
}

// In says that the rule applies to a source: a role's own to each of the role's.
func (i Ignore) In(source string) bool { return i.Source == "" || Glob(i.Source, source, false) }

// String is how the ledger names what does not count.
func (i Ignore) String() string {
	switch {
	case i.Pointer != "":
		return "pointer " + i.Pointer
	case i.Manager != "":
		return "manager " + i.Manager
	}
	return "field " + i.Field
}

// Rule is an Ignore in the terms of one source.
type Rule struct {
	Ignore
	// Path is the field that a rule by field or by pointer names.
	Path Path
	// Atomic are, for a rule by manager, the names of the fields that are only
	// ever written as a whole.
	Atomic []string
}

// Covers is Path.Covers, in which a pointer means what it says, and no pattern.
func (r Rule) Covers(path Path) int {
	switch {
	case len(r.Path) == 0:
		return 0
	case r.Pointer == "":
		return r.Path.Covers(path)
	case r.Path.Within(path):
		return len(r.Path)
	}
	return 0
}

// Unignorable says why no rule can take a field out of account, and what does
// instead; it is empty for all fields but these, of which none is part of a
// Spec.
func Unignorable(field string) string {
	switch field {
	case "state":
		return "says whether the job runs at all and always counts; write state: suspended or paused_until, or a waiver with an end"
	case "role":
		return "says which role an object plays and always counts; name the old key in previous_roles, or write a waiver with an end"
	case "version":
		return "is compared wherever both sides state one; leave it out of the role, or write a waiver with an end"
	case "hash":
		return "is that of the whole object; state a template or fields in place of the hash, and ignore one of them"
	}
	return ""
}

// ParsePointer gives the tokens of a JSON pointer by RFC 6901, at least one:
// after each slash a token, in which ~1 is a slash and ~0 a tilde.
func ParsePointer(s string) ([]string, error) {
	if len(s) < 2 || s[0] != '/' {
		return nil, fmt.Errorf("%q is no JSON pointer to a field; write one like /spec/jobTemplate/spec/template/spec/containers/NAME", s)
	}
	tokens := strings.Split(s[1:], "/")
	for i, t := range tokens {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "").Replace(t), "~") {
			return nil, fmt.Errorf("%q holds a ~ that is neither ~0 for a tilde nor ~1 for a slash; write one of them", s)
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	if slices.Contains(tokens, "") {
		return nil, fmt.Errorf("%q holds an empty token; remove the slash too many", s)
	}
	return tokens, nil
}
