package runs

import (
	"errors"
	"io"
	"time"
)

// FS is what records and promotions need of a file system. Paths are absolute,
// with forward slashes. Errors are those of io/fs where there is one.
type FS interface {
	Mkdir(path string) error                 // one folder, mode 0700; fs.ErrExist if it is there
	Create(path string) (File, error)        // a new file, mode 0600; fs.ErrExist if it is there
	Reserve(path string, size int64) error   // a new file with room for size bytes set aside
	Reopen(path string) (File, error)        // a reserved file, written from its beginning and cut where the writing ends
	ReadFile(path string) ([]byte, error)    // at most MaxRecord bytes
	Open(path string) (io.ReadCloser, error) // of a regular file, to be hashed
	ReadDir(path string) ([]Entry, error)    // sorted by name
	Stat(path string) (Info, error)          // does not follow a link
	Link(old, name string) error             // fs.ErrExist if name is there; never replaces
	Rename(old, name string) error           // replaces
	Remove(path string) error                // a file, or an empty folder
	SyncFile(path string) error              // of a file that others wrote
	SyncDir(path string) error               // makes the names in a folder durable
	Scope(path string) string                // ScopeLocal, ScopeNetwork or ScopeUnknown
}

// MaxRecord bounds what is read of one record.
const MaxRecord = 1 << 20

// How far locks on a file system reach.
const (
	ScopeLocal   = "local"
	ScopeNetwork = "network"
	ScopeUnknown = "unknown"
)

// File is one that is being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Entry is a name in a folder.
type Entry struct {
	Name  string
	IsDir bool
}

// Info identifies a file and its content: ID stays through a rename, and the
// size or the time change where the content does.
type Info struct {
	ID      string
	Size    int64
	ModTime time.Time
	IsDir   bool
	Regular bool
}

// ErrBusy says that another holds a lock.
var ErrBusy = errors.New("another process holds the lock")

// Lock is one that is held.
type Lock interface{ Release() error }

// Locks are locks of a file, which end with the process that holds them.
type Locks interface {
	// Exclusive and Shared take a lock at once, or give ErrBusy. They create
	// the file.
	Exclusive(path string) (Lock, error)
	Shared(path string) (Lock, error)
	// Held says whether someone holds the lock exclusively. It creates nothing
	// and disturbs no other who asks.
	Held(path string) (bool, error)
}

// Clock tells the times and waits.
type Clock interface {
	Wall() time.Time
	Mono() time.Duration // since boot, without the time that the machine was suspended
	Boot() time.Duration // since boot, with it
	// After is closed when d has passed by the monotonic clock. stop gives the
	// timer up.
	After(d time.Duration) (c <-chan struct{}, stop func())
}

// Signal is the number of one.
type Signal int

// The signals that are sent.
const (
	Hangup    Signal = 1
	Interrupt Signal = 2
	Kill      Signal = 9
	Terminate Signal = 15
)

// Process is the identity of one: a number alone is none, for it is given again.
type Process struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"start_time"` // clock ticks after boot; 0 if it is not known
	BootID    string `json:"boot_id"`
	Namespace string `json:"pid_namespace"`
}

// ErrGone says that a process is not there any more, or that its number belongs
// to another.
var ErrGone = errors.New("the process is gone")

// Processes signals others, and only if they still are who they were.
type Processes interface {
	Self() Process
	// Alive is ErrGone, nil, or why it cannot be known.
	Alive(Process) error
	Signal(Process, Signal) error
	// SignalGroup signals the group that leader leads, if leader is still there.
	SignalGroup(leader Process, s Signal) error
	// Holders are the processes that have a file open, as far as they can be
	// seen.
	Holders(path string) ([]Process, error)
}

// Host says where this process runs.
type Host struct {
	Name    string `json:"name"`
	Machine string `json:"machine"` // an id that outlives a boot; empty if there is none
	BootID  string `json:"boot_id"`
	// Epoch is the boot and, in a container, the container's own start: a drain
	// mark does not outlive it.
	Epoch string `json:"epoch"`
}

// Machine is all that a run stands on.
type Machine struct {
	FS
	Locks
	Clock
	Processes
	Host Host
	// Token gives a new random text of 16 hex digits.
	Token func() string
}
