package render

import (
	"path/filepath"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// Place is where the files of a report are looked at: a CI system names a file
// by its path below the top of the checkout, a report by the path that a person
// can open from the working folder. Without it a path is taken as one below the
// top.
type Place struct {
	Dir  string // the working folder, absolute
	Root string // the top of the checkout, absolute
}

// below is the path of a file below the top, with slashes; of a file that is
// elsewhere the whole path, as far as it is known, and false.
func (p Place) below(file string) (string, bool) {
	if file == "" {
		return "", false
	}
	file = filepath.Clean(file)
	if !filepath.IsAbs(file) && p.Dir != "" {
		file = filepath.Join(p.Dir, file)
	}
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(file), filepath.IsLocal(file)
	}
	if rel, err := filepath.Rel(p.Root, file); err == nil && p.Root != "" && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	return filepath.ToSlash(file), false
}

// open is the place that a person opens for a finding: the role in the ledger,
// or the object in its own file. A place outside the checkout cannot be opened
// there, so the ledger stands for it, and at last its first line.
func (p Place) open(r report.Report, f report.Finding) specs.Pos {
	for _, at := range []specs.Pos{f.Location, f.ObservedAt} {
		if _, ok := p.below(at.File); ok {
			return specs.Pos{File: at.File, Line: max(at.Line, 1)}
		}
	}
	if r.Ledger.Path == "" && f.Location.File != "" {
		return specs.Pos{File: f.Location.File, Line: max(f.Location.Line, 1)}
	}
	return specs.Pos{File: ledgerName(r), Line: 1}
}

func ledgerName(r report.Report) string {
	if r.Ledger.Path == "" {
		return "ledger.yaml"
	}
	return r.Ledger.Path
}

// escapedPath is a path in which all but the unreserved characters and the slash
// is percent-encoded (RFC 3986, 2.3).
func escapedPath(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}
