package change

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Base is the state before a change.
type Base struct {
	Against report.Against // without the changes
	Unread  string         // why the ledger or config there could not be read; empty if they could
	Side    Side
	Report  report.Report // the audit there, by the config there
	World   providers.World
	// Wide is what the base holds where the config after the change looks.
	Wide providers.World
	// Where is a place of the base as people find it in the checkout.
	Where func(specs.Pos) specs.Pos
	// Line is where a line of a file of the base is now; false if the file is gone.
	// The file is named as in the worlds of the base.
	Line func(at specs.Pos) (specs.Pos, bool)
}

// Input is all that a gate's judgement depends on.
type Input struct {
	Report report.Report // the audit after the change
	World  providers.World
	Side   Side
	Base   Base
	// Unseen are gaps in what was looked at after the change that the change made.
	Unseen []report.Coverage
	// Config is what the change does to the config.
	Config []report.Edit
	Gate   report.Gate
	Roles  []string // the keys to report on; empty means all
	Now    time.Time
	Mask   func(string) string
}

// Judge is the audit of a changed state with what the change has to do with it:
// its own findings, how the base stands to each of the others, and what the change
// does to the ledger.
func Judge(in Input) report.Report {
	g := gate{Input: in, out: in.Report}
	g.out.Findings = slices.Clone(in.Report.Findings)
	g.out.Coverage = slices.Clone(in.Report.Coverage)
	g.out.Coverage = append(g.out.Coverage, in.Unseen...)
	against := in.Base.Against
	against.OnlyNew = in.Gate.OnlyNew
	if in.Base.Unread == "" {
		g.index()
		for i := range g.out.Findings {
			f := &g.out.Findings[i]
			f.AtBase = g.atBase(*f)
			g.cause(f)
		}
		own := Findings(in.Base.Side, in.Side, g.name(), in.Mask)
		g.out.Findings = append(g.out.Findings, g.waived(own)...)
		g.hidden()
		against.Changes = append(g.chosenEdits(Edits(in.Base.Side, in.Side, in.Mask)), in.Config...)
	} else {
		for i := range g.out.Findings {
			g.out.Findings[i].AtBase = report.AtBaseUnknown
		}
		g.out.Coverage = append(g.out.Coverage, report.Coverage{Provider: "git", Part: "base", State: string(providers.Failed), Reason: in.Base.Unread})
	}
	g.out.Gate = &against
	g.verdict()
	return g.out.Tidy()
}

type gate struct {
	Input
	out     report.Report
	found   map[string]report.Finding // of the base, by the ids that they have now
	now     map[string]providers.Object
	before  map[string]providers.Object
	partner map[specs.Ref]specs.Ref // what an expectation was before
	roles   map[string]bool         // the keys that the base has
	gaps    map[string]bool         // the sources of which not all was read at the base
}

// name is the base for people.
func (g *gate) name() string {
	a := g.Base.Against
	if strings.HasPrefix(a.Base, a.Rev) {
		return a.Base[:min(len(a.Base), 12)]
	}
	return a.Rev + " (" + a.Base[:min(len(a.Base), 12)] + ")"
}

func (g *gate) index() {
	g.partner = Partners(g.Base.Side.Ledger, g.Side.Ledger)
	g.roles = map[string]bool{}
	for _, r := range g.Base.Side.Ledger.Roles {
		g.roles[r.Key] = true
	}
	g.found = map[string]report.Finding{}
	for _, f := range g.Base.Report.Findings {
		g.found[f.ID] = f
	}
	g.now, g.before = objects(g.World), objects(g.Base.Wide, g.Base.World)
	g.gaps = map[string]bool{}
	for _, c := range g.Base.Report.Coverage {
		// what git does not have, there was not
		if c.Gap() && c.State != string(providers.Missing) {
			g.gaps[c.Source] = true
		}
	}
}

