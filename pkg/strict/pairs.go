package strict

import "gopkg.in/yaml.v3"

// pair is one entry of a mapping, with merge keys taken in.
type pair struct {
	key         string
	node, value node
}

const (
	// maxMerges is how deep a merged mapping may merge others.
	maxMerges = 8
	// few keys are looked through one by one, which costs less than a map.
	few = 16
)

// pairsOf are the entries of a mapping in the order of the file; those that <<
// brings in come after the mapping's own, which win.
func (d *decoder) pairsOf(n node, depth int) []pair {
	out := lend(&d.pairs, n.count()/2)
	seen := keys{pairs: &out}
	var merges []node
	var key node
	isKey := false
	for m := range n.below() {
		if isKey = !isKey; isKey {
			key = m.target()
			continue
		}
		switch {
		case key.kind() != yaml.ScalarNode || key.isNull():
			d.errs.Add(d.pos(key), "a key in %s is %s and must be text", d.orDocument(), nodeWord(key))
		case key.whole != nil && key.tag() == "!!merge":
			merges = append(merges, m)
		default:
			if first := seen.line(key.text()); first != 0 {
				d.errs.Add(d.pos(key), "%s stands twice, first in line %d; remove one", d.in(Quote(key.text())), first)
				continue
			}
			out = append(out, pair{key.text(), key, m})
		}
	}
	for _, m := range merges {
		for _, p := range d.merged(m, depth+1) {
			if seen.line(p.key) == 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// keys finds the line of a key among pairs that become more.
type keys struct {
	pairs *[]pair
	lines map[string]int
	known int // how many of the pairs are in lines
}

// line is 0 for a key that is not there.
func (k *keys) line(key string) int {
	if len(*k.pairs) <= few {
		for i := range *k.pairs {
			if (*k.pairs)[i].key == key {
				return (*k.pairs)[i].node.line()
			}
		}
		return 0
	}
	if k.lines == nil {
		k.lines = make(map[string]int, cap(*k.pairs))
	}
	for ; k.known < len(*k.pairs); k.known++ {
		p := &(*k.pairs)[k.known]
		k.lines[p.key] = p.node.line()
	}
	return k.lines[key]
}

// merged are the entries that a merge key names: a mapping or a list of them.
func (d *decoder) merged(n node, depth int) []pair {
	n = n.target()
	if depth > maxMerges {
		d.errs.Add(d.pos(n), "merges << lie deeper than %d in each other; write the fields out", maxMerges)
		return nil
	}
	switch n.kind() {
	case yaml.MappingNode:
		return d.pairsOf(n, depth)
	case yaml.SequenceNode:
		var out []pair
		for m := range n.below() {
			out = append(out, d.merged(m, depth+1)...)
		}
		return out
	}
	d.errs.Add(d.pos(n), "the merge << in %s is %s and must be a mapping", d.orDocument(), nodeWord(n))
	return nil
}
