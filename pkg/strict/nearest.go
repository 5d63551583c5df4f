package strict

import "strings"

// Nearest is the known word that a misspelt one was surely meant to be, or
// empty if none is near. Case, hyphens and underscores do not count.
func Nearest(word string, known []string) string {
	best, least := "", 0
	w := plain(word)
	for _, k := range known {
		p := plain(k)
		d := distance(w, p)
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
		return "; did you mean `" + n + "`?"
	}
	return ""
}

func plain(s string) string {
	const longest = 64
	if len(s) > longest {
		s = s[:longest]
	}
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s))
}

// distance counts the letters to change, add, drop or swap with their
// neighbour (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
