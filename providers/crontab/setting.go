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
	all, spec specs.Value
	fresh     bool
	// left bounds how many members the entries of a table may hold together,
	// since in a hostile one that grows with the square of its lines.
	left int
}

const environmentBudget = 1 << 18

func newEnvironment(d specs.Dialect) *environment {
	return &environment{dialect: d, vars: map[string]string{}, fresh: true, left: environmentBudget}
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
	e.all = e.spec
	if e.left -= len(e.vars); e.left < 0 {
		return
	}
	members := make([]specs.Member, 0, len(e.vars))
	for name := range e.vars {
		members = append(members, e.member(name))
	}
	e.all = specs.NewMap(members...)
}

func (e *environment) member(name string) specs.Member {
	value, ok := e.vars[name]
	if !ok {
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
