package crontab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const job = "1 1 * * * root /opt/a\n"

var systemOnly = Config{Live: true, System: true, Dialect: specs.Debian}

// Whether a system table loads: by name, mode, owner, links.
func TestSystemTablesLoad(t *testing.T) {
	link := func(f fakeFile, uid uint32) fakeFile {
		f.link = &Info{Type: fs.ModeSymlink, Perm: 0o777, UID: uid, Links: 1}
		return f
	}
	linked := func(n uint64) fakeFile {
		f := file(0o644, job)
		f.info.Links = n
		return f
	}
	for _, c := range []struct {
		name   string
		file   fakeFile
		debian bool
		cronie bool
	}{
		{"job", file(0o644, job), true, true},
		{"0hourly", file(0o644, job), true, true},
		{"a.b", file(0o644, job), false, true},
		{"job.disabled", file(0o644, job), false, true},
		{"x.dpkg-old", file(0o644, job), false, true},
		{"sp ace", file(0o644, job), false, true},
		{"x.rpmsave", file(0o644, job), false, false},
		{"x.rpmorig", file(0o644, job), false, false},
		{"x.rpmnew", file(0o644, job), false, false},
		{"tilde~", file(0o644, job), false, false},
		{"#hash", file(0o644, job), false, false},
		{".hidden", file(0o644, job), false, false},
		{"m0", file(0, job), true, false},
		{"m400", file(0o400, job), true, true},
		{"m440", file(0o440, job), true, true},
		{"m600", file(0o600, job), true, true},
		{"m640", file(0o640, job), true, true},
		{"m755", file(0o755, job), true, false},
		{"m1644", file(0o1644, job), true, false},
		{"m4644", file(0o4644, job), true, false},
		{"m664", file(0o664, job), false, false},
		{"m646", file(0o646, job), false, false},
		{"owner", file(0o644, job).of(1000), false, false},
		{"hard", linked(2), false, true},
		{"link", link(file(0o644, job), 0), true, true},
		{"linkowner", link(file(0o644, job), 1000), false, true},
		{"targetowner", link(file(0o644, job).of(1000), 0), false, false},
	} {
		for d, want := range map[specs.Dialect]bool{specs.Debian: c.debian, specs.Cronie: c.cronie} {
			o := observe(t, host(map[string]fakeFile{cronD + "/" + c.name: c.file, "/root/x": file(0o600, "")}), Config{Live: true, System: true, Dialect: d})
			if len(o.Objects) != 1 || len(o.Gaps()) != 0 {
				t.Fatalf("%s %s: %s", d, c.name, show(o))
			}
			off := o.Objects[0].Inactive()
			if (len(off) == 0) != want {
				t.Errorf("%s %s: %+v", d, c.name, off)
			}
			if len(off) > 0 && off[0].Code != "file-not-loaded" {
				t.Errorf("%s %s: code %s", d, c.name, off[0].Code)
			}
		}
	}
}

func TestSpoolTablesLoad(t *testing.T) {
	const text = "1 1 * * * /opt/a\n"
	linked := file(0o600, text).of(1000)
	linked.info.Links = 2
	soft := file(0o600, text).of(1000)
	soft.link = &Info{Type: fs.ModeSymlink, Links: 1}
	for _, c := range []struct {
		name                    string
		file                    fakeFile
		debian, cronie, busybox bool
	}{
		{"own", file(0o600, text).of(1000), true, true, false},
		{"root's", file(0o600, text), true, true, true},
		{"readable", file(0o644, text).of(1000), false, true, false},
		{"read-only", file(0o400, text).of(1000), false, true, false},
		{"writable", file(0o660, text).of(1000), false, false, false},
		{"another's", file(0o600, text).of(2), false, false, false},
		{"hard link", linked, false, false, false},
		{"link", soft, false, true, false},
	} {
		for d, want := range map[specs.Dialect]bool{specs.Debian: c.debian, specs.Cronie: c.cronie, specs.Busybox: c.busybox} {
			h := host(map[string]fakeFile{"/var/spool/cron/crontabs/deploy": c.file, "/home/deploy/x": file(0o600, "")})
			o := observe(t, h, Config{Live: true, Users: []string{"deploy"}, Dialect: d})
			if len(o.Objects) != 1 || len(o.Gaps()) != 0 {
				t.Fatalf("%s %s: %s", d, c.name, show(o))
			}
			if got := len(o.Objects[0].Inactive()) == 0; got != want {
				t.Errorf("%s %s: %+v", d, c.name, o.Objects[0].Inactive())
			}
		}
	}
}

