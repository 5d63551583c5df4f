package crontab

import (
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
	// bare says that NAME= is an environment line: so with cronie and Debian
	// 13's cron, not with Debian 12's.
	bare bool
	// versioned says that bare is known and not assumed.
	versioned bool
	// line reads a line of another kind of table instead.
	line func(text string) item
	// tolerant says that a bad line costs only itself, whatever the dialect.
	tolerant bool
	// account says whether a name is a user; nil where that is not known.
	account func(name string) bool

	schedules map[string]specs.Schedule
	refusals  map[string]string
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
	reason string // why a bad line is refused
	// fatal says that the line takes the table down in a dialect where others
	// cost only themselves.
	fatal bool
	// unset says of a setting that it is a bare NAME=, which Debian 12 refuses.
	unset bool
}

// entry is what one line schedules.
type entry struct {
	schedule      specs.Schedule
	written       string
	user, command string
	stdin         string
	fed           bool // with standard input
}

// The limits of the programs. Debian's and supercronic's were measured, the
// cronie ones stand in its macros.h.
const (
	debianSetting     = 999
	debianCommand     = 998
	debianLines       = 10003
	cronieText        = 131071
	cronieEntries     = 10000
	cronieSettings    = 1000
	cronieGarbage     = 32768
	supercronicLine   = 65536
	missingNewline    = "the last line has no newline at its end"
	notEnoughFields   = "a line needs five time fields, or one word like @daily, and a command"
	noCommand         = "there is no command"
	starCommand       = "a command cannot begin with *; is there one time field too many?"
	noCommandForUser  = "there is no command behind %q, which stands in the user column; is the user missing?"
	noSuchUser        = "there is no user %q, which stands in the user column; is the user missing?"
	dashNotAllowed    = "only the system's and root's tables may begin a line with -"
	unknownOption     = "cronie knows no option %q in front of a command"
	commandTooLong    = "the command is longer than 998 bytes"
	tooManyLines      = "Debian's cron takes nothing behind line 10003"
	tooManyEntries    = "cronie takes at most 10000 entries of a user"
	tooManySettings   = "cronie takes at most 1000 environment lines of a user"
	tooMuchGarbage    = "cronie takes at most 32768 bytes of comments and blank lines in a row in a user's table"
	lineTooLong       = "supercronic takes lines of at most 65535 bytes"
	emptyValueCrashes = "supercronic stops at an environment line without a value"
	emptyValueRefused = "Debian 12's cron takes no environment line without a value; write NAME=\"\""
	ignoredSetting    = "busybox crond sets only SHELL and MAILTO; this line has no effect"
	fewWords          = "busybox crond takes no line of fewer than six words"
)

