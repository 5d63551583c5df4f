package crontab

import (
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// The verdicts on files, measured with the daemons named in the dialects.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect specs.Dialect
		format  string
		text    string
		want    string
	}{
		{"plain", "debian", "", "5 4 * * 1-5 /opt/a --b  c\n", `
			1 5 4 * * 1-5 "/opt/a --b  c"
			`},
		{"blanks between fields", "debian", "", " \t05\t02\t*  *\t1\t/opt/a \n", `
			1 05 02 * * 1 "/opt/a "
			`},
		{"word", "debian", "", "@daily\t/opt/a\n", `
			1 @daily "/opt/a"
			`},
		{"user column", "debian", "system", "5 4 * * *  deploy\t /opt/a\n@reboot root /opt/b\n", `
			1 5 4 * * * by deploy "/opt/a"
			2 @reboot by root "/opt/b"
			`},
		{"missing user column", "debian", "system", "5 4 * * * root /opt/a\n5 4 * * * /opt/b\n", `
			1 5 4 * * * by root "/opt/a" !file-not-loaded
			note bad-line at 2
			`},
		{"path in the user column", "debian", "system", "5 4 * * * root /opt/a\n5 4 * * * /opt/b --c\n", `
			1 5 4 * * * by root "/opt/a" !file-not-loaded
			2 5 4 * * * by /opt/b "--c" !file-not-loaded
			`},
		{"six fields", "debian", "", "*/6 * * * * * /opt/a\n", `
			note bad-line at 1
			`},
		{"bad line takes the file", "debian", "", "1 1 * * * /opt/a\n0 24 * * * /opt/b\n2 2 * * * /opt/c\n", `
			1 1 1 * * * "/opt/a" !file-not-loaded
			3 2 2 * * * "/opt/c" !file-not-loaded
			note bad-line at 2
			`},
		{"bad line costs itself", "cronie", "", "1 1 * * * /opt/a\n0 24 * * * /opt/b\n2 2 * * * /opt/c\n", `
			1 1 1 * * * "/opt/a"
			3 2 2 * * * "/opt/c"
			note bad-line at 2
			`},
		{"bad line under a marker", "cronie", "", "# rolecall: role=a\n0 24 * * * /opt/b\n2 2 * * * /opt/c\n", `
			2 <a> !invalid-line
			3 2 2 * * * "/opt/c"
			`},
		{"bad line under a marker takes the file", "debian", "", "# rolecall: role=a\n0 24 * * * /opt/b\n# rolecall: role=c\n0 25 * * * /opt/c\n", `
			2 <a> !file-not-loaded
			4 <c> !file-not-loaded !invalid-line
			`},
		{"no newline at the end", "debian", "", "1 1 * * * /opt/a\n2 2 * * * /opt/b", `
			1 1 1 * * * "/opt/a" !file-not-loaded
			2 2 2 * * * "/opt/b" !file-not-loaded
			`},
		{"no newline at the end of cronie's", "cronie", "", "1 1 * * * /opt/a\n2 2 * * * /opt/b", `
			1 1 1 * * * "/opt/a"
			2 2 2 * * * "/opt/b" !invalid-line
			`},
		{"no newline at the end of busybox's", "busybox", "", "1 1 * * * /opt/a", `
			1 1 1 * * * "/opt/a"
			`},
		{"no newline at the end of supercronic's", "supercronic", "", "1 1 * * * /opt/a", `
			1 1 1 * * * "/opt/a"
			`},
		{"no newline behind a comment", "debian", "", "1 1 * * * /opt/a\n# end", `
			1 1 1 * * * "/opt/a"
			`},
		{"no newline behind blanks", "debian", "", "1 1 * * * /opt/a\n \t", `
			1 1 1 * * * "/opt/a"
			`},
		{"no newline behind a setting", "debian", "", "1 1 * * * /opt/a\nA=b", `
			1 1 1 * * * "/opt/a" !file-not-loaded
			note bad-line at 2
			`},
		{"CRLF job", "debian", "", "1 1 * * * /opt/a\r\n", `
			1 1 1 * * * "/opt/a\r"
			`},
		{"CRLF blank line", "debian", "", "1 1 * * * /opt/a\r\n\r\n2 2 * * * /opt/b\r\n", `
			1 1 1 * * * "/opt/a\r" !file-not-loaded
			3 2 2 * * * "/opt/b\r" !file-not-loaded
			note bad-line at 2
			`},
		{"CRLF blank line of cronie's", "cronie", "", "1 1 * * * /opt/a\r\n\r\n2 2 * * * /opt/b\r\n", `
			1 1 1 * * * "/opt/a\r"
			3 2 2 * * * "/opt/b\r"
			note bad-line at 2
			`},
		{"CRLF of supercronic's", "supercronic", "", "A=b\r\n1 1 * * * /opt/a\r\n\r\n", `
			2 1 1 * * * "/opt/a"
			`},
		{"CRLF marker", "debian", "", "# rolecall: role=a version=2\r\n1 1 * * * /opt/a\r\n", `
			2 <a 2> 1 1 * * * "/opt/a\r"
			`},
		{"BOM", "debian", "", "\xef\xbb\xbf1 1 * * * /opt/a\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"BOM of supercronic's", "supercronic", "", "\xef\xbb\xbf1 1 * * * /opt/a\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"leading blanks of supercronic's", "supercronic", "", " \t1 1 * * * /opt/a\n", `
			1 1 1 * * * "/opt/a"
			`},
		{"backslash at the end of supercronic's", "supercronic", "", "1 1 * * * /opt/a \\\n2 2 * * * /opt/b\n", `
			1 1 1 * * * "/opt/a \\"
			2 2 2 * * * "/opt/b"
			`},
		{"hash in a command of supercronic's", "supercronic", "", "1 1 * * * /opt/a # c\n", `
			1 1 1 * * * "/opt/a # c"
			`},
		{"dash of supercronic's", "supercronic", "", "-1 1 * * * /opt/a\n", `
			note bad-line at 1
			`},
		{"-n of supercronic's", "supercronic", "", "1 1 * * * -n /opt/a\n", `
			1 1 1 * * * "-n /opt/a"
			`},
		{"text behind the quote of supercronic's", "supercronic", "", "A=\"b\" c\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a"
			`},
		{"no command of supercronic's", "supercronic", "", "1 1 * * *\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"longest command of cronie's", "cronie", "", "1 1 * * * " + strings.Repeat("x", 140000) + "\n", `
			1 1 1 * * * "` + strings.Repeat("x", 131071) + `"
			`},
		{"BOM before a comment", "debian", "", "\xef\xbb\xbf# hello\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"BOM before a setting", "debian", "", "\xef\xbb\xbfA=b\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b"
			`},
		{"BOM of cronie's", "cronie", "", "\xef\xbb\xbf1 1 * * * /opt/a\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b"
			note bad-line at 1
			`},
		{"NUL ends a line", "cronie", "", "1 1 * * * /opt/a\x00b\n2 2 * * * /opt/b\n", `
			1 1 1 * * * "/opt/a"
			2 2 2 * * * "/opt/b"
			note bad-line at 1
			`},
		{"NUL takes the file", "debian", "", "1 1 * * * /opt/a\x00b\n2 2 * * * /opt/b\n", `
			1 1 1 * * * "/opt/a" !file-not-loaded
			2 2 2 * * * "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"NUL in a comment", "debian", "", "# a\x00b\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b"
			`},
		{"backslash at the end", "debian", "", "1 1 * * * /opt/a \\\n  --b\n", `
			1 1 1 * * * "/opt/a \\" !file-not-loaded
			note bad-line at 2
			`},
		{"continuation", "busybox", "", "1 1 * * * /opt/a \\\n  --b\n2 2 * * * /opt/c\n", `
			1 1 1 * * * "/opt/a   --b"
			3 2 2 * * * "/opt/c"
			`},
		{"hash anywhere", "busybox", "", "1 1 * * * /opt/a '#' # c\n", `
			1 1 1 * * * "/opt/a '"
			`},
		{"hash in a command", "debian", "", "1 1 * * * /opt/a # c\n", `
			1 1 1 * * * "/opt/a # c"
			`},
		{"percent", "debian", "", "1 1 * * * /opt/a b\\%c%d\\%e%f\n", `
			1 1 1 * * * "/opt/a b%c" fed "d%e\nf"
			`},
		{"percent of busybox", "busybox", "", "1 1 * * * /opt/a b\\%c%d\n", `
			1 1 1 * * * "/opt/a b\\%c%d"
			`},
		{"percent of supercronic", "supercronic", "", "1 1 * * * /opt/a b%c\n", `
			1 1 1 * * * "/opt/a b%c"
			`},
		{"system's dash", "cronie", "system", "-1 1 * * * root /opt/a\n", `
			1 1 1 * * * by root "/opt/a"
			`},
		{"dash", "debian", "system", "-1 1 * * * root /opt/a\n", `
			note bad-line at 1
			`},
		{"cronie's -n", "cronie", "", "1 1 * * * -n /opt/a\n1 1 * * * -x /opt/b\n", `
			1 1 1 * * * "/opt/a"
			note bad-line at 2
			`},
		{"-n of Debian's", "debian", "", "1 1 * * * -n /opt/a\n", `
			1 1 1 * * * "-n /opt/a"
			`},
		{"longest command", "debian", "", "1 1 * * * " + strings.Repeat("x", 998) + "\n", `
			1 1 1 * * * "` + strings.Repeat("x", 998) + `"
			`},
		{"command too long", "debian", "", "1 1 * * * " + strings.Repeat("x", 999) + "\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"no command", "debian", "", "1 1 * * *\n@daily \n2 2 * * * /opt/b\n", `
			1 1 1 * * * ""
			2 @daily ""
			3 2 2 * * * "/opt/b"
			note bad-line at 1
			note bad-line at 2
			`},
		{"no command for a user", "debian", "system", "1 1 * * * root \n2 2 * * * root /opt/b\n", `
			1 1 1 * * * by root ""
			2 2 2 * * * by root "/opt/b"
			note bad-line at 1
			`},
		{"nothing behind a user", "debian", "system", "1 1 * * * root\n2 2 * * * root /opt/b\n", `
			2 2 2 * * * by root "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"no user", "debian", "system", "@daily \n2 2 * * * root /opt/b\n", `
			2 2 2 * * * by root "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"no command of cronie's", "cronie", "", "1 1 * * *\n@daily \n2 2 * * * /opt/b\n", `
			3 2 2 * * * "/opt/b"
			note bad-line at 1
			note bad-line at 2
			`},
		{"dash and a blank", "cronie", "system", "- 1 1 * * * root /opt/a\n", `
			note bad-line at 1
			`},
		{"equals sign in a quoted name", "cronie", "", "\"A=B\"=c\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b"
			`},
		{"equals sign in a quoted name of Debian's", "debian", "", "\"A=B\"=c\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b" !file-not-loaded
			note bad-line at 1
			`},
		{"last line", "debian", "", strings.Repeat("#\n", 10002) + "2 2 * * * /opt/b\n#\n", `
			10003 2 2 * * * "/opt/b"
			`},
		{"too many lines", "debian", "", "1 1 * * * /opt/a\n" + strings.Repeat("#\n", 10002) + "2 2 * * * /opt/b\n3 3 * * * /opt/c\n", `
			1 1 1 * * * "/opt/a" !file-not-loaded
			10004 2 2 * * * "/opt/b" !file-not-loaded
			10005 3 3 * * * "/opt/c" !file-not-loaded
			`},
		{"bare setting", "cronie", "", "A=\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a"
			`},
		{"bare setting of Debian's", "debian", "", "A=\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a"
			note dialect-assumed at 1
			`},
		{"bare setting of supercronic's", "supercronic", "", "A=\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a" !file-not-loaded
			note bad-line at 1
			`},
		{"quoted empty setting", "supercronic", "", "A=\"\"\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a"
			`},
		{"setting with text behind the quote", "debian", "", "A=\"b\" c\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a" !file-not-loaded
			note bad-line at 1
			`},
		{"blank in the name", "debian", "", "A B = c\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a" !file-not-loaded
			note bad-line at 1
			`},
		{"blank in the name of supercronic's", "supercronic", "", "A B=c\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a" !file-not-loaded
			note bad-line at 1
			`},
		{"no reboot for supercronic", "supercronic", "", "@reboot /opt/b\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a" !file-not-loaded
			note bad-line at 1
			`},
		{"seven fields", "supercronic", "", "5 4 * * * * * /opt/a b\n", `
			1 5 4 * * * * * "/opt/a b"
			`},
		{"a year", "supercronic", "", "0 0 * * * 2030 x\n0 0 * * 0 1 y\n", `
			1 0 0 * * * 2030 "x"
			2 0 0 * * 0 "1 y"
			note suspicious-schedule at 2
			`},
		{"no user column", "supercronic", "", "* * * * * root cmd arg\n", `
			1 * * * * * "root cmd arg"
			note suspicious-schedule
			`},
		{"long line", "supercronic", "", "#" + strings.Repeat("x", 65535) + "\n1 1 * * * /opt/a\n", `
			2 1 1 * * * "/opt/a" !file-not-loaded
			note bad-line at 1
			`},
		{"positional zone", "cronie", "", "1 1 * * * /opt/a\nCRON_TZ=America/Chicago\n2 2 * * * /opt/b\n", `
			1 1 1 * * * "/opt/a"
			3 2 2 * * * in America/Chicago "/opt/b"
			`},
		{"global zone", "supercronic", "", "CRON_TZ=Europe/Paris\n1 1 * * * /opt/a\nCRON_TZ=America/Chicago\n2 2 * * * /opt/b\n", `
			2 1 1 * * * in America/Chicago "/opt/a"
			4 2 2 * * * in America/Chicago "/opt/b"
			note suspicious-schedule at 4
			`},
		{"zone without effect", "debian", "", "CRON_TZ=America/Chicago\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b"
			note ineffective-zone at 1
			`},
		{"no such zone", "cronie", "", "CRON_TZ=Mars/Base\n2 2 * * * /opt/b\n", `
			2 2 2 * * * in UTC "/opt/b"
			note ineffective-zone at 1
			`},
		{"no such zone of supercronic's", "supercronic", "", "CRON_TZ=Mars/Base\n2 2 * * * /opt/b\n", `
			2 2 2 * * * "/opt/b" !file-not-loaded
			`},
		{"setting that looks like a zone", "debian", "", "TZ=UTC 0 0 * * * /opt/a\n", ``},
		{"few words", "busybox", "", "# rolecall: role=a\n0 6 * *\nHOME=/srv\n1 1 * * * /opt/b\n", `
			2 <a> !invalid-line
			4 1 1 * * * "/opt/b"
			note bad-line at 3
			`},
		{"setting without effect below a marker", "busybox", "", "# rolecall: role=a\nHOME=/srv\n1 1 * * * /opt/b\n", `
			3 <a> 1 1 * * * "/opt/b"
			note bad-line at 2
			`},
		{"search path of busybox's", "busybox", "", "PATH=/bin\n1 1 * * * /opt/b\n", `
			2 1 1 * * * "/opt/b"
			note dialect-assumed at 1
			`},
		{"backslash at the very end", "busybox", "", "1 1 * * * /opt/b \\", `
			1 1 1 * * * "/opt/b"
			`},
		{"word of busybox's", "busybox", "", "@daily /opt/a\n@daily\n@every 5m /opt/c\n1 1 * * * /opt/b\n", `
			4 1 1 * * * "/opt/b"
			note bad-line at 1
			note early-warning at 1
			note bad-line at 2
			note bad-line at 3
			`},
		{"Quartz", "debian", "", "0 0 12 * * ? /opt/a\n", `
			1 0 0 12 * * "? /opt/a"
			note suspicious-schedule at 1
			`},
		{"looks like a user column", "debian", "", "1 1 * * * root /opt/a\n2 2 * * * www-data /opt/b\n", `
			1 1 1 * * * "root /opt/a"
			2 2 2 * * * "www-data /opt/b"
			note suspicious-schedule
			`},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, show(readText(t, c.dialect, c.format, c.text)), c.want)
		})
	}
}