func TestLiveObject(t *testing.T) {
	h := host(map[string]fakeFile{
		"/var/spool/cron/crontabs/deploy": file(0o600, "# rolecall: role=a version=2\n1 1 * * * /opt/a\n2 2 * * * /opt/b\n").of(1000),
		"/etc/cron.d/x":                   file(0o644, "3 3 * * * deploy /opt/c\n"),
	})
	o := observe(t, h, Config{Live: true, Users: []string{"deploy", "root", "deploy"}, System: true, Root: "/mnt/web-1", Zone: "Europe/Berlin"})
	check(t, show(o), `
			1 3 3 * * * in Europe/Berlin by deploy "/opt/c"
			2 <a 2> 1 1 * * * in Europe/Berlin by deploy "/opt/a"
			3 2 2 * * * in Europe/Berlin by deploy "/opt/b"
			`)
	var parts []string
	for _, a := range o.Areas {
		parts = append(parts, a.Part)
	}
	if got, want := strings.Join(parts, " "), "file/etc/anacrontab file/etc/cron.d/x file/etc/crontab folder/etc/cron.d folder/etc/cron.daily folder/etc/cron.hourly folder/etc/cron.monthly folder/etc/cron.weekly folder/etc/cron.yearly user/deploy user/root"; got != want {
		t.Errorf("areas %s", got)
	}
	i := slices.IndexFunc(o.Objects, func(o providers.Object) bool { return o.Marker().Role == "a" })
	a := o.Objects[i]
	if a.ID != "crontab:s/deploy#a" || a.Pos.String() != "/mnt/web-1/var/spool/cron/crontabs/deploy:2" || a.Part() != "user/deploy" || a.Attr("file") != "/var/spool/cron/crontabs/deploy" {
		t.Errorf("%+v", a)
	}
	if len(a.Changes()) != 1 || a.Changes()[0].Who != "deploy" || !a.Changes()[0].When.Equal(when) || a.Changes()[0].Evidence != "file" {
		t.Errorf("changes %+v", a.Changes())
	}
	c := o.Objects[slices.IndexFunc(o.Objects, func(o providers.Object) bool { return o.Attr("command") == "/opt/c" })]
	if !strings.HasPrefix(c.ID, "crontab:s/etc/cron.d/x#") || c.Attr("file") != "/etc/cron.d/x" {
		t.Errorf("%+v", c)
	}
}

