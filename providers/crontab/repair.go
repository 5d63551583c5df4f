package crontab

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

var _ providers.Repairer = (*Provider)(nil)

// Propose makes ready the lines that would be added to the end of a table on the
// host: the role's marker and its template. The table is the one that the role's
// repair names by file or user, or else its match, or else that of the source's
// only user. The lines are
// proposed where the table, read with them at its end as the daemon reads it,
// holds every entry just as before and one more that is as desired, and in no
// other case. Before and After are sha256 sums of the table's bytes.
func (p *Provider) Propose(ctx context.Context, role specs.Role, d specs.Desired) (providers.Proposal, error) {
	if err := p.creatable(role, d); err != nil {
		return providers.Proposal{}, err
	}
	l, err := p.repairing(ctx)
	if err != nil {
		return providers.Proposal{}, err
	}
	t, err := l.destination(role)
	if err != nil {
		return providers.Proposal{}, err
	}
	h, err := l.hold(t)
	if err != nil {
		return providers.Proposal{}, err
	}
	if o, ok := l.present(t, h, append([]string{role.Key}, role.PreviousRoles...)...); ok {
		return providers.Proposal{}, fmt.Errorf("%s holds an entry with the marker of role %s already, %s; nothing is to be created, audit again", t.open, o.Marker().Role, o.Pos)
	}
	text, o, notices, err := l.lines(t, h, role, d)
	if err != nil {
		return providers.Proposal{}, err
	}
	return providers.Proposal{
		Ref: specs.Ref{Role: role.Key, Source: p.cfg.Source}, Part: t.part, Place: o.ID, Text: text,
		Before: h.hash(), After: sum(h.with(text)),
		Announce: append(append(p.due(o), notices...), l.circumstances(t, h)...),
	}, nil
}

// creatable says why nothing can be created for a role, whatever the host holds.
func (p *Provider) creatable(role specs.Role, d specs.Desired) error {
	paused := !role.PausedUntil.IsZero() && (p.cfg.Now == nil || p.cfg.Now().Before(role.PausedUntil))
	switch {
	case !p.cfg.Live:
		return fmt.Errorf("source %s is read from files; add the lines to them in your checkout", p.cfg.Source)
	case role.Statement.Template == nil:
		return fmt.Errorf("%s: role %s has no template, so that what would be added is reviewed by nobody; state one under spec: template", role.Statement.Pos, role.Key)
	case role.Suspended || paused:
		return fmt.Errorf("%s: role %s must not run, and a crontab holds no entry that rests; add it when its pause is over", role.Pos, role.Key)
	case d.Never || !d.Pinned.IsZero():
		return fmt.Errorf("%s: role %s states no schedule to create an entry from; state a template", role.Statement.Pos, role.Key)
	case !specs.ValidRoleKey(role.Key):
		return fmt.Errorf("%s: %q cannot stand in a marker; correct the role's key", role.Pos, role.Key)
	}
	return nil
}

// repairing is a look at the host by which a table can be judged.
func (p *Provider) repairing(ctx context.Context) (*look, error) {
	if _, ok := p.host.(Writer); !ok {
		return nil, errors.New("rolecall adds to crontabs on Linux alone; add the lines of the template by hand")
	}
	l := &look{
		Provider: p, ctx: ctx, known: map[string]bool{}, homes: map[string]string{},
		schedules: readings{}, refusals: map[string]string{},
	}
	l.out.Source = p.cfg.Source
	if !l.anyOf(places...) {
		return nil, fmt.Errorf("there is no cron under %s; correct root, or install the daemon", l.open("/"))
	}
	l.chooseDialect()
	for _, a := range l.out.Areas {
		return nil, errors.New(a.Reason)
	}
	return l, nil
}

// Create adds a proposal's lines. It takes the lock of the table's folder, reads
// the table again, and goes on only if its bytes are those of the proposal.
//
// Where this process may change the folder, the new table is written beside the
// old one, in the folder .rolecall that no daemon reads, and the two change
// names at once. What was displaced is looked at then: if it is not what was read,
// someone changed the table in that instant, and it is put back. Else it is kept
// there as the backup. A user who may not do that goes through crontab(1), which
// replaces a table whatever it holds by then.
func (p *Provider) Create(ctx context.Context, pr providers.Proposal) (providers.Created, error) {
	if len(pr.Manual) > 0 {
		return providers.Created{}, fmt.Errorf("%w: the plan leaves it to a person; run its commands", providers.ErrRefused)
	}
	l, err := p.repairing(ctx)
	if err != nil {
		return providers.Created{}, refused(err)
	}
	t, err := l.target(pr.Part)
	if err != nil {
		return providers.Created{}, refused(err)
	}
	c := creation{look: l, Writer: p.host.(Writer), at: t, proposal: pr}
	if t.direct {
		return c.byName()
	}
	return c.byProgram()
}

func refused(err error) error { return fmt.Errorf("%w: %w", providers.ErrRefused, err) }

// creation is one proposal that is carried out.
type creation struct {
	*look
	Writer
	at       target
	proposal providers.Proposal
}

// begin reads the table under the lock. done says that there is nothing left to
// do: the role's entry is there, or the table is not what it was.
func (c creation) begin() (h held, found providers.Created, done bool, err error) {
	h, err = c.hold(c.at)
	if err != nil {
		return h, found, true, refused(err)
	}
	if o, ok := c.present(c.at, h, c.proposal.Ref.Role); ok {
		return h, providers.Created{ID: o.ID, Existed: true}, true, nil
	}
	if h.hash() != c.proposal.Before {
		return h, found, true, fmt.Errorf("%s: %w; make a new one", c.at.open, providers.ErrMoved)
	}
	if sum(h.with(c.proposal.Text)) != c.proposal.After {
		return h, found, true, refused(errors.New("the lines of the plan are not those that it was made with; make a new one"))
	}
	if _, err := c.added(c.at, h, c.proposal.Text, c.proposal.Ref.Role); err != nil {
		return h, found, true, refused(err)
	}
	return h, found, false, nil
}

// made is what is said of a table that holds the entry now.
func (c creation) made(backup string) providers.Created {
	return providers.Created{ID: c.proposal.Place, Backup: backup}
}

// held are the bytes of a table at one moment.
type held struct {
	data  []byte
	there bool
	info  Info
	link  Info
}

// hash is empty where there is no table, which is not the same as an empty one.
func (h held) hash() string {
	if !h.there {
		return ""
	}
	return sum(h.data)
}

// with are the bytes with a text behind them.
func (h held) with(text []byte) []byte { return bytes.Join([][]byte{h.data, text}, nil) }

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(s[:])
}

// due is what is said before an entry is made that may run at once: the daemon
// reads a table that has changed at the beginning of the next minute, and runs
// what is due in it.
func (p *Provider) due(o providers.Object) []string {
	s := o.Spec.Schedules[0]
	if s.Reboot() {
		return []string{"it runs when the daemon is next started after a boot, and not before"}
	}
	if p.cfg.Now == nil {
		return nil
	}
	now := p.cfg.Now()
	if next, ok := s.NextIn(now, now.Location()); ok && next.Sub(now) <= time.Minute {
		return []string{"it is due within the minute, at " + next.In(now.Location()).Format("15:04:05 MST") + ": the daemon may run it at once"}
	}
	return nil
}
