package crontab

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs"
)

// periodic are the folders whose scripts an entry of a system table runs.
var periodic = []string{"/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly", "/etc/cron.monthly", "/etc/cron.yearly"}

// scripts lists a folder's scripts as objects. Their schedule is that of the
// active entries which hand the folder to run-parts; a folder that nothing runs
// makes its scripts inactive. Where a system table could not be read that
// cannot be said, and the folder is a gap.
func (l *look) scripts(folder string, entries []providers.Object, unread bool) {
	part := "folder" + folder
	if !l.sel.Wants(part) || l.cancelled(part) {
		return
	}
	names, err := l.host.List(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.area(part, providers.Read, "")
		return
	case err != nil:
		l.area(part, files.StateOf(err), why(err))
		return
	}
	runners := l.runnersOf(folder, entries)
	if len(l.sel.Parts) > 0 {
		runners, unread = l.runnersAgain(folder)
	}
	if len(runners) == 0 && unread {
		l.area(part, providers.Failed, "what runs the folder may stand in a table that could not be read")
		return
	}
	l.area(part, providers.Read, "")
	for _, name := range names {
		l.script(path.Join(folder, name), part, runners)
	}
}

// runnersAgain looks at all system tables, since a selection leaves some out.
func (l *look) runnersAgain(folder string) (runners []providers.Object, unread bool) {
	all := &look{
		Provider: l.Provider, ctx: l.ctx, dialect: l.dialect, recent: l.recent, versioned: l.versioned, known: l.known, homes: l.homes,
		schedules: l.schedules, refusals: l.refusals,
	}
	all.systemTable(etcCrontab, "")
	all.cronD()
	all.anacrontab()
	for _, a := range all.out.Areas {
		unread = unread || a.Gap()
	}
	return all.runnersOf(folder, all.out.Objects), unread
}

// runnersOf are the active entries that hand a folder to run-parts.
func (l *look) runnersOf(folder string, entries []providers.Object) []providers.Object {
	var out []providers.Object
	for _, o := range entries {
		if len(o.Inactive()) == 0 && l.runs(o.Attr("command"), folder) {
			out = append(out, o)
		}
	}
	return out
}

// runs says whether a command hands a folder to run-parts. Debian's tables leave
// that to anacron where it is installed: test -x /usr/sbin/anacron || …
func (l *look) runs(command, folder string) bool {
	if !strings.Contains(command, "run-parts") || !hasWord(command, folder) {
		return false
	}
	test, _, either := strings.Cut(command, "||")
	return !either || !strings.Contains(test, "anacron") || !l.hasAnacron()
}

// hasWord says whether a path stands in a command by itself, with or without a
// slash at its end.
func hasWord(command, word string) bool {
	const around = " \t;&|(){}'\""
	for at := 0; ; {
		i := strings.Index(command[at:], word)
		if i < 0 {
			return false
		}
		start := at + i
		at = start + len(word)
		after := strings.TrimLeft(command[at:], "/")
		if (start == 0 || strings.IndexByte(around, command[start-1]) >= 0) && (after == "" || strings.IndexByte(around, after[0]) >= 0) {
			return true
		}
	}
}

// script makes the object of one file of the folder.
func (l *look) script(file, part string, runners []providers.Object) {
	name := path.Base(file)
	info, err := l.host.Stat(file)
	switch {
	case err != nil && l.deadEnd(file):
		if l.scriptUnnamed(name, runners) == "" {
			l.noteDeadEnd(file)
		}
		return
	case err != nil:
		l.area("file"+file, files.StateOf(err), why(err))
		return
	}
	if info.Type != 0 || name == ".placeholder" {
		return
	}
	data, _, err := l.host.Read(file)
	if err != nil {
		l.area("file"+file, files.StateOf(err), "the script's marker cannot be read: "+why(err))
		return
	}
	o := providers.Object{
		Origin: &providers.Origin{Source: l.cfg.Source, Provider: "crontab", Part: part}, Pos: specs.Pos{File: l.open(file)},
		Attrs: providers.AttrsOf(map[string]string{"file": file, "command": file, "user": "root"}),
		More:  &providers.More{Changes: l.changes(info)}, Marked: providers.Keep(l.scriptMarker(file, string(data))),
	}
	l.scheduleScript(&o, runners)
	o.Extra().Inactive = l.scriptRefused(name, path.Dir(file), info, runners)
	if stockScripts[name] {
		o.SetAttr("builtin", "true")
	}
	o.ID = objectID(l.cfg.Source, file[1:], &o, "")
	l.out.Objects = append(l.out.Objects, o)
}

