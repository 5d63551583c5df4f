package crontab

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Translate gives what a ledger's statement wants of an entry in this source.
//
// A template is the literal lines, environment and one entry, read by the
// source's dialect; a marker in it is passed by. What its environment lines state
// is compared with what the entry gets. What only the table sets is not, but for
// SHELL, PATH and HOME. It has a user column where all
// of the source's tables have one, where it stands in a folder cron.d, or where
// in a source with both kinds its command begins with the name of a user. Where
// it states no user, and the source knows whose each entry is, the user is not
// compared.
func (p *Provider) Translate(st specs.Statement) (specs.Desired, error) {
	for _, field := range []struct {
		name   string
		stated bool
	}{
		{"workflow", st.Workflow != ""},
		{"concurrency_policy", st.ConcurrencyPolicy != nil},
		{"starting_deadline_seconds", st.StartingDeadlineSeconds != nil},
	} {
		if field.stated {
			return specs.Desired{}, fmt.Errorf("%s: %s is no field of a crontab entry; remove it, or name another source", st.PlaceOr(field.name), field.name)
		}
	}
	if st.Template != nil {
		return p.template(st)
	}
	d, err := p.inline(st)
	if d.Pinned = st.Hash; !st.Hash.IsZero() {
		d.Stated = nil
	}
	return d, err
}

func (p *Provider) inline(st specs.Statement) (specs.Desired, error) {
	var d specs.Desired
	if err := p.inlineSchedule(st, &d); err != nil {
		return d, err
	}
	d.Stated = []string{"stdin"}
	var members []specs.Member
	state := func(name string, text *string) {
		if text == nil {
			return
		}
		members = append(members, specs.Member{Key: name, Value: specs.NewText(*text)})
		if name != "stdin" {
			d.Stated = append(d.Stated, name)
		}
	}
	state("command", st.Command)
	if st.Stdin != nil {
		text := strings.TrimSuffix(*st.Stdin, "\n")
		state("stdin", &text)
	}
	if p.knowsUsers() {
		state("user", st.User)
	}
	env := newEnvironment(p.dialect())
	for name, value := range st.Env {
		env.vars[name], env.fresh = value, false
		d.Stated = append(d.Stated, "env."+name)
	}
	if all, _ := env.effective(); !all.Empty() {
		members = append(members, specs.Member{Key: "env", Value: all})
	}
	slices.Sort(d.Stated)
	d.Spec.Body = specs.Pack(specs.NewMap(members...))
	return d, nil
}

func (p *Provider) inlineSchedule(st specs.Statement, d *specs.Desired) error {
	switch {
	case len(st.Schedule) == 0 && !st.Hash.IsZero():
		return nil
	case len(st.Schedule) == 0:
		return fmt.Errorf("%s: the role states no schedule; write schedule: with five fields, or never", st.Pos)
	case len(st.Schedule) > 1:
		return fmt.Errorf("%s: a crontab entry has one schedule and the role states %d; make it a role each", st.PlaceOr("schedule"), len(st.Schedule))
	case st.Schedule[0] == "never":
		d.Never = true
		d.Spec.Schedules = []specs.Schedule{specs.Never()}
		return nil
	}
	zone := p.cfg.Zone
	if st.TimeZone != nil {
		zone = *st.TimeZone
	}
	if _, err := specs.CanonicalZone(zone); err != nil {
		return fmt.Errorf("%s: %w", st.PlaceOr("time_zone"), err)
	}
	text := oneBlank(strings.Trim(st.Schedule[0], cBlanks+"\n"))
	dialect := p.dialect()
	if p.cfg.Live && p.cfg.System {
		dialect = dialectOf(dialect, text) // of a job in anacrontab
	}
	s, err := scheduleIn(dialect, text, zone, p.cfg.Zone, false)
	if err != nil {
		return fmt.Errorf("%s: %w", st.PlaceOr("schedule"), err)
	}
	d.Spec.Schedules = []specs.Schedule{s}
	return nil
}

// dialect is that of what a ledger states. A live source without one finds out
// as a listing does.
func (p *Provider) dialect() specs.Dialect {
	if p.cfg.Dialect != "" {
		return p.cfg.Dialect
	}
	if !p.cfg.Live {
		return specs.Debian
	}
	d, _ := (&look{Provider: p}).findDialect()
	return d
}

// knowsUsers says whether an entry of the source always has a user: not so
// offline with users' tables of which nobody said whose they are. There a
// ledger's user cannot be compared.
func (p *Provider) knowsUsers() bool {
	return p.cfg.Live || slices.ContainsFunc(p.cfg.Files, func(f File) bool { return f.User != "" || p.columned(f) })
}

// columned says whether the tables that a configured path names have a user
// column.
func (p *Provider) columned(f File) bool {
	l := &look{Provider: p, dialect: p.dialect()}
	return l.isSystem(f, filepath.ToSlash(f.Path)) || f.Format == "" && f.User == "" && filepath.Base(f.Path) == "cron.d" && hasUserColumn(l.dialect)
}

