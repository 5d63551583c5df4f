//go:build unix

package crontab

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// tree makes files below a folder: a path that ends in / is a folder, a value
// that begins with -> a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for p, text := range files {
		full := filepath.Join(root, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "->"); ok {
			err = os.Symlink(target, full)
		} else if strings.HasSuffix(p, "/") {
			err = os.MkdirAll(full, 0o755)
		} else {
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Links in an image lead within it, absolute ones and those that climb too.
func TestLinksStayBelowTheRoot(t *testing.T) {
	root := tree(t, map[string]string{
		"etc/real": "inside", "srv/a/b": "deep",
		"etc/absolute": "->/etc/real", "etc/relative": "->real", "etc/climbing": "->../../../../../../etc/real",
		"etc/folder": "->/srv/a", "etc/chain": "->/etc/absolute", "etc/loop": "->loop", "etc/dangling": "->/nowhere",
		"etc/outside": "->" + os.Args[0],
	})
	h := NewHost(root, nil)
	for p, want := range map[string]string{
		"/etc/real": "inside", "/etc/absolute": "inside", "/etc/relative": "inside", "/etc/climbing": "inside",
		"/etc/folder/b": "deep", "/etc/chain": "inside", "/etc/folder/../a/b": "deep",
	} {
		data, info, err := h.Read(p)
		if err != nil || string(data) != want || info.Links != 1 || info.UID != uint32(os.Getuid()) {
			t.Errorf("%s: %q %+v %v", p, data, info, err)
		}
	}
	if _, _, err := h.Read("/etc/loop"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("loop: %v", err)
	}
	for _, p := range []string{"/etc/dangling", "/etc/outside", "/etc/none", "/nowhere/x"} {
		if _, _, err := h.Read(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", p, err)
		}
	}
	if info, err := h.Lstat("/etc/absolute"); err != nil || info.Type != fs.ModeSymlink {
		t.Errorf("lstat: %+v %v", info, err)
	}
	if info, err := h.Stat("/etc/absolute"); err != nil || info.Type != 0 || info.Size != 6 {
		t.Errorf("stat: %+v %v", info, err)
	}
	if info, err := h.Stat("/etc/folder"); err != nil || !info.Type.IsDir() {
		t.Errorf("stat: %+v %v", info, err)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	root := tree(t, map[string]string{"etc/": ""})
	if err := syscall.Mkfifo(root+"/etc/pipe", 0o644); err != nil {
		t.Fatal(err)
	}
	h := NewHost(root, nil)
	for _, p := range []string{"/etc/pipe", "/etc"} {
		if _, _, err := h.Read(p); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestAccountsOfARoot(t *testing.T) {
	h := NewHost(tree(t, map[string]string{"etc/passwd": "root:x:0:0:root:/root:/bin/sh\nbad line\n:x:1::::\ndeploy:x:1000:1000::/home/deploy:/bin/sh\n"}), nil)
	if a, err := h.Account("deploy"); err != nil || a != (Account{"deploy", 1000, "/home/deploy"}) {
		t.Errorf("%+v %v", a, err)
	}
	for _, name := range []string{"ghost", "", "-x", "a/b", "bad line", "a:b", "1000"} {
		if _, err := h.Account(name); !errors.Is(err, ErrNoAccount) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if h.AccountName(1000) != "deploy" || h.AccountName(7) != "7" {
		t.Errorf("%s %s", h.AccountName(1000), h.AccountName(7))
	}
	if _, err := h.Crontab(t.Context(), "deploy"); err == nil {
		t.Error("crontab -l of this machine stood in for another root's")
	}
	if _, err := NewHost(tree(t, nil), nil).Account("deploy"); err == nil || errors.Is(err, ErrNoAccount) {
		t.Errorf("a root without a user database says %v", err)
	}
}

func TestAccountsOfThisMachine(t *testing.T) {
	h := NewHost("/", nil)
	if a, err := h.Account("root"); err != nil || a.UID != 0 {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := h.Account("no-such-user-here"); !errors.Is(err, ErrNoAccount) {
		t.Errorf("%v", err)
	}
}

func TestStandardInputIsReadOnce(t *testing.T) {
	h := NewHost("", strings.NewReader("1 1 * * * /opt/a\n"))
	cfg := Config{Dialect: specs.Debian, Files: []File{{Path: "-"}}}
	for range 2 {
		check(t, show(observe(t, h, cfg)), "1 1 1 * * * \"/opt/a\"\n")
	}
	o := observe(t, NewHost("", nil), cfg)
	check(t, show(o), "gap stdin failed\n")
}

func TestCrontabErrors(t *testing.T) {
	exit := &exec.ExitError{}
	for said, want := range map[string]error{
		"no crontab for deploy\n":                                    ErrNoTable,
		"crontab: can't open 'deploy': No such file or directory":    ErrNoTable,
		"must be privileged to use -u":                               fs.ErrPermission,
		"You (deploy) are not allowed to use this program (crontab)": fs.ErrPermission,
		"crontab: must be suid to work properly":                     fs.ErrPermission,
		"/var/spool/cron/crontabs/deploy/: fopen: Permission denied": fs.ErrPermission,
		"no crontab for another":                                     exit,
	} {
		if err := crontabError("crontab -l", exit, "deploy", said); !errors.Is(err, want) {
			t.Errorf("%q: %v", said, err)
		}
	}
	if err := crontabError("crontab -l", exec.ErrNotFound, "deploy", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// asUser runs this test binary again under another user: a child test prints an
// observation of a configuration.
func asUser(t *testing.T, uid, gid uint32, cfg Config, wrap func(*exec.Cmd) *exec.Cmd) providers.Observation {
	t.Helper()
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copyOfTest(t), "-test.run=^TestChild$")
	if wrap != nil {
		cmd = wrap(cmd)
	} else {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid, NoSetGroups: false}}
	}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "ROLECALL_TEST_CHILD="+string(text), "HOME=/")
	var diag bytes.Buffer
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, diag.String())
	}
	_, line, _ := strings.Cut(string(out), "observation ")
	line, _, _ = strings.Cut(line, "\n")
	var o providers.Observation
	if err := gob.NewDecoder(hex.NewDecoder(strings.NewReader(line))).Decode(&o); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return o
}

// copyOfTest stands where any user may run it.
func copyOfTest(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rolecall-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(dir+"/test", data, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Skip(err)
	}
	return dir + "/test"
}

func TestChild(t *testing.T) {
	text := os.Getenv("ROLECALL_TEST_CHILD")
	if text == "" {
		t.Skip("it is run by other tests, as another user")
	}
	var cfg Config
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(hex.NewEncoder(&out)).Encode(observe(t, NewHost(cfg.Root, nil), cfg)); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("observation " + out.String() + "\n")
}

// Files and folders that another user may not read are denied and nothing else:
// the rest is read, and nothing is called absent.
func TestDeniedToAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	root := tree(t, map[string]string{
		"etc/crontab": job, "etc/cron.d/open": job, "etc/cron.d/closed": job, "etc/passwd": "root:x:0:0::/root:/bin/sh\ndeploy:x:1000:1000::/:/bin/sh\n",
		"etc/cron.daily/closed": "#!/bin/sh\n", "etc/cron.hourly/x": "#!/bin/sh\n", "var/spool/cron/crontabs/deploy": "1 1 * * * /opt/a\n", "usr/sbin/cron": "",
	})
	for dir := root; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755)
	}
	for p, mode := range map[string]os.FileMode{
		"etc/cron.d/closed": 0o600, "etc/cron.daily/closed": 0o700, "etc/cron.hourly": 0o700, "var/spool/cron/crontabs": 0o700,
	} {
		if err := os.Chmod(filepath.Join(root, p), mode); err != nil {
			t.Fatal(err)
		}
	}
	o := asUser(t, 65534, 65534, Config{Live: true, System: true, Users: []string{"deploy"}, Root: root, Dialect: specs.Debian}, nil)
	var gaps []string
	for _, a := range o.Gaps() {
		gaps = append(gaps, a.Part+" "+string(a.State))
	}
	// What runs cron.daily may stand in the table that is closed.
	want := "file/etc/cron.d/closed denied, folder/etc/cron.daily failed, folder/etc/cron.hourly denied, user/deploy denied"
	if got := strings.Join(gaps, ", "); got != want {
		t.Errorf("gaps: %s", got)
	}
	if len(o.Objects) < 2 {
		t.Errorf("%d objects", len(o.Objects))
	}
}

func TestDeniedOffline(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	root := tree(t, map[string]string{"ops/a.crontab": "1 1 * * * /opt/a\n", "ops/b.crontab": "1 1 * * * /opt/b\n"})
	for dir := root; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755)
	}
	if err := os.Chmod(root+"/ops/b.crontab", 0); err != nil {
		t.Fatal(err)
	}
	o := asUser(t, 65534, 65534, Config{Base: root, Files: []File{{Path: "ops/*.crontab"}}, Dialect: specs.Debian}, nil)
	check(t, show(o), "1 1 1 * * * \"/opt/a\"\ngap file/ops/b.crontab denied\n")
}
