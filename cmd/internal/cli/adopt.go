package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/draft"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const adoptAbout = `Adds one role to the ledger for an object that plays none: stated as ledger init
would state it, with review: pending until a person has read it. Comments and
layout of the file stay as they are, and the change is shown; nothing that is
there is overwritten.

OBJECT is the id that rolecall list -o wide and an audit print, or that of the finding
(unexpected:…). An object with a role marker is adopted as the role that it names;
any other takes its name from --role, and is found by a match from then on.`

const adoptExamples = `  rolecall ledger adopt unexpected:kubernetes:prod/batch/reindex --role reindex --owner search
  rolecall ledger adopt --offline github:actions/acme/shop/.github/workflows/nightly.yml --role nightly-build`

type adoptFlags struct {
	target      targetFlags
	role, owner string
	dryRun      bool
}

func (a *app) ledgerAdoptCommand() *cobra.Command {
	var f adoptFlags
	cmd := &cobra.Command{
		Use: "adopt OBJECT [--role NAME]", Short: "add a role for an object that the sources hold",
		Long: adoptAbout, Example: adoptExamples,
		Args:              oneArg("the id of an object, as rolecall list -o wide prints it"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.ledgerAdopt(cmd, args[0], f) },
	}
	f.target.bind(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.role, "role", "", "the key of the role; needed where the object carries no marker")
	fs.StringVar(&f.owner, "owner", "", "who answers for the role")
	fs.BoolVar(&f.dryRun, "dry-run", false, "show the change and write nothing")
	return cmd
}

func (a *app) ledgerAdopt(cmd *cobra.Command, id string, f adoptFlags) error {
	id = strings.TrimPrefix(id, "unexpected:")
	if f.role != "" && !specs.ValidRoleKey(f.role) {
		return usage(fmt.Errorf("--role %q is no key of a role; a key is 1 to 63 letters, digits, dots, underscores and hyphens", f.role))
	}
	b, err := a.begin(cmd, f.target, nil)
	if err != nil {
		return err
	}
	if err := a.adoptInto(cmd.Context(), b, f, true, func(*openLedger, ledger.Ledger) error { return nil }); err != nil {
		return err
	}
	if b.world, err = a.lookWithLiterals(cmd.Context(), b); err != nil {
		return err
	}
	return a.adoptInto(cmd.Context(), b, f, f.dryRun, func(file *openLedger, l ledger.Ledger) error {
		return a.adoptObject(b, l, file, id, f)
	})
}

// adoptInto opens the ledger, in which the key must be free. While sources are
// looked at, which may take long, it is not open.
func (a *app) adoptInto(ctx context.Context, b beginning, f adoptFlags, look bool, do func(*openLedger, ledger.Ledger) error) error {
	file, err := openForEdit(ctx, b.Settings.Ledger, look)
	if err != nil {
		return err
	}
	defer file.close()
	l, _, err := ledger.Parse(file.name, file.data, file.read)
	if err != nil {
		return usage(err)
	}
	if err := freeKey(l, f.role, b.scope.names()); err != nil {
		return usage(err)
	}
	return do(file, l)
}

func (a *app) adoptObject(b beginning, l ledger.Ledger, file *openLedger, id string, f adoptFlags) error {
	o, err := a.adoptable(b, l, id)
	if err != nil {
		return err
	}
	return a.adopt(b, l, file, o, f)
}

// adopt writes the role of an object that plays none yet.
func (a *app) adopt(b beginning, l ledger.Ledger, file *openLedger, o providers.Object, f adoptFlags) error {
	in := b.draftInput()
	in.InUse = file.holds
	got, err := draft.Adopt(in, o.ID, f.role, f.owner)
	if errors.Is(err, draft.ErrNameless) {
		err = fmt.Errorf("%w; name it: --role %s", err, draft.Suggest(in, o.ID, hasKey(l)))
	}
	if err != nil {
		return usage(err)
	}
	if err := freeKey(l, got.Key, b.scope.names()); err != nil {
		return usage(err)
	}
	out, err := ledger.AddRole(file.name, file.data, withFiles(got.Templates, file.read), got.Key, got.Text)
	if err != nil {
		return usage(err)
	}
	j, err := a.rejudge(b, out, got.Templates, file.read)
	if err != nil {
		return usage(fmt.Errorf("with the role the ledger would not be sound, and it is left as it is: %w", err))
	}
	for _, w := range got.Warnings {
		fmt.Fprintf(a.Err, "rolecall: %s\n", escapeLine(w))
	}
	e := edit{ledger: file.name, before: file.data, after: out, dryRun: f.dryRun, said: adopted(got, j)}
	for _, t := range got.Templates {
		e.added = append(e.added, target{path: filepath.Join(filepath.Dir(file.name), filepath.FromSlash(t.Name)), data: t.Data})
	}
	return a.putEdit(e)
}

// adopted says what was added and what an audit makes of it.
func adopted(got draft.Adoption, j classify.Judgement) string {
	text := fmt.Sprintf("role %s was added", got.Key)
	if got.Pinned {
		text += ", by its hash only"
	}
	j.Findings = slices.Clone(j.Findings)
	own := j.Findings[:0]
	for _, f := range j.Findings {
		if f.Role == got.Key {
			own = append(own, f)
		}
	}
	j.Findings = own
	return text + "; an audit finds of it: " + kindCounts(j) + ". Read it, and remove its line review: pending"
}

// holds says that a file of the ledger's folder is there, whatever it is.
func (o *openLedger) holds(rel string) bool {
	_, err := o.root.Lstat(filepath.FromSlash(rel))
	return !errors.Is(err, fs.ErrNotExist)
}

func hasKey(l ledger.Ledger) func(string) bool {
	return func(key string) bool {
		return slices.ContainsFunc(l.Roles, func(r specs.Role) bool {
			return r.Key == key || slices.Contains(r.PreviousRoles, key)
		})
	}
}

// freeKey refuses the key of a role that is there.
func freeKey(l ledger.Ledger, key string, sources []string) error {
	taken := hasKey(l)
	if key == "" || !taken(key) {
		return nil
	}
	next := draft.Free(key, taken)
	for _, r := range l.Roles {
		if r.Key == key {
			return fmt.Errorf("%s: the ledger has a role %s, in %s; take another name, like %s, or if it is to run elsewhere too name each source in its sources: [%s, …]", r.Pos, key, strings.Join(r.Sources, ", "), next, strings.Join(r.Sources, ", "))
		}
	}
	return fmt.Errorf("%s is the previous name of a role of the ledger; take another, like %s", key, next)
}

// adoptable is the object with an id, which no role of the ledger has.
func (a *app) adoptable(b beginning, l ledger.Ledger, id string) (providers.Object, error) {
	var ids []string
	for _, seen := range b.world.Observations {
		for _, o := range seen.Objects {
			if ids = append(ids, o.ID); o.ID != id {
				continue
			}
			if r, ok := playedBy(l, o); ok {
				return o, usage(fmt.Errorf("%s plays the role %s of the ledger already (%s)%s", redact.Text(id), r.Key, r.Pos, namedIn(r, o)))
			}
			return o, nil
		}
	}
	return providers.Object{}, a.notFound(b, id, ids)
}

// playedBy is the ledger's role that an object plays, as an audit decides it.
func playedBy(l ledger.Ledger, o providers.Object) (specs.Role, bool) {
	for _, r := range l.Roles {
		here := slices.Contains(r.Sources, o.Source())
		switch {
		case o.Marker().Role == r.Key, o.Marker().Role != "" && slices.Contains(r.PreviousRoles, o.Marker().Role):
			return r, true
		case here && !o.Marker().Present() && !r.Match.IsZero() && classify.Fits(r.Match, o):
			return r, true
		}
	}
	return specs.Role{}, false
}

// namedIn helps with a marker that stands in a source that its role does not name.
func namedIn(r specs.Role, o providers.Object) string {
	if slices.Contains(r.Sources, o.Source()) {
		return ""
	}
	return fmt.Sprintf("; if it is to run in %s too, name both in its sources: [%s, %s]", o.Source(), strings.Join(r.Sources, ", "), o.Source())
}

// notFound suggests the nearest id, and says what was not read.
func (a *app) notFound(b beginning, id string, ids []string) error {
	n := 0
	for _, o := range b.world.Observations {
		if strings.HasPrefix(id, o.Provider+":") && !strings.HasPrefix(id, o.Provider+":"+o.Source+"/") {
			continue // the object of another source
		}
		for _, gap := range o.Gaps() {
			n++
			fmt.Fprintf(a.Err, "rolecall: %s: %s: %s: %s\n", escapeLine(o.Source), escapeLine(gap.Part), gap.State, escapeLine(redact.Text(gap.Reason)))
		}
	}
	text := fmt.Sprintf("no source holds the object %s", redact.Text(id))
	if near := nearestID(id, ids); near != "" {
		text += "; did you mean " + redact.Text(near) + "?"
	} else {
		text += "; see the ids with: rolecall list -o wide"
	}
	if n > 0 {
		return fault{exitIncomplete, fmt.Errorf("%s (%s could not be read)", text, plural(n, "part"))}
	}
	return usage(errors.New(text))
}

// nearestID is the one id that holds what was typed, or the one of the same
// place (a crontab entry that was edited has another number), or the nearest.
func nearestID(typed string, ids []string) string {
	place, _, _ := strings.Cut(typed, "#")
	for _, part := range []string{typed, place + "#"} {
		var fit []string
		for _, id := range ids {
			if len(part) > 2 && strings.Contains(id, part) && !slices.Contains(fit, id) {
				fit = append(fit, id)
			}
		}
		if len(fit) == 1 {
			return fit[0]
		}
	}
	return strict.Nearest(typed, ids)
}