func (p *Provider) template(st specs.Statement) (specs.Desired, error) {
	name, data := st.Template.Name, templateText(st.Template)
	system := p.templateColumned(name, data)
	g := grammar{
		dialect: p.dialect(), zone: p.cfg.Zone, own: p.cfg.Zone, system: system, privileged: true, recent: true,
		schedules: readings{}, refusals: map[string]string{},
	}
	t := table{name: name, file: name, open: name, data: data}
	only, err := onlyEntry(t, g)
	if err != nil {
		return specs.Desired{}, err
	}
	stated := statedIn(only.Env.Value())
	ownerless := !system && p.knowsUsers()
	if len(stated) == 0 && !ownerless {
		return specs.Desired{Spec: only.Spec}, nil
	}
	d := specs.Desired{Spec: only.Spec, Stated: []string{"command", "stdin"}}
	if !ownerless {
		d.Stated = append(d.Stated, "user")
	}
	for _, name := range append([]string{"HOME", "PATH", "SHELL"}, stated...) {
		d.Stated = append(d.Stated, "env."+name)
	}
	d.Spec = d.Spec.With(specs.Member{Key: "env", Value: only.Env.Value()}).Project(d.Stated)
	slices.Sort(d.Stated)
	return d, nil
}

// templateText is that of a template, whose last line counts without a newline too:
// it is added as a line.
func templateText(doc *specs.Document) string {
	data := string(doc.Data)
	if !strings.HasSuffix(data, "\n") {
		data += "\n"
	}
	return data
}

// statedIn are the variables of a template that reach the command and are no
// part of every spec: all but what cron itself reads, for mail and for a zone.
func statedIn(env specs.Value) []string {
	var out []string
	for _, m := range env.Members {
		switch m.Key {
		case "HOME", "PATH", "SHELL", "MAILTO", "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING", "CRON_TZ", "TZ":
		default:
			out = append(out, m.Key)
		}
	}
	return out
}

// onlyEntry reads a template, which holds exactly one entry and nothing that
// the daemon would refuse.
func onlyEntry(t table, g grammar) (only providers.Object, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: the template cannot be read: %v; report it as a fault of rolecall", t.open, r)
		}
	}()
	var first error
	refuse := func(line int, format string, args ...any) {
		if first == nil {
			first = fmt.Errorf("%s: %s; correct the template", specs.Pos{File: t.open, Line: line}, fmt.Sprintf(format, args...))
		}
	}
	probe := g
	entries := 0
	probe.read(t.data, func(it *item) {
		switch {
		case it.kind == badLine:
			refuse(it.line, "%s", it.reason)
		case it.kind == entryLine:
			if entries++; entries > 1 {
				refuse(it.line, "a template holds one entry, and this is another")
			}
		}
	})
	if first == nil && entries == 0 {
		refuse(0, "there is no entry in it")
	}
	if first != nil {
		return providers.Object{}, first
	}
	objects, _, err := readTable(t, g)
	if err != nil {
		return providers.Object{}, err
	}
	for _, o := range objects {
		if len(o.Inactive()) == 0 {
			return o, nil
		}
	}
	return providers.Object{}, fmt.Errorf("%s: the daemon would not run the entry; correct the template", t.open)
}

// templateColumned says whether a template has a user column.
func (p *Provider) templateColumned(name, data string) bool {
	if !hasUserColumn(p.dialect()) {
		return false
	}
	system, user := p.kinds()
	switch {
	case standsWithSystem(filepath.ToSlash(name)):
		return true
	case system != user:
		return system
	}
	return p.beginsWithUser(data)
}

// kinds says which kinds of table the source has.
func (p *Provider) kinds() (system, user bool) {
	if p.cfg.Live {
		return p.cfg.System, len(p.cfg.Users) > 0
	}
	for _, f := range p.cfg.Files {
		if p.columned(f) {
			system = true
		} else {
			user = true
		}
	}
	return system, user
}

// beginsWithUser says whether the command of the one entry begins with the name
// of a user and goes on.
func (p *Provider) beginsWithUser(data string) bool {
	word := p.firstWord(data)
	if commonAccounts[word] || word == "" || !p.cfg.Live {
		return commonAccounts[word]
	}
	_, err := p.host.Account(word)
	return err == nil
}

// firstWord is that of the command of the one entry, if the command goes on.
func (p *Provider) firstWord(data string) (word string) {
	g := grammar{
		dialect: p.dialect(), privileged: true, recent: true,
		schedules: readings{}, refusals: map[string]string{},
	}
	g.read(data, func(it *item) {
		if it.kind != entryLine {
			return
		}
		if first, rest := cutField(it.entry.command); rest != "" {
			word = first
		}
	})
	return word
}
