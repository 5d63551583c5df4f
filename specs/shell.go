package specs

import (
	"strings"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

var bareWord = lazy.Expression(`^[A-Za-z0-9/.][A-Za-z0-9._/@:+#-]*$`)

// ShellWord is a text as one word of a POSIX shell, for a command that a person
// will copy.
func ShellWord(s string) string {
	if bareWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
