package crontab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// private is the folder beside the tables in which a new one is made ready and
// old ones are kept. No daemon reads a folder, nor a name that begins with a dot:
// a user's table under any other name would be that of a user.
const private = ".rolecall"

// The files in it. A part may be torn. What is swapped is either whole and not
// in place, or what was displaced; its name holds the sums of both.
const (
	partFile = "part-"
	swapFile = "swap-"
	keptFile = "kept-"
)

// sumLen is how much of a sum stands in a name.
const sumLen = 16

// short is a sum in a name; of no table it is none.
func short(hash string) string {
	if _, digits, ok := strings.Cut(hash, ":"); ok && len(digits) >= sumLen {
		return digits[:sumLen]
	}
	return strings.Repeat("0", sumLen)
}

func (c creation) inside(name string) string { return path.Join(c.at.folder, private, name) }

func (c creation) partPath() string { return c.inside(partFile + c.at.name) }
func (c creation) keptPath(digits string) string {
	return c.inside(keptFile + digits + "-" + c.at.name)
}
func (c creation) swapPath(after, before string) string {
	return c.inside(swapFile + after + "-" + before + "-" + c.at.name)
}

// byName installs the table under its name.
func (c creation) byName() (providers.Created, error) {
	release, err := c.Lock(c.ctx, c.at.folder)
	if err != nil {
		return providers.Created{}, refused(fmt.Errorf("the lock of %s: %w; run again", c.open(c.at.folder), err))
	}
	defer release()
	if err := c.recover(); err != nil {
		return providers.Created{}, err
	}
	h, found, done, err := c.begin()
	if done {
		return found, err
	}
	table := h.with(c.proposal.Text)
	if err := c.tried(table); err != nil {
		return providers.Created{}, refused(err)
	}
	swap, err := c.stage(h, table)
	if err == nil && c.ctx.Err() != nil {
		err = c.ctx.Err()
		c.Remove(swap)
	}
	if err != nil {
		return providers.Created{}, refused(c.unsaid(err))
	}
	if !h.there {
		return c.appear(swap)
	}
	return c.swap(swap, h, table)
}

// tried asks crontab(1) of this machine about a user's table.
func (c creation) tried(table []byte) error {
	if c.at.columned || c.dialect != specs.Debian || c.open("/") != "/" {
		return nil
	}
	if err := c.Try(c.ctx, c.at.owner.Name, table); errors.Is(err, ErrNotTaken) && strings.Contains(err.Error(), "errors in crontab") {
		return fmt.Errorf("%w; correct the template", err)
	}
	return nil
}

// stage makes the new table ready beside the old one.
func (c creation) stage(h held, table []byte) (string, error) {
	m := Making{Perm: 0o600, UID: c.at.owner.UID}
	switch {
	case h.there:
		m = Making{Like: c.at.file}
	case c.at.columned:
		m = Making{Perm: 0o644}
	case c.dialect == specs.Busybox: // its daemon wants tables of root's
		m.UID = 0
	}
	if err := c.Private(path.Dir(c.partPath())); err != nil {
		return "", err
	}
	swap := c.swapPath(short(c.proposal.After), short(c.proposal.Before))
	err := c.Stage(c.partPath(), table, m)
	if err == nil {
		err = c.Move(c.partPath(), swap)
	}
	if err == nil {
		return swap, nil
	}
	c.Remove(c.partPath())
	return "", err
}

// unsaid tells what a file system's no means.
func (c creation) unsaid(err error) error {
	switch {
	case errors.Is(err, ErrNoExchange):
		return fmt.Errorf("%w, so a change by someone else could not be kept; add the lines by hand", err)
	case errors.Is(err, fs.ErrPermission):
		return c.lacking(c.at, err)
	}
	return fmt.Errorf("the new table could not be written: %w; mend that and run again", err)
}

// appear gives a table that is not there yet its name.
func (c creation) appear(swap string) (providers.Created, error) {
	err := c.Move(swap, c.at.file)
	if err == nil {
		return c.made(""), c.flush()
	}
	c.Remove(swap)
	if errors.Is(err, fs.ErrExist) {
		return c.outcome()
	}
	return providers.Created{}, refused(c.unsaid(err))
}

// swap lets the new table and the old one change names, and looks at what was
// displaced.
func (c creation) swap(swap string, h held, table []byte) (providers.Created, error) {
	if err := c.Exchange(swap, c.at.file); err != nil {
		c.Remove(swap)
		if errors.Is(err, fs.ErrNotExist) {
			return c.outcome()
		}
		return providers.Created{}, refused(c.unsaid(err))
	}
	unsure := c.flush()
	if now, err := c.bytesOf(swap); err != nil || !bytes.Equal(now, h.data) {
		if err := c.restore(swap, table); err != nil {
			return providers.Created{}, err
		}
		return c.outcome()
	}
	kept, err := c.keep(swap, short(h.hash()))
	if err != nil {
		return c.made(""), fmt.Errorf("the entry was added, and the table of before could not be kept under its name: %w; it is %s", err, c.open(swap))
	}
	if unsure != nil {
		return c.made(c.open(kept)), unsure
	}
	return c.stands(c.open(kept))
}

