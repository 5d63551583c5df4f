package cli

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// mask hides secrets in what a repair says: the values that the templates have at
// places where secrets stand, and what its text alone gives away.
func (m *mending) mask(text string) string {
	for _, value := range m.secrets {
		text = strings.ReplaceAll(text, value, redact.Mask)
	}
	return redact.Text(text)
}

// secretsOf are the texts of what roles want that are secrets by their place, and
// that stand in a message by no chance.
func secretsOf(desired map[specs.Ref]specs.Desired) []string {
	var out []string
	var walk func(v specs.Value)
	walk = func(v specs.Value) {
		if v.Kind == specs.Text && v.Secret && len(v.Text) >= 8 && unlikely(v.Text) {
			out = append(out, v.Text)
		}
		for _, m := range v.Members {
			walk(m.Value)
		}
	}
	for _, d := range desired {
		walk(redact.Mark(d.Spec.Body).Value())
	}
	return out
}

// maskedFile shows a file that would be written, with what is a secret by its
// place or by its text masked.
func maskedFile(kind string, text []byte) string {
	if kind == "crontab" {
		return redact.Text(maskedTable(string(text)))
	}
	return redact.Text(maskedYAML(text))
}

// tableSetting is a line of a crontab that sets a variable: crontab(5) lets name and
// value be quoted. Of an entry a blank stands before any equals sign.
var tableSetting = lazy.Expression(`^([ \t]*(?:"([^"]*)"|'([^']*)'|([^ \t#"'=]+))[ \t]*=[ \t]*)(.*)$`)

func maskedTable(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := tableSetting().FindStringSubmatch(line); m != nil {
			value := strings.TrimSpace(m[5])
			if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
				value = value[1 : n-1]
			}
			if redact.EnvValue(m[2]+m[3]+m[4], value) != value {
				lines[i] = m[1] + redact.Mask
			}
		}
	}
	return strings.Join(lines, "\n")
}

// maskedYAML masks the values of variables and headers, and the arguments that
// their flags give away. A text in which there is none stays as it is written.
func maskedYAML(text []byte) string {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || !maskNode(&doc, "") {
		return string(text)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if enc.Encode(&doc) != nil || enc.Close() != nil {
		return redact.Mask
	}
	return b.String()
}

// maskNode masks below a node that stands under a key, and says whether it did.
func maskNode(n *yaml.Node, key string) (masked bool) {
	switch n.Kind {
	case yaml.MappingNode:
		masked = maskMembers(n, key)
	case yaml.SequenceNode:
		masked = maskItems(n)
	}
	for i, c := range n.Content {
		under := ""
		if n.Kind == yaml.DocumentNode {
			under = key
		}
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 {
				continue
			}
			under = n.Content[i-1].Value
		}
		masked = maskNode(c, under) || masked
	}
	return masked
}

// maskMembers masks in a mapping: all of env and of a volume's options, and the
// value beside a name.
func maskMembers(n *yaml.Node, key string) (masked bool) {
	var name string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "name" {
			name = n.Content[i+1].Value
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k := n.Content[i].Value; {
		case key == "env" || key == "options":
			masked = maskScalar(n.Content[i+1], k) || masked
		case k == "value" && name != "":
			masked = maskScalar(n.Content[i+1], name) || masked
		}
	}
	return masked
}

func maskScalar(n *yaml.Node, name string) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode || redact.EnvValue(name, n.Value) == n.Value {
		return false
	}
	n.SetString(redact.Mask)
	return true
}

// maskItems masks the arguments of a list that their flags give away.
func maskItems(n *yaml.Node) (masked bool) {
	items := make([]string, len(n.Content))
	for i, c := range n.Content {
		if c.Kind != yaml.ScalarNode {
			return false
		}
		items[i] = c.Value
	}
	for i, shown := range redact.Args(items) {
		if shown != items[i] {
			n.Content[i].SetString(shown)
			masked = true
		}
	}
	return masked
}
