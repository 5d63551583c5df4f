package github

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
	low := strings.ToLower(strings.ReplaceAll(key, "_", "-"))
	best, least := "", 3
	for _, name := range of {
		for _, known := range slices.Sorted(maps.Keys(forms[name].keys)) {
			if d := distance(low, known); d < least && (d < 2 || len(known) > 4) && d < len(known)-1 {
				best, least = known, d
			}
		}
	}
	return best
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

// distance counts the letters to insert, remove, change or swap between two
// words, up to about 3.
func distance(a, b string) int {
	if len(a) > len(b)+2 || len(b) > len(a)+2 {
		return 3
	}
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
