package crontab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	base := t.TempDir()
	for p, text := range files {
		full := filepath.Join(base, p)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

func TestFormatByPlace(t *testing.T) {
	const both = "1 1 * * * root /opt/a\n"
	base := writeFiles(t, map[string]string{
		"host/etc/crontab": both, "ops/cron.d/x": both, "ops/cron.d/x.dotted": both, "ops/web.crontab": both, "ops/crontab": both, "cron.d/deep/y": both,
	})
	for file, want := range map[string]string{
		"host/etc/crontab":    `1 1 * * * by root "/opt/a"`,
		"ops/cron.d/x":        `1 1 * * * by root "/opt/a"`,
		"ops/cron.d/x.dotted": `1 1 * * * by root "/opt/a" !file-not-loaded`,
		"ops/web.crontab":     `1 1 * * * "root /opt/a"`,
		"ops/crontab":         `1 1 * * * "root /opt/a"`,
		"cron.d/deep/y":       `1 1 * * * "root /opt/a"`,
	} {
		o := observe(t, NewHost("", nil), Config{Base: base, Dialect: specs.Debian, Files: []File{{Path: file}}})
		first, _, _ := strings.Cut(show(o), "\n")
		if first != "1 "+want {
			t.Errorf("%s: %s", file, first)
		}
		if got := strings.Contains(show(o), "note not-checked"); got != strings.Contains(want, "by root") {
			t.Errorf("%s: note not-checked is %v", file, got)
		}
	}
	stated := observe(t, NewHost("", nil), Config{Base: base, Dialect: specs.Debian, Files: []File{{Path: "ops/web.crontab", Format: "system"}, {Path: "ops/cron.d/x", Format: "user", User: "deploy"}}})
	check(t, strings.ReplaceAll(show(stated), "note", "note"), `
			1 1 1 * * * by deploy "root /opt/a"
			1 1 1 * * * by root "/opt/a"
			note not-checked
			note suspicious-schedule
			`)
}

func TestOfflineNamesAndAreas(t *testing.T) {
	base := writeFiles(t, map[string]string{"ops/a.crontab": "1 1 * * * /opt/a\n", "ops/b.crontab": "2 2 * * * /opt/b\n", "ops/cron.d/x": job, "ops/cron.d/.placeholder": "# x\n"})
	o := observe(t, NewHost("", nil), Config{Base: base, Dialect: specs.Debian, Files: []File{
		{Path: "ops/*.crontab"}, {Path: "ops/a.crontab"}, {Path: "ops/cron.d"}, {Path: "ops/none"}, {Path: "none/*.x"},
	}})
	var parts []string
	for _, a := range o.Areas {
		parts = append(parts, a.Part+" "+string(a.State))
	}
	if got, want := strings.Join(parts, ", "), "file/ops/a.crontab read, file/ops/b.crontab read, file/ops/cron.d/.placeholder read, file/ops/cron.d/x read, file/ops/none absent, glob/none/*.x absent"; got != want {
		t.Errorf("areas %s", got)
	}
	if len(o.Objects) != 3 {
		t.Errorf("%s", show(o))
	}
	for _, obj := range o.Objects {
		if !strings.HasPrefix(obj.ID, "crontab:s/"+obj.Attr("file")+"#") || obj.Pos.File != filepath.Join(base, obj.Attr("file")) || obj.Part() != "file/"+obj.Attr("file") {
			t.Errorf("%+v", obj)
		}
	}
}

// Without a dialect Debian's holds, and a note stands only where it matters.
func TestDialectAssumed(t *testing.T) {
	for text, want := range map[string]bool{
		"1 1 * * * /opt/a\n": false,
		"A=b\n# rolecall: role=a\n0 0 */2 * 1 /opt/a\n#x\n": false,
		"1 1 * * * /opt/a\n61 1 * * * /opt/b\n":             true,
		"1 1 * * * /opt/a":                                  true,
		"CRON_TZ=America/Chicago\n1 1 * * * /opt/a\n":       true,
		"1 1 * * * /opt/a '\\\\'\n":                         true,
		"1 1 * * mon#2 /opt/a\n":                            true,
		"# rolecall: role=a\n61 1 * * * /opt/a\n":           true,
		"# rolecall: role=a\n#1 1 * * * /opt/a\n":           false,
		"1 1 * * *\n":                          true,
		"@reboot /opt/a\n@daily /opt/b%text\n": false,
		"1 1 * * * -n /opt/a\n":                true,
		"61 1 * * * /opt/a\n":                  false,
		"# a comment alone, and a bad line that no role hangs on\n1 2 3\n": false,
	} {
		o := observe(t, fakeHost{local: map[string]string{"-": text}}, Config{Files: []File{{Path: "-"}}})
		if got := strings.Contains(show(o), "note dialect-assumed"); got != want {
			t.Errorf("%q: %v, %s", text, got, show(o))
		}
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]Config{
		"unknown dialect":           {Dialect: "vixie", Files: []File{{Path: "-"}}},
		"foreign dialect":           {Dialect: specs.GitHub, Files: []File{{Path: "-"}}},
		"unknown zone":              {Zone: "Mars/Base", Files: []File{{Path: "-"}}},
		"no files":                  {},
		"no path":                   {Files: []File{{}}},
		"unknown format":            {Files: []File{{Path: "-", Format: "vixie"}}},
		"a user column for busybox": {Dialect: specs.Busybox, Files: []File{{Path: "-", Format: "system"}}},
		"a user of a system table":  {Files: []File{{Path: "-", Format: "system", User: "root"}}},
		"nothing live":              {Live: true},
		"supercronic on a host":     {Live: true, System: true, Dialect: specs.Supercronic},
		"a user that cannot be":     {Live: true, Users: []string{"../root"}},
	} {
		if _, err := New(fakeHost{}, c); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestTwoLooksAreTheSame(t *testing.T) {
	base := writeFiles(t, map[string]string{"a": "# rolecall: role=a\n1 1 * * * x\nbad\n", "b": "2 2 * * * y\n2 2 * * * y\n"})
	p, err := New(NewHost("", nil), Config{Source: "s", Base: base, Files: []File{{Path: "*"}}})
	if err != nil {
		t.Fatal(err)
	}
	look := func() string { return show(p.Observe(t.Context(), providers.Selection{})) }
	if a, b := look(), look(); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// A marker whose entry lies behind what the daemon reads still has its entry.
func TestMarkerBeforeTheLastLineThatIsRead(t *testing.T) {
	base := writeFiles(t, map[string]string{"a.crontab": strings.Repeat("#\n", debianLines-1) + "# rolecall: role=late\n1 1 * * * /opt/late\n"})
	o := observe(t, NewHost("", nil), Config{Base: base, Dialect: specs.Debian, Files: []File{{Path: "a.crontab"}}})
	if len(o.Objects) != 1 || o.Objects[0].Marker().Role != "late" || len(o.Objects[0].Inactive()) == 0 {
		t.Errorf("%s", show(o))
	}
}
