// Package files expands the paths and globs of a source's offline side into
// files, each once, and says what a pattern named and was not there.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// File is one file that a pattern names.
type File struct {
	Rel  string // relative to the base, with forward slashes: the name in ids and in match
	Path string // for opening, and for people to open
	// Regular says that the folder's listing called it a regular file; false is not
	// known.
	Regular bool
}

// OpenRegular opens a file that was regular when it was asked for. By the flag Go
// does not ask the system four times whether reading it may block, and opening what
// has become a pipe does not wait.
func OpenRegular(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// Expand finds the files that patterns name below a base folder. A pattern is a
// path, a glob with ** or a folder, which stands for the files in it and below
// whose name matches one of the globs in inFolder. A file that several patterns
// name is one file. A pattern that names nothing, or a folder that cannot be
// listed, is a gap.
func Expand(base string, patterns, inFolder []string) ([]File, []providers.Area) {
	var out []File
	var gaps []providers.Area
	for _, p := range patterns {
		found, gap := expandOne(base, path.Clean(filepath.ToSlash(p)), inFolder)
		if out = append(out, found...); gap.Part != "" {
			gaps = append(gaps, gap)
		}
	}
	arrange.By(out, func(a, b File) int { return strings.Compare(a.Rel, b.Rel) })
	out = slices.CompactFunc(out, func(a, b File) bool { return a.Rel == b.Rel })
	for i := range out {
		f := &out[i]
		f.Path = Join(base, f.Rel)
		if strings.HasSuffix(f.Path, f.Rel) {
			f.Rel = f.Path[len(f.Path)-len(f.Rel):] // one text is kept
		}
	}
	return out, gaps
}

// Join is a path of a file below the base, or the path itself if it is
// absolute.
func Join(base, rel string) string {
	if path.IsAbs(rel) || filepath.IsAbs(rel) {
		return filepath.FromSlash(rel)
	}
	return filepath.Join(base, filepath.FromSlash(rel))
}

func expandOne(base, pattern string, inFolder []string) ([]File, providers.Area) {
	if !hasMeta(pattern) {
		info, err := os.Stat(Join(base, pattern))
		switch {
		case err == nil && info.IsDir():
			return expandFolder(base, pattern, inFolder)
		case errors.Is(err, fs.ErrNotExist) && !isLink(Join(base, pattern)):
			return nil, providers.Area{Part: "file/" + pattern, State: providers.Missing, Reason: "no such file; correct the path or make the file"}
		}
		return named([]string{pattern}), providers.Area{}
	}
	rels, err := glob(base, pattern)
	part := "glob/" + pattern
	if err != nil {
		return named(rels), providers.Area{Part: part, State: StateOf(err), Reason: err.Error() + "; make the folder readable"}
	}
	if len(rels) == 0 {
		return nil, providers.Area{Part: part, State: providers.Missing, Reason: "the glob matches no file; correct it, or render the files first"}
	}
	return named(rels), providers.Area{}
}

func named(rels []string) []File {
	out := make([]File, len(rels))
	for i, rel := range rels {
		out[i].Rel = rel
	}
	return out
}

func expandFolder(base, folder string, inFolder []string) ([]File, providers.Area) {
	var out []File
	for _, g := range inFolder {
		if found, ok := listPlain(base, folder, g); ok {
			out = append(out, found...)
			continue
		}
		rels, err := glob(base, path.Join(doublestarEscape(folder), g))
		out = append(out, named(rels)...)
		if err != nil {
			return out, providers.Area{Part: "folder/" + folder, State: StateOf(err), Reason: err.Error() + "; make the folder readable"}
		}
	}
	if len(out) == 0 {
		return nil, providers.Area{Part: "folder/" + folder, State: providers.Missing, Reason: fmt.Sprintf("the folder holds no file like %s; correct the path, or render the files first", strings.Join(inFolder, ", "))}
	}
	return out, providers.Area{}
}

// glob keeps what could be listed beside an error about what could not.
func glob(base, pattern string) ([]string, error) {
	root, rel := base, pattern
	if path.IsAbs(pattern) {
		root, rel = "/", strings.TrimPrefix(pattern, "/")
	}
	for strings.HasPrefix(rel, "../") {
		root, rel = filepath.Join(root, ".."), strings.TrimPrefix(rel, "../")
	}
	if root == "" {
		root = "."
	}
	dir := os.DirFS(root)
	names, err := doublestar.Glob(dir, rel, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
	if err != nil && !errors.Is(err, doublestar.ErrBadPattern) {
		names, _ = doublestar.Glob(dir, rel, doublestar.WithFilesOnly())
	}
	prefix := strings.TrimSuffix(pattern, rel)
	for i := range names {
		names[i] = prefix + names[i]
	}
	return names, err
}

// StateOf is the coverage state of a file-system error.
func StateOf(err error) providers.AreaState {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return providers.Denied
	case errors.Is(err, fs.ErrNotExist):
		return providers.Missing
	}
	return providers.Failed
}

func isLink(p string) bool {
	info, err := os.Lstat(p)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func hasMeta(p string) bool { return strings.ContainsAny(p, `*?[{\`) }

func doublestarEscape(p string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `\`, `\\`).Replace(p)
}
