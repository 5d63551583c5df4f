//go:build unix

package crontab

import (
	"io/fs"
	"os"
	"syscall"
)

// openFile does not wait for a writer of a FIFO that stands where a file should.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

func infoOf(fi fs.FileInfo) Info {
	info := Info{Type: fi.Mode().Type(), Perm: uint32(fi.Mode().Perm()), Size: fi.Size(), Time: fi.ModTime()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		info.Perm = uint32(st.Mode) & 0o7777
		info.UID, info.Links = st.Uid, uint64(st.Nlink)
	}
	return info
}
