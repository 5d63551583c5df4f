package crontab

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// readBusybox reads as busybox crond does: a backslash at the end of a line
// joins it with the next, # cuts it anywhere, blanks around fields and at the
// end fall away, and a line that it does not understand costs only itself.
func (g *grammar) readBusybox(data string, emit func(*item)) {
	most := busyboxLines
	if g.privileged {
		most = busyboxRootLines
	}
	taken := 0
	for n := 1; data != ""; {
		line, rest, lines := joinedLine(data)
		it := g.busyboxLine(line)
		if it.kind != blankLine && it.kind != commentLine {
			taken++
		}
		if taken > most && it.kind != blankLine && it.kind != commentLine {
			it = item{kind: badLine, text: line, entry: it.entry, whole: it.kind == entryLine, reason: fmt.Sprintf(tooManyForBusybox, most)}
		}
		it.line = n
		emit(&it)
		data, n = rest, n+lines
	}
}

// joinedLine cuts off the first line and those that a backslash joins to it.
func joinedLine(data string) (line, rest string, lines int) {
	line, rest, _ = nextLine(data)
	if !strings.HasSuffix(line, `\`) {
		return line, rest, 1
	}
	var b strings.Builder
	for lines = 1; strings.HasSuffix(line, `\`); lines++ {
		b.WriteString(line[:len(line)-1])
		line, rest, _ = nextLine(rest)
	}
	b.WriteString(line)
	return b.String(), rest, lines
}

func (g *grammar) busyboxLine(line string) item {
	text := strings.TrimLeft(line, blanks)
	switch {
	case text == "":
		return item{kind: blankLine, text: line}
	case text[0] == '#':
		return item{kind: commentLine, text: text}
	}
	text, _, _ = strings.Cut(text, "\x00")
	text, _, _ = strings.Cut(text, "#")
	text = strings.TrimRight(text, blanks)
	word, after := cutField(text)
	for _, name := range []string{"MAILTO", "SHELL", "PATH"} {
		if value, ok := strings.CutPrefix(word, name+"="); ok && (name != "PATH" || g.recent) {
			return item{kind: settingLine, name: name, value: value}
		}
	}
	fields, command := timeFields(text)
	switch {
	case looksLikeSetting(text):
		return item{kind: settingLine, reason: ignoredSetting}
	case after != "" && isWord(word):
		return item{kind: badLine, text: text, reason: "busybox crond reads " + word + " in some builds only; write five fields", grave: endsBusybox}
	case fields == "" || command == "":
		return item{kind: badLine, text: text, reason: fewWords}
	}
	e := entry{command: command}
	if reason := g.schedule(&e, fields); reason != "" {
		return item{kind: badLine, text: text, reason: cmp.Or(g.surplus(text), reason)}
	}
	return item{kind: entryLine, entry: e}
}

// isWord says that vixie's cron knows a word like @daily.
func isWord(word string) bool {
	_, err := parseSchedule(specs.Debian, word, "")
	return strings.HasPrefix(word, "@") && err == nil
}

// readSupercronic reads as supercronic 0.2 does: a CR at the end of a line
// falls, the first of seven, six, five or one fields that make a schedule are
// one, and any bad line refuses the file.
func (g *grammar) readSupercronic(data string, emit func(*item)) {
	for n := 1; data != ""; n++ {
		line, rest, _ := nextLine(data)
		data = rest
		it := item{kind: badLine, reason: lineTooLong}
		if len(line) < supercronicLine {
			it = g.supercronicLine(strings.TrimSuffix(line, "\r"))
		}
		it.line = n
		emit(&it)
	}
}

func (g *grammar) supercronicLine(line string) item {
	text := strings.TrimLeft(line, blanks)
	switch {
	case text == "":
		return item{kind: blankLine}
	case text[0] == '#':
		return item{kind: commentLine, text: text}
	}
	if name, value, ok := supercronicSetting(text); ok {
		if value == "" && !strings.HasSuffix(text, `""`) && !strings.HasSuffix(text, "''") {
			return item{kind: badLine, text: text, reason: emptyValueCrashes}
		}
		return item{kind: settingLine, name: name, value: value}
	}
	e, reason := g.supercronicEntry(text)
	if reason != "" {
		return item{kind: badLine, text: text, reason: cmp.Or(g.surplus(text), reason)}
	}
	return item{kind: entryLine, entry: e}
}

func (g *grammar) supercronicEntry(text string) (e entry, reason string) {
	ends, starts := words(text, 8)
	reason = notEnoughFields
	for _, n := range []int{7, 6, 5, 1} {
		if len(starts) <= n {
			continue
		}
		e.command = text[starts[n]:]
		refused := g.schedule(&e, text[:ends[n-1]])
		if refused == "" {
			return e, ""
		}
		if n == 5 || reason == notEnoughFields {
			reason = refused
		}
	}
	return entry{}, reason
}

// words finds where the first words of a text end and start.
func words(text string, most int) (ends, starts []int) {
	const space = "\t\n\f\r "
	in := false
	for i := 0; i < len(text) && len(starts) < most; i++ {
		blank := strings.IndexByte(space, text[i]) >= 0
		if !blank && !in {
			starts = append(starts, i)
		}
		if blank && in {
			ends = append(ends, i)
		}
		in = !blank
	}
	if len(ends) < len(starts) {
		ends = append(ends, len(text))
	}
	return ends, starts
}

// supercronicGlobals are the settings of the whole file, of which the last
// wins, also for the entries above it. A CRON_TZ that names no zone refuses the
// file, wherever it stands.
func (g *grammar) supercronicGlobals(data string, env *environment) (refused string) {
	probe, own := *g, g.zone
	probe.read(data, func(it *item) {
		if it.kind != settingLine {
			return
		}
		env.set(it.name, it.value)
		switch {
		case it.name != "CRON_TZ":
		case it.value == "Local":
			g.zone = own
		case validZone(g.dialect, it.value):
			g.zone = it.value
		case refused == "":
			refused = fmt.Sprintf("CRON_TZ=%s names no time zone", it.value)
		}
	})
	return refused
}
