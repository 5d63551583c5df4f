package github

import (
	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
	plainyaml "github.com/rolecall-dev/rolecall/specs/plain"
)

// node is a yaml.Node without what is not asked of one, at half its size.
type node struct {
	Kind         yaml.Kind
	Style        yaml.Style
	Tag          string // of a scalar with a tag of its own, and of a merge key
	Value        string
	Line, Column int
	Content      []*node
	Alias        *node
}

// scratch is memory that the reading of one file lends to that of the next. What
// was read of a file is valid until the next is read.
type scratch struct {
	doc     plainyaml.Doc
	nodes   []node
	links   []*node
	pairs   []pair
	members []specs.Member
}

// lendable says that the memory is not much more than most files need.
func (s *scratch) lendable() bool {
	const most = 10_000
	return cap(s.doc) < most && cap(s.pairs) < most && cap(s.members) < most
}

// roomFor is an empty slice with room for n, a part of a larger one.
func roomFor[T any](chunk *[]T, n int) []T {
	const usual = 64
	if cap(*chunk)-len(*chunk) < n {
		*chunk = make([]T, 0, max(n, usual, min(2*cap(*chunk), 16*usual)))
	}
	from := len(*chunk)
	*chunk = (*chunk)[:from+n]
	return (*chunk)[from : from : from+n]
}

// plainTree reads a text that needs no whole YAML reader.
func (s *scratch) plainTree(text string) (*node, bool) {
	var ok bool
	if s.doc, ok = plainyaml.Read(text, s.doc); !ok {
		return nil, false
	}
	if cap(s.nodes) < len(s.doc) {
		s.nodes, s.links = make([]node, cap(s.doc)), make([]*node, 0, cap(s.doc))
	}
	s.nodes, s.links = s.nodes[:len(s.doc)], s.links[:0]
	s.fromPlain(0)
	return &s.nodes[0], true
}

func (s *scratch) fromPlain(i int32) {
	n := &s.doc[i]
	out := &s.nodes[i]
	*out = node{Kind: n.Kind.YAML(), Style: n.Style.YAML(), Value: n.Text, Line: int(n.Line), Column: int(n.Column)}
	from := len(s.links)
	for c := range s.doc.Below(i) {
		s.links = append(s.links, &s.nodes[c])
	}
	out.Content = s.links[from:len(s.links):len(s.links)]
	for c := range s.doc.Below(i) {
		s.fromPlain(c)
	}
}

// fromYAML keeps what yaml.v3 read. Nodes that aliases lead to are one node here
// too, also where an alias stands in what it names.
func fromYAML(n *yaml.Node, named map[*yaml.Node]*node) *node {
	if n == nil {
		return nil
	}
	if out := named[n]; out != nil {
		return out
	}
	out := &node{Kind: n.Kind, Style: n.Style, Value: n.Value, Line: n.Line, Column: n.Column}
	if n.Anchor != "" {
		named[n] = out
	}
	if n.Style&yaml.TaggedStyle != 0 || n.Tag == mergeTag {
		out.Tag = n.Tag
	}
	for _, c := range n.Content {
		out.Content = append(out.Content, fromYAML(c, named))
	}
	out.Alias = fromYAML(n.Alias, named)
	return out
}

// mergeTag is that of the key << where it is not in quotes.
const mergeTag = "!!merge"
