//go:build linux

package crontab

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// needReal skips without Debian's cron, root and mount namespaces, unless
// ROLECALL_REAL=require wants them.
func needReal(t *testing.T) {
	t.Helper()
	why := ""
	switch _, err := exec.LookPath("cron"); {
	case err != nil:
		why = "Debian's cron is not installed (apt-get install cron)"
	case os.Getuid() != 0:
		why = "only root can give the daemon files of its own"
	case exec.Command("unshare", "-m", "true").Run() != nil:
		why = "there are no mount namespaces"
	}
	if why == "" {
		return
	}
	if os.Getenv("ROLECALL_REAL") == "require" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// image is a file system with nothing but what cron looks at. Processes are
// given it in place of the machine's own, so that its cron is left alone.
type image struct {
	t    *testing.T
	root string
	out  string // writable by all
}

func newImage(t *testing.T) *image {
	dir, err := os.MkdirTemp("", "rolecall-cron-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	im := &image{t: t, root: filepath.Join(dir, "root"), out: filepath.Join(dir, "out")}
	for _, d := range []string{im.root + "/etc/cron.d", im.root + "/var/spool/cron/crontabs", im.root + "/var/lib/dpkg", im.root + "/usr/sbin", im.root + "/srv", im.root + "/root", im.out} {
		im.must(os.MkdirAll(d, 0o755))
	}
	for dir, mode := range map[string]os.FileMode{dir: 0o755, im.out: 0o777 | os.ModeSticky} {
		im.must(os.Chmod(dir, mode))
	}
	spool, err := os.Stat("/var/spool/cron/crontabs")
	im.must(err)
	im.must(os.Chown(im.root+"/var/spool/cron/crontabs", 0, int(spool.Sys().(*syscall.Stat_t).Gid)))
	im.must(syscall.Chmod(im.root+"/var/spool/cron/crontabs", 0o1730))
	passwd, err := os.ReadFile("/etc/passwd")
	im.must(err)
	im.write("/etc/passwd", string(passwd)+"probe:*:4242:4242::/nonexistent:/bin/sh\n", 0o644)
	im.write("/etc/crontab", "", 0o644)
	im.write("/usr/sbin/cron", "", 0o755)
	version, err := exec.Command("dpkg-query", "-W", "-f", "Package: cron\nStatus: install ok installed\nVersion: ${Version}\n", "cron").Output()
	im.must(err)
	im.write("/var/lib/dpkg/status", string(version), 0o644)
	return im
}

func (im *image) must(err error) {
	im.t.Helper()
	if err != nil {
		im.t.Fatal(err)
	}
}

func (im *image) write(p, data string, mode os.FileMode) {
	im.t.Helper()
	im.must(os.WriteFile(im.root+p, []byte(data), 0o600))
	im.must(syscall.Chmod(im.root+p, uint32(mode))) // os.Chmod has bits of its own for setuid
}

// command runs a program with the image in place of the machine's own files.
func (im *image) command(script string, args ...string) *exec.Cmd {
	mounts := `mount --make-rprivate /
for p in /etc/passwd /etc/crontab /etc/cron.d /var/spool/cron /srv; do mount --bind "$0$p" "$p"; done
mount -t tmpfs none /run
`
	return exec.Command("unshare", append([]string{"-m", "sh", "-euc", mounts + script, im.root}, args...)...)
}

// boot starts the daemon as after a boot, waits until it has run what it runs
// then and has no child left, and stops it.
func (im *image) boot(ready func() bool) {
	im.t.Helper()
	im.bootWith("", ready)
}

func (im *image) bootWith(before string, ready func() bool) {
	im.t.Helper()
	cmd := im.command(before + "exec cron -f")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	im.must(cmd.Start())
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	quiet := 0
	until(im.t, func() bool {
		if ready() && !hasChildren(cmd.Process.Pid) {
			quiet++
		} else {
			quiet = 0
		}
		return quiet >= 5
	}, func() string { return "the daemon did not run what was expected: " + said.String() })
}

// until polls for a condition, which is a failure if it does not come.
func until(t *testing.T, done func() bool, complaint func() string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	soon(t, tick.C, done, complaint)
}

func soon(t *testing.T, tick <-chan time.Time, done func() bool, complaint func() string) {
	t.Helper()
	late := time.After(20 * time.Second)
	for !done() {
		select {
		case <-tick:
		case <-late:
			t.Error(complaint())
			return
		}
	}
}

func hasChildren(pid int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, s := range stats {
		data, err := os.ReadFile(s)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == fmt.Sprint(pid) {
			return true
		}
	}
	return false
}

// job is a line's command that leaves a file of a name.
func (im *image) job(name string) string { return ": > " + im.out + "/" + name }

// ran are the names of the jobs that ran.
func (im *image) ran() map[string]bool {
	names := map[string]bool{}
	entries, err := os.ReadDir(im.out)
	im.must(err)
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}

// active are the names of the jobs that we say will run.
func (im *image) active(o providers.Observation) map[string]bool {
	names := map[string]bool{}
	for _, obj := range o.Objects {
		name, ok := strings.CutPrefix(obj.Attrs["command"], ": > "+im.out+"/")
		if ok && len(obj.Inactive) == 0 && !obj.Opaque {
			names[strings.TrimRight(name, "\r #x")] = true
		}
	}
	return names
}

// probe is a file, the jobs in it, and whether each runs.
type probe struct {
	name string // of the first job, and of the file in cron.d if no other is given
	file string
	user string // for a table in the spool
	text string // RUN(name) is a job of root's, JOB(name) its command alone
	mode os.FileMode
	uid  int
	// make puts the file there, if writing does not do.
	make func(im *image, path string)
	runs string // the names of the jobs that run
}

func probes(bare bool) []probe {
	one := func(name string) probe { return probe{name: name, text: "RUN(" + name + ")\n", runs: name} }
	named := func(file, label, runs string) probe {
		return probe{name: label, file: file, text: "RUN(" + label + ")\n", runs: runs}
	}
	mode := func(mode os.FileMode, label, runs string) probe {
		return probe{name: label, text: "RUN(" + label + ")\n", mode: mode, runs: runs}
	}
	text := func(name, text, runs string) probe { return probe{name: name, text: text, runs: runs} }
	spool := func(user, text string, mode os.FileMode, uid int, runs string) probe {
		return probe{name: "spool-" + user, user: user, text: text, mode: mode, uid: uid, runs: runs}
	}
	bareRuns := map[bool]string{true: "bare", false: ""}[bare]
	return []probe{
		one("plain"), one("0hourly"), one("UPPER"), one("da-sh"), one("under_score"),
		named("dot.sh", "dotsh", ""), named("x.bak", "bak", ""), named("x.dpkg-old", "dpkgold", ""), named("x.rpmsave", "rpmsave", ""),
		named("tilde~", "tilde", ""), named("#hash", "hash", ""), named("plus+", "plus", ""), named("sp ace", "space", ""),
		named(".hidden", "hidden", ""), named("com.example-job", "lanana", ""), named("_com.example-job", "tld", ""),
		mode(0o000, "mode0", "mode0"), mode(0o400, "mode400", "mode400"), mode(0o755, "mode755", "mode755"), mode(0o1644, "mode1644", "mode1644"),
		mode(0o4644, "mode4644", "mode4644"), mode(0o664, "mode664", ""), mode(0o646, "mode646", ""), mode(0o777, "mode777", ""),
		{name: "owner", text: "RUN(owner)\n", uid: 1000},
		{name: "hard", text: "RUN(hard)\n", make: func(im *image, p string) {
			im.write("/srv/hard", strings.ReplaceAll("RUN(hard)\n", "RUN(hard)", "@reboot root "+im.job("hard")), 0o644)
			im.must(os.Link(im.root+"/srv/hard", p))
		}},
		{name: "link", make: func(im *image, p string) {
			im.write("/srv/link", "@reboot root "+im.job("link")+"\n", 0o644)
			im.must(os.Symlink("/srv/link", p))
		}, runs: "link"},
		{name: "linkowner", make: func(im *image, p string) {
			im.write("/srv/linkowner", "@reboot root "+im.job("linkowner")+"\n", 0o644)
			im.must(os.Symlink("/srv/linkowner", p))
			im.must(os.Lchown(p, 1000, 1000))
		}},
		{name: "targetowner", make: func(im *image, p string) {
			im.write("/srv/targetowner", "@reboot root "+im.job("targetowner")+"\n", 0o644)
			im.must(os.Chown(im.root+"/srv/targetowner", 1000, 1000))
			im.must(os.Symlink("/srv/targetowner", p))
		}},
		{name: "folder", make: func(im *image, p string) { im.must(os.Mkdir(p, 0o755)) }},
		text("badmiddle", "RUN(badmiddle)\n61 * * * * root echo\nRUN(badlast)\n", ""),
		text("baduser", "RUN(baduser)\n@reboot nosuchuser JOB(baduser2)\n", ""),
		text("nouser", "RUN(nouser)\n* * * * * /bin/true\n", ""),
		text("noeol", "RUN(noeol)", ""),
		text("noeol2", "RUN(noeol2)\nRUN(noeol3)", ""),
		text("eolcomment", "RUN(eolcomment)\n# end", "eolcomment"),
		text("eolblank", "RUN(eolblank)\n \t ", "eolblank"),
		text("eolsetting", "RUN(eolsetting)\nA=b", ""),
		text("crlf", "# a comment\r\nRUN(crlf) #\r\n", "crlf"),
		text("crlfblank", "RUN(crlfblank) #\r\n\r\nRUN(crlfblank2) #\r\n", ""),
		text("bom", "\xef\xbb\xbfRUN(bom)\n", ""),
		text("bomcomment", "\xef\xbb\xbf# x\nRUN(bomcomment)\n", ""),
		text("bomsetting", "\xef\xbb\xbfA=b\nRUN(bomsetting)\n", "bomsetting"),
		text("nul", "RUN(nul)\x00 b\nRUN(nul2)\n", ""),
		text("nulcomment", "# a\x00b\nRUN(nulcomment)\n", "nulcomment"),
		text("leading", " \t@reboot\troot \tJOB(leading)\n", "leading"),
		text("formfeed", "\fRUN(formfeed)\n", ""),
		text("capital", "@Reboot root JOB(capital)\n", ""),
		text("nocommand", "RUN(nocommand)\n@reboot root \n", "nocommand"),
		text("nothing", "RUN(nothing)\n@reboot root\n", ""),
		text("nouserblank", "RUN(nouserblank)\n@reboot \n", ""),
		text("starcommand", "RUN(starcommand)\n* * * * * * root JOB(starcommand2)\n", ""),
		text("dash", "-RUN(dash)\n", ""),
		text("bare", "A=\nRUN(bare)\n", bareRuns),
		text("quotedempty", "A=\"\"\nRUN(quotedempty)\n", "quotedempty"),
		text("spacedname", "A B = c\nRUN(spacedname)\n", ""),
		text("quotedname", "\"A B\" = 'c' \nRUN(quotedname)\n", "quotedname"),
		text("behindquote", "A=\"b\" c\nRUN(behindquote)\n", ""),
		text("noname", "=b\nRUN(noname)\n", "noname"),
		text("longsetting", "A="+strings.Repeat("x", 2000)+"\nRUN(longsetting)\n", "longsetting"),
		text("longquoted", "A=\""+strings.Repeat("x", 2000)+"\"\nRUN(longquoted)\n", ""),
		text("equalsname", "\"A=B\"=c\nRUN(equalsname)\n", ""),
		text("settingnul", "A=b\x00RUN(settingnul)\n", "settingnul"),
		text("manylines", strings.Repeat("#\n", 10002)+"RUN(manylines)\n", "manylines"),
		text("toomany", strings.Repeat("#\n", 10003)+"RUN(toomany)\n", ""),
		{name: "long998", text: "LONG(998)", runs: "long998"},
		{name: "long999", text: "LONG(999)"},
		spool("root", "@reboot JOB(root)\n", 0o600, 0, "root"),
		spool("bin", "@reboot JOB(bin)\n", 0o600, 2, "bin"),
		spool("nobody", "@reboot JOB(nobody)\n", 0o600, 0, "nobody"),
		spool("daemon", "@reboot JOB(daemon)\n", 0o644, 1, ""),
		spool("sys", "@reboot JOB(sys)\n", 0o600, 1000, ""),
		spool("games", "@reboot JOB(games)\nbad\n@reboot JOB(games2)\n", 0o600, 5, ""),
		spool("mail", "@reboot JOB(mail)", 0o600, 8, ""),
		spool("news", "@reboot JOB(news)\n@daily\n1 1 * * *\n", 0o600, 9, "news"),
		spool("uucp", "@reboot JOB(uucp)\n1 1 * *\n", 0o600, 10, ""),
		spool("probe", "@reboot JOB(probe)\n", 0o600, 4242, "probe"),
		{name: "spool-man", user: "man", make: func(im *image, p string) {
			im.write("/srv/man", "@reboot "+im.job("man")+"\n", 0o600)
			im.must(os.Chown(im.root+"/srv/man", 6, 6))
			im.must(os.Symlink("/srv/man", p))
		}},
		{name: "spool-lp", user: "lp", make: func(im *image, p string) {
			im.write("/srv/lp", "@reboot "+im.job("lp")+"\n", 0o600)
			im.must(os.Chown(im.root+"/srv/lp", 7, 7))
			im.must(os.Link(im.root+"/srv/lp", p))
		}},
	}
}

// put writes a probe's file.
func (im *image) put(p probe) {
	im.t.Helper()
	at := "/etc/cron.d/" + p.name
	switch {
	case p.user != "":
		at = "/var/spool/cron/crontabs/" + p.user
	case p.file != "":
		at = "/etc/cron.d/" + p.file
	}
	if p.make != nil {
		p.make(im, im.root+at)
		return
	}
	mode := p.mode
	if mode == 0 && p.name != "mode0" {
		mode = 0o644
	}
	im.write(at, im.expand(p), mode)
	im.must(os.Chown(im.root+at, p.uid, -1))
	im.must(syscall.Chmod(im.root+at, uint32(mode)))
}

func (im *image) expand(p probe) string {
	text := p.text
	if digits, ok := strings.CutPrefix(text, "LONG("); ok {
		var n int
		fmt.Sscan(digits, &n)
		command := im.job(p.name) + " #"
		return "@reboot root " + command + strings.Repeat("x", n-len(command)) + "\n"
	}
	for _, call := range []struct{ open, before string }{{"RUN(", "@reboot root "}, {"JOB(", ""}} {
		for {
			head, rest, found := strings.Cut(text, call.open)
			if !found {
				break
			}
			name, tail, _ := strings.Cut(rest, ")")
			text = head + call.before + im.job(name) + tail
		}
	}
	return text
}

// The daemon is the judge of what loads: each probe is a job for the boot, and
// those that ran must be those that we call active.
func TestRealDaemonLoadsWhatWeSay(t *testing.T) {
	needReal(t)
	im := newImage(t)
	l := &look{Provider: &Provider{host: NewHost(im.root, nil)}}
	bare, known := l.takesBare()
	if !known {
		t.Log("the version of cron is none whose reading of NAME= was measured")
	}
	want := map[string]bool{}
	cfg := Config{Live: true, System: true, Root: im.root}
	for _, p := range probes(bare) {
		im.put(p)
		if p.runs != "" {
			want[p.runs] = true
		}
		if p.user != "" {
			cfg.Users = append(cfg.Users, p.user)
		}
	}
	o := observe(t, NewHost(im.root, nil), cfg)
	im.boot(func() bool {
		have := im.ran()
		for name := range want {
			if !have[name] {
				return false
			}
		}
		return true
	})
	same(t, "the table and the daemon", want, im.ran())
	same(t, "the daemon and we", im.ran(), im.active(o))
	if gaps := o.Gaps(); len(gaps) > 0 {
		t.Errorf("gaps: %+v", gaps)
	}
}

func same(t *testing.T, what string, a, b map[string]bool) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !b[name] {
			t.Errorf("%s differ: %s runs for the first alone", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if !a[name] {
			t.Errorf("%s differ: %s runs for the second alone", what, name)
		}
	}
}

// What a job gets on its standard input and in its environment is what the
// spec says, by the daemon's own doing.
func TestRealDaemonHandsOverWhatWeSay(t *testing.T) {
	needReal(t)
	im := newImage(t)
	im.must(os.WriteFile(im.out+"/sh", []byte("#!/bin/sh\n# called as: sh -c COMMAND\n{ printf '%s\\0%s\\0%s\\0' \"$2\" \"$HOME\" \"$PATH\"; cat; } > \"$(mktemp "+im.out+"/got.XXXXXX)\"\n: > "+im.out+"/done.$$\n"), 0o755))
	commands := []string{`a`, `a\%%b c`, `a\\%b c`, `a\\\%b c`, `a\\\\b`, `a\b%x\%y\z%w`, `a%`, `a%%`, `a%x%`, `a%x%%`, `a%x\\`, `a\`, `a \% \\ \\\\ \x %%\%%\\%`, "a # b  \t", "a\r"}
	var b strings.Builder
	fmt.Fprintf(&b, "SHELL=%s/sh\nPATH=/bin\n", im.out)
	for _, c := range commands {
		fmt.Fprintf(&b, "@reboot root %s\n", c)
	}
	b.WriteString("HOME=/srv\n@reboot root last\n")
	im.write("/etc/cron.d/handed", b.String(), 0o644)

	want := map[string]int{}
	for _, obj := range observe(t, NewHost(im.root, nil), Config{Live: true, System: true, Root: im.root}).Objects {
		home := "/root"
		env := obj.Spec.Body.Get("env")
		if h := env.Get("HOME"); h.Kind == specs.Text {
			home = h.Text
		}
		got := obj.Attrs["command"] + "\x00" + home + "\x00" + env.Get("PATH").Text + "\x00"
		if in := obj.Spec.Body.Get("stdin"); in.Kind == specs.Text {
			got += in.Text + "\n"
		}
		want[got]++
	}
	im.boot(func() bool {
		done, _ := filepath.Glob(im.out + "/done.*")
		return len(done) == len(commands)+1
	})
	got := map[string]int{}
	files, _ := filepath.Glob(im.out + "/got.*")
	for _, f := range files {
		data, err := os.ReadFile(f)
		im.must(err)
		got[string(data)]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("the daemon handed over\n%q\nand the specs say\n%q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// A user whom cron.deny names keeps the table that is there.
func TestRealDaemonRunsDeniedUsers(t *testing.T) {
	needReal(t)
	im := newImage(t)
	im.put(probe{user: "probe", text: "@reboot JOB(denied)\n", mode: 0o600, uid: 4242})
	for _, f := range []string{"cron.deny", "cron.allow"} {
		os.Remove(im.out + "/denied")
		im.write("/srv/"+f, map[string]string{"cron.deny": "probe\n", "cron.allow": "root\n"}[f], 0o644)
		im.write("/etc/"+f, map[string]string{"cron.deny": "probe\n", "cron.allow": "root\n"}[f], 0o644)
		o := observe(t, NewHost(im.root, nil), Config{Live: true, Users: []string{"probe"}, Root: im.root})
		if !im.active(o)["denied"] || !strings.Contains(show(o), "note early-warning") {
			t.Errorf("%s: %s", f, show(o))
		}
		// The daemon finds the file under /etc through a copy of the folder.
		im.bootWith("mkdir /run/etc && cp -a /etc/. /run/etc/ && cp /srv/"+f+" /run/etc/ && mount --bind /run/etc /etc\n", func() bool { return im.ran()["denied"] })
		if !im.ran()["denied"] {
			t.Errorf("%s keeps the daemon from running the table", f)
		}
		im.must(os.Remove(im.root + "/etc/" + f))
	}
}
