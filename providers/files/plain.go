package files

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/rolecall-dev/rolecall/specs/slow"
)

// listPlain is what glob gives for a folder and **/NAMES below it, with each
// folder listed once. It gives nothing and says false where it is not sure to be
// the same: where there is a link, something that cannot be listed, a name that
// is no text or looks like a pattern.
func listPlain(base, folder, pattern string) ([]File, bool) {
	names, below := strings.CutPrefix(pattern, "**/")
	if slow.Only() || !below || strings.Contains(names, "/") || strings.HasPrefix(names, "**") || !isPlain(folder) {
		return nil, false
	}
	l := lister{base: base, names: names}
	if !l.list(folder) {
		return nil, false
	}
	return l.out, true
}

type lister struct {
	base, names string
	out         []File
}

func (l *lister) list(folder string) bool {
	entries, err := os.ReadDir(Join(l.base, folder))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !l.entry(folder, e) {
			return false
		}
	}
	return true
}

func (l *lister) entry(folder string, e fs.DirEntry) bool {
	name := e.Name()
	switch {
	case e.Type()&(fs.ModeSymlink|fs.ModeIrregular) != 0 || !isPlain(name):
		return false
	case e.IsDir():
		return l.list(path.Join(folder, name))
	}
	fits, err := doublestar.Match(l.names, name)
	if fits {
		l.out = append(l.out, File{Rel: path.Join(folder, name), Regular: e.Type().IsRegular()})
	}
	return err == nil
}

// isPlain says that nothing in a name has a meaning in a pattern, and that
// fs.ValidPath takes it as text.
func isPlain(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsAny(name, `*?[]{}\`)
}
