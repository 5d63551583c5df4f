package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path"
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
}

// Observe adds the records to what the crontabs hold.
func (r recordedCrontab) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	o := r.Provider.Observe(ctx, sel)
	o.Runs = r.all(ctx)
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
	o.Runs = r.all(ctx)
	return o
}

// records are state folders, each of which is read like any other: one that was
// copied from another host is exact too, but for runs that had not ended.
type records []recordFolder

// recordFolder is one state folder.
type recordFolder struct {
	dir   string
	store runs.Store
	// optional says that nothing is wrong where the folder is not there.
	optional bool
	// lesser says that an ordinary account writes it: it counts for roles alone of
	// which the folders before have no records, or it could claim the successes of
	// another's.
	lesser bool
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

// all is what the folders say, by role, and under the empty key of the roles
// without any record: that they never ran, also where a folder that is looked
// for of itself is not there. It is nil where no folder is looked for.
func (rs records) all(ctx context.Context) map[string]providers.Evidence {
	var out map[string]providers.Evidence
	var unread, read []string
	for _, f := range rs {
		roles, err := f.roles()
		switch {
		case err != nil:
			unread = append(unread, err.Error())
		default:
			read = append(read, f.dir)
		}
		if out == nil {
			out = map[string]providers.Evidence{}
		}
		for _, role := range roles {
			ev := f.evidence(ctx, role)
			if before, ok := out[role]; ok {
				ev = f.beside(before, ev)
			}
			out[role] = ev
		}
	}
	if out == nil {
		return nil
	}
	for role, ev := range out {
		ev.Hints = append(slices.Clip(ev.Hints), unread...)
		out[role] = ev
	}
	out[""] = unrecorded(read, unread)
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
func unrecorded(read, unread []string) providers.Evidence {
	t := providers.Trace{State: providers.Known, From: recordsIn(read...)}
	if len(unread) > 0 {
		t.State, t.Reason = providers.Unreadable, strings.Join(unread, "; ")
	}
	return providers.Evidence{Executed: t, Succeeded: t}
}

func recordsIn(dirs ...string) string { return "run records in " + strings.Join(dirs, ", ") }

// roles are those with records; nil if the folder is not there and need not be.
func (f recordFolder) roles() ([]string, error) {
	if err := f.check(); err != nil {
		if f.optional && errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	roles, err := f.store.Roles()
	if err != nil {
		return nil, fmt.Errorf("the run records in %s cannot be read: %w", f.dir, err)
	}
	return append([]string{}, slices.DeleteFunc(roles, func(r string) bool { return runs.CheckRole(r) != nil })...), nil
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
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("the run records in %s are not believed, since others could write some (its mode is %#o); give it to one user with: chmod go-w %s", f.dir, info.Mode().Perm(), f.dir)
	}
	return nil
}

// recordsOf are those of a crontab source: the folders that are named, else where
// the accounts whose tables are read keep theirs.
func (w *wiring) recordsOf(name string, c CrontabSource, isLive bool) (records, error) {
	if dirs := w.recordFlags(name); len(dirs) > 0 {
		return recordFolders(dirs, false)
	}
	switch {
	case !isLive:
		return nil, nil
	case len(c.Runs) > 0:
		dirs := make([]string, len(c.Runs))
		for i, d := range c.Runs {
			dirs[i] = w.inConfig(d)
		}
		return recordFolders(dirs, false)
	case c.Root != "" && c.Root != "/": // another system's accounts
		return nil, nil
	}
	privileged, accounts := w.ownRecords(c)
	out, err := recordFolders(append(privileged, accounts...), true)
	for i := range out {
		out[i].lesser = i >= len(privileged)
	}
	return out, err
}

func (w *wiring) inConfig(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.config.Dir, dir)
}

// ownRecords are where rolecall run keeps records on this host by default: for
// this account and for root, and for the others whose tables are read.
func (w *wiring) ownRecords(c CrontabSource) (privileged, accounts []string) {
	add := func(to *[]string, dir string) {
		if !slices.Contains(privileged, dir) && !slices.Contains(accounts, dir) {
			*to = append(*to, dir)
		}
	}
	if dir := w.getenv("ROLECALL_STATE"); dir != "" {
		add(&privileged, dir)
	} else if dir, err := w.ownState(); err == nil {
		add(&privileged, dir)
	}
	if c.System || slices.Contains(c.Users, "root") {
		add(&privileged, rootState)
	}
	for _, name := range c.Users {
		if u, err := user.Lookup(name); err == nil && u.HomeDir != "" && u.Uid != "0" {
			add(&accounts, path.Join(u.HomeDir, ".local/state/rolecall"))
		}
	}
	return privileged, accounts
}

const rootState = "/var/lib/rolecall"

// recordFlags are the folders that --runs gives to a source.
func (w *wiring) recordFlags(name string) []string {
	var out []string
	for _, v := range w.flags.runs {
		if source, dir := named(v, ""); source == "" || source == name {
			out = append(out, dir)
		}
	}
	return out
}
