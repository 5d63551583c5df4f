package strict

import (
	"iter"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/plain"
)

// node is a value or key of the file, as the reader of plain YAML gives it or as
// the whole one does.
type node struct {
	whole *yaml.Node // nil if it is plain
	doc   *plain.Doc
	at    int32
}

func (n node) plain() *plain.Node { return &(*n.doc)[n.at] }

func (n node) kind() yaml.Kind {
	if n.whole != nil {
		return n.whole.Kind
	}
	return n.plain().Kind.YAML()
}

// text is a scalar's.
func (n node) text() string {
	if n.whole != nil {
		return n.whole.Value
	}
	return n.plain().Text
}

// tag is the short one, by what is written or by what the text looks like.
func (n node) tag() string {
	if n.whole != nil {
		return n.whole.ShortTag()
	}
	return n.plain().Tag()
}

// isNull says that a scalar means no value.
func (n node) isNull() bool {
	if n.whole != nil {
		return n.whole.ShortTag() == "!!null"
	}
	return n.plain().IsNull()
}

func (n node) line() int {
	if n.whole != nil {
		return n.whole.Line
	}
	return int(n.plain().Line)
}

// target is what an alias stands for, or the node itself.
func (n node) target() node {
	if n.whole != nil && n.whole.Kind == yaml.AliasNode {
		return node{whole: n.whole.Alias}
	}
	return n
}

// below are the members of a list, or the keys and values of a mapping.
func (n node) below() iter.Seq[node] {
	return func(yield func(node) bool) {
		if n.whole != nil {
			for _, c := range n.whole.Content {
				if !yield(node{whole: c}) {
					return
				}
			}
			return
		}
		for c := range n.doc.Below(n.at) {
			if !yield(node{doc: n.doc, at: c}) {
				return
			}
		}
	}
}

// count is the number of nodes right below.
func (n node) count() int {
	if n.whole != nil {
		return len(n.whole.Content)
	}
	count := 0
	for range n.below() {
		count++
	}
	return count
}

func (d *decoder) pos(n node) specs.Pos {
	if n.whole != nil {
		return specs.Pos{File: d.file, Line: n.whole.Line, Column: n.whole.Column}
	}
	p := n.plain()
	return specs.Pos{File: d.file, Line: int(p.Line), Column: int(p.Column)}
}
