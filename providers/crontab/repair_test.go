package crontab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// odd are tables that a repair may meet.
func odd(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{"10000-lines": strings.Repeat("5 4 * * * /opt/a\n", 10_000)}
	names, err := filepath.Glob("testdata/odd/*")
	if err != nil || len(names) < 12 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(data)
	}
	return out
}

// What is there stays as it is, byte by byte, in every odd table and with every
// daemon; the entry is read as the ledger states it.
func TestRepairOddTables(t *testing.T) {
	openings := map[string]string{"no-final-newline": "\n\n", "commented-out-at-end": "\n\n", "comment-at-end": "\n", "dangling-marker": "\n", "ansible": "\n", "empty": "\n"}
	restored := map[string]string{"environment-at-end": "PATH=/usr/bin:/bin\nSHELL=/bin/sh\n"}
	for name, text := range odd(t) {
		t.Run(name, func(t *testing.T) {
			h := writable(&text)
			p := writer(t, h, deployOnly)
			role := retry(anEntry, nil)
			pr, err := propose(t, p, role)
			if err != nil {
				t.Fatal(err)
			}
			if want := openings[name] + restored[name] + "# rolecall: role=retry version=7\n" + anEntry; string(pr.Text) != want {
				t.Errorf("the lines are %q and not %q", pr.Text, want)
			}
			if pr.Part != "user/deploy" || pr.Place != "crontab:s/deploy#retry" || pr.Ref != (specs.Ref{Role: "retry", Source: "s"}) {
				t.Errorf("%+v", pr)
			}
			before := p.Observe(t.Context(), providers.Selection{})
			made, err := p.Create(t.Context(), pr)
			if err != nil || made.Existed || made.ID != pr.Place {
				t.Fatal(made, err)
			}
			f := h.files[deploys]
			if f.data != text+string(pr.Text) || f.info.Perm != 0o600 || f.info.UID != 1000 {
				t.Errorf("the table is %q, %+v", f.data, f.info)
			}
			if got := h.files[made.Backup].data; got != text {
				t.Errorf("the backup %s is %q", made.Backup, got)
			}
			if sum([]byte(f.data)) != pr.After || sum([]byte(text)) != pr.Before {
				t.Error("the hashes are not those of the table")
			}
			exactlyOne(t, p, "retry")
			if after := p.Observe(t.Context(), providers.Selection{}); len(after.Objects) != len(before.Objects)+1 || len(after.Notes) > len(before.Notes) {
				t.Errorf("before:\n%safter:\n%s", show(before), show(after))
			}
		})
	}
}

