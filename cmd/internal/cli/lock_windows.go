package cli

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// tryLock opens a file beside the ledger for itself alone; the system takes it
// away as soon as it is closed, also at the process's end.
func tryLock(name string) (unlock func(), held bool) {
	lock, err := windows.UTF16PtrFromString(filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".lock"))
	if err != nil {
		return func() {}, false
	}
	h, err := windows.CreateFile(lock, windows.GENERIC_WRITE, 0, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION), errors.Is(err, windows.ERROR_DELETE_PENDING):
		return nil, true
	case err != nil:
		return func() {}, false
	}
	return func() { windows.CloseHandle(h) }, false
}
