package github

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs/lazy"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// Bounds of what is read. A workflow that people write stays far below them.
const (
	maxFile  = 4 << 20 // bytes of one workflow file
	maxNodes = 200_000 // nodes of one workflow with its aliases written out
	maxDepth = 200
)

// fault is why a text is no workflow, and where.
type fault struct {
	line    int // 0 if not known
	message string
}

func (f *fault) Error() string {
	if f.line == 0 {
		return f.message
	}
	return fmt.Sprintf("line %d: %s", f.line, f.message)
}

// tree is a parsed text with the budget that is left for walking it. Aliases
// are followed while walking, so that a text of nested aliases costs its
// budget and no more.
type tree struct {
	root  *node // nil for a text without content
	left  int
	merge int // line of the first merge key, 0 if there is none
	*scratch
}

// parseYAML reads the one document of a text. A second document is a fault,
// since GitHub's reader expects the stream to end after the first.
func (s *scratch) parseYAML(text string) (t *tree, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, err = nil, &fault{message: fmt.Sprintf("the YAML reader gave up: %v", r)}
		}
	}()
	s.pairs, s.members = s.pairs[:0], s.members[:0]
	t = &tree{left: maxNodes, scratch: s}
	if !slow.Only() {
		if root, ok := s.plainTree(text); ok {
			t.root = root
			return t, nil
		}
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return t, nil
	case err != nil:
		return nil, yamlFault(err)
	}
	switch err := dec.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, yamlFault(err)
	default:
		return nil, &fault{more.Line, "a second YAML document begins here, and a workflow is one"}
	}
	if len(doc.Content) > 0 {
		t.root = fromYAML(doc.Content[0], map[*yaml.Node]*node{})
	}
	return t, nil
}

var yamlLine = lazy.Expression(`^yaml: (?:unmarshal errors:\s*)?(?:line (\d+): )?`)

func yamlFault(err error) error {
	text := err.Error()
	m := yamlLine().FindStringSubmatch(text)
	if m == nil {
		return &fault{message: text}
	}
	line, _ := strconv.Atoi(m[1])
	return &fault{line, text[len(m[0]):]}
}

// take follows an alias and pays for one node.
func (t *tree) take(n *node, depth int) (*node, error) {
	t.left--
	if t.left < 0 || depth > maxDepth {
		return nil, &fault{n.Line, fmt.Sprintf("the aliases make more than %d nodes or %d levels of it", maxNodes, maxDepth)}
	}
	for hops := 0; n.Kind == yaml.AliasNode; hops++ {
		if n.Alias == nil || hops > maxDepth {
			return nil, &fault{n.Line, "an alias leads nowhere"}
		}
		n = n.Alias
	}
	return n, nil
}

// pair is one member of a mapping.
type pair struct {
	name string // a key is a text to GitHub, whatever YAML makes of it
	key  *node
	at   int // the line at which it stands, which for an alias is not its value's
	node *node
}

// pairs are the members of a mapping in order. Merge keys are resolved and
// remembered: GitHub refuses them. A key that stands twice is a fault, as it
// is for GitHub.
func (t *tree) pairs(n *node, depth int) ([]pair, error) {
	var merged []pair
	var seen names
	out := roomFor(&t.scratch.pairs, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := t.take(n.Content[i], depth)
		if err != nil {
			return nil, err
		}
		if key.Kind != yaml.ScalarNode {
			return nil, &fault{key.Line, "a key is not a plain word"}
		}
		if key.Tag == mergeTag {
			more, err := t.merged(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if t.merge == 0 {
				t.merge = n.Content[i].Line
			}
			merged = append(merged, more...)
			continue
		}
		name := asText(scalar(key)).Text
		if !seen.add(name) {
			return nil, &fault{n.Content[i].Line, fmt.Sprintf("the key %q stands here a second time", name)}
		}
		out = append(out, pair{name, key, n.Content[i].Line, n.Content[i+1]})
	}
	for _, p := range merged {
		if seen.add(p.name) {
			out = append(out, p)
		}
	}
	return out, nil
}

// merged are the members that a merge key brings in, of one mapping or of a
// list of them, in which the earlier wins.
func (t *tree) merged(n *node, depth int) ([]pair, error) {
	n, err := t.take(n, depth)
	if err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.MappingNode:
		return t.pairs(n, depth)
	case yaml.SequenceNode:
		var out []pair
		for _, item := range n.Content {
			more, err := t.merged(item, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		return out, nil
	}
	return nil, &fault{n.Line, "a merge key takes in something that is not a mapping"}
}

// names tells which names were met. Few are looked through one by one, which
// costs less than a map for each of the mappings of a workflow.
type names struct {
	few  [12]string
	n    int
	many map[string]bool
}

// add says whether a name is new.
func (s *names) add(name string) bool {
	if s.many == nil {
		if slices.Contains(s.few[:s.n], name) {
			return false
		}
		if s.n < len(s.few) {
			s.few[s.n] = name
			s.n++
			return true
		}
		s.many = make(map[string]bool, 2*len(s.few))
		for _, few := range s.few {
			s.many[few] = true
		}
	}
	if s.many[name] {
		return false
	}
	s.many[name] = true
	return true
}

// find is the member of a name, nil if there is none.
func find(ps []pair, name string) *pair {
	for i := range ps {
		if ps[i].name == name {
			return &ps[i]
		}
	}
	return nil
}
