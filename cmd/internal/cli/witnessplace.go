package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/crontab"
	"github.com/rolecall-dev/rolecall/specs"
)

// placeWitness reads what a ledger names as a place of this machine: a file whose
// time of change counts, a folder of run records. Relative paths begin at the
// ledger's folder, absolute ones at the root of the role's source.
type placeWitness struct {
	base  string
	terms map[specs.Ref]placed
}

// placed are terms, whether their absolute paths are of another machine, and the
// root below which these are.
type placed struct {
	specs.EvidenceTerms
	elsewhere bool
	root      string
}

// Testify looks at the places.
func (p placeWitness) Testify(ctx context.Context, refs []specs.Ref) map[specs.Ref]providers.Evidence {
	out := map[specs.Ref]providers.Evidence{}
	look := placeLook{placeWitness: p, folders: map[string]recordedFolder{}}
	for _, ref := range refs {
		if ev, ok := look.role(ctx, ref); ok {
			out[ref] = ev
		}
	}
	return out
}

// placeLook is one look, in which each folder is listed once.
type placeLook struct {
	placeWitness
	folders map[string]recordedFolder
}

// recordedFolder is a folder that was listed.
type recordedFolder struct {
	recordFolder
	err error
}

func (p placeLook) role(ctx context.Context, ref specs.Ref) (ev providers.Evidence, asked bool) {
	terms := p.terms[ref]
	var told []string
	into := ev.Stages()
	for i, source := range terms.Stages() {
		name := source.Runs + source.File
		switch {
		case name == "":
			continue
		case ctx.Err() != nil:
			*into[i] = unreadTrace(name, "the look was broken off")
		case terms.elsewhere && filepath.IsAbs(name):
			*into[i] = unreadTrace(name, "it is on the host of the listing, and the listing does not hold it; audit on that host, or name a copy of it by a path relative to the ledger")
		case source.File != "":
			*into[i] = terms.find(p.base, name).file()
		default:
			said := p.records(ctx, terms.find(p.base, name), ref.Role)
			*into[i] = *said.Stages()[i]
			if into[i] == &ev.Progressed && into[i].State == providers.Untracked && terms.ProgressNamed() {
				*into[i] = providers.Trace{State: providers.Known, From: said.Executed.From} // it was never reached
			}
			if !slices.Contains(told, name) {
				told = append(told, name)
				ev.Beside(said)
			}
		}
		asked = true
	}
	return ev, asked
}

// namedPlace is a path as it is shown and as it is reached.
type namedPlace struct {
	name, path string
	err        error
}

// find is where a path of the ledger leads.
func (t placed) find(base, name string) namedPlace {
	switch {
	case !filepath.IsAbs(name):
		return namedPlace{name: name, path: filepath.Join(base, filepath.FromSlash(name))}
	case t.root == "":
		return namedPlace{name: name, path: name}
	}
	real, err := crontab.Real(t.root, name)
	return namedPlace{filepath.Join(t.root, name), real, err}
}

// records is what a folder says of a role.
func (p placeLook) records(ctx context.Context, at namedPlace, role string) providers.Evidence {
	f, ok := p.folders[at.path]
	if !ok {
		f = listed(at)
		p.folders[at.path] = f
	}
	if f.err != nil {
		t := unreadTrace(recordsIn(at.name), f.err.Error())
		return providers.Evidence{Executed: t, Succeeded: t, Progressed: t}
	}
	return f.evidence(ctx, role)
}

func listed(at namedPlace) recordedFolder {
	if at.err != nil {
		return recordedFolder{err: at.err}
	}
	folders, err := recordFolders([]string{at.path}, false)
	if err != nil {
		return recordedFolder{err: err}
	}
	folders[0].dir = at.name
	_, err = folders[0].roles()
	return recordedFolder{folders[0], err}
}

// file is when a file changed last. Where it would be never is told from where
// nobody can say: a folder that is not there may not be mounted.
func (at namedPlace) file() providers.Trace {
	from := "the file " + at.name
	if at.err != nil {
		return unreadTrace(from, fmt.Sprintf("%v; correct the path", at.err))
	}
	info, err := os.Stat(at.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(at.path)); err != nil {
			return unreadTrace(from, fmt.Sprintf("the folder of %s cannot be seen: %v; look whether it is mounted, or correct the path", at.name, err))
		}
		return providers.Trace{State: providers.Known, From: from, Reason: "it is not there"}
	case err != nil:
		return unreadTrace(from, fmt.Sprintf("%v; make it readable to this account, or correct the path", err))
	case !info.Mode().IsRegular():
		return unreadTrace(from, at.name+" is no regular file, so its time says nothing; name the file that a run writes")
	}
	return providers.Trace{State: providers.Known, From: from, Last: info.ModTime().UTC()}
}
