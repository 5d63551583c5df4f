package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// htmlField is a difference, side by side.
type htmlField struct {
	Object, Path      string
	Left, Right       string // what the sides are called
	Desired, Observed []htmlPiece
	Masked            bool // the difference is in what is masked
}

// htmlPiece is a part of a text; one that differs has no counterpart on the other
// side.
type htmlPiece struct {
	Text    string
	Differs bool
}

func newHTMLField(d report.Field) htmlField {
	return sides(htmlField{Path: short(d.Path, valueRoom), Left: "Ledger wants", Right: "Scheduler has", Masked: d.Masked && d.Desired == d.Observed}, d.Desired, d.Observed)
}

// notSet is what a report has in place of a value that is not there.
const notSet = "(not set)"

func sides(f htmlField, a, b string) htmlField {
	a, b = abridge(Escape(a), Escape(b), htmlRoom)
	if a == notSet || b == notSet { // words of the report, not a text to be compared
		f.Desired, f.Observed = []htmlPiece{{short(a, htmlRoom), true}}, []htmlPiece{{short(b, htmlRoom), true}}
		return f
	}
	f.Desired, f.Observed = sideBySide(short(a, htmlRoom), short(b, htmlRoom))
	return f
}

// htmlEdit is what the change of a gate does to one thing in the ledger.
type htmlEdit struct {
	What, Title string
	Owner       int
	Fields      []htmlField
}

func (n *htmlNames) edit(e report.Edit) htmlEdit {
	out := htmlEdit{What: short(e.What, valueRoom), Title: short(editTitle(e), valueRoom), Owner: n.owners.number[e.Owner]}
	for _, d := range e.Fields {
		f := htmlField{Path: short(d.Path, valueRoom), Left: "Before", Right: "After", Masked: d.Masked && d.Before == d.After}
		out.Fields = append(out.Fields, sides(f, withWords(d.Before, d.BeforeWords), withWords(d.After, d.AfterWords)))
	}
	return out
}

// mostTokens bounds the comparison, whose cost is their product.
const mostTokens = 400

// sideBySide finds what two texts share, word by word, in the longest way; the
// common beginning and end are taken off first.
func sideBySide(a, b string) (left, right []htmlPiece) {
	x, y := tokens(a), tokens(b)
	head := 0
	for head < min(len(x), len(y)) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < min(len(x), len(y))-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	keepX, keepY := make([]bool, len(x)), make([]bool, len(y))
	for i := range x {
		keepX[i] = i < head || i >= len(x)-tail
	}
	for i := range y {
		keepY[i] = i < head || i >= len(y)-tail
	}
	common(x[head:len(x)-tail], y[head:len(y)-tail], keepX[head:], keepY[head:])
	return pieces(x, keepX), pieces(y, keepY)
}

// common marks a longest common subsequence on both sides.
func common(x, y []string, keepX, keepY []bool) {
	if len(x) > mostTokens || len(y) > mostTokens {
		return
	}
	length := make([][]int, len(x)+1)
	for i := range length {
		length[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			keepX[i], keepY[j] = true, true
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
}

// tokens are the words of a text that was escaped, each escape, and each letter
// between them.
func tokens(s string) (out []string) {
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		switch word := strings.IndexFunc(s[i:], betweenWords); {
		case s[i] == '\\':
			n = escapeLength(s[i:])
		case word < 0:
			n = len(s) - i
		case word > 0:
			n = word
		}
		out = append(out, s[i:i+n])
		i += n
	}
	return out
}

func betweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

var escapeForm = regexp.MustCompile(`^\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})`)

// escapeLength is how long an escape is that begins with a backslash, or 1 if the
// text had one itself.
func escapeLength(s string) int { return max(1, len(escapeForm.FindString(s[:min(len(s), 10)]))) }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pieces joins tokens that are alike. A blank between two that differ differs too,
// so that a change reads as one.
func pieces(x []string, keep []bool) (out []htmlPiece) {
	for i, s := range x {
		differs := !keep[i] || s == " " && i > 0 && i < len(x)-1 && !keep[i-1] && !keep[i+1]
		if n := len(out); n > 0 && out[n-1].Differs == differs {
			out[n-1].Text += s
			continue
		}
		out = append(out, htmlPiece{s, differs})
	}
	return out
}
