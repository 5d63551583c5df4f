package ledger

import (
	"errors"
	"path"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// document is a template that was read, or why it could not be.
type document struct {
	data []byte
	err  error
}

// statement turns a spec into what is compared, and holds it to one way of
// stating it: template, hash or inline fields.
func (b *builder) statement(role string, f *specForm) specs.Statement {
	st := specs.Statement{
		Pos: f.Pos, Fields: make([]specs.StatedField, 0, len(f.Fields())+len(f.Env.Items)),
		Schedule: f.Schedule.Values(), TimeZone: f.TimeZone.Pointer(),
		User: f.User.Pointer(), Command: f.Command.Pointer(), Stdin: f.Stdin.Pointer(),
		Workflow: f.Workflow.Value, ConcurrencyPolicy: f.Policy.Pointer(),
	}
	for _, stated := range f.Fields() {
		st.Fields = append(st.Fields, specs.StatedField{Name: stated.Name, Pos: stated.Pos})
	}
	if deadline := f.Deadline.Value; f.Deadline.Stated() {
		st.StartingDeadlineSeconds = &deadline
		if f.Deadline.Value < 0 {
			b.errs.Add(f.Deadline.Pos, "spec.starting_deadline_seconds of role %s is %d and must be 0 or more", role, f.Deadline.Value)
		}
	}
	b.env(&st, role, f)
	b.schedule(role, f)
	b.zone(role, f)
	b.oneWay(role, f)
	b.template(&st, role, f)
	b.hash(&st, role, f)
	return st
}

func (b *builder) env(st *specs.Statement, role string, f *specForm) {
	for _, it := range f.Env.Items {
		if it.Key.Value == "" || strings.Contains(it.Key.Value, "=") {
			b.errs.Add(it.Key.Pos, "spec.env of role %s has the name %s; a name is not empty and holds no =", role, strict.Quote(it.Key.Value))
		}
		if st.Env == nil {
			st.Env = map[string]string{}
		}
		st.Env[it.Key.Value] = it.Value.Value
		st.Fields = append(st.Fields, specs.StatedField{Name: "env." + it.Key.Value, Pos: it.Key.Pos})
	}
}

// schedule refuses never beside a time: a job runs by hand only, or it does not.
func (b *builder) schedule(role string, f *specForm) {
	for _, s := range f.Schedule.Items {
		if s.Value == specs.Never().Text && len(f.Schedule.Items) > 1 {
			b.errs.Add(s.Pos, "spec.schedule of role %s says never beside a time; keep one of them", role)
		}
	}
}

func (b *builder) zone(role string, f *specForm) {
	if _, err := specs.CanonicalZone(f.TimeZone.Value); err != nil {
		b.errs.Add(f.TimeZone.Pos, "spec.time_zone of role %s: %v", role, err)
	}
}

// oneWay holds a spec to one of its three forms.
func (b *builder) oneWay(role string, f *specForm) {
	beside := func(form string, allowed ...string) {
		for _, stated := range f.Fields() {
			if stated.Name != form && !contains(allowed, stated.Name) {
				b.errs.Add(stated.Pos, "spec of role %s states %s beside %s, which already states the whole; remove one of them", role, stated.Name, form)
			}
		}
	}
	switch {
	case f.Template.Stated():
		beside("template")
	case f.Hash.Stated():
		beside("hash", "schedule")
	case !f.Has("schedule") && !f.Has("template") && !f.Has("hash"):
		b.errs.Add(f.Pos, "spec of role %s states no schedule; add template, hash or schedule (schedule: never for what runs by hand only)", role)
	}
}

func (b *builder) template(st *specs.Statement, role string, f *specForm) {
	if f.Template.Value == "" {
		return
	}
	name := f.Template.Value
	rel := path.Clean(name)
	if path.IsAbs(name) || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") || strings.ContainsAny(name, "\x00\\") {
		b.errs.Add(f.Template.Pos, "the template %s of role %s is not a path in the directory of the ledger or below; what lies outside is not reviewed with it, so move the file there", strict.Quote(name), role)
		return
	}
	doc := b.document(rel)
	if doc.err != nil {
		b.errs.Add(f.Template.Pos, "the template %s of role %s cannot be read: %v; correct the path, or add the file", strict.Quote(name), role, doc.err)
		return
	}
	st.Template = &specs.Document{Name: path.Join(path.Dir(b.out.Path), rel), Data: doc.data}
}

// document reads a template once, however many roles name it.
func (b *builder) document(rel string) document {
	doc, known := b.files[rel]
	switch {
	case known:
	case b.read == nil:
		doc.err = errors.New("no files are read here")
	default:
		doc.data, doc.err = b.read(rel)
	}
	b.files[rel] = doc
	return doc
}

func (b *builder) hash(st *specs.Statement, role string, f *specForm) {
	if f.Hash.Value == "" {
		return
	}
	h, err := specs.ParseHash(f.Hash.Value)
	if err != nil {
		b.errs.Add(f.Hash.Pos, "role %s: %v", role, err)
		return
	}
	st.Hash = h
	if !f.Schedule.Stated() {
		b.warn(f.Pos, "role %s pins a hash without its schedule; write the schedule beside it for readers", role)
	}
}
