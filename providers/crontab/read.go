package crontab

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// grammar is how the lines of one table are read.
type grammar struct {
	dialect specs.Dialect
	system  bool // the table has a user column
	// privileged says that the table is root's or the system's, which cronie
	// allows to begin a line with - .
	privileged bool
	// personal says that the table is a user's own, for which cronie has limits.
	personal bool
	zone     string
	own      string // the zone of the daemon itself
	zoned    bool   // a line of the table sets the zone
	// recent says that the daemon is a new one of its kind: Debian 13's cron takes
	// NAME= for an environment line, as cronie does, and Debian 12's does not;
	// busybox sets PATH from 1.36 on.
	recent bool
	// versioned says that recent is known and not assumed.
	versioned bool
	// line reads a line of another kind of table instead.
	line func(text string) item
	// tolerant says that a bad line costs only itself, whatever the dialect.
	tolerant bool
	// account says whether a name is a user; nil where that is not known.
	account func(name string) bool

	schedules readings
	refusals  map[string]string
}

// readings are the schedules that were read, by their text and how the zone is
// stated. The entries with one share it.
type readings map[string]*reading

type reading struct {
	schedules []specs.Schedule // one
	warnings  []string
}

type kind uint8

const (
	blankLine kind = iota
	commentLine
	settingLine
	entryLine
	badLine
)

// item is one line that was read.
type item struct {
	kind        kind
	line        int
	text        string // of a comment or a bad line
	name, value string // of a setting
	entry       entry
	// whole says of a bad line that its entry is understood and refused for
	// something beside it.
	whole  bool
	reason string // why a bad line is refused, or a setting has no effect
	grave  string // what a bad line does beside that
	// fatal says that the line takes the table down in a dialect where others
	// cost only themselves.
	fatal bool
	// unset says of a setting that it is a bare NAME=, which Debian 12 refuses.
	unset bool
}

// entry is what one line schedules.
type entry struct {
	schedules     []specs.Schedule // one, which other entries share; none for what was not read
	warnings      []string         // about the schedule, shared too
	written       string
	user, command string
	stdin         string
	fed           bool // with standard input
}

// read hands each line of a table to emit, in order.
func (g *grammar) read(data string, emit func(*item)) {
	switch g.dialect {
	case specs.Busybox:
		g.readBusybox(data, emit)
	case specs.Supercronic:
		g.readSupercronic(data, emit)
	default:
		g.readVixie(data, emit)
	}
}

// nextLine cuts the first line off and says whether a newline ended it.
func nextLine(data string) (line, rest string, ended bool) {
	return strings.Cut(data, "\n")
}

func (g *grammar) readVixie(data string, emit func(*item)) {
	limits := vixieLimits{cronie: g.dialect == specs.Cronie && g.personal, debian: g.dialect == specs.Debian}
	for n := 1; data != ""; n++ {
		line, rest, ended := nextLine(data)
		data = rest
		for again := true; again; {
			var it item
			line, again = g.vixieLine(&it, line, ended)
			it.line = n
			limits.apply(&it)
			emit(&it)
		}
	}
}

// vixieLine reads one line into an item that is empty. A NUL ends a line's text for
// these daemons, and what follows it is read as a line of its own; it is handed
// back.
func (g *grammar) vixieLine(it *item, line string, ended bool) (rest string, again bool) {
	text := skipBlanks(line)
	switch {
	case text == "":
		it.kind, it.text = blankLine, line
		return "", false
	case text[0] == '#':
		it.kind, it.text = commentLine, text
		return "", false
	}
	text, rest, again = strings.Cut(text, "\x00")
	setting := text
	if g.dialect == specs.Debian && len(setting) > debianSetting {
		setting = setting[:debianSetting]
	}
	name, value, ok := vixieSetting(setting, g.dialect == specs.Cronie)
	switch {
	case ok && !again && !ended:
		it.kind, it.text, it.reason = badLine, text, missingNewline
	case ok && value == "" && !g.recent && strings.HasSuffix(strings.TrimRight(setting, cBlanks), "="):
		it.kind, it.text, it.reason = badLine, text, emptyValueRefused
	case ok:
		it.kind, it.name, it.value = settingLine, name, value
		it.unset = value == "" && strings.HasSuffix(strings.TrimRight(setting, cBlanks), "=")
	default:
		g.vixieEntry(it, text, ended || again)
	}
	return rest, again && it.kind != badLine
}

func (g *grammar) vixieEntry(it *item, text string, ended bool) {
	var reason string
	it.kind = entryLine
	it.whole, reason = g.entryOf(&it.entry, text)
	if reason == "" && !ended {
		it.whole, reason = true, missingNewline
	}
	if reason == "" {
		it.whole = false
		return
	}
	if !it.whole {
		it.entry = entry{}
	}
	it.kind, it.text, it.reason = badLine, text, cmp.Or(g.surplus(strings.TrimPrefix(text, "-")), reason)
}

// entryOf reads the fields of an entry. Where a reason says that it is refused,
// whole says whether it was understood all the same. Debian's cron takes a line
// without a command, in a system table if a blank follows the user.
func (g *grammar) entryOf(e *entry, text string) (whole bool, reason string) {
	if g.dialect == specs.Cronie && strings.HasPrefix(text, "-") {
		if text = text[1:]; !g.privileged {
			return false, dashNotAllowed
		}
	}
	fields, rest := timeFields(text)
	switch {
	case fields == "" || strings.IndexByte(blanks, fields[0]) >= 0:
		return false, notEnoughFields
	case rest == "" && (g.system || g.dialect != specs.Debian):
		return false, noCommand
	case strings.HasPrefix(rest, "*"):
		return false, starCommand
	}
	if reason = g.schedule(e, fields); reason != "" {
		return false, reason
	}
	unknown := ""
	if g.system {
		column := rest
		e.user, rest = cutField(column)
		if rest == "" && (g.dialect != specs.Debian || e.user == column) {
			return false, fmt.Sprintf(noCommandForUser, e.user)
		}
		if !g.isAccount(e.user) {
			unknown = fmt.Sprintf(noSuchUser, e.user)
		}
	}
	if rest, reason = g.options(rest); reason != "" {
		return false, reason
	}
	e.command, e.stdin, e.fed = splitPercent(g.dialect, rest)
	return true, unknown
}

// isAccount takes a name for a user where nothing is known of the users, unless
// it is a path or a time field, which no user is called.
func (g *grammar) isAccount(name string) bool {
	if g.account != nil {
		return g.account(name)
	}
	return !strings.ContainsAny(name, "/:") && !timeShape(name)
}

// options takes cronie's -n off the command, and holds the lengths.
func (g *grammar) options(command string) (rest, reason string) {
	if g.dialect == specs.Debian && len(command) > debianCommand {
		return "", commandTooLong
	}
	if g.dialect != specs.Cronie {
		return command, ""
	}
	if strings.HasPrefix(command, "-") {
		option, after := cutField(command)
		switch {
		case option != "-n":
			return "", fmt.Sprintf(unknownOption, option)
		case after == "":
			return "", noCommand
		case strings.HasPrefix(after, "-"):
			return "", fmt.Sprintf(unknownOption, after[:min(2, len(after))])
		}
		command = after
	}
	return command[:min(len(command), cronieText)], ""
}
