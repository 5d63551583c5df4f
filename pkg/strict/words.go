package strict

import (
	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// Words are a command: a list of its arguments, which may repeat, or one text
// for a shell.
type Words struct {
	Pos   specs.Pos
	Items []Text
	Shell bool // it was one text
}

// Stated says that the field stands in the file.
func (w Words) Stated() bool { return w.Pos.Line != 0 }

func (w *Words) decode(d *decoder, n node, f *field) {
	w.Pos = d.pos(n)
	switch {
	case n.kind() == yaml.ScalarNode:
		var one Text
		one.decode(d, n, f)
		w.Items, w.Shell = []Text{one}, true
	case n.kind() == yaml.MappingNode:
		d.errs.Add(w.Pos, "%s is a mapping and must be a command: a list of arguments, or one text for a shell", d.path())
	case d.is(n, yaml.SequenceNode):
		w.list(d, n, f)
	}
}

// list reads arguments, of which the first, the program, is not empty.
func (w *Words) list(d *decoder, n node, f *field) {
	w.Items = make([]Text, n.count())
	program, argument := *f, *f
	program.empty, argument.empty = false, true
	i := 0
	for m := range n.below() {
		of := &program
		if i > 0 {
			of = &argument
		}
		d.enter(step{index: i})
		w.Items[i].decode(d, m.target(), of)
		d.leave()
		i++
	}
	if len(w.Items) == 0 {
		d.errs.Add(d.pos(n), "%s is an empty list; name a program, or remove the field", d.path())
	}
}
