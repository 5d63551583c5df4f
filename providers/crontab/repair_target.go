package crontab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// target is a table that lines are added to.
type target struct {
	part   string
	file   string // its path on the host
	open   string // as people open it
	folder string
	name   string // of the file in its folder
	owner  Account
	// columned says that its entries name their user.
	columned bool
	// direct says that this process reads the file and may change the names in its
	// folder; else crontab(1) is asked.
	direct bool
}

// destination is the table that a role's entry belongs in: that which its repair
// names, or else its match, or else that of the source's only user.
func (l *look) destination(role specs.Role) (target, error) {
	tmpl, pos := role.Statement.Template, role.Repair.Pos
	file, user := role.Repair.File, role.Repair.User
	if file == "" && user == "" {
		file, user, pos = role.Match.Keys["file"], role.Match.Keys["user"], role.Match.Pos
	}
	if strings.ContainsAny(file+user, "*?") {
		return target{}, fmt.Errorf("%s: role %s is matched by a pattern, which names no one table; write repair: {missing: create, user: NAME} or {missing: create, file: PATH}", pos, role.Key)
	}
	system := l.templateColumned(tmpl.Name, templateText(tmpl))
	if name, ok := strings.CutPrefix(file, l.spool()+"/"); ok && !system {
		file, user = "", name
	}
	switch {
	case system && file == "" && role.Repair.User != "":
		return target{}, fmt.Errorf("%s: the template %s has a user column, and the crontab of a user has none; correct one of them", pos, tmpl.Name)
	case system && file == "":
		return target{}, fmt.Errorf("%s: the template %s has a user column, and the role does not say in which table it belongs; write repair: {missing: create, file: %s/%s}", role.Pos, tmpl.Name, cronD, fileName(role.Key))
	case system:
		return l.target("file" + file)
	case file != "":
		return target{}, fmt.Errorf("%s: %s has a user column and the template %s has none%s; correct one of them", pos, file, tmpl.Name, l.noAccount(tmpl))
	case user == "" && len(l.cfg.Users) == 1 && l.noAccount(tmpl) != "":
		return target{}, fmt.Errorf("%s: source %s has tables with a user column and without, and the role does not say in which its template %s belongs%s; write repair: {missing: create, user: %s}, or correct the template's user", role.Pos, l.cfg.Source, tmpl.Name, l.noAccount(tmpl), l.cfg.Users[0])
	case user == "" && len(l.cfg.Users) == 1:
		user = l.cfg.Users[0]
	case user == "" && len(l.cfg.Users) == 0:
		return target{}, fmt.Errorf("%s: source %s has no user's table, and the template %s has no user column%s; correct one of them", role.Pos, l.cfg.Source, tmpl.Name, l.noAccount(tmpl))
	case user == "":
		return target{}, fmt.Errorf("%s: source %s has the tables of %d users, and role %s does not say whose it is%s; write repair: {missing: create, user: NAME}", role.Pos, l.cfg.Source, len(l.cfg.Users), role.Key, l.noAccount(tmpl))
	}
	return l.target("user/" + user)
}

// noAccount names the word at which a template's user would stand, and that there
// is no such account, by which alone the one is told from the other.
func (l *look) noAccount(tmpl *specs.Document) string {
	word := l.firstWord(templateText(tmpl))
	if system, user := l.kinds(); word == "" || !system || !user || strings.ContainsAny(word, "/$=;&|<>()\"'`") {
		return ""
	}
	return fmt.Sprintf(" (its command begins with %q, which is no account here)", word)
}

// fileName is a name under which every daemon loads a file of cron.d.
func fileName(role string) string { return strings.ReplaceAll(role, ".", "-") }

// target is the table of an area.
func (l *look) target(part string) (target, error) {
	kind, name, _ := strings.Cut(part, "/")
	switch {
	case kind == "user" && slices.Contains(l.cfg.Users, name):
		return l.personal(name)
	case kind == "file" && l.cfg.System && hasUserColumn(l.dialect):
		return l.shared("/" + name)
	}
	return target{}, fmt.Errorf("source %s does not look at %q, so that what is added there would not be seen; add it to the source, or name another table in the role's repair", l.cfg.Source, part)
}

func (l *look) personal(name string) (target, error) {
	owner, err := l.host.Account(name)
	if err != nil {
		return target{}, fmt.Errorf("the user %q: %w; correct users, or the user that the role names", name, err)
	}
	t := target{part: "user/" + name, folder: l.spool(), name: name, owner: owner}
	t.file = path.Join(t.folder, name)
	t.open = l.open(t.file)
	_, err = l.host.Lstat(t.file)
	t.direct = !errors.Is(err, fs.ErrPermission) && l.host.(Writer).Writable(t.folder) == nil
	if !t.direct && l.open("/") != "/" {
		return target{}, l.lacking(t, l.host.(Writer).Writable(t.folder))
	}
	return t, nil
}

func (l *look) shared(file string) (target, error) {
	t := target{part: part(file), file: file, open: l.open(file), folder: path.Dir(file), name: path.Base(file), columned: true, direct: true}
	if path.Clean(file) != file || file != etcCrontab && t.folder != cronD {
		return t, fmt.Errorf("rolecall adds to %s and to the files of %s alone, and not to %q; add the lines by hand", etcCrontab, cronD, file)
	}
	if why := nameRefused(l.dialect, t.name); why != "" && file != etcCrontab {
		return t, fmt.Errorf("%s; name another file in the role's repair", why)
	}
	if err := l.host.(Writer).Writable(t.folder); err != nil {
		return t, l.lacking(t, err)
	}
	return t, nil
}

