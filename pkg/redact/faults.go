package redact

import "strings"

// faults are how the texts of errors begin. Each is of several words, so that
// none is taken for a password of one word.
var faults = []string{
	"permission denied", "operation not permitted", "is a directory", "not a directory", "no such file", "file exists",
	"file name too long", "too many levels", "too many open", "input/output error", "i/o timeout", "invalid argument",
	"bad file descriptor", "read-only file", "connection refused", "connection reset", "command not found", "not found",
	"not a", "not the", "not YAML", "only letters", "only the", "none of", "the file", "the text", "the template", "the schema", "the server",
	"the ledger", "the snapshot", "was read", "it cannot", "is not", "is empty", "is missing", "is too", "is unknown", "has no", "must be", "must not", "may not", "cannot be",
	"could not", "did not", "does not", "not allowed", "not readable", "already exists", "unexpected end", "unexpected EOF",
	"unknown field", "unknown key", "unknown command", "invalid character", "cannot unmarshal", "bad line", "authentication failure",
	"authentication failed", "access denied", "password must", "password unchanged",
}

// fault says that an error's text begins at a place, as in "open x/passwd:
// permission denied", where the name before it is a file's or a program's.
func fault(s string, at int) bool {
	for _, f := range faults {
		if rest, ok := strings.CutPrefix(s[at:], f); ok && (rest == "" || !isName(rest[0])) {
			return true
		}
	}
	return false
}
