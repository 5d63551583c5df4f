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

	"github.com/bmatcuk/doublestar/v4"

	"github.com/rolecall-dev/rolecall/providers"
)

// File is one file that a pattern names.
type File struct {
	Rel  string // relative to the base, with forward slashes: the name in ids and in match
	Path string // for opening, and for people to open
}

// Expand finds the files that patterns name below a base folder. A pattern is a
// path, a glob with ** or a folder, which stands for the files in it and below
// whose name matches one of the globs in inFolder. A file that several patterns
// name is one file. A pattern that names nothing, or a folder that cannot be
// listed, is a gap.
func Expand(base string, patterns, inFolder []string) ([]File, []providers.Area) {
	seen := map[string]bool{}
	var out []File
	var gaps []providers.Area
	for _, p := range patterns {
		rels, gap := expandOne(base, path.Clean(filepath.ToSlash(p)), inFolder)
		for _, rel := range rels {
			if !seen[rel] {
				seen[rel] = true
				out = append(out, File{Rel: rel, Path: Join(base, rel)})
			}
		}
		if gap.Part != "" {
			gaps = append(gaps, gap)
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Rel, b.Rel) })
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

func expandOne(base, pattern string, inFolder []string) ([]string, providers.Area) {
	if !hasMeta(pattern) {
		info, err := os.Stat(Join(base, pattern))
		switch {
		case err == nil && info.IsDir():
			return expandFolder(base, pattern, inFolder)
		case errors.Is(err, fs.ErrNotExist) && !isLink(Join(base, pattern)):
			return nil, providers.Area{Part: "file/" + pattern, State: providers.Missing, Reason: "no such file; correct the path or make the file"}
		}
		return []string{pattern}, providers.Area{}
	}
	rels, err := glob(base, pattern)
	part := "glob/" + pattern
	if err != nil {
		return rels, providers.Area{Part: part, State: StateOf(err), Reason: err.Error() + "; make the folder readable"}
	}
	if len(rels) == 0 {
		return nil, providers.Area{Part: part, State: providers.Missing, Reason: "the glob matches no file; correct it, or render the files first"}
	}
	return rels, providers.Area{}
}

func expandFolder(base, folder string, inFolder []string) ([]string, providers.Area) {
	var out []string
	for _, g := range inFolder {
		rels, err := glob(base, path.Join(doublestarEscape(folder), g))
		out = append(out, rels...)
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
