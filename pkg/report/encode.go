package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// Encode writes the report's own form, JSON by the published schema. The same
// report gives the same bytes.
func Encode(w io.Writer, r Report) error {
	r.Schema = Schema
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r.Tidy())
}

// Decode reads what Encode wrote. Another schema, an unknown key or text after
// the report is an error.
func Decode(rd io.Reader) (Report, error) {
	dec := json.NewDecoder(rd)
	dec.DisallowUnknownFields()
	var r Report
	if err := dec.Decode(&r); err != nil {
		return Report{}, fmt.Errorf("not a saved report: %w; make one with: rolecall audit -o json", err)
	}
	if r.Schema != Schema {
		return Report{}, fmt.Errorf("saved report has schema %q and this rolecall reads %s; make it again with: rolecall audit -o json", r.Schema, Schema)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Report{}, fmt.Errorf("text stands after the saved report; give one report at a time")
	}
	return r, nil
}
