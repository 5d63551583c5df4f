package draft

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

const heading = `# A first ledger, written from what the sources held. It is a proposal: read each
# role, correct it, add its owner and purpose, and then remove its line
# review: pending. Until then an audit does not end clean.
`

// emit writes the ledger: the roles by source, each group with a heading.
func (d *drafter) emit() []byte {
	var b bytes.Buffer
	b.WriteString(heading)
	for _, s := range d.remarks {
		if !d.hasRoles(s.source) && len(s.lines) > 0 {
			s.write(&b, "", 0)
		}
	}
	fmt.Fprintf(&b, "ledger: %s\n\nroles:", ledger.Format)
	if len(d.roles) == 0 {
		b.WriteString(" {}")
	}
	b.WriteString("\n")
	first := true
	for _, s := range d.remarks {
		roles := slices.DeleteFunc(slices.Clone(d.roles), func(r *role) bool { return r.sources[0] != s.source })
		if len(roles) == 0 {
			continue
		}
		if !first {
			b.WriteString("\n")
		}
		first = false
		s.write(&b, "  ", len(roles))
		areas := byArea(roles)
		for n, r := range roles {
			if n > 0 {
				b.WriteString("\n")
			}
			if areas && (n == 0 || r.area() != roles[n-1].area()) {
				fmt.Fprintf(&b, "  # %s\n", oneLine(d.Rules.Mask(r.area())))
			}
			r.write(&b, "  ")
		}
	}
	return b.Bytes()
}

// byArea puts the roles of one area of a source together, in the order of their
// first. It says whether the areas are worth a heading: there are several, with
// more than one role as a rule.
func byArea(roles []*role) bool {
	first := map[string]int{}
	for i, r := range roles {
		if _, known := first[r.area()]; !known {
			first[r.area()] = i
		}
	}
	if len(first) < 2 || len(roles) < 2*len(first) {
		return false
	}
	arrange.By(roles, func(a, b *role) int { return first[a.area()] - first[b.area()] })
	return true
}

// area is the part of a source that people look after as one: a namespace, a
// repository, a user's table, a file.
func (r *role) area() string {
	o := r.objects[0]
	switch o.Provider() {
	case "kubernetes":
		return "namespace " + o.Attr("namespace")
	case "github":
		return "repository " + o.Attr("repo")
	}
	kind, name, _ := strings.Cut(o.Part(), "/")
	return kind + " " + name
}

func (d *drafter) hasRoles(source string) bool {
	return slices.ContainsFunc(d.roles, func(r *role) bool { return r.sources[0] == source })
}

// write says what source a group is of, and what is to be known about it.
func (s sourceRemarks) write(b *bytes.Buffer, indent string, roles int) {
	fmt.Fprintf(b, "%s# %s (%s): %s\n", indent, oneLine(s.source), s.provider, count(roles, "role"))
	for _, line := range s.lines {
		fmt.Fprintf(b, "%s#   %s\n", indent, line)
	}
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// write is a role as a person would write it.
func (r *role) write(b *bytes.Buffer, indent string) {
	for _, c := range r.comments {
		fmt.Fprintf(b, "%s# %s\n", indent, oneLine(c))
	}
	out := encode(mapping(r.key, r.node()))
	for _, line := range bytes.SplitAfter(out, []byte("\n")) {
		if len(line) > 0 {
			b.WriteString(indent)
			b.Write(line)
		}
	}
}

func (r *role) node() *yaml.Node {
	n := mapping()
	if r.owner != "" {
		put(n, "owner", scalar(r.owner))
	}
	if len(r.sources) == 1 {
		put(n, "source", scalar(r.sources[0]))
	} else {
		put(n, "sources", sequence(r.sources))
	}
	if r.version != "" {
		put(n, "version", scalar(r.version))
	}
	put(n, "spec", specNode(r.spec))
	if r.asleep {
		put(n, "state", scalar("suspended"))
	}
	if !r.match.IsZero() {
		put(n, "match", matchNode(r.match))
	}
	put(n, "review", scalar("pending"))
	return n
}

func specNode(st specs.Statement) *yaml.Node {
	n := mapping()
	switch {
	case st.Template != nil:
		put(n, "template", scalar(st.Template.Name))
		return n
	case !st.Hash.IsZero():
		put(n, "hash", scalar(st.Hash.String()))
	}
	switch len(st.Schedule) {
	case 0:
	case 1:
		put(n, "schedule", scalar(st.Schedule[0]))
	default:
		put(n, "schedule", sequence(st.Schedule))
	}
	optional := func(key string, text *string) {
		if text != nil {
			put(n, key, scalar(*text))
		}
	}
	optional("time_zone", st.TimeZone)
	optional("user", st.User)
	optional("command", st.Command)
	optional("stdin", st.Stdin)
	if len(st.Env) > 0 {
		env := mapping()
		for _, name := range slices.Sorted(maps.Keys(st.Env)) {
			put(env, name, scalar(st.Env[name]))
		}
		put(n, "env", env)
	}
	if st.Workflow != "" {
		put(n, "workflow", scalar(st.Workflow))
	}
	return n
}

func matchNode(m specs.Match) *yaml.Node {
	n := mapping()
	for _, key := range []string{"repo", "workflow", "cron", "namespace", "name", "user", "file", "command", "schedule"} {
		if v, ok := m.Keys[key]; ok {
			put(n, key, scalar(v))
		}
	}
	return n
}

func mapping(first ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if len(first) == 2 {
		put(n, first[0].(string), first[1].(*yaml.Node))
	}
	return n
}

func put(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append(n.Content, scalar(key), value)
}

func sequence(texts []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, t := range texts {
		n.Content = append(n.Content, scalar(t))
	}
	return n
}

// scalar is a text, in quotes where it holds more than plain letters can show.
// No text is written over several lines, so a line of the output is a line of
// its structure.
func scalar(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func encode(n *yaml.Node) []byte {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		panic("draft: a tree of texts was not written: " + err.Error()) // texts are checked by writable
	}
	return b.Bytes()
}

// writable says that a text is read back from YAML as it was written.
func writable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	plain := func(r rune) bool { return r >= ' ' && r < 0x7f }
	if !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return true
	}
	var back yaml.Node
	if err := yaml.Unmarshal(encode(scalar(s)), &back); err != nil || len(back.Content) != 1 {
		return false
	}
	return back.Content[0].Value == s && back.Content[0].Tag == "!!str"
}

// oneLine makes a text safe for a comment: it is one line of printable letters.
func oneLine(s string) string {
	const longest = 500
	if len(s) > longest {
		s = s[:longest] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s)
}
