package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/moments"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const diffAbout = `Compares what the sources held at two moments: two files of rolecall snapshot (or
rolecall list -o json), or one and what is there now. No ledger is needed; what a
change does to the ledger is said by rolecall ledger diff.

An object that one of them does not hold has appeared or vanished only if that one
looked where it would be. Otherwise it is not seen, and the comparison incomplete.
Of a secret, which a snapshot seals, only whether it changed can be said. Layout,
comments and a new identity of the same object are no difference (-v shows them).

Exit codes: 0 the same, 1 differences, 2 usage, 3 no difference was seen but not all
could be compared.`

const diffExamples = `  rolecall diff monday.json tuesday.json
  rolecall diff before.json                 with what the config's sources hold now
  rolecall diff before.json --offline       with the files of the checkout`

func (a *app) diffCommand() *cobra.Command {
	var f targetFlags
	var outputs []string
	cmd := &cobra.Command{
		Use: "diff BEFORE.json [AFTER.json]", Short: "what changed between two snapshots, or since one",
		Long: diffAbout, Example: diffExamples,
		Args: func(cmd *cobra.Command, args []string) error { return f.diffArgs(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := parseOutputs(outputs, []string{"text", "json"}, "text")
			if err != nil {
				return err
			}
			return a.diff(cmd, f, args, out)
		},
	}
	f.bind(cmd)
	_ = cmd.Flags().MarkHidden("snapshot")
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: text, json (default text)")
	return cmd
}

func (f *targetFlags) diffArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(f.snapshots) > 0:
		return usage(errors.New("diff takes its snapshots as arguments: rolecall diff BEFORE.json AFTER.json"))
	case len(args) == 0 || len(args) > 2:
		return usage(fmt.Errorf("%s takes one snapshot or two; make one with: rolecall snapshot -o json=FILE", cmd.CommandPath()))
	case len(args) == 2 && (f.offline || f.any()):
		return usage(errors.New("two snapshots are compared without looking at anything; leave the second away to compare with what is there now"))
	}
	return nil
}

func (a *app) diff(cmd *cobra.Command, f targetFlags, args []string, outputs []output) error {
	before, err := readInventory(args[0])
	if err != nil {
		return usage(err)
	}
	name, after, err := a.later(cmd, f, args)
	if err != nil {
		return err
	}
	if err := only(f.sources, &before, &after); err != nil {
		return usage(err)
	}
	if before.ObservedAt.After(after.ObservedAt) {
		fmt.Fprintf(a.Err, "rolecall: warning: %s is later than %s\n", escapeLine(args[0]), escapeLine(name))
	}
	d := moments.Compare(before, after, moments.Rules{
		Show: func(v specs.Value, masked *bool) string { return classify.Show(v, redact.Text, masked) }, Mask: redact.Text,
	})
	d.Before.Name, d.After.Name = args[0], name
	if err := a.write(outputs, a.momentsWriter(d)); err != nil {
		return err
	}
	switch {
	case !d.Same:
		return exitWith(exitFindings)
	case !d.Complete:
		return exitWith(exitIncomplete)
	}
	return nil
}

// later is the second moment: a file, or now.
func (a *app) later(cmd *cobra.Command, f targetFlags, args []string) (string, providers.Inventory, error) {
	if len(args) == 2 {
		inv, err := readInventory(args[1])
		if err != nil {
			return "", inv, usage(err)
		}
		return args[1], inv, nil
	}
	world, err := a.world(cmd, f, nil)
	return "now", providers.Inventory{Tool: "rolecall " + version(), ObservedAt: a.now().UTC(), Observations: world.Observations}, err
}

// only keeps the sources with some names, if any are given.
func only(names []string, lists ...*providers.Inventory) error {
	var known []string
	for _, inv := range lists {
		for _, o := range inv.Observations {
			known = append(known, o.Source)
		}
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("--source %s: neither moment has such a source%s", n, didYouMean(n, known))
		}
	}
	for _, inv := range lists {
		inv.Observations = slices.DeleteFunc(inv.Observations, func(o providers.Observation) bool {
			return len(names) > 0 && !slices.Contains(names, o.Source)
		})
	}
	return nil
}

func (a *app) momentsWriter(d moments.Diff) func(string, io.Writer) error {
	return func(format string, w io.Writer) error {
		if format == "json" {
			return render.MomentsJSON(w, d)
		}
		return render.MomentsText(w, d, render.TextOptions{Width: a.Width, Color: a.colour(), Verbose: a.flags.verbose, Quiet: a.flags.quiet})
	}
}
