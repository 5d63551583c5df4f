package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Result is what became of a row that was to be created.
type Result string

// The results. Only Done and Existed are repairs.
const (
	Done       Result = "created"     // it was created, and a look and the judge say that the role is as the ledger states it
	Existed    Result = "existed"     // it was there by then, as the ledger states it; nothing was written
	Moved      Result = "moved"       // what the plan was made from has changed; nothing was written
	Refused    Result = "refused"     // it was not taken; nothing was written
	Unverified Result = "unverified"  // it was created, and is not as the ledger states it
	Unseen     Result = "unseen"      // it was created, and was not seen within the wait
	Unknown    Result = "unknown"     // the answer was lost, and the object was not seen within the wait
	NotReached Result = "not-reached" // the run was interrupted before
)

// Outcome is what became of one row.
type Outcome struct {
	Result  Result `json:"result"`
	Message string `json:"message"`
	ID      string `json:"id"`
	UID     string `json:"uid"`
	Backup  string `json:"backup"`
	// Remembered says that the ledger's ref of the role was brought up to date.
	Remembered bool `json:"remembered"`
}

// Created says that something was made that was not there before.
func (o *Outcome) Created() bool {
	return o != nil && (o.Result == Done || o.Result == Unverified || o.Result == Unseen)
}

// Repaired says that the role is there as the ledger states it.
func (o *Outcome) Repaired() bool { return o != nil && (o.Result == Done || o.Result == Existed) }

