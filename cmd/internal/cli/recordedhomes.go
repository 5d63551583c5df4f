package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/crontab"
)

// rootState and homeState are where rolecall run keeps its records by default.
const (
	rootState = "/var/lib/rolecall"
	homeState = ".local/state/rolecall"
)

// recordsOf are those of a crontab source: the folders that are named, else where
// the accounts whose tables are read keep theirs.
func (w *wiring) recordsOf(name string, c CrontabSource, isLive bool) (records, error) {
	named := w.recordFlags(name)
	if len(named) == 0 && isLive {
		for _, d := range c.Runs {
			named = append(named, w.inConfig(d))
		}
	}
	switch {
	case len(named) > 0:
		return recordFolders(named, false)
	case !isLive:
		return nil, nil
	}
	return w.homes(name, c).folders(c)
}

func (w *wiring) inConfig(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.config.Dir, dir)
}

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

// rootOf is the root below which a crontab source looks; empty for this machine's
// own.
func (w *wiring) rootOf(c CrontabSource) string {
	if root := w.inConfig(c.Root); c.Root != "" && filepath.Clean(root) != "/" {
		return root
	}
	return ""
}

// homes knows where the accounts of a host keep their records.
type homes struct {
	root string // empty for this machine
	host crontab.Host
	// here are the folders of this process: whose account it is, and what the
	// environment names for all.
	here records
}

// homes are those of a source's host; nil where its folders are named.
func (w *wiring) homes(name string, c CrontabSource) *homes {
	if len(w.recordFlags(name))+len(c.Runs) > 0 {
		return nil
	}
	h := &homes{root: w.rootOf(c)}
	h.host = crontab.NewHost(h.root, nil)
	if h.root != "" {
		return h
	}
	if dir := w.getenv("ROLECALL_STATE"); dir != "" {
		h.here = h.optional(dir, "")
	} else if dir, err := w.ownState(); err == nil {
		h.here = h.optional(dir, h.host.AccountName(uint32(max(os.Geteuid(), 0))))
	}
	return h
}

// optional is a folder that need not be there; none where no run is recorded.
func (h *homes) optional(dir, account string) records {
	out, err := recordFolders([]string{dir}, true)
	if err != nil {
		return records{{dir: dir, account: account, lost: err}}
	}
	for i := range out {
		out[i].account = account
	}
	return out
}

// folders are those of this process and of root, and then, which count for less,
// of the accounts whose tables are read.
func (h *homes) folders(c CrontabSource) (records, error) {
	out := slices.Clone(h.here)
	add := func(more records, lesser bool) {
		for _, f := range more {
			f.lesser = lesser
			if !slices.ContainsFunc(out, func(o recordFolder) bool { return o.store.Root == f.store.Root }) {
				out = append(out, f)
			}
		}
	}
	if h.root != "" || c.System || slices.Contains(c.Users, "root") {
		add(h.of("root"), false)
	}
	for _, name := range c.Users {
		if of := h.of(name); len(of) > 0 && of[0].lost == nil {
			add(of, name != "root")
		}
	}
	return out, nil
}

// of is the folder of one account.
func (h *homes) of(name string) records {
	dir := rootState
	if name != "root" {
		a, err := h.host.Account(name)
		switch {
		case errors.Is(err, crontab.ErrNoAccount):
			return h.lost(name, errors.New("there is no such account"))
		case err != nil:
			return h.lost(name, err)
		case a.UID != 0 && !filepath.IsAbs(a.Home):
			return h.lost(name, errors.New("it has no home"))
		case a.UID != 0:
			dir = filepath.Join(a.Home, homeState)
		}
	}
	if h.root == "" {
		return h.optional(dir, name)
	}
	real, err := crontab.Real(h.root, dir)
	if err != nil {
		return h.lost(name, err)
	}
	return h.optional(real, name)
}

func (h *homes) lost(name string, why error) records {
	return records{{account: name, dir: "the home of " + name, lost: fmt.Errorf("where the account %s keeps its run records is not known: %w; name the folder: runs: [DIR] of the source in the config", name, why)}}
}

// accounts is what the records say that count for each account with an object.
func (h *homes) accounts(ctx context.Context, said readFolders, objects []providers.Object) map[string]map[string]providers.Evidence {
	out := map[string]map[string]providers.Evidence{}
	for _, o := range objects {
		user := o.Attr("user")
		if _, done := out[user]; done || user == "" {
			continue
		}
		var its readFolders
		found := false
		for _, f := range said {
			found = found || f.account == user
			if f.account == user || f.account == "" {
				its = append(its, f)
			}
		}
		if !found {
			its = append(its, h.of(user).read(ctx)...)
		}
		if all := its.all(); all != nil {
			out[user] = all
		}
	}
	return out
}
