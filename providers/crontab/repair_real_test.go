//go:build linux

package crontab

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

var (
	repairRaces = flag.Int("repair-races", 100, "how often two repairs of one table start at once")
	repairEdits = flag.Int("repair-edits", 100, "how often a repair and an edit of one table start at once")
)

// disk is a root on the real file system with one user, who is this process's.
type disk struct {
	t     *testing.T
	root  string
	table string
	cfg   Config
}

func newDisk(t *testing.T, text *string) *disk {
	t.Helper()
	uid := strconv.Itoa(os.Geteuid())
	d := &disk{t: t, root: tree(t, map[string]string{
		"etc/passwd": "me:x:" + uid + ":" + uid + "::/home/me:/bin/sh\n", "usr/sbin/cron": "", "var/spool/cron/crontabs/other": "",
	})}
	d.cfg = Config{Source: "s", Live: true, Users: []string{"me"}, Root: d.root, Dialect: specs.Debian}
	d.table = d.root + "/var/spool/cron/crontabs/me"
	if text != nil {
		if err := os.WriteFile(d.table, []byte(*text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *disk) provider() *Provider { return writer(d.t, NewHost(d.root, nil), d.cfg) }

func (d *disk) data() string {
	data, err := os.ReadFile(d.table)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.t.Error(err)
	}
	return string(data)
}

// clean says that nothing but backups lies about.
func (d *disk) clean() {
	d.t.Helper()
	left, _ := filepath.Glob(filepath.Dir(d.table) + "/" + private + "/[^k]*")
	beside, _ := filepath.Glob(filepath.Dir(d.table) + "/*") // with the other table and the folder of ours
	if len(left) > 0 || len(beside) > 3 {
		d.t.Errorf("left behind: %v %v", left, beside)
	}
}

// repair is what one process does: it plans and creates, again where the table
// moved, until the entry is there. The error is why it gave up.
func repair(t *testing.T, p *Provider, role specs.Role) (created int, err error) {
	for range 1000 {
		pr, err := propose(t, p, role)
		if err != nil && strings.Contains(err.Error(), "already") {
			return created, nil
		}
		if err != nil {
			return created, err
		}
		switch made, err := p.Create(t.Context(), pr); {
		case err == nil && !made.Existed:
			created++
		case err != nil && !errors.Is(err, providers.ErrMoved):
			return created, err
		}
	}
	return created, errors.New("it never came to an end")
}

// Two repairs of a role, and one of another role, start at once: one entry of
// each is there in the end, and one of the two made it.
func TestRepairRaces(t *testing.T) {
	text := theirs
	for i := range *repairRaces {
		start := map[bool]*string{true: &text}[i%2 == 0]
		d := newDisk(t, start)
		made, errs := make([]int, 3), make([]error, 3)
		var wg sync.WaitGroup
		for j, role := range []specs.Role{retry(anEntry, nil), retry(anEntry, nil), retryAs("second")} {
			wg.Add(1)
			role.Match = specs.Match{}
			go func() {
				defer wg.Done()
				made[j], errs[j] = repair(t, d.provider(), role)
			}()
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil || made[0]+made[1] != 1 || made[2] != 1 {
			t.Fatalf("race %d: made %v, %v", i, made, err)
		}
		p := d.provider()
		exactlyOne(t, p, "retry")
		exactlyOne(t, p, "second")
		if start != nil && !strings.HasPrefix(d.data(), theirs) {
			t.Fatalf("race %d: %q", i, d.data())
		}
		d.clean()
		if t.Failed() {
			t.Fatalf("race %d: %q", i, d.data())
		}
	}
}

// A person saves the table while it is repaired, as an editor does that gives a
// new file the name of the old one, or by adding to the file in place.
func TestRepairRacesWithEdits(t *testing.T) {
	const edit = "7 7 * * * /opt/edited\n"
	save := map[string]func(d *disk) error{
		"renamed": func(d *disk) error {
			fresh := filepath.Dir(d.root) + "/fresh-" + filepath.Base(d.root)
			if err := os.WriteFile(fresh, []byte(d.data()+edit), 0o600); err != nil {
				return err
			}
			return os.Rename(fresh, d.table)
		},
		"in place": func(d *disk) error {
			f, err := os.OpenFile(d.table, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(edit)
			return errors.Join(err, f.Close())
		},
	}
	for how, save := range save {
		t.Run(how, func(t *testing.T) {
			text, moved := theirs, 0
			for i := range *repairEdits {
				d := newDisk(t, &text)
				p := d.provider()
				role := retry(anEntry, nil)
				pr, err := propose(t, p, role)
				if err != nil {
					t.Fatal(err)
				}
				ready := make(chan error, 1)
				go func() {
					for range i % 50 * 10 { // so that it falls into every part of the repair
						d.data()
					}
					ready <- save(d)
				}()
				if _, err := p.Create(t.Context(), pr); errors.Is(err, providers.ErrMoved) {
					moved++
				} else if err != nil {
					t.Fatal(err)
				}
				if err := <-ready; err != nil {
					t.Fatal(err)
				}
				if _, err := repair(t, p, role); err != nil {
					t.Fatal(err)
				}
				exactlyOne(t, p, "retry")
				kept, _ := filepath.Glob(filepath.Dir(d.table) + "/" + private + "/*")
				all := d.data()
				for _, k := range kept {
					if data, err := os.ReadFile(k); err == nil && how == "in place" { // the file was open when it lost its name
						all += string(data)
					}
				}
				if !strings.Contains(all, edit) || t.Failed() {
					t.Fatalf("edit %d is lost: %q", i, all)
				}
			}
			t.Logf("the table had moved in %d of %d", moved, *repairEdits)
		})
	}
}

// repairOrder is what a child process is told to do.
type repairOrder struct {
	Cfg      Config
	Template string
	KillAt   int // the step before which it kills itself
	Try      string
}

// repairReport is what it did.
type repairReport struct {
	Made           providers.Created
	Proposal       providers.Proposal
	Err            string
	Refused, Moved bool
	Steps          int
}

const repairVariable = "ROLECALL_TEST_REPAIR"

// TestRepairChild is no test, but a process of another one.
func TestRepairChild(t *testing.T) {
	text := os.Getenv(repairVariable)
	if text == "" {
		t.Skip("it is run by other tests")
	}
	var o repairOrder
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	host := NewHost(o.Cfg.Root, nil)
	steps := &steppingHost{Host: host, Writer: host.(Writer), at: o.KillAt, root: o.Cfg.Root}
	p := writer(t, steps, o.Cfg)
	var r repairReport
	var err error
	if o.Try != "" {
		err = errors.Join(steps.Try(t.Context(), o.Cfg.Users[0], []byte(o.Try)), steps.Install(t.Context(), o.Cfg.Users[0], []byte(o.Try)))
		r.Refused = errors.Is(err, ErrNotTaken)
	} else if r.Proposal, err = propose(t, p, retry(o.Template, nil)); err == nil {
		steps.n = 0
		r.Made, err = p.Create(t.Context(), r.Proposal)
		r.Refused, r.Moved = errors.Is(err, providers.ErrRefused), errors.Is(err, providers.ErrMoved)
	}
	r.Steps = steps.n
	if err != nil {
		r.Err = err.Error()
	}
	out, err := json.Marshal(r)
	fmt.Printf("report %s %v\n", out, err)
}

// steppingHost kills its process before one of the steps that change something.
type steppingHost struct {
	Host
	Writer
	n, at int
	root  string
}

func (s *steppingHost) step() {
	if s.n++; s.n == s.at {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (s *steppingHost) Private(folder string) error { s.step(); return s.Writer.Private(folder) }
func (s *steppingHost) Exchange(a, b string) error  { s.step(); return s.Writer.Exchange(a, b) }
func (s *steppingHost) Move(from, to string) error  { s.step(); return s.Writer.Move(from, to) }
func (s *steppingHost) Remove(p string) error       { s.step(); return s.Writer.Remove(p) }
func (s *steppingHost) Flush(folder string) error   { s.step(); return s.Writer.Flush(folder) }

// Stage has a step in its middle too, with half of the file written.
func (s *steppingHost) Stage(p string, data []byte, m Making) error {
	s.step()
	if s.n+1 == s.at {
		if err := os.WriteFile(filepath.Join(s.root, p), data[:len(data)/2], 0o600); err != nil {
			return err
		}
	}
	s.step()
	return s.Writer.Stage(p, data, m)
}

// child runs an order in a process of its own; wrap may put it elsewhere.
func child(t *testing.T, o repairOrder, wrap func(*exec.Cmd) *exec.Cmd) (r repairReport, alive bool) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	binary := "/proc/self/exe"
	if wrap != nil {
		binary = copyOfTest(t)
	}
	cmd := exec.Command(binary, "-test.run=^TestRepairChild$")
	if wrap != nil {
		cmd = wrap(cmd)
	}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), repairVariable+"="+string(text), "HOME=/")
	var diag bytes.Buffer
	cmd.Stderr = &diag
	out, err := cmd.Output()
	_, line, ok := strings.Cut(string(out), "report ")
	if !ok {
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
			return r, false
		}
		t.Fatalf("%v: %s%s", err, out, diag.String())
	}
	if err := json.NewDecoder(strings.NewReader(line)).Decode(&r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r, true
}

// SIGKILL at each step leaves the old table or the new one, and the next repair
// makes it whole.
func TestRepairKilledForReal(t *testing.T) {
	for name, text := range tables() {
		t.Run(name, func(t *testing.T) {
			for n, alive := 1, false; !alive; n++ {
				d := newDisk(t, text)
				old := d.data()
				if _, alive = child(t, repairOrder{Cfg: d.cfg, Template: anEntry, KillAt: n}, nil); alive && n < 5 {
					t.Fatalf("only %d steps", n)
				}
				added := "# rolecall: role=retry version=7\n" + anEntry
				if old == "" { // so that no crontab(1) takes the marker for its header
					added = "\n" + added
				}
				if got := d.data(); got != old && got != old+added {
					t.Errorf("step %d: a torn table: %q", n, got)
				}
				p := d.provider()
				if all, _ := markers(t, p, "retry"); all > 1 {
					t.Errorf("step %d: %d entries", n, all)
				}
				if _, err := repair(t, p, retry(anEntry, nil)); err != nil {
					t.Errorf("step %d: %v", n, err)
				}
				if got := d.data(); got != old+added {
					t.Errorf("step %d: in the end %q", n, got)
				}
				if _, err := repair(t, p, asSecond()); err != nil {
					t.Errorf("step %d: %v", n, err)
				}
				d.clean()
			}
		})
	}
}

func asSecond() specs.Role {
	role := retryAs("second")
	role.Match = specs.Match{}
	return role
}

// The real host: owner, mode and attributes are kept, and what is not a file or
// has two names is left alone.
func TestRepairOnTheDisk(t *testing.T) {
	text := theirs
	d := newDisk(t, &text)
	if os.Getuid() == 0 {
		if err := os.Chown(d.table, 4242, 4243); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.root+"/etc/passwd", []byte("me:x:4242:4243::/:/bin/sh\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Stat(d.table)
	if err != nil {
		t.Fatal(err)
	}
	attributes := unix.Setxattr(d.table, "user.label", []byte("kept"), 0) == nil
	if _, err := repair(t, d.provider(), retry(anEntry, nil)); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(d.table)
	if err != nil {
		t.Fatal(err)
	}
	was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid || was.Mode != is.Mode || is.Nlink != 1 {
		t.Errorf("%+v became %+v", was, is)
	}
	value := make([]byte, 16)
	if n, err := unix.Getxattr(d.table, "user.label", value); attributes && (err != nil || string(value[:n]) != "kept") {
		t.Errorf("the attribute is %q, %v", value, err)
	}
	kept, _ := filepath.Glob(filepath.Dir(d.table) + "/" + private + "/kept-*-me")
	if data, err := os.ReadFile(kept[0]); len(kept) != 1 || err != nil || string(data) != text {
		t.Errorf("%v %q %v", kept, data, err)
	}

	// A folder of that name that others can enter is not ours.
	if err := os.Chmod(filepath.Dir(d.table)+"/"+private, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := repair(t, d.provider(), asSecond()); !errors.Is(err, providers.ErrRefused) {
		t.Errorf("%v", err)
	}
	if err := os.Link(d.table, d.root+"/elsewhere"); err != nil {
		t.Fatal(err)
	}
	if _, err := repair(t, d.provider(), asSecond()); err == nil || !strings.Contains(err.Error(), "hard links") {
		t.Errorf("%v", err)
	}
}

// A lock that another holds is waited for as long as the context lasts.
func TestRepairWaitsForTheLock(t *testing.T) {
	text := theirs
	d := newDisk(t, &text)
	p := d.provider()
	pr, err := propose(t, p, retry(anEntry, nil))
	if err != nil {
		t.Fatal(err)
	}
	release, err := NewHost(d.root, nil).(Writer).Lock(t.Context(), "/var/spool/cron/crontabs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := contextFor(t, 50*time.Millisecond)
	defer cancel()
	if _, err := p.Create(ctx, pr); !errors.Is(err, providers.ErrRefused) || !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
	release()
	if _, err := p.Create(t.Context(), pr); err != nil {
		t.Error(err)
	}
}

// The real daemon runs what a repair added, and nothing in the folder of ours.
func TestRealDaemonRunsWhatARepairAdded(t *testing.T) {
	needReal(t)
	im := newImage(t)
	im.put(probe{user: "probe", text: "@reboot JOB(kept)\n", mode: 0o600, uid: 4242}, "/var/spool/cron/crontabs")
	im.write("/etc/cron.d/jobs", "@reboot root "+im.job("system")+"\n", 0o644)
	cfg := Config{Live: true, Users: []string{"probe", "root"}, System: true, Root: im.root}
	p := writer(t, NewHost(im.root, nil), cfg)
	for key, c := range map[string]struct {
		match    map[string]string
		template string
	}{
		"mine": {map[string]string{"user": "probe"}, "@reboot " + im.job("mine") + "\n"}, "first": {map[string]string{"user": "root"}, "@reboot " + im.job("first") + "\n"},
		"ours": {map[string]string{"file": "/etc/cron.d/jobs"}, "@reboot root " + im.job("ours") + "\n"}, "new": {map[string]string{"file": "/etc/cron.d/new"}, "@reboot root " + im.job("new") + "\n"},
	} {
		role := retry(c.template, c.match)
		role.Key = key
		if _, err := repair(t, p, role); err != nil {
			t.Fatal(err)
		}
		exactlyOne(t, p, key)
	}
	for _, folder := range []string{"/var/spool/cron/crontabs/", "/etc/cron.d/"} {
		for name, user := range map[string]string{"probe": "", "root": "", "jobs": "root ", "part-probe": "", "kept-0000000000000000-jobs": "root "} {
			if folder == "/etc/cron.d/" {
				user = "root "
			}
			im.write(folder+private+"/"+name, "@reboot "+user+im.job("hidden")+"\n", 0o600)
		}
	}
	o := p.Observe(t.Context(), providers.Selection{})
	want := map[string]bool{"kept": true, "system": true, "mine": true, "first": true, "ours": true, "new": true}
	same(t, "what we say and what is wanted", im.active(o), want)
	im.boot(func() bool { return len(im.ran()) >= len(want) })
	same(t, "the daemon and what is wanted", im.ran(), want)
}

// As the user a table is installed by the real crontab(1), and what it refuses is
// told with its own words.
func TestRealRepairThroughCrontab(t *testing.T) {
	needReal(t)
	im := newImage(t)
	within := func(uid string) func(*exec.Cmd) *exec.Cmd {
		return func(cmd *exec.Cmd) *exec.Cmd {
			return im.command(`exec setpriv --reuid "$1" --regid "$1" --clear-groups "$2" "$3"`, uid, cmd.Path, cmd.Args[1])
		}
	}
	table := im.root + "/var/spool/cron/crontabs/probe"
	read := func() string {
		data, err := os.ReadFile(table)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		return string(data)
	}
	o := repairOrder{Cfg: Config{Live: true, Users: []string{"probe"}, Root: "/", Backups: im.out + "/backups"}, Template: anEntry}
	added := "# rolecall: role=retry version=7\n" + anEntry

	// none yet, then one that holds another's line
	if r, _ := child(t, o, within("4242")); r.Err != "" || !strings.HasSuffix(read(), added) {
		t.Fatalf("%+v: %q", r, read())
	}
	if out, err := im.command(`printf '%s' "$1" | crontab -u probe -`, theirs).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r, _ := child(t, o, within("4242"))
	if r.Err != "" || !strings.HasSuffix(read(), theirs+added) || strings.Count(read(), "DO NOT EDIT") > 1 {
		t.Errorf("%+v: %q", r, read())
	}
	if data, err := os.ReadFile(r.Made.Backup); err != nil || string(data) != theirs {
		t.Errorf("the backup is %q, %v", data, err)
	}
	exactlyOne(t, writer(t, NewHost(im.root, nil), Config{Live: true, Users: []string{"probe"}, Root: im.root}), "retry")
	if r, _ := child(t, o, within("4242")); !strings.Contains(r.Err, "already") {
		t.Errorf("%+v", r)
	}

	before := read()
	o.Try = "5 25 * * * /opt/x\n"
	if r, _ := child(t, o, within("4242")); !r.Refused || !strings.Contains(r.Err, "bad hour") || !strings.Contains(r.Err, "exit status 1") || read() != before {
		t.Errorf("%+v", r)
	}
	o.Try = ""
	if r, _ := child(t, o, within("65534")); !strings.Contains(r.Err, "run as root or as the user") || read() != before {
		t.Errorf("%+v", r)
	}
	// As root the file's name is changed, also of the machine's own spool.
	if out, err := im.command(`printf '%s' "$1" | crontab -u probe -`, theirs).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before = read()
	if r, _ := child(t, o, within("0")); r.Err != "" || read() != before+added {
		t.Errorf("%+v: %q", r, read())
	}
}

// What a repair added to a table is there after the real crontab(1) has listed,
// installed and edited it, though it takes comments that stand first for its own.
func TestRealRepairOutlivesCrontab(t *testing.T) {
	needReal(t)
	for name, start := range map[string]*string{
		"absent": nil, "empty": new(string), "a comment": ptr("# one\n"), "comments": ptr("# one\n# two\n# three\n# four\n"),
		"no newline": ptr("# one\n# two"), "an entry": ptr(theirs),
	} {
		t.Run(name, func(t *testing.T) {
			im := newImage(t)
			if start != nil {
				im.put(probe{user: "probe", text: *start, mode: 0o600, uid: 4242}, "/var/spool/cron/crontabs")
			}
			p := writer(t, NewHost(im.root, nil), Config{Live: true, Users: []string{"probe"}, Root: im.root})
			if _, err := repair(t, p, retry("# why it runs\n"+anEntry, nil)); err != nil {
				t.Fatal(err)
			}
			for _, through := range []string{
				"crontab -u probe -l | crontab -u probe -", "crontab -u probe -l | crontab -u probe -",
				"EDITOR='" + im.out + "/edit' crontab -u probe -e", "EDITOR='" + im.out + "/edit' crontab -u probe -e",
			} {
				im.must(os.WriteFile(im.out+"/edit", []byte("#!/bin/sh\necho '# edited' >> \"$1\"\ntouch -d '+1 hour' \"$1\"\n"), 0o755))
				if out, err := im.command(through).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				exactlyOne(t, p, "retry")
			}
			data, err := os.ReadFile(im.root + "/var/spool/cron/crontabs/probe")
			if err != nil || strings.Count(string(data), "# edited\n") != 2 || strings.Count(string(data), "/opt/retry") != 1 {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

// A person pipes a new table into the real crontab(1) in the same instant: their
// line is there in the end, and the role's once.
func TestRealRepairRacesWithCrontab(t *testing.T) {
	needReal(t)
	im := newImage(t)
	cfg := Config{Live: true, Users: []string{"probe"}, Root: im.root}
	for i := range *repairEdits / 4 {
		im.put(probe{user: "probe", text: theirs, mode: 0o600, uid: 4242}, "/var/spool/cron/crontabs")
		edit := im.command(`read go; { crontab -u probe -l; echo "7 7 * * * /opt/edited"; } | crontab -u probe -`)
		start, err := edit.StdinPipe()
		im.must(err)
		im.must(edit.Start())
		fmt.Fprintln(start, "go")
		p := writer(t, NewHost(im.root, nil), cfg)
		for range i % 25 * 10 {
			p.Observe(t.Context(), providers.Selection{})
		}
		made, err := repair(t, p, retry(anEntry, nil))
		if ended := edit.Wait(); err != nil || ended != nil {
			t.Fatal(made, err, ended)
		}
		if _, err := repair(t, p, retry(anEntry, nil)); err != nil { // the edit may have come last
			t.Fatal(err)
		}
		exactlyOne(t, p, "retry")
		data, err := os.ReadFile(im.root + "/var/spool/cron/crontabs/probe")
		if err != nil || !strings.Contains(string(data), "/opt/edited") || !strings.Contains(string(data), theirs) || t.Failed() {
			t.Fatalf("edit %d: %q, %v", i, data, err)
		}
	}
}
