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
	return &t.Value
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
	Fields map[string]specs.Pos // the keys, by name
	// guessed are the fields that an unknown key was surely meant to be: that
	// they are missing is no second error.
	guessed []string
}

// Stated says that the struct stands in the file.
func (p Place) Stated() bool { return p.Pos.Line != 0 }

// Has says that a field is stated, or that a misspelt key means it.
func (p Place) Has(field string) bool {
	if _, ok := p.Fields[field]; ok {
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

// Item is one entry of a Map.
type Item[T any] struct {
	Key   Text
	Value T
}

// Stated says that the map stands in the file.
func (m Map[T]) Stated() bool { return m.Pos.Line != 0 }
