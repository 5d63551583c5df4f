package kubernetes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	yaml3 "gopkg.in/yaml.v3"
	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// source is the text of a document. It is read into nodes once, and only where
// a place in it is to be said.
type source struct {
	data   []byte
	base   int  // line of the first byte
	twice  bool // a key may stand twice in a mapping
	parsed bool
	node   *yaml3.Node
}

// root is the document as nodes, nil if it cannot be read so.
func (s *source) root() *yaml3.Node {
	if !s.parsed {
		s.parsed = true
		s.node = parseNodes(s.data)
	}
	return s.node
}

func parseNodes(data []byte) (root *yaml3.Node) {
	defer func() {
		if recover() != nil {
			root = nil
		}
	}()
	var n yaml3.Node
	if yaml3.Unmarshal(data, &n) != nil || len(n.Content) == 0 {
		return nil
	}
	return n.Content[0]
}

// place is where an object stands in a document.
type place struct {
	in   *source
	path string // items[3]; empty for the document itself
	line int    // in the file
}

// item is the place of a member of a list.
func (p place) item(i int, lines []int) place {
	q := place{in: p.in, path: join(p.path, fmt.Sprintf("items[%d]", i)), line: p.line}
	if i < len(lines) {
		q.line = lines[i]
	}
	return q
}

func join(path, field string) string {
	if path == "" || field == "" {
		return path + field
	}
	return path + "." + field
}

// lineOf is the line of a field of the object, or that of the object.
func (p place) lineOf(field string) int {
	if n := find(p.in.root(), join(p.path, field)); n != nil {
		return p.in.base + n.Line - 1
	}
	return p.line
}

// find follows a path like a.b[2].c. A path without the places in lists, as in
// a.b.c, stands for the first that fits.
func find(n *yaml3.Node, path string) *yaml3.Node {
	found := findAll(n, path)
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

var step = lazy.Expression(`^\.?([^.\[]+)|^\[(\d+)\]`)

func findAll(n *yaml3.Node, path string) []*yaml3.Node {
	if n == nil || path == "" {
		return []*yaml3.Node{n}
	}
	for n.Kind == yaml3.AliasNode {
		n = n.Alias
	}
	m := step().FindStringSubmatch(path)
	switch {
	case m == nil:
		return nil
	case n.Kind == yaml3.SequenceNode && m[2] != "":
		if i, err := strconv.Atoi(m[2]); err == nil && i < len(n.Content) {
			return findAll(n.Content[i], path[len(m[0]):])
		}
	case n.Kind == yaml3.SequenceNode:
		var out []*yaml3.Node
		for _, c := range n.Content {
			out = append(out, findAll(c, path)...)
		}
		return out
	case n.Kind == yaml3.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == m[1] {
				if rest := path[len(m[0]):]; rest != "" {
					return findAll(n.Content[i+1], rest)
				}
				return []*yaml3.Node{placed(n.Content[i], n.Content[i+1])}
			}
		}
	}
	return nil
}

// placed is a value at the line of its key, where people look for it.
func placed(key, value *yaml3.Node) *yaml3.Node {
	n := *value
	n.Line = key.Line
	return &n
}

// itemLines are the lines of the n members of the document's list.
func (p place) itemLines(n int) []int {
	if p.path == "" {
		for _, lines := range [][]int{blockItems(p.in.data), flowItems(p.in.data)} {
			if len(lines) == n {
				return from(p.in.base, lines)
			}
		}
	}
	items := find(p.in.root(), join(p.path, "items"))
	if items == nil || items.Kind != yaml3.SequenceNode {
		return nil
	}
	lines := make([]int, 0, n)
	for _, c := range items.Content {
		lines = append(lines, p.in.base+c.Line-1)
	}
	return lines
}

// blockItems finds the members of a list in block style by their indentation,
// which nothing else below items: can have, and saves parsing a large dump a
// second time.
func blockItems(data []byte) []int {
	var lines []int
	indent, inside, line := -1, false, 0
	for rest := data; len(rest) > 0; {
		text, tail, _ := bytes.Cut(rest, []byte("\n"))
		rest, line = tail, line+1
		body := bytes.TrimLeft(text, " ")
		dash := bytes.HasPrefix(body, []byte("- ")) || bytes.Equal(body, []byte("-"))
		switch at := len(text) - len(body); {
		case bytes.HasPrefix(text, []byte("items:")):
			inside = true
		case !inside || len(body) == 0 || body[0] == '#':
		case dash && indent < 0:
			indent = at
			lines = append(lines, line)
		case dash && at == indent:
			lines = append(lines, line)
		case at == 0:
			inside = false
		}
	}
	return lines
}

// flowItems finds the members of items in a JSON object, for the same reason.
func flowItems(data []byte) []int {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var skipped json.RawMessage
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		if key == "items" {
			return membersFrom(dec, data)
		}
		if dec.Decode(&skipped) != nil {
			return nil
		}
	}
	return nil
}

func membersFrom(dec *json.Decoder, data []byte) []int {
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil
	}
	var lines []int
	var member json.RawMessage
	for line, at := 1, 0; dec.More(); {
		if dec.Decode(&member) != nil {
			return nil
		}
		begin := int(dec.InputOffset()) - len(member)
		line, at = line+bytes.Count(data[at:begin], []byte("\n")), begin
		lines = append(lines, line)
	}
	return lines
}

