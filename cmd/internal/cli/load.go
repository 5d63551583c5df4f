package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
)

// loaded is what a command goes by beside its own flags.
type loaded struct {
	Config
	Settings
}

// load finds and reads the config and layers the settings.
func (a *app) load(cmd *cobra.Command) (loaded, error) {
	here, err := os.Getwd()
	if err != nil {
		return loaded{}, usage(err)
	}
	path, err := FindConfig(a.flags.config, here, a.getenv)
	if err != nil {
		return loaded{}, usage(err)
	}
	c, err := LoadConfig(relative(here, path))
	if err != nil {
		return loaded{}, usage(err)
	}
	s, err := LoadSettings(c, cmd.Flags(), a.getenv)
	if err != nil {
		return loaded{}, usage(err)
	}
	a.flags.color = s.Color
	return loaded{c, s}, nil
}

// relative shortens a path to how a person here would write it.
func relative(here, path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// readLedger reads the ledger of the settings.
func (a *app) readLedger(s loaded) (ledger.Ledger, []ledger.Warning, error) {
	l, warnings, err := LoadLedger(s.Settings.Ledger)
	if err != nil {
		return l, nil, usage(err)
	}
	return l, warnings, nil
}
