// Package strict decodes one YAML document, and so JSON, into typed structs
// and forgives nothing: an unknown field, a duplicate key, a wrong type, a
// missing field and a second document are errors with file, line and column,
// and all errors of a file are found in one go.
//
// A text is the literal text of a scalar, quoted or not, so that version: 1.10
// stays 1.10. Nothing is ever converted on the way.
//
// Fields are described by a tag:
//
//	Version strict.Text `strict:"version,required"`
//	State   strict.Text `strict:"state,enum=active|suspended"`
//	Stdin   strict.Text `strict:"stdin,empty"` // the empty text is a value too
//	Path    strict.Text `strict:"path,short"`  // a bare scalar stands for {path: …}
//	Word    strict.Text `strict:",short"`      // or for itself: there is no key for it
package strict
