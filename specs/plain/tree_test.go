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

func (b *builder) node(i int32) {
	n := &b.doc[i]
	out := &b.nodes[i]
	out.Kind, out.Style, out.Tag, out.Value = n.Kind.YAML(), n.Style.YAML(), n.Tag(), n.Text
	out.Line, out.Column = int(n.Line), int(n.Column)
	from := len(b.links)
	for c := range b.doc.Below(i) {
		b.links = append(b.links, &b.nodes[c])
	}
	if to := len(b.links); to > from {
		out.Content = b.links[from:to:to]
	}
	for c := range b.doc.Below(i) {
		b.node(c)
	}
}
