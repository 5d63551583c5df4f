package crontab

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// A link that the daemon cannot follow either holds no job; one that is closed
// to us may.
func TestDeadLinks(t *testing.T) {
	for _, place := range []string{"/etc/crontab", "/etc/cron.d/x", "/etc/cron.hourly/x", "/var/spool/cron/crontabs/deploy"} {
		for _, c := range []struct {
			gone error
			dead bool
		}{
			{fs.ErrNotExist, true}, {syscall.ELOOP, true}, {syscall.ENOTDIR, true}, {fs.ErrPermission, false}, {syscall.EIO, false},
		} {
			h := host(map[string]fakeFile{"/etc/crontab": file(0o644, stockCrontab), "/etc/cron.hourly/run": file(0o755, "")})
			h.files[place] = deadLink(c.gone)
			h.fails["crontab deploy"] = fs.ErrPermission
			o := observe(t, h, Config{Live: true, System: true, Users: []string{"deploy"}, Dialect: specs.Debian})
			if got := len(o.Gaps()) == 0; got != c.dead {
				t.Errorf("%s: %v: %s", place, c.gone, show(o))
			}
			if !c.dead {
				continue
			}
			if len(o.Notes) != 1 || o.Notes[0].Code != "early-warning" || o.Notes[0].Pos.File != place || !strings.Contains(o.Notes[0].Message, `"/opt/gone"`) {
				t.Errorf("%s: %v: notes %+v", place, c.gone, o.Notes)
			}
		}
	}
}

// A file that goes between two looks is no dead link: it may come back changed.
func TestVanishedFileIsAGap(t *testing.T) {
	h := host(map[string]fakeFile{"/etc/cron.d/x": file(0o644, job)})
	h.fails["read /etc/cron.d/x"] = fs.ErrNotExist
	check(t, show(observe(t, h, systemOnly)), "gap file/etc/cron.d/x absent\n")
}

// What the daemon passes by for its name is nothing to warn of.
func TestDeadLinkWithANameThatIsPassedBy(t *testing.T) {
	h := host(map[string]fakeFile{"/etc/cron.d/.#x": deadLink(fs.ErrNotExist), "/etc/cron.hourly/.#x": deadLink(fs.ErrNotExist)})
	check(t, show(observe(t, h, systemOnly)), "")
}

func TestDeadLinksOnDisk(t *testing.T) {
	base := writeFiles(t, map[string]string{"usr/sbin/cron": "", "etc/cron.d/good": job, "etc/cron.hourly/run": "", "etc/passwd": "root:x:0:0::/root:/bin/sh\n"})
	for name, to := range map[string]string{
		"etc/cron.d/gone": "/opt/jobs/gone", "etc/cron.d/loop": "loop", "etc/cron.d/chain": "gone", "etc/cron.d/through": "good/x", "etc/cron.hourly/gone": "../gone",
	} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	o := observe(t, NewHost(base, nil), Config{Live: true, System: true, Root: base, Dialect: specs.Debian})
	if len(o.Gaps()) > 0 {
		t.Errorf("gaps %+v", o.Gaps())
	}
	said := ""
	for _, n := range o.Notes {
		if n.Code == "early-warning" {
			said += n.Pos.File + " " + n.Message + "\n"
		}
	}
	for _, want := range []string{`etc/cron.d/gone the link leads to "/opt/jobs/gone"`, `loop the link leads to "loop"`, `chain the link leads to "gone"`, `through the link leads to "good/x"`, `cron.hourly/gone the link leads to "../gone"`} {
		if !strings.Contains(said, want) {
			t.Errorf("nowhere said: %s\n%s", want, said)
		}
	}
}

// Of a file that is left out for its name only entries and markers matter.
func TestFilesWithANameThatIsPassedBy(t *testing.T) {
	const placeholder = "# Cron keeps this folder.\n\n"
	for text, want := range map[string]string{
		"":                      "",
		placeholder:             "",
		"some words\nA=\n":      "",
		"# rolecall: role=a\n":  "note dangling-marker at 1\n",
		job:                     "1 1 1 * * * by root \"/opt/a\" !file-not-loaded\n",
		"# rolecall: role=a\nx": "2 <a> !file-not-loaded !invalid-line\n",
	} {
		got := show(observe(t, host(map[string]fakeFile{"/etc/cron.d/.placeholder": file(0o644, text)}), systemOnly))
		if got != want {
			t.Errorf("%q, live: got %q, want %q", text, got, want)
		}
		base := writeFiles(t, map[string]string{"cron.d/.placeholder": text})
		o := observe(t, NewHost("", nil), Config{Base: base, Dialect: specs.Debian, Files: []File{{Path: "cron.d/.placeholder"}}})
		if got := strings.ReplaceAll(show(o), "note not-checked\n", ""); got != want {
			t.Errorf("%q, offline: got %q, want %q", text, got, want)
		}
	}
	loaded := show(observe(t, host(map[string]fakeFile{"/etc/cron.d/words": file(0o644, "some words\n")}), systemOnly))
	check(t, loaded, "note bad-line at 1\n")
}

func TestWhoseTable(t *testing.T) {
	for name, want := range map[string]string{"root": "uid 7 and not to root", "deploy": "uid 7, neither to deploy nor to root"} {
		h := host(map[string]fakeFile{"/var/spool/cron/crontabs/" + name: file(0o600, "1 1 * * * /opt/a\n").of(7)})
		o := observe(t, h, Config{Live: true, Users: []string{name}, Dialect: specs.Debian})
		if len(o.Objects) != 1 || len(o.Objects[0].Inactive()) != 1 || !strings.Contains(o.Objects[0].Inactive()[0].Detail, want) {
			t.Errorf("%s: %+v", name, o.Objects)
		}
	}
}
