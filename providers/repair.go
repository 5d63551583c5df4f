package providers

import (
	"context"
	"errors"

	"github.com/rolecall-dev/rolecall/specs"
)

// Repairer is what a provider grows where the object of a role can be created.
// It never deletes, disables, enables or overwrites.
type Repairer interface {
	// Propose makes ready what would be created. It writes nothing and sends no
	// request that could write, not even a dry run: that is Create's first step. The
	// error says why there is nothing to create, and ends with the next step.
	Propose(ctx context.Context, role specs.Role, d specs.Desired) (Proposal, error)
	// Create carries out a proposal, once: where what was read for it has changed
	// since, nothing is written and the error is ErrMoved; where the object is
	// there already, nothing is written and Created says so; where it was refused
	// and nothing is written, the error is ErrRefused. After another error nothing
	// is known: whether it was created, a look tells.
	Create(ctx context.Context, p Proposal) (Created, error)
}

// Maker is who an object's history names as having made what a Repairer created.
const Maker = "rolecall"

// ErrMoved says that what a proposal was made from is not what is there now.
var ErrMoved = errors.New("it has changed since the plan was made")

// ErrRefused says that a creation was refused and that nothing was written: the
// server would not take it, the account may not create it.
var ErrRefused = errors.New("refused, and nothing was written")

// Proposal is one object that would be created.
type Proposal struct {
	Ref specs.Ref
	// Part is the area in which the object will be, and Place its id there.
	Part  string
	Place string
	// Text is what will be written: a manifest, lines of a crontab, a workflow file.
	Text []byte
	// Before is the hash of what is there now and will be added to; empty if
	// nothing is. After is the hash of what will be there.
	Before, After string
	// Manual are the commands by which a person would propose it, where rolecall
	// writes nothing itself. Then Create is refused.
	Manual []string
	// Announce are what has to be known before it is made: it is due within the
	// minute, its table is not there yet.
	Announce []string
	// Inactive are why what would be created would not run, as a look would say of
	// it then.
	Inactive []Inactive
}

// Created is what became of a proposal.
type Created struct {
	ID  string
	UID string // the scheduler's own; empty if it has none
	// Existed says that the object was there already and nothing was written.
	Existed bool
	// Backup is where the bytes of before are kept; empty if there were none.
	Backup string
}
