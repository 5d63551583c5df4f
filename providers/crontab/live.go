package crontab

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs"
)

// live reads the host.
func (l *look) live() {
	if !l.anyOf(places...) {
		l.noScheduler()
		return
	}
	l.chooseDialect()
	if l.cfg.System {
		l.system()
	}
	for _, name := range l.cfg.Users {
		part := "user/" + name
		if l.sel.Wants(part) && !l.cancelled(part) {
			l.user(name, part)
		}
	}
}

// noScheduler makes a gap of each part: a host without a scheduler is not one
// that holds nothing.
func (l *look) noScheduler() {
	reason := fmt.Sprintf("no cron under %s: none of %s is there; correct root, or install the daemon", l.open("/"), strings.Join(places, ", "))
	var parts []string
	if l.cfg.System {
		parts = append(parts, part(etcCrontab), "folder/etc/cron.d")
	}
	for _, u := range l.cfg.Users {
		parts = append(parts, "user/"+u)
	}
	for _, part := range parts {
		if l.sel.Wants(part) {
			l.area(part, providers.Missing, reason)
		}
	}
}

func (l *look) chooseDialect() {
	l.dialect, l.recent = l.cfg.Dialect, true
	if l.dialect == "" {
		var sure bool
		if l.dialect, sure = l.findDialect(); !sure {
			l.note("dialect-assumed", specs.Pos{}, "no cron daemon was found under %s; judged as Debian's cron. Name the daemon with dialect", l.open("/"))
		}
		l.needDaemon()
	}
	switch l.dialect {
	case specs.Debian:
		l.recent, l.versioned = recentCron(l.installed("cron"))
	case specs.Busybox:
		l.recent, l.versioned = recentBusybox(l.installed("busybox-static", "busybox"))
	}
}

const (
	etcCrontab    = "/etc/crontab"
	cronD         = "/etc/cron.d"
	etcAnacrontab = "/etc/anacrontab"
)

func part(file string) string { return "file" + file }

// open is a path of the host as people open it on this machine.
func (l *look) open(p string) string { return filepath.Join(cmp.Or(l.cfg.Root, "/"), p) }

// system reads the tables that are not users' own, and the folders that they
// run.
func (l *look) system() {
	before := len(l.out.Objects)
	gaps := len(l.out.Areas)
	if !l.cancelled(part(etcCrontab)) {
		l.systemTable(etcCrontab, "")
	}
	l.cronD()
	l.anacrontab()
	entries := slices.Clone(l.out.Objects[before:])
	unread := slices.ContainsFunc(l.out.Areas[gaps:], providers.Area.Gap)
	for _, folder := range periodic {
		l.scripts(folder, entries, unread)
	}
}

func (l *look) cronD() {
	const part = "folder" + cronD
	if l.cancelled(part) {
		return
	}
	names, err := l.host.List(cronD)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.folderGap(part, err)
	} else if l.sel.Wants(part) {
		l.area(part, providers.Read, "")
	}
	for _, name := range names {
		if !l.cancelled("file" + path.Join(cronD, name)) {
			l.systemTable(path.Join(cronD, name), nameRefused(l.dialect, name))
		}
	}
}

func (l *look) folderGap(part string, err error) {
	if l.sel.Wants(part) {
		l.area(part, files.StateOf(err), why(err))
	}
}

// systemTable reads /etc/crontab or a file of cron.d. That there is none is
// for /etc/crontab as good as an empty one.
func (l *look) systemTable(file, refused string) {
	if !l.sel.Wants(part(file)) {
		return
	}
	link, err := l.host.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) && file == etcCrontab {
		l.area(part(file), providers.Read, "")
		return
	}
	if err != nil {
		l.area(part(file), files.StateOf(err), why(err))
		return
	}
	if link.Type.IsDir() {
		return
	}
	data, info, err := l.host.Read(file)
	if errors.Is(err, ErrNotRegular) {
		l.notRegular(part(file), l.open(file), info)
		return
	}
	unnamed := refused != ""
	if err != nil && l.deadEnd(file) {
		l.area(part(file), providers.Read, "")
		if !unnamed {
			l.noteDeadEnd(file)
		}
		return
	}
	if !l.covered(part(file), len(data) > 0, err) {
		return
	}
	if refused == "" {
		refused = systemRefused(l.dialect, link, info)
	}
	l.read(table{
		part: part(file), name: file[1:], file: file, open: l.open(file), data: string(data), cut: err != nil,
		refused: refused, unnamed: unnamed, changes: l.changes(info), stops: l.stops, stock: stock,
	}, grammar{dialect: l.dialect, system: true, privileged: true, account: l.account})
}

// notRegular covers what no daemon loads. At a pipe Debian's cron waits for a
// writer, and runs nothing until one comes (measured with 3.0pl1-162).
func (l *look) notRegular(part, open string, info Info) {
	l.area(part, providers.Read, "")
	if info.Type&fs.ModeNamedPipe != 0 && l.dialect == specs.Debian {
		l.note("early-warning", specs.Pos{File: open}, "a pipe stands where a table should: Debian's cron waits for a writer there, and runs nothing meanwhile; remove it")
		return
	}
	l.note("not-checked", specs.Pos{File: open}, "it is not a regular file; the daemon does not load it")
}

