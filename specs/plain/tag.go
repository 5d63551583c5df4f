package plain

import "gopkg.in/yaml.v3"

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
