package crontab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// writingHost is a fakeHost whose tables can be added to. Each operation that
// looks at a table or changes a name is a step, before which before is called.
type writingHost struct {
	fakeHost
	closed bool // only crontab(1) may write
	step   int
	before func(n int, what string) error
	refuse string // what crontab(1) says to a table
}

func (h *writingHost) at(op, p string) error {
	h.step++
	if h.before == nil {
		return nil
	}
	if err := h.before(h.step, op+" "+p); err != nil {
		return &fs.PathError{Op: op, Path: p, Err: err}
	}
	return nil
}

func (h *writingHost) Read(p string) ([]byte, Info, error) {
	if err := h.at("read", p); err != nil {
		return nil, Info{}, err
	}
	return h.fakeHost.Read(p)
}

func (h *writingHost) Lstat(p string) (Info, error) {
	if h.closed && strings.HasPrefix(p, "/var/spool/cron/crontabs/") {
		return Info{}, fs.ErrPermission
	}
	return h.fakeHost.Lstat(p)
}

func (h *writingHost) Crontab(ctx context.Context, user string) ([]byte, error) {
	if err := h.at("crontab -l", user); err != nil {
		return nil, err
	}
	return h.fakeHost.Crontab(ctx, user)
}

func (h *writingHost) Lock(_ context.Context, p string) (func(), error) {
	return func() {}, h.at("lock", p)
}

func (h *writingHost) Writable(folder string) error {
	if h.closed {
		return fs.ErrPermission
	}
	return h.fail("access", folder)
}

func (h *writingHost) Private(folder string) error { return h.at("mkdir", folder) }

func (h *writingHost) Stage(p string, data []byte, m Making) error {
	if err := h.at("stage", p); err != nil {
		h.files[p] = file(0o600, string(data[:len(data)/2]))
		return err
	}
	if _, ok := h.files[p]; ok {
		return &fs.PathError{Op: "open", Path: p, Err: fs.ErrExist}
	}
	f := file(m.Perm, string(data)).of(m.UID)
	if m.Like != "" {
		f = file(h.files[m.Like].info.Perm, string(data)).of(h.files[m.Like].info.UID)
	}
	h.files[p] = f
	return nil
}

func (h *writingHost) Exchange(a, b string) error {
	if err := h.at("exchange", b); err != nil {
		return err
	}
	x, ok := h.files[a]
	y, there := h.files[b]
	if !ok || !there {
		return &fs.PathError{Op: "rename", Path: b, Err: fs.ErrNotExist}
	}
	h.files[a], h.files[b] = y, x
	return nil
}

