package draft

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// state writes what a role's object does: the first form that an audit would
// hold to be the same as the object.
func (d *drafter) state(r *role) {
	o := r.objects[0]
	r.activity()
	hidden := d.secret(r.source, o)
	var why string
	for _, try := range d.forms(r, o) {
		if try.shows && hidden != "" {
			why = hidden
			continue
		}
		if d.holds(r.source, try.st, o) {
			r.spec, r.stated = try.st, true
			r.pinned(why)
			d.spread(r)
			return
		}
		why = "it cannot be written so that it would be read back as the same"
	}
	d.abandon(r)
}

// spread gives a role the other sources in which its marker stands and its spec
// holds too. Where it does not, the object there is a copy that an audit reports.
func (d *drafter) spread(r *role) {
	for _, e := range r.elsewhere {
		source := e.object.Source()
		switch {
		case slices.Contains(r.sources, source):
			d.double(r, e.object, "carries the marker of this role too, so an audit reports a duplicate")
		case !d.holds(e.source, r.spec, e.object):
			d.double(r, e.object, "carries the marker of this role and does something else, so an audit reports a duplicate; one role has one spec")
		case len(reasons(e.object)) > 0 != r.asleep:
			r.sources = append(r.sources, source)
			d.double(r, e.object, "is active where the other is not, or the other way round, which an audit reports")
		default:
			r.sources = append(r.sources, source)
		}
	}
}

// form is one way to state a spec.
type form struct {
	st    specs.Statement
	shows bool // texts of the object stand in it
}

func (d *drafter) forms(r *role, o providers.Object) []form {
	var out []form
	template := form{specs.Statement{Template: &specs.Document{Name: d.templateName(r.key), Data: o.Literal()}}, true}
	switch {
	case o.Provider() == "crontab":
		out = append(out, form{crontabInline(o), true})
	case o.Provider() == "github" && r.source.Workflows:
		out = append(out, form{workflowInline(o), false})
	}
	if len(o.Literal()) > 0 && o.Provider() != "crontab" {
		out = append(out, template)
	}
	hash := specs.Statement{Hash: o.Spec.Hash()}
	if texts := schedulesOf(o); len(texts) > 0 {
		out = append(out, form{specs.Statement{Hash: hash.Hash, Schedule: texts}, false})
	}
	return append(out, form{hash, false})
}

// holds says that an audit would find the object to be as stated.
func (d *drafter) holds(s *Source, st specs.Statement, o providers.Object) bool {
	if !stateable(st) {
		return false
	}
	want, err := s.Translate(st)
	return err == nil && d.Rules.Same(want, o)
}

// stateable says that a ledger can hold all texts of a statement: YAML can, and
// none is empty where a ledger takes that for a value that was forgotten. Debian's
// cron runs an entry without a command.
func stateable(st specs.Statement) bool {
	texts := append(slices.Clone(st.Schedule), st.Workflow)
	for _, p := range []*string{st.TimeZone, st.User, st.Command} {
		if p != nil && *p == "" {
			return false
		}
	}
	for _, p := range []*string{st.TimeZone, st.User, st.Command, st.Stdin} {
		if p != nil {
			texts = append(texts, *p)
		}
	}
	for name, value := range st.Env {
		texts = append(texts, name, value)
	}
	return !slices.ContainsFunc(texts, func(s string) bool { return !writable(s) })
}

func crontabInline(o providers.Object) specs.Statement {
	st := specs.Statement{Schedule: schedulesOf(o), TimeZone: zoneOf(o, specs.Local)}
	st.User, st.Command, st.Stdin = textOf(o, "user"), textOf(o, "command"), textOf(o, "stdin")
	// a default that the table spells out is stated as well, so that its change is seen
	for _, m := range slices.Concat(o.Spec.Body.Get("env").Members, o.Spec.Cosmetic.Get("env").Members) {
		if st.Env == nil {
			st.Env = map[string]string{}
		}
		st.Env[m.Key] = m.Value.Text
	}
	return st
}

func workflowInline(o providers.Object) specs.Statement {
	return specs.Statement{Schedule: schedulesOf(o), TimeZone: zoneOf(o, "UTC"), Workflow: o.Attr("workflow")}
}

