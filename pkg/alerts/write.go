package alerts

import (
	"bytes"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// ruleFile is a rule file of Prometheus.
type ruleFile struct {
	Groups []group `yaml:"groups"`
}

// Write writes the rule file. The same input gives the same bytes.
func (r Rules) Write(w io.Writer) error {
	return document(w, "Alert rules made by rolecall rules from the ledger "+r.in.Ledger+". Do not edit: change the ledger, and make\nthem anew. Check them with: promtool check rules FILE", r.Left, ruleFile{r.groups})
}

// document writes YAML under comments.
func document(w io.Writer, head string, left []string, content any) error {
	var b bytes.Buffer
	comment := func(s string) {
		for line := range bytes.Lines([]byte(s)) {
			fmt.Fprintf(&b, "# %s\n", bytes.TrimRight(line, "\n"))
		}
	}
	comment(head)
	for i, l := range left {
		if i == 0 {
			comment("Without a rule of time:")
		}
		comment("  " + l)
	}
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(content); err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
