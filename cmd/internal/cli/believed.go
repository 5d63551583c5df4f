package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rolecall-dev/rolecall/specs"
)

// believeFolder refuses a folder whose content, or which itself, others can make
// another: what it holds proves nothing. A link to it is followed. It is no error
// that nothing is there.
func believeFolder(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := believe(real); err != nil {
		return err
	}
	for up := filepath.Dir(real); ; up = filepath.Dir(up) {
		info, err := os.Lstat(up)
		if err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return fmt.Errorf("others could put another folder in its place, since all can write %s (its mode is %#o); correct that with: chmod o-w %s", up, info.Mode().Perm(), specs.ShellWord(up))
		}
		if up == filepath.Dir(up) {
			return nil
		}
	}
}

// believe refuses a file or folder that others can write, and a link, which leads
// to where nobody has looked. It is no error that nothing is there.
func believe(name string) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link, and who can write where it leads is not looked at; put in its place what it leads to", name)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others could write %s (its mode is %#o); give it to one user with: chmod go-w %s", name, info.Mode().Perm(), specs.ShellWord(name))
	}
	return nil
}

// believeAll is the first error of several.
func believeAll(names ...string) error {
	for _, n := range names {
		if err := believe(n); err != nil {
			return err
		}
	}
	return nil
}
