package crontab

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// probe is a file and the jobs in it. Which of them run stands under their names
// in testdata/load_rules.tsv.
type probe struct {
	name string // of the file in cron.d if no other is given
	file string
	user string // for a table in the spool
	// text: RUN(name) is a job of root's for the boot, JOB(name) its command alone,
	// and LONG(name length) that command of a length.
	text string
	mode fs.FileMode
	uid  int
	// kind is hard for a file with two names, link for a symbolic link to one
	// elsewhere, twice for a link beside the file.
	kind    string
	linkUID int
}

// sunday is the minute in which the probes with times are judged.
var sunday = time.Date(2027, 8, 1, 12, 0, 0, 0, time.UTC)

func probes() []probe {
	named := func(file, label string) probe { return probe{name: label, file: file, text: "RUN(" + label + ")\n"} }
	one := func(name string) probe { return named(strings.TrimPrefix(name, "name_"), name) }
	mode := func(mode fs.FileMode, name string) probe {
		return probe{name: name, text: "RUN(" + name + ")\n", mode: mode | fs.ModeIrregular}
	}
	text := func(name, text string) probe { return probe{name: name, text: text} }
	spool := func(user, text string, mode fs.FileMode, uid int) probe {
		return probe{name: "spool-" + user, user: user, text: text, mode: mode, uid: uid}
	}
	long := func(name string, n int) string { return fmt.Sprintf("@reboot root LONG(%s %d)\n", name, n) }
	return []probe{
		{name: "etc_crontab", file: "../crontab", text: "RUN(etc_crontab)\n"},
		one("name_plain"), one("name_0hourly"), one("name_1digit"), one("name_UPPER"), one("name_da-sh"), named("under_score", "name_under_score"),
		one("name_dot.sh"), one("name_two.dots.x"), one("name_x.bak"), one("name_x.disabled"), one("name_x.dpkg-old"), one("name_x.dpkg-new"), one("name_x.orig"),
		one("name_x.rpmsave"), one("name_x.rpmorig"), one("name_x.rpmnew"), one("name_tilde~"), named("#hash", "name_HASHhash"), one("name_plus+"),
		named("sp ace", "name_spSPace"), named(".hidden", "name_DOThidden"), one("name_com.example-job"), one("name__com.example-job"), named(".rpmsave", "name_DOTrpmsave"),
		mode(0o000, "mode_0"), mode(0o400, "mode_400"), mode(0o440, "mode_440"), mode(0o444, "mode_444"), mode(0o600, "mode_600"), mode(0o640, "mode_640"), mode(0o644, "mode_644"),
		mode(0o755, "mode_755"), mode(0o777, "mode_777"), mode(0o666, "mode_666"), mode(0o664, "mode_664"), mode(0o646, "mode_646"), mode(0o1644, "mode_1644"), mode(0o4644, "mode_4644"),
		{name: "owner1000", text: "RUN(owner1000)\n", uid: 1000},
		{name: "hard", text: "RUN(hard)\n", kind: "hard"},
		{name: "symlink_outside", text: "RUN(symlink_outside)\n", kind: "link"},
		{name: "symlink_owner1000", text: "RUN(symlink_owner1000)\n", kind: "link", linkUID: 1000},
		{name: "symlink_to_owner1000", text: "RUN(symlink_to_owner1000)\n", kind: "link", uid: 1000},
		{name: "symtarget", text: "RUN(symtarget)\n", kind: "twice"},
		text("reboot", "RUN(reboot)\n"),
		text("reboot_tab", "@reboot\troot\tJOB(reboot_tab)\n"),
		text("badmiddle", "RUN(badmiddle_before)\n61 * * * * root echo\nRUN(badmiddle_after)\n"),
		text("baduser", "RUN(baduser_before)\n@reboot nosuchuser JOB(baduser_bad)\nRUN(baduser_after)\n"),
		text("nouser", "RUN(nouser_before)\n@reboot JOB(nouser_bad)\nRUN(nouser_after)\n"),
		text("cont", "@reboot root : \\\n  > OUT/cont\nRUN(cont_after)\n"),
		text("noeol", "RUN(noeol)"),
		text("noeol2", "RUN(noeol2_first)\nRUN(noeol2_last)"),
		text("eolcomment", "RUN(eolcomment)\n# end"),
		text("eolblank", "RUN(eolblank)\n \t "),
		text("eolsetting", "RUN(eolsetting)\nA=b"),
		text("crlfcomment", "# a comment\r\nRUN(crlfcomment) #\r\n"),
		text("crlfblank", "RUN(crlfblank_before) #\r\n\r\nRUN(crlfblank_after) #\r\n"),
		text("crlfsetting", "A=b\r\nRUN(crlfsetting)\n"),
		text("bom", "\xef\xbb\xbfRUN(bom)\nRUN(bom_after)\n"),
		text("bomcomment", "\xef\xbb\xbf# x\nRUN(bomcomment_after)\n"),
		text("bomsetting", "\xef\xbb\xbfA=b\nRUN(bomsetting_after)\n"),
		text("nul", "RUN(nul_before)\n* * * * * root a\x00 b\nRUN(nul_after)\n"),
		text("nulcomment", "# a\x00b\nRUN(nulcomment_after)\n"),
		text("settingnul", "A=b\x00RUN(settingnul)\n"),
		text("leading", " \t@reboot\troot \tJOB(leading)\n"),
		text("formfeed", "\fRUN(formfeed)\n"),
		text("capital", "@Reboot root JOB(capital)\n"),
		text("nocommand", "RUN(nocommand_before)\n@reboot root \nRUN(nocommand_after)\n"),
		text("nothing", "RUN(nothing_before)\n@reboot root\nRUN(nothing_after)\n"),
		text("nouserblank", "RUN(nouserblank_before)\n@reboot \n"),
		text("starcommand", "RUN(starcommand_before)\n* * * * * * root JOB(starcommand_bad)\n"),
		text("dash", "-RUN(dash)\nRUN(dash_after)\n"),
		text("dashn", "@reboot root -n JOB(dashn)\nRUN(dashn_after)\n"),
		text("comment_middle", "RUN(comment_middle) # not for the daemon\n"),
		text("percent", "RUN(percent)%in\n"),
		text("envempty", "FOO=\nRUN(envempty)\n"),
		text("envquotedempty", "FOO=\"\"\nRUN(envquotedempty)\n"),
		text("envspaces", "A B = c\nRUN(envspaces_after)\n"),
		text("envquotedname", "\"A B\" = 'c' \nRUN(envquotedname_after)\n"),
		text("envbehindquote", "A=\"b\" c\nRUN(envbehindquote_after)\n"),
		text("envnoname", "=b\nRUN(envnoname_after)\n"),
		text("envequalsname", "\"A=B\"=c\nRUN(envequalsname_after)\n"),
		text("envlong", "X="+strings.Repeat("x", 2000)+"\nRUN(envlong_after)\n"),
		text("envlongquoted", "X=\""+strings.Repeat("x", 2000)+"\"\nRUN(envlongquoted_after)\n"),
		text("envquoted998", "  X=\""+strings.Repeat("x", 994)+"\"\nRUN(envquoted998_after)\n"),
		text("envquoted999", "X=\""+strings.Repeat("x", 995)+"\"\nRUN(envquoted999_after)\n"),
		text("envtz", "TZ=UTC 0 0 * * * root echo\nRUN(envtz_after)\n"),
		text("lines10003", strings.Repeat("#\n", 10002)+"RUN(lines10003)\n"),
		text("lines10004", strings.Repeat("#\n", 10003)+"RUN(lines10004)\n"),
		text("long900", long("long900", 900)+"RUN(long900_after)\n"),
		text("long998", long("long998", 998)+"RUN(long998_after)\n"),
		text("long999", long("long999", 999)+"RUN(long999_after)\n"),
		text("long5000", long("long5000", 5000)+"RUN(long5000_after)\n"),
		text("long140000", long("long140000", 140000)+"RUN(long140000_after)\n"),
		text("weekday", "* * 1-31 * mon-fri root JOB(weekday_dom1-31_on_sunday)\n* * */1 * mon-fri root JOB(weekday_domstar1_on_sunday)\n* * * * sun root JOB(weekday_sunday)\n* * * * 7 root JOB(weekday_7)\n"),
		spool("root", "@reboot JOB(user_root)\n", 0o600, 0),
		spool("bin", "@reboot JOB(user_bin_owner_bin_0600)\n", 0o600, 2),
		spool("nobody", "@reboot JOB(user_nobody_0600_root_owner)\n", 0o600, 0),
		spool("daemon", "@reboot JOB(user_daemon_0644)\n", 0o644, 1),
		spool("sys", "@reboot JOB(user_sys_wrong_owner)\n", 0o600, 1000),
		spool("games", "@reboot JOB(user_games_before)\nbad\n@reboot JOB(user_games_after)\n", 0o600, 5),
		spool("mail", "@reboot JOB(user_mail_noeol)", 0o600, 8),
		spool("news", "@reboot JOB(user_news_before)\n@daily\n1 1 * * *\n", 0o600, 9),
		spool("uucp", "@reboot JOB(user_uucp_before)\n1 1 * *\n", 0o600, 10),
		spool("probe", "-@reboot JOB(user_probe_dash)\n@reboot JOB(user_probe_home)\n", 0o600, 4242),
		{name: "spool-man", user: "man", text: "@reboot JOB(user_man_link)\n", mode: 0o600, uid: 6, kind: "link", linkUID: 6},
		{name: "spool-lp", user: "lp", text: "@reboot JOB(user_lp_hard)\n", mode: 0o600, uid: 7, kind: "hard"},
		spool("backup", "@reboot JOB(user_backup_0400)\n", 0o400, 34),
	}
}

