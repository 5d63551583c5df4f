package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/crontab"
	"github.com/rolecall-dev/rolecall/providers/github"
	"github.com/rolecall-dev/rolecall/providers/kubernetes"
	"github.com/rolecall-dev/rolecall/specs"
)

// replay takes the sources of saved listings.
func (w *wiring) replay(s *scope, files []string) error {
	for _, name := range files {
		inv, err := readInventory(name)
		if err != nil {
			return usage(err)
		}
		for _, o := range inv.Observations {
			if slices.Contains(s.names(), o.Source) {
				return usage(fmt.Errorf("%s: source %s stands in an earlier snapshot too; give one snapshot of each source", name, o.Source))
			}
			src := w.configured(o)
			if err := w.checkAge(name, inv, &o); err != nil {
				return usage(err)
			}
			o = seenAt(o, inv.ObservedAt)
			o.Notes = append(slices.Clone(o.Notes), providers.Note{Code: "snapshot-taken", Message: "the source is as it was at " + inv.ObservedAt.UTC().Format(time.RFC3339), Pos: specs.Pos{File: name}})
			t, err := w.translator(src, o.Source, o.Provider, dialectOf(o))
			if err != nil {
				return usage(fmt.Errorf("%s: source %s: %w", name, o.Source, err))
			}
			if !w.chosen(o.Source) {
				s.skipped = append(s.skipped, notChosen(o.Source, o.Provider))
				continue
			}
			p, err := w.recordedReplay(replayed{providers.Replay(o), t}, o)
			if err != nil {
				return usage(err)
			}
			s.sources = append(s.sources, audit.Source{Name: o.Source, Kind: o.Provider, Provider: p, Rule: src.rule(false)})
		}
	}
	return nil
}

// checkAge refuses a listing whose moment cannot be true, and makes one that is
// too old a gap: a host whose snapshots stopped would look well for ever.
func (w *wiring) checkAge(name string, inv providers.Inventory, o *providers.Observation) error {
	age := w.now().Sub(inv.ObservedAt)
	taken := inv.ObservedAt.UTC().Format(time.RFC3339)
	switch {
	case inv.ObservedAt.IsZero():
		return fmt.Errorf("%s: the snapshot does not say when it was taken; take it again with: rolecall snapshot", name)
	case age < -clockError:
		return fmt.Errorf("%s: the snapshot was taken at %s, which is after the instant to judge at; check the clocks of both hosts, or --now", name, taken)
	case w.flags.maxAge > 0 && age > w.flags.maxAge:
		o.Areas = append(slices.Clone(o.Areas), providers.Area{
			Part: "snapshot", State: providers.Failed,
			Reason: fmt.Sprintf("it was taken at %s, more than %s ago, and says little about now; take a new one, or allow it with --max-snapshot-age", taken, w.flags.maxAge),
		})
	}
	return nil
}

// seenAt says of a listing and of the runs in it when they were seen: a job that
// was in time then is not late for the age of the listing.
func seenAt(o providers.Observation, taken time.Time) providers.Observation {
	o.SeenAt, o.Runs, o.Accounts = taken, saidAt(o.Runs, taken), maps.Clone(o.Accounts)
	for name, said := range o.Accounts {
		o.Accounts[name] = saidAt(said, taken)
	}
	o.Objects = slices.Clone(o.Objects)
	for i, obj := range o.Objects {
		if obj.Runs() != nil {
			ev := obj.Runs().At(taken)
			o.Objects[i].Extra().Runs = &ev
		}
	}
	return o
}

func saidAt(said map[string]providers.Evidence, taken time.Time) map[string]providers.Evidence {
	said = maps.Clone(said)
	for role, ev := range said {
		said[role] = ev.At(taken)
	}
	return said
}

// clockError is by how much the clocks of two hosts may differ.
const clockError = 5 * time.Minute

// replayed is a saved listing with the translation of its scheduler.
type replayed struct {
	providers.Provider
	providers.Translator
}

// Locate is that of the scheduler, where it has one.
func (r replayed) Locate(rule specs.Ignore) (specs.Rule, error) {
	return audit.Locate(r.Translator, rule)
}

// recordedReplay adds the run records that --runs names for a saved source.
func (w *wiring) recordedReplay(r replayed, o providers.Observation) (providers.Provider, error) {
	dirs := w.recordFlags(o.Source)
	if o.Provider != "crontab" || len(dirs) == 0 {
		return r, nil
	}
	records, err := recordFolders(dirs, false)
	return recordedReplay{r, records}, err
}

func readInventory(name string) (providers.Inventory, error) {
	f, err := os.Open(name)
	if err != nil {
		return providers.Inventory{}, fmt.Errorf("%w; make a snapshot with: rolecall snapshot > FILE", err)
	}
	defer f.Close()
	inv, err := providers.DecodeInventory(f)
	if err != nil {
		return inv, fmt.Errorf("%s: %w", name, err)
	}
	return inv, nil
}

// configured is what the config says of a saved source.
func (w *wiring) configured(o providers.Observation) Source {
	if i := slices.IndexFunc(w.config.Sources, func(s Source) bool { return s.Name == o.Source }); i >= 0 {
		return w.config.Sources[i]
	}
	return Source{Name: o.Source}
}

// translator puts a ledger's statements in the terms of a source that is not
// looked at.
func (w *wiring) translator(src Source, name, kind string, d specs.Dialect) (translating, error) {
	switch kind {
	case "crontab":
		cfg := crontab.Config{Source: name, Dialect: d, Files: []crontab.File{{Path: "-"}}}
		if src.Crontab != nil {
			cfg.Zone = src.Crontab.Zone
		}
		return crontab.New(crontab.NewHost("/", nil), cfg)
	case "github":
		return github.NewCheckout(github.CheckoutConfig{Source: name, Base: w.config.Dir, Dir: "."})
	case "kubernetes":
		return kubernetes.NewManifests(kubernetes.ManifestConfig{Source: name, Patterns: []string{"."}})
	}
	return nil, fmt.Errorf("provider %q is not known to this rolecall", kind)
}

// translating is a provider that can also translate.
type translating interface {
	providers.Provider
	providers.Translator
}

// translatorOf is the translator of a source of the config, by its dialect.
func (w *wiring) translatorOf(src Source) (translating, error) {
	var d specs.Dialect
	if src.Crontab != nil && src.Crontab.Dialect != "auto" {
		d = specs.Dialect(src.Crontab.Dialect)
	}
	return w.translator(src, src.Name, src.kind(), d)
}

// dialectOf is the dialect in which a listing was read.
func dialectOf(o providers.Observation) specs.Dialect {
	for _, obj := range o.Objects {
		for _, s := range obj.Spec.Schedules {
			return s.Dialect
		}
	}
	return specs.Debian
}
