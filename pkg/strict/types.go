package strict

import "github.com/rolecall-dev/rolecall/specs"

// Text is the literal text of a scalar. Its zero value is a field that is not
// stated.
type Text struct {
	Pos   specs.Pos
	Value string
}

// Stated says that the field stands in the file.
func (t Text) Stated() bool { return t.Pos.Line != 0 }

// Pointer is the text, or nil if it is not stated.
func (t Text) Pointer() *string {
	if !t.Stated() {
		return nil
	}
	value := t.Value // alone, without its place
	return &value
}

// Texts is a list of texts; a single scalar stands for a list of one.
type Texts struct {
	Pos   specs.Pos
	Items []Text
}

// Stated says that the field stands in the file.
func (t Texts) Stated() bool { return t.Pos.Line != 0 }

// Values are the texts without their places, nil if there are none.
func (t Texts) Values() []string {
	var out []string
	for _, it := range t.Items {
		out = append(out, it.Value)
	}
	return out
}

// Int is a whole number in plain decimal digits.
type Int struct {
	Pos   specs.Pos
	Value int64
}

// Stated says that the field stands in the file.
func (i Int) Stated() bool { return i.Pos.Line != 0 }

// Bool is true or false.
type Bool struct {
	Pos   specs.Pos
	Value bool
}

// Stated says that the field stands in the file.
func (b Bool) Stated() bool { return b.Pos.Line != 0 }

// Place is embedded in a struct that wants to know where it and its fields
// stand.
type Place struct {
	Pos    specs.Pos
	fields []Field
	// guessed are the fields that an unknown key was surely meant to be: that
	// they are missing is no second error.
	guessed []string
}

// Field is a field that is stated, and the place of its key.
type Field struct {
	Name string
	Pos  specs.Pos
}

func (p *Place) add(name string, pos specs.Pos) { p.fields = append(p.fields, Field{name, pos}) }

// Fields are those that are stated, in the order of the file.
func (p Place) Fields() []Field { return p.fields }

// Field is the place of a field's key.
func (p Place) Field(name string) (at specs.Pos, stated bool) {
	for i := range p.fields {
		if p.fields[i].Name == name {
			return p.fields[i].Pos, true
		}
	}
	return specs.Pos{}, false
}

// States says that a field is stated.
func (p Place) States(name string) bool {
	_, stated := p.Field(name)
	return stated
}

// Stated says that the struct stands in the file.
func (p Place) Stated() bool { return p.Pos.Line != 0 }

// Has says that a field is stated, or that a misspelt key means it.
func (p Place) Has(field string) bool {
	if p.States(field) {
		return true
	}
	for _, g := range p.guessed {
		if g == field {
			return true
		}
	}
	return false
}

// Map is a mapping with free keys, in the order of the file.
type Map[T any] struct {
	Pos   specs.Pos
	Items []Item[T]
}

// Each is a mapping with free keys whose entries are handed out one by one, in
// the order of the file, so that many of them need not be held at once.
type Each[T any] struct {
	Pos specs.Pos
	Len int // how many there are, known before the first is handed out
	// Do is set before decoding, or nobody wants the entries. What could be read of an entry is in v also where
	// there are errors; v, and the fields of each Place in it, are written over with the
	// next entry.
	Do func(key Text, v *T)
}

// Item is one entry of a Map.
type Item[T any] struct {
	Key   Text
	Value T
}

// Stated says that the map stands in the file.
func (m Map[T]) Stated() bool { return m.Pos.Line != 0 }
