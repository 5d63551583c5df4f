// Package crontab lists the entries of crontabs: of files offline, and of a
// host's spool, /etc/crontab, /etc/cron.d, /etc/cron.daily and the like, and
// anacrontab. It reads each line as the daemon of the source does, and says of
// what that daemon would not run why it would not.
//
// The rules are measured on Debian's cron 3.0pl1-162 and -197, cronie 1.7.2,
// busybox crond 1.35 and 1.37 and supercronic 0.2.48, or read in their sources
// where a comment says so.
package crontab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Config is where the crontabs of a source stand and how they are read.
type Config struct {
	Source  string
	Dialect specs.Dialect // empty finds out: live the daemon that is installed, offline Debian's
	Zone    string        // the daemon's zone; empty or specs.Local where it is not known
	// Live says which side is read: Users and System on the host, or Files.
	Live   bool
	Users  []string // whose tables are read
	System bool     // /etc/crontab, /etc/cron.d, /etc/cron.daily and the like, anacrontab
	Root   string   // as given to NewHost, for the paths that people open; empty is /
	// Base is the folder that relative Files are relative to.
	Base  string
	Files []File
	// Now is asked when something is about to be created, for what is due at once;
	// its location is the host's. Without it nothing is said of that.
	Now func() time.Time `json:"-"`
	// Backups is a folder for the tables of before where a table's own folder is
	// closed to this process and crontab(1) installs it; empty keeps none.
	Backups string
	// Each runs f for 0 … n-1, in parallel as far as it likes, over the files of the
	// offline side; nil: in turn.
	Each func(n int, f func(i int)) `json:"-"`
}

// File is a crontab of the offline side.
type File struct {
	Path   string // a path, a glob with **, a folder, or - for standard input
	Format string // user, system, or empty: system for etc/crontab and in a folder cron.d
	User   string // whose table it is, where that is known
}

// Provider lists one source's crontabs.
type Provider struct {
	host Host
	cfg  Config
}

// New checks the configuration; a wrong one is the error.
func New(host Host, cfg Config) (*Provider, error) {
	if cfg.Zone == "" {
		cfg.Zone = specs.Local
	}
	if _, err := specs.CanonicalZone(cfg.Zone); err != nil {
		return nil, fmt.Errorf("source %s: crontab.zone: %w", cfg.Source, err)
	}
	known := []specs.Dialect{"", specs.Debian, specs.Cronie, specs.Busybox, specs.Supercronic}
	if !slices.Contains(known, cfg.Dialect) {
		return nil, fmt.Errorf("source %s: crontab.dialect %q is none of auto, debian, cronie, busybox, supercronic", cfg.Source, cfg.Dialect)
	}
	cfg.Users = slices.Compact(slices.Sorted(slices.Values(cfg.Users)))
	check := cfg.checkFiles
	if cfg.Live {
		check = cfg.checkLive
	}
	if err := check(); err != nil {
		return nil, fmt.Errorf("source %s: %w", cfg.Source, err)
	}
	return &Provider{host: host, cfg: cfg}, nil
}

func (c Config) checkLive() error {
	switch {
	case len(c.Users) == 0 && !c.System:
		return fmt.Errorf("crontab has nothing to look at; name users, or set system: true")
	case c.Dialect == specs.Supercronic:
		return fmt.Errorf("crontab.dialect supercronic has no tables on a host; give its file under files and audit with --offline")
	case slices.ContainsFunc(c.Users, func(u string) bool { return u == "" || strings.ContainsAny(u, "/:\x00\n") }):
		return fmt.Errorf("crontab.users has %q, which cannot be the name of a user", c.Users)
	}
	return nil
}

func (c Config) checkFiles() error {
	if len(c.Files) == 0 {
		return fmt.Errorf("crontab has no files; name some under files")
	}
	for _, f := range c.Files {
		switch {
		case f.Path == "":
			return fmt.Errorf("crontab.files has an entry without a path")
		case f.Format != "" && f.Format != userFormat && f.Format != systemFormat:
			return fmt.Errorf("crontab.files %s: format %q is neither user nor system", f.Path, f.Format)
		case f.Format == systemFormat && !hasUserColumn(c.Dialect):
			return fmt.Errorf("crontab.files %s: %s knows no table with a user column; leave format: system out", f.Path, daemonOf(c.Dialect))
		case f.Format == systemFormat && f.User != "":
			return fmt.Errorf("crontab.files %s: a table with a user column is no one user's; leave user out", f.Path)
		}
	}
	return nil
}

const (
	userFormat   = "user"
	systemFormat = "system"
)

func hasUserColumn(d specs.Dialect) bool { return d != specs.Busybox && d != specs.Supercronic }

// Observe reads the side of the source that the configuration names.
func (p *Provider) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	l := &look{
		Provider: p, ctx: ctx, sel: sel, known: map[string]bool{}, homes: map[string]string{},
		schedules: readings{}, refusals: map[string]string{},
	}
	l.out.Source, l.out.Provider = p.cfg.Source, "crontab"
	if p.cfg.Live {
		l.live()
	} else {
		l.offline()
	}
	l.out.Sort()
	return l.out
}

// look is one observation in the making.
type look struct {
	*Provider
	ctx       context.Context
	sel       providers.Selection
	out       providers.Observation
	dialect   specs.Dialect
	recent    bool // see grammar.recent, and whether the version that decides it is known
	versioned bool
	known     map[string]bool
	homes     map[string]string
	// schedules and refusals keep what was read of each text, over all tables.
	schedules readings
	refusals  map[string]string
}

// cancelled is the state of what is not reached any more.
func (l *look) cancelled(part string) bool {
	err := l.ctx.Err()
	if err != nil {
		l.area(part, providers.Failed, "not reached: "+err.Error())
	}
	return err != nil
}

// area adds a row of coverage.
func (l *look) area(part string, state providers.AreaState, reason string) {
	l.out.Areas = append(l.out.Areas, providers.Area{Part: part, State: state, Reason: reason})
}

func (l *look) note(code string, pos specs.Pos, format string, args ...any) {
	l.out.Notes = append(l.out.Notes, providers.Note{Code: code, Message: fmt.Sprintf(format, args...), Pos: pos})
}

// read translates a table and adds what it holds. A fault of ours is a gap and
// not the end of the audit.
func (l *look) read(t table, g grammar) []providers.Object {
	g.schedules, g.refusals = l.schedules, l.refusals
	objects, notes, err := l.translate(t, g)
	if err != nil {
		l.area(t.part, providers.Partial, err.Error())
	}
	if len(l.out.Objects) == 0 {
		l.out.Objects = objects
	} else {
		l.out.Objects = append(l.out.Objects, objects...)
	}
	l.out.Notes = append(l.out.Notes, notes...)
	return objects
}

func (l *look) translate(t table, g grammar) (objects []providers.Object, notes []providers.Note, err error) {
	defer func() {
		if r := recover(); r != nil {
			objects, notes, err = nil, nil, fmt.Errorf("the table cannot be read: %v; report it as a fault of rolecall", r)
		}
	}()
	t.source = l.cfg.Source
	g.zone, g.own, g.recent, g.versioned = l.cfg.Zone, l.cfg.Zone, l.recent, l.versioned
	return readTable(t, g)
}
