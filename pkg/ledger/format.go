package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// FormatFile is a ledger in its canonical layout: two spaces a level, one blank
// line between roles and between the parts of the file. Order, comments, quotes
// and every text stay as they are, so that a review sees layout only. What
// FormatFile gives it gives again unchanged.
//
// A file that cannot be laid out without a change of what it says, or the loss
// of a comment, is an error and is to be left as it is.
func FormatFile(path string, data []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be laid out: %s; %s", strict.Quote(fmt.Sprint(r)), byHand)
		}
		if err != nil {
			out, err = nil, fmt.Errorf("%s: %w", path, err)
		}
	}()
	if len(data) > strict.MaxBytes {
		return nil, fmt.Errorf("%d bytes are too many to be laid out", len(data))
	}
	data = bytes.TrimPrefix(data, byteOrderMark) // a comment behind it is one, too
	in := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	const rounds = 4 // a comment can move by a line in the first
	for range rounds {
		if out, err = layOut(in); err != nil {
			return nil, err
		}
		if bytes.Equal(in, out) {
			return out, unchanged(data, out)
		}
		in = out
	}
	return nil, errors.New("the layout does not settle; " + byHand)
}

const byHand = "lay it out by hand, with each comment on a line of its own above what it explains"

// layOut makes one pass.
func layOut(data []byte) ([]byte, error) {
	doc, err := soleDocument(data)
	if err != nil {
		return nil, err
	}
	openCommented(doc)
	plainMerges(doc)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(doc), enc.Close()); err != nil {
		return nil, fmt.Errorf("cannot be laid out: %w; %s", err, byHand)
	}
	return spaced(b.Bytes())
}

// soleDocument is the one document of a file, a mapping.
func soleDocument(data []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not YAML: %s; see: rolecall ledger check", strings.Trim(strict.Quote(strings.TrimPrefix(err.Error(), "yaml: ")), `"`))
	}
	if err := dec.Decode(new(yaml.Node)); err != io.EOF {
		return nil, errors.New("more than one document; see: rolecall ledger check")
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("not a mapping; see: rolecall ledger check")
	}
	return &doc, nil
}

// openCommented turns {…} and […] with comments inside into lines, since only
// there a comment has a place. It says whether the node holds a comment.
func openCommented(n *yaml.Node) bool {
	inside := false
	for _, m := range n.Content {
		inside = openCommented(m) || inside
	}
	if inside {
		n.Style &^= yaml.FlowStyle
	}
	return inside || n.HeadComment != "" || n.LineComment != "" || n.FootComment != ""
}

// plainMerges keeps << as it is written; the encoder would add its tag.
func plainMerges(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!merge" {
		n.Tag = ""
	}
	for _, m := range n.Content {
		plainMerges(m)
	}
}

// spaced puts a blank line before each part of the file and each role but the
// first.
func spaced(data []byte) ([]byte, error) {
	doc, err := soleDocument(data)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(data), "\n")
	before := map[int]bool{} // counted from 0
	top := doc.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		if v := top[i+1]; i > 0 && (v.Kind != yaml.ScalarNode || top[i-1].Kind != yaml.ScalarNode) {
			before[firstLine(lines, top[i].Line-1)] = true
		}
		if top[i].Value != "roles" || top[i+1].Style&yaml.FlowStyle != 0 {
			continue
		}
		for j := 2; j+1 < len(top[i+1].Content); j += 2 {
			before[firstLine(lines, top[i+1].Content[j].Line-1)] = true
		}
	}
	var b strings.Builder
	for i, line := range lines {
		if before[i] && i > 0 && lines[i-1] != "" {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		if i+1 < len(lines) {
			b.WriteByte('\n')
		}
	}
	return []byte(b.String()), nil
}

// firstLine is where the comment right above a line, as deep as it, begins.
func firstLine(lines []string, at int) int {
	margin := len(lines[at]) - len(strings.TrimLeft(lines[at], " "))
	comment := strings.Repeat(" ", margin) + "#"
	for at > 0 && strings.HasPrefix(lines[at-1], comment) {
		at--
	}
	return at
}

// unchanged holds the laid out file to what it was made from.
func unchanged(before, after []byte) error {
	a, err := soleDocument(before)
	if err != nil {
		return err
	}
	b, err := soleDocument(after)
	if err != nil {
		return err
	}
	if at := differs(a, b); at != nil {
		return fmt.Errorf("laid out, the ledger would say something else in line %d; %s", at.Line, byHand)
	}
	if lost := lostComment(string(before), string(after), hashesIn(a, nil)); lost != "" {
		return fmt.Errorf("laid out, the ledger would lose the comment %s; %s", strict.Quote(lost), byHand)
	}
	return nil
}

// differs is the first node that is not the same in both trees.
func differs(a, b *yaml.Node) *yaml.Node {
	if a.Kind != b.Kind || a.Value != b.Value || meaningOf(a) != meaningOf(b) || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return a
	}
	for i := range a.Content {
		if at := differs(a.Content[i], b.Content[i]); at != nil {
			return at
		}
	}
	return nil
}

// meaningOf is a node's tag. A time is a text, which the encoder quotes in {…}.
func meaningOf(n *yaml.Node) string {
	if tag := n.ShortTag(); tag != "!!timestamp" {
		return tag
	}
	return "!!str"
}

var commentLike = lazy.Expression(`(?m)(?:^|[ \t])#(.*)$`)

// lostComment is the first text behind a # that stands less often in the
// second text than in the first. It tells comments from texts only where it
// must, by the texts that hold a #; brackets behind a comment may go where a
// line was broken.
func lostComment(before, after string, inTexts []string) string {
	count := map[string]int{}
	for _, m := range commentLike().FindAllStringSubmatch(after, -1) {
		count[tail(m[1])]++
	}
	inText := func(text string) bool {
		return slices.ContainsFunc(inTexts, func(s string) bool { return strings.HasPrefix(text, s) })
	}
	for _, m := range commentLike().FindAllStringSubmatch(before, -1) {
		text := tail(m[1])
		if count[text]--; count[text] < 0 && strings.Count(after, text) < strings.Count(before, text) && !inText(text) {
			return text
		}
	}
	return ""
}

// hashesIn are the parts of the texts below a node that look like comments.
func hashesIn(n *yaml.Node, out []string) []string {
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "#") {
		for _, m := range commentLike().FindAllStringSubmatch(n.Value, -1) {
			if text := tail(m[1]); text != "" {
				out = append(out, text)
			}
		}
	}
	for _, m := range n.Content {
		out = hashesIn(m, out)
	}
	return out
}

func tail(s string) string { return strings.TrimRight(strings.TrimSpace(s), "]}, \t\r") }