func TestUsers(t *testing.T) {
	text := file(0o600, "1 1 * * * /opt/a\n").of(1000)
	deploy := Config{Live: true, Users: []string{"deploy"}, Dialect: specs.Debian}
	for _, c := range []struct {
		name string
		set  func(h *fakeHost)
		want string
	}{
		{"no table", func(h *fakeHost) {}, ``},
		{"an empty table", func(h *fakeHost) { h.files["/var/spool/cron/crontabs/deploy"] = file(0o600, "").of(1000) }, ``},
		{"no spool", func(h *fakeHost) { h.files = map[string]fakeFile{"/usr/bin/crontab": file(0o755, "")} }, ``},
		{"no such user", func(h *fakeHost) { delete(h.users, "deploy") }, "gap user/deploy absent\n"},
		{"user database closed", func(h *fakeHost) { h.fails["account deploy"] = fs.ErrPermission }, "gap user/deploy denied\n"},
		{"spool closed", func(h *fakeHost) {
			h.fails["stat /var/spool/cron/crontabs/deploy"] = fs.ErrPermission
			h.tables["deploy"] = "2 2 * * * /opt/b\n"
		}, "1 2 2 * * * by deploy \"/opt/b\"\nnote not-checked\n"},
		{"table closed", func(h *fakeHost) {
			h.files["/var/spool/cron/crontabs/deploy"] = text
			h.fails["read /var/spool/cron/crontabs/deploy"] = fs.ErrPermission
			h.tables["deploy"] = "2 2 * * * /opt/b\n"
		}, "1 2 2 * * * by deploy \"/opt/b\"\nnote not-checked\n"},
		{"spool closed, no table", func(h *fakeHost) { h.fails["stat /var/spool/cron/crontabs/deploy"] = fs.ErrPermission }, ``},
		{"spool and crontab closed", func(h *fakeHost) {
			h.fails["stat /var/spool/cron/crontabs/deploy"] = fs.ErrPermission
			h.fails["crontab deploy"] = fs.ErrPermission
		}, "gap user/deploy denied\n"},
		{"spool closed, no crontab program", func(h *fakeHost) {
			h.fails["stat /var/spool/cron/crontabs/deploy"] = fs.ErrPermission
			h.fails["crontab deploy"] = fs.ErrNotExist
		}, "gap user/deploy absent\n"},
		{"broken crontab program", func(h *fakeHost) {
			h.fails["stat /var/spool/cron/crontabs/deploy"] = fs.ErrPermission
			h.fails["crontab deploy"] = errors.New("exit status 4")
		}, "gap user/deploy failed\n"},
		{"read error", func(h *fakeHost) {
			h.files["/var/spool/cron/crontabs/deploy"] = text
			h.fails["read /var/spool/cron/crontabs/deploy"] = syscall.EIO
		}, "gap user/deploy failed\n"},
		{"vanished", func(h *fakeHost) {
			h.files["/var/spool/cron/crontabs/deploy"] = text
			h.fails["read /var/spool/cron/crontabs/deploy"] = fs.ErrNotExist
		}, "gap user/deploy absent\n"},
		{"link that leads to itself", func(h *fakeHost) { h.fails["stat /var/spool/cron/crontabs/deploy"] = syscall.ELOOP }, "gap user/deploy failed\n"},
		{"denied by cron.deny", func(h *fakeHost) {
			h.files["/var/spool/cron/crontabs/deploy"] = text
			h.files["/etc/cron.deny"] = file(0o644, "x\ndeploy\n")
		}, "1 1 1 * * * by deploy \"/opt/a\"\nnote early-warning\n"},
		{"not in cron.allow", func(h *fakeHost) {
			h.files["/var/spool/cron/crontabs/deploy"] = text
			h.files["/etc/cron.allow"] = file(0o644, "x\n")
		}, "1 1 1 * * * by deploy \"/opt/a\"\nnote early-warning\n"},
		{"in cron.allow and cron.deny", func(h *fakeHost) {
			h.files["/var/spool/cron/crontabs/deploy"] = text
			h.files["/etc/cron.allow"] = file(0o644, "deploy\n")
			h.files["/etc/cron.deny"] = file(0o644, "deploy\n")
		}, "1 1 1 * * * by deploy \"/opt/a\"\n"},
		{"broken off", func(h *fakeHost) {
			f := file(0o600, "1 1 * * * /opt/a\n2 2 * * * /opt/b").of(1000)
			f.short = errUnsteady
			h.files["/var/spool/cron/crontabs/deploy"] = f
		}, "1 1 1 * * * by deploy \"/opt/a\"\ngap user/deploy partial\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := host(nil)
			c.set(&h)
			check(t, show(observe(t, h, deploy)), c.want)
		})
	}
}

// A cronie user without a home runs nothing; a HOME line helps.
func TestCronieNeedsAHome(t *testing.T) {
	h := host(map[string]fakeFile{"/var/spool/cron/crontabs/deploy": file(0o600, "1 1 * * * /opt/a\nHOME=/usr/sbin\n2 2 * * * /opt/b\n").of(1000)})
	cfg := Config{Live: true, Users: []string{"deploy"}, Dialect: specs.Cronie}
	check(t, show(observe(t, h, cfg)), `
			1 1 1 * * * by deploy "/opt/a" !user-denied
			3 2 2 * * * by deploy "/opt/b"
			`)
	cfg.Dialect = specs.Debian
	check(t, show(observe(t, h, cfg)), `
			1 1 1 * * * by deploy "/opt/a"
			3 2 2 * * * by deploy "/opt/b"
			`)
}

