package change

import "bytes"

// mostLines bounds what is compared line by line: the lines of the middle of one
// text, in which it differs from the other, times those of the other.
const mostLines = 4 << 20

// Line is where a line of a text, counted from 1, stands in a later one, or where
// what is left of its surroundings does: the line that has taken its place, at the
// end of the text the last.
func Line(before, after []byte, line int) int {
	a, b := lines(before), lines(after)
	at := min(max(line-1, 0), max(len(a)-1, 0))
	head := 0
	for head < min(len(a), len(b)) && bytes.Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	switch {
	case at < head:
	case at >= len(a)-tail:
		at += len(b) - len(a)
	default:
		at = head + within(a[head:len(a)-tail], b[head:len(b)-tail], at-head)
	}
	return min(at, max(len(b)-1, 0)) + 1
}

func lines(text []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// within is Line of two texts that differ in their first and last lines, by their
// longest common subsequence; of long ones the first line is taken.
func within(a, b [][]byte, at int) int {
	if len(a)*len(b) > mostLines {
		return 0
	}
	// common[i][j] is the length of the longest one of a[i:] and b[j:]
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if bytes.Equal(a[i], b[j]) {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < at && j < len(b) {
		switch {
		case bytes.Equal(a[i], b[j]):
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			i++
		default:
			j++
		}
	}
	// if the line itself is kept, it is the next that both have
	for k := j; i < len(a) && k < len(b); k++ {
		if bytes.Equal(a[i], b[k]) && common[i][j] == common[i+1][k+1]+1 {
			return k
		}
	}
	return j
}
