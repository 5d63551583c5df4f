package strict

import "gopkg.in/yaml.v3"

// pair is one entry of a mapping, with merge keys taken in.
type pair struct {
	key         string
	node, value *yaml.Node
}

// maxMerges is how deep a merged mapping may merge others.
const maxMerges = 8

// pairs are the entries of a mapping in the order of the file; those that <<
// brings in come after the mapping's own, which win.
func (d *decoder) pairs(n *yaml.Node, f field, depth int) []pair {
	out := make([]pair, 0, len(n.Content)/2)
	lines := make(map[string]int, len(n.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		switch {
		case k.Kind != yaml.ScalarNode || k.ShortTag() == "!!null":
			d.errs.Add(d.pos(k), "a key in %s is %s and must be text", f.orDocument(), nodeWord(k))
		case k.ShortTag() == "!!merge":
			merges = append(merges, v)
		case lines[k.Value] != 0:
			d.errs.Add(d.pos(k), "%s stands twice, first in line %d; remove one", f.in(Quote(k.Value)), lines[k.Value])
		default:
			lines[k.Value] = k.Line
			out = append(out, pair{k.Value, k, v})
		}
	}
	for _, m := range merges {
		for _, p := range d.merged(m, f, depth+1) {
			if lines[p.key] == 0 {
				lines[p.key] = p.node.Line
				out = append(out, p)
			}
		}
	}
	return out
}

// merged are the entries that a merge key names: a mapping or a list of them.
func (d *decoder) merged(n *yaml.Node, f field, depth int) []pair {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if depth > maxMerges {
		d.errs.Add(d.pos(n), "merges << lie deeper than %d in each other; write the fields out", maxMerges)
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		return d.pairs(n, f, depth)
	case yaml.SequenceNode:
		var out []pair
		for _, m := range n.Content {
			out = append(out, d.merged(m, f, depth+1)...)
		}
		return out
	}
	d.errs.Add(d.pos(n), "the merge << in %s is %s and must be a mapping", f.orDocument(), nodeWord(n))
	return nil
}
