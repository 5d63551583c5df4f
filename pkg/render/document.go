package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
	text := string(document)
	if !needsEscape(text) {
		return document
	}
	var b bytes.Buffer
	for i := 0; i < len(document); {
		r, n := utf8.DecodeRune(document[i:])
		switch {
		case r == '\n' || visible(r) && !orders(text, i):
			b.Write(document[i : i+n])
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.Bytes()
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
func yamlEscapes(document []byte) []byte {
	text := string(document)
	var b bytes.Buffer
	for i := 0; i < len(document); {
		r, n := utf8.DecodeRune(document[i:])
		if r == '\n' || visible(r) && !orders(text, i) {
			b.Write(document[i : i+n])
		} else {
			io.WriteString(&b, yamlEscape(r))
		}
		i += n
	}
	return b.Bytes()
}

func yamlEscape(r rune) string {
	if r < 0x10000 {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
