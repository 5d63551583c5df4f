package repair

import (
	"context"
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Renewal is a role that is as the ledger states it and whose object rolecall
// itself has made, while the ledger remembers another or none: a repair was
// stopped after its creation and before it could say so. Who else makes an object
// anew has to be found out by a person, so of theirs nothing is renewed.
type Renewal struct {
	Role   string `json:"role"`
	Source string `json:"source"`
	Object string `json:"object"`
	Was    string `json:"was"` // the uid that the ledger remembers; empty if none
	UID    string `json:"uid"` // that of the object
	// Renewed says that the ledger was brought up to date, and Message why not.
	Renewed bool   `json:"renewed"`
	Message string `json:"message"`
}

// renewals are those of the roles that repair may create.
func (in Input) renewals() []Renewal {
	out := []Renewal{}
	for _, r := range in.Report.Roles {
		role, _ := in.role(r.Role)
		if !role.Repair.CreateMissing || len(role.Sources) != 1 || len(r.Objects) != 1 || r.Stages.Registered != report.Yes {
			continue
		}
		o, ok := in.object(r.Objects[0])
		byUs := slices.ContainsFunc(o.Changes(), func(c providers.Change) bool { return c.Who == providers.Maker })
		if ok && byUs && o.Marker().Role == role.Key && o.UID() != "" && o.UID() != role.Remembered.UID && standing(in.Report, specs.Ref{Role: r.Role, Source: r.Source}) == "" {
			out = append(out, Renewal{Role: r.Role, Source: r.Source, Object: o.ID, Was: role.Remembered.UID, UID: o.UID()})
		}
	}
	return out
}

// renew writes what the ledger is to remember.
func (a *application) renew(ctx context.Context, refs []Renewal) []Renewal {
	out := slices.Clone(refs)
	for i := range out {
		if err := a.Unchanged(); err != nil {
			out[i].Message = a.Mask(err.Error())
		} else if err := a.Remember(ctx, out[i].Role, specs.Remembered{UID: out[i].UID, Seen: a.Clock()}); err != nil {
			out[i].Message = a.Mask("the ledger's ref could not be brought up to date: " + err.Error())
		} else {
			out[i].Renewed = true
		}
	}
	return out
}
