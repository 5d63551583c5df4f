package kubernetes

import (
	"errors"
	"io"
	"os"
	"sync"

	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs/plain"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// desk is what is used again for the next file, and what files have in common.
// Only one file is read at it at a time.
type desk struct {
	buf   []byte
	nodes plain.Doc
	known *repeated
}

// mostKept bounds the buffer that is kept for the next file.
const mostKept = 1 << 20

// read is the file's bytes in the desk's buffer, which hold until the next file.
func (d *desk) read(f files.File) ([]byte, error) {
	data, err := readFile(f, d.buf)
	if cap(data) > cap(d.buf) && cap(data) <= mostKept {
		d.buf = data[:0]
	}
	return data, err
}

// manifest reads what the bytes hold.
func (d *desk) manifest(data []byte) contents {
	r := contents{long: slow.Only(), nodes: d.nodes}
	r.read(data)
	if d.nodes = r.nodes; cap(d.nodes) > mostKept/64 {
		d.nodes = nil
	}
	return r
}

// desks are those at which no file is read.
type desks struct {
	mu   sync.Mutex
	free []*desk
}

func (d *desks) take() *desk {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := len(d.free) - 1
	if last < 0 {
		return &desk{known: newRepeated()}
	}
	out := d.free[last]
	d.free = d.free[:last]
	return out
}

func (d *desks) put(one *desk) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free = append(d.free, one)
}

// readFile reads a file into a buffer, or a new one where that is too small.
func readFile(f files.File, buf []byte) ([]byte, error) {
	file, info, err := open(f)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info == nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
		return readAll(file)
	}
	size := int(info.Size())
	if cap(buf) <= size {
		buf = make([]byte, size+size/8+512)
	}
	buf = buf[:cap(buf)]
	n, err := io.ReadAtLeast(file, buf, max(size, 1))
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return buf[:n], nil
	case err != nil || n == size: // a regular file gives less than asked for only at its end
		return buf[:n], err
	}
	more, err := readAll(file) // it has grown
	return append(buf[:n:n], more...), err
}

// open opens a file, by files.OpenRegular where it is one. There is no info where
// that cannot be had.
func open(f files.File) (*os.File, os.FileInfo, error) {
	if f.Regular {
		if file, err := files.OpenRegular(f.Path); err == nil {
			if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
				return file, info, nil
			}
			file.Close()
		}
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		info = nil
	}
	return file, info, nil
}