func TestUnknownUserInASystemTable(t *testing.T) {
	h := host(map[string]fakeFile{"/etc/crontab": file(0o644, "1 1 * * * ghost /opt/a\n2 2 * * * root /opt/b\n"), "/root/x": file(0o600, "")})
	check(t, show(observe(t, h, systemOnly)), `
			1 1 1 * * * by ghost "/opt/a" !file-not-loaded
			2 2 2 * * * by root "/opt/b" !file-not-loaded
			`)
	check(t, show(observe(t, h, Config{Live: true, System: true, Dialect: specs.Cronie})), `
			1 1 1 * * * by ghost "/opt/a" !invalid-line
			2 2 2 * * * by root "/opt/b"
			`)
}

func TestNoScheduler(t *testing.T) {
	o := observe(t, fakeHost{files: map[string]fakeFile{"/etc/passwd": file(0o644, "")}}, Config{Live: true, System: true, Users: []string{"deploy"}})
	check(t, show(o), `
			gap file/etc/crontab absent
			gap folder/etc/cron.d absent
			gap user/deploy absent
			`)
}

func TestFindDialect(t *testing.T) {
	box := file(0o755, "busybox")
	for want, files := range map[specs.Dialect]map[string]fakeFile{
		specs.Debian:  {"/usr/sbin/cron": file(0o755, "")},
		specs.Cronie:  {"/usr/sbin/crond": file(0o755, "cronie")},
		specs.Busybox: {"/bin/busybox": box, "/usr/sbin/crond": {data: "busybox", info: box.info, link: &Info{Type: fs.ModeSymlink}}},
	} {
		l := &look{Provider: &Provider{host: fakeHost{files: files}}}
		if d, sure := l.findDialect(); d != want || !sure {
			t.Errorf("found %s, %v; want %s", d, sure, want)
		}
	}
	// Debian's package of cronie stands beside nothing else.
	l := &look{Provider: &Provider{host: fakeHost{files: map[string]fakeFile{"/usr/sbin/crond": file(0o755, ""), "/usr/bin/cronnext": file(0o755, "")}}}}
	if d, _ := l.findDialect(); d != specs.Cronie {
		t.Errorf("found %s", d)
	}
	h := host(map[string]fakeFile{"/etc/crontab": file(0o644, job)})
	delete(h.files, "/usr/sbin/cron")
	check(t, show(observe(t, h, Config{Live: true, System: true})), `
			1 1 1 * * * by root "/opt/a"
			note dialect-assumed
			gap daemon absent
			`)
}

// What nobody runs is a gap on this machine, unless the daemon is named. An
// image may be run by a daemon from elsewhere.
func TestNoDaemon(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		more string
		want bool
	}{
		{"nothing", Config{}, "/etc/hosts", true},
		{"root spelt otherwise", Config{Root: "//"}, "/etc/hosts", true},
		{"what cronie left behind", Config{}, "/var/lib/dpkg/info/cronie.list", true},
		{"cron", Config{}, "/usr/sbin/cron", false},
		{"crond", Config{}, "/usr/sbin/crond", false},
		{"busybox", Config{}, "/sbin/crond", false},
		{"named", Config{Dialect: specs.Debian}, "/etc/hosts", false},
		{"another root", Config{Root: "/mnt/web-1"}, "/etc/hosts", false},
	} {
		h := host(map[string]fakeFile{"/etc/cron.d/left": file(0o644, job), "/root/x": file(0o600, "")})
		delete(h.files, "/usr/sbin/cron")
		h.files[c.more] = file(0o755, "")
		c.cfg.Live, c.cfg.System = true, true
		o := observe(t, h, c.cfg)
		gaps := o.Gaps()
		if got := len(gaps) > 0; got != c.want || len(o.Objects) != 1 {
			t.Errorf("%s: %s", c.name, show(o))
		}
		if c.want && (len(gaps) != 1 || gaps[0].Part != "daemon" || gaps[0].State != providers.Missing || !strings.Contains(gaps[0].Reason, "name it with dialect")) {
			t.Errorf("%s: %+v", c.name, gaps)
		}
	}
}

