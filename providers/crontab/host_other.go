//go:build !unix

package crontab

import (
	"io/fs"
	"os"
)

func openFile(path string) (*os.File, error) { return os.Open(path) }

// infoOf knows no owner here; the live side is of use on unix alone.
func infoOf(fi fs.FileInfo) Info {
	return Info{Type: fi.Mode().Type(), Perm: uint32(fi.Mode().Perm()), Links: 1, Size: fi.Size(), Time: fi.ModTime()}
}
