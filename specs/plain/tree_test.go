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