// Entry is one line of the log of writes: one before each, one after.
type Entry struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`
	Phase   string    `json:"phase"` // begin or end
	Role    string    `json:"role"`
	Source  string    `json:"source"`
	Place   string    `json:"place"`
	Before  string    `json:"before"`
	After   string    `json:"after"`
	Ledger  string    `json:"ledger_sha256"`
	Result  string    `json:"result"` // of the request, at its end: written, existed, refused, moved, lost
	UID     string    `json:"uid"`
	Backup  string    `json:"backup"`
	Message string    `json:"message"`
}

// Hands are what a plan is carried out with.
type Hands struct {
	// Look looks again at parts of sources and judges all that is known then: the
	// same look and judge as the audit's. No parts: it only judges.
	Look func(ctx context.Context, parts map[string][]string) (report.Report, providers.World, error)
	// Unchanged says why the ledger is not as it was read; nil if it is.
	Unchanged func() error
	// Remember writes into the ledger what was seen of a role.
	Remember func(ctx context.Context, role string, seen specs.Remembered) error
	// Log keeps an entry for good before it returns. Without that nothing is written.
	Log func(Entry) error
	// Pause waits, or gives the context's error.
	Pause func(ctx context.Context, d time.Duration) error
	Clock func() time.Time
	Who   string
	// Wait bounds how long a creation may take to be visible.
	Wait time.Duration
}

// writing bounds one creation with all of its looks, beside Hands.Wait.
const writing = 5 * time.Minute

// Apply carries a plan out, row by row: look again at the part, propose again,
// create, look until it is there, judge, remember. A context that ends lets the
// row that is being written come to its end. What it gives back are the plan with
// its outcomes, and the report on what was seen last.
func Apply(ctx context.Context, p Plan, in Input, h Hands) (Plan, report.Report, error) {
	a := &application{Input: in, Hands: h, plan: p, touched: map[string]bool{}}
	p.Rows = slices.Clone(p.Rows)
	for i := range p.Rows {
		row := &p.Rows[i]
		if row.Action != Create {
			continue
		}
		if ctx.Err() != nil {
			row.Outcome = &Outcome{Result: NotReached, Message: "interrupted before it was begun; nothing was written"}
			continue
		}
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.Wait+writing)
		out := a.row(own, row)
		cancel()
		out.Message = in.Mask(out.Message)
		row.Outcome = &out
	}
	r, _, err := h.Look(context.WithoutCancel(ctx), nil)
	if ctx.Err() == nil {
		p.Refs = a.renew(ctx, p.Refs)
	}
	return p, r, err
}

type application struct {
	Input
	Hands
	plan    Plan
	touched map[string]bool // parts that this run has written to
}

func (a *application) row(ctx context.Context, row *Row) Outcome {
	if err := a.Unchanged(); err != nil {
		return Outcome{Result: Moved, Message: err.Error()}
	}
	now, out := a.again(ctx, row)
	if out != nil {
		return *out
	}
	if now.Before != row.Before && !a.touched[row.Source+"\x00"+row.Part] || now.Place != row.Place || now.Part != row.Part {
		return Outcome{Result: Moved, Message: "what is there is not what the plan was made from; nothing was written; make the plan anew"}
	}
	if !a.touched[row.Source+"\x00"+row.Part] && now.After != row.After {
		return Outcome{Result: Moved, Message: "what would be written is not what the plan says; nothing was written; make the plan anew"}
	}
	return a.create(ctx, row, now)
}

// again looks at the row's part once more, and makes the proposal anew if the role
// may still be created there.
func (a *application) again(ctx context.Context, row *Row) (providers.Proposal, *Outcome) {
	r, world, err := a.Look(ctx, map[string][]string{row.Source: {row.Part}})
	if err != nil {
		return providers.Proposal{}, &Outcome{Result: Moved, Message: "it could not be looked at again: " + err.Error()}
	}
	if o, ok := a.playing(r, world, row); ok {
		return providers.Proposal{}, &Outcome{Result: Existed, Message: "it is there by now", ID: o.ID, UID: o.UID()}
	}
	in := a.Input
	in.Report, in.World, in.Now = r, world, a.Clock()
	role, _ := in.role(row.Role)
	i := slices.IndexFunc(r.Findings, func(f report.Finding) bool { return f.ID == row.Finding })
	if i < 0 {
		return providers.Proposal{}, &Outcome{Result: Moved, Message: "it is not missing any more: " + standing(r, row.Ref()) + "; nothing was written; run it again"}
	}
	if why := in.reasons(role, r.Findings[i]); len(why) > 0 {
		return providers.Proposal{}, &Outcome{Result: Moved, Message: "it may not be created any more: " + why[0].Message + "; nothing was written; run it again"}
	}
	p, why := in.proposed(ctx, role, row.Ref())
	if len(why) > 0 {
		return p, &Outcome{Result: Refused, Message: why[0].Message}
	}
	return p, nil
}

// create writes, and does not believe the answer.
func (a *application) create(ctx context.Context, row *Row, p providers.Proposal) Outcome {
	e := Entry{Who: a.Who, Phase: "begin", Role: row.Role, Source: row.Source, Place: p.Place, Before: p.Before, After: p.After, Ledger: a.plan.Ledger.SHA256}
	if err := a.log(e); err != nil {
		return Outcome{Result: Refused, Message: "the log of writes could not be written, so nothing else was: " + err.Error()}
	}
	made, err := a.Repairers[row.Source].Create(ctx, p)
	e.Phase, e.UID, e.Backup, e.Result = "end", made.UID, made.Backup, "written"
	switch {
	case errors.Is(err, providers.ErrMoved):
		e.Result = "moved"
	case errors.Is(err, providers.ErrRefused):
		e.Result = "refused"
	case err != nil:
		e.Result = "lost"
	case made.Existed:
		e.Result = "existed"
	}
	if err != nil {
		e.Message = a.Mask(err.Error())
	}
	logged := a.log(e)
	if e.Result == "written" || e.Result == "lost" {
		a.touched[row.Source+"\x00"+row.Part] = true
	}
	out := a.settle(ctx, row, made, err)
	if logged != nil {
		out.Message += "; the end of the write could not be logged: " + logged.Error()
	}
	return out
}

func (a *application) log(e Entry) error {
	e.Time = a.Clock().UTC()
	return a.Log(e)
}

// settle finds out by looking what became of a creation.
func (a *application) settle(ctx context.Context, row *Row, made providers.Created, err error) Outcome {
	out := Outcome{ID: made.ID, UID: made.UID, Backup: made.Backup}
	switch {
	case errors.Is(err, providers.ErrMoved):
		out.Result, out.Message = Moved, err.Error()+"; nothing was written; run it again"
		return out
	case errors.Is(err, providers.ErrRefused):
		out.Result, out.Message = Refused, err.Error()
		return out
	}
	seen, o, r := a.await(ctx, row)
	if seen {
		out.ID, out.UID = o.ID, o.UID()
	}
	state := standing(r, row.Ref())
	switch {
	case seen && state == "":
		out.Result, out.Message = Done, "created, and the role is as the ledger states it"
		if made.Existed {
			out.Result, out.Message = Existed, "it was there by then, as the ledger states it"
		}
		if err != nil {
			out.Message = "created, though the answer was lost (" + err.Error() + "); the role is as the ledger states it"
		}
		a.remember(ctx, row, &out)
	case seen && made.Existed:
		out.Result, out.Message = Refused, "it was there by then, and not as it should be: "+state+"; nothing was written: look at it"
	case seen:
		out.Result, out.Message = Unverified, "it is there, and not as it should be: "+state+"; nothing is taken back: look at it"
	case made.Existed:
		out.Result, out.Message = Refused, "an object of that name is there already and does not play the role; look at "+row.Place
	case err != nil:
		out.Result, out.Message = Unknown, err.Error()+fmt.Sprintf("; it was not seen within %v, and may yet come: look again with rolecall audit before anything else", a.Wait)
	default:
		out.Result, out.Message = Unseen, fmt.Sprintf("created, and not seen within %v; look again with rolecall audit, or wait longer with --wait", a.Wait)
	}
	return out
}

// await looks at the row's part until an object plays the role or the wait is
// over, and gives the last report.
func (a *application) await(ctx context.Context, row *Row) (bool, providers.Object, report.Report) {
	var last report.Report
	var waited time.Duration
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		r, world, err := a.Look(ctx, map[string][]string{row.Source: {row.Part}})
		if err == nil {
			last = r
			if o, ok := a.plays(r, world, row); ok {
				return true, o, r
			}
		}
		pause = min(pause, a.Wait-waited)
		if pause <= 0 || ctx.Err() != nil || a.Pause(ctx, pause) != nil {
			return false, providers.Object{}, last
		}
		waited += pause
	}
}

// plays finds the object that plays the row's role now.
func (a *application) plays(r report.Report, world providers.World, row *Row) (providers.Object, bool) {
	for _, role := range r.Roles {
		if role.Role == row.Role && role.Source == row.Source && role.Stages.Registered == report.Yes && len(role.Objects) > 0 {
			return Input{World: world}.object(role.Objects[0])
		}
	}
	return providers.Object{}, false
}

// playing is plays for a role with which nothing is wrong.
func (a *application) playing(r report.Report, world providers.World, row *Row) (providers.Object, bool) {
	o, ok := a.plays(r, world, row)
	return o, ok && standing(r, row.Ref()) == ""
}

// structural are the kinds of what is wrong with an object, not with its runs.
var structural = []report.Kind{report.Missing, report.Duplicate, report.Ambiguous, report.Inactive, report.Drift, report.Unknown, report.Unreviewed}

// standing says what is wrong with a role's object; empty if nothing is. That
// evidence of the runs of a role that is there could not be read is not about its
// object.
func standing(r report.Report, ref specs.Ref) string {
	there := slices.ContainsFunc(r.Roles, func(x report.Role) bool {
		return x.Role == ref.Role && x.Source == ref.Source && x.Stages.Registered == report.Yes
	})
	var out []string
	for _, f := range r.Findings {
		if f.Role == ref.Role && f.Source == ref.Source && slices.Contains(structural, f.Kind) && !(there && f.Kind == report.Unknown) {
			out = append(out, string(f.Kind)+": "+f.Message)
		}
	}
	return strings.Join(out, "; ")
}

// remember brings the ledger's pointer up to date. A role of several sources has
// one pointer for all of them, which would be wrong for the others.
func (a *application) remember(ctx context.Context, row *Row, out *Outcome) {
	role, _ := a.role(row.Role)
	if len(role.Sources) != 1 {
		out.Message += "; the ledger's ref is left as it is, since the role has several sources"
		return
	}
	if err := a.Remember(ctx, row.Role, specs.Remembered{UID: out.UID, Seen: a.Clock()}); err != nil {
		out.Message += "; the ledger's ref could not be brought up to date: " + err.Error()
		return
	}
	out.Remembered = true
}
