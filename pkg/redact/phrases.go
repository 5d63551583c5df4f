package redact

import (
	"regexp"
	"strings"
	"sync"
)

// phrase is a turn of words around a secret, which is the expression's first
// group that matched. It is looked for only where the text holds one of the cues.
type phrase struct {
	cues []string
	expr string
	re   func() *regexp.Regexp
}

var phrases = []phrase{
	// user:password@host:port and =user:password@host without a scheme.
	newPhrase(`(?:^|[\s"'])[\w.+-]+:([^\s:/@"']+)@[\w.-]+:\d{1,5}(?:[/\s"']|$)`, "@"),
	newPhrase(`=["']?[\w.+-]+:([^\s"']+)@[\w.-]+(?:[:/\s"']|$)`, "@"),
	// Bearer and Basic outside of a header.
	newPhrase(`(?i)\b(?:bearer|basic)[ \t]+([a-z0-9+/_.~=-]{16,})`, "earer", "asic", "EARER", "ASIC"),
	// Bearer as all of a value, where any word is the token.
	newPhrase(`(?im)(?:^|[:="'])[ \t]*bearer[ \t]+([^\s"']+)[ \t]*(?:["']|$)`, "earer", "EARER"),
	newPhrase(`(?im)[:="'][ \t]*bearer[ \t]+([^\s"'a-z]*[^\s"']*\d[^\s"']*)`, "earer", "EARER"),
	// SQL.
	newPhrase(`(?i)\b(?:identified\s+(?:with\s+\w+\s+)?by|password)\s+\\?["']([^"'\\]+)`, "IDENTIFIED", "dentified", "PASSWORD", "assword"),
	// netrc: login x password y.
	newPhrase(`(?i)\blogin\s+\S+\s+(?:password|passwd)\s+(\S+)`, "login", "LOGIN"),
	// A password that is piped into a program that asks for one.
	newPhrase(`(?i)\b(?:echo|printf)\s+(?:-\w+\s+)*([^\n]*?\S)\s*\|\s*(?:\S*/)?(?:sudo\b[^|\n]*\s-\w*S|su\b|passwd\b|chpasswd\b|kinit\b|cryptsetup\b|gpg2?\b|openssl\b|[^|\n]*-stdin\b|[^|\n]*--with-token\b)`, "echo", "printf"),
	// The same as a here-string.
	newPhrase(`(?i)\b(?:login|su|sudo\b[^|\n]*\s-\w*S|passwd|chpasswd|kinit|cryptsetup|gpg2?|openssl|auth|[\w-]+-(?:stdin|token))\b[^\n;|]*?<<<[ \t]*(?:"([^"\n]+)|'([^'\n]+)|([^\s"']+))`, "<<<"),
	// Authentication of a key-value store, which is a word and no flag.
	newPhrase(`\bAUTH\s+([^\s"']+)`, "AUTH "),
	newPhrase(`\bvault\s+login\s+(?:-\S+\s+)*([^\s"'=-][^\s"'=]*[^\s"'=a-z_][^\s"'=]*=[^\s"']+|[^\s"'=-][^\s"'=]*=*)(?:\s|$)`, "vault"),
}

// newPhrase is called for each of a table, which is smaller without its body.
//
//go:noinline
func newPhrase(expr string, cues ...string) phrase {
	return phrase{cues, expr, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

func inPhrases(s string, asked finders, found *spans) {
	for i := range phrases {
		if asked.has(firstPhrase + i) {
			phrases[i].find(s, s, found)
		}
	}
}

// find looks for a phrase of which a cue is in a text, as it was given or in small
// letters.
func (p phrase) find(s, cued string, found *spans) {
	if !containsAny(cued, p.cues) {
		return
	}
	for _, m := range p.re().FindAllStringSubmatchIndex(s, -1) {
		from, to := firstGroup(m)
		if text := s[from:to]; !masked(text) && !reference(text) {
			found.add(from, to)
		}
	}
}

// firstGroup is the range of the first group that matched, of those that stand
// for each other.
func firstGroup(m []int) (int, int) {
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return m[i], m[i+1]
		}
	}
	return 0, 0
}

// keyBlocks finds private keys, also those whose end is cut off.
func keyBlocks(s string, found *spans) {
	const begin, mark = "-----BEGIN", "PRIVATE KEY"
	for at := 0; ; {
		i := strings.Index(s[at:], begin)
		if i < 0 {
			return
		}
		head := at + i
		at = head + len(begin)
		title := strings.Index(s[at:min(len(s), at+100)], "-----")
		if title < 0 || !strings.Contains(s[at:at+title], mark) {
			continue
		}
		from, to := at+title+len("-----"), len(s)
		if end := strings.Index(s[from:], "-----END"); end >= 0 {
			to = from + end
		}
		if !masked(s[from:to]) {
			found.add(from, to)
		}
		at = to
	}
}
