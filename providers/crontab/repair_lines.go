package crontab

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// lines are the bytes that add a role's entry to a table, and the entry as the
// daemon will read it. Where the table sets a shell or path above that the
// template does not want, lines with the daemon's own go first: being at the end
// they reach the new entry alone.
func (l *look) lines(t target, h held, role specs.Role, d specs.Desired) (text []byte, o providers.Object, notices []string, err error) {
	before, notices := opening(t, h.data)
	body := l.entryLines(t, role)
	text = []byte(before + body)
	if o, err = l.added(t, h, text, role.Key); err != nil {
		return nil, o, nil, err
	}
	diffs := specs.Diff(d.Spec, asStated(d, o))
	if reset := l.restored(diffs); reset != "" {
		text = []byte(before + reset + body)
		if o, err = l.added(t, h, text, role.Key); err != nil {
			return nil, o, nil, err
		}
		diffs = specs.Diff(d.Spec, asStated(d, o))
		notices = append(notices, "the table sets other values above, so lines with the daemon's own go before the entry: "+strings.ReplaceAll(strings.TrimSpace(reset), "\n", ", "))
	}
	if len(diffs) > 0 {
		return nil, o, nil, fmt.Errorf("at the end of %s the entry would not be as the ledger states it: %s would differ, by what the table sets above; state it in the template %s", t.open, paths(diffs), role.Statement.Template.Name)
	}
	if o.Marker().Version != role.Version {
		return nil, o, nil, fmt.Errorf("%s: the version %q of role %s cannot stand in a marker, for it has blanks; correct it", role.Pos, role.Version, role.Key)
	}
	return text, o, notices, nil
}

// opening is what ends the table as it is: the newline that its last line lacks,
// and an empty line below a comment, which would else be read with the marker. An
// empty line begins a user's table too, for Debian's crontab takes up to three
// comments that stand first for its own and leaves them out when the table is next
// edited or listed (crontab.c, NHEADER_LINES), a marker as well.
func opening(t target, data []byte) (text string, notices []string) {
	if len(data) == 0 && !t.columned {
		return "\n", nil
	}
	if len(data) == 0 {
		return "", nil
	}
	if data[len(data)-1] != '\n' {
		text = "\n"
		notices = []string{"the last line of the table has no newline at its end and gets one"}
	}
	last := bytes.TrimSuffix(data, []byte("\n"))
	last = bytes.TrimLeft(last[bytes.LastIndexByte(last, '\n')+1:], blanks)
	if bytes.HasPrefix(last, []byte("#")) {
		text += "\n"
	}
	return text, notices
}

// entryLines are the template's lines with the role's marker right above the
// entry, in place of any that they bring along.
func (l *look) entryLines(t target, role specs.Role) string {
	data := templateText(role.Statement.Template)
	g := grammar{
		dialect: l.dialect, zone: l.cfg.Zone, own: l.cfg.Zone, system: t.columned, privileged: true, recent: true,
		schedules: readings{}, refusals: map[string]string{},
	}
	entry, markers := 0, map[int]bool{}
	g.read(data, func(it *item) {
		switch it.kind {
		case entryLine:
			entry = it.line
		case commentLine:
			label, ok := parseLabel(it.text, specs.Pos{})
			markers[it.line] = ok && !label.foreign
		}
	})
	marker := "# rolecall: role=" + role.Key
	if role.Version != "" {
		marker += " version=" + role.Version
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(data) {
		n++
		if n == entry {
			b.WriteString(marker + "\n")
		}
		if !markers[n] {
			b.WriteString(line)
		}
	}
	return b.String()
}

// added proves that a table with a text at its end holds each entry as before,
// and one more with the role's marker, which runs. It is that entry.
func (l *look) added(t target, h held, text []byte, role string) (providers.Object, error) {
	before, err := l.objects(t, h, h.data)
	if err != nil {
		return providers.Object{}, err
	}
	after, err := l.objects(t, h, h.with(text))
	if err != nil {
		return providers.Object{}, err
	}
	for i, o := range before {
		if i >= len(after) || !reflect.DeepEqual(o, after[i]) {
			return providers.Object{}, fmt.Errorf("added at the end of %s the lines would change what is there: %s%s", t.open, o.Pos, becomes(o, after, i))
		}
	}
	if len(after) != len(before)+1 {
		return providers.Object{}, fmt.Errorf("added at the end of %s the lines would be read as %d entries and not as one; correct the template", t.open, len(after)-len(before))
	}
	o := after[len(before)]
	switch {
	case o.Marker().Role != role || o.Opaque:
		return o, fmt.Errorf("added at the end of %s the entry would not be read as that of role %s; correct the template", t.open, role)
	case len(o.Inactive()) > 0:
		return o, fmt.Errorf("added at the end of %s the entry would not run: %s; mend that first", t.open, o.Inactive()[0].Detail)
	case o.Spec.NeverFires():
		return o, fmt.Errorf("the schedule %q of role %s never fires; correct the template", o.Spec.Written(), role)
	}
	return o, nil
}

// becomes says how an entry would change. A line without a newline at its end is
// the one way that is known: a daemon that passes it by, or the whole table for
// it, would begin to run what it does not run now.
func becomes(o providers.Object, after []providers.Object, i int) string {
	if len(o.Inactive()) > 0 && i < len(after) && len(after[i].Inactive()) < len(o.Inactive()) {
		return fmt.Sprintf(" does not run now and would (%s); mend that first, or remove the entry", o.Inactive()[0].Detail)
	}
	return " would be read otherwise; mend the end of the table first"
}

// asStated is an entry as far as a role states one, with its environment.
func asStated(d specs.Desired, o providers.Object) specs.Spec {
	if !d.Partial() {
		return o.Spec
	}
	s := o.Spec
	if o.Env != "" {
		s = s.With(specs.Member{Key: "env", Value: o.Env.Value()})
	}
	return s.Project(d.Stated)
}

// restored are environment lines that give the daemon's own values to an entry
// that differs in nothing else.
func (l *look) restored(diffs []specs.Difference) string {
	defaults, text := defaultsOf(l.dialect), ""
	for _, d := range diffs {
		name, _ := strings.CutPrefix(d.Path, "env.")
		value, known := defaults[name]
		if !known || d.Path == name || d.Desired.Kind != specs.Absent {
			return ""
		}
		text += name + "=" + value + "\n"
	}
	return text
}

func paths(diffs []specs.Difference) string {
	var out []string
	for _, d := range diffs {
		out = append(out, d.Path)
	}
	return strings.Join(out, ", ")
}