// textOf is a field of the body, nil where the object has none.
func textOf(o providers.Object, field string) *string {
	v := o.Spec.Body.Get(field)
	if v.Kind != specs.Text {
		return nil
	}
	return &v.Text
}

// schedulesOf are the schedules as they were written, each once.
func schedulesOf(o providers.Object) []string {
	var out []string
	for _, s := range o.Spec.Schedules {
		if !slices.Contains(out, s.Text) {
			out = append(out, s.Text)
		}
	}
	return out
}

// zoneOf is the zone of the object's schedules where it is another than the
// source's own. With several zones it is the first; the form then does not hold.
func zoneOf(o providers.Object, own string) *string {
	for _, s := range o.Spec.Schedules {
		if s.Zone != own {
			return &s.Zone
		}
	}
	return nil
}

// activity says that the role's object is not active, and why.
func (r *role) activity() {
	asleep := 0
	var codes []string
	for _, o := range r.objects {
		why := reasons(o)
		if len(why) > 0 {
			asleep++
		}
		for _, code := range why {
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	if asleep == 0 {
		return
	}
	text := "not active when it was read: " + strings.Join(codes, ", ")
	if r.asleep = asleep == len(r.objects); !r.asleep {
		r.say("active in one place and not in another, which an audit reports: " + strings.Join(codes, ", "))
		return
	}
	r.comments = append(r.comments, text)
}

// reasons are the codes of why an object will not run.
func reasons(o providers.Object) []string {
	var out []string
	for _, in := range o.Inactive() {
		out = append(out, in.Code)
	}
	if len(out) == 0 && o.Spec.NeverFires() {
		out = append(out, "never-fires")
	}
	return out
}

// pinned says why a role has only a hash.
func (r *role) pinned(why string) {
	if r.spec.Hash.IsZero() {
		return
	}
	if why == "" {
		why = "its text is not at hand"
	}
	r.say("only the hash is pinned: " + why)
}

// abandon drops a role of which nothing can be stated.
func (d *drafter) abandon(r *role) {
	d.leftOut += len(r.objects)
	d.warn("left out: %s: it cannot be stated in a ledger; please report this", d.Rules.Mask(place(r.objects[0])))
}

// secret is why the texts of an object must not be written down; empty if they
// may be.
func (d *drafter) secret(s *Source, o providers.Object) string {
	const found = "its text seems to hold a secret"
	if d.inBody(s, o.Spec.Body.Value(), d.Rules.Mark(o.Spec.Body).Value(), "") {
		return found
	}
	for _, line := range strings.SplitAfter(string(o.Literal()), "\n") {
		if d.Rules.Mask(line) != line {
			return found
		}
	}
	return ""
}

// inBody walks a body, beside the same body in which more secrets are marked.
// The name of a value is its own key, or that of the member that it is the
// value of.
func (d *drafter) inBody(s *Source, v, marked specs.Value, name string) bool {
	switch {
	case v.Kind == specs.Sealed, marked.Secret && !v.Secret:
		return true
	case v.Kind == specs.Text && v.Secret:
		line := name + "=" + v.Text
		return !d.Rules.Harmless(name, v.Text) && !(s.Files && d.Rules.Mask(line) == line)
	case v.Kind == specs.Text:
		return d.Rules.Mask(v.Text) != v.Text
	}
	for i, m := range v.Members {
		inner := m.Key
		if inner == "" || inner == "value" {
			inner = name
		}
		if d.inBody(s, m.Value, marked.Members[i].Value, inner) {
			return true
		}
	}
	return false
}

// templateName is the file of a role's template. File systems that do not tell
// Retry from retry get different names too.
func (d *drafter) templateName(key string) string {
	name := key
	for n := 2; ; n++ {
		fold, file := strings.ToLower(name), path.Join(d.Folder, name+".yaml")
		if other, used := d.files[fold]; (!used || other == key) && (d.InUse == nil || !d.InUse(file)) {
			d.files[fold] = key
			return file
		}
		name = key + "-" + strconv.Itoa(n)
	}
}
