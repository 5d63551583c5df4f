// Package plain reads the YAML that people mostly write, some ten times faster
// than a whole YAML reader and with next to no allocations: block mappings and
// sequences, scalars on one line, block scalars, comments, and flow collections
// on one line.
//
// It gives exactly what yaml.v3 reads from the same text, or refuses the text.
// Refused is everything else, whether right or wrong: anchors, aliases, tags,
// directives, merge keys, further documents, scalars over several lines, tabs
// before content, CR line ends, odd indentation. So a caller has to have
// another reader, and all errors come from that one.
package plain

import (
	"iter"

	"gopkg.in/yaml.v3"
)

// Kind is what a node is.
type Kind uint8

// The kinds.
const (
	Scalar Kind = iota
	Sequence
	Mapping
)

// Style is how a node is written.
type Style uint8

// The styles. Plain is also the style of a collection that is no flow, and of
// a value that is left out.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
	Flow
)

// Node is one value or key of a document.
type Node struct {
	Text   string // of a scalar, without quotes, escapes, indentation and folding
	Line   int32  // from 1
	Column int32  // from 1, in characters
	End    int32  // index in Doc of the first node behind this one and all below it
	Kind   Kind
	Style  Style
}

var (
	kinds  = [...]yaml.Kind{Scalar: yaml.ScalarNode, Sequence: yaml.SequenceNode, Mapping: yaml.MappingNode}
	styles = [...]yaml.Style{SingleQuoted: yaml.SingleQuotedStyle, DoubleQuoted: yaml.DoubleQuotedStyle, Literal: yaml.LiteralStyle, Folded: yaml.FoldedStyle, Flow: yaml.FlowStyle}
)

// YAML is what yaml.v3 calls the kind.
func (k Kind) YAML() yaml.Kind { return kinds[k] }

// YAML is what yaml.v3 calls the style.
func (s Style) YAML() yaml.Style { return styles[s] }

// Doc holds the nodes of one document, each followed by those below it; a key
// is followed by its value. Doc[0] is the whole.
//
// What a plain scalar means (null, a number, a date) is the caller's to say,
// and so is what two equal keys of a mapping mean.
type Doc []Node

// Below are the nodes right below one.
func (d Doc) Below(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for c := i + 1; c < d[i].End && yield(c); c = d[c].End {
		}
	}
}
