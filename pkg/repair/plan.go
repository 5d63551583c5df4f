// Package repair plans what may be created and carries a plan out. Of all that an
// audit finds only a missing role is ever repaired, and only one that is surely
// the ledger's and surely missing; nothing is deleted, overwritten, switched off
// or switched on. For all else a plan has a worked next step.
//
//	a finding missing, and of these             the row
//	waiver in force, one look only, a part not
//	read, another source not read in which it
//	may stand, a source that lists nothing, may
//	have moved, suspended, paused, not reviewed,
//	no repair: {missing: create}, no owner, no
//	template, a template that would not run, the
//	same job there without a marker, its place
//	is taken                                    refuse, each with its reason
//	a source that rolecall does not write to    by-hand, with the commands
//	none of these                               create
//	any other finding                           refuse, with a worked next step
package repair

import (
	"context"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Schema names the form of an encoded Plan.
const Schema = "rolecall.plan/v1"

// Plan is what would be done about each finding of one audit, and after it was
// carried out what became of it. Encoded, every key is present, no list is null
// and times are UTC. It holds no text of what would be written, only its hash.
type Plan struct {
	Schema           string        `json:"schema"`
	Tool             report.Tool   `json:"tool"`
	MadeAt           time.Time     `json:"made_at"`
	Canonicalisation string        `json:"canonicalisation"`
	Ledger           report.Ledger `json:"ledger"`
	Rows             []Row         `json:"rows"`
	Refs             []Renewal     `json:"refs"`
}

// Action is what would be done about a finding.
type Action string

// The actions.
const (
	Create Action = "create"
	ByHand Action = "by-hand" // rolecall gives the commands and writes nothing
	Refuse Action = "refuse"
)

// Row is one finding and what would be done about it.
type Row struct {
	Finding  string      `json:"finding"`
	Kind     report.Kind `json:"kind"`
	Role     string      `json:"role"`
	Source   string      `json:"source"`
	Owner    string      `json:"owner"`
	Action   Action      `json:"action"`
	Objects  []string    `json:"objects"`  // that the finding is about
	Part     string      `json:"part"`     // in which the object would be
	Place    string      `json:"place"`    // the id that it would have
	Template string      `json:"template"` // the file that states it
	Before   string      `json:"before"`   // hash of what it would be added to; empty if there is nothing
	After    string      `json:"after"`    // hash of what would be there
	Announce []string    `json:"announce"` // to be known before it is made
	Commands []string    `json:"commands"` // by which a person proposes it
	Reasons  []Reason    `json:"reasons"`  // why it is not created; empty for create
	Next     []string    `json:"next_steps"`
	Location specs.Pos   `json:"location"`
	Outcome  *Outcome    `json:"outcome"` // null before it was carried out

	proposal providers.Proposal
}

// Text is what would be written; empty in a row of a saved plan.
func (r Row) Text() []byte { return r.proposal.Text }

// Ref is the expectation that the row is about.
func (r Row) Ref() specs.Ref { return specs.Ref{Role: r.Role, Source: r.Source} }

// Reason is why something is not created, and what would change that.
type Reason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next_step"`
}

// Input is all that a plan is made from.
type Input struct {
	Report  report.Report
	World   providers.World
	Ledger  ledger.Ledger
	Desired map[specs.Ref]specs.Desired
	// Repairers are those of the sources that were looked at live, by name; a source
	// that has none is not among them.
	Repairers map[string]providers.Repairer
	// Skipped are the sources of the config that were not looked at.
	Skipped []Skipped
	// Same says that an object does what a role wants, and Claimed that some role of
	// the ledger claims an object that carries no marker.
	Same    func(specs.Desired, providers.Object) bool
	Claimed func(providers.Object) bool
	Now     time.Time
	// Mask hides secrets in a text that will be shown.
	Mask func(string) string
}

// Skipped is a source that was not looked at.
type Skipped struct {
	Source string
	Reason string
	// Chosen says that it could have been, and was left out of this run.
	Chosen bool
}

