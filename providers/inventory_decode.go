package providers

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

var areaStates = []AreaState{Read, Denied, Missing, Failed, Partial}

func (f observationForm) observation() (Observation, error) {
	o := Observation{Source: string(f.Source), Provider: f.Provider, Requests: f.Requests}
	if f.Areas == nil || f.Objects == nil || f.Notes == nil || f.Runs == nil {
		return o, errors.New("a key is missing: every key is always there")
	}
	for _, a := range f.Areas {
		if !slices.Contains(areaStates, a.State) {
			return o, fmt.Errorf("%q has the state %q, which this rolecall does not know", a.Part, a.State)
		}
		o.Areas = append(o.Areas, Area{string(a.Part), a.State, string(a.Reason)})
	}
	for _, n := range f.Notes {
		o.Notes = append(o.Notes, Note{n.Code, string(n.Message), n.Location.pos()})
	}
	for _, form := range f.Objects {
		obj, err := form.object(o.Source, o.Provider)
		if err != nil {
			return o, fmt.Errorf("object %q: %w", form.ID, err)
		}
		o.Objects = append(o.Objects, obj)
	}
	var err error
	if o.Runs, err = recorded(f.Runs); err != nil {
		return o, err
	}
	for name, said := range f.Accounts {
		if o.Accounts == nil {
			o.Accounts = map[string]map[string]Evidence{}
		}
		if o.Accounts[name], err = recorded(said); err != nil {
			return o, fmt.Errorf("account %q: %w", name, err)
		}
	}
	return o, nil
}

func recorded(forms map[string]*evidenceForm) (out map[string]Evidence, err error) {
	for role, form := range forms {
		if form == nil {
			return nil, fmt.Errorf("the runs of role %q are null", role)
		}
		if out == nil {
			out = map[string]Evidence{}
		}
		if out[role], err = form.evidence(); err != nil {
			return nil, fmt.Errorf("the runs of role %q: %w", role, err)
		}
	}
	return out, nil
}

func (f objectForm) object(source, provider string) (Object, error) {
	if f.Opaque == nil || f.Attrs == nil || f.Labels == nil || f.Schedules == nil || f.Inactive == nil || f.Entries == nil || f.Changes == nil {
		return Object{}, errors.New("a key is missing: every key is always there")
	}
	var more More
	o := Object{
		ID: string(f.ID), Origin: &Origin{source, provider, string(f.Part)}, Pos: f.Location.pos(),
		Marked: Keep(f.Marker.marker()), Opaque: *f.Opaque, More: &more,
	}
	more.UID, more.Created = string(f.UID), timeOf(f.Created)
	if f.Runs != nil {
		ev, err := f.Runs.evidence()
		if err != nil {
			return o, err
		}
		more.Runs = &ev
	}
	for _, in := range f.Inactive {
		more.Inactive = append(more.Inactive, Inactive{in.Code, string(in.Detail), string(in.Next)})
	}
	for _, c := range f.Changes {
		more.Changes = append(more.Changes, c.change())
	}
	attrs, err := texts(&more, "", f.Attrs)
	if err != nil {
		return o, fmt.Errorf("attrs: %w", err)
	}
	o.Attrs = AttrsOf(attrs)
	if more.Labels, err = texts(&more, LabelSeal, f.Labels); err != nil {
		return o, fmt.Errorf("labels: %w", err)
	}
	return o, f.spec(&o)
}

// spec fills in what the object does, and holds it against the saved hash.
func (f objectForm) spec(o *Object) (err error) {
	for _, s := range f.Schedules {
		sched, err := s.schedule(o.Opaque)
		if err != nil {
			return err
		}
		o.Spec.Schedules = append(o.Spec.Schedules, sched)
	}
	for _, e := range f.Entries {
		sched, err := e.Schedule.schedule(o.Opaque)
		if err != nil {
			return err
		}
		o.More.Entries = append(o.More.Entries, Entry{string(e.Text), sched, e.Location.pos()})
	}
	for _, part := range []struct {
		name string
		from any
		to   *specs.Packed
	}{{"body", f.Body, &o.Spec.Body}, {"cosmetic", f.Cosmetic, &o.Spec.Cosmetic}, {"env", f.Env, &o.Env}} {
		v, err := value(part.from)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		*part.to = specs.Pack(v)
	}
	hash, err := specs.ParseHash(f.Hash)
	switch {
	case err != nil:
		return err
	case o.Opaque, o.Spec.Body.Sealed():
		o.Spec = o.Spec.WithHash(hash)
	case o.Spec.Hash() != hash:
		return fmt.Errorf("the saved hash %s does not fit the saved spec, which has %s: the listing was changed, or saved by another version", hash, o.Spec.Hash())
	}
	return nil
}

// texts reads what a match can name, and which of it was kept back.
func texts(more *More, prefix string, from map[string]any) (out map[string]string, err error) {
	for k, raw := range from {
		v, err := value(raw)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q: %w", k, err)
		case v.Kind == specs.Text:
			set(&out, k, v.Text)
		case v.Kind == specs.Sealed:
			m, _ := raw.(map[string]any)
			shown, err := textOf(m["shown"])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", k, err)
			}
			set(&out, k, shown)
			set(&more.Sealed, prefix+k, v.Text)
		default:
			return nil, fmt.Errorf("%q is not a text", k)
		}
	}
	return out, nil
}

