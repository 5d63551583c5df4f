package crontab

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// places are where a daemon looks, or is: where none of them exists there is no
// scheduler to read.
var places = []string{
	"/etc/crontab", "/etc/cron.d", "/var/spool/cron", "/etc/crontabs", "/etc/anacrontab",
	"/usr/sbin/cron", "/usr/sbin/crond", "/usr/bin/crontab",
}

// exists takes a place that cannot be looked at for one that is there.
func (l *look) exists(path string) bool {
	_, err := l.host.Stat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

func (l *look) anyOf(paths ...string) bool {
	for _, p := range paths {
		if l.exists(p) {
			return true
		}
	}
	return false
}

// daemons are where the programs stand that run tables.
var daemons = []string{"/usr/sbin/cron", "/usr/sbin/crond", "/sbin/cron", "/sbin/crond", "/usr/bin/crond", "/bin/crond"}

// needDaemon makes a gap of a machine on which no daemon is installed: what
// stands in the tables that were left behind is not run. The image below another
// root may be run by a daemon that stands elsewhere.
func (l *look) needDaemon() {
	const part = "daemon"
	if l.open("/") != "/" || l.anyOf(daemons...) || !l.sel.Wants(part) {
		return
	}
	l.area(part, providers.Missing, fmt.Sprintf("no cron daemon is installed, so nothing would run: none of %s is there; install one, or if it stands elsewhere name it with dialect", strings.Join(daemons, ", ")))
}

// findDialect looks which daemon is installed, by files that only one of them
// has; sure is false where none was found.
func (l *look) findDialect() (d specs.Dialect, sure bool) {
	switch {
	case l.anyOf("/usr/bin/cronnext", "/var/lib/dpkg/info/cronie.list", "/etc/sysconfig/crond"):
		return specs.Cronie, true
	case l.exists("/usr/sbin/cron"):
		return specs.Debian, true
	case l.linksToBusybox("/usr/sbin/crond"), l.linksToBusybox("/sbin/crond"), l.linksToBusybox("/bin/crond"), l.linksToBusybox("/usr/bin/crond"):
		return specs.Busybox, true
	case l.anyOf("/usr/sbin/crond", "/usr/bin/crond"):
		return specs.Cronie, true
	}
	return specs.Debian, false
}

// linksToBusybox compares sizes, since a link in an image may be one of either
// kind.
func (l *look) linksToBusybox(path string) bool {
	link, err := l.host.Lstat(path)
	if err != nil || link.Type&fs.ModeSymlink == 0 {
		return false
	}
	file, err := l.host.Stat(path)
	if err != nil {
		return false
	}
	for _, p := range []string{"/bin/busybox", "/usr/bin/busybox", "/bin/busybox.static"} {
		if b, err := l.host.Stat(p); err == nil && b.Size == file.Size {
			return true
		}
	}
	return false
}

// installed is the version of the first of some packages that is installed below
// the root, as Debian's or Alpine's list of them has it.
func (l *look) installed(packages ...string) string {
	for _, list := range []struct{ file, name, version string }{
		{"/var/lib/dpkg/status", "\nPackage: ", "\nVersion: "}, {"/lib/apk/db/installed", "\nP:", "\nV:"},
	} {
		data, _, err := l.host.Read(list.file)
		if err != nil {
			continue
		}
		for _, name := range packages {
			_, rest, found := strings.Cut("\n"+string(data), list.name+name+"\n")
			stanza, _, _ := strings.Cut("\n"+rest, "\n\n")
			_, version, stated := strings.Cut(stanza, list.version)
			if found && stated {
				version, _, _ = strings.Cut(version, "\n")
				return version
			}
		}
	}
	return ""
}

// Debian's cron takes NAME= as an environment line from some version between
// these on.
const lastWithoutBare, firstWithBare = 162, 197

// recentCron says whether a version of Debian's cron is a recent one (see
// grammar), and whether that is known.
func recentCron(version string) (recent, known bool) {
	_, revision, _ := strings.Cut(version, "3.0pl1-")
	n, ok := leadingNumber(revision)
	switch {
	case !ok:
		return true, false
	case n <= lastWithoutBare:
		return false, true
	}
	return true, n >= firstWithBare
}

// recentBusybox says the same of busybox, which sets PATH from 1.36.0 on (read in
// its source).
func recentBusybox(version string) (recent, known bool) {
	version = version[strings.IndexByte(version, ':')+1:]
	major, rest, _ := strings.Cut(version, ".")
	n, ok := leadingNumber(rest)
	if !ok || major == "" {
		return true, false
	}
	return major != "1" || n >= 36, true
}

func leadingNumber(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s[:len(s)-len(strings.TrimLeft(s, "0123456789"))])
	return n, err == nil
}

// spool is the folder of the users' tables. On Alpine and OpenWrt it is a link to
// /etc/crontabs, which may be made at boot only.
func (l *look) spool() string {
	const debian, alpine = "/var/spool/cron/crontabs", "/etc/crontabs"
	switch l.dialect {
	case specs.Cronie:
		if info, err := l.host.Stat(debian); err != nil || !info.Type.IsDir() {
			return "/var/spool/cron"
		}
	case specs.Busybox:
		if !l.exists(debian) && l.exists(alpine) {
			return alpine
		}
	}
	return debian
}
