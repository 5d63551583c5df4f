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

// takesBare says whether the Debian cron below the root takes NAME= as an
// environment line: -162 does not and -197 does. Known says that its version
// could be told.
func (l *look) takesBare() (takes, known bool) {
	data, _, err := l.host.Read("/var/lib/dpkg/status")
	if err != nil {
		return true, false
	}
	_, rest, found := strings.Cut("\n"+string(data), "\nPackage: cron\n")
	if !found {
		return true, false
	}
	stanza, _, _ := strings.Cut(rest, "\n\n")
	_, version, found := strings.Cut(stanza, "\nVersion: ")
	if !found {
		return true, false
	}
	version, _, _ = strings.Cut(version, "\n")
	return bareByVersion(version)
}

const lastWithoutBare, firstWithBare = 162, 197

func bareByVersion(version string) (takes, known bool) {
	_, revision, _ := strings.Cut(version, "3.0pl1-")
	digits := revision[:len(revision)-len(strings.TrimLeft(revision, "0123456789"))]
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return true, false
	case n <= lastWithoutBare:
		return false, true
	}
	return true, n >= firstWithBare
}

// spool is the folder of the users' tables.
func (l *look) spool() string {
	const debian = "/var/spool/cron/crontabs"
	if l.dialect == specs.Cronie {
		if info, err := l.host.Stat(debian); err != nil || !info.Type.IsDir() {
			return "/var/spool/cron"
		}
	}
	return debian
}