func set(m *map[string]string, k, v string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[k] = v
}

// schedule reads the saved text again. What the scheduler refused stays as it
// is written; it belongs to an object that is not compared.
func (f scheduleForm) schedule(opaque bool) (specs.Schedule, error) {
	refused := unread(f.Dialect, string(f.Text), f.Zone)
	if refused.Canonical() == string(f.Canonical) {
		if !opaque {
			return refused, fmt.Errorf("the schedule %q was not read when it was saved", f.Text)
		}
		return refused, nil
	}
	s, err := specs.ParseSchedule(f.Dialect, string(f.Text), f.Zone)
	if err != nil {
		return s, fmt.Errorf("schedule: %w", err)
	}
	// Whether the zone is the daemon's own is not written, but in the canonical form
	// wherever it makes a difference.
	for _, own := range []specs.Schedule{s, s.OfDaemon(), s.OfDaemonByName()} {
		if own.Canonical() == string(f.Canonical) {
			return own, nil
		}
	}
	return s, fmt.Errorf("the schedule %q was saved as %q and reads here as %q: another version, or other rules of the time zone", f.Text, f.Canonical, s.Canonical())
}

func (p placeForm) pos() specs.Pos {
	return specs.Pos{File: string(p.File), Line: p.Line, Column: p.Column}
}

func (m *markerForm) marker() Marker {
	if m == nil {
		return Marker{}
	}
	return Marker{Role: string(m.Role), Version: string(m.Version), Invalid: string(m.Invalid), Pos: m.Location.pos()}
}

func (f changeForm) change() Change {
	c := Change{Who: string(f.Who), When: timeOf(f.When), Evidence: string(f.Evidence)}
	for _, p := range f.Paths {
		c.Paths = append(c.Paths, string(p))
	}
	return c
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// value reads what tree wrote.
func value(raw any) (specs.Value, error) {
	switch x := raw.(type) {
	case nil:
		return specs.Value{Kind: specs.Null}, nil
	case bool:
		return specs.NewBool(x), nil
	case json.Number:
		return specs.Value{Kind: specs.Number, Text: x.String()}, nil
	case string:
		return specs.NewText(x), nil
	case []any:
		return list(x)
	case map[string]any:
		return tagged(x)
	}
	return specs.Value{}, fmt.Errorf("%T is no saved value", raw)
}

func list(items []any) (specs.Value, error) {
	out := make([]specs.Value, len(items))
	for i, it := range items {
		v, err := value(it)
		if err != nil {
			return v, err
		}
		out[i] = v
	}
	return specs.NewList(out...), nil
}

// tagged reads a JSON object, of which one key says what it is.
func tagged(x map[string]any) (specs.Value, error) {
	if seal, ok := x["sealed"].(string); ok && len(x) == 2 && x["shown"] != nil {
		return specs.Value{Kind: specs.Sealed, Text: seal}, nil
	}
	if pairs, ok := x["pairs"].([]any); ok && len(x) == 2 {
		keyed, _ := x["keyed"].(bool)
		return ofPairs(pairs, keyed)
	}
	if len(x) == 1 {
		if m, ok := x["map"].(map[string]any); ok {
			return ofMap(m, false)
		}
		if m, ok := x["keyed"].(map[string]any); ok {
			return ofMap(m, true)
		}
		if x["absent"] == true {
			return specs.Value{}, nil
		}
		if _, ok := x["bytes"]; ok {
			s, err := textOf(x)
			return specs.NewText(s), err
		}
	}
	return specs.Value{}, errors.New("an object is neither map, keyed, pairs, sealed, bytes nor absent")
}

func textOf(raw any) (string, error) {
	if s, ok := raw.(string); ok {
		return s, nil
	}
	m, _ := raw.(map[string]any)
	digits, ok := m["bytes"].(string)
	if !ok || len(m) != 1 {
		return "", errors.New("a text is neither a string nor bytes")
	}
	b, err := base64.StdEncoding.DecodeString(digits)
	return string(b), err
}

func ofMap(m map[string]any, keyed bool) (specs.Value, error) {
	members := make([]specs.Member, 0, len(m))
	for k, raw := range m {
		v, err := value(raw)
		if err != nil {
			return v, err
		}
		members = append(members, specs.Member{Key: k, Value: v})
	}
	out := specs.NewMap(members...)
	out.Keyed = keyed
	return out, nil
}

func ofPairs(pairs []any, keyed bool) (specs.Value, error) {
	members := make([]specs.Member, 0, len(pairs))
	for _, raw := range pairs {
		pair, _ := raw.([]any)
		if len(pair) != 2 {
			return specs.Value{}, errors.New("a pair has not two parts")
		}
		k, err := textOf(pair[0])
		if err != nil {
			return specs.Value{}, err
		}
		v, err := value(pair[1])
		if err != nil {
			return v, err
		}
		members = append(members, specs.Member{Key: k, Value: v})
	}
	out := specs.NewMap(members...)
	out.Keyed = keyed
	return out, nil
}