func (p probe) path(spool string) string {
	switch {
	case p.user != "":
		return spool + "/" + p.user
	case p.file == "../crontab":
		return "/etc/crontab"
	case p.file != "":
		return "/etc/cron.d/" + p.file
	}
	return "/etc/cron.d/" + p.name
}

func (p probe) perm() fs.FileMode {
	if p.mode == 0 {
		return 0o644
	}
	return p.mode &^ fs.ModeIrregular
}

// expand writes the commands of the jobs.
func (p probe) expand(job func(name string) string) string {
	text := strings.ReplaceAll(p.text, "> OUT/", strings.TrimPrefix(job(""), ": "))
	for _, call := range []struct{ open, before string }{{"RUN(", "@reboot root "}, {"JOB(", ""}, {"LONG(", ""}} {
		for {
			head, rest, found := strings.Cut(text, call.open)
			if !found {
				break
			}
			name, tail, _ := strings.Cut(rest, ")")
			name, length, _ := strings.Cut(name, " ")
			command := job(name)
			if n, err := strconv.Atoi(length); err == nil {
				command += " #" + strings.Repeat("x", n-len(command)-2)
			}
			text = head + call.before + command + tail
		}
	}
	return text
}

// users are those of a Debian system, whose homes are there, and two without.
var users = []struct {
	name string
	uid  uint32
	home string
}{
	{"root", 0, "/root"}, {"daemon", 1, "/srv"}, {"bin", 2, "/srv"}, {"sys", 3, "/srv"}, {"games", 5, "/srv"}, {"man", 6, "/srv"}, {"lp", 7, "/srv"}, {"mail", 8, "/srv"},
	{"news", 9, "/srv"}, {"uucp", 10, "/srv"}, {"backup", 34, "/srv"}, {"nobody", 65534, "/nonexistent"}, {"probe", 4242, "/nonexistent"},
}