// NAME= takes the file down with the cron of Debian 12, not with that of 13.
func TestBareSettingByVersion(t *testing.T) {
	for version, want := range map[string]string{
		"3.0pl1-162":       "2 1 1 * * * by root \"/opt/a\" !file-not-loaded\nnote bad-line at 1\n",
		"3.0pl1-197":       "2 1 1 * * * by root \"/opt/a\"\n",
		"3.0pl1-184ubuntu": "2 1 1 * * * by root \"/opt/a\"\nnote dialect-assumed at 1\n",
	} {
		h := host(map[string]fakeFile{
			"/etc/crontab":         file(0o644, "A=\n"+job),
			"/var/lib/dpkg/status": file(0o644, "Package: apt\nVersion: 1\n\nPackage: cron\nStatus: install ok installed\nVersion: "+version+"\n\nPackage: dpkg\n"),
		})
		check(t, show(observe(t, h, systemOnly)), want)
	}
}

const stockCrontab = `SHELL=/bin/sh
17 *	* * *	root	cd / && run-parts --report /etc/cron.hourly
25 6	* * *	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }
47 6	* * 7	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.weekly; }
`

const stockAnacrontab = `SHELL=/bin/sh
HOME=/root
1	5	cron.daily	run-parts --report /etc/cron.daily
7	10	cron.weekly	run-parts --report /etc/cron.weekly
@monthly	15	cron.monthly	run-parts --report /etc/cron.monthly
3	1	odd	/opt/odd
x	1	bad	/opt/bad
`

func scriptHost(more map[string]fakeFile) fakeHost {
	h := host(map[string]fakeFile{
		"/etc/crontab":                  file(0o644, stockCrontab),
		"/etc/cron.hourly/.placeholder": file(0o644, ""),
		"/etc/cron.daily/backup":        file(0o755, "#!/bin/sh\n# rolecall: role=backup version=3\necho\n"),
		"/etc/cron.daily/old.sh":        file(0o755, "#!/bin/sh\n"),
		"/etc/cron.daily/off":           file(0o644, "#!/bin/sh\n"),
		"/etc/cron.daily/logrotate":     file(0o755, "#!/bin/sh\n"),
		"/etc/cron.monthly/report":      file(0o755, "#!/bin/sh\n# rolecall: role=report\n"),
	})
	for p, f := range more {
		h.files[p] = f
	}
	return h
}

// showScripts is each script's schedule and state.
func showScripts(o providers.Observation) string {
	var b strings.Builder
	for _, obj := range o.Objects {
		if !strings.HasPrefix(obj.Part(), "folder/") && obj.Part() != "file/etc/anacrontab" {
			continue
		}
		fmt.Fprintf(&b, "%s <%s> %q %s by %s", strings.TrimPrefix(obj.Attr("command"), "/etc/"), obj.Marker().Role, obj.Attr("schedule"), obj.Spec.Written(), obj.Attr("user"))
		for _, off := range obj.Inactive() {
			b.WriteString(" !" + off.Code)
		}
		if obj.Opaque {
			b.WriteString(" opaque")
		}
		if obj.Attr("builtin") != "" {
			b.WriteString(" builtin")
		}
		b.WriteString("\n")
	}
	return strings.Join(slices.Sorted(strings.Lines(b.String())), "")
}

func TestScripts(t *testing.T) {
	o := observe(t, scriptHost(nil), systemOnly)
	check(t, showScripts(o), `
			cron.daily/backup <backup> "25 6 * * *" 25 6 * * * by root
			cron.daily/logrotate <> "25 6 * * *" 25 6 * * * by root builtin
			cron.daily/off <> "25 6 * * *" 25 6 * * * by root !file-not-loaded
			cron.daily/old.sh <> "25 6 * * *" 25 6 * * * by root !file-not-loaded
			cron.monthly/report <report> ""  by root !file-not-loaded opaque
			`)
	for _, obj := range o.Objects {
		if obj.Part() == "file/etc/crontab" && obj.Attr("builtin") == "" {
			t.Errorf("%s is not known as the distribution's", obj.ID)
		}
	}
}

