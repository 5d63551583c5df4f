package report

import (
	"encoding/json"
	"io"
)

// LedgerDiffSchema names the form of an encoded LedgerDiff.
const LedgerDiffSchema = "rolecall.ledgerdiff/v1"

// LedgerDiff is what a change does to a ledger.
type LedgerDiff struct {
	Schema  string  `json:"schema"`
	Tool    Tool    `json:"tool"`
	From    Edition `json:"from"`
	To      Edition `json:"to"`
	Changes []Edit  `json:"changes"`
}

// Edition is a ledger at one revision, or in the checkout.
type Edition struct {
	Rev    string `json:"rev"`    // as it was named; empty for the checkout
	Commit string `json:"commit"` // empty for the checkout
	Ledger Ledger `json:"ledger"` // without a path if there is none
}

// Tidy gives the changes their one order and leaves nothing null.
func (d LedgerDiff) Tidy() LedgerDiff {
	d.Schema, d.Changes = LedgerDiffSchema, tidy(d.Changes)
	return d
}

// EncodeLedgerDiff writes the published form.
func EncodeLedgerDiff(w io.Writer, d LedgerDiff) error {
	d = d.Tidy()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}
