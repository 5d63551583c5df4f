package crontab

import (
	"context"
	"errors"
)

// Writer is what a Host grows where its tables can be added to. Each call is one
// step: a process that is killed in it has done it or has not, but for Stage,
// which may leave a torn file under the name that it was given.
type Writer interface {
	// Lock waits for the only hold of a folder, or of a file that is there, until
	// the context ends: ErrBusy. The end of the process gives it up too.
	Lock(ctx context.Context, path string) (release func(), err error)
	// Writable is why this process may not change the names in a folder; nil if
	// it may.
	Writable(folder string) error
	// Private makes a folder that only this account can enter, or finds it.
	Private(folder string) error
	// Stage writes a new file, and sees it onto the disk.
	Stage(path string, data []byte, m Making) error
	// Exchange gives each of two files the name of the other, at once;
	// ErrNoExchange where the file system cannot.
	Exchange(a, b string) error
	// Move gives a file a name that is free, and does not take one that is not.
	Move(from, to string) error
	Remove(path string) error
	// Flush sees the names in a folder onto the disk.
	Flush(folder string) error
	// Try asks crontab(1) whether it would install a user's table; ErrNotTaken with
	// what it said if it would not.
	Try(ctx context.Context, user string, table []byte) error
	// Install replaces a user's table through crontab(1); ErrNotTaken with its exit
	// code and what it said where it did not.
	Install(ctx context.Context, user string, table []byte) error
}

// Making is whose a new file will be.
type Making struct {
	// Like is a file whose owner, group, mode and extended attributes it gets.
	// Without one it belongs to UID and the group of its folder's folder.
	Like string
	UID  uint32
	Perm uint32
}

// What a Writer says beside the errors of io/fs.
var (
	ErrBusy       = errors.New("another process holds the lock")
	ErrNoExchange = errors.New("the file system cannot exchange two names")
	ErrNotTaken   = errors.New("crontab(1) did not take the table")
)