func passwd() string {
	var b strings.Builder
	for _, u := range users {
		fmt.Fprintf(&b, "%s:*:%d:%d::%s:/bin/sh\n", u.name, u.uid, u.uid, u.home)
	}
	return b.String()
}

// ruled is a row of a table of load rules: whether a job runs, by daemon.
type ruled map[string]bool

// loadRules reads testdata/load_rules.tsv: a row a job, a column a daemon.
func loadRules(t *testing.T) (columns []string, rows map[string]ruled) {
	t.Helper()
	data, err := os.ReadFile("testdata/load_rules.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]ruled{}
	for line := range strings.Lines(string(data)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case columns == nil:
			columns = c[1:]
		case len(c) != len(columns)+1:
			t.Fatalf("load_rules.tsv: %q", line)
		default:
			r := ruled{}
			for i, v := range c[1:] {
				if v != "?" {
					r[columns[i]] = v == "ran"
				}
			}
			rows[c[0]] = r
		}
	}
	return columns, rows
}

// activeEntries are the entries that we say will run, without those of @reboot.
func activeEntries(o providers.Observation) (timed, booted []providers.Object) {
	for _, obj := range o.Objects {
		switch {
		case obj.Opaque || len(obj.Inactive()) > 0:
		case obj.Attr("schedule") == "@reboot":
			booted = append(booted, obj)
		default:
			timed = append(timed, obj)
		}
	}
	return timed, booted
}