func objects(worlds ...providers.World) map[string]providers.Object {
	out := map[string]providers.Object{}
	for _, w := range worlds {
		for _, obs := range w.Observations {
			for _, o := range obs.Objects {
				out[o.ID] = o
			}
		}
	}
	return out
}

// atBase says how the base stands to a finding.
func (g *gate) atBase(f report.Finding) string {
	id := f.ID
	if f.Kind != report.Unexpected {
		if was := g.partner[specs.Ref{Role: f.Role, Source: f.Source}]; was != (specs.Ref{}) {
			id = string(f.Kind) + ":" + was.String()
		}
	}
	was, ok := g.found[id]
	switch {
	case ok && g.same(was, f):
		return report.AtBasePresent
	case ok:
		return report.AtBaseDifferent
	case f.Kind == report.Unexpected && !g.roles[f.Role] && g.unchanged(f.Objects):
		return report.AtBasePresent // only that one looks there is new
	case g.gaps[f.Source]:
		return report.AtBaseUnknown
	}
	return report.AtBaseAbsent
}

// same says that two findings are one in all that can be compared, also in what
// their messages may hide.
func (g *gate) same(was, f report.Finding) bool {
	return was.Reason == f.Reason && slices.Equal(was.Objects, f.Objects) && slices.Equal(was.Fields, f.Fields) &&
		was.Waived() == f.Waived() && g.unchanged(f.Objects)
}

// unchanged says that objects are at the base as they are now.
func (g *gate) unchanged(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool {
		a, was := g.before[id]
		b, is := g.now[id]
		return !was || !is || a.Spec.Hash() != b.Spec.Hash() || a.Marker().Role != b.Marker().Role || a.Marker().Version != b.Marker().Version || len(a.Inactive()) != len(b.Inactive())
	})
}

// cause says of a missing role that the change took its schedule away, with the
// place where that stood: the line in what is left of the file, or the role's in
// the ledger if the file is gone.
func (g *gate) cause(f *report.Finding) {
	if f.Kind != report.Missing || f.AtBase == report.AtBasePresent {
		return
	}
	ref := g.partner[specs.Ref{Role: f.Role, Source: f.Source}]
	i := slices.IndexFunc(g.Base.Report.Roles, func(r report.Role) bool { return r.Role == ref.Role && r.Source == ref.Source })
	if ref == (specs.Ref{}) || i < 0 {
		return
	}
	var gone []providers.Object
	for _, id := range g.Base.Report.Roles[i].Objects {
		gone = append(gone, g.before[id])
	}
	if len(gone) == 0 || gone[0].ID == "" {
		return
	}
	o := gone[0]
	if left, ok := g.still(o); ok {
		f.Reason = "unassigned-by-change"
		f.Message = "this change takes the role from its only object: " + o.ID + ", now at " + line(left.Pos) + ", played it in " + g.name() + " and does no more"
		f.NextStep = "give the object the role's marker again, or correct the role's match"
		f.ObservedAt = left.Pos
		return
	}
	f.Reason = "removed-by-change"
	what := "the only schedule"
	if len(gone) > 1 {
		what = "all schedules"
	}
	was := g.Base.Where(o.Pos)
	f.Message = "this change removes " + what + " of role " + f.Role + ": " + o.ID + ", which stood at " + line(was) + " in " + g.name()
	f.NextStep = "put it back, or ask the role's owner and take the role out of the ledger in the same change"
	if at, ok := g.Base.Line(o.Pos); ok {
		f.Hints = append(f.Hints, "the ledger states the role at "+f.Location.String())
		f.Location, f.ObservedAt = at, at
	}
}

// still is an object of the base as it is now: by its id, or, since that may hold
// its marker, as one of the same source that does just the same.
func (g *gate) still(o providers.Object) (providers.Object, bool) {
	if now, ok := g.now[o.ID]; ok || o.Opaque {
		return now, ok
	}
	for _, id := range slices.Sorted(maps.Keys(g.now)) {
		now := g.now[id]
		_, before := g.before[id]
		if now.Source() == o.Source() && !now.Opaque && !before && now.Spec.Hash() == o.Spec.Hash() {
			return now, true
		}
	}
	return providers.Object{}, false
}