// scheduleScript gives a script the times and the user of what runs its folder.
// Without that there is nothing to compare.
func (l *look) scheduleScript(o *providers.Object, runners []providers.Object) {
	e := entry{command: o.Attr("file")}
	user, env := "root", specs.Value{}
	var written []string
	for i, r := range runners {
		o.Spec.Schedules = append(o.Spec.Schedules, r.Spec.Schedules...)
		written = append(written, r.Attr("schedule"))
		if i == 0 {
			user, env, o.Env = r.Attr("user"), r.Spec.Body.Get("env"), r.Env
			o.Spec.Cosmetic = r.Spec.Cosmetic
		}
	}
	o.SetAttr("user", user)
	o.Spec.Body = bodyOf(e, user, env)
	o.Opaque = len(runners) == 0
	if len(written) > 0 {
		o.SetAttr("schedule", strings.Join(written, "; "))
	}
}

// scriptRefused says why run-parts passes a script by.
func (l *look) scriptRefused(name, folder string, info Info, runners []providers.Object) []providers.Inactive {
	reason := l.scriptUnnamed(name, runners)
	switch {
	case len(runners) == 0:
		reason = fmt.Sprintf("no active entry of %s, %s or %s hands %s to run-parts", etcCrontab, cronD, etcAnacrontab, folder)
	case reason == "" && info.Perm&0o111 == 0:
		reason = fmt.Sprintf("the file is not executable, its mode is %04o", info.Perm)
	}
	if reason == "" {
		return nil
	}
	return []providers.Inactive{{Code: "file-not-loaded", Detail: reason}}
}

// scriptUnnamed says why run-parts passes a file by for its name; empty if it
// does not.
func (l *look) scriptUnnamed(name string, runners []providers.Object) string {
	switch {
	case l.dialect != specs.Cronie && !plainName(name) && !otherNames(runners):
		return fmt.Sprintf("run-parts runs no file with the name %q: only letters, digits, _ and - may stand in it", name)
	case l.dialect == specs.Cronie && runPartsSkips(name):
		return fmt.Sprintf("run-parts runs no file with the name %q", name)
	}
	return ""
}

// otherNames says that run-parts is called with a rule of its own for names,
// which is not judged.
func otherNames(runners []providers.Object) bool {
	for _, r := range runners {
		if c := r.Attr("command"); strings.Contains(c, "--regex") || strings.Contains(c, "--lsbsysinit") {
			return true
		}
	}
	return false
}

// runPartsSkips is the rule of the script that the crontabs package installs
// beside cronie (read in its source).
func runPartsSkips(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasSuffix(name, ",") {
		return true
	}
	for _, tail := range []string{".cfsaved", ".rpmsave", ".rpmorig", ".rpmnew", ".swp", ",v"} {
		if strings.HasSuffix(name, tail) {
			return true
		}
	}
	return false
}

// scriptMarker is our own marker among the comments at the head of a script.
// Other tools put none there.
func (l *look) scriptMarker(file, data string) providers.Marker {
	for n := 1; data != "" && n <= 100; n++ {
		line, rest, _ := nextLine(data)
		data = rest
		text := strings.TrimLeft(line, blanks)
		if text != "" && text[0] != '#' {
			break
		}
		if lb, ok := parseLabel(text, specs.Pos{File: l.open(file), Line: n}); ok && !lb.foreign {
			return lb.marker
		}
	}
	return providers.Marker{}
}
