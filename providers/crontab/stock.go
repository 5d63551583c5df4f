package crontab

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// What distributions install by themselves. An entry counts as one of these
// only if it stands where the package puts it and runs what the package runs;
// it is listed and counted, and reported as unexpected no more. A marker on it
// is stronger.
//
// From the packages of Debian 11 to 13, Ubuntu 22.04 and 24.04, and Fedora.
var stockTables = map[string][]string{
	"0hourly":             {"run-parts /etc/cron.hourly"},
	"anacron":             {"anacron start", "start-stop-daemon --start --oknodo --exec /usr/sbin/anacron"},
	"certbot":             {"certbot -q renew"},
	"e2scrub_all":         {"e2scrub_all"},
	"mdadm":               {"/usr/share/mdadm/checkarray"},
	"ntpsec":              {"/usr/lib/ntp/", "/usr/lib/ntpsec/"},
	"php":                 {"/usr/lib/php/sessionclean"},
	"popularity-contest":  {"/etc/cron.daily/popularity-contest"},
	"raid-check":          {"/usr/sbin/raid-check"},
	"sysstat":             {"debian-sa1", "/usr/lib64/sa/sa1", "/usr/lib64/sa/sa2", "/usr/lib/sysstat/sa"},
	"zfsutils-linux":      {"/usr/lib/zfs-linux/"},
	"unattended-upgrades": {"/usr/bin/unattended-upgrade"},
}

// stockScripts stand in cron.hourly, cron.daily, cron.weekly and cron.monthly.
var stockScripts = map[string]bool{
	"0anacron": true, "0yum-daily.cron": true, "apache2": true, "apport": true, "apt-compat": true, "aptitude": true,
	"bsdmainutils": true, "bsdutils": true, "cracklib-runtime": true, "debsums": true, "dpkg": true, "exim4-base": true,
	"fake-hwclock": true, "locate": true, "logrotate": true, "man-db": true, "man-db.cron": true,
	"mdadm": true, "mlocate": true, "passwd": true, "plocate": true, "popularity-contest": true, "quota": true,
	"samba": true, "spamassassin": true, "sysstat": true, "tmpreaper": true, "tmpwatch": true, "ubuntu-advantage-tools": true,
	"update-notifier-common": true,
}

// Builtin lists the built-in names for the documents: files of cron.d, then
// scripts of cron.daily and the like.
func Builtin() (tables, scripts []string) {
	return slices.Sorted(maps.Keys(stockTables)), slices.Sorted(maps.Keys(stockScripts))
}

// stock says that a distribution put an entry there.
func stock(file, command string) bool {
	base := path.Base(file)
	if base == "crontab" || base == "anacrontab" {
		return runsPeriodic(command)
	}
	if !inCronD(strings.TrimPrefix(file, "/")) {
		return false
	}
	for _, part := range stockTables[base] {
		if strings.Contains(command, part) {
			return true
		}
	}
	return false
}

// runsPeriodic says that a command does nothing but run one of the folders,
// whose scripts are objects of their own.
func runsPeriodic(command string) bool {
	if !strings.Contains(command, "run-parts") {
		return false
	}
	for _, folder := range periodic {
		if hasWord(command, folder) {
			return true
		}
	}
	return false
}