// A table whose end is in the way is left alone.
func TestProposeRefuses(t *testing.T) {
	table := func(text string) *writingHost { return writable(&text) }
	role := func(change func(*specs.Role)) specs.Role {
		r := retry(anEntry, toDeploy)
		change(&r)
		return r
	}
	two := deployOnly
	two.Users = []string{"deploy", "root"}
	both := two
	both.System = true
	files := Config{Files: []File{{Path: "x"}}}
	for name, c := range map[string]struct {
		host *writingHost
		cfg  Config
		role specs.Role
		want string
	}{
		"it would switch on what waits for a newline": {table("5 4 * * * /opt/a"), deployOnly, retry(anEntry, toDeploy), "does not run now and would"},
		"the table is not loaded":                     {table("5 x4 * * * /opt/a\n"), deployOnly, retry(anEntry, toDeploy), "would not run: Debian's cron refuses the whole file"},
		"an empty line of a CRLF table":               {table("5 4 * * * /opt/a\r\n\r\n"), deployOnly, retry(anEntry, toDeploy), "would not run"},
		"too long":                                    {table(strings.Repeat("5 4 * * * /opt/a\n", 10_002)), deployOnly, retry(anEntry, toDeploy), "would"},
		"a home of the table's own":                   {table("HOME=/srv\n"), deployOnly, retry(anEntry, toDeploy), "env.HOME would differ"},
		"there already":                               {table("# rolecall: role=retry\n" + anEntry), deployOnly, retry(anEntry, toDeploy), "already"},
		"there and commented out":                     {table("# rolecall: role=retry\n#" + anEntry), deployOnly, retry(anEntry, toDeploy), "already"},
		"there under an old name":                     {table("# rolecall: role=again\n" + anEntry), deployOnly, role(func(r *specs.Role) { r.PreviousRoles = []string{"again"} }), "already"},
		"no template":                                 {table(""), deployOnly, role(func(r *specs.Role) { r.Statement.Template = nil }), "has no template"},
		"suspended":                                   {table(""), deployOnly, role(func(r *specs.Role) { r.Suspended = true }), "must not run"},
		"paused":                                      {table(""), deployOnly, role(func(r *specs.Role) { r.PausedUntil = someTime.AddDate(1, 0, 0) }), "must not run"},
		"never":                                       {table(""), deployOnly, retry("0 0 31 2 * /opt/x\n", toDeploy), "never fires"},
		"a version with a blank":                      {table(""), deployOnly, role(func(r *specs.Role) { r.Version = "7 8" }), "cannot stand in a marker"},
		"a version with a line":                       {table(""), deployOnly, role(func(r *specs.Role) { r.Version = "7\n* * * * * x" }), "would be read"},
		"files":                                       {table(""), files, retry(anEntry, nil), "is read from files"},
		"whose table":                                 {table(""), two, retry(anEntry, nil), "write repair: {missing: create, user: NAME}"},
		"another's table":                             {table(""), deployOnly, retry(anEntry, map[string]string{"user": "root"}), "does not look at"},
		"a pattern":                                   {table(""), deployOnly, retry(anEntry, map[string]string{"user": "de*"}), "a pattern"},
		"which file":                                  {table(""), deployOnly, retry("17 3 * * * root /opt/x\n", nil), "write repair: {missing: create, file: /etc/cron.d/retry}"},
		"a file elsewhere":                            {table(""), deployOnly, retry("17 3 * * * root /opt/x\n", map[string]string{"file": "/etc/passwd"}), "by hand"},
		"a file out of the folder":                    {table(""), deployOnly, retry("17 3 * * * root /opt/x\n", map[string]string{"file": "/etc/cron.d/../passwd"}), "by hand"},
		"a name that is not loaded":                   {table(""), deployOnly, retry("17 3 * * * root /opt/x\n", map[string]string{"file": "/etc/cron.d/re.try"}), "loads no file"},
		"a user of two words":                         {table(""), deployOnly, createdIn(retry("17 3 * * * root /opt/x\n", nil), specs.RepairTerms{User: "deploy"}), "has a user column, and the crontab of a user has none"},
		"a user that the source has not":              {table(""), deployOnly, createdIn(retry(anEntry, nil), specs.RepairTerms{User: "root"}), "does not look at"},
		"no such user, in a system source":            {table(""), Config{Live: true, System: true, Dialect: specs.Debian}, createdIn(retry("17 3 * * * gone /opt/x", nil), specs.RepairTerms{File: "/etc/cron.d/retry"}), "gone"},
		"no such user, or a command":                  {table(""), deployOnly, retry("17 3 * * * gone /opt/x", nil), "does not say in which its template"},
		"no such user, nobody says where":             {table(""), both, retry("17 3 * * * gone /opt/x", nil), "\"gone\", which is no account here"},
		"no such user":                                {table(""), deployOnly, retry("17 3 * * * gone /opt/x\n", map[string]string{"file": "/etc/cron.d/retry"}), "gone\", which is no account here"},
	} {
		t.Run(name, func(t *testing.T) {
			before := maps.Clone(c.host.files)
			p := writer(t, c.host, c.cfg)
			p.cfg.Now = func() time.Time { return someTime }
			var d specs.Desired
			if c.role.Statement.Template != nil {
				d, _ = p.Translate(c.role.Statement)
			}
			pr, err := p.Propose(t.Context(), c.role, d)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %q", err, pr.Text)
			}
			if len(c.host.files) != len(before) || c.host.files[deploys].data != before[deploys].data {
				t.Error("something was written")
			}
		})
	}
}

