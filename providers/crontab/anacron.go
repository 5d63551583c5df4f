package crontab

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs"
)

var anacronPrograms = []string{"/usr/sbin/anacron", "/usr/bin/anacron", "/sbin/anacron"}

func (l *look) hasAnacron() bool {
	for _, p := range anacronPrograms {
		if info, err := l.host.Stat(p); err == nil && info.Type == 0 && info.Perm&0o111 != 0 {
			return true
		}
	}
	return false
}

// anacrontab reads /etc/anacrontab. Its jobs are due once in a period of days,
// at no set hour: a period of 1 is taken as @daily, 7 as @weekly, its words as
// they are, and any other N as @every of N days. Without the program they are
// inactive.
func (l *look) anacrontab() {
	if !l.sel.Wants(part(etcAnacrontab)) || l.cancelled(part(etcAnacrontab)) {
		return
	}
	data, info, err := l.host.Read(etcAnacrontab)
	if errors.Is(err, fs.ErrNotExist) {
		l.area(part(etcAnacrontab), providers.Read, "")
		return
	}
	if err != nil {
		l.area(part(etcAnacrontab), files.StateOf(err), why(err))
		return
	}
	l.area(part(etcAnacrontab), providers.Read, "")
	t := table{
		source: l.cfg.Source, part: part(etcAnacrontab), name: etcAnacrontab[1:], file: etcAnacrontab, open: l.open(etcAnacrontab),
		data: string(data), user: "root", changes: l.changes(info), stock: stock,
	}
	if !l.hasAnacron() {
		t.refused = "anacron is not installed"
	}
	objects, notes := readAnacrontab(t, l.cfg.Zone)
	l.out.Objects = append(l.out.Objects, objects...)
	l.out.Notes = append(l.out.Notes, notes...)
}

// readAnacrontab reads lines of period, delay in minutes, identifier and
// command. A line that anacron does not understand costs only itself; a
// backslash joins a line with the next. (anacron 2.3 and cronie's, by source.)
func readAnacrontab(t table, zone string) ([]providers.Object, []providers.Note) {
	g := grammar{dialect: specs.Debian, zone: zone, own: zone, versioned: true, tolerant: true}
	g.line = func(text string) item { return anacronLine(zone, text) }
	r := &tableReader{table: t, g: &g, env: newEnvironment(specs.Debian)}
	// anacron has /bin/sh run its commands whatever SHELL says, and the path of
	// what started it
	r.env.defaults = defaultsOf(specs.Cronie)
	for data, n := t.data, 1; data != ""; {
		line, rest, lines := joinedLine(data)
		it := g.line(line)
		it.line = n
		r.take(&it)
		data, n = rest, n+lines
	}
	r.dropPending()
	r.refuseAll()
	return r.objects, r.notes
}

func anacronLine(zone, line string) item {
	text := strings.TrimLeft(line, blanks)
	switch {
	case text == "":
		return item{kind: blankLine, text: line}
	case text[0] == '#':
		return item{kind: commentLine, text: text}
	}
	if name, value, ok := anacronSetting(text); ok {
		return item{kind: settingLine, name: name, value: value}
	}
	period, rest := cutField(text)
	delay, rest := cutField(rest)
	_, command := cutField(rest)
	if !digits(delay) || command == "" {
		return item{kind: badLine, text: text, reason: "a line of anacrontab needs a period, a delay in minutes, a name and a command"}
	}
	word, ok := periodWord(period)
	if !ok {
		return item{kind: badLine, text: text, reason: fmt.Sprintf("anacron knows no period %q", period)}
	}
	s, err := parseSchedule(dialectOf(specs.Debian, word), word, zone)
	if err != nil {
		return item{kind: badLine, text: text, reason: err.Error()}
	}
	return item{kind: entryLine, entry: entry{schedules: []specs.Schedule{s}, warnings: s.Warnings(), written: period, command: command}}
}

func anacronSetting(text string) (name, value string, ok bool) {
	i := strings.IndexAny(text, blanks+"=")
	if i <= 0 {
		return "", "", false
	}
	value, ok = strings.CutPrefix(strings.TrimLeft(text[i:], blanks), "=")
	return text[:i], value, ok
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// dialectOf reads @every, which only anacron's periods become here, as the one
// dialect that has the word does.
func dialectOf(d specs.Dialect, text string) specs.Dialect {
	if strings.HasPrefix(text, "@every ") {
		return specs.Kubernetes
	}
	return d
}

// periodWord is a period as a schedule.
func periodWord(period string) (string, bool) {
	switch period {
	case "1", "@daily":
		return "@daily", true
	case "7", "@weekly":
		return "@weekly", true
	case "@monthly":
		return "@monthly", true
	case "@yearly", "@annually", "@annualy":
		return "@yearly", true
	}
	days, err := strconv.Atoi(period)
	if err != nil || !digits(period) || days < 1 || days > 10000 {
		return "", false
	}
	return fmt.Sprintf("@every %dh", 24*days), true
}
