package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs/arrange"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// sheet is a ledger's text with the places of its nodes. It is changed by
// splicing text in: what is not spliced stays byte for byte as a person wrote it.
type sheet struct {
	bom   []byte
	text  []byte // behind the byte order mark
	lines []int  // where each line begins, and at last the end
	eol   string
	root  *yaml.Node
}

// splice puts text in the place of what stands between two offsets.
type splice struct {
	from, to int
	text     string
}

// attempt is one way to make an edit: the text, and what it is to do to the tree.
type attempt struct {
	splices []splice
	tree    func(root *yaml.Node)
}

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	// breaks are YAML's, as the parser counts them.
	breaks = lazy.Expression("\r\n|[\r\n\u0085\u2028\u2029]")
	// properties stand before a node's own text, and count as its beginning.
	properties = lazy.Expression(`^(?:[&!][^\s]*[ \t]+)+`)
)

// errPlace says that an edit knows no place for its text.
var errPlace = errors.New("the file is laid out so that no place for it was found; write it by hand")

// sound makes of a panic of the YAML library an error, with which nothing is
// written.
func sound(out *[]byte, err *error) {
	if r := recover(); r != nil {
		*out, *err = nil, fmt.Errorf("not YAML that can be edited: %s; edit it by hand", strict.Quote(fmt.Sprint(r)))
	}
}

func newSheet(data []byte) (*sheet, error) {
	s := &sheet{text: data, eol: "\n"}
	if bytes.HasPrefix(data, byteOrderMark) {
		s.bom, s.text = data[:len(byteOrderMark)], data[len(byteOrderMark):]
	}
	if !utf8.Valid(s.text) {
		return nil, errors.New("the file is not UTF-8; convert it, or edit it by hand")
	}
	doc, err := soleDocument(s.text)
	if err != nil {
		return nil, err
	}
	s.root = doc.Content[0]
	s.lines = []int{0}
	found := breaks().FindAllIndex(s.text, -1)
	if len(found) > 0 {
		s.eol = string(s.text[found[0][0]:found[0][1]])
	}
	for _, b := range found {
		s.lines = append(s.lines, b[1])
	}
	if s.lines[len(s.lines)-1] != len(s.text) {
		s.lines = append(s.lines, len(s.text))
	}
	return s, nil
}

// count is how many lines there are.
func (s *sheet) count() int { return len(s.lines) - 1 }

// line is a line, counted from 0, without its break.
func (s *sheet) line(i int) string {
	return strings.TrimRight(string(s.text[s.lines[i]:s.lines[i+1]]), "\r\n\u0085\u2028\u2029")
}

// at is where a node begins; a node of a place that is not in the file is at its
// end.
func (s *sheet) at(n *yaml.Node) int {
	if n.Line < 1 || n.Line > s.count() {
		return len(s.text)
	}
	from := s.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(s.text[from:])
		from += size
	}
	return from
}

// body is where a node's own text begins, behind an anchor and a tag.
func (s *sheet) body(n *yaml.Node) int {
	at := s.at(n)
	return at + len(properties().Find(s.text[at:]))
}

// end is the line, counted from 0, before which the document ends.
func (s *sheet) end() int {
	for i := range s.count() {
		if l := s.line(i); i >= s.root.Line && (l == "..." || strings.HasPrefix(l, "... ")) {
			return i
		}
	}
	return s.count()
}