// Where anacron is installed, the entries of /etc/crontab leave the folders to it.
func TestScriptsByAnacron(t *testing.T) {
	o := observe(t, scriptHost(map[string]fakeFile{
		"/usr/sbin/anacron": file(0o755, ""), "/etc/anacrontab": file(0o644, stockAnacrontab),
	}), systemOnly)
	check(t, showScripts(o), `
			/opt/odd <> "3" @every 72h by root
			cron.daily/backup <backup> "1" @daily by root
			cron.daily/logrotate <> "1" @daily by root builtin
			cron.daily/off <> "1" @daily by root !file-not-loaded
			cron.daily/old.sh <> "1" @daily by root !file-not-loaded
			cron.monthly/report <report> "@monthly" @monthly by root
			run-parts --report /etc/cron.daily <> "1" @daily by root builtin
			run-parts --report /etc/cron.monthly <> "@monthly" @monthly by root builtin
			run-parts --report /etc/cron.weekly <> "7" @weekly by root builtin
			`)
	if !slices.ContainsFunc(o.Notes, func(n providers.Note) bool { return n.Code == "bad-line" && n.Pos.Line == 7 }) {
		t.Errorf("notes %+v", o.Notes)
	}
	o = observe(t, scriptHost(map[string]fakeFile{"/etc/anacrontab": file(0o644, stockAnacrontab)}), systemOnly)
	for _, obj := range o.Objects {
		if obj.Part() == "file/etc/anacrontab" && len(obj.Inactive()) == 0 {
			t.Errorf("%s is active without anacron", obj.ID)
		}
	}
}

// cronie's run-parts takes a name with a dot.
func TestScriptsOfCronie(t *testing.T) {
	o := observe(t, scriptHost(map[string]fakeFile{"/root/x": file(0o600, "")}), Config{Live: true, System: true, Dialect: specs.Cronie})
	for _, obj := range o.Objects {
		if strings.HasSuffix(obj.Attr("file"), "old.sh") && len(obj.Inactive()) > 0 {
			t.Errorf("%+v", obj.Inactive())
		}
	}
}

