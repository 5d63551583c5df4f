package crontab

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/rolecall-dev/rolecall/providers"
)

// crontabProgram is where crontab(1) stands on Debian, with cronie and on Alpine.
const crontabProgram = "/usr/bin/crontab"

// byProgram installs a user's table through crontab(1). It replaces what is there
// by then, so the table is read again right before; what another process
// writes between the two is lost, and this process cannot see it.
func (c creation) byProgram() (providers.Created, error) {
	release, err := c.Lock(c.ctx, crontabProgram)
	switch {
	case err == nil:
		defer release()
	case errors.Is(err, ErrBusy):
		return providers.Created{}, refused(fmt.Errorf("the lock of %s: %w; run again", crontabProgram, err))
	case !errors.Is(err, fs.ErrPermission): // a program that cannot be read can be run all the same
		return providers.Created{}, refused(err)
	}
	h, found, done, err := c.begin()
	if done {
		return found, err
	}
	backup, err := c.copied(h)
	if err != nil {
		return providers.Created{}, refused(err)
	}
	if h, found, done, err = c.begin(); done {
		return found, err
	}
	if err := c.Install(c.ctx, c.at.owner.Name, h.with(c.proposal.Text)); err != nil {
		return c.notTaken(h, err)
	}
	return c.stands(backup)
}

// notTaken is a refusal only where the table is seen to be what it was.
func (c creation) notTaken(h held, err error) (providers.Created, error) {
	if after, again := c.hold(c.at); errors.Is(err, ErrNotTaken) && again == nil && after.hash() == h.hash() {
		return providers.Created{}, refused(fmt.Errorf("%w; correct the template, or run as root or as the user", err))
	}
	return providers.Created{}, err
}

// copied keeps the bytes of before in the folder of the configuration, since the
// table's own is closed.
func (c creation) copied(h held) (string, error) {
	if !h.there || c.cfg.Backups == "" {
		return "", nil
	}
	if err := c.Private(c.cfg.Backups); err != nil {
		return "", fmt.Errorf("the folder for the backup: %w", err)
	}
	file := path.Join(c.cfg.Backups, keptFile+short(h.hash())+"-"+c.at.name)
	temporary := path.Join(c.cfg.Backups, partFile+c.at.name)
	if err := c.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := c.Stage(temporary, h.data, Making{Perm: 0o600, UID: c.at.owner.UID}); err != nil {
		return "", fmt.Errorf("the backup: %w", err)
	}
	if err := c.Move(temporary, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("the backup: %w", err)
	} else if err != nil {
		return file, c.Remove(temporary)
	}
	return file, nil
}
