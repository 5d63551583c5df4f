package redact

import (
	"regexp"
	"strings"
	"sync"
)

// phrase is a turn of words around a secret, which is the expression's first
// group. It is looked for only where the text holds one of the cues.
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
	// SQL.
	newPhrase(`(?i)\b(?:identified\s+(?:with\s+\w+\s+)?by|password)\s+\\?["']([^"'\\]+)`, "IDENTIFIED", "dentified", "PASSWORD", "assword"),
	// netrc: login x password y.
	newPhrase(`(?i)\blogin\s+\S+\s+(?:password|passwd)\s+(\S+)`, "login", "LOGIN"),
	// A password that is piped into a program that asks for one.
	newPhrase(`(?i)\b(?:echo|printf)\s+(?:-\w+\s+)*([^\n]*?\S)\s*\|\s*(?:\S*/)?(?:sudo\b[^|\n]*\s-\w*S|su\b|passwd\b|chpasswd\b|kinit\b|cryptsetup\b|gpg2?\b|openssl\b|[^|\n]*-stdin\b)`, "echo", "printf"),
	// Authentication of a key-value store, which is a word and no flag.
	newPhrase(`\bAUTH\s+([^\s"']+)`, "AUTH "),
	newPhrase(`\bvault\s+login\s+(?:-\S+\s+)*([^\s"'=-][^\s"'=]*)(?:\s|$)`, "vault"),
}

func newPhrase(expr string, cues ...string) phrase {
	return phrase{cues, expr, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

func inPhrases(s string, found *spans) {
	for _, p := range phrases {
		if !containsAny(s, p.cues) {
			continue
		}
		for _, m := range p.re().FindAllStringSubmatchIndex(s, -1) {
			if text := s[m[2]:m[3]]; !masked(text) && !reference(text) {
				found.add(m[2], m[3])
			}
		}
	}
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
