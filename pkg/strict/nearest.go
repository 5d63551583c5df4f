package strict

import (
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// Nearest is the known word that a misspelt one was surely meant to be, or
// empty if none is near. Case, hyphens and underscores do not count.
func Nearest(word string, known []string) string {
	best, least := "", 0
	w := bare(word)
	for _, k := range known {
		p := bare(k)
		d := specs.Distance(w, p)
		if d > 1+len(p)/4 || d >= len(p) {
			continue
		}
		if best == "" || d < least {
			best, least = k, d
		}
	}
	return best
}

// didYouMean is the suggestion as it is appended to a message.
func didYouMean(word string, known []string) string {
	if n := Nearest(word, known); n != "" {
		return suggestion(n)
	}
	return ""
}

func suggestion(word string) string { return "; did you mean `" + word + "`?" }

func bare(s string) string {
	const longest = 64
	if len(s) > longest {
		s = s[:longest]
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(s), "-", ""), "_", "")
}
