package main

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// parseDocuments reads all documents of a text.
func parseDocuments(text string) ([]*yaml.Node, error) {
	var out []*yaml.Node
	for dec := yaml.NewDecoder(strings.NewReader(text)); ; {
		n := &yaml.Node{}
		err := dec.Decode(n)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
}

// writeDocuments writes documents in a layout of its own. Of folded texts, and
// of literal ones that begin with a blank, the library writes some so that
// others are read back, so these are quoted.
func writeDocuments(docs []*yaml.Node) (text string, err error) {
	if len(docs) == 0 {
		return "", nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the library does not write this")
		}
	}()
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	for _, d := range docs {
		unfold(d)
		if err := enc.Encode(d); err != nil {
			return "", err
		}
	}
	return b.String(), enc.Close()
}

// unfold quotes such texts.
func unfold(n *yaml.Node) {
	if n.Style&yaml.FoldedStyle != 0 || n.Style&yaml.LiteralStyle != 0 && strings.TrimLeft(n.Value, " \n\t") != n.Value {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		unfold(child)
	}
}

func resolved(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// at is the value below keys, nil if there is none.
func at(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		_, n = memberOf(n, key)
	}
	return resolved(n)
}

// memberOf is a member of a mapping, its value as it stands.
func memberOf(n *yaml.Node, key string) (k, v *yaml.Node) {
	n = resolved(n)
	if n != nil && n.Kind == yaml.DocumentNode {
		n = n.Content[0]
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func scalarText(n *yaml.Node) string {
	if n = resolved(n); n == nil {
		return ""
	}
	return n.Value
}

// putMember sets a member of a mapping. Aliases of the old value stand for the new one.
func putMember(n *yaml.Node, key string, value *yaml.Node) {
	n = resolved(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			value.Anchor = n.Content[i+1].Anchor
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, textNode(key), value)
}

// dropMember removes a member of a mapping.
func dropMember(n *yaml.Node, key string) {
	n = resolved(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
			return
		}
	}
}

func textNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
}

func plainNode(tag, s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s}
}

func mapNode(members ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i < len(members); i += 2 {
		n.Content = append(n.Content, textNode(members[i].(string)), members[i+1].(*yaml.Node))
	}
	return n
}

// copied is a node without its anchors, with what its aliases stand for.
func copied(n *yaml.Node) *yaml.Node {
	n = resolved(n)
	c := *n
	c.Anchor, c.Content = "", nil
	for _, child := range n.Content {
		c.Content = append(c.Content, copied(child))
	}
	return &c
}

// hasAliases says that a change of one value may be one of several.
func hasAliases(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		return true
	}
	for _, child := range n.Content {
		if hasAliases(child) {
			return true
		}
	}
	return false
}
