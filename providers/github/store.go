package github

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// store keeps texts in a folder by name. It is a cache: what cannot be written
// is not kept, and what was read must be checked by whoever asked for it. Each
// text is written beside its place and moved there, so two processes never see
// half of one.
type store struct {
	dir   string // empty: nothing is kept
	limit int64  // bytes; beyond it the oldest texts are removed
	once  sync.Once
}

func (s *store) get(name string) ([]byte, bool) {
	if s.dir == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	return data, err == nil
}

func (s *store) put(name string, data []byte) {
	if s.dir == "" || os.MkdirAll(s.dir, 0o700) != nil {
		return
	}
	s.once.Do(s.prune)
	f, err := os.CreateTemp(s.dir, ".new-*")
	if err != nil {
		return
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
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if total <= s.limit {
			return
		}
		s.remove(info.Name())
		total -= info.Size()
	}
}