// find is a mapping's entry under a key.
func find(m *yaml.Node, key string) (k, v *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key && m.Content[i].Kind == yaml.ScalarNode {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

// bound is the line, counted from 0, before which the value of a key of the root
// ends at the latest: that of the next key.
func (s *sheet) bound(key *yaml.Node) int {
	for i := 0; i+2 < len(s.root.Content); i += 2 {
		if s.root.Content[i] == key {
			return s.root.Content[i+2].Line - 1
		}
	}
	return s.end()
}

// lastLine is the last line of what begins in a line, is indented by a number of
// columns and ends before a bound. A comment deeper than that still belongs to
// it; other comments and blank lines behind it do not.
func (s *sheet) lastLine(from, bound, indent int) int {
	for i := bound - 1; i > from; i-- {
		if depth, text := s.depth(i); text != "" && (text[0] != '#' || depth > indent) {
			return i
		}
	}
	return from
}

// lastOwn is lastLine, or the last of the comments right below it that are as
// deep as what they stand under and that a blank line parts from what follows.
func (s *sheet) lastOwn(from, bound, indent int) int {
	last := s.lastLine(from, bound, indent)
	end := last + 1
	for end < bound && indent > 0 {
		if depth, text := s.depth(end); depth != indent || text == "" || text[0] != '#' {
			break
		}
		end++
	}
	if end < bound && strings.TrimSpace(s.line(end)) == "" || end == s.count() {
		return end - 1
	}
	return last
}

// depth is how far a line is indented, and its text.
func (s *sheet) depth(i int) (int, string) {
	line := s.line(i)
	text := strings.TrimLeft(line, " \t")
	return len(line) - len(text), text
}

// after puts whole lines behind a line. A file whose last line has no break keeps
// it so.
func (s *sheet) after(line int, lines []string, indent int) splice {
	text := s.indented(lines, indent)
	at := s.lines[line+1]
	if breaks().Match(s.text[s.lines[line]:at]) {
		text += s.eol
	} else {
		text = s.eol + text
	}
	return splice{at, at, text}
}

// before puts lines where a node of a block begins, and the node below them.
func (s *sheet) before(at, column int, lines []string) splice {
	text := s.indented(lines, column-1)
	return splice{at, at, strings.TrimLeft(text, " ") + s.eol + strings.Repeat(" ", column-1)}
}

// indented joins lines; an empty one stays empty.
func (s *sheet) indented(lines []string, indent int) string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if out[i] = l; l != "" {
			out[i] = strings.Repeat(" ", indent) + l
		}
	}
	return strings.Join(out, s.eol)
}

// blankBefore says that a blank line stands above a node and its comments.
func (s *sheet) blankBefore(n *yaml.Node) bool {
	i := n.Line - 2
	for i >= 0 && strings.HasPrefix(strings.TrimLeft(s.line(i), " \t"), "#") {
		i--
	}
	return i >= 0 && strings.TrimSpace(s.line(i)) == ""
}

// make takes the first attempt after which the file says what it said before and
// what the edit adds, and nothing else.
func (s *sheet) make(attempts []attempt) ([]byte, error) {
	for _, a := range attempts {
		out := s.apply(a.splices)
		want, err := soleDocument(s.text)
		if err != nil {
			return nil, err
		}
		a.tree(want.Content[0])
		if have, err := soleDocument(out); err == nil && differs(want, have) == nil {
			return slices.Concat(s.bom, out), nil
		}
	}
	return nil, errPlace
}