// Debian's run-parts is the judge of which scripts run.
func TestRealRunParts(t *testing.T) {
	program, err := exec.LookPath("run-parts")
	if err != nil {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	files := map[string]string{"etc/crontab": stockCrontab, "usr/sbin/cron": "", "etc/passwd": "root:x:0:0::/root:/bin/sh\n"}
	names := []string{"plain", "UPPER_9-x", "dot.sh", "x.bak", "x.dpkg-old", "tilde~", "#hash", "sp ace", ".hidden", "plus+", "comma,", "é", "0", "-dash", "_under"}
	for _, name := range names {
		files["etc/cron.daily/"+name] = "#!/bin/sh\n"
	}
	base := writeFiles(t, files)
	folder := filepath.Join(base, "etc/cron.daily")
	for i, name := range names {
		os.Chmod(filepath.Join(folder, name), 0o755)
		mode := []os.FileMode{0o755, 0o644, 0o100, 0o010, 0o001, 0o700, 0o655}[i%7]
		os.WriteFile(filepath.Join(folder, fmt.Sprintf("mode%o-%d", mode, i)), nil, 0o600)
		os.Chmod(filepath.Join(folder, fmt.Sprintf("mode%o-%d", mode, i)), mode)
	}
	os.Symlink("plain", filepath.Join(folder, "link"))
	os.Mkdir(filepath.Join(folder, "folder"), 0o755)
	out, err := exec.Command(program, "--test", folder).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(strings.ReplaceAll(string(out), folder+"/", ""))
	var got []string
	for _, o := range observe(t, NewHost(base, nil), Config{Live: true, System: true, Root: base, Dialect: specs.Debian}).Objects {
		if o.Part() == "folder/etc/cron.daily" && len(o.Inactive()) == 0 {
			got = append(got, strings.TrimPrefix(o.Attr("file"), "/etc/cron.daily/"))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if os.Getuid() == 0 && !slices.Equal(got, want) {
		t.Errorf("we say %q, run-parts says %q", got, want)
	}
}

// What cannot be read of the system must be a gap, whichever operation fails.
func TestEveryFailureIsAGap(t *testing.T) {
	base := scriptHost(map[string]fakeFile{
		"/etc/cron.d/x": file(0o644, job), "/usr/sbin/anacron": file(0o755, ""), "/etc/anacrontab": file(0o644, stockAnacrontab),
		"/var/spool/cron/crontabs/deploy": file(0o600, "1 1 * * * /opt/a\n").of(1000),
	})
	cfg := Config{Live: true, System: true, Users: []string{"deploy"}, Dialect: specs.Debian}
	if gaps := observe(t, base, cfg).Gaps(); len(gaps) > 0 {
		t.Fatalf("gaps %+v", gaps)
	}
	for _, op := range []string{
		"list /etc/cron.d", "list /etc/cron.daily", "read /etc/crontab", "stat /etc/crontab", "read /etc/cron.d/x", "stat /etc/cron.d/x",
		"read /etc/anacrontab", "read /etc/cron.daily/backup", "stat /etc/cron.daily/backup", "read /etc/cron.monthly/report",
		"read /var/spool/cron/crontabs/deploy", "stat /var/spool/cron/crontabs/deploy", "account deploy",
	} {
		for _, err := range []error{fs.ErrPermission, syscall.EIO, syscall.ELOOP, context.DeadlineExceeded, fs.ErrNotExist} {
			h := base
			h.fails = map[string]error{op: err, "crontab deploy": fs.ErrPermission}
			o := observe(t, h, cfg)
			absence := errors.Is(err, fs.ErrNotExist) && slices.Contains([]string{
				"list /etc/cron.d", "list /etc/cron.daily", "stat /etc/crontab", "read /etc/anacrontab", "stat /var/spool/cron/crontabs/deploy",
			}, op)
			if got := len(o.Gaps()) > 0; got == absence {
				t.Errorf("%s: %v: gaps %+v", op, err, o.Gaps())
			}
		}
	}
}

// Scripts whose runner may stand in a table that could not be read are not
// called inactive.
func TestRunnerUnread(t *testing.T) {
	h := scriptHost(nil)
	h.fails = map[string]error{"read /etc/crontab": fs.ErrPermission}
	o := observe(t, h, systemOnly)
	check(t, show(o), `
			gap file/etc/crontab denied
			gap folder/etc/cron.daily failed
			gap folder/etc/cron.hourly failed
			gap folder/etc/cron.monthly failed
			`)
}

func TestSelection(t *testing.T) {
	h := scriptHost(map[string]fakeFile{"/etc/cron.d/x": file(0o644, job), "/etc/cron.d/y": file(0o644, job)})
	p, err := New(h, systemOnly)
	if err != nil {
		t.Fatal(err)
	}
	whole := p.Observe(t.Context(), providers.Selection{})
	for _, a := range whole.Areas {
		o := p.Observe(t.Context(), providers.Selection{Parts: []string{a.Part}})
		if len(o.Areas) != 1 || o.Areas[0] != a {
			t.Errorf("%s: areas %+v", a.Part, o.Areas)
		}
		var want []string
		for _, obj := range whole.Objects {
			if obj.Part() == a.Part {
				want = append(want, obj.ID+" "+obj.Spec.Hash().String())
			}
		}
		var got []string
		for _, obj := range o.Objects {
			got = append(got, obj.ID+" "+obj.Spec.Hash().String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", a.Part, got, want)
		}
	}
}

func TestCancelled(t *testing.T) {
	p, err := New(scriptHost(map[string]fakeFile{"/etc/cron.d/x": file(0o644, job)}), Config{Live: true, System: true, Users: []string{"deploy"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := p.Observe(ctx, providers.Selection{})
	if len(o.Objects) != 0 || len(o.Areas) == 0 || len(o.Gaps()) != len(o.Areas) {
		t.Errorf("%s", show(o))
	}
}

// What a distribution installs is told from what people put beside it.
func TestStock(t *testing.T) {
	for _, c := range []struct {
		file, command string
		want          bool
	}{
		{"/etc/cron.d/e2scrub_all", "test -e /run/systemd/system || SERVICE_MODE=1 /usr/lib/x86_64-linux-gnu/e2fsprogs/e2scrub_all_cron", true},
		{"/etc/cron.d/sysstat", "command -v debian-sa1 > /dev/null && debian-sa1 1 1", true},
		{"/etc/cron.d/sysstat", "/opt/mine", false},
		{"/etc/cron.d/mine", "debian-sa1 1 1", false},
		{"/etc/crontab", "cd / && run-parts --report /etc/cron.hourly", true},
		{"/etc/crontab", "run-parts /etc/cron.dailyx", false},
		{"/etc/crontab", "/opt/mine", false},
		{"ops/cron.d/php", "[ -x /usr/lib/php/sessionclean ] && /usr/lib/php/sessionclean", true},
	} {
		if got := stock(c.file, c.command); got != c.want {
			t.Errorf("%s: %s: %v", c.file, c.command, got)
		}
	}
}
