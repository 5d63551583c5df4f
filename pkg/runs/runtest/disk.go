package runtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// node is a file or a folder. durable is what a power loss leaves.
type node struct {
	id       int
	dir      bool
	names    map[string]*node
	durable  map[string]*node
	data     []byte
	synced   []byte
	modified int
	reserved bool
	ofds     []*ofd
}

// nameOp is a change of names that is not durable yet. A rename touches two
// folders and is one change.
type nameOp struct{ changes []nameChange }

type nameChange struct {
	dir  *node
	name string
	to   *node // nil: removed
}

func (o *nameOp) settle() {
	for _, c := range o.changes {
		if c.to == nil {
			delete(c.dir.durable, c.name)
		} else {
			c.dir.durable[c.name] = c.to
		}
	}
}

func (o *nameOp) touches(dir *node) bool {
	return slices.ContainsFunc(o.changes, func(c nameChange) bool { return c.dir == dir })
}

func (w *World) newNode(dir bool) *node {
	w.nextID++
	n := &node{id: w.nextID, dir: dir}
	if dir {
		n.names, n.durable = map[string]*node{}, map[string]*node{}
	}
	return n
}

// restore makes what is durable all that there is.
func (n *node) restore(data func(int) int, seen map[*node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	n.ofds = nil
	if !n.dir {
		if !bytes.Equal(n.data, n.synced) {
			keep := max(0, min(data(len(n.data)), len(n.data)))
			if keep == 0 {
				n.data = bytes.Clone(n.synced)
			} else {
				n.data = n.data[:keep]
			}
		}
		return
	}
	n.names = map[string]*node{}
	for name, child := range n.durable {
		n.names[name] = child
		child.restore(data, seen)
	}
}

func split(name string) []string {
	return strings.FieldsFunc(path.Clean(name), func(r rune) bool { return r == '/' })
}

func fault(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

func (w *World) lookup(name string) (*node, error) {
	n := w.root
	for _, part := range split(name) {
		if !n.dir {
			return nil, fault("open", name, syscall.ENOTDIR)
		}
		next := n.names[part]
		if next == nil {
			return nil, fault("open", name, fs.ErrNotExist)
		}
		n = next
	}
	return n, nil
}

func (w *World) parent(name string) (*node, string, error) {
	dir, err := w.lookup(path.Dir(name))
	if err == nil && !dir.dir {
		err = fault("open", name, syscall.ENOTDIR)
	}
	return dir, path.Base(name), err
}

func (w *World) change(changes ...nameChange) {
	for _, c := range changes {
		if c.to == nil {
			delete(c.dir.names, c.name)
		} else {
			c.dir.names[c.name] = c.to
		}
	}
	w.pending = append(w.pending, &nameOp{changes})
}

func (w *World) add(name string, n *node) error {
	dir, base, err := w.parent(name)
	if err != nil {
		return err
	}
	if dir.names[base] != nil {
		return fault("create", name, fs.ErrExist)
	}
	w.change(nameChange{dir, base, n})
	return nil
}

// Mkdir makes a folder.
func (p *Proc) Mkdir(name string) error {
	if err := p.step("mkdir", name); err != nil {
		return err
	}
	defer p.mu.Unlock()
	if name == "/" {
		return fault("mkdir", name, fs.ErrExist)
	}
	if _, err := p.lookup(name); err == nil {
		return fault("mkdir", name, fs.ErrExist)
	}
	if p.full {
		return fault("mkdir", name, syscall.ENOSPC)
	}
	return p.add(name, p.newNode(true))
}

// Create makes a file.
func (p *Proc) Create(name string) (runs.File, error) {
	if err := p.step("create", name); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	n := p.newNode(false)
	if err := p.add(name, n); err != nil {
		return nil, err
	}
	return &file{p, n, name}, nil
}

// Reserve makes a file with room.
func (p *Proc) Reserve(name string, size int64) error {
	if err := p.step("reserve", name); err != nil {
		return err
	}
	defer p.mu.Unlock()
	if p.full {
		return fault("reserve", name, syscall.ENOSPC)
	}
	n := p.newNode(false)
	n.reserved = true
	return p.add(name, n)
}

// Reopen opens a reserved file.
func (p *Proc) Reopen(name string) (runs.File, error) {
	if err := p.step("reopen", name); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if err != nil {
		return nil, err
	}
	n.data = nil
	return &file{p, n, name}, nil
}

type file struct {
	p    *Proc
	n    *node
	name string
}

func (f *file) Write(data []byte) (int, error) {
	if err := f.p.step("write", f.name); err != nil {
		return 0, err
	}
	defer f.p.mu.Unlock()
	if f.p.full && !f.n.reserved {
		return 0, fault("write", f.name, syscall.ENOSPC)
	}
	f.n.data = append(bytes.Clone(f.n.data), data...)
	f.n.modified++
	return len(data), nil
}

func (f *file) Sync() error { return f.p.sync(f.name, f.n) }

func (f *file) Close() error { return nil }

func (p *Proc) sync(name string, n *node) error {
	if err := p.step("sync", name); err != nil {
		return err
	}
	defer p.mu.Unlock()
	n.synced = bytes.Clone(n.data)
	return nil
}

// ReadFile reads a whole file.
func (p *Proc) ReadFile(name string) ([]byte, error) {
	if err := p.step("read", name); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, fault("read", name, syscall.EISDIR)
	}
	if len(n.data) > runs.MaxRecord {
		return nil, fault("read", name, errors.New("too large"))
	}
	return bytes.Clone(n.data), nil
}

// Open reads a file in parts.
func (p *Proc) Open(name string) (io.ReadCloser, error) {
	data, err := p.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// ReadDir lists a folder.
func (p *Proc) ReadDir(name string) ([]runs.Entry, error) {
	if err := p.step("readdir", name); err != nil {
		return nil, err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, fault("readdir", name, syscall.ENOTDIR)
	}
	var out []runs.Entry
	for base, child := range n.names {
		out = append(out, runs.Entry{Name: base, IsDir: child.dir})
	}
	arrange.By(out, func(a, b runs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Stat identifies a file.
func (p *Proc) Stat(name string) (runs.Info, error) {
	if err := p.step("stat", name); err != nil {
		return runs.Info{}, err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if err != nil {
		return runs.Info{}, err
	}
	return runs.Info{ID: fmt.Sprint(n.id), Size: int64(len(n.data)), ModTime: time.Unix(int64(n.modified), 0), IsDir: n.dir, Regular: !n.dir}, nil
}

// Link gives a file a second name.
func (p *Proc) Link(old, name string) error {
	if err := p.step("link", name); err != nil {
		return err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(old)
	if err != nil {
		return err
	}
	return p.add(name, n)
}

func (w *World) device(name string) string {
	parts := split(name)
	if len(parts) == 0 {
		return ""
	}
	return w.foreign[parts[0]]
}

// Rename gives a file or folder another name, and replaces a file.
func (p *Proc) Rename(old, name string) error {
	if err := p.step("rename", name); err != nil {
		return err
	}
	defer p.mu.Unlock()
	from, base, err := p.parent(old)
	if err != nil {
		return err
	}
	n := from.names[base]
	if n == nil {
		return fault("rename", old, fs.ErrNotExist)
	}
	to, target, err := p.parent(name)
	if err != nil {
		return err
	}
	if p.device(old) != p.device(name) {
		return fault("rename", name, syscall.EXDEV)
	}
	if there := to.names[target]; there != nil && there.dir && len(there.names) > 0 {
		return fault("rename", name, fs.ErrExist)
	}
	p.change(nameChange{from, base, nil}, nameChange{to, target, n})
	return nil
}

// Remove removes a file or an empty folder.
func (p *Proc) Remove(name string) error {
	if err := p.step("remove", name); err != nil {
		return err
	}
	defer p.mu.Unlock()
	dir, base, err := p.parent(name)
	if err != nil {
		return err
	}
	n := dir.names[base]
	switch {
	case n == nil:
		return fault("remove", name, fs.ErrNotExist)
	case n.dir && len(n.names) > 0:
		return fault("remove", name, syscall.ENOTEMPTY)
	}
	p.change(nameChange{dir, base, nil})
	return nil
}

// SyncFile makes a file's data durable.
func (p *Proc) SyncFile(name string) error {
	p.mu.Lock()
	n, err := p.lookup(name)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return p.sync(name, n)
}

// SyncDir makes the names in a folder durable.
func (p *Proc) SyncDir(name string) error {
	if err := p.step("syncdir", name); err != nil {
		return err
	}
	defer p.mu.Unlock()
	n, err := p.lookup(name)
	if err != nil {
		return err
	}
	left := p.pending[:0]
	for _, op := range p.pending {
		if op.touches(n) {
			op.settle()
		} else {
			left = append(left, op)
		}
	}
	p.pending = left
	return nil
}

// Scope is how far locks reach.
func (p *Proc) Scope(string) string { p.mu.Lock(); defer p.mu.Unlock(); return p.scope }

// Put writes a file durably, with the folders above it: what was there before a
// test begins, or what a job writes. SyncJob is for a job's file that is not.
func (w *World) Put(name, data string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.root
	parts := split(name)
	for _, part := range parts[:len(parts)-1] {
		next := n.names[part]
		if next == nil {
			next = w.newNode(true)
			n.names[part], n.durable[part] = next, next
		}
		n = next
	}
	f := w.newNode(false)
	f.data, f.synced = []byte(data), []byte(data)
	base := parts[len(parts)-1]
	n.names[base], n.durable[base] = f, f
}

// Write puts a file as a job does: nothing of it is durable.
func (w *World) Write(name, data string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.newNode(false)
	f.data = []byte(data)
	if dir, base, err := w.parent(name); err == nil {
		w.change(nameChange{dir, base, f})
	}
}

// Edit changes the bytes of a file in place. It is false if there is none.
func (w *World) Edit(name string, edit func([]byte) []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.lookup(name)
	if err != nil || n.dir {
		return false
	}
	n.data = edit(bytes.Clone(n.data))
	n.synced = bytes.Clone(n.data)
	n.modified++
	return true
}

// Read is a file's content; false if there is none.
func (w *World) Read(name string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.lookup(name)
	if err != nil || n.dir {
		return "", false
	}
	return string(n.data), true
}

// Names are those in a folder, sorted.
func (w *World) Names(name string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.lookup(name)
	if err != nil {
		return nil
	}
	var out []string
	for base := range n.names {
		out = append(out, base)
	}
	slices.Sort(out)
	return out
}

// RemoveAll removes a tree, as a person or a cleaner does.
func (w *World) RemoveAll(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if dir, base, err := w.parent(name); err == nil {
		delete(dir.names, base)
		delete(dir.durable, base)
	}
}