func (s *sheet) apply(splices []splice) []byte {
	arrange.By(splices, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, p := range splices {
		if p.from < at {
			continue // it lies in another, which a tree that is not as wanted shows
		}
		out = append(append(out, s.text[at:p.from]...), p.text...)
		at = p.to
	}
	return append(out, s.text[at:]...)
}

// entry is a key and its value, or a member of a list, to be put in.
type entry struct {
	lines []string // as lines of a block, not indented; a member begins with "- "
	flow  string   // as it stands in {…} or […]
	nodes []*yaml.Node
}

// addTo are the ways to put an entry in the list or mapping that is the value of
// a key of the root. Behind is the entry after which it is to stand, counted from
// 0; the last one if there is no such.
func (s *sheet) addTo(key string, e entry, behind int, spaced bool) []attempt {
	k, v := find(s.root, key)
	step := len(e.nodes)
	switch {
	case k == nil:
		return s.addKey(key, e)
	case v.Kind == yaml.AliasNode:
		return nil
	case v.Style&yaml.FlowStyle != 0 || len(v.Content) == 0:
		return s.addToFlow(k, v, e, key)
	}
	n := len(v.Content) / step
	if behind < 0 || behind >= n {
		behind = n - 1
	}
	column, ok := s.column(v, step)
	if !ok {
		return nil
	}
	bound := s.bound(k)
	if behind+1 < n {
		bound = s.firstLineOf(v.Content[(behind+1)*step])
	}
	from := v.Content[behind*step].Line - 1
	last := s.lastOwn(from, bound, column-1)
	lines := e.lines
	if spaced && n == 1 || n > 1 && s.blankBefore(v.Content[(n-1)*step]) {
		lines = append([]string{""}, lines...)
	}
	put := func(at int) func(*yaml.Node) {
		return func(root *yaml.Node) {
			_, v := find(root, key)
			v.Content = slices.Insert(v.Content, at*step, e.nodes...)
		}
	}
	return []attempt{
		{[]splice{s.after(last, lines, column-1)}, put(behind + 1)},
		{[]splice{s.after(max(from, bound-1), e.lines, column-1)}, put(behind + 1)},
		{[]splice{s.before(s.start(v, column), column, e.lines)}, put(0)},
	}
}

// column is that of the keys of a block mapping, or of the dashes of a list.
func (s *sheet) column(v *yaml.Node, step int) (int, bool) {
	if step == 2 {
		return v.Content[0].Column, true
	}
	if s.text[s.at(v)] == '-' {
		return v.Column, true
	}
	line := s.line(v.Content[0].Line - 1)
	text := strings.TrimLeft(line, " ")
	return len(line) - len(text) + 1, strings.HasPrefix(text, "- ")
}

// start is where the first entry of a block begins.
func (s *sheet) start(v *yaml.Node, column int) int {
	at := s.lines[v.Content[0].Line-1] + column - 1
	return min(at, len(s.text))
}

// firstLineOf is the line, counted from 0, of a member; that of its dash may
// stand above.
func (s *sheet) firstLineOf(n *yaml.Node) int {
	i := n.Line - 1
	for j := i - 1; j >= 0 && n.Column > 1; j-- {
		text := strings.TrimSpace(s.line(j))
		switch {
		case text == "-":
			return j
		case text == "" || text[0] == '#':
			continue
		}
		break
	}
	return i
}

var emptyFlow = lazy.Expression(`^(?:\[[ \t]*\]|\{[ \t]*\})`)

// addToFlow puts an entry first in {…} or […]. Where nothing stands in it yet and
// the file is written in lines, it becomes lines.
func (s *sheet) addToFlow(k, v *yaml.Node, e entry, key string) []attempt {
	at := s.body(v)
	if at >= len(s.text) || s.text[at] != '[' && s.text[at] != '{' {
		return nil
	}
	only := func(root *yaml.Node) {
		_, v := find(root, key)
		v.Content = append(slices.Clone(e.nodes), v.Content...)
	}
	text := e.flow
	if len(v.Content) > 0 {
		text += ", "
	}
	inside := attempt{[]splice{{at + 1, at + 1, text}}, only}
	empty := emptyFlow().Find(s.text[at:])
	if empty == nil || s.root.Style&yaml.FlowStyle != 0 || k.Line != v.Line || at != s.at(v) {
		return []attempt{inside}
	}
	from := at
	for from > 0 && (s.text[from-1] == ' ' || s.text[from-1] == '\t') {
		from--
	}
	block := attempt{[]splice{{from, at + len(empty), ""}, s.after(k.Line-1, e.lines, k.Column+1)}, only}
	return []attempt{block, inside}
}

// addKey puts a key that is not there yet at the end of the file, after a blank
// line, with the entry as its only one.
func (s *sheet) addKey(key string, e entry) []attempt {
	value := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: e.nodes}
	open, shut := "[", "]"
	if len(e.nodes) == 2 {
		value.Kind, value.Tag, open, shut = yaml.MappingNode, "!!map", "{", "}"
	}
	put := func(first bool) func(*yaml.Node) {
		return func(root *yaml.Node) {
			at := len(root.Content)
			if first {
				at = 0
			}
			root.Content = slices.Insert(root.Content, at, text(key), value)
		}
	}
	if s.root.Style&yaml.FlowStyle != 0 {
		at := s.body(s.root) + 1
		return []attempt{{[]splice{{at, at, quoted(key) + ": " + open + e.flow + shut + ", "}}, put(true)}}
	}
	column := s.root.Content[0].Column
	lines := []string{key + ":"}
	for _, l := range e.lines {
		if l != "" {
			l = "  " + l
		}
		lines = append(lines, l)
	}
	last := s.end() - 1
	spaced := lines
	if strings.TrimSpace(s.line(last)) != "" {
		spaced = append([]string{""}, lines...)
	}
	first := s.root.Content[0]
	return []attempt{
		{[]splice{s.after(last, spaced, column-1)}, put(false)},
		{[]splice{s.after(s.lastLine(0, last+1, column-1), lines, column-1)}, put(false)},
		{[]splice{s.before(s.at(first), column, lines)}, put(true)},
	}
}