// Make plans. It writes nothing anywhere; repairers read what they would add to.
func Make(ctx context.Context, in Input) Plan {
	p := Plan{
		Schema: Schema, Tool: in.Report.Tool, MadeAt: in.Now.UTC(), Canonicalisation: in.Report.Canonicalisation,
		Ledger: in.Report.Ledger, Rows: []Row{}, Refs: in.renewals(),
	}
	taken := map[string]string{}
	for _, f := range in.Report.Findings {
		row := in.row(ctx, f)
		if other := taken[row.Place]; row.Action == Create && other != "" {
			row.refuse(Reason{"place-taken", "role " + other + " would be created at the same place, " + row.Place, "give the templates of the two roles names of their own"})
		} else if row.Action == Create {
			taken[row.Place] = row.Role
		}
		p.Rows = append(p.Rows, in.masked(row))
	}
	return p
}

// Count is how many rows have an action.
func (p Plan) Count(a Action) int {
	n := 0
	for _, r := range p.Rows {
		if r.Action == a {
			n++
		}
	}
	return n
}

func (r *Row) refuse(why ...Reason) {
	r.Action = Refuse
	r.Reasons = append(r.Reasons, why...)
}

func (in Input) row(ctx context.Context, f report.Finding) Row {
	role, _ := in.role(f.Role)
	row := Row{
		Finding: f.ID, Kind: f.Kind, Role: f.Role, Source: f.Source, Owner: f.Owner, Action: Refuse, Location: f.Location,
		Objects: f.Objects, Announce: []string{}, Commands: []string{}, Reasons: []Reason{}, Next: []string{},
	}
	if t := role.Statement.Template; t != nil {
		row.Template = t.Name
	}
	if f.Kind != report.Missing {
		row.refuse(in.neverRepaired(f))
		row.Next = in.nextSteps(f)
		return row
	}
	if why := in.reasons(role, f); len(why) > 0 {
		row.refuse(why...)
		return row
	}
	in.propose(ctx, role, &row)
	return row
}

// propose asks the source's repairer for what would be created.
func (in Input) propose(ctx context.Context, role specs.Role, row *Row) {
	proposal, why := in.proposed(ctx, role, row.Ref())
	row.proposal = proposal
	row.Part, row.Place, row.Before, row.After = proposal.Part, proposal.Place, proposal.Before, proposal.After
	if len(why) > 0 {
		row.refuse(why...)
		return
	}
	row.Announce = append(row.Announce, in.skipped(role)...)
	if len(proposal.Manual) > 0 {
		row.Action, row.Commands = ByHand, proposal.Manual
		row.Reasons = append(row.Reasons, Reason{"by-hand", "rolecall writes nothing there itself; what is to be proposed is ready", "run the commands, and have what they propose reviewed and merged"})
		return
	}
	row.Action = Create
	row.Announce = append(row.Announce, proposal.Announce...)
	if in.kind(row.Source) != "crontab" { // whose repairer knows the host's clock
		row.Announce = append(row.Announce, due(in.Desired[row.Ref()].Spec, in.Now)...)
	}
}

// proposed is what a source's repairer would create, and what speaks against it
// as it is.
func (in Input) proposed(ctx context.Context, role specs.Role, ref specs.Ref) (providers.Proposal, []Reason) {
	p, err := in.Repairers[ref.Source].Propose(ctx, role, in.Desired[ref])
	if err != nil {
		return providers.Proposal{}, []Reason{{"not-proposable", err.Error(), ""}}
	}
	return p, append(in.ofPlace(role, ref, p), in.ofTemplate(role, ref, p)...)
}

func marked(o providers.Object) string {
	if o.Marker().Role == "" {
		return ""
	}
	return " (its marker says " + o.Marker().Role + ")"
}

func (in Input) role(key string) (specs.Role, bool) {
	for _, r := range in.Ledger.Roles {
		if r.Key == key {
			return r, true
		}
	}
	return specs.Role{}, false
}

// object is one of the world by its id.
func (in Input) object(id string) (providers.Object, bool) {
	for _, o := range in.World.Observations {
		for _, x := range o.Objects {
			if x.ID == id {
				return x, true
			}
		}
	}
	return providers.Object{}, false
}

// masked hides secrets in all that a row says. Ids and hashes are kept.
func (in Input) masked(r Row) Row {
	hide := func(list []string) []string {
		out := []string{}
		for _, s := range list {
			out = append(out, in.Mask(s))
		}
		return out
	}
	r.Next, r.Announce, r.Commands = hide(r.Next), hide(r.Announce), hide(r.Commands)
	for i := range r.Reasons {
		r.Reasons[i].Message, r.Reasons[i].Next = in.Mask(r.Reasons[i].Message), in.Mask(r.Reasons[i].Next)
	}
	if r.Objects == nil {
		r.Objects = []string{}
	}
	return r
}