// read hands each line of a table to emit, in order.
func (g *grammar) read(data string, emit func(item)) {
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

func (g *grammar) readVixie(data string, emit func(item)) {
	limits := vixieLimits{cronie: g.dialect == specs.Cronie && g.personal, debian: g.dialect == specs.Debian}
	for n := 1; data != ""; n++ {
		line, rest, ended := nextLine(data)
		data = rest
		for again := true; again; {
			var it item
			it, line, again = g.vixieLine(line, ended)
			it.line = n
			limits.apply(&it)
			emit(it)
		}
	}
}

// vixieLine reads one line. A NUL ends a line's text for these daemons, and
// what follows it is read as a line of its own; it is handed back.
func (g *grammar) vixieLine(line string, ended bool) (it item, rest string, again bool) {
	text := strings.TrimLeft(line, blanks)
	switch {
	case text == "":
		return item{kind: blankLine, text: line}, "", false
	case text[0] == '#':
		return item{kind: commentLine, text: text}, "", false
	}
	text, rest, again = strings.Cut(text, "\x00")
	setting := text
	if g.dialect == specs.Debian && len(setting) > debianSetting {
		setting = setting[:debianSetting]
	}
	name, value, ok := vixieSetting(setting, g.dialect == specs.Cronie)
	switch {
	case ok && !again && !ended:
		it = item{kind: badLine, text: text, reason: missingNewline}
	case ok && value == "" && !g.bare && strings.HasSuffix(strings.TrimRight(setting, cBlanks), "="):
		it = item{kind: badLine, text: text, reason: emptyValueRefused}
	case ok:
		it = item{kind: settingLine, name: name, value: value, unset: value == "" && strings.HasSuffix(strings.TrimRight(setting, cBlanks), "=")}
	default:
		it = g.vixieEntry(text, ended || again)
	}
	return it, rest, again && it.kind != badLine
}

func (g *grammar) vixieEntry(text string, ended bool) item {
	e, whole, reason := g.entryOf(text)
	if reason == "" && !ended {
		whole, reason = true, missingNewline
	}
	if reason != "" {
		return item{kind: badLine, text: text, entry: e, whole: whole, reason: reason}
	}
	return item{kind: entryLine, entry: e}
}

// entryOf reads the fields of an entry. Where a reason says that it is refused,
// whole says whether it was understood all the same. Debian's cron takes a line
// without a command, in a system table if a blank follows the user.
func (g *grammar) entryOf(text string) (e entry, whole bool, reason string) {
	if g.dialect == specs.Cronie && strings.HasPrefix(text, "-") {
		if text = text[1:]; !g.privileged {
			return entry{}, false, dashNotAllowed
		}
	}
	fields, rest := timeFields(text)
	switch {
	case fields == "" || strings.IndexByte(blanks, fields[0]) >= 0:
		return entry{}, false, notEnoughFields
	case rest == "" && (g.system || g.dialect != specs.Debian):
		return entry{}, false, noCommand
	case strings.HasPrefix(rest, "*"):
		return entry{}, false, starCommand
	}
	if e.written, e.schedule, reason = g.schedule(fields); reason != "" {
		return entry{}, false, reason
	}
	unknown := ""
	if g.system {
		column := rest
		e.user, rest = cutField(column)
		if rest == "" && (g.dialect != specs.Debian || e.user == column) {
			return entry{}, false, fmt.Sprintf(noCommandForUser, e.user)
		}
		if !g.isAccount(e.user) {
			unknown = fmt.Sprintf(noSuchUser, e.user)
		}
	}
	if rest, reason = g.options(rest); reason != "" {
		return entry{}, false, reason
	}
	e.command, e.stdin, e.fed = splitPercent(g.dialect, rest)
	return e, true, unknown
}

// isAccount takes a name for a user where nothing is known of the users, unless
// it is a path, which no user is called.
func (g *grammar) isAccount(name string) bool {
	if g.account != nil {
		return g.account(name)
	}
	return !strings.ContainsAny(name, "/:")
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

// timeFields cuts the five fields, or the one word after an @, off a line.
func timeFields(text string) (fields, rest string) {
	n := 5
	if strings.HasPrefix(text, "@") {
		n = 1
	}
	rest = text
	for range n {
		rest = strings.TrimLeft(rest, blanks)
		i := strings.IndexAny(rest, blanks)
		if i < 0 {
			i = len(rest)
		}
		if i == 0 {
			return "", ""
		}
		rest = rest[i:]
	}
	return text[:len(text)-len(rest)], strings.TrimLeft(rest, blanks)
}

// cutField cuts the first word off.
func cutField(s string) (word, rest string) {
	i := strings.IndexAny(s, blanks)
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], blanks)
}

// schedule reads time fields, each text once.
func (g *grammar) schedule(fields string) (written string, s specs.Schedule, reason string) {
	written = oneBlank(fields)
	key := g.zone + "\x00" + written
	if s, ok := g.schedules[key]; ok {
		return s.Text, s, ""
	}
	if reason, ok := g.refusals[key]; ok {
		return "", specs.Schedule{}, reason
	}
	s, err := parseSchedule(g.dialect, written, g.zone)
	if err != nil {
		g.refusals[key] = err.Error()
		return "", specs.Schedule{}, err.Error()
	}
	g.schedules[key] = s
	return written, s, ""
}

// parseSchedule keeps a fault of the parser from taking the audit down.
func parseSchedule(d specs.Dialect, text, zone string) (s specs.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("schedule %q cannot be read: %v; report it as a fault of rolecall", text, r)
		}
	}()
	return specs.ParseSchedule(d, text, zone)
}

// oneBlank is the text with single spaces between its fields; the text itself
// where it is so already.
func oneBlank(fields string) string {
	for i := 0; i < len(fields); i++ {
		if fields[i] == '\t' || fields[i] == ' ' && (i+1 == len(fields) || fields[i+1] == ' ' || fields[i+1] == '\t') {
			return strings.Join(strings.FieldsFunc(fields, func(r rune) bool { return r == ' ' || r == '\t' }), " ")
		}
	}
	return fields
}

// vixieLimits are what cronie counts in a user's table, and how far Debian's
// cron reads. Beyond them the table is refused.
type vixieLimits struct {
	cronie, debian             bool
	entries, settings, garbage int
}

func (l *vixieLimits) apply(it *item) {
	reason := ""
	empty := it.kind == blankLine || it.kind == commentLine
	switch {
	case l.debian && !empty && it.line > debianLines:
		reason, l.debian = tooManyLines, false
	case l.cronie:
		reason = l.count(it, empty)
		l.cronie = reason == ""
	}
	if reason != "" {
		*it = item{kind: badLine, line: it.line, text: it.text, entry: it.entry, whole: it.kind == entryLine, reason: reason, fatal: true}
	}
}

func (l *vixieLimits) count(it *item, empty bool) (reason string) {
	if empty {
		if l.garbage += len(it.text) + 1; l.garbage > cronieGarbage {
			return tooMuchGarbage
		}
		return ""
	}
	l.garbage = 0
	if it.kind == settingLine {
		l.settings++
	} else {
		l.entries++
	}
	switch {
	case l.settings > cronieSettings:
		return tooManySettings
	case l.entries > cronieEntries:
		return tooManyEntries
	}
	return ""
}
