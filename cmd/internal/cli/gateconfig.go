package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// decisive are the settings that decide what a gate lets pass.
var decisive = []string{"fail_on", "allow_partial", "require_all_sources"}

// decidedAtBase are the settings with those that decide from the base's config: a
// change does not let itself pass. Flags and variables win, as everywhere. Where
// the base's config cannot be read, none of its settings is known.
func (g *gating) decidedAtBase(unread bool) (Settings, error) {
	if !g.base.hasConfig && !unread {
		return g.head.Settings, nil
	}
	c := g.head.Config
	c.settings = copied(c.settings)
	for _, key := range decisive {
		delete(c.settings, key)
		if v, ok := g.base.config.settings[key]; ok && g.base.hasConfig {
			c.settings[key] = v
		}
	}
	return LoadSettings(c, g.cmd.Flags(), g.getenv)
}

// strict are sources by whose rules an object is left out only if those of the
// base leave it out too.
func (g *gating) strict(sources []audit.Source) []audit.Source {
	if !g.base.hasConfig || g.sources != nil {
		return sources
	}
	out := slices.Clone(sources)
	for i, s := range out {
		for _, was := range g.base.config.Sources {
			if rule := was.rule(false); was.Name == s.Name && looser(s.Rule, rule) {
				out[i].Rule.Both = &rule
			}
		}
	}
	return out
}

func looser(now, was classify.Rule) bool {
	return now.IgnoreUnexpected && !was.IgnoreUnexpected ||
		slices.ContainsFunc(now.Ignore, func(p string) bool { return !slices.Contains(was.Ignore, p) })
}

// configEdits are what the change does to the config.
func (g *gating) configEdits() []report.Edit {
	if g.base.sameConfig || !g.base.hasConfig {
		return nil
	}
	was, is := configTexts(g.base.written), configTexts(g.head.Config)
	var names []string
	for name := range is {
		names = append(names, name)
	}
	for name := range was {
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	e := report.Edit{Of: "config", Name: cmp.Or(g.head.Config.Path, g.base.written.Path), What: "changed", BaseLocation: specs.Pos{File: g.shown(g.base.written.Path), Line: 1}}
	if g.head.Config.Path != "" {
		e.Location = specs.Pos{File: g.head.Config.Path, Line: 1}
	} else {
		e.What = "removed"
	}
	for _, name := range names {
		a, b := was[name], is[name]
		if a == b {
			continue
		}
		f := report.EditField{Path: name, Before: redact.Text(a), After: redact.Text(b)}
		f.Masked = f.Before != a || f.After != b
		f.Before, f.After = cmp.Or(f.Before, notSet), cmp.Or(f.After, notSet)
		e.Fields = append(e.Fields, f)
	}
	if len(e.Fields) == 0 {
		return nil
	}
	return []report.Edit{e}
}

const notSet = "(not set)"

// configTexts are all that a config says, each by its place in it.
func configTexts(c Config) map[string]string {
	out := copied(c.settings)
	for _, s := range c.Sources {
		put := func(name, text string) {
			if text != "" {
				out["sources."+s.Name+"."+name] = text
			}
		}
		list := func(name string, texts []string) { put(name, strings.Join(texts, ", ")) }
		yes := func(name string, v bool) {
			if v {
				put(name, "true")
			}
		}
		put("provider", s.kind())
		if s.Unexpected != "report" {
			put("unexpected", s.Unexpected)
		}
		list("ignore", s.Ignore)
		switch {
		case s.Crontab != nil:
			put("host", s.Crontab.Host)
			put("zone", s.Crontab.Zone)
			list("users", s.Crontab.Users)
			yes("system", s.Crontab.System)
			put("dialect", s.Crontab.Dialect)
			put("root", s.Crontab.Root)
			var files []string
			for _, f := range s.Crontab.Files {
				text := f.Path
				if f.Format != "" {
					text += fmt.Sprintf(" (format %s)", f.Format)
				}
				if f.User != "" {
					text += fmt.Sprintf(" (user %s)", f.User)
				}
				files = append(files, text)
			}
			list("files", files)
		case s.GitHub != nil:
			list("repos", s.GitHub.Repos)
			put("api", s.GitHub.API)
			put("workflows", s.GitHub.Workflows)
		default:
			put("context", s.Kubernetes.Context)
			list("namespaces", s.Kubernetes.Namespaces)
			yes("all_namespaces", s.Kubernetes.AllNamespaces)
			list("manifests", s.Kubernetes.Manifests)
			put("selector", s.Kubernetes.Selector)
		}
	}
	return out
}

func copied(texts map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range texts {
		out[k] = v
	}
	return out
}