// from counts lines of a document from its first line in the file.
func from(base int, lines []int) []int {
	for i := range lines {
		lines[i] += base - 1
	}
	return lines
}

// duplicates are the keys that stand twice in one mapping of the object.
func (p place) duplicates() []saying {
	if !p.in.twice {
		return nil
	}
	return p.duplicatesBelow(find(p.in.root(), p.path), nil)
}

func (p place) duplicatesBelow(n *yaml3.Node, out []saying) []saying {
	if n == nil || n.Kind == yaml3.AliasNode {
		return out
	}
	seen := map[string]bool{}
	for i, c := range n.Content {
		if n.Kind == yaml3.MappingNode && i%2 == 0 {
			if seen[c.Value] && c.Tag != "!!merge" {
				out = append(out, saying{p.in.base + c.Line - 1, c.Value})
			}
			seen[c.Value] = true
		}
		out = p.duplicatesBelow(c, out)
	}
	return out
}

// mismatch finds the field whose value has the wrong type. The JSON error names
// the path without the places in lists, so the value is the first on that path
// that is of the kind that the error names.
func (p place) mismatch(err error) (line int, field string) {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return p.line, ""
	}
	field = embedded.Replace(te.Field)
	for _, n := range findAll(p.in.root(), join(p.path, field)) {
		if n == nil {
			continue
		}
		if kindOf(n) == firstWord(te.Value) {
			return p.in.base + n.Line - 1, field
		}
		if key, value := memberOf(n, firstWord(te.Value)); value != nil {
			return p.in.base + key.Line - 1, field + "[" + key.Value + "]"
		}
	}
	return p.lineOf(field), field
}

// memberOf is the first member of a mapping whose value is of a kind: the JSON
// error does not name the key of a map.
func memberOf(n *yaml3.Node, kind string) (key, value *yaml3.Node) {
	for i := 0; n.Kind == yaml3.MappingNode && i+1 < len(n.Content); i += 2 {
		if kindOf(n.Content[i+1]) == kind {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// embedded are the Go types that the JSON error names and JSON does not have.
var embedded = strings.NewReplacer("VolumeSource.", "", "ProbeHandler.", "", "LocalObjectReference.", "", "EphemeralContainerCommon.", "")

// firstWord is number for "number 7".
func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// kindOf is the kind of a node's value as encoding/json calls it.
func kindOf(n *yaml3.Node) string {
	switch n.Kind {
	case yaml3.MappingNode:
		return "object"
	case yaml3.SequenceNode:
		return "array"
	}
	if n.Style != 0 {
		return "string"
	}
	raw, err := yaml.YAMLToJSON([]byte(n.Value))
	switch {
	case err != nil || len(raw) == 0 || raw[0] == '"':
		return "string"
	case raw[0] == 't' || raw[0] == 'f':
		return "bool"
	case raw[0] == 'n':
		return "null"
	}
	return "number"
}

// typeText says what is wrong with a field's type, and how it is put right.
func typeText(err error, field string) string {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return err.Error() + "; correct it"
	}
	text := fmt.Sprintf("%s is a %s, not a %s", field, te.Value, te.Type.Kind())
	if te.Type.Kind().String() == "string" && (te.Value == "bool" || strings.HasPrefix(te.Value, "number")) {
		return text + "; put it in quotes"
	}
	return text + "; correct it"
}

var errorLine = lazy.Expression(`line (\d+): `)

// syntaxLine is the line in the file of an error that the YAML parser reports.
func syntaxLine(d document, start int, err error) int {
	if m := errorLine().FindStringSubmatch(err.Error()); m != nil {
		if n, e := strconv.Atoi(m[1]); e == nil {
			return d.line + n - 1
		}
	}
	return start
}

func syntaxText(d document, err error) string {
	if isTemplate(d.data) {
		return "not YAML but a template; " + renderFirst
	}
	text := errorLine().ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "")
	return "not YAML: " + strings.TrimSpace(text) + "; correct the file"
}

// mostExpanded is how large a document may become when its aliases are written
// out.
const mostExpanded = 64 << 20

var errBomb = errors.New("its aliases would write out to more than 64 MiB; write it without them")

// refuseBomb refuses a small document that stands for a huge one. The YAML
// parser bounds the number of nodes that come of aliases, not their size.
func refuseBomb(data []byte) error {
	if bytes.IndexByte(data, '&') < 0 || bytes.IndexByte(data, '*') < 0 {
		return nil
	}
	var n yaml3.Node
	if err := yaml3.Unmarshal(data, &n); err != nil {
		return err
	}
	if expanded(&n, map[*yaml3.Node]int{}) > mostExpanded {
		return errBomb
	}
	return nil
}

// expanded is the size of a node with its aliases written out. An alias within
// its own anchor counts as too large.
func expanded(n *yaml3.Node, known map[*yaml3.Node]int) int {
	if size, ok := known[n]; ok {
		return size
	}
	known[n] = mostExpanded + 1
	size := 8 + len(n.Value)
	if n.Alias != nil {
		size += expanded(n.Alias, known)
	}
	for _, c := range n.Content {
		size = min(size+expanded(c, known), mostExpanded+1)
	}
	known[n] = size
	return size
}
