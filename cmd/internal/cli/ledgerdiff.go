package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/change"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

const ledgerDiffAbout = `Says what a change does to the ledger: which roles appear, vanish, get another key
or say something else, with schedules in words, and the same of waivers and ignore
rules. Order, layout and comments are nothing.

REV..REV compares two revisions, REV...REV the second with where it left the
first, and REV alone the files of the checkout with it. The exit code is 0
whatever differs, or with --exit-code 1 if something does.`

var ledgerDiffFormats = []string{"text", "json", "markdown"}

func (a *app) ledgerDiffCommand() *cobra.Command {
	var outputs []string
	var exitCode bool
	cmd := &cobra.Command{
		Use: "diff REV[..REV]", Short: "what a change does to the ledger, for reviewers", Long: ledgerDiffAbout,
		Example: "  rolecall ledger diff origin/main...HEAD\n  rolecall ledger diff HEAD                 what is not committed yet\n  rolecall ledger diff v1.2..v1.3 -o markdown",
		Args: cobra.MatchAll(func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(errors.New("ledger diff takes one revision or two: rolecall ledger diff origin/main...HEAD"))
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := parseOutputs(outputs, ledgerDiffFormats, "text")
			if err != nil {
				return err
			}
			d, err := a.ledgerDiff(cmd, args[0])
			if err != nil {
				return notInterrupted(err)
			}
			if err := a.write(out, a.ledgerDiffWriter(d)); err != nil {
				return err
			}
			if exitCode && len(d.Changes) > 0 {
				return exitWith(exitFindings)
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: "+strings.Join(ledgerDiffFormats, ", ")+" (default text)")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 1 if something differs")
	return cmd
}

func (a *app) ledgerDiffWriter(d report.LedgerDiff) func(string, io.Writer) error {
	text := render.LedgerDiffText(render.TextOptions{Width: a.Width, Color: a.colour(), Verbose: a.flags.verbose, Quiet: a.flags.quiet})
	return func(format string, w io.Writer) error {
		switch format {
		case "json":
			return report.EncodeLedgerDiff(w, d)
		case "markdown":
			return render.LedgerDiffMarkdown(w, d)
		}
		return text(w, d)
	}
}

func (a *app) ledgerDiff(cmd *cobra.Command, revs string) (report.LedgerDiff, error) {
	ctx := cmd.Context()
	s, err := a.load(cmd)
	if err != nil {
		return report.LedgerDiff{}, err
	}
	repo, err := openRepository(ctx, filepath.Dir(s.Settings.Ledger))
	if err != nil {
		return report.LedgerDiff{}, err
	}
	from, to, err := a.revisions(ctx, repo, revs)
	if err != nil {
		return report.LedgerDiff{}, err
	}
	e := editions{app: a, repo: repo, cmd: cmd, head: s}
	before, err := e.edition(ctx, from)
	defer before.remove()
	if err != nil {
		return report.LedgerDiff{}, err
	}
	after, err := e.edition(ctx, to)
	defer after.remove()
	if err != nil {
		return report.LedgerDiff{}, err
	}
	if before.text == nil && after.text == nil {
		return report.LedgerDiff{}, fmt.Errorf("neither of both has a ledger where its config names one; name it with --ledger")
	}
	// A role that cannot be translated is compared as it is written.
	b, h, _, _ := a.sides(before, after)
	return report.LedgerDiff{
		Tool: report.Tool{Name: "rolecall", Version: version()},
		From: before.reported(), To: after.reported(), Changes: change.Edits(b, h, redact.Text),
	}.Tidy(), nil
}

// revision is one side of a comparison; without a commit it is the checkout.
type revision struct{ rev, commit string }

func (a *app) revisions(ctx context.Context, repo repository, revs string) (from, to revision, err error) {
	first, second, two := strings.Cut(revs, "..")
	fork := two && strings.HasPrefix(second, ".")
	second = strings.TrimPrefix(second, ".")
	if two && second == "" {
		second = "HEAD"
	}
	if two && first == "" {
		first = "HEAD"
	}
	from.rev, to.rev = first, second
	if from.commit, err = repo.commit(ctx, first); err != nil || !two {
		return from, to, err
	}
	if to.commit, err = repo.commit(ctx, second); err != nil || !fork {
		return from, to, err
	}
	base, err := repo.mergeBase(ctx, from.commit, to.commit)
	if err == nil && base == "" {
		err = fmt.Errorf("the clone holds no common ancestor of %s and %s; clone the whole history (fetch-depth: 0), or compare the two with %s..%s", first, second, first, second)
	}
	from.commit = base
	return from, to, err
}

// edition reads one side.
func (e editions) edition(ctx context.Context, r revision) (edition, error) {
	if r.commit != "" {
		return e.at(ctx, r.rev, r.commit)
	}
	l, _, err := LoadLedger(e.head.Settings.Ledger)
	if !hasFile(e.head.Settings.Ledger) {
		return edition{root: e.repo.top, config: e.head.Config, ledger: ledger.Ledger{}}, nil
	}
	if err != nil {
		return edition{}, err
	}
	return checkedOut(e.repo, e.head, l)
}

// reported is an edition as a comparison names it.
func (ed edition) reported() report.Edition {
	return report.Edition{Rev: ed.rev, Commit: ed.commit, Ledger: ed.reportLedger()}
}