// stands says that the entry is there, or that someone who had not seen it has
// replaced the table since.
func (c creation) stands(backup string) (providers.Created, error) {
	h, err := c.hold(c.at)
	if err != nil {
		return c.made(backup), fmt.Errorf("the entry was added, and the table cannot be read again: %w", err)
	}
	if _, ok := c.present(c.at, h, c.proposal.Ref.Role); !ok {
		return providers.Created{}, fmt.Errorf("%s: someone replaced the table right after: %w; make a new one", c.at.open, providers.ErrMoved)
	}
	return c.made(backup), nil
}

// bytesOf are those of a file in the folder of ours.
func (c creation) bytesOf(file string) ([]byte, error) {
	info, err := c.host.Lstat(file)
	if err == nil && info.Type != 0 {
		err = fmt.Errorf("%s: %w", c.open(file), ErrNotRegular)
	}
	if err != nil {
		return nil, err
	}
	data, _, err := c.host.Read(file)
	return data, err
}

// keep gives what was displaced the name of a backup; bytes that are kept already
// are kept once.
func (c creation) keep(file, digits string) (string, error) {
	kept := c.keptPath(digits)
	err := c.Move(file, kept)
	if errors.Is(err, fs.ErrExist) {
		return kept, c.Remove(file)
	}
	return kept, err
}

func (c creation) flush() error {
	if err := c.Flush(c.at.folder); err != nil {
		return fmt.Errorf("%s was written, and whether it is on the disk is not known: %w; audit again", c.at.open, err)
	}
	return nil
}

// restoreTries bounds how often others may change a table while their earlier
// change is put back.
const restoreTries = 16

// restore puts back what the new table displaced and was not what it had been made
// from. What comes out instead must be the new table; is it not, someone changed
// the table once more, and the latest of theirs goes back in its turn, and the
// earlier one is kept.
func (c creation) restore(swap string, mine []byte) error {
	placed := mine
	for range restoreTries {
		theirs, _ := c.bytesOf(swap)
		if err := c.Exchange(swap, c.at.file); errors.Is(err, fs.ErrNotExist) {
			return c.orphaned(swap, theirs)
		} else if err != nil {
			return c.stranded(swap, err)
		}
		out, err := c.bytesOf(swap)
		switch {
		case err != nil || !bytes.Equal(out, placed):
			placed = theirs
		case bytes.Equal(out, mine):
			return errors.Join(c.Remove(swap), c.flush())
		default:
			_, err := c.keep(swap, short(sum(out)))
			return errors.Join(err, c.flush())
		}
	}
	return c.stranded(swap, errUnsteady)
}

// orphaned: the table was removed after it had been changed, so that its last
// change is kept and not put back.
func (c creation) orphaned(swap string, theirs []byte) error {
	if _, err := c.keep(swap, short(sum(theirs))); err != nil {
		return c.stranded(swap, err)
	}
	return nil
}

// stranded: someone's change of the table is in a file of ours.
func (c creation) stranded(swap string, err error) error {
	return fmt.Errorf("someone changed %s in the instant in which it was replaced, and what they wrote could not be put back: %w; it is in %s, compare the two", c.at.open, err, c.open(swap))
}

// outcome is what is said where the table was changed meanwhile.
func (c creation) outcome() (providers.Created, error) {
	_, found, done, err := c.begin()
	if done {
		return found, err
	}
	return found, fmt.Errorf("%s: %w; make a new one", c.at.open, providers.ErrMoved)
}

// recover clears what a killed repair of this table left behind. A displaced
// table that is not what its repair had read is someone's change: it is put back
// where the killed repair's table still stands, and else kept and told.
func (c creation) recover() error {
	names, err := c.host.List(path.Join(c.at.folder, private))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return refused(err)
	}
	for _, name := range names {
		if name == partFile+c.at.name {
			err = errors.Join(err, c.Remove(c.partPath()))
		}
		if after, before, ok := c.swapped(name); ok {
			err = errors.Join(err, c.resume(c.inside(name), after, before))
		}
	}
	if err != nil {
		return refused(err)
	}
	return nil
}

// swapped reads the name of a file that was to be swapped with this table.
func (c creation) swapped(name string) (after, before string, ok bool) {
	rest, ok := strings.CutPrefix(name, swapFile)
	if !ok || len(rest) < 2*sumLen+2 || rest[sumLen] != '-' || rest[2*sumLen+1] != '-' || rest[2*sumLen+2:] != c.at.name {
		return "", "", false
	}
	return rest[:sumLen], rest[sumLen+1 : 2*sumLen+1], true
}

func (c creation) resume(swap, after, before string) error {
	data, err := c.bytesOf(swap)
	if err != nil {
		return err
	}
	switch short(sum(data)) {
	case after:
		return c.Remove(swap)
	case before:
		_, err := c.keep(swap, before)
		return err
	}
	table, err := c.bytesOf(c.at.file)
	if err == nil && short(sum(table)) == after {
		return c.restore(swap, table)
	}
	kept, err := c.keep(swap, short(sum(data)))
	if err != nil {
		return err
	}
	return fmt.Errorf("an earlier repair of %s was killed in the instant in which someone changed the table, and the table was changed again since; what they wrote is in %s: compare the two, then run again", c.at.open, c.open(kept))
}
