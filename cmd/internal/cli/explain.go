package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func (a *app) explainCommand() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use: "explain ROLE", Short: "one role: what is desired, what is there, why it is judged so, what to do next",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("explain takes the key of one role; see: rolecall explain --help"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.roles, f.explains = args, true
			return a.explain(cmd, f)
		},
	}
	f.target.bind(cmd)
	f.target.bindAge(cmd)
	f.target.bindWitness(cmd)
	return cmd
}

func (a *app) explain(cmd *cobra.Command, f auditFlags) error {
	plan, m, err := a.plan(cmd, f, nil)
	if err != nil {
		return err
	}
	plan.Settle = 0
	r, world, err := a.audited(cmd.Context(), plan, m)
	if err != nil {
		return err
	}
	desired, err := audit.Desire(plan.Ledger, plan.Sources)
	if err != nil {
		return err
	}
	return a.write([]output{{format: "text"}}, func(_ string, w io.Writer) error {
		return a.explainText(w, inquiry{r, world, desired, plan})
	})
}

// explainText is a page about one role: the ladder from what is desired to what
// was found, and what follows.
func (a *app) explainText(w io.Writer, q inquiry) error {
	p, r, world := page{w: w}, q.report, q.world
	for _, role := range r.Roles {
		want := q.desired[specs.Ref{Role: role.Role, Source: role.Source}].Spec
		p.line("%s in %s: %s", role.Role, role.Source, role.State)
		p.field("owner", role.Owner)
		p.field("purpose", role.Purpose)
		p.field("stated at", role.Location.String())
		p.line("")
		p.line("desired")
		p.field("schedule", role.Schedule)
		p.field("in words", wordsOf(want))
		p.field("state", wantedState(role))
		p.field("version", role.Version)
		p.field("hash", hashWords(role))
		if !role.Suspended {
			p.field("next due", nextWords(nextOf(want, a.now())))
		}
		p.line("")
		p.line("registered: %s", role.Stages.Registered)
		a.explainObjects(&p, role, world)
		explainIgnored(&p, role)
		q.stages(&p, role)
		p.line("")
		a.explainFindings(&p, role, r, readings(want, world))
		p.line("")
		q.failures(&p, role)
	}
	for _, c := range r.Coverage {
		if c.Gap() && slices.ContainsFunc(r.Roles, func(x report.Role) bool { return x.Source == c.Source }) {
			p.line("not read: %s %s: %s %s", c.Source, c.Part, c.State, c.Reason)
		}
	}
	return p.err
}

// dueWords is when an object is due next.
func dueWords(row render.Row) string {
	if row.State != "active" {
		return "not while it is inactive"
	}
	return nextWords(row.Next, row.Unzoned)
}

// nextWords are due instants in one line.
func nextWords(next []string, unzoned bool) string {
	at := render.Row{Next: next, Unzoned: unzoned}.Upcoming()
	if at != "" && unzoned {
		at += " (the zone is not known here; as if its clock showed UTC)"
	}
	return at
}

func wantedState(role report.Role) string {
	if role.Suspended {
		return "suspended"
	}
	return "active"
}

func hashWords(role report.Role) string {
	if role.Partial {
		return role.Hash + " (partial: the ledger states only some fields)"
	}
	return role.Hash
}

func (a *app) explainObjects(p *page, role report.Role, world providers.World) {
	for _, o := range world.Observations {
		for _, obj := range o.Objects {
			if !slices.Contains(role.Objects, obj.ID) {
				continue
			}
			row := rowOf(&obj, newDues(a.now()))
			p.line("  %s", row.Object)
			p.field("  at", row.Location)
			p.field("  state", strings.TrimSpace(row.State+" "+row.Reason))
			for _, why := range obj.Inactive() {
				p.field("  because", redact.Text(why.Detail))
			}
			p.field("  schedule", row.Schedule)
			p.field("  in words", row.Words)
			p.field("  zone", row.Zone)
			p.field("  next due", dueWords(row))
			p.field("  runs", row.Command)
			if !role.Partial { // the whole object's could only differ from that of some fields
				p.field("  hash", row.Hash)
			}
		}
	}
}

// readings are the schedules of a role and of each object in words, by the
// object's id.
func readings(want specs.Spec, world providers.World) func(object string) string {
	return func(object string) string {
		for _, o := range world.Observations {
			for _, obj := range o.Objects {
				if obj.ID == object && !obj.Opaque {
					return wordsOf(want) + " → " + wordsOf(obj.Spec)
				}
			}
		}
		return ""
	}
}

// explainIgnored shows what differs and does not count, so that nothing hides.
func explainIgnored(p *page, role report.Role) {
	if len(role.Ignored) == 0 {
		return
	}
	p.line("")
	p.line("ignored")
	for _, f := range role.Ignored {
		p.field(f.Path, f.Desired+" → "+f.Observed)
		p.field("  by", f.Rule+", "+f.Location.String())
		p.field("  because", f.Reason)
	}
}

func (a *app) explainFindings(p *page, role report.Role, r report.Report, inWords func(object string) string) {
	any := false
	for _, f := range r.Findings {
		if f.Role != role.Role || f.Source != role.Source {
			continue
		}
		any = true
		entry := f.Kind.Entry()
		p.line("%s: %s", f.Kind, entry.Meaning)
		p.field("here", f.Message)
		for _, d := range f.Fields {
			p.field(d.Path, d.Desired+" → "+d.Observed)
			if d.Path == "schedule" {
				p.field("in words", inWords(d.Object))
			}
		}
		if f.ChangedBy != nil {
			p.field("changed", fmt.Sprintf("by %s at %s (%s)", f.ChangedBy.Who, f.ChangedBy.When.Format("2006-01-02 15:04:05Z"), f.ChangedBy.Evidence))
		}
		for _, h := range f.Hints {
			p.field("hint", h)
		}
		if f.Waiver != nil {
			p.field("waiver", f.Waiver.Reason+", until "+f.Waiver.Until)
		}
		p.field("next", f.NextStep)
	}
	switch {
	case role.State == report.OutOfScope:
		p.line("its source was not looked at in this run")
	case !any && role.Suspended:
		p.line("nothing differs: the ledger wants the role suspended, and its one object is not active")
	case !any && slices.ContainsFunc(role.Ignored, func(f report.Ignored) bool { return !f.Cosmetic }):
		p.line("nothing differs that counts: exactly one active object, version as desired")
	case !any:
		p.line("nothing differs: exactly one active object, hash and version as desired")
	}
}

// page writes lines of escaped text and keeps the first error.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, render.Line(fmt.Sprintf(format, args...)))
	}
}

func (p *page) field(name, value string) {
	if value != "" {
		p.line("  %-10s %s", name, value)
	}
}