// Only in its own zone cronie makes up for an hour that a change of the clock
// skips.
func TestZoneOfTheDaemon(t *testing.T) {
	spring, autumn := time.Date(2027, 3, 14, 6, 0, 0, 0, time.UTC), time.Date(2027, 11, 7, 5, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		zone, text string
		night      time.Time
		want       string
	}{
		{"America/New_York", "30 2 * * * x\n", spring, "03-14T07:00"},
		{"America/New_York", "30 1 * * * x\n", autumn, "11-08T06:30"},
		{"", "CRON_TZ=America/New_York\n30 2 * * * x\n", spring, "03-15T06:30"},
		{"UTC", "CRON_TZ=America/New_York\n30 2 * * * x\n", spring, "03-15T06:30"},
		{"UTC", "CRON_TZ=America/New_York\n30 1 * * * x\n", autumn, "11-07T06:30"},
		// named again: neither is made up for nor repeated
		{"America/New_York", "CRON_TZ=America/New_York\n30 2 * * * x\n", spring, "03-15T06:30"},
		{"America/New_York", "CRON_TZ=US/Eastern\n30 1 * * * x\n", autumn, "11-08T06:30"},
		{"America/New_York", "CRON_TZ=\n30 2 * * * x\n", spring, "03-15T06:30"},
		{"America/New_York", "CRON_TZ=America/New_York\n30 * * * * x\n", autumn, "11-07T06:30"},
		{"America/New_York", "30 2 * * * x\nCRON_TZ=America/New_York\n30 2 * * * y\n", spring, "03-14T07:00"},
	} {
		cfg := Config{Dialect: specs.Cronie, Zone: c.zone, Files: []File{{Path: "-"}}}
		o := observe(t, fakeHost{local: map[string]string{"-": c.text}}, cfg)
		next, _ := o.Objects[0].Spec.Schedules[0].Next(c.night)
		if got := next.Format("01-02T15:04"); got != c.want {
			t.Errorf("%q in %q: next at %s", c.text, c.zone, got)
		}
		p, err := New(fakeHost{}, Config{Source: "s", Dialect: specs.Cronie, Zone: c.zone, Files: []File{{Path: "-"}}})
		if err != nil {
			t.Fatal(err)
		}
		zone := "America/New_York"
		d, err := p.Translate(specs.Statement{Schedule: []string{o.Objects[0].Spec.Schedules[0].Text}, TimeZone: &zone})
		if strings.HasPrefix(c.text, "CRON_TZ=") && c.zone == zone {
			continue // a role can state that by a template only
		}
		if err != nil || d.Spec.Schedules[0].Canonical() != o.Objects[0].Spec.Schedules[0].Canonical() {
			t.Errorf("%q in %q: the same schedule of a role is another: %v", c.text, c.zone, err)
		}
	}
}

