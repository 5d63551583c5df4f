package crontab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a held lock is asked for again.
const lockPoll = 10 * time.Millisecond

// Lock is flock(2) on the folder itself, so that no lock file is left anywhere.
func (m *machine) Lock(ctx context.Context, p string) (func(), error) {
	real, err := m.resolve(p, true)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case err == unix.EWOULDBLOCK:
			t := time.NewTimer(lockPoll)
			select {
			case <-ctx.Done():
				t.Stop()
				f.Close()
				return nil, fmt.Errorf("%s: %w: %w", real, ErrBusy, ctx.Err())
			case <-t.C:
			}
		case err != unix.EINTR:
			f.Close()
			return nil, &fs.PathError{Op: "flock", Path: real, Err: err}
		}
	}
}

func (m *machine) Writable(folder string) error {
	real, err := m.resolve(folder, true)
	if err != nil {
		return err
	}
	if err := unix.Faccessat(unix.AT_FDCWD, real, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "access", Path: real, Err: err}
	}
	return nil
}

func (m *machine) Private(folder string) error {
	real, err := m.resolve(folder, false)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(path.Dir(real), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(real, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	fi, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if info := infoOf(fi); !fi.IsDir() || int(info.UID) != os.Geteuid() || info.Perm&0o077 != 0 {
		return &fs.PathError{Op: "mkdir", Path: real, Err: errors.New("it is there and is no folder of this account alone")}
	}
	return nil
}

func (m *machine) Stage(p string, data []byte, making Making) error {
	real, err := m.resolve(p, false)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(real, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = m.dress(f, making)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// dress gives a new file its owner, group and mode, and as far as they can be
// given the attributes of the file that it is to be like: the label of SELinux, an
// access list.
func (m *machine) dress(f *os.File, making Making) error {
	uid, gid, perm := int(making.UID), -1, making.Perm
	like, err := m.resolve(making.Like, false)
	if err != nil {
		return err
	}
	beside := like
	if making.Like == "" {
		beside = path.Dir(path.Dir(f.Name()))
	}
	fi, err := os.Lstat(beside)
	if err != nil {
		return err
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		if gid = int(st.Gid); making.Like != "" {
			uid, perm = int(st.Uid), st.Mode&0o7777
		}
	}
	if os.Geteuid() == 0 { // another account makes files of its own alone
		if err := f.Chown(uid, gid); err != nil {
			return err
		}
	}
	if making.Like != "" {
		copyAttributes(like, f)
	}
	return unix.Fchmod(int(f.Fd()), perm)
}

func copyAttributes(from string, to *os.File) {
	names := make([]byte, 1<<16)
	n, err := unix.Llistxattr(from, names)
	if err != nil {
		return
	}
	value := make([]byte, 1<<16)
	for name := range strings.SplitSeq(string(names[:n]), "\x00") {
		if name == "" {
			continue
		}
		if size, err := unix.Lgetxattr(from, name, value); err == nil {
			_ = unix.Fsetxattr(int(to.Fd()), name, value[:size], 0)
		}
	}
}

func (m *machine) Exchange(a, b string) error { return m.rename(a, b, unix.RENAME_EXCHANGE) }
func (m *machine) Move(from, to string) error { return m.rename(from, to, unix.RENAME_NOREPLACE) }

func (m *machine) rename(from, to string, how uint) error {
	a, err := m.resolve(from, false)
	if err != nil {
		return err
	}
	b, err := m.resolve(to, false)
	if err != nil {
		return err
	}
	folder := path.Dir(b)
	names, content := changed(folder), changed(b)
	switch err = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, how); {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
		return &fs.PathError{Op: "rename", Path: b, Err: ErrNoExchange}
	case err != nil:
		return &fs.PathError{Op: "rename", Path: b, Err: err}
	}
	noticed(folder, names)
	noticed(b, content)
	return nil
}

// changed is when a file or folder was changed last; zero if there is none.
func changed(p string) time.Time {
	fi, err := os.Lstat(p)
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// noticed makes a change that falls into the same second as the one before it be
// of the next. The daemons look at whole seconds only, so that one which looked
// between the two would never read the table again (measured with Debian's cron
// 3.0pl1-162).
func noticed(p string, before time.Time) {
	if now := changed(p); !before.IsZero() && now.Unix() == before.Unix() {
		_ = os.Chtimes(p, time.Time{}, now.Truncate(time.Second).Add(time.Second))
	}
}

func (m *machine) Remove(p string) error {
	real, err := m.resolve(p, false)
	if err != nil {
		return err
	}
	return os.Remove(real)
}

func (m *machine) Flush(folder string) error {
	real, err := m.resolve(folder, true)
	if err != nil {
		return err
	}
	f, err := os.Open(real)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Try is Debian's crontab -n; of others it is not known whether they would only
// look.
func (m *machine) Try(ctx context.Context, user string, table []byte) error {
	return m.crontab(ctx, user, table, "-n", "-")
}

func (m *machine) Install(ctx context.Context, user string, table []byte) error {
	return m.crontab(ctx, user, table, "-")
}

func (m *machine) crontab(ctx context.Context, user string, table []byte, args ...string) error {
	if m.root != "/" {
		return fmt.Errorf("crontab(1) writes to this machine and not below %s: %w", m.root, fs.ErrPermission)
	}
	if own, err := m.Account(user); err != nil || int(own.UID) != os.Geteuid() || own.UID == 0 {
		args = append([]string{"-u", user}, args...)
	}
	cmd := exec.CommandContext(ctx, "crontab", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = bytes.NewReader(table)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	err = crontabError("crontab "+strings.Join(args, " "), err, user, string(out))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w", ErrNotTaken, err)
	}
	return err
}
