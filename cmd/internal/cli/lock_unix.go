//go:build unix && !aix && !solaris

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// tryLock locks the folder of a file, so that no file for the lock is left behind;
// the system ends the lock with the process (flock(2)).
func tryLock(name string) (unlock func(), held bool) {
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return func() {}, false // a folder that may be written to but not be listed
	}
	for {
		err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		dir.Close()
		return nil, true
	}
	return func() { dir.Close() }, false // or a file system without locks
}
