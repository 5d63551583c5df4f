package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
)

// ownFile is a file or folder that a command goes by, which no output of it may
// replace.
type ownFile struct {
	path   string
	what   string
	folder bool // all that stands in it
}

// spareOwn refuses outputs that would replace what the command goes by: config,
// ledger, templates, and the tables and files of its sources.
func (a *app) spareOwn(cmd *cobra.Command, l ledger.Ledger, f targetFlags, outputs []output) error {
	files := false
	for _, o := range outputs {
		files = files || o.file != ""
	}
	if !files {
		return nil
	}
	own, err := a.ownFiles(cmd, l, f)
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range outputs {
		if o.file != "" {
			errs = append(errs, spare(own, o.file, "-o "+o.format+"="+o.file))
		}
	}
	return errors.Join(errs...)
}

// spare says that a file is none of a command's own.
func spare(own []ownFile, name, flag string) error {
	for _, o := range own {
		if o.is(name) {
			return fmt.Errorf("%s: that is %s; name another file", flag, o.what)
		}
	}
	return nil
}

func (o ownFile) is(name string) bool {
	if o.folder {
		rel, err := filepath.Rel(realPath(o.path), realPath(name))
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	}
	a, aerr := os.Stat(o.path)
	b, berr := os.Stat(name)
	return realPath(o.path) == realPath(name) || aerr == nil && berr == nil && os.SameFile(a, b)
}

// realPath is a path with its links followed, as far as it is there.
func realPath(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	if folder := filepath.Dir(abs); folder != abs {
		return filepath.Join(realPath(folder), filepath.Base(abs))
	}
	return abs
}

// cronPlaces are where the daemons of the crontab provider read.
var cronPlaces = []string{
	"/etc/crontab", "/etc/anacrontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly", "/etc/cron.monthly",
	"/etc/crontabs", "/var/spool/cron",
}

// ownFiles are those of a config and a ledger.
func (a *app) ownFiles(cmd *cobra.Command, l ledger.Ledger, f targetFlags) ([]ownFile, error) {
	s, err := a.load(cmd)
	if err != nil {
		return nil, err
	}
	out := []ownFile{{path: l.Path, what: "the ledger"}}
	if s.Path != "" {
		out = append(out, ownFile{path: s.Path, what: "the config"})
	}
	for _, r := range l.Roles {
		if t := r.Statement.Template; t != nil {
			out = append(out, ownFile{path: t.Name, what: "the template of role " + r.Key})
		}
	}
	sources := s.Sources
	if f.any() {
		if sources, err = f.asSources(); err != nil {
			return nil, err
		}
	}
	for _, src := range sources {
		out = append(out, src.ownFiles(s.Dir)...)
	}
	return out, nil
}

// ownFiles are the places that a source reads on this machine.
func (src Source) ownFiles(dir string) []ownFile {
	var out []ownFile
	what := "what source " + src.Name + " is read from"
	globs := func(patterns []string) {
		for _, p := range patterns {
			if !filepath.IsAbs(p) {
				p = filepath.Join(dir, p)
			}
			names, err := doublestar.FilepathGlob(p)
			if err != nil || len(names) == 0 {
				names = []string{p}
			}
			for _, n := range names {
				info, err := os.Stat(n)
				out = append(out, ownFile{n, what, err == nil && info.IsDir()})
			}
		}
	}
	switch {
	case src.Crontab != nil:
		for _, f := range src.Crontab.Files {
			globs([]string{f.Path})
		}
		root := src.Crontab.Root
		if !filepath.IsAbs(root) && root != "" {
			root = filepath.Join(dir, root)
		}
		for _, p := range cronPlaces {
			out = append(out, ownFile{filepath.Join(root, p), what, true})
		}
	case src.GitHub != nil && src.GitHub.Workflows != "":
		globs([]string{filepath.Join(src.GitHub.Workflows, ".github", "workflows")})
	case src.Kubernetes != nil:
		globs(src.Kubernetes.Manifests)
	}
	return out
}

// canWrite says that a file can be put in place, by putting another beside it and
// taking it away.
func canWrite(name string) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name a file in it", name)
	case err == nil && !info.Mode().IsRegular():
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("%s: nothing can be written in its folder; name a file in a folder that can be written to", name)
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}