func TestMarkers(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"own", "# rolecall: role=a version=1.10\n1 1 * * * x\n", `
			2 <a 1.10> 1 1 * * * "x"
			`},
		{"layout", "   ##rolecall:   version=2   role=a  \n1 1 * * * x\n", `
			2 <a 2> 1 1 * * * "x"
			`},
		{"Ansible", "#Ansible: a\n1 1 * * * x\n", `
			2 <a> 1 1 * * * "x"
			`},
		{"Puppet", "# Puppet Name: a\n1 1 * * * x\n", `
			2 <a> 1 1 * * * "x"
			`},
		{"plain name", "# Name: a\n1 1 * * * x\n", `
			2 <a> 1 1 * * * "x"
			`},
		{"foreign free text", "#Ansible: nightly backup of a\n1 1 * * * x\n", `
			2 1 1 * * * "x"
			`},
		{"own beats foreign", "# rolecall: role=a\n#Ansible: b\n1 1 * * * x\n#Ansible: c\n# rolecall: role=d\n1 1 * * * y\n", `
			3 <a> 1 1 * * * "x"
			6 <d> 1 1 * * * "y"
			`},
		{"between", "# rolecall: role=a\n# dry wood only\nWOOD=/srv\n1 1 * * * x\n", `
			4 <a> 1 1 * * * "x"
			`},
		{"blank line", "# rolecall: role=a\n\n1 1 * * * x\n", `
			3 1 1 * * * "x"
			note dangling-marker at 1
			`},
		{"end of file", "1 1 * * * x\n# rolecall: role=a\n", `
			1 1 1 * * * "x"
			note dangling-marker at 2
			`},
		{"another marker", "# rolecall: role=a\n# rolecall: role=b\n1 1 * * * x\n", `
			3 <b> 1 1 * * * "x"
			note dangling-marker at 1
			`},
		{"one entry only", "# rolecall: role=a\n1 1 * * * x\n2 2 * * * y\n", `
			2 <a> 1 1 * * * "x"
			3 2 2 * * * "y"
			`},
		{"commented out", "# rolecall: role=a\n#1 1 * * * x\n2 2 * * * y\n", `
			2 <a> 1 1 * * * "x" !commented-out
			3 2 2 * * * "y"
			`},
		{"commented out twice", "# rolecall: role=a\n## @daily x%y\n", `
			2 <a> @daily "x" fed "y" !commented-out
			`},
		{"commented out and bad", "# rolecall: role=a\n# 61 1 * * * x\n2 2 * * * y\n", `
			2 <a> !commented-out
			3 2 2 * * * "y"
			`},
		{"commented out in a file that is not loaded", "# rolecall: role=a\n#1 1 * * * x\n9 99 * * * y\n", `
			2 <a> 1 1 * * * "x" !commented-out !file-not-loaded
			note bad-line at 3
			`},
		{"commented out without a marker", "#1 1 * * * x\n", ``},
		{"no key", "# rolecall: role=a/b\n1 1 * * * x\n", `
			2 <a/b> 1 1 * * * "x"
			`},
		{"no role", "# rolecall: a\n1 1 * * * x\n", `
			2 <rolecall: a> 1 1 * * * "x"
			note bad-line at 1
			`},
		{"strange word", "# rolecall: role=a verison=2\n1 1 * * * x\n", `
			2 <a> 1 1 * * * "x"
			note bad-line at 1
			`},
		{"a sentence", "# rolecall: role=a\n# * * * * * means every minute\n1 1 * * * x\n", `
			3 <a> 1 1 * * * "x"
			`},
		{"a long sentence", "# rolecall: role=a\n# 5 4 * * * would be too early, says Ann.\nA=b\n1 1 * * * x\n", `
			4 <a> 1 1 * * * "x"
			`},
		{"a sentence or an entry", "# rolecall: role=a\n# * * * * * make backup\n\n1 1 * * * x\n", `
			2 <a> * * * * * "make backup" !commented-out
			4 1 1 * * * "x"
			`},
		{"a sentence or an entry at the end", "# rolecall: role=a\n# * * * * * make backup\n", `
			2 <a> * * * * * "make backup" !commented-out
			`},
		{"a sentence or an entry above another marker", "# rolecall: role=a\n# * * * * * make backup\n# rolecall: role=b\n1 1 * * * x\n", `
			2 <a> * * * * * "make backup" !commented-out
			4 <b> 1 1 * * * "x"
			`},
		{"an entry and no sentence", "# rolecall: role=a\n#* * * * * /opt/make backup\n1 1 * * * x\n", `
			2 <a> * * * * * "/opt/make backup" !commented-out
			3 1 1 * * * "x"
			`},
		{"few words are no sentence", "# rolecall: role=a\n#5 4 * * * systemctl restart web\n1 1 * * * x\n", `
			2 <a> 5 4 * * * "systemctl restart web" !commented-out
			3 1 1 * * * "x"
			`},
		{"prose", "# rolecall: role=a\n# at 5 4 3 2 1 it goes off\n1 1 * * * x\n", `
			3 <a> 1 1 * * * "x"
			`},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, show(readText(t, specs.Debian, "", c.text)), c.want)
		})
	}
}

