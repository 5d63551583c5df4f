package plain

import (
	"strings"
	"unicode/utf8"
)

const (
	maxDepth = 100
	maxKey   = 1000 // yaml.v3 looks for the colon of a key in 1024 characters
)

// Read gives the only document of a text. Its texts are parts of the text where
// that is possible. The nodes are put into reuse, which is made larger if need
// be and is spent also where the text is refused.
func Read(text string, reuse Doc) (doc Doc, ok bool) {
	ascii, ok := readable(text)
	if !ok {
		return reuse[:0], false
	}
	r := reader{text: text, ascii: ascii, doc: reuse[:0], end: -1}
	r.next()
	if r.col < 0 {
		return r.doc, false // a text without content
	}
	if r.doc == nil {
		r.doc = make(Doc, 0, about(text))
	}
	r.element(-1)
	return r.doc, !r.refused && r.col < 0
}

// about is how many nodes a text will have: a key and its value at a colon, and
// a value at a dash.
func about(text string) int {
	return min(16+2*strings.Count(text, ":")+strings.Count(text, "- "), len(text)/2+1)
}

// reader stands at the content of one line. Block structure is told by columns,
// which are bytes here, since nothing but spaces and dashes stands before.
type reader struct {
	text    string
	ascii   bool
	doc     Doc
	line    int32
	begin   int // of the line
	at      int // where reading stands in the line
	end     int // of the line, without its line break
	col     int // of the content that was not yet read, -1 at the end of the text
	depth   int
	began   bool // content or --- was met
	refused bool
	out     strings.Builder
}

// refuse ends reading: nothing is left.
func (r *reader) refuse() {
	r.refused, r.col = true, -1
	r.begin, r.at, r.end = len(r.text), len(r.text), len(r.text)
}

// next goes to the next line with content.
func (r *reader) next() {
	for {
		r.begin = r.end + 1
		if r.begin >= len(r.text) {
			r.begin, r.at, r.end, r.col = len(r.text), len(r.text), len(r.text), -1
			return
		}
		r.line++
		r.end = lineEnd(r.text, r.begin)
		r.at = r.spaces(r.begin)
		if r.at == r.end || r.text[r.at] == '#' {
			continue
		}
		if r.at == r.begin && r.marker() {
			continue
		}
		r.began, r.col = true, r.at-r.begin
		return
	}
}

// marker passes over a document's start before any content, and refuses all
// else that looks like one.
func (r *reader) marker() bool {
	switch line := r.text[r.begin:r.end]; {
	case !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "..."):
		return false
	case r.began || line[0] == '.' || !r.closes(r.begin+3):
		r.refuse()
	}
	r.began = true
	return true
}

func lineEnd(text string, from int) int {
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		return from + i
	}
	return len(text)
}

// spaces passes over spaces in the line.
func (r *reader) spaces(from int) int {
	for from < r.end && r.text[from] == ' ' {
		from++
	}
	return from
}

// closes says that nothing but a comment follows in the line.
func (r *reader) closes(from int) bool {
	i := r.spaces(from)
	return i == r.end || i > from && r.text[i] == '#'
}

// close ends a line after a value.
func (r *reader) close(from int) {
	if !r.closes(from) {
		r.refuse()
	}
	r.next()
}

// column is that of a place in the line, in characters from 1.
func (r *reader) column(at int) int32 {
	if r.ascii {
		return int32(at - r.begin + 1)
	}
	return int32(utf8.RuneCountInString(r.text[r.begin:at]) + 1)
}

func (r *reader) add(kind Kind, style Style, at int, text string) int {
	r.put(Node{Text: text, Line: r.line, Column: r.column(at), Kind: kind, Style: style})
	return len(r.doc) - 1
}

func (r *reader) put(n Node) {
	n.End = int32(len(r.doc) + 1)
	r.doc = append(r.doc, n)
}

// ended closes a collection behind its last node.
func (r *reader) ended(i int) {
	r.doc[i].End = int32(len(r.doc))
	r.depth--
}

func (r *reader) deeper() {
	if r.depth++; r.depth > maxDepth {
		r.refuse()
	}
}

// readable says that a text has no character of which a reader makes more, or
// less, than a character: controls, other line ends, a byte order mark.
func readable(text string) (ascii, ok bool) {
	ascii = true
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			continue
		}
		if c < utf8.RuneSelf {
			return false, false
		}
		ascii = false
		ru, n := utf8.DecodeRuneInString(text[i:])
		if n == 1 || ru < 0xa0 || ru == 0x2028 || ru == 0x2029 || ru == 0xfeff || ru == 0xfffe || ru == 0xffff {
			return false, false
		}
		i += n - 1
	}
	return ascii, true
}
