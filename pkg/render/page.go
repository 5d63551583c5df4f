package render

import (
	"fmt"
	"io"
	"strings"
)

// page is a text being written: lines that fit its width, in colour if wanted.
// The first error of the writer is kept and ends the writing.
type page struct {
	w     io.Writer
	width int // 0: lines are not broken
	color bool
	err   error
}

// The looks of a piece of text, as SGR parameters (ECMA-48, 8.3.117). They never
// say anything that the words do not.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

func (p *page) paint(look, s string) string {
	if !p.color || s == "" || look == "" {
		return s
	}
	return "\x1b[" + look + "m" + s + "\x1b[0m"
}

// line writes a line as it is. What it holds was escaped.
func (p *page) line(s string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(noOrder(s), " "))
	}
}

// wrapped writes a text that was escaped, broken between words, with a label
// before it that is looked at first. Every line is indented.
func (p *page) wrapped(indent int, label, look, text string) {
	first := strings.Repeat(" ", indent)
	rest := first + "  "
	lead := label
	if label != "" && text != "" {
		lead += " "
	}
	for i, l := range p.broken(text, indent+columns(lead), len(rest)) {
		if i == 0 {
			p.line(first + strings.Replace(lead, label, p.paint(look, label), 1) + l)
			continue
		}
		p.line(rest + l)
	}
}

// broken are the lines of a text, of which the first begins at one column and
// the others at another. A word that is longer than a line is left whole, so
// that it can be copied.
func (p *page) broken(text string, first, rest int) []string {
	if p.width <= 0 {
		return []string{text}
	}
	var out []string
	var line strings.Builder
	at := first
	for i, word := range strings.Split(text, " ") {
		n := columns(word)
		if i == 0 && at+n > p.width && first > rest {
			out = append(out, "")
			at = rest
		} else if i > 0 && at+1+n > p.width && line.Len() > 0 {
			out = append(out, line.String())
			line.Reset()
			at = rest
		} else if i > 0 {
			line.WriteByte(' ')
			at++
		}
		line.WriteString(word)
		at += n
	}
	return append(out, line.String())
}