// What the shell got and read, from Debian's cron 3.0pl1-162.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		dialect              specs.Dialect
		text, command, stdin string
		fed                  bool
	}{
		{"debian", `a`, `a`, "", false},
		{"debian", `a\%%b c`, `a%`, "b c", true},
		{"debian", `a\\%b c`, `a\`, "b c", true},
		{"debian", `a\\\%b c`, `a\%b c`, "", false},
		{"debian", `a\\\\b`, `a\\b`, "", false},
		{"debian", `a\b%x\%y\z%w`, `a\b`, "x%y\\z\nw", true},
		{"debian", `a%`, `a`, "", false},
		{"debian", `a%%`, `a`, "", true},
		{"debian", `a%x%`, `a`, "x", true},
		{"debian", `a%x%%`, `a`, "x\n", true},
		{"debian", `a%x\\`, `a`, `x\\`, true},
		{"debian", `a\`, `a\`, "", false},
		{"cronie", `a\\b\%c`, `a\\b%c`, "", false},
		{"cronie", `a\\%b`, `a\\`, "b", true},
		{"busybox", `a\%b%c`, `a\%b%c`, "", false},
		{"supercronic", `a\%b%c`, `a\%b%c`, "", false},
	} {
		command, stdin, fed := splitPercent(c.dialect, c.text)
		if command != c.command || stdin != c.stdin || fed != c.fed {
			t.Errorf("%s %s: got %q %q %v", c.dialect, c.text, command, stdin, fed)
		}
	}
}

func TestEnvironment(t *testing.T) {
	const text = `
MAILTO=""
"A B" = "c d"
  TOKEN  =   abc 'x"
PATH=/a
LOGNAME=mallory
1 1 * * * one
PATH=/b
HOME=/srv
2 2 * * * two
`
	for d, want := range map[specs.Dialect][2]string{
		specs.Debian:      {"A B=c d MAILTO= PATH=/a TOKEN=abc 'x\" | PATH=/a", "A B=c d HOME=/srv MAILTO= PATH=/b TOKEN=abc 'x\" | HOME=/srv PATH=/b"},
		specs.Cronie:      {"A B=c d MAILTO= PATH=/a TOKEN=abc 'x\" | PATH=/a", "A B=c d HOME=/srv MAILTO= PATH=/b TOKEN=abc 'x\" | HOME=/srv PATH=/b"},
		specs.Supercronic: {"HOME=/srv LOGNAME=mallory MAILTO= PATH=/b TOKEN=abc 'x\" | HOME=/srv PATH=/b", "HOME=/srv LOGNAME=mallory MAILTO= PATH=/b TOKEN=abc 'x\" | HOME=/srv PATH=/b"},
		specs.Busybox:     {"MAILTO=\"\" PATH=/a | PATH=/a", "MAILTO=\"\" PATH=/b | PATH=/b"},
	} {
		in := text
		if d == specs.Supercronic {
			in = strings.Replace(text, "\"A B\" = \"c d\"\n", "", 1)
		}
		o := readText(t, d, "", in)
		if len(o.Objects) != 2 {
			t.Fatalf("%s: %s", d, show(o))
		}
		for i, command := range []string{"one", "two"} {
			for _, obj := range o.Objects {
				if obj.Attr("command") != command {
					continue
				}
				if got := flat(obj.Env.Value()) + " | " + flat(obj.Spec.Body.Get("env")); got != want[i] {
					t.Errorf("%s %s: got %s, want %s", d, command, got, want[i])
				}
			}
		}
	}
}

func flat(v specs.Value) string {
	var words []string
	for _, m := range v.Members {
		words = append(words, m.Key+"="+m.Value.Text)
		if secret := m.Key != "HOME" && m.Key != "PATH" && m.Key != "SHELL"; m.Value.Secret != secret {
			words = append(words, "WRONG SECRET MARK")
		}
	}
	return strings.Join(words, " ")
}

// A user's table has its 255 lines, root's many more.
func TestBusyboxLimits(t *testing.T) {
	text := strings.Repeat("# c\n\n", 300) + "SHELL=/bin/sh\n" + strings.Repeat("1 1 * * * /opt/a\n", 254) + "# rolecall: role=a\n2 2 * * * /opt/b\n3 3 * * * /opt/c\n"
	for user, active := range map[string]int{"deploy": 254, "root": 256, "": 256} {
		o := observe(t, fakeHost{local: map[string]string{"-": text}}, Config{Dialect: specs.Busybox, Files: []File{{Path: "-", User: user}}})
		n := 0
		for _, obj := range o.Objects {
			if len(obj.Inactive()) == 0 {
				n++
			} else if obj.Inactive()[0].Code != "invalid-line" || !strings.Contains(obj.Inactive()[0].Detail, "255 lines") {
				t.Errorf("%+v", obj.Inactive())
			}
		}
		if n != active || len(o.Objects) != 256 {
			t.Errorf("%q: %d of %d active", user, n, len(o.Objects))
		}
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string][2]bool{
		"3.0pl1-162": {false, true}, "3.0pl1-197": {true, true}, "3.0pl1-184ubuntu2": {true, false}, "": {true, false},
	} {
		if recent, known := recentCron(version); [2]bool{recent, known} != want {
			t.Errorf("cron %s: %v %v", version, recent, known)
		}
	}
	for version, want := range map[string][2]bool{
		"1:1.35.0-4+deb12u1+b1": {false, true}, "1.36.1-r29": {true, true}, "1:1.37.0-6+b3": {true, true}, "2.0": {true, true}, "": {true, false}, "x": {true, false},
	} {
		if recent, known := recentBusybox(version); [2]bool{recent, known} != want {
			t.Errorf("busybox %s: %v %v", version, recent, known)
		}
	}
	l := &look{Provider: &Provider{host: host(map[string]fakeFile{
		"/var/lib/dpkg/status":  file(0o644, "Package: busyboxer\nVersion: 9\n\nPackage: busybox\nStatus: x\nVersion: 1.35\n\nPackage: cron\nVersion: 7\n"),
		"/lib/apk/db/installed": file(0o644, "P:musl\nV:1\n\nC:x\nP:apk\nV:2\n"),
	})}}
	if got := l.installed("busybox-static", "busybox") + l.installed("cron") + l.installed("apk") + l.installed("none"); got != "1.3572" {
		t.Errorf("versions %s", got)
	}
}

func TestCronieLimits(t *testing.T) {
	for name, text := range map[string]string{
		"entries":  strings.Repeat("1 1 * * * /opt/a\n", 10001),
		"settings": strings.Repeat("A=b\n", 1001) + "1 1 * * * /opt/a\n",
		"comments": strings.Repeat("# "+strings.Repeat("x", 97)+"\n", 328) + "1 1 * * * /opt/a\n",
	} {
		for _, o := range readText(t, specs.Cronie, "", text).Objects {
			if len(o.Inactive()) != 1 || o.Inactive()[0].Code != "file-not-loaded" {
				t.Fatalf("%s: %+v", name, o.Inactive())
			}
		}
		for _, o := range readText(t, specs.Cronie, "system", strings.ReplaceAll(text, "/opt", "root /opt")).Objects {
			if len(o.Inactive()) != 0 {
				t.Fatalf("%s of the system: %+v", name, o.Inactive())
			}
		}
	}
}

func TestIDsHoldNoLine(t *testing.T) {
	a := readText(t, specs.Debian, "", "# rolecall: role=a\n1 1 * * * x\n2 2 * * * y\n")
	b := readText(t, specs.Debian, "", "\n# more\n\n# rolecall: role=a\n3 3 * * * x\n# other\n2 2 * * * y\n")
	for i := range a.Objects {
		if a.Objects[i].ID != b.Objects[i].ID {
			t.Errorf("%s became %s", a.Objects[i].ID, b.Objects[i].ID)
		}
	}
	if want := "crontab:s/stdin#a"; a.Objects[1].ID != want && a.Objects[0].ID != want {
		t.Errorf("no object has the id %s: %s, %s", want, a.Objects[0].ID, a.Objects[1].ID)
	}
}

// A table in which settings and entries take turns must not cost the square of
// its lines, and what is not kept must be said.
func TestTooMuchEnvironment(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		b.WriteString("V" + strings.Repeat("x", i%900) + "=1\n* * * * * x\n")
	}
	o := readText(t, specs.Debian, "", b.String())
	if len(o.Objects) != 2000 {
		t.Errorf("%d objects", len(o.Objects))
	}
	gaps := o.Gaps()
	if len(gaps) != 1 || gaps[0].State != "partial" {
		t.Errorf("gaps %+v", gaps)
	}
}
