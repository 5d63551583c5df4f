package github

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// store keeps texts in a folder by name. It is a cache: what cannot be written
// is not kept, and what was read must be checked by whoever asked for it. Each
// text is written beside its place and moved there, so two processes never see
// half of one.
type store struct {
	dir   string // empty: nothing is kept
	limit int64  // bytes; beyond it the oldest texts are removed
	once  sync.Once
	// held are texts that were read ahead and could not be put into the folder.
	mu   sync.Mutex
	held map[string][]byte
}

// has says that a text may be there. What it says is no promise.
func (s *store) has(name string) bool {
	if s.dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}

// keep puts a text where get finds it: into the folder, or else into memory.
func (s *store) keep(name string, data []byte) {
	if s.put(name, data) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string][]byte{}
	}
	s.held[name] = data
}

func (s *store) get(name string) ([]byte, bool) {
	s.mu.Lock()
	data, ok := s.held[name]
	s.mu.Unlock()
	if ok || s.dir == "" {
		return data, ok
	}
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	return data, err == nil
}

// put writes a text down, and says whether that was done.
func (s *store) put(name string, data []byte) bool {
	if s.dir == "" || os.MkdirAll(s.dir, 0o700) != nil {
		return false
	}
	s.once.Do(s.prune)
	f, err := os.CreateTemp(s.dir, ".new-*")
	if err != nil {
		return false
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.dir, name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err == nil
}

func (s *store) remove(name string) { os.Remove(filepath.Join(s.dir, name)) }

// prune brings the folder below its limit, once for a process.
func (s *store) prune() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			kept = append(kept, info)
			total += info.Size()
		}
	}
	arrange.By(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if total <= s.limit {
			return
		}
		s.remove(info.Name())
		total -= info.Size()
	}
}
