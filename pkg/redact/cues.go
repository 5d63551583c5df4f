package redact

import (
	"strings"
	"sync"

	"github.com/rolecall-dev/rolecall/specs/slow"
)

// finders is a set of what searches a text for secrets.
type finders [4]uint64

// The finders by number: these, then each phrase, each capability and each rule
// of the detector.
const (
	assignedFinder = iota
	flaggedFinder
	urlFinder
	blockFinder
	firstPhrase
)

func firstCapability() int { return firstPhrase + len(phrases) }
func firstRule() int       { return firstCapability() + len(capabilities) }

// last stands for itself and for all above it, should there ever be so many.
const last = 64*len(finders{}) - 1

func (f *finders) add(i int)     { i = min(i, last); f[i/64] |= 1 << (i % 64) }
func (f finders) has(i int) bool { i = min(i, last); return f[i/64]>>(i%64)&1 == 1 }
func (f *finders) join(g finders) {
	for i := range f {
		f[i] |= g[i]
	}
}

var allFinders = finders{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

// needed are the finders that could find something in a text: those of which a
// cue is in it.
func needed(s string) finders {
	if slow.Only() {
		return allFinders
	}
	return cues().in(s)
}

// cue is a text in small letters without which a finder finds nothing.
type cue struct {
	text   string
	finder int
	at     func(s string, from, to int) bool // whether it counts there; nil is everywhere
}

// cues knows all of them.
var cues = sync.OnceValue(func() *automaton {
	all := []cue{{"://", urlFinder, nil}, {"-----begin", blockFinder, nil}, {"-p", flaggedFinder, attachedP}}
	for _, h := range hints { // sensitive asks for one
		all = append(all, cue{h, assignedFinder, nil})
	}
	for _, name := range inQuery { // named.hides
		all = append(all, cue{"?" + name, assignedFinder, nameEnds}, cue{"&" + name, assignedFinder, nameEnds})
	}
	for _, p := range programs { // programOf
		for _, name := range p.names {
			at := isProgram
			if stem, open := strings.CutSuffix(name, "*"); open {
				name, at = stem, beginsProgram
			}
			all = append(all, cue{name, flaggedFinder, at})
		}
	}
	add := func(finder int, texts []string) {
		for _, text := range texts {
			all = append(all, cue{strings.ToLower(text), finder, nil})
		}
	}
	for i, p := range phrases {
		add(firstPhrase+i, p.cues)
	}
	for i, p := range capabilities {
		add(firstCapability()+i, p.cues)
	}
	for i, r := range rules() {
		for _, k := range r.keywords {
			if k == strings.ToLower(k) { // another is never met
				all = append(all, cue{k, firstRule() + i, nil})
			}
		}
	}
	a := newAutomaton(all)
	for i, r := range rules() {
		if len(r.keywords) == 0 {
			a.always.add(firstRule() + i)
		}
	}
	return a
})

// nameEnds says that a name ends where a cue does.
func nameEnds(s string, _, to int) bool { return to == len(s) || !isName(s[to]) }

// attachedP says that a -p can begin a word in which something follows it: a blank
// only in a string.
func attachedP(s string, from, to int) bool {
	quoted := from > 0 && isQuote(s[from-1])
	return (from == 0 || quoted || isSpace(s[from-1])) && to < len(s) && (quoted || !isSpace(s[to]))
}

// beginsProgram says that a name begins where programOf would let one begin.
func beginsProgram(s string, from, _ int) bool {
	return from == 0 || isSpace(s[from-1]) || isQuote(s[from-1]) || strings.IndexByte(";|&(){}/", s[from-1]) >= 0
}

// isProgram says that it ends there too.
func isProgram(s string, from, to int) bool {
	return beginsProgram(s, from, to) && (to == len(s) || isSpace(s[to]) || isQuote(s[to]) || s[to] == '/' || strings.HasPrefix(s[to:], ".exe"))
}
