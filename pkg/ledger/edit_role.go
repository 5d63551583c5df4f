package ledger

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// AddRole writes a role into a ledger: behind the last one of the same source, or
// else of all. Text is the role as lines of YAML that begin in the first column:
// comments, the key, and what is below it. All else of the file stays byte for
// byte, and like Waive it gives an error rather than a file that says anything
// else than before. Read has to know the role's template already.
func AddRole(path string, data []byte, read ReadFile, key string, text []byte) (out []byte, err error) {
	defer sound(&out, &err)
	before, _, err := Parse(path, data, read)
	if err != nil {
		return nil, err
	}
	e, err := roleEntry(key, text)
	if err != nil {
		return nil, err
	}
	s, err := newSheet(data)
	if err == nil {
		out, err = s.make(s.addTo("roles", e, lastOf(before.Roles, sourceOf(e)), true))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the role cannot be written into it: %w", path, err)
	}
	after, _, err := Parse(path, out, read)
	if err != nil {
		return nil, fmt.Errorf("with the role the ledger would not be sound, and it is left as it is: %w", err)
	}
	if len(after.Roles) != len(before.Roles)+1 || !sameWaivers(before.Waivers, after.Waivers) {
		return nil, fmt.Errorf("%s: the role cannot be written into it: %w", path, errPlace)
	}
	return out, nil
}

// lastOf is the index of the last role of a source, -1 if there is none.
func lastOf(roles []specs.Role, source string) int {
	last := -1
	for i, r := range roles {
		if contains(r.Sources, source) {
			last = i
		}
	}
	return last
}

func sourceOf(e entry) string {
	if _, v := find(e.nodes[1], "source"); v != nil {
		return v.Value
	}
	return ""
}

func roleEntry(key string, text []byte) (entry, error) {
	doc, err := soleDocument(text)
	if err != nil {
		return entry{}, err
	}
	n := doc.Content[0]
	if len(n.Content) != 2 || n.Content[0].Value != key || n.Content[1].Kind != yaml.MappingNode {
		return entry{}, fmt.Errorf("the text is not that of the role %s", key)
	}
	return entry{strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), quoted(key) + ": " + inFlow(n.Content[1]), n.Content}, nil
}

// inFlow is a tree on one line, with every text in double quotes.
func inFlow(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, quoted(n.Content[i].Value)+": "+inFlow(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, m := range n.Content {
			parts = append(parts, inFlow(m))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return quoted(n.Value)
}
