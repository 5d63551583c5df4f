package providers

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/specs"
)

// inventoryWriter turns what was seen into its written form.
type inventoryWriter struct {
	mask func(string) string
	at   time.Time // of the inventory
}

func (e inventoryWriter) shown(s string) text { return text(e.mask(s)) }

func (e inventoryWriter) observation(o Observation) observationForm {
	o.Objects, o.Areas, o.Notes = slices.Clone(o.Objects), slices.Clone(o.Areas), slices.Clone(o.Notes)
	o.Sort()
	f := observationForm{
		Source: text(o.Source), Provider: o.Provider, Requests: o.Requests,
		Areas: []areaForm{}, Objects: []objectForm{}, Notes: []noteForm{}, Runs: e.recorded(o.Runs), Accounts: map[string]map[string]*evidenceForm{},
	}
	for _, a := range o.Areas {
		f.Areas = append(f.Areas, areaForm{text(a.Part), a.State, e.shown(a.Reason)})
	}
	for _, obj := range o.Objects {
		f.Objects = append(f.Objects, e.object(obj))
	}
	for _, n := range o.Notes {
		f.Notes = append(f.Notes, noteForm{n.Code, e.shown(n.Message), place(n.Pos)})
	}
	for name, said := range o.Accounts {
		f.Accounts[name] = e.recorded(said)
	}
	return f
}

func (e inventoryWriter) recorded(said map[string]Evidence) map[string]*evidenceForm {
	out := make(map[string]*evidenceForm, len(said))
	for role, ev := range said {
		out[role] = e.evidence(ev)
	}
	return out
}

func (e inventoryWriter) object(o Object) objectForm {
	f := objectForm{
		ID: text(o.ID), Part: text(o.Part()), Location: place(o.Pos), Marker: e.marker(o.Marker()),
		Attrs: e.texts(&o, "", o.EachAttr), Labels: e.texts(&o, LabelSeal, maps.All(o.Labels())),
		Hash: o.Spec.Hash().String(), Schedules: []scheduleForm{},
		Body: e.tree(o.Spec.Body.Value()), Cosmetic: e.tree(o.Spec.Cosmetic.Value()), Env: e.tree(o.Env.Value()),
		Inactive: []inactiveForm{}, Opaque: &o.Opaque, Entries: []entryForm{}, UID: text(o.UID()),
		Created: instant(o.Created()), Changes: []changeForm{},
	}
	if o.Runs() != nil {
		f.Runs = e.evidence(*o.Runs())
	}
	for _, s := range o.Spec.Schedules {
		f.Schedules = append(f.Schedules, e.schedule(s, len(o.Inactive()) == 0))
	}
	for _, in := range o.Inactive() {
		f.Inactive = append(f.Inactive, inactiveForm{in.Code, e.shown(in.Detail), e.shown(in.Next)})
	}
	for _, en := range o.Entries() {
		f.Entries = append(f.Entries, entryForm{text(en.Text), e.schedule(en.Schedule, len(o.Inactive()) == 0), place(en.Pos)})
	}
	for _, c := range o.Changes() {
		f.Changes = append(f.Changes, change(c))
	}
	return f
}

// texts are what a match can name; one that mask changes is sealed.
func (e inventoryWriter) texts(o *Object, prefix string, texts iter.Seq2[string, string]) map[string]any {
	out := map[string]any{}
	for k, v := range texts {
		out[k] = e.tree(specs.NewText(v))
		if seal, sealed := o.Sealed()[prefix+k]; sealed {
			out[k] = map[string]any{"sealed": seal, "shown": e.shown(v)}
		}
	}
	return out
}

func (e inventoryWriter) marker(m Marker) *markerForm {
	if !m.Present() {
		return nil
	}
	return &markerForm{text(m.Role), e.shown(m.Version), e.shown(m.Invalid), place(m.Pos)}
}

// schedule keeps the text as written; of what could not be read as a schedule
// only what may be shown, since it is not compared.
func (e inventoryWriter) schedule(s specs.Schedule, active bool) scheduleForm {
	if refused := unread(s.Dialect, e.mask(s.Text), s.Zone); s.Canonical() == unread(s.Dialect, s.Text, s.Zone).Canonical() {
		return scheduleForm{text(refused.Text), s.Zone, s.Dialect, text(refused.Canonical()), false, "", []time.Time{}}
	}
	f := scheduleForm{text(s.Text), s.Zone, s.Dialect, text(s.Canonical()), s.NeverFires(), text(s.Words()), []time.Time{}}
	if active && s.Zone != specs.Local && s.Every() == 0 && !s.Random() {
		f.Next = next(s, e.at)
	}
	return f
}

// nextListed is how many due instants are listed of a schedule.
const nextListed = 3

func next(s specs.Schedule, after time.Time) []time.Time {
	out := []time.Time{}
	for len(out) < nextListed {
		at, ok := s.Next(after)
		if !ok {
			break
		}
		out, after = append(out, at), at
	}
	return out
}

func unread(d specs.Dialect, text, zone string) specs.Schedule {
	return specs.Schedule{Text: text, Zone: zone, Dialect: d}
}

func change(c Change) changeForm {
	f := changeForm{Who: text(c.Who), When: instant(c.When), Evidence: text(c.Evidence), Paths: []text{}}
	for _, p := range c.Paths {
		f.Paths = append(f.Paths, text(p))
	}
	return f
}

func place(p specs.Pos) placeForm { return placeForm{text(p.File), p.Line, p.Column} }

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// tree is a value as JSON. Scalars and lists are their own; whatever is a JSON
// object has one key that says what it is: map, keyed, pairs, sealed, bytes or,
// for the value that is not there, absent.
func (e inventoryWriter) tree(v specs.Value) any {
	switch v.Kind {
	case specs.Null:
		return nil
	case specs.Bool:
		return v.Text == "true"
	case specs.Number:
		if v.Text == "null" { // not a number, which JSON has not
			return nil
		}
		return json.Number(v.Text)
	case specs.Text:
		return e.text(v)
	case specs.Sealed:
		return map[string]any{"sealed": v.Text, "shown": ""}
	case specs.List:
		out := make([]any, len(v.Members))
		for i, m := range v.Members {
			out[i] = e.tree(m.Value)
		}
		return out
	case specs.Map:
		return e.members(v)
	}
	return map[string]any{"absent": true}
}

func (e inventoryWriter) text(v specs.Value) any {
	shown := e.mask(v.Text)
	if v.Secret && shown == v.Text {
		shown = ""
	}
	if shown == v.Text && !v.Secret {
		return text(v.Text).tree()
	}
	return map[string]any{"sealed": specs.Seal(v.Text), "shown": text(shown).tree()}
}

// members are a map's; where a key is no UTF-8 they are pairs, since JSON keys
// cannot hold it.
func (e inventoryWriter) members(v specs.Value) any {
	out := make(map[string]any, len(v.Members))
	pairs := make([]any, 0, len(v.Members))
	plain := true
	for _, m := range v.Members {
		member := e.tree(m.Value)
		out[m.Key] = member
		pairs = append(pairs, []any{text(m.Key).tree(), member})
		plain = plain && utf8.ValidString(m.Key)
	}
	switch {
	case !plain:
		return map[string]any{"pairs": pairs, "keyed": v.Keyed}
	case v.Keyed:
		return map[string]any{"keyed": out}
	}
	return map[string]any{"map": out}
}
