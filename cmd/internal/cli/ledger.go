package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/specs"
)

func (a *app) ledgerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "ledger", Short: "write, check and read ledgers"}
	cmd.AddCommand(a.ledgerCheckCommand(), a.ledgerHashCommand(), a.ledgerFormatCommand(), a.ledgerInitCommand(), a.ledgerAdoptCommand(), a.ledgerWaiveCommand(), a.ledgerDiffCommand())
	return cmd
}

func (a *app) ledgerCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "say all that is wrong with the ledger, and what is recommended",
		Long: "Reads config, ledger and templates, and translates every role for its source.\nNo scheduler and no file of a source is looked at.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.load(cmd)
			if err != nil {
				return err
			}
			l, warnings, err := a.readLedger(s)
			if err != nil {
				return err
			}
			if err := a.checkSpecs(s, l); err != nil {
				return err
			}
			warnings = append(warnings, l.Ahead(a.now())...)
			for _, w := range warnings {
				fmt.Fprintf(a.Err, "rolecall: warning: %s\n", escapeLine(w.String()))
			}
			return a.write([]output{{}}, func(_ string, out io.Writer) error {
				_, err := fmt.Fprintf(out, "%s: %d roles, %d waivers, %d warnings\n", l.Path, len(l.Roles), len(l.Waivers), len(warnings))
				return err
			})
		},
	}
}

// checkSpecs translates each role by whichever side its source has.
func (a *app) checkSpecs(s loaded, l ledger.Ledger) error {
	if len(s.Sources) == 0 {
		return nil
	}
	_, err := a.translated(s, l)
	return err
}

// translated is each role in the terms of its source, of which nothing is looked
// at.
func (a *app) translated(s loaded, l ledger.Ledger) (map[specs.Ref]specs.Desired, error) {
	if err := l.CheckSources(s.SourceNames()); err != nil {
		return nil, usage(err)
	}
	w := &wiring{app: a, config: s.Config}
	var sources []audit.Source
	for _, src := range s.Sources {
		t, err := w.translatorOf(src)
		if err != nil {
			return nil, usage(fmt.Errorf("source %s: %w", src.Name, err))
		}
		sources = append(sources, audit.Source{Name: src.Name, Kind: src.kind(), Provider: t})
	}
	desired, err := audit.Desire(l, sources)
	if err != nil {
		return nil, usage(err)
	}
	return desired, nil
}

func (a *app) ledgerHashCommand() *cobra.Command {
	var f targetFlags
	cmd := &cobra.Command{
		Use: "hash", Short: "role, source and hash of what the ledger wants",
		Long: "Prints the hash by which each role's spec is known in each of its sources. A hash\nmarked partial is that of a spec of which only some fields are stated, and\ncannot be pinned.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.ledgerHash(cmd, f) },
	}
	f.bind(cmd)
	return cmd
}

func (a *app) ledgerHash(cmd *cobra.Command, f targetFlags) error {
	s, err := a.load(cmd)
	if err != nil {
		return err
	}
	l, _, err := a.readLedger(s)
	if err != nil {
		return err
	}
	scope, err := a.scope(s.Config, f, nil)
	if err != nil {
		return err
	}
	desired, err := audit.Desire(l, scope.sources)
	if err != nil {
		return usage(err)
	}
	return a.write([]output{{}}, func(_ string, w io.Writer) error { return writeHashes(w, l, desired) })
}

func writeHashes(w io.Writer, l ledger.Ledger, desired map[specs.Ref]specs.Desired) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, role := range l.Roles {
		for _, source := range role.Sources {
			d, ok := desired[specs.Ref{Role: role.Key, Source: source}]
			if !ok {
				continue
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", role.Key, source, hashOf(d))
		}
	}
	return t.Flush()
}

func hashOf(d specs.Desired) string {
	switch {
	case !d.Pinned.IsZero():
		return d.Pinned.String() + "\tpinned"
	case d.Partial():
		return d.Spec.Hash().String() + "\tpartial"
	}
	return d.Spec.Hash().String() + "\t"
}

func (a *app) ledgerFormatCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use: "fmt [FILE]", Short: "lay a ledger out as usual; comments and order are kept",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.load(cmd)
			if err != nil {
				return err
			}
			path := s.Settings.Ledger
			if len(args) == 1 {
				path = args[0]
			}
			return a.formatLedger(cmd.Context(), path, check)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing; exit 1 if the layout differs")
	return cmd
}

func (a *app) formatLedger(ctx context.Context, path string, check bool) error {
	if !check {
		unlock, err := lockLedger(ctx, path)
		if err != nil {
			return err
		}
		defer unlock()
	}
	data, err := readWhole(os.Open, path)
	if err != nil {
		return usage(fmt.Errorf("ledger: %w", err))
	}
	out, err := ledger.FormatFile(path, data)
	switch {
	case err != nil:
		return usage(err)
	case bytes.Equal(data, out):
		return nil
	case check:
		fmt.Fprintf(a.Out, "%s\n", path)
		return exitWith(exitFindings)
	}
	if err := replaceFile(path, data, out); err != nil {
		return internal(err)
	}
	return nil
}
