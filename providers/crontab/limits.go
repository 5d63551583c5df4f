package crontab

// The limits of the programs. Debian's, busybox's and supercronic's were
// measured, the cronie ones stand in its macros.h.
const (
	debianSetting     = 998
	debianCommand     = 998
	debianLines       = 10003
	cronieText        = 131071
	cronieEntries     = 10000
	cronieSettings    = 1000
	cronieGarbage     = 32768
	busyboxLines      = 255
	busyboxRootLines  = 65534
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
	tooManyForBusybox = "busybox crond takes %d lines of a table, comments not counted; this one is passed by"
	endsBusybox       = "where busybox is built as Debian does, crond ends with a fault at this line, and no table is read; other builds run the job, or pass the line by. Write five fields"
	lineTooLong       = "supercronic takes lines of at most 65535 bytes"
	emptyValueCrashes = "supercronic stops at an environment line without a value"
	emptyValueRefused = "Debian 12's cron takes no environment line without a value; write NAME=\"\""
	ignoredSetting    = "busybox crond sets only SHELL, MAILTO and, from 1.36 on, PATH; this line has no effect"
	fewWords          = "busybox crond takes no line of fewer than six words"
)

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