// replace are the ways to give a scalar another text.
func (s *sheet) replace(n *yaml.Node, inFlow bool, bound, indent int, value string, tree func(*yaml.Node)) []attempt {
	if n.Kind != yaml.ScalarNode || n.Anchor != "" {
		return nil
	}
	from := s.at(n)
	to := s.scalarEnd(n, s.body(n), bound, indent)
	shown := plain(value)
	if inFlow {
		shown = quoted(value)
	}
	return []attempt{{[]splice{{from, to, shown}}, tree}}
}

// scalarEnd is where a scalar that begins at an offset ends. One of several lines
// that is not quoted ends with its last line before the bound.
func (s *sheet) scalarEnd(n *yaml.Node, at, bound, indent int) int {
	rest := s.text[at:]
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return at + len(doubleQuoted().Find(rest))
	case n.Style&yaml.SingleQuotedStyle != 0:
		return at + len(singleQuoted().Find(rest))
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && bytes.HasPrefix(rest, []byte(n.Value)):
		return at + len(n.Value)
	}
	last := s.lastLine(n.Line-1, bound, indent)
	return s.lines[last] + len(s.line(last))
}

var (
	doubleQuoted = lazy.Expression(`^"(?:[^"\\]|\\(?s:.))*"`)
	singleQuoted = lazy.Expression(`^'(?:[^']|'')*'`)
)

// text is a scalar of text.
func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// plain is a text on one line of a block, in quotes where it has to be. A date is
// read as a text by whatever reads a ledger, and needs none.
func plain(s string) string {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if _, err := ParseUntil(s); err == nil {
		n.Tag = ""
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' && !unicode.IsPrint(r) }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return scalarText(n)
}

// quoted is a text in double quotes, as it can stand everywhere, also in JSON.
func quoted(s string) string {
	return scalarText(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle})
}

func scalarText(n *yaml.Node) string {
	out, err := yaml.Marshal(n)
	if err != nil {
		return "" // no text that writable lets pass
	}
	return strings.TrimSuffix(string(out), "\n")
}

// writable says that a text can be written into a ledger and read back.
func writable(what, s string) error {
	var back yaml.Node
	if !utf8.ValidString(s) || yaml.Unmarshal([]byte(quoted(s)), &back) != nil || len(back.Content) != 1 || back.Content[0].Value != s {
		return fmt.Errorf("%s is %s, which a ledger cannot hold; write it as plain text", what, strict.Quote(s))
	}
	return nil
}