func (h *writingHost) Move(from, to string) error {
	if err := h.at("move", to); err != nil {
		return err
	}
	if _, ok := h.files[to]; ok {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	h.files[to] = h.files[from]
	delete(h.files, from)
	return nil
}

func (h *writingHost) Remove(p string) error {
	if err := h.at("remove", p); err != nil {
		return err
	}
	if _, ok := h.files[p]; !ok {
		return &fs.PathError{Op: "remove", Path: p, Err: fs.ErrNotExist}
	}
	delete(h.files, p)
	return nil
}

func (h *writingHost) Flush(folder string) error { return h.at("flush", folder) }

func (h *writingHost) Try(context.Context, string, []byte) error {
	if err := h.at("try", ""); err != nil || h.refuse == "" {
		return err
	}
	return fmt.Errorf("%w: %s", ErrNotTaken, h.refuse)
}

func (h *writingHost) Install(_ context.Context, user string, data []byte) error {
	if err := h.at("install", user); err != nil {
		return err
	}
	if h.refuse != "" {
		return fmt.Errorf("%w: %s", ErrNotTaken, h.refuse)
	}
	h.tables[user] = string(data)
	return nil
}

const (
	deploys = "/var/spool/cron/crontabs/deploy"
	theirs  = "5 4 * * * /opt/theirs\n"
	anEntry = "17 3 * * * /opt/retry --all\n"
)

// writable is a host on which deploy has a table, if text is not nil.
func writable(text *string) *writingHost {
	files := map[string]fakeFile{"/var/spool/cron/crontabs/root": file(0o600, ""), "/etc/crontab": file(0o644, ""), pidFile: file(0o644, "7\n"), "/proc/7/stat": file(0o444, "")}
	if text != nil {
		files[deploys] = file(0o600, *text).of(1000)
	}
	return &writingHost{fakeHost: host(files)}
}

var deployOnly = Config{Live: true, Users: []string{"deploy"}, System: true, Dialect: specs.Debian}

// retry is a role with a template; user or file says where it belongs.
func retry(template string, match map[string]string) specs.Role {
	return specs.Role{
		Key: "retry", Version: "7", Owner: "ops", Sources: []string{"s"}, Match: specs.Match{Keys: match},
		Statement: specs.Statement{Template: &specs.Document{Name: "roles/retry.crontab", Data: []byte(template)}},
	}
}

var toDeploy = map[string]string{"user": "deploy"}

func writer(t *testing.T, h Host, cfg Config) *Provider {
	t.Helper()
	cfg.Source = "s"
	p, err := New(h, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func propose(t *testing.T, p *Provider, role specs.Role) (providers.Proposal, error) {
	t.Helper()
	d, err := p.Translate(role.Statement)
	if err != nil {
		t.Fatal(err)
	}
	return p.Propose(t.Context(), role, d)
}

// repaired proposes and creates until there is nothing to create.
func repaired(t *testing.T, p *Provider, role specs.Role) {
	t.Helper()
	for range 20 {
		pr, err := propose(t, p, role)
		if err != nil && strings.Contains(err.Error(), "already") {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Create(t.Context(), pr); err != nil && !errors.Is(err, providers.ErrMoved) {
			t.Fatal(err)
		}
	}
	t.Fatal("it is not created")
}

// markers counts the entries of a role that a look finds, active ones apart.
func markers(t *testing.T, p *Provider, role string) (all, active int) {
	t.Helper()
	for _, o := range p.Observe(t.Context(), providers.Selection{}).Objects {
		if o.Marker().Role == role {
			if all++; len(o.Inactive()) == 0 && !o.Opaque {
				active++
			}
		}
	}
	return all, active
}

func exactlyOne(t *testing.T, p *Provider, role string) {
	t.Helper()
	if all, active := markers(t, p, role); all != 1 || active != 1 {
		t.Errorf("%d entries of the role, %d active", all, active)
	}
}

// leftovers are the files of ours but for backups.
func leftovers(h *writingHost) (out []string) {
	for p := range h.files {
		if strings.Contains(p, "/"+private+"/") && !strings.HasPrefix(path.Base(p), keptFile) {
			out = append(out, p)
		}
	}
	return out
}

// everyStep runs a scenario with something happening before each of its steps in
// turn, until a step is not reached any more.
func everyStep(t *testing.T, scenario func(t *testing.T, n int) (reached int)) {
	for n := 1; ; n++ {
		reached := 0
		t.Run(fmt.Sprint(n), func(t *testing.T) { reached = scenario(t, n) })
		if reached < n || t.Failed() {
			if n < 8 {
				t.Errorf("only %d steps", reached)
			}
			return
		}
	}
}

// tables are those that a repair is tried on: one that is there, and none.
func tables() map[string]*string {
	text := theirs
	return map[string]*string{"there": &text, "absent": nil}
}

// An operation that fails leaves the old table or the new one, and what it says
// is true; the next repair makes it whole.
func TestRepairFaults(t *testing.T) {
	for name, text := range tables() {
		for _, closed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " closed ", closed), func(t *testing.T) {
				everyStep(t, func(t *testing.T, n int) int { return faultAt(t, text, closed, n) })
			})
		}
	}
}

func faultAt(t *testing.T, text *string, closed bool, n int) int {
	h := writable(text)
	if h.closed = closed; closed {
		delete(h.files, deploys)
		h.files[crontabProgram] = file(0o755, "")
		if text != nil {
			h.tables["deploy"] = *text
		}
	}
	now := func() (string, bool) {
		if closed {
			s, ok := h.tables["deploy"]
			return s, ok
		}
		f, ok := h.files[deploys]
		return f.data, ok
	}
	p := writer(t, h, deployOnly)
	role := retry(anEntry, toDeploy)
	pr, err := propose(t, p, role)
	if err != nil {
		t.Fatal(err)
	}
	h.step = 0
	h.before = func(i int, _ string) error {
		if i == n {
			return errors.New("input/output error")
		}
		return nil
	}
	old, was := now()
	made, err := p.Create(t.Context(), pr)
	reached := h.step
	h.before = nil
	data, is := now()
	isOld, isNew := data == old && is == was, data == old+string(pr.Text)
	switch {
	case !isOld && !isNew:
		t.Errorf("neither old nor new: %q, %v", data, err)
	case err == nil && !isNew:
		t.Errorf("it is said to be made and is not: %+v", made)
	case (errors.Is(err, providers.ErrRefused) || errors.Is(err, providers.ErrMoved)) && !isOld:
		t.Errorf("nothing is said to be written, and it is: %v", err)
	}
	repaired(t, p, role)
	if data, _ := now(); data != old+string(pr.Text) {
		t.Errorf("in the end: %q", data)
	}
	exactlyOne(t, p, "retry")
	return reached
}

// killed is what stands for SIGKILL.
type killed struct{}

// A repair that is killed before a step leaves the old table or the new one, and
// the next one makes it whole and leaves nothing lying about but the backup.
func TestRepairKilled(t *testing.T) {
	for name, text := range tables() {
		t.Run(name, func(t *testing.T) {
			everyStep(t, func(t *testing.T, n int) int {
				h := writable(text)
				p := writer(t, h, deployOnly)
				role := retry(anEntry, toDeploy)
				pr, err := propose(t, p, role)
				if err != nil {
					t.Fatal(err)
				}
				reached := dieAt(t, h, p, pr, n, nil)
				old := ""
				if text != nil {
					old = *text
				}
				if f, is := h.files[deploys]; f.data != old && f.data != old+string(pr.Text) || !is && text != nil {
					t.Errorf("a torn table: %q", f.data)
				}
				repaired(t, p, role)
				exactlyOne(t, p, "retry")
				again, _ := propose(t, p, retryAs("second"))
				if _, err := p.Create(t.Context(), again); err != nil {
					t.Error(err)
				}
				if left := leftovers(h); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
				return reached
			})
		})
	}
}

func retryAs(key string) specs.Role {
	role := retry(anEntry, toDeploy)
	role.Key = key
	return role
}

// dieAt creates and dies before a step, ahead of which something else happens.
func dieAt(t *testing.T, h *writingHost, p *Provider, pr providers.Proposal, n int, ahead func(i int)) (reached int) {
	t.Helper()
	h.step = 0
	h.before = func(i int, _ string) error {
		if ahead != nil {
			ahead(i)
		}
		if i == n {
			panic(killed{})
		}
		return nil
	}
	defer func() {
		reached = h.step
		h.before = nil
		if r := recover(); r != nil && r != any(killed{}) {
			panic(r)
		}
	}()
	p.Create(t.Context(), pr)
	return h.step
}

// A person replaces the table before any step: what they wrote is in it in the
// end, and exactly one entry of the role.
func TestRepairBesideAnEdit(t *testing.T) {
	for name, text := range tables() {
		t.Run(name, func(t *testing.T) {
			everyStep(t, func(t *testing.T, n int) int {
				h := writable(text)
				p := writer(t, h, deployOnly)
				role := retry(anEntry, toDeploy)
				pr, err := propose(t, p, role)
				if err != nil {
					t.Fatal(err)
				}
				h.step = 0
				edited := theirs + "7 7 * * * /opt/edited\n"
				h.before = func(i int, _ string) error {
					if i == n {
						h.files[deploys] = file(0o600, edited).of(1000)
					}
					return nil
				}
				made, err := p.Create(t.Context(), pr)
				reached := h.step
				h.before = nil
				all, _ := markers(t, p, "retry")
				if err == nil && all != 1 && n < reached || errors.Is(err, providers.ErrMoved) && all != 0 {
					t.Errorf("%d entries, %+v, %v", all, made, err)
				}
				repaired(t, p, role)
				exactlyOne(t, p, "retry")
				if got := h.files[deploys].data; n <= reached && !strings.HasPrefix(got, edited) {
					t.Errorf("the edit is lost: %q", got)
				}
				return reached
			})
		})
	}
}

// A person edits in the instant before the names are changed, and the repair is
// killed at any step after: the edit is in the table after the next repair, or it
// was replaced by a later one and is kept.
func TestRepairKilledBesideAnEdit(t *testing.T) {
	for _, later := range []bool{false, true} {
		everyStep(t, func(t *testing.T, n int) int {
			text := theirs
			h := writable(&text)
			p := writer(t, h, deployOnly)
			role := retry(anEntry, toDeploy)
			pr, err := propose(t, p, role)
			if err != nil {
				t.Fatal(err)
			}
			const edited, again = theirs + "7 7 * * * /opt/edited\n", theirs + "8 8 * * * /opt/later\n"
			swapAt := 0
			reached := dieAt(t, h, p, pr, n, func(int) {
				for name := range h.files {
					if strings.Contains(name, "/"+swapFile) && swapAt == 0 {
						swapAt = h.step
						h.files[deploys] = file(0o600, edited).of(1000)
					}
				}
			})
			if swapAt == 0 {
				return reached
			}
			if later {
				h.files[deploys] = file(0o600, again).of(1000)
			}
			for range 3 {
				if pr, err := propose(t, p, role); err == nil {
					p.Create(t.Context(), pr)
				} else if other, err := propose(t, p, retryAs("second")); err == nil {
					p.Create(t.Context(), other)
				}
			}
			repaired(t, p, role)
			exactlyOne(t, p, "retry")
			found := false
			for name, f := range h.files {
				want := name == deploys && !later || later && strings.Contains(name, keptFile)
				found = found || want && strings.Contains(f.data, "/opt/edited")
			}
			if !found && !later {
				t.Errorf("the edit is lost: %v", h.files)
			}
			if later && !strings.Contains(h.files[deploys].data, "/opt/later") {
				t.Errorf("the later edit is lost: %q", h.files[deploys].data)
			}
			return reached
		})
	}
}

var someTime = time.Date(2026, 11, 2, 3, 16, 30, 0, time.UTC)

func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
