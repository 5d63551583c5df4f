package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/redact"
)

// around is how many lines a unified diff shows before and after a change.
const around = 3

// unified shows an edit of a file as one hunk from the first line that differs
// to the last, each line safe to show. A file that was not there has no lines.
func unified(name string, before, after []byte) string {
	a, b := linesOf(before), linesOf(after)
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	tail := 0
	for tail < len(a)-from && tail < len(b)-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if from == len(a) && from == len(b) {
		return ""
	}
	first, last := max(0, from-around), max(0, tail-around)
	var out strings.Builder
	old := name
	if before == nil {
		old = "/dev/null"
	}
	fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ -%s +%s @@\n", escapeLine(old), escapeLine(name), hunkSpan(first, len(a)-last), hunkSpan(first, len(b)-last))
	put := func(sign string, lines []string) {
		for _, l := range lines {
			text, whole := strings.CutSuffix(l, "\n")
			out.WriteString(sign + escapeLine(redact.Text(text)) + "\n")
			if !whole {
				out.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	put(" ", a[first:from])
	put("-", a[from:len(a)-tail])
	put("+", b[from:len(b)-tail])
	put(" ", b[len(b)-tail:len(b)-last])
	return out.String()
}

// hunkSpan is where lines stand, as a hunk's head says it.
func hunkSpan(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// linesOf are a file's lines with their breaks.
func linesOf(data []byte) []string {
	var out []string
	for line := range bytes.Lines(data) {
		out = append(out, string(line))
	}
	return out
}