// createdIn is a role whose repair says where.
func createdIn(role specs.Role, where specs.RepairTerms) specs.Role {
	where.CreateMissing = true
	role.Repair = where
	return role
}

// What a role's repair says of its table beats its match, and a template's last
// line counts without a newline.
func TestRepairWhere(t *testing.T) {
	for name, c := range map[string]struct {
		role specs.Role
		part string
	}{
		"a user":                    {createdIn(retry(anEntry, nil), specs.RepairTerms{User: "deploy"}), "user/deploy"},
		"a user, and a pattern":     {createdIn(retry(anEntry, map[string]string{"command": "/opt/*", "user": "*"}), specs.RepairTerms{User: "deploy"}), "user/deploy"},
		"a command that is no path": {createdIn(retry("17 3 * * * test -x /opt/x", nil), specs.RepairTerms{User: "deploy"}), "user/deploy"},
		"a file":                    {createdIn(retry("17 3 * * * root /opt/x", nil), specs.RepairTerms{File: "/etc/cron.d/retry"}), "file/etc/cron.d/retry"},
		"a file beside a match":     {createdIn(retry("17 3 * * * root /opt/x", map[string]string{"file": "/etc/crontab"}), specs.RepairTerms{File: "/etc/cron.d/retry"}), "file/etc/cron.d/retry"},
		"a match":                   {retry("17 3 * * * root /opt/x", map[string]string{"file": "/etc/crontab"}), "file/etc/crontab"},
		"only one user, no word":    {retry(strings.TrimSuffix(anEntry, "\n"), nil), "user/deploy"},
		"the spool's file, a path":  {createdIn(retry(anEntry, nil), specs.RepairTerms{File: deploys}), "user/deploy"},
	} {
		t.Run(name, func(t *testing.T) {
			text := theirs
			h := writable(&text)
			p := writer(t, h, deployOnly)
			pr, err := propose(t, p, c.role)
			if err != nil || pr.Part != c.part {
				t.Fatalf("%q, %v", pr.Part, err)
			}
			if _, err := p.Create(t.Context(), pr); err != nil {
				t.Fatal(err)
			}
			exactlyOne(t, p, "retry")
		})
	}
}