// lacking names the right that this process has not.
func (l *look) lacking(t target, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s for the table; make it as the daemon's package does", l.open(t.folder))
	}
	return fmt.Errorf("this account may not change the names in %s: %w; run as root", l.open(t.folder), err)
}

// hold reads the table as it is now.
func (l *look) hold(t target) (held, error) {
	if !t.direct {
		return l.holdByProgram(t)
	}
	link, err := l.host.Lstat(t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return held{}, nil
	case err != nil:
		return held{}, fmt.Errorf("%w; run as root", err)
	case link.Type&fs.ModeSymlink != 0:
		return held{}, fmt.Errorf("%s is a link, and what it leads to may be another's; add the lines there by hand", t.open)
	case link.Type != 0:
		return held{}, fmt.Errorf("%s: %w; remove it", t.open, ErrNotRegular)
	case link.Links > 1:
		return held{}, fmt.Errorf("%s has %d hard links, of which only this one would get the lines; remove the others", t.open, link.Links)
	}
	data, info, err := l.host.Read(t.file)
	if err != nil {
		return held{}, fmt.Errorf("the table cannot be read: %w; run as root", err)
	}
	return held{data: data, there: true, info: info, link: link}, nil
}

// header is what older versions of crontab(1) put above a table when they
// install one: three lines, of which this is the first.
const header = "# DO NOT EDIT THIS FILE - edit the master and reinstall."

// holdByProgram leaves out the header of the program's own, which it makes anew.
func (l *look) holdByProgram(t target) (held, error) {
	data, err := l.host.Crontab(l.ctx, t.owner.Name)
	if errors.Is(err, ErrNoTable) {
		return held{}, nil
	}
	if err != nil {
		return held{}, fmt.Errorf("%w; run as root or as the user", err)
	}
	for i := 0; i < 3 && (i > 0 || bytes.HasPrefix(data, []byte(header))); i++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		if !bytes.HasPrefix(line, []byte("#")) {
			break
		}
		data = rest
	}
	return held{data: data, there: true}, nil
}

// objects reads bytes as the daemon would if they were the table.
func (l *look) objects(t target, h held, data []byte) ([]providers.Object, error) {
	tab := table{part: t.part, name: t.owner.Name, user: t.owner.Name, file: t.file, open: t.open, data: string(data), stops: l.stops, stock: stock}
	g := grammar{dialect: l.dialect, privileged: t.owner.Name == "root", personal: true}
	if t.columned {
		tab.name, tab.user = t.file[1:], ""
		g = grammar{dialect: l.dialect, system: true, privileged: true, account: l.account}
	}
	switch {
	case !h.there || !t.direct:
	case t.columned:
		tab.refused = systemRefused(l.dialect, h.link, h.info)
	default:
		tab.refused = spoolRefused(l.dialect, h.link, h.info, t.owner)
	}
	g.schedules, g.refusals = l.schedules, l.refusals
	objects, _, err := l.translate(tab, g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.open, err)
	}
	return objects, nil
}

// present is the table's entry with the marker of one of the roles, active or not.
func (l *look) present(t target, h held, roles ...string) (providers.Object, bool) {
	objects, _ := l.objects(t, h, h.data)
	for _, o := range objects {
		if slices.Contains(roles, o.Marker().Role) {
			return o, true
		}
	}
	return providers.Object{}, false
}

// circumstances are what has to be known of the place before lines are added.
func (l *look) circumstances(t target, h held) []string {
	var out []string
	if !h.there {
		out = append(out, t.open+" is not there yet and will be made")
	}
	if !t.direct {
		out = append(out, "this account may not change "+l.open(t.folder)+", so crontab(1) will install the table: what another process writes to it in the same instant would be lost. Run as root to keep it")
	}
	if t.direct && !t.columned && t.owner.Name != "root" && l.dialect != specs.Busybox && l.barred(t.owner.Name) {
		out = append(out, "/etc/cron.allow or /etc/cron.deny keeps "+t.owner.Name+" from changing a crontab; the daemon runs the table all the same")
	}
	if why := l.asleep(); why != "" {
		out = append(out, why)
	}
	return out
}

// barred says that a user may not use crontab(1).
func (l *look) barred(user string) bool {
	if listed, there := l.lists("/etc/cron.allow", user); there {
		return !listed
	}
	listed, _ := l.lists("/etc/cron.deny", user)
	return listed
}

// pidFile is where Debian's cron and cronie say which process they are.
const pidFile = "/run/crond.pid"

// asleep says that the daemon of this machine does not seem to run. Busybox
// leaves no word of itself, and the daemon of another root stands elsewhere.
func (l *look) asleep() string {
	if l.open("/") != "/" || l.dialect == specs.Busybox {
		return ""
	}
	const advice = "; nothing will run until it is started"
	data, _, err := l.host.Read(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "the cron daemon does not seem to run, for " + pidFile + " is not there" + advice
	}
	pid, bad := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || bad != nil {
		return ""
	}
	if _, err := l.host.Stat("/proc/" + strconv.Itoa(pid)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("the cron daemon does not seem to run: %s names process %d, which is gone%s", pidFile, pid, advice)
	}
	return ""
}
