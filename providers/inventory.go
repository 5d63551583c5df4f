package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// InventorySchema names the form of an encoded Inventory.
const InventorySchema = "rolecall.inventory/v1"

// Inventory is what the sources held at one moment, saved so that it can be
// judged later as if it were looked at then.
type Inventory struct {
	Tool         string // the program and its version
	ObservedAt   time.Time
	Observations []Observation
}

// EncodeInventory writes an inventory as JSON by the published schema; the same
// inventory gives the same bytes. No secret is written: a text at a position of
// secrets, and any that mask changes, is replaced by its seal and by what mask
// leaves of it. Every other text that is shown passes through mask too. A nil
// mask hides only what stands at a position of secrets.
func EncodeInventory(w io.Writer, inv Inventory, mask func(string) string) error {
	if mask == nil {
		mask = func(s string) string { return s }
	}
	e := inventoryWriter{mask, inv.ObservedAt}
	form := inventoryForm{
		Schema: InventorySchema, Tool: inv.Tool, Canonicalisation: specs.Canonicalisation,
		ObservedAt: inv.ObservedAt.UTC(), Observations: []observationForm{},
	}
	for _, o := range inv.Observations {
		form.Observations = append(form.Observations, e.observation(o))
	}
	arrange.By(form.Observations, func(a, b observationForm) int { return strings.Compare(string(a.Source), string(b.Source)) })
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(form)
}

const anew = "make it again with: rolecall snapshot"

// DecodeInventory reads what EncodeInventory wrote. Another schema or
// canonicalisation, an unknown key, a schedule that this program reads
// otherwise, a hash that does not fit its spec, and text behind the inventory
// are errors: what was saved would not be what is judged.
func DecodeInventory(r io.Reader) (Inventory, error) {
	dec := json.NewDecoder(r)
	dec.UseNumber()
	dec.DisallowUnknownFields()
	var form inventoryForm
	if err := dec.Decode(&form); err != nil {
		return Inventory{}, fmt.Errorf("not a saved listing: %w; %s", err, anew)
	}
	if form.Schema != InventorySchema {
		return Inventory{}, fmt.Errorf("saved listing has schema %q and this rolecall reads %s; %s", form.Schema, InventorySchema, anew)
	}
	if form.Canonicalisation != specs.Canonicalisation {
		return Inventory{}, fmt.Errorf("saved listing has canonicalisation %q and this rolecall has %s; %s", form.Canonicalisation, specs.Canonicalisation, anew)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Inventory{}, errors.New("text stands after the saved listing; give one listing a file")
	}
	inv := Inventory{Tool: form.Tool, ObservedAt: form.ObservedAt.UTC()}
	seen := map[text]bool{}
	for _, f := range form.Observations {
		if seen[f.Source] {
			return Inventory{}, fmt.Errorf("saved listing has the source %q twice; %s", f.Source, anew)
		}
		seen[f.Source] = true
		o, err := f.observation()
		if err != nil {
			return Inventory{}, fmt.Errorf("saved listing of the source %q: %w; %s", f.Source, err, anew)
		}
		inv.Observations = append(inv.Observations, o)
	}
	return inv, nil
}