// changes is the attribution that a file gives: whose it is, and since when its
// content stands.
func (l *look) changes(info Info) []providers.Change {
	return []providers.Change{{Who: l.host.AccountName(info.UID), When: info.Time.UTC(), Evidence: "file"}}
}

// account says whether a name is a user; what cannot be looked up passes.
func (l *look) account(name string) bool {
	is, ok := l.known[name]
	if !ok {
		_, err := l.host.Account(name)
		is = !errors.Is(err, ErrNoAccount)
		l.known[name] = is
	}
	return is
}

// stops says why cronie would not run an entry whose line is good: it enters
// the user's home first, and gives up if it cannot. Debian's cron goes on.
func (l *look) stops(user string, env specs.Value) *providers.Inactive {
	if l.dialect != specs.Cronie || user == "" {
		return nil
	}
	home := env.Get("HOME").Text
	if home == "" {
		home = l.home(user)
	}
	if home == "" {
		return nil
	}
	if _, err := l.host.Stat(home); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &providers.Inactive{Code: "user-denied", Detail: fmt.Sprintf("cronie runs nothing for %s, whose home %s is not there", user, home)}
}

func (l *look) home(user string) string {
	home, ok := l.homes[user]
	if !ok {
		a, _ := l.host.Account(user)
		home = a.Home
		l.homes[user] = home
	}
	return home
}

// user reads the table of one user from the spool, or through crontab(1) where
// the spool is closed to this process.
func (l *look) user(name, part string) {
	owner, err := l.host.Account(name)
	if errors.Is(err, ErrNoAccount) {
		l.area(part, providers.Missing, fmt.Sprintf("there is no user %q under %s; correct users", name, l.open("/")))
		return
	}
	if err != nil {
		l.area(part, files.StateOf(err), "the user cannot be looked up: "+err.Error())
		return
	}
	file := path.Join(l.spool(), name)
	t := table{part: part, name: name, user: name, file: file, open: l.open(file), stops: l.stops, stock: stock}
	link, err := l.host.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.area(part, providers.Read, "")
		return
	case errors.Is(err, fs.ErrPermission):
		l.asked(t, owner)
		return
	case err != nil:
		l.area(part, files.StateOf(err), why(err))
		return
	}
	l.spooled(t, link, owner)
}

func (l *look) spooled(t table, link Info, owner Account) {
	data, info, err := l.host.Read(t.file)
	switch {
	case errors.Is(err, ErrNotRegular):
		l.notRegular(t.part, t.open, info)
		return
	case errors.Is(err, fs.ErrPermission):
		l.asked(t, owner)
		return
	case err != nil && l.deadEnd(t.file):
		l.area(t.part, providers.Read, "")
		l.noteDeadEnd(t.file)
		return
	case !l.covered(t.part, len(data) > 0, err):
		return
	}
	t.data, t.cut = string(data), err != nil
	t.refused, t.changes = spoolRefused(l.dialect, link, info, owner), l.changes(info)
	l.userTable(t)
}

// asked reads a table through crontab -l. The daemon's view of the file behind
// it stays unknown.
func (l *look) asked(t table, owner Account) {
	data, err := l.host.Crontab(l.ctx, owner.Name)
	if errors.Is(err, ErrNoTable) {
		l.area(t.part, providers.Read, "")
		return
	}
	if err != nil {
		l.area(t.part, files.StateOf(err), err.Error()+"; run as root or as the user")
		return
	}
	l.area(t.part, providers.Read, "")
	t.data = string(data)
	l.note("not-checked", specs.Pos{File: t.open}, "the table was read through crontab -l: mode and owner of its file were not judged")
	l.userTable(t)
}

func (l *look) userTable(t table) {
	l.read(t, grammar{dialect: l.dialect, privileged: t.user == "root", personal: true})
	l.denied(t)
}

// denied notes that a user may not install a table any more. The daemons run
// the one that is there all the same (measured with Debian cron 3.0pl1-162; read
// in cronie, where only crontab(1) asks).
func (l *look) denied(t table) {
	if t.user == "root" || l.dialect == specs.Busybox {
		return
	}
	if listed, there := l.lists("/etc/cron.allow", t.user); there {
		if !listed {
			l.note("early-warning", specs.Pos{File: t.open}, "/etc/cron.allow does not name %s: the daemon still runs this table, and crontab(1) will not change it for the user", t.user)
		}
		return
	}
	if listed, _ := l.lists("/etc/cron.deny", t.user); listed {
		l.note("early-warning", specs.Pos{File: t.open}, "/etc/cron.deny names %s: the daemon still runs this table, and crontab(1) will not change it for the user", t.user)
	}
}

// lists says whether a file of names has one.
func (l *look) lists(file, name string) (listed, there bool) {
	data, _, err := l.host.Read(file)
	if err != nil {
		return false, false
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == name {
			return true, true
		}
	}
	return false, true
}
