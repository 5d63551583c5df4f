//go:build unix

package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// Disk is the file system.
type Disk struct{}

// Mkdir makes a folder for its owner alone.
func (Disk) Mkdir(name string) error { return os.Mkdir(name, 0o700) }

// Create makes a file for its owner alone.
func (Disk) Create(name string) (runs.File, error) { return create(name) }

func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
}

// Reserve makes a file and sets room aside for it.
func (Disk) Reserve(name string, size int64) error {
	f, err := create(name)
	if err != nil {
		return err
	}
	return errors.Join(allocate(f, size), f.Close())
}

// fillWithZeros sets room aside where the system has no call for it.
func fillWithZeros(f *os.File, size int64) error {
	_, err := f.Write(make([]byte, size))
	return err
}

// Reopen writes a reserved file anew.
func (Disk) Reopen(name string) (runs.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	return reserved{f}, nil
}

// reserved is cut to what was written when it is synced.
type reserved struct{ *os.File }

func (r reserved) Sync() error {
	end, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if err := r.Truncate(end); err != nil {
		return err
	}
	return r.File.Sync()
}

// regular opens a file without waiting for the writer of a pipe that stands in
// its place.
func regular(name string, flags int) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a record.
func (Disk) ReadFile(name string) ([]byte, error) {
	f, err := regular(name, syscall.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, runs.MaxRecord+1))
	if len(data) > runs.MaxRecord {
		return nil, fmt.Errorf("%s is larger than any record", name)
	}
	return data, err
}

// Open opens a file for reading.
func (Disk) Open(name string) (io.ReadCloser, error) {
	f, err := regular(name, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ReadDir lists a folder.
func (Disk) ReadDir(name string) ([]runs.Entry, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	out := make([]runs.Entry, len(entries))
	for i, e := range entries {
		out[i] = runs.Entry{Name: e.Name(), IsDir: e.IsDir()}
	}
	return out, nil
}

// Stat identifies a file.
func (Disk) Stat(name string) (runs.Info, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return runs.Info{}, err
	}
	out := runs.Info{Size: info.Size(), ModTime: info.ModTime(), IsDir: info.IsDir(), Regular: info.Mode().IsRegular()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		out.ID = fmt.Sprintf("%d:%d", st.Dev, st.Ino)
	}
	return out, nil
}

// Link gives a file a second name. Where the file system has no hard links it
// moves the file, which never replaces either.
func (Disk) Link(old, name string) error {
	err := os.Link(old, name)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		if merr := moveNew(old, name); merr == nil || errors.Is(merr, fs.ErrExist) {
			return merr
		}
	}
	return err
}

// Rename renames.
func (Disk) Rename(old, name string) error { return os.Rename(old, name) }

// Remove removes.
func (Disk) Remove(name string) error { return os.Remove(name) }

// SyncFile makes a file's data durable.
func (Disk) SyncFile(name string) error { return syncName(name) }

// SyncDir makes the names in a folder durable.
func (Disk) SyncDir(name string) error { return syncName(name) }

func syncName(name string) error {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Locks are flock(2): they belong to an open file, so that a process that
// inherits it holds the lock too.
type Locks struct{}

type flock struct{ f *os.File }

// Release gives this process's hold of the lock up; one that was inherited
// stays.
func (l flock) Release() error { return l.f.Close() }

// Exclusive takes a lock.
func (Locks) Exclusive(name string) (runs.Lock, error) { return take(name, unix.LOCK_EX) }

// Shared takes a lock that others may share.
func (Locks) Shared(name string) (runs.Lock, error) { return take(name, unix.LOCK_SH) }

func take(name string, how int) (runs.Lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f, how); err != nil {
		f.Close()
		return nil, err
	}
	return flock{f}, nil
}

func lockFile(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == unix.EINTR:
		case err == unix.EWOULDBLOCK:
			return runs.ErrBusy
		case err != nil:
			return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
		default:
			return nil
		}
	}
}

// Held says whether someone holds a lock exclusively. It shares the lock for a
// moment, so that two who ask do not take each other for the owner.
func (Locks) Held(name string) (bool, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = lockFile(f, unix.LOCK_SH)
	if errors.Is(err, runs.ErrBusy) {
		return true, nil
	}
	return false, err
}
