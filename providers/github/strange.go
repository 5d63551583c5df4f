package github

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// strangeKey says that a key which is none of some forms surely is none of
// GitHub's at that place either, and why: it is a misspelling of one of them,
// belongs to another place, or is marked as one's own. It is empty for a key
// that GitHub may have added since.
func strangeKey(key string, of ...string) string {
	others := []string{"workflow", "job", "calling job", "run", "action"}
	if slices.Contains(of, "run") || slices.Contains(of, "action") {
		slices.Reverse(others)
	}
	for _, other := range others {
		if _, ok := forms[other].keys[key]; ok && !slices.Contains(of, other) {
			return elsewhere[other]
		}
	}
	if known := nearest(key, of); known != "" {
		return "; it may be meant as " + known
	}
	if strings.HasPrefix(key, "x-") || strings.HasPrefix(key, ".") {
		return ", where GitHub takes no keys of one's own"
	}
	return ""
}

// nearest is the known key that another is a misspelling of.
func nearest(key string, of []string) string {
	var known []string
	for _, name := range of {
		known = append(known, slices.Sorted(maps.Keys(forms[name].keys))...)
	}
	return nearestOf(strings.ToLower(strings.ReplaceAll(key, "_", "-")), known)
}

// nearestOf is the first of the nearest known words, if one is near.
func nearestOf(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		low := strings.ToLower(k)
		if len(word) > len(low)+least { // however long it is, it is no misspelling
			continue
		}
		if d := specs.Distance(word, low); d < least && (d < 2 || len(low) > 4) && d < len(low)-1 {
			best, least = k, d
		}
	}
	return best
}

// checkEvents refuses a trigger that is none of GitHub's and a misspelling of
// one. Any other may be one that GitHub has added.
func (r *reader) checkEvents(triggers []pair) {
	for _, p := range triggers {
		if slices.Contains(events, strings.ToLower(p.name)) {
			continue
		}
		if known := nearestOf(strings.ToLower(p.name), events); known != "" {
			r.refuse(p.at, "GitHub has no event %q; it may be meant as %s", short(p.name), known)
		}
	}
}

// strangeName says of a word of an expression that it surely is none of GitHub's
// contexts and functions, since it is a misspelling of one.
func strangeName(e *expr) string {
	root, _, _ := strings.Cut(e.text, ".")
	is, known, low := "context", allContexts, allContexts
	switch e.op {
	case opCall:
		is, known, low = "function", functions, lowFunctions
	case opValue:
	default:
		return ""
	}
	if slices.Contains(low, root) || slices.Contains(literals, root) {
		return ""
	}
	near := nearestOf(root, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("expressions have no %s %q; it may be meant as %s", is, short(root), near)
}

var elsewhere = map[string]string{
	"workflow":    "; it belongs to the workflow",
	"job":         "; it belongs to a job with steps of its own",
	"calling job": "; it belongs to a job that calls a workflow",
	"run":         "; it belongs to a step that runs a script",
	"action":      "; it belongs to a step that uses an action",
}

// unknownKey notes a key that is not judged, once for a workflow.
func (r *reader) unknownKey(line int, key string) {
	if r.unknown {
		return
	}
	r.unknown = true
	r.note("early-warning", line, fmt.Sprintf("the key %q is none of GitHub's workflow syntax as far as it is known here; GitHub refuses a workflow with a key that it does not know, so see in its Actions tab whether it runs", short(key)))
}