// activeJobs are the names of the jobs of probes that we say will run, at boot
// or on that Sunday.
func activeJobs(o providers.Observation, prefix string) map[string]bool {
	names := map[string]bool{}
	timed, booted := activeEntries(o)
	for _, obj := range slices.Concat(timed, booted) {
		name, ok := strings.CutPrefix(obj.Attr("command"), prefix)
		name, _, _ = strings.Cut(name, " #")
		next, due := obj.Spec.Schedules[0].NextIn(sunday.Add(-time.Second), time.UTC)
		if ok && (obj.Attr("schedule") == "@reboot" || due && next.Equal(sunday)) {
			names[name] = true
		}
	}
	return names
}

// fakeProbes is a host with the probes on it.
func fakeProbes(spool string, version string) fakeHost {
	h := host(map[string]fakeFile{
		"/root/x": file(0o600, ""), "/srv/x": file(0o600, ""),
		"/var/lib/dpkg/status": file(0o644, "Package: cron\nStatus: install ok installed\nVersion: "+version+"\n"),
	})
	h.users = map[string]Account{}
	for _, u := range users {
		h.users[u.name] = Account{Name: u.name, UID: u.uid, Home: u.home}
	}
	for _, p := range probes() {
		f := file(0, p.expand(func(name string) string { return ": > OUT/" + name })).of(uint32(p.uid))
		f.info.Perm = uint32(p.perm())
		switch p.kind {
		case "hard":
			f.info.Links = 2
		case "link":
			f.link = &Info{Type: fs.ModeSymlink, Perm: 0o777, UID: uint32(p.linkUID), Links: 1}
		case "twice":
			g := f
			g.link = &Info{Type: fs.ModeSymlink, Perm: 0o777, Links: 1}
			h.files[p.path(spool)+"_link"] = g
		}
		h.files[p.path(spool)] = f
	}
	return h
}

func probeUsers() (names []string) {
	for _, p := range probes() {
		if p.user != "" {
			names = append(names, p.user)
		}
	}
	return names
}

// Which jobs run is as measured with each daemon, and of a job that does not it
// is said why.
func TestLoadRules(t *testing.T) {
	columns, rows := loadRules(t)
	for _, column := range columns {
		name, version, _ := strings.Cut(column, " ")
		d := specs.Dialect(name)
		spool := "/var/spool/cron/crontabs"
		if d == specs.Cronie {
			spool = "/var/spool/cron"
		}
		o := observe(t, fakeProbes(spool, version), Config{Live: true, System: true, Users: probeUsers(), Dialect: d})
		active := activeJobs(o, ": > OUT/")
		for job, r := range rows {
			if want, measured := r[column]; measured && active[job] != want {
				t.Errorf("%s: %s: active %v, measured %v", column, job, active[job], want)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(active)) {
			if _, known := rows[name]; !known {
				t.Errorf("%s: job %s has no row", column, name)
			}
		}
		explained(t, column, o)
		if gaps := o.Gaps(); len(gaps) > 0 {
			t.Errorf("%s: gaps %+v", column, gaps)
		}
	}
}

// explained wants a reason for each object that is not active, and a word about
// each file of which some job is not.
func explained(t *testing.T, column string, o providers.Observation) {
	said := map[string]bool{}
	for _, obj := range o.Objects {
		said[obj.Pos.File] = true
		for _, off := range obj.Inactive() {
			if off.Code == "" || off.Detail == "" {
				t.Errorf("%s: %s: %+v", column, obj.Pos, off)
			}
		}
	}
	for _, n := range o.Notes {
		said[n.Pos.File] = true
	}
	for _, p := range probes() {
		if path := p.path("/var/spool/cron/crontabs"); !said[path] && !said[p.path("/var/spool/cron")] {
			t.Errorf("%s: nothing is said of %s", column, path)
		}
	}
}
