// Package redact masks secrets in text that was read from a scheduler, before
// anything is shown or saved. It knows the positions where secrets stand in
// commands, and the token formats of a detector that others keep up to date.
//
// The detector is gitleaks: its rules are read as data out of its config
// package, and are applied here. Its own detect package is not used, for it
// costs 4.8 MB of binary, 64 modules and 26 ms at the first call (measured with
// v8.30.1); the rules alone cost 0.5 MB and 1 ms, and each is compiled only when
// one of its keywords is met. A program that masks nothing pays nothing.
package redact

import (
	"strings"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Mask stands in place of each secret. It does not tell the secret's length.
const Mask = "***"

const (
	// longest is the longest text, in bytes, that is shown whole. No scheduler
	// runs a command of that length, and the time for hostile text stays bounded.
	longest = 64 << 10
	// shown is how much of a longer text is shown: at most half, so that the
	// masked text is never too long itself.
	shown = longest / 2
	// rounds bounds the search for a text in which nothing more is found.
	rounds = 6
)

// Text masks the secrets in free text: a command, an argument, a line, a
// message. What surrounds them is kept. Text that was masked before comes back
// as it is, equal text gives equal text, and bytes that are no UTF-8 are kept.
// Of a text above 64 KiB only the beginning is shown, the rest is masked. Rather
// too much is masked than too little.
func Text(s string) string {
	s = shorten(s)
	for range rounds {
		t := once(s, needed)
		if t == s {
			return s
		}
		s = t
	}
	return Mask
}

// shorten keeps the beginning of a text that is too long, up to the end of a
// word, so that no half of a secret is left.
func shorten(s string) string {
	if len(s) <= longest {
		return s
	}
	end := strings.LastIndexAny(s[:shown], " \t\n")
	if end < 0 {
		return Mask
	}
	return s[:end] + " " + Mask
}

// once masks what the finders find in a text, of which only those are asked that
// could. Positions come first, since they tell a user from its password, which
// the detector takes together.
func once(s string, needed func(string) finders) string {
	asked := needed(s)
	t := masks(s, asked, places)
	if t != s {
		asked = needed(t)
	}
	return masks(t, asked, detected)
}

// places finds what is a secret by its place.
func places(s string, asked finders, found *spans) {
	for i, find := range [...]func(string, *spans){assignedFinder: assigned, flaggedFinder: flagged, urlFinder: inURLs, blockFinder: keyBlocks} {
		if asked.has(i) {
			find(s, found)
		}
	}
	inPhrases(s, asked, found)
	inCapabilities(s, asked, found)
}

func masks(s string, asked finders, find func(string, finders, *spans)) string {
	if asked == (finders{}) {
		return s
	}
	var found spans
	find(s, asked, &found)
	return found.mask(s)
}

// span is the half-open range of a secret's bytes in a text.
type span struct{ from, to int }

type spans []span

func (f *spans) add(from, to int) {
	if from < to {
		*f = append(*f, span{from, to})
	}
}

// mask replaces the spans. Those that overlap become one.
func (f spans) mask(s string) string {
	if len(f) == 0 {
		return s
	}
	arrange.By(f, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	end := 0
	for i, x := range f {
		if i == 0 || x.from >= end {
			b.WriteString(s[end:x.from])
			b.WriteString(Mask)
		}
		end = max(end, x.to)
	}
	b.WriteString(s[end:])
	return b.String()
}
