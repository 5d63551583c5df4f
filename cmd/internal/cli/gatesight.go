package cli

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

// outOfSight are gaps for the files of the checkout at which the base's config
// looks and the present one, of which world is what it sees, does not: what they
// hold would go unseen. A file that is gone or has moved hides nothing.
func (g *gating) outOfSight(ctx context.Context, world providers.World) ([]report.Coverage, error) {
	if g.base.sameConfig || !g.base.hasConfig || g.sources != nil {
		return nil, nil
	}
	s := scope{mode: offline}
	w := &wiring{app: g.app, config: g.base.here, flags: g.flags.audit.target}
	if err := w.look(&s, g.base.here.Sources); err != nil {
		return []report.Coverage{{Provider: "git", Part: "base", State: string(providers.Failed), Reason: g.inCheckout(err.Error())}}, nil
	}
	before, err := audit.Look(ctx, audit.Plan{Sources: s.sources, Now: g.plan.Now, Timeout: g.plan.Timeout})
	if errors.Is(err, audit.ErrInterrupted) {
		return nil, err
	}
	seen := sightings(g.head.Config, world)
	var out []report.Coverage
	for _, was := range sightings(g.base.here, before) {
		i := slices.IndexFunc(seen, func(is sighting) bool { return is.file == was.file && is.provider == was.provider })
		reason := "the change takes the file out of sight: it still stands in the checkout, and the config of " + g.base.rev + " looks at it; "
		switch {
		case slices.ContainsFunc(g.plan.Skipped, func(x audit.Skipped) bool { return x.Name == was.source }):
			continue // the whole source is a gap
		case i >= 0 && seen[i].objects >= was.objects:
			continue
		case i >= 0:
			reason = "the change takes jobs of the file out of sight: by the config of " + g.base.rev + " there are more of them; "
		}
		out = append(out, report.Coverage{
			Source: was.source, Provider: was.provider, Part: was.part, State: string(providers.Missing),
			Reason: reason + "let the config look at it again, remove the file, or let it pass with --allow-partial",
		})
	}
	return out, nil
}

// sighting is a file that a source looks at.
type sighting struct {
	source, provider, part string
	file                   string // absolute, over no link
	objects                int
}

func sightings(c Config, world providers.World) []sighting {
	var out []sighting
	for _, obs := range world.Observations {
		counts := map[string]int{}
		for _, o := range obs.Objects {
			counts[realFile(o.Pos.File)]++
		}
		for _, a := range obs.Areas {
			rel, ok := strings.CutPrefix(a.Part, "file/")
			if file := realFile(fileOf(c, rel)); ok && file != "" && a.State != providers.Missing {
				out = append(out, sighting{obs.Source, obs.Provider, a.Part, file, counts[file]})
			}
		}
	}
	return out
}

// fileOf is where a part of a config's source lies.
func fileOf(c Config, rel string) string {
	if name := filepath.Join(c.Dir, filepath.FromSlash(rel)); hasFile(name) {
		return name
	}
	return filepath.FromSlash(path.Join("/", rel)) // the config names it so
}

// realFile is a file that is there by its absolute path; empty if it is not.
func realFile(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return ""
	}
	if info, err := os.Stat(abs); err != nil || info.IsDir() {
		return ""
	}
	return abs
}