// The right that lacks is named, and so are links.
func TestProposeNamesWhatLacks(t *testing.T) {
	text := theirs
	inCronD := retry("17 3 * * * root /opt/x\n", map[string]string{"file": "/etc/cron.d/jobs"})
	for name, c := range map[string]struct {
		change func(*writingHost)
		role   specs.Role
		want   string
	}{
		"cron.d":     {func(h *writingHost) { h.fails["access /etc/cron.d"] = fs.ErrPermission }, inCronD, "run as root"},
		"no folder":  {func(h *writingHost) { h.fails["access /etc/cron.d"] = fs.ErrNotExist }, inCronD, "no folder"},
		"a link":     {func(h *writingHost) { h.files["/etc/cron.d/jobs"] = deadLink(fs.ErrNotExist) }, inCronD, "is a link"},
		"hard links": {func(h *writingHost) { f := file(0o644, ""); f.info.Links = 2; h.files["/etc/cron.d/jobs"] = f }, inCronD, "hard links"},
		"a folder":   {func(h *writingHost) { h.files["/etc/cron.d/jobs/x"] = file(0o644, "") }, inCronD, "not a regular file"},
		"an owner":   {func(h *writingHost) { h.files["/etc/cron.d/jobs"] = file(0o644, "").of(7) }, inCronD, "belongs to uid 7"},
		"crontab -l": {func(h *writingHost) { h.closed = true; h.fails["crontab deploy"] = fs.ErrPermission }, retry(anEntry, toDeploy), "run as root or as the user"},
	} {
		t.Run(name, func(t *testing.T) {
			h := writable(&text)
			c.change(h)
			if _, err := propose(t, writer(t, h, deployOnly), c.role); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A host that cannot be written to says so.
func TestProposeWithoutWriter(t *testing.T) {
	if _, err := propose(t, writer(t, host(nil), deployOnly), retry(anEntry, toDeploy)); err == nil || !strings.Contains(err.Error(), "on Linux alone") {
		t.Error(err)
	}
}

// A file of cron.d is added to, and made where there is none.
func TestRepairSystemTables(t *testing.T) {
	const line = "17 3 * * * deploy /opt/x\n"
	for name, c := range map[string]struct{ path, text string }{
		"cron.d": {"/etc/cron.d/jobs", "5 4 * * * root /opt/a\n"}, "crontab": {"/etc/crontab", "# kept\n"}, "new": {"/etc/cron.d/new", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := writable(nil)
			delete(h.files, "/etc/crontab")
			h.files["/etc/cron.d/other"] = file(0o644, "")
			if c.text != "" {
				h.files[c.path] = file(0o640, c.text)
			}
			p := writer(t, h, deployOnly)
			role := retry("PATH=/opt/bin\n# rolecall: role=stale\n\n"+line, map[string]string{"file": c.path})
			pr, err := propose(t, p, role)
			if err != nil {
				t.Fatal(err)
			}
			want := "PATH=/opt/bin\n\n# rolecall: role=retry version=7\n" + line
			if c.text == "# kept\n" {
				want = "\n" + want
			}
			if string(pr.Text) != want || pr.Part != "file"+c.path || (pr.Before == "") != (c.text == "") {
				t.Errorf("%+v", pr)
			}
			made, err := p.Create(t.Context(), pr)
			if err != nil || (made.Backup == "") != (c.text == "") {
				t.Fatal(made, err)
			}
			perm := map[bool]uint32{true: 0o644, false: 0o640}[c.text == ""]
			if f := h.files[c.path]; f.data != c.text+want || f.info.Perm != perm || f.info.UID != 0 {
				t.Errorf("%+v", f)
			}
			exactlyOne(t, p, "retry")
		})
	}
}

// Create goes by the very bytes of the proposal.
func TestCreateCompares(t *testing.T) {
	text := theirs
	h := writable(&text)
	p := writer(t, h, deployOnly)
	role := retry(anEntry, toDeploy)
	pr, err := propose(t, p, role)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*providers.Proposal){
		"text":   func(pr *providers.Proposal) { pr.Text = bytes.ReplaceAll(pr.Text, []byte("--all"), []byte("--any")) },
		"after":  func(pr *providers.Proposal) { pr.After = "sha256:00" },
		"part":   func(pr *providers.Proposal) { pr.Part = "file/etc/passwd" },
		"user":   func(pr *providers.Proposal) { pr.Part = "user/root" },
		"manual": func(pr *providers.Proposal) { pr.Manual = []string{"crontab -e"} },
		"two": func(pr *providers.Proposal) {
			pr.Text = append(bytes.Clone(pr.Text), "* * * * * /opt/more\n"...)
			pr.After = sum(append([]byte(text), pr.Text...))
		},
	} {
		other := pr
		change(&other)
		if _, err := p.Create(t.Context(), other); !errors.Is(err, providers.ErrRefused) || h.files[deploys].data != text {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, changed := range map[string]string{"an edit": text + "# edited\n", "a cut": "", "an end": strings.TrimSuffix(text, "\n")} {
		h.files[deploys] = file(0o600, changed).of(1000)
		if _, err := p.Create(t.Context(), pr); !errors.Is(err, providers.ErrMoved) || h.files[deploys].data != changed {
			t.Errorf("%s: %v", name, err)
		}
	}
	delete(h.files, deploys)
	if _, err := p.Create(t.Context(), pr); !errors.Is(err, providers.ErrMoved) {
		t.Errorf("gone: %v", err)
	}
	h.files[deploys] = file(0o600, text).of(1000)
	if made, err := p.Create(t.Context(), pr); err != nil || made.Existed {
		t.Errorf("%+v, %v", made, err)
	}
	if made, err := p.Create(t.Context(), pr); err != nil || !made.Existed || made.ID != pr.Place {
		t.Errorf("a second time: %+v, %v", made, err)
	}
	exactlyOne(t, p, "retry")
}

// A table that was replaced while it was looked at has no name left: it is read as
// any other, and what has changed shows in its bytes.
func TestRepairOfATableThatIsReplaced(t *testing.T) {
	text := theirs
	h := writable(&text)
	f := file(0o600, text).of(1000)
	f.info.Links = 0
	h.files[deploys] = f
	p := writer(t, h, deployOnly)
	check(t, show(p.Observe(t.Context(), providers.Selection{})), "1 5 4 * * * by deploy \"/opt/theirs\"\n")
	repaired(t, p, retry(anEntry, toDeploy))
	exactlyOne(t, p, "retry")
}

// What crontab(1) refuses is not written, on either way.
func TestCreateRefusedByCrontab(t *testing.T) {
	text := theirs
	for _, closed := range []bool{false, true} {
		h := writable(&text)
		h.closed, h.tables["deploy"] = closed, text
		p := writer(t, h, deployOnly)
		pr, err := propose(t, p, retry(anEntry, toDeploy))
		if err != nil {
			t.Fatal(err)
		}
		h.refuse = "exit status 1: \"-\":3: bad hour errors in crontab file, can't install."
		if _, err := p.Create(t.Context(), pr); !errors.Is(err, providers.ErrRefused) || !strings.Contains(err.Error(), "bad hour") {
			t.Errorf("%v", err)
		}
		if h.files[deploys].data != text || h.tables["deploy"] != text || len(leftovers(h)) > 0 {
			t.Errorf("it was written: %v", h.files)
		}
	}
}

// Through crontab(1) the header that it makes anew is left out, and the table of
// before is kept in the folder of the configuration.
func TestRepairThroughCrontab(t *testing.T) {
	text := odd(t)["header"]
	h := writable(nil)
	h.closed, h.tables["deploy"] = true, text
	cfg := deployOnly
	cfg.Backups = "/home/me/.local/state/rolecall/crontab"
	p := writer(t, h, cfg)
	pr, err := propose(t, p, retry(anEntry, toDeploy))
	if err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(pr.Announce, "\n"); !strings.Contains(s, "crontab(1) will install the table") {
		t.Error(s)
	}
	made, err := p.Create(t.Context(), pr)
	if err != nil {
		t.Fatal(err)
	}
	if want := "5 4 * * * /opt/a\n" + string(pr.Text); h.tables["deploy"] != want {
		t.Errorf("%q", h.tables["deploy"])
	}
	if !strings.HasPrefix(made.Backup, cfg.Backups) || h.files[made.Backup].data != "5 4 * * * /opt/a\n" {
		t.Errorf("%+v", made)
	}
}

// A change before each look of ours at the table is seen, on the way through
// crontab(1) too; what comes after the last one is what that way cannot keep.
func TestRepairThroughCrontabBesideAnEdit(t *testing.T) {
	h := writable(nil)
	h.closed, h.tables["deploy"] = true, theirs
	p := writer(t, h, deployOnly)
	pr, err := propose(t, p, retry(anEntry, toDeploy))
	if err != nil {
		t.Fatal(err)
	}
	h.before = func(_ int, what string) error {
		if strings.HasPrefix(what, "crontab -l") {
			h.tables["deploy"] += "# edited\n"
		}
		return nil
	}
	if _, err := p.Create(t.Context(), pr); !errors.Is(err, providers.ErrMoved) || strings.Contains(h.tables["deploy"], "retry") {
		t.Errorf("%v: %q", err, h.tables["deploy"])
	}
}

// What has to be known beforehand is said.
func TestProposeAnnounces(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*writingHost)
		template string
		want     string
	}{
		"due":         {nil, "17 3 * * * /opt/x\n", "due within the minute, at 03:17:00 UTC"},
		"not due":     {nil, "18 3 * * * /opt/x\n", ""},
		"at boot":     {nil, "@reboot /opt/x\n", "after a boot, and not before"},
		"no newline":  {func(h *writingHost) { h.files[deploys] = file(0o600, "# x").of(1000) }, "18 3 * * * /opt/x\n", "no newline at its end and gets one"},
		"values":      {func(h *writingHost) { h.files[deploys] = file(0o600, "SHELL=/bin/bash\n").of(1000) }, "18 3 * * * /opt/x\n", "SHELL=/bin/sh"},
		"no table":    {func(h *writingHost) { delete(h.files, deploys) }, "18 3 * * * /opt/x\n", "is not there yet"},
		"barred":      {func(h *writingHost) { h.files["/etc/cron.deny"] = file(0o644, "deploy\n") }, "18 3 * * * /opt/x\n", "/etc/cron.deny keeps deploy"},
		"not allowed": {func(h *writingHost) { h.files["/etc/cron.allow"] = file(0o644, "root\n") }, "18 3 * * * /opt/x\n", "/etc/cron.allow"},
		"no daemon":   {func(h *writingHost) { delete(h.files, pidFile) }, "18 3 * * * /opt/x\n", "does not seem to run"},
		"dead daemon": {func(h *writingHost) { h.files[pidFile] = file(0o644, "8\n") }, "18 3 * * * /opt/x\n", "process 8, which is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			text := theirs
			h := writable(&text)
			if c.change != nil {
				c.change(h)
			}
			cfg := deployOnly
			cfg.Now = func() time.Time { return someTime }
			pr, err := propose(t, writer(t, h, cfg), retry(c.template, toDeploy))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(pr.Announce, "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) || len(pr.Announce) > 1 {
				t.Errorf("%q", got)
			}
		})
	}
}

// However a table and a template look, nothing but lines at its end comes of it,
// and what is there is read as before.
func FuzzRepair(f *testing.F) {
	for _, text := range []string{theirs, "# x", "5 4 * * * /opt/a", "PATH=/x\n", "\x00", "A=b\r\n", "# rolecall: role=retry\n", "HOME=/x\n@daily y\n"} {
		f.Add(text, anEntry, "7")
	}
	f.Add("", "A=b\n@reboot x%y\n# c\n", "")
	f.Add("5 4 * * * a\n", "# rolecall: role=x\n\n17 3 * * * b", "1\n2")
	f.Fuzz(func(t *testing.T, text, template, version string) {
		h := writable(&text)
		p := writer(t, h, deployOnly)
		role := retry(template, toDeploy)
		role.Version = version
		d, err := p.Translate(role.Statement)
		if err != nil {
			return
		}
		before := p.Observe(t.Context(), providers.Selection{}).Objects
		pr, err := p.Propose(t.Context(), role, d)
		if err != nil {
			return
		}
		if _, err := p.Create(t.Context(), pr); err != nil {
			t.Fatal(err)
		}
		if got := h.files[deploys].data; got != text+string(pr.Text) {
			t.Fatalf("%q became %q", text, got)
		}
		after := p.Observe(t.Context(), providers.Selection{}).Objects
		if len(after) != len(before)+1 {
			t.Fatalf("%d entries became %d", len(before), len(after))
		}
		for _, o := range after {
			if o.Marker().Role != "retry" {
				continue
			}
			if diffs := specs.Diff(d.Spec, asStated(d, o)); len(diffs) > 0 || o.Marker().Version != version || len(o.Inactive()) > 0 {
				t.Fatalf("%v %+v", diffs, o)
			}
		}
		if again, err := p.Propose(t.Context(), role, d); err == nil {
			t.Fatalf("proposed again: %s", fmt.Sprint(again))
		}
	})
}
