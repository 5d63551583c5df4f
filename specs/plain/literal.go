package plain

import "strings"

// header is what stands behind the | or > of a block scalar.
type header struct {
	chomp  byte // '+', '-', or 0
	indent int  // 0 if the text shows it
}

func (r *reader) header() (h header, ok bool) {
	i := r.at + 1
	for ; i < r.end; i++ {
		switch c := r.text[i]; {
		case (c == '+' || c == '-') && h.chomp == 0:
			h.chomp = c
		case c >= '1' && c <= '9' && h.indent == 0:
			h.indent = int(c - '0')
		default:
			return h, r.closes(i)
		}
	}
	return h, true
}

// block reads a block scalar, whose lines are indented more than the parent.
func (r *reader) block(parent int) {
	h, ok := r.header()
	if !ok {
		r.refuse()
		return
	}
	folded := r.text[r.at] == '>'
	style := Literal
	if folded {
		style = Folded
	}
	me := r.add(Scalar, style, r.at, "")
	indent := max(parent, 0) + h.indent
	if h.indent == 0 {
		indent = r.indentOf(parent)
	}
	from := min(r.end+1, len(r.text))
	l := r.linesOf(from, indent)
	if r.refused || l.content == 0 {
		r.refuse() // what an empty one is depends on what follows
		return
	}
	r.doc[me].Text = r.unfolded(r.text[from:l.end], indent, h.chomp, folded)
	r.line, r.end = r.line+l.lines, l.end-1
	r.next()
}

// indentOf is the indentation of the first line with content, 0 if a line
// without has more spaces, which makes that line's the indentation.
func (r *reader) indentOf(parent int) int {
	most := 0
	for p := r.end + 1; p < len(r.text); {
		e := lineEnd(r.text, p)
		n := indented(r.text[p:e], e-p)
		if p+n < e {
			if n < most || n <= parent || n == 0 || r.text[p+n] == '\t' {
				return 0
			}
			return n
		}
		most, p = max(most, n), e+1
	}
	return 0
}

// indented counts the spaces before a line's content, up to a number of them.
func indented(line string, most int) int {
	n := 0
	for n < len(line) && n < most && line[n] == ' ' {
		n++
	}
	return n
}

type lines struct {
	end     int // where the next line begins
	lines   int32
	content int // lines that are not blank
}

// linesOf finds the lines of a block scalar.
func (r *reader) linesOf(from, indent int) (l lines) {
	l.end = from
	for indent > 0 && l.end < len(r.text) {
		e := lineEnd(r.text, l.end)
		n := indented(r.text[l.end:e], indent)
		switch {
		case l.end+n == e:
		case n == indent:
			l.content++
		case r.text[l.end+n] == '\t':
			r.refuse()
			return l
		default:
			return l
		}
		l.end = min(e+1, len(r.text))
		l.lines++
	}
	return l
}

// unfolded is the text of a block scalar, by the rules of yaml.v3's scanner: a
// line break is held back until it is known what follows it.
func (r *reader) unfolded(s string, indent int, chomp byte, folded bool) string {
	from := r.room(len(s))
	broken, blank, held := false, false, 0
	for len(s) > 0 {
		line, rest, more := strings.Cut(s, "\n")
		s = rest
		line = line[indented(line, indent):]
		if line == "" {
			if more {
				held++
			}
			continue
		}
		was := blank
		blank = line[0] == ' ' || line[0] == '\t'
		switch fold := folded && broken && !was && !blank; {
		case fold && held == 0:
			r.out.WriteByte(' ')
		case broken && !fold:
			r.out.WriteByte('\n')
		}
		r.breaks(held)
		r.out.WriteString(line)
		broken, held = more, 0
	}
	if broken && chomp != '-' {
		r.out.WriteByte('\n')
	}
	if chomp == '+' {
		r.breaks(held)
	}
	return r.out.String()[from:]
}

func (r *reader) breaks(n int) {
	for range n {
		r.out.WriteByte('\n')
	}
}
