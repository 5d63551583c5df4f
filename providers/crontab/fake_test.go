package crontab

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// fakeHost is a host of a few files, any of which can be made to fail.
type fakeHost struct {
	files map[string]fakeFile // by path; a folder exists if a file is below it
	fails map[string]error    // by operation and path: "read /etc/crontab"
	users map[string]Account
	// tables are what crontab -l says.
	tables map[string]string
	local  map[string]string
}

type fakeFile struct {
	data  string
	info  Info
	link  *Info
	short error // comes with the data
	gone  error // what following the link says
}

func (h fakeHost) fail(op, p string) error {
	if err := h.fails[op+" "+p]; err != nil {
		return &fs.PathError{Op: op, Path: p, Err: err}
	}
	return nil
}

func (h fakeHost) isFolder(p string) bool {
	for name := range h.files {
		if strings.HasPrefix(name, p+"/") {
			return true
		}
	}
	return false
}

func (h fakeHost) Lstat(p string) (Info, error) {
	if f, ok := h.files[p]; ok && f.link != nil && h.fail("stat", p) == nil {
		return *f.link, nil
	}
	return h.Stat(p)
}

func (h fakeHost) Stat(p string) (Info, error) {
	if err := h.fail("stat", p); err != nil {
		return Info{}, err
	}
	if f, ok := h.files[p]; ok {
		return f.info, f.gone
	}
	if h.isFolder(p) {
		return Info{Type: fs.ModeDir, Perm: 0o755, Links: 2}, nil
	}
	return Info{}, &fs.PathError{Op: "stat", Path: p, Err: fs.ErrNotExist}
}

func (h fakeHost) Target(p string) (string, error) {
	return "/opt/gone", h.fail("target", p)
}

func (h fakeHost) Read(p string) ([]byte, Info, error) {
	if err := h.fail("read", p); err != nil {
		return nil, Info{}, err
	}
	f, ok := h.files[p]
	switch {
	case !ok:
		return nil, Info{}, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	case f.gone != nil:
		return nil, Info{}, &fs.PathError{Op: "open", Path: p, Err: f.gone}
	case f.info.Type != 0:
		return nil, Info{}, ErrNotRegular
	}
	return []byte(f.data), f.info, f.short
}

func (h fakeHost) List(p string) ([]string, error) {
	if err := h.fail("list", p); err != nil {
		return nil, err
	}
	if !h.isFolder(p) {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	var names []string
	for name := range h.files {
		if rest, ok := strings.CutPrefix(name, p+"/"); ok {
			first, _, _ := strings.Cut(rest, "/")
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (h fakeHost) Crontab(_ context.Context, user string) ([]byte, error) {
	if err := h.fail("crontab", user); err != nil {
		return nil, err
	}
	text, ok := h.tables[user]
	if !ok {
		return nil, ErrNoTable
	}
	return []byte(text), nil
}

func (h fakeHost) Account(name string) (Account, error) {
	if err := h.fail("account", name); err != nil {
		return Account{}, err
	}
	a, ok := h.users[name]
	if !ok {
		return Account{}, ErrNoAccount
	}
	return a, nil
}

func (h fakeHost) AccountName(uid uint32) string {
	for _, a := range h.users {
		if a.UID == uid {
			return a.Name
		}
	}
	return strconv.Itoa(int(uid))
}

func (h fakeHost) Local(p string) ([]byte, error) {
	text, ok := h.local[path.Base(p)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

var when = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

// file is a regular file of root's.
func file(perm uint32, data string) fakeFile {
	return fakeFile{data: data, info: Info{Perm: perm, Links: 1, Size: int64(len(data)), Time: when}}
}

func (f fakeFile) of(uid uint32) fakeFile {
	f.info.UID = uid
	return f
}

// deadLink is a link of root's that cannot be followed.
func deadLink(gone error) fakeFile {
	return fakeFile{link: &Info{Type: fs.ModeSymlink, Perm: 0o777, Links: 1}, gone: gone}
}

// host has root, a user deploy and the files that are given.
func host(files map[string]fakeFile) fakeHost {
	h := fakeHost{files: map[string]fakeFile{"/usr/sbin/cron": file(0o755, "")}, users: map[string]Account{
		"root": {Name: "root", Home: "/root"}, "deploy": {Name: "deploy", UID: 1000, Home: "/home/deploy"},
	}, tables: map[string]string{}, fails: map[string]error{}}
	for p, f := range files {
		h.files[p] = f
	}
	return h
}

// observe reads a host as a configuration says.
func observe(t *testing.T, h Host, cfg Config) providers.Observation {
	t.Helper()
	cfg.Source = "s"
	p, err := New(h, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p.Observe(t.Context(), providers.Selection{})
}

// readText reads one table of the offline side.
func readText(t *testing.T, d specs.Dialect, format, text string) providers.Observation {
	t.Helper()
	return observe(t, fakeHost{local: map[string]string{"-": text}}, Config{Dialect: d, Files: []File{{Path: "-", Format: format}}})
}

// show is an observation in a few words a line: objects by their lines, then
// notes, then the areas that are gaps.
func show(o providers.Observation) string {
	var b strings.Builder
	objects := slices.Clone(o.Objects)
	slices.SortStableFunc(objects, func(a, b providers.Object) int { return a.Pos.Compare(b.Pos) })
	for _, o := range objects {
		fmt.Fprintf(&b, "%d", o.Pos.Line)
		if o.Marker().Present() {
			fmt.Fprintf(&b, " <%s>", strings.TrimRight(o.Marker().Role+o.Marker().Invalid+" "+o.Marker().Version, " "))
		}
		if !o.Opaque {
			fmt.Fprintf(&b, " %s", o.Attr("schedule"))
			if z := o.Spec.Zones(); z != "local" {
				fmt.Fprintf(&b, " in %s", z)
			}
			if u := o.Attr("user"); u != "" {
				fmt.Fprintf(&b, " by %s", u)
			}
			fmt.Fprintf(&b, " %q", o.Attr("command"))
			if in := o.Spec.Body.Get("stdin"); in.Kind != specs.Absent {
				fmt.Fprintf(&b, " fed %q", in.Text)
			}
		}
		for _, off := range o.Inactive() {
			fmt.Fprintf(&b, " !%s", off.Code)
		}
		b.WriteString("\n")
	}
	for _, n := range o.Notes {
		fmt.Fprintf(&b, "note %s", n.Code)
		if n.Pos.Line > 0 {
			fmt.Fprintf(&b, " at %d", n.Pos.Line)
		}
		b.WriteString("\n")
	}
	for _, a := range o.Areas {
		if a.Gap() {
			fmt.Fprintf(&b, "gap %s %s\n", a.Part, a.State)
		}
	}
	return b.String()
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(strings.ReplaceAll(want, "\t\t\t", ""), "\n"); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}
