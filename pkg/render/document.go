package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// JSON makes a JSON document safe to show on a terminal: what Escape would
// escape is written as \uXXXX, which means the same. Without such letters the
// document is returned as it is.
func JSON(document []byte) []byte {
	return rewritten(document, func(r rune) string {
		if high, low := utf16.EncodeRune(r); r >= 0x10000 {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// rewritten is a document of lines in which what is not safe to show is written
// otherwise; the document itself if there is nothing.
func rewritten(document []byte, otherwise func(rune) string) []byte {
	var out []byte
	kept := 0
	for i := 0; i < len(document); {
		c := document[i]
		if c == '\n' || ' ' <= c && c <= '~' && c != '#' {
			i++
			continue
		}
		r, n := utf8.DecodeRune(document[i:])
		if !visible(r) || c == '#' && ordersIn(document, i) {
			out = append(append(out, document[kept:i]...), otherwise(r)...)
			kept = i + n
		}
		i += n
	}
	if kept == 0 {
		return document
	}
	return append(out, document[kept:]...)
}

func ordersIn(document []byte, i int) bool {
	from := max(0, i-1)
	return orders(string(document[from:min(len(document), i+len("#vso["))]), i-from)
}

// YAML lays a JSON document out as YAML, with its keys in their order. It is
// safe to show: a text with what Escape would escape stands in double quotes,
// with escapes.
func YAML(document []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	root, err := yamlNode(dec)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return yamlEscapes(b.Bytes()), nil
}

// yamlNode is the next value of a JSON document.
func yamlNode(dec *json.Decoder) (*yaml.Node, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if t == '[' {
			n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		}
		for dec.More() {
			m, err := yamlNode(dec)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, m)
		}
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
		_, err := dec.Token() // the end of it
		return n, err
	case string:
		return yamlText(t), nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: t.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(t)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// yamlText leaves the style to the encoder where nothing is to be escaped; of
// lines, which are shown as such, the newlines are not, unless one of them would be
// a command to a CI system. A text that begins with an empty line the encoder
// would not lay out as it is.
func yamlText(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.HasPrefix(s, "\n") || needsEscape(strings.ReplaceAll(s, "\n", "")) || slices.ContainsFunc(strings.Split(s, "\n"), isOrder) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func isOrder(line string) bool { return noOrder(line) != line }

// yamlEscapes writes the letters that the encoder leaves in a double-quoted
// text. Elsewhere there are none.
func yamlEscapes(document []byte) []byte { return rewritten(document, yamlEscape) }

func yamlEscape(r rune) string {
	if r < 0x10000 {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
