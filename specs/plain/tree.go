package plain

import "gopkg.in/yaml.v3"

// Tree gives a text as yaml.v3 does, without the document's node and without
// comments.
func Tree(text string) (root *yaml.Node, ok bool) {
	doc, ok := Read(text, nil)
	if !ok {
		return nil, false
	}
	return doc.Tree(), true
}

// Tree is the document as nodes of yaml.v3.
func (d Doc) Tree() *yaml.Node {
	b := builder{d, make([]yaml.Node, len(d)), make([]*yaml.Node, 0, len(d))}
	b.node(0)
	return &b.nodes[0]
}

type builder struct {
	doc   Doc
	nodes []yaml.Node
	links []*yaml.Node
}

var (
	kinds  = [...]yaml.Kind{Scalar: yaml.ScalarNode, Sequence: yaml.SequenceNode, Mapping: yaml.MappingNode}
	styles = [...]yaml.Style{SingleQuoted: yaml.SingleQuotedStyle, DoubleQuoted: yaml.DoubleQuotedStyle, Literal: yaml.LiteralStyle, Folded: yaml.FoldedStyle, Flow: yaml.FlowStyle}
)

func (b *builder) node(i int32) {
	n := &b.doc[i]
	out := &b.nodes[i]
	out.Kind, out.Style, out.Tag, out.Value = kinds[n.Kind], styles[n.Style], n.Tag(), n.Text
	out.Line, out.Column = int(n.Line), int(n.Column)
	from := len(b.links)
	for c := i + 1; c < n.End; c = b.doc[c].End {
		b.links = append(b.links, &b.nodes[c])
	}
	if to := len(b.links); to > from {
		out.Content = b.links[from:to:to]
	}
	for c := i + 1; c < n.End; c = b.doc[c].End {
		b.node(c)
	}
}

// Tag is the short tag that yaml.v3 gives a node.
func (n *Node) Tag() string {
	switch {
	case n.Kind == Mapping:
		return "!!map"
	case n.Kind == Sequence:
		return "!!seq"
	case n.Style != Plain:
		return "!!str"
	case n.IsNull():
		return "!!null"
	}
	return tagOf(n.Text)
}

// IsNull says that a node is a scalar that means no value.
func (n *Node) IsNull() bool {
	if n.Kind != Scalar || n.Style != Plain {
		return false
	}
	switch n.Text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// tagOf leaves what is not a plain word or number to yaml.v3.
func tagOf(s string) string {
	switch c := s[0]; {
	case c >= '1' && c <= '9' && len(s) < 18 && digits(s):
		return "!!int"
	case c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.':
		return (&yaml.Node{Kind: yaml.ScalarNode, Value: s}).ShortTag()
	}
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return "!!bool"
	}
	return "!!str"
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
