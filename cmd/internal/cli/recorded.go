package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/pkg/runs/host"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/crontab"
)

// recordedCrontab is a crontab source with what run records say of its roles; what
// else the provider can do shows through.
type recordedCrontab struct {
	*crontab.Provider
	records
	homes *homes // nil where the folders are named, and so belong to no account
}

// Observe adds the records to what the crontabs hold.
func (r recordedCrontab) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	o := r.Provider.Observe(ctx, sel)
	said := r.read(ctx)
	o.Runs = said.all()
	if r.homes != nil {
		o.Accounts = r.homes.accounts(ctx, said, o.Objects)
	}
	return o
}

// recordedReplay is the same of a saved listing whose records are given beside it.
type recordedReplay struct {
	replayed
	records
}

// Observe puts the records in the place of what the listing says of runs.
func (r recordedReplay) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	o := r.replayed.Observe(ctx, sel)
	o.Runs, o.Accounts = r.read(ctx).all(), nil
	return o
}

// records are state folders, each of which is read like any other: one that was
// copied from another host is exact too, but for runs that had not ended.
type records []recordFolder

// recordFolder is one state folder.
type recordFolder struct {
	dir   string // as it is shown
	store runs.Store
	// optional says that nothing is wrong where the folder is not there.
	optional bool
	// lesser says that an ordinary account writes it: it counts for roles alone of
	// which the folders before have no records, or it could claim the successes of
	// another's.
	lesser bool
	// account is whose it is; empty where it counts for all.
	account string
	// lost is why the folder cannot be told.
	lost error
}

// recordFolders makes folders of paths.
func recordFolders(dirs []string, optional bool) (records, error) {
	m, err := host.New()
	if err != nil {
		if optional { // rolecall run does not run here either
			return nil, nil
		}
		return nil, err
	}
	var out records
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, recordFolder{dir: dir, store: runs.Store{Machine: m, Root: filepath.ToSlash(abs)}, optional: optional})
	}
	return out, nil
}

// readFolder is a folder with what it says.
type readFolder struct {
	recordFolder
	err   error
	roles map[string]providers.Evidence
}

// readFolders are folders in the order in which they count.
type readFolders []readFolder

func (rs records) read(ctx context.Context) (out readFolders) {
	for _, f := range rs {
		out = append(out, f.read(ctx))
	}
	return out
}

func (f recordFolder) read(ctx context.Context) readFolder {
	out := readFolder{recordFolder: f, roles: map[string]providers.Evidence{}}
	roles, err := f.roles()
	out.err = err
	for _, role := range roles {
		out.roles[role] = f.evidence(ctx, role)
	}
	return out
}

// all is what the folders say, by role, and under the empty key of the roles
// without any record: that they never ran, also where a folder that is looked
// for of itself is not there. It is nil where no folder is looked for.
func (x readFolders) all() map[string]providers.Evidence {
	if len(x) == 0 {
		return nil
	}
	out := map[string]providers.Evidence{}
	var unread, dirs []string
	for _, f := range x {
		dirs = append(dirs, f.dir)
		if f.err != nil {
			unread = append(unread, f.err.Error())
		}
		for role, ev := range f.roles {
			if before, ok := out[role]; ok {
				ev = f.beside(before, ev)
			}
			out[role] = ev
		}
	}
	for role, ev := range out {
		ev.Hints = append(slices.Clip(ev.Hints), unread...)
		out[role] = ev
	}
	out[""] = unrecorded(dirs, unread)
	return out
}

// beside joins what the folder says of a role with what those before it say.
func (f recordFolder) beside(before, ev providers.Evidence) providers.Evidence {
	if !f.lesser {
		return *evidence.Join(&before, &ev)
	}
	if ev.Executed.Last.After(before.Executed.Last) {
		before.Hints = append(slices.Clip(before.Hints), fmt.Sprintf("newer records of the role stand in %s, which count only where those before are gone; remove them with: rolecall runs prune, or name the folders in the source's runs", f.dir))
	}
	return before
}

// unrecorded is what can be said of a role without records.
func unrecorded(dirs, unread []string) providers.Evidence {
	t := providers.Trace{State: providers.Known, From: recordsIn(dirs...)}
	if len(unread) > 0 {
		t.State, t.Reason = providers.Unreadable, strings.Join(unread, "; ")
	}
	return providers.Evidence{Executed: t, Succeeded: t}
}

func recordsIn(dirs ...string) string { return "run records in " + strings.Join(dirs, ", ") }

// roles are those with records, or with what stands in their place; nil if the
// folder is not there and need not be.
func (f recordFolder) roles() ([]string, error) {
	if f.lost != nil {
		return nil, f.lost
	}
	if err := f.check(); err != nil {
		if f.optional && errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	out, err := f.store.Roles()
	if err != nil {
		return nil, fmt.Errorf("the run records in %s cannot be read: %w", f.dir, err)
	}
	entries, err := f.store.FS.ReadDir(f.inside("runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the run records in %s cannot be read: %w", f.dir, err)
	}
	for _, e := range entries {
		if !e.IsDir {
			out = append(out, e.Name)
		}
	}
	return append([]string{}, slices.DeleteFunc(out, func(r string) bool { return runs.CheckRole(r) != nil })...), nil
}

func (f recordFolder) inside(names ...string) string {
	return filepath.Join(append([]string{f.store.Root}, names...)...)
}

// check refuses a folder that nobody has to believe.
func (f recordFolder) check() error {
	info, err := os.Stat(f.store.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the run records in %s are not there (%w); correct the path, or let rolecall run write the first", f.dir, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("the run records in %s cannot be read: %w", f.dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s is no folder of run records; name the one that rolecall run writes to", f.dir)
	}
	for _, dir := range []string{f.store.Root, f.inside("runs")} {
		if err := believeFolder(dir); err != nil {
			return fmt.Errorf("the run records in %s are not believed: %w", f.dir, err)
		}
	}
	return nil
}
