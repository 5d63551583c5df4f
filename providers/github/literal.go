package github

import (
	"bytes"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/providers"
)

// addLiterals gives each object of a file the text that a ledger can keep as
// its template: the file, or for a single entry the file with the other entries
// taken out. An object gets none where that text would not be read back as the
// same spec.
func addLiterals(objects []providers.Object, data []byte) {
	for i := range objects {
		o := &objects[i]
		text := data
		if len(objects) > 1 {
			text = withoutOthers(data, *o)
		}
		if sameSpec(text, *o) {
			o.Extra().Literal = text
		}
	}
}

func sameSpec(text []byte, o providers.Object) bool {
	if o.Opaque || text == nil {
		return false
	}
	w, err := readWorkflow(text, o.Pos.File)
	if err != nil || w.refused != "" {
		return false
	}
	all := w.object(place{}, w.entries, providers.Marker{})
	return !all.Opaque && all.Spec.Hash() == o.Spec.Hash()
}

// withoutOthers writes a workflow anew with only those items of on.schedule
// that are the object's. It is nil where the text is too unusual for that.
func withoutOthers(data []byte, o providers.Object) (out []byte) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	var doc yaml.Node
	if yaml.Unmarshal(toUTF8(data), &doc) != nil || len(doc.Content) != 1 {
		return nil
	}
	items := member(member(doc.Content[0], "on"), "schedule")
	if items == nil || items.Kind != yaml.SequenceNode {
		return nil
	}
	lines := map[int]bool{}
	for _, e := range o.Entries() {
		lines[e.Pos.Line] = true
	}
	var kept []*yaml.Node
	for _, item := range items.Content {
		if cron := memberKey(item, "cron"); cron != nil && lines[cron.Line] {
			kept = append(kept, item)
		}
	}
	items.Content = kept
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if enc.Encode(&doc) != nil {
		return nil
	}
	return buf.Bytes()
}

func member(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

func memberKey(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i]
		}
	}
	return nil
}
