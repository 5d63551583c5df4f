package crontab

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// nameRefused says why a daemon does not load a file of cron.d for its name;
// empty if it does.
func nameRefused(d specs.Dialect, name string) string {
	switch {
	case d == specs.Debian && !plainName(name):
		return fmt.Sprintf("Debian's cron loads no file of cron.d with the name %q: only letters, digits, _ and - may stand in it", name)
	case d == specs.Cronie && cronieSkips(name):
		return fmt.Sprintf("cronie loads no file of cron.d with the name %q", name)
	}
	return ""
}

// plainName is the rule of Debian's cron, and of run-parts without options.
func plainName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return name != ""
}

func cronieSkips(name string) bool {
	if name == "" || name[0] == '.' || name[0] == '#' || strings.HasSuffix(name, "~") || name == "CRON_HOSTNAME" {
		return true
	}
	for _, tail := range []string{".rpmsave", ".rpmorig", ".rpmnew"} {
		if strings.HasSuffix(name, tail) && len(name) > len(tail) {
			return true
		}
	}
	return false
}

// systemRefused says why a daemon does not load a system table, by the link
// that names it and the file that is there; empty if it does. A file without any
// name was replaced while it was looked at.
func systemRefused(d specs.Dialect, link, file Info) string {
	switch {
	case !hasUserColumn(d):
		return daemonOf(d) + " reads no system tables, only those of its spool"
	case file.Type != 0:
		return "it is not a regular file"
	case d == specs.Debian && link.Type&fs.ModeSymlink != 0 && link.UID != 0:
		return fmt.Sprintf("the link belongs to uid %d and not to root", link.UID)
	case file.UID != 0:
		return fmt.Sprintf("the file belongs to uid %d and not to root", file.UID)
	case d == specs.Debian && file.Perm&0o022 != 0:
		return fmt.Sprintf("its mode %04o lets others than its owner write", file.Perm)
	case d == specs.Cronie && file.Perm&0o7533 != 0o400:
		return fmt.Sprintf("its mode is %04o, and cronie takes only 0400, 0440, 0444, 0600, 0640 and 0644", file.Perm)
	case d == specs.Debian && file.Links > 1:
		return fmt.Sprintf("the file has %d hard links", file.Links)
	}
	return ""
}

// spoolRefused says why a daemon does not load a user's table; empty if it does.
func spoolRefused(d specs.Dialect, link, file Info, owner Account) string {
	switch {
	case file.Type != 0, d == specs.Debian && link.Type != 0:
		return "it is not a regular file"
	case d == specs.Busybox && strings.Contains(owner.Name, "."):
		return "busybox crond loads no table whose name has a dot"
	case d == specs.Busybox && file.UID != 0:
		return fmt.Sprintf("the table belongs to uid %d and not to root", file.UID)
	case d == specs.Busybox:
		return ""
	case file.UID != 0 && owner.UID == 0:
		return fmt.Sprintf("the table belongs to uid %d and not to root", file.UID)
	case file.UID != 0 && file.UID != owner.UID:
		return fmt.Sprintf("the table belongs to uid %d, neither to %s nor to root", file.UID, owner.Name)
	case d == specs.Debian && file.Perm != 0o600:
		return fmt.Sprintf("its mode is %04o and not 0600", file.Perm)
	case d == specs.Cronie && file.Perm&0o7533 != 0o400:
		return fmt.Sprintf("its mode is %04o, and cronie takes only 0400, 0440, 0444, 0600, 0640 and 0644", file.Perm)
	case file.Links > 1:
		return fmt.Sprintf("the table has %d hard links", file.Links)
	}
	return ""
}
