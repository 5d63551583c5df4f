package github

import (
	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// members are the pairs of a mapping; anything else has none.
func (t *tree) members(n *node, depth int) ([]pair, error) {
	n, err := t.take(n, depth)
	if err != nil || n.Kind != yaml.MappingNode {
		return nil, err
	}
	return t.pairs(n, depth)
}

// stated says that a mapping has a key, and not with nothing behind it.
func stated(ps []pair, name string) bool {
	p := find(ps, name)
	return p != nil && (p.node.Kind != yaml.ScalarNode || scalar(p.node).Kind != specs.Null)
}
