//go:build unix

package host

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// Each kept output has a head and a tail of this size.
const (
	headSize = 64 << 10
	tailSize = 64 << 10
)

// stream is one output of a job, on its way through this process. Nothing that
// fails behind it stops the reading: a full disk or a closed pipe of ours must
// not end the job.
type stream struct {
	read  *os.File // nil: the job writes by itself
	write *os.File // the job's end
	own   *os.File // a file that the job writes to by itself
	pass  io.Writer
	log   *keeper
	moved atomic.Int64
	done  chan struct{}
}

// open prepares an output: what the job is given, and what is done with it.
func open(mode, log string, pass io.Writer) (*stream, io.Writer, error) {
	if mode == runs.CaptureFile && log != "" {
		f, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return &stream{}, nil, err
		}
		return &stream{own: f}, f, nil
	}
	if f, ok := pass.(*os.File); ok && mode == runs.CaptureNone {
		return &stream{}, f, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return &stream{}, nil, err
	}
	s := &stream{read: r, write: w, pass: pass, done: make(chan struct{})}
	if mode == runs.CaptureTee && log != "" {
		s.log = keep(log)
	}
	return s, w, nil
}

func (s *stream) abandon() {
	for _, f := range []*os.File{s.read, s.write, s.own} {
		if f != nil {
			f.Close()
		}
	}
}

func (s *stream) begin() {
	if s.write == nil {
		return
	}
	s.write.Close()
	go s.copy()
}

func (s *stream) copy() {
	defer close(s.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.read.Read(buf)
		if n > 0 {
			s.take(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (s *stream) take(data []byte) {
	if s.log != nil {
		s.log.add(data)
	}
	if s.pass != nil {
		if _, err := s.pass.Write(data); err != nil {
			s.pass = nil // nobody reads on; the job is not to know
		}
	}
	s.moved.Add(int64(len(data)))
}

// mostWaits bounds how often a stream that still moves is waited for.
const mostWaits = 5

// finish waits for the end of the output: as long as it moves, but not for ever,
// since a descendant can hold the pipe and write on.
func (s *stream) finish(d time.Duration) (out runs.Stream, held bool) {
	if s.own != nil {
		if info, err := s.own.Stat(); err == nil {
			out.Kept = info.Size()
		}
		s.own.Close()
		return out, false
	}
	if s.read == nil {
		return out, false
	}
	held = !s.drained(d)
	if held {
		s.read.SetReadDeadline(time.Now())
		held = !s.drained(d) || held
	}
	s.read.Close()
	if s.log == nil {
		return out, held
	}
	if held && stillOpen(s.done) {
		return runs.Stream{Failed: s.moved.Load()}, held
	}
	return s.log.finish(), held
}

func stillOpen(done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	default:
		return true
	}
}

func (s *stream) drained(d time.Duration) bool {
	for range mostWaits {
		before := s.moved.Load()
		t := time.NewTimer(d)
		select {
		case <-s.done:
			t.Stop()
			return true
		case <-t.C:
		}
		if s.moved.Load() == before {
			return false
		}
	}
	return false
}

// keeper keeps the head of an output in a file as it comes, and its tail in
// memory until the end.
type keeper struct {
	file   *os.File
	head   int64
	total  int64
	failed int64
	tail   []byte // a ring
	at     int
}

func keep(name string) *keeper {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		f = nil
	}
	return &keeper{file: f}
}

func (k *keeper) add(data []byte) {
	k.total += int64(len(data))
	if room := headSize - k.head; room > 0 {
		n := min(room, int64(len(data)))
		k.put(data[:n])
		k.head += n
		data = data[n:]
	}
	if len(data) > tailSize {
		data = data[len(data)-tailSize:]
	}
	for len(data) > 0 {
		if len(k.tail) < tailSize {
			n := min(tailSize-len(k.tail), len(data))
			k.tail = append(k.tail, data[:n]...)
			data = data[n:]
			continue
		}
		n := copy(k.tail[k.at:], data)
		k.at = (k.at + n) % tailSize
		data = data[n:]
	}
}

func (k *keeper) put(data []byte) {
	if k.file == nil {
		k.failed += int64(len(data))
		return
	}
	n, err := k.file.Write(data)
	if err != nil {
		k.failed += int64(len(data) - n)
		k.file.Close()
		k.file = nil
	}
}

// finish writes the tail, and between head and tail how much is missing.
func (k *keeper) finish() runs.Stream {
	out := runs.Stream{Kept: k.head + int64(len(k.tail))}
	out.Dropped = k.total - out.Kept
	if out.Dropped > 0 && k.file != nil {
		fmt.Fprintf(k.file, "\n[rolecall: %d bytes are left out here]\n", out.Dropped)
	}
	k.put(k.tail[k.at:])
	k.put(k.tail[:k.at])
	out.Failed, out.Kept = k.failed, out.Kept-k.failed
	if k.file != nil {
		k.file.Close()
	}
	return out
}
