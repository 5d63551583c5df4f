package crontab

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs"
)

// offline reads the files that the configuration names, each once.
func (l *look) offline() {
	l.dialect, l.recent = l.cfg.Dialect, true
	if l.dialect == "" {
		l.dialect = specs.Debian
	}
	seen := map[string]bool{}
	unjudged := false
	var named []namedFile
	for _, f := range l.cfg.Files {
		if f.Path == "-" {
			named = append(named, namedFile{f, files.File{Rel: "stdin", Path: "-"}, "stdin"})
			continue
		}
		found, gaps := files.Expand(l.cfg.Base, []string{f.Path}, []string{"*"})
		for _, gap := range gaps {
			if l.sel.Wants(gap.Part) {
				l.out.Areas = append(l.out.Areas, gap)
			}
		}
		for _, one := range found {
			if !seen[one.Rel] {
				seen[one.Rel] = true
				named = append(named, namedFile{f, one, "file/" + strings.TrimPrefix(one.Rel, "/")})
				unjudged = unjudged || l.isSystem(f, one.Rel)
			}
		}
	}
	l.each(named)
	if unjudged {
		l.note("not-checked", specs.Pos{}, "mode and owner of the system tables are those of a checkout and were not judged; the daemon refuses a file that others than root may write")
	}
}

// namedFile is a file of the source, with what the configuration says of it.
type namedFile struct {
	as   File
	one  files.File
	part string
}

// each reads files, as many at once as the caller likes, and takes what is in
// them in their order.
func (l *look) each(named []namedFile) {
	looks := make([]look, len(named))
	if l.cfg.Each != nil {
		l.cfg.Each(len(named), func(i int) {
			looks[i] = look{schedules: readings{}, refusals: map[string]string{}}
			l.one(&looks[i], named[i])
		})
	} else {
		for i := range named {
			looks[i] = look{schedules: l.schedules, refusals: l.refusals}
			l.one(&looks[i], named[i])
		}
	}
	total := 0
	for i := range looks {
		total += len(looks[i].out.Objects)
	}
	for i := range looks {
		out := &looks[i].out
		l.out.Areas, l.out.Notes = append(l.out.Areas, out.Areas...), append(l.out.Notes, out.Notes...)
		if l.out.Objects == nil && len(out.Objects) == total {
			l.out.Objects = out.Objects
		} else {
			l.out.Objects = append(slices.Grow(l.out.Objects, total-len(l.out.Objects)), out.Objects...)
		}
		out.Objects = nil // a million of them are not held twice
	}
}

// one reads a file by a look of its own. A fault of ours is a gap, since what is
// read in parallel is beyond what the caller can catch.
func (l *look) one(in *look, f namedFile) {
	in.Provider, in.ctx, in.sel, in.dialect, in.recent = l.Provider, l.ctx, l.sel, l.dialect, l.recent
	defer func() {
		if r := recover(); r != nil {
			in.area(f.part, providers.Failed, fmt.Sprintf("the table cannot be read: %v; report it as a fault of rolecall", r))
		}
		in.schedules, in.refusals = nil, nil
	}()
	in.file(f.as, f.one, f.part)
}

// isSystem says whether a file has a user column: as stated, else by where such
// files stand.
func (l *look) isSystem(f File, rel string) bool {
	if f.Format != "" {
		return f.Format == systemFormat
	}
	return hasUserColumn(l.dialect) && f.User == "" && standsWithSystem(rel)
}

// standsWithSystem says that a path is that of a table with a user column.
func standsWithSystem(rel string) bool {
	return inCronD(rel) || rel == "etc/crontab" || strings.HasSuffix(rel, "/etc/crontab")
}

func inCronD(rel string) bool { return path.Base(path.Dir(rel)) == "cron.d" }

func (l *look) file(f File, one files.File, part string) {
	if !l.sel.Wants(part) || l.cancelled(part) {
		return
	}
	data, err := l.host.Local(one.Path)
	if !l.covered(part, len(data) > 0, err) {
		return
	}
	t := table{
		part: part, name: strings.TrimPrefix(one.Rel, "/"), file: one.Rel, open: one.Path, data: string(data), cut: err != nil,
		user: f.User, stock: stock,
	}
	if one.Path == "-" {
		t.open = "stdin"
	}
	g := grammar{dialect: l.dialect, system: l.isSystem(f, one.Rel)}
	g.privileged, g.personal = g.system || f.User == "root" || f.User == "", !g.system
	if inCronD(one.Rel) {
		t.refused = nameRefused(l.dialect, path.Base(one.Rel))
		t.unnamed = t.refused != ""
	}
	objects := l.read(t, g)
	if l.cfg.Dialect == "" {
		l.compareDialects(t, g, objects)
	}
}

// compareDialects notes where cronie would judge otherwise than Debian's cron,
// since nobody said which of the two it is.
func (l *look) compareDialects(t table, g grammar, debian []providers.Object) {
	g.dialect, g.schedules, g.refusals = specs.Cronie, readings{}, map[string]string{}
	if inCronD(t.file) {
		t.refused = nameRefused(specs.Cronie, path.Base(t.file))
		t.unnamed = t.refused != ""
	}
	cronie, _, _ := l.translate(t, g)
	for i := range max(len(debian), len(cronie)) {
		if i < len(debian) && i < len(cronie) && sameVerdict(debian[i], cronie[i]) {
			continue
		}
		o := append(slices.Clone(cronie[min(i, len(cronie)):]), debian[min(i, len(debian)):]...)[0]
		l.note("dialect-assumed", o.Pos, "judged as Debian's cron, and cronie would judge otherwise from here on; name the daemon with dialect")
		return
	}
}

func sameVerdict(a, b providers.Object) bool {
	return a.Pos.Line == b.Pos.Line && a.Opaque == b.Opaque && a.Spec.Hash() == b.Spec.Hash() &&
		slices.EqualFunc(a.Inactive(), b.Inactive(), func(x, y providers.Inactive) bool { return x.Code == y.Code })
}

// covered adds the row of a file that was read, or not, and says whether there
// is something to translate.
func (l *look) covered(part string, some bool, err error) bool {
	switch {
	case err == nil:
		l.area(part, providers.Read, "")
	case some:
		l.area(part, providers.Partial, why(err))
	default:
		l.area(part, files.StateOf(err), why(err))
	}
	return err == nil || some
}

// why is an error with the next step.
func why(err error) string {
	switch files.StateOf(err) {
	case providers.Denied:
		return err.Error() + "; run as a user who may read it"
	case providers.Missing:
		return err.Error() + "; run again, and if it is a link that leads to no file, correct or remove it"
	}
	return err.Error()
}
