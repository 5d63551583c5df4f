package crontab

import (
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// blanks separate fields; cBlanks are what C's isspace skips around the equals
// sign of an environment line.
const (
	blanks  = " \t"
	cBlanks = " \t\v\f\r"
)

// vixieSetting reads NAME = value as Debian's cron and cronie do: quotes around
// the name or the value, no escapes, no expansion. A line that is no setting is
// read as an entry. In a quoted name = is allowed by cronie alone.
func vixieSetting(s string, equals bool) (name, value string, ok bool) {
	name, rest, ok := settingName(s)
	if !ok || !equals && strings.Contains(name, "=") {
		return "", "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, cBlanks), "=")
	if !ok {
		return "", "", false
	}
	rest = strings.TrimLeft(rest, cBlanks)
	if rest == "" {
		return name, "", true
	}
	if rest[0] != '"' && rest[0] != '\'' {
		return name, strings.TrimRight(rest, cBlanks), true
	}
	value, after, closed := strings.Cut(rest[1:], rest[:1])
	return name, value, closed && strings.Trim(after, cBlanks) == ""
}

func settingName(s string) (name, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	if s[0] == '"' || s[0] == '\'' {
		name, rest, ok = strings.Cut(s[1:], s[:1])
		return name, rest, ok
	}
	i := strings.IndexAny(s, cBlanks+"=")
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i:], true
}

// supercronicSetting reads a line as supercronic does: a name without blanks,
// an equals sign, and the rest of the line, of which quotes at both ends fall.
func supercronicSetting(s string) (name, value string, ok bool) {
	const space = "\t\n\f\r "
	i := strings.IndexAny(s, space+"=")
	if i <= 0 {
		return "", "", false
	}
	value, ok = strings.CutPrefix(strings.TrimLeft(s[i:], space), "=")
	if !ok {
		return "", "", false
	}
	value = strings.TrimLeft(value, space)
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[0] == value[n-1] {
		value = value[1 : n-1]
	}
	return s[:i], value, true
}

// looksLikeSetting tells an environment line that a daemon does not honour from
// a line that it does not understand.
func looksLikeSetting(s string) bool {
	name, _, ok := vixieSetting(s, true)
	if !ok || name == "" {
		return false
	}
	return strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// environment is what the lines of a table set so far. Entries between two
// changes share one Value.
type environment struct {
	dialect   specs.Dialect
	vars      map[string]string
	defaults  map[string]string
	all, spec specs.Value
	// packed is all, for every entry between two changes.
	packed specs.Packed
	// spelled are the settings that say what holds anyway.
	spelled specs.Packed
	fresh   bool
	// left bounds how many members the entries of a table may hold together,
	// since in a hostile one that grows with the square of its lines.
	left int
}

const environmentBudget = 1 << 18

func newEnvironment(d specs.Dialect) *environment {
	return &environment{dialect: d, vars: map[string]string{}, defaults: defaultsOf(d), fresh: true, left: environmentBudget}
}

// defaultsOf are the values that a daemon gives a command where no line sets
// another, so that a line with one of them says nothing. Known are those that no
// option and no build changes: for both the shell (crontab(5), and load_entry in
// cronie's entry.c), for Debian's cron the path (run as a daemon, 3.0pl1-162).
func defaultsOf(d specs.Dialect) map[string]string {
	switch d {
	case specs.Debian:
		return map[string]string{"SHELL": "/bin/sh", "PATH": "/usr/bin:/bin"}
	case specs.Cronie:
		return map[string]string{"SHELL": "/bin/sh"}
	}
	return nil
}

// set takes a line's assignment, if the daemon lets it reach the job.
func (e *environment) set(name, value string) {
	switch {
	case name == "":
		return
	case e.dialect == specs.Debian && name == "LOGNAME",
		e.dialect == specs.Cronie && (name == "LOGNAME" || name == "USER"),
		e.dialect == specs.Busybox && name != "SHELL" && name != "MAILTO" && name != "PATH":
		return
	}
	e.vars[name] = value
	e.fresh = false
}

func (e *environment) refresh() {
	if e.fresh {
		return
	}
	e.fresh = true
	e.spec = specs.NewMap(e.member("HOME"), e.member("PATH"), e.member("SHELL"))
	e.all, e.spelled = e.spec, specs.Pack(e.spelledOut())
	if e.left -= len(e.vars); e.left >= 0 {
		e.all = e.whole()
	}
	e.packed = specs.Pack(e.all)
}

func (e *environment) whole() specs.Value {
	members := make([]specs.Member, 0, len(e.vars))
	for name := range e.vars {
		members = append(members, e.member(name))
	}
	return specs.NewMap(members...)
}

// spelledOut is a Map of the known defaults that a line sets; Absent for none.
func (e *environment) spelledOut() specs.Value {
	var out []specs.Member
	for name, value := range e.defaults {
		if e.vars[name] == value {
			out = append(out, environmentMember(name, value))
		}
	}
	if out == nil {
		return specs.Value{}
	}
	return specs.NewMap(specs.Member{Key: "env", Value: specs.NewMap(out...)})
}

func (e *environment) member(name string) specs.Member {
	value, ok := e.vars[name]
	if standard, known := e.defaults[name]; !ok || known && value == standard {
		return specs.Member{}
	}
	return environmentMember(name, value)
}

// environmentMember hides every value but those that are known to be harmless.
func environmentMember(name, value string) specs.Member {
	if name == "HOME" || name == "PATH" || name == "SHELL" {
		return specs.Member{Key: name, Value: specs.NewText(value)}
	}
	return specs.Member{Key: name, Value: specs.NewSecret(value)}
}

// effective is the whole environment, and the part of it that a spec keeps;
// Absent where nothing is set.
func (e *environment) effective() (all, spec specs.Value) {
	e.refresh()
	if e.spec.Empty() {
		return e.all, specs.Value{}
	}
	return e.all, e.spec
}
