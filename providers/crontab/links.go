package crontab

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/rolecall-dev/rolecall/specs"
)

// deadEnd says that a path is a link which leads to no file, or in a circle: the
// daemon opens it as little as we do, so it holds no job. It is looked at anew,
// since a file that vanished meanwhile is no such link. What a link hides from
// this process alone, as a closed folder does, is none either.
func (l *look) deadEnd(file string) bool {
	link, err := l.host.Lstat(file)
	if err != nil || link.Type&fs.ModeSymlink == 0 {
		return false
	}
	_, err = l.host.Stat(file)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

func (l *look) noteDeadEnd(file string) {
	to, err := l.host.Target(file)
	if err != nil {
		to = "?"
	}
	l.note("early-warning", specs.Pos{File: l.open(file)}, "the link leads to %q, and under %s that is no file: nothing of it is loaded or run; correct the link or remove it", to, l.open("/"))
}
