package crontab

import (
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// splitPercent gives what the shell receives and what it reads from standard
// input. Debian's cron and cronie end the command at the first % that has no
// backslash in front; Debian's also makes one backslash of two. Elsewhere a %
// has no meaning. (Measured with Debian cron 3.0pl1-162.)
func splitPercent(d specs.Dialect, text string) (command, stdin string, fed bool) {
	if d != specs.Debian && d != specs.Cronie {
		return text, "", false
	}
	if strings.IndexByte(text, '%') < 0 && strings.IndexByte(text, '\\') < 0 {
		return text, "", false
	}
	command, rest := unescape(text, d == specs.Debian)
	if rest == "" {
		return command, "", false
	}
	return command, stdinOf(rest), true
}

// unescape undoes \% and, where double says so, \\ up to the first bare %, and
// gives the text behind that.
func unescape(text string, double bool) (command, rest string) {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' {
			return string(b), text[i+1:]
		}
		if c == '\\' && i+1 < len(text) {
			i++
			if next := text[i]; next != '%' && !(double && next == '\\') {
				b = append(b, c)
			}
			c = text[i]
		}
		b = append(b, c)
	}
	return string(b), ""
}

var stdinText = strings.NewReplacer(`\%`, "%", "%", "\n")

// stdinOf is the text that the command reads, without the final newline, which
// the daemon adds if it is not there.
func stdinOf(rest string) string {
	return strings.TrimSuffix(stdinText.Replace(rest), "\n")
}
