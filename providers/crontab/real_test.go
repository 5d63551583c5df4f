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
	im.write("/etc/passwd", passwd(), 0o644)
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
	late := time.After(time.Minute)
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
		name, ok := strings.CutPrefix(obj.Attr("command"), ": > "+im.out+"/")
		if ok && len(obj.Inactive()) == 0 && !obj.Opaque {
			name, _, _ = strings.Cut(name, " #")
			names[name] = true
		}
	}
	return names
}

// put writes a probe's file where a daemon looks for it.
func (im *image) put(p probe, spool string) {
	im.t.Helper()
	at := p.path(spool)
	file := at
	if p.kind == "hard" || p.kind == "link" {
		file = "/srv/" + p.name
	}
	im.write(file, p.expand(im.job), p.perm())
	im.must(os.Chown(im.root+file, p.uid, -1))
	im.must(syscall.Chmod(im.root+file, uint32(p.perm())))
	switch p.kind {
	case "hard":
		im.must(os.Link(im.root+file, im.root+at))
	case "link":
		im.must(os.Symlink(file, im.root+at))
		im.must(os.Lchown(im.root+at, p.linkUID, p.linkUID))
	case "twice":
		im.must(os.Symlink(at, im.root+at+"_link"))
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
	b.WriteString("HOME=/srv\n@reboot root last\nPATH=/bin:" + strings.Repeat("/x", 1000) + "\n@reboot root longpath\n")
	im.write("/etc/cron.d/handed", b.String(), 0o644)

	want := map[string]int{}
	for _, obj := range observe(t, NewHost(im.root, nil), Config{Live: true, System: true, Root: im.root}).Objects {
		home := "/root"
		env := obj.Spec.Body.Get("env")
		if h := env.Get("HOME"); h.Kind == specs.Text {
			home = h.Text
		}
		got := obj.Attr("command") + "\x00" + home + "\x00" + env.Get("PATH").Text + "\x00"
		if in := obj.Spec.Body.Get("stdin"); in.Kind == specs.Text {
			got += in.Text + "\n"
		}
		want[got]++
	}
	im.boot(func() bool {
		done, _ := filepath.Glob(im.out + "/done.*")
		return len(done) == len(commands)+2
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

// What no line sets is what defaultsOf has, also where a line says the same.
func TestRealDaemonDefaults(t *testing.T) {
	needReal(t)
	im := newImage(t)
	var b strings.Builder
	for i, set := range []string{"", "SHELL=/bin/sh\nPATH=/usr/bin:/bin\n"} {
		fmt.Fprintf(&b, "%s@reboot root cat /proc/$$/environ > %s/env%d; : > %s/done%d\n", set, im.out, i, im.out, i)
	}
	im.write("/etc/cron.d/plain", b.String(), 0o644)
	o := observe(t, NewHost(im.root, nil), Config{Live: true, System: true, Root: im.root})
	for _, obj := range o.Objects {
		if env := obj.Spec.Body.Get("env"); !env.Empty() {
			t.Errorf("%s: %+v", obj.ID, env)
		}
	}
	im.boot(func() bool {
		done, _ := filepath.Glob(im.out + "/done*")
		return len(done) == 2
	})
	for i := range 2 {
		data, err := os.ReadFile(fmt.Sprintf("%s/env%d", im.out, i))
		im.must(err)
		got := strings.Split(string(data), "\x00")
		for name, value := range defaultsOf(specs.Debian) {
			if !slices.Contains(got, name+"="+value) {
				t.Errorf("entry %d: %q has no %s=%s", i, got, name, value)
			}
		}
	}
}

// A user whom cron.deny names keeps the table that is there.
func TestRealDaemonRunsDeniedUsers(t *testing.T) {
	needReal(t)
	im := newImage(t)
	im.put(probe{user: "probe", text: "@reboot JOB(denied)\n", mode: 0o600, uid: 4242}, "/var/spool/cron/crontabs")
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
