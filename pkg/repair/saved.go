package repair

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/rolecall-dev/rolecall/specs"
)

// planLimit is the longest saved plan that is read, in bytes.
const planLimit = 64 << 20

// Encode writes a plan as JSON.
func Encode(w io.Writer, p Plan) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Decode reads a saved plan. One of another form or canonicalisation is an error:
// what it says cannot be compared with now.
func Decode(r io.Reader) (Plan, error) {
	data, err := io.ReadAll(io.LimitReader(r, planLimit+1))
	if err != nil {
		return Plan{}, err
	}
	if len(data) > planLimit {
		return Plan{}, errors.New("it is too long for a plan; save one with: rolecall repair -o json=plan.json")
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Plan{}, fmt.Errorf("it is not JSON: %w; save a plan with: rolecall repair -o json=plan.json", err)
	}
	if head.Schema != Schema {
		return Plan{}, fmt.Errorf("its schema is %q and not %s; save a plan with: rolecall repair -o json=plan.json", head.Schema, Schema)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var p Plan
	if err := dec.Decode(&p); err != nil {
		return Plan{}, fmt.Errorf("it is no plan of this rolecall: %w; make it anew", err)
	}
	if p.Canonicalisation != specs.Canonicalisation {
		return Plan{}, fmt.Errorf("it was made by canonicalisation %q and this rolecall has %s; make it anew", p.Canonicalisation, specs.Canonicalisation)
	}
	return p, nil
}

// ErrLedger says that a plan is of a ledger that has changed since.
var ErrLedger = errors.New("the ledger has changed since the plan was made; make the plan anew and read it again")

// ErrNotLooked says that a saved plan has what this run did not look at, so that
// whether it holds cannot be said.
var ErrNotLooked = errors.New("not looked at")

// Hold takes of a plan made now what a saved one wanted to create, and leaves the
// rest. The error names all that has moved since; then nothing of it holds. Unseen
// says why this run did not look at an expectation; empty if it did.
func (p Plan) Hold(saved Plan, unseen func(specs.Ref) string) (Plan, error) {
	if saved.Ledger.SHA256 != p.Ledger.SHA256 {
		return Plan{}, ErrLedger
	}
	var errs []error
	for _, was := range saved.Rows {
		if was.Action == Create {
			errs = append(errs, p.stands(was, unseen(was.Ref())))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return Plan{}, err
	}
	out := p
	out.Rows = slices.Clone(p.Rows)
	for i := range out.Rows {
		r := &out.Rows[i]
		wanted := slices.ContainsFunc(saved.Rows, func(was Row) bool { return was.Action == Create && was.Finding == r.Finding })
		if r.Action == Create && !wanted {
			r.refuse(Reason{"not-in-plan", "the saved plan does not have it", "make a plan anew"})
		}
	}
	out.Refs = slices.DeleteFunc(slices.Clone(p.Refs), func(now Renewal) bool {
		return !slices.ContainsFunc(saved.Refs, func(was Renewal) bool { return was.Role == now.Role && was.UID == now.UID })
	})
	return out, nil
}

// stands says how what a saved row went by has moved; nil if it is as it was.
func (p Plan) stands(was Row, unseen string) error {
	i := slices.IndexFunc(p.Rows, func(r Row) bool { return r.Finding == was.Finding })
	switch {
	case unseen != "":
		return fmt.Errorf("%s: %w: %s", was.Ref(), ErrNotLooked, unseen)
	case i < 0:
		return fmt.Errorf("%s: it is not missing any more; make the plan anew", was.Ref())
	case p.Rows[i].Action != Create:
		return fmt.Errorf("%s: it may not be created any more: %s; make the plan anew", was.Ref(), p.Rows[i].why())
	}
	now := p.Rows[i]
	if now.Part != was.Part || now.Place != was.Place || now.Before != was.Before || now.After != was.After {
		return fmt.Errorf("%s: what is there now, or what would be written, is not what the plan was made from; make the plan anew", was.Ref())
	}
	return nil
}

// why is the first reason of a row.
func (r Row) why() string {
	if len(r.Reasons) == 0 {
		return "there is no reason given"
	}
	return r.Reasons[0].Message
}