// waived takes the change's own findings out of account where the ledger says so.
func (g *gate) waived(findings []report.Finding) []report.Finding {
	for i := range findings {
		f := &findings[i]
		at := slices.IndexFunc(g.Side.Ledger.Waivers, func(w ledger.Waiver) bool { return w.Finding == f.ID })
		if at < 0 {
			continue
		}
		w := g.Side.Ledger.Waivers[at]
		f.Waiver = &report.Waiver{Reason: w.Reason, Owner: w.Owner, Until: w.UntilText, Ended: !g.Now.Before(w.Until), Pos: w.Pos}
		if f.Waiver.Ended {
			f.Hints = append(f.Hints, "its waiver ended: "+w.UntilText)
		}
	}
	return slices.DeleteFunc(findings, func(f report.Finding) bool { return !g.chosen(f.Role) })
}

func (g *gate) chosen(role string) bool { return len(g.Roles) == 0 || slices.Contains(g.Roles, role) }

func (g *gate) chosenEdits(edits []report.Edit) []report.Edit {
	return slices.DeleteFunc(edits, func(e report.Edit) bool { return e.Of == "role" && !g.chosen(e.Name) })
}

// hidden makes a gap of each source that was looked at before and has nothing to
// look at since the change: what it holds would go unseen.
func (g *gate) hidden() {
	seen := map[string]bool{}
	for _, c := range g.Base.Report.Coverage {
		seen[c.Source] = seen[c.Source] || c.State != string(report.OutOfScope)
	}
	for i := range g.out.Coverage {
		c := &g.out.Coverage[i]
		if c.State == string(report.OutOfScope) && seen[c.Source] {
			c.State = string(providers.Missing)
			c.Reason = "the change takes the source out of sight: " + c.Reason + ", and in " + g.name() + " it was looked at; give it back, or let it pass with --allow-partial"
		} else if roles := g.moved(c.Source); c.State == string(report.OutOfScope) && len(roles) > 0 {
			c.State = string(providers.Missing)
			c.Reason = "the change moves what was looked at in " + g.name() + " to this source, where it is not: " + strings.Join(roles, ", ") + "; " + c.Reason + "; give the source an offline side, or let it pass with --allow-partial"
		}
	}
}

// moved are the roles that a source has now and that were looked for elsewhere
// before.
func (g *gate) moved(source string) []string {
	var out []string
	for after, before := range g.partner {
		i := slices.IndexFunc(g.Base.Report.Roles, func(r report.Role) bool { return r.Role == before.Role && r.Source == before.Source })
		if after.Source == source && before.Source != source && g.chosen(after.Role) && i >= 0 && g.Base.Report.Roles[i].State != report.OutOfScope {
			out = append(out, "role "+after.Role)
		}
	}
	slices.Sort(out)
	return out
}

// verdict judges again, by the one function that does.
func (g *gate) verdict() {
	r, in := &g.out, g.Gate
	in.OfChange = true
	r.FailOn = in.FailOn()
	r.Verdict, r.ExitCode = in.Judge(r.Findings, r.Coverage)
	s := &r.Summary
	s.Waived, s.Version, s.Removed, s.Gaps = 0, 0, 0, 0
	for _, f := range r.Findings {
		switch {
		case f.Kind == report.Version:
			s.Version++
		case f.Kind == report.Removed:
			s.Removed++
		}
		if f.Waived() {
			s.Waived++
		}
	}
	for _, c := range r.Coverage {
		if c.Gap() {
			s.Gaps++
		}
	}
	r.Complete = cmp.Or(s.Gaps, s.Unknown) == 0
}
