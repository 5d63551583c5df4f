package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// Store is a state folder on a machine:
//
//	admission.lock drain.json drain.lock
//	roles/ROLE/{lock,watermark.json,hold.json,release-ID.json}
//	runs/ROLE/RUN-ID/{scheduled,started,checkpoint,stop-request,gate,terminal,late-N}.json
//	runs/ROLE/RUN-ID/{owner.lock,desc.lock,out.log,err.log,staging/}
type Store struct {
	Machine
	Root string // absolute
}

func (s *Store) admissionLock() string { return path.Join(s.Root, "admission.lock") }
func (s *Store) drainMark() string     { return path.Join(s.Root, "drain.json") }
func (s *Store) drainLock() string     { return path.Join(s.Root, "drain.lock") }
func (s *Store) runsDir() string       { return path.Join(s.Root, "runs") }

func (s *Store) roleDir(role string) string  { return path.Join(s.Root, "roles", dirName(role)) }
func (s *Store) roleLock(role string) string { return path.Join(s.roleDir(role), "lock") }
func (s *Store) roleRuns(role string) string { return path.Join(s.runsDir(), dirName(role)) }

// RunDir is the folder of a run.
func (s *Store) RunDir(role, id string) string { return path.Join(s.roleRuns(role), id) }

// dirName is a role's key as the name of a folder: one that begins with a dot
// would be hidden, or another folder.
func dirName(role string) string {
	if rest, dotted := strings.CutPrefix(role, "."); dotted {
		return "%2e" + rest
	}
	return role
}

func roleOf(dir string) string {
	if rest, dotted := strings.CutPrefix(dir, "%2e"); dotted {
		return "." + rest
	}
	return dir
}

// CheckRole refuses what is no role's key.
func CheckRole(role string) error {
	if !specs.ValidRoleKey(role) {
		return fmt.Errorf("the role %q is not 1 to 63 letters, digits, dots, underscores and hyphens; give its key in the ledger", role)
	}
	return nil
}

// newID is number-token: a role's runs sort by it in the order in which they
// were scheduled, whatever the clock says.
func newID(number int, token string) string { return fmt.Sprintf("%06d-%s", number, token) }

// numberOf is the number in a run's id.
func numberOf(id string) (int, bool) {
	digits, token, ok := strings.Cut(id, "-")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && token != "" && len(digits) >= 6
}

// before orders two run ids of a role.
func before(a, b string) int {
	x, _ := numberOf(a)
	y, _ := numberOf(b)
	if x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

// mkdirs makes the folders from the root down to dir, each name durable.
func (s *Store) mkdirs(dirs ...string) error {
	for _, d := range dirs {
		switch err := s.FS.Mkdir(d); {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return err
		default:
			if err := s.FS.SyncDir(path.Dir(d)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeNew writes a file whole and synced under a name that nobody reads.
func (s *Store) writeNew(name string, data []byte) error {
	f, err := s.FS.Create(name)
	if err != nil {
		return err
	}
	return fill(f, data)
}

func fill(f File, data []byte) error {
	_, werr := f.Write(data)
	if werr == nil {
		werr = f.Sync()
	}
	return errors.Join(werr, f.Close())
}

// once creates a file that nobody will ever replace. It reports whether this
// call made it; false is that another had. reserved names a file with room set
// aside, for a disk that is full; empty if there is none.
func (s *Store) once(name string, data []byte, reserved string) (bool, error) {
	tmp, err := s.prepared(name, data, reserved)
	if err != nil {
		return false, err
	}
	defer s.FS.Remove(tmp)
	switch err := s.FS.Link(tmp, name); {
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case err != nil:
		// The link may be there although the answer was lost.
		if got, rerr := s.FS.ReadFile(name); rerr != nil || string(got) != string(data) {
			return false, err
		}
	}
	return true, s.FS.SyncDir(path.Dir(name))
}

// prepared is a synced file with the data, beside the name that it will get.
func (s *Store) prepared(name string, data []byte, reserved string) (string, error) {
	tmp := s.beside(name)
	err := s.writeNew(tmp, data)
	if err == nil || reserved == "" {
		if err != nil {
			s.FS.Remove(tmp)
		}
		return tmp, err
	}
	s.FS.Remove(tmp)
	f, rerr := s.FS.Reopen(reserved)
	if rerr != nil {
		return "", errors.Join(err, rerr)
	}
	if rerr := fill(f, data); rerr != nil {
		return "", errors.Join(err, rerr)
	}
	return reserved, nil
}

func (s *Store) beside(name string) string {
	return path.Join(path.Dir(name), "."+path.Base(name)+"."+s.Token()+".tmp")
}

// replace puts a file in the place of another in one step.
func (s *Store) replace(name string, data []byte) error {
	tmp := s.beside(name)
	if err := s.writeNew(tmp, data); err != nil {
		s.FS.Remove(tmp)
		return err
	}
	if err := s.FS.Rename(tmp, name); err != nil {
		s.FS.Remove(tmp)
		return err
	}
	return s.FS.SyncDir(path.Dir(name))
}

// stamp is the header of a record that is written now.
func (s *Store) stamp(kind, role, id string, seq int) Header {
	return Header{Schema: Schema, Kind: kind, RunID: id, Role: role, Seq: seq,
		Wall: s.Wall().UTC(), Boot: int64(s.Boot()), BootID: s.Host.BootID}
}

// record encodes a body with its header.
func record[T any](s *Store, kind, role, id string, seq int, body T) ([]byte, error) {
	return Encode(Record[T]{Header: s.stamp(kind, role, id, seq), Body: body})
}

// read decodes a file. It is nil without an error if there is none.
func read[T any](s *Store, kind, name string) (*Record[T], error) {
	var r Record[T]
	if there, err := s.readInto(kind, name, &r.Header, &r); !there || err != nil {
		return nil, err
	}
	return &r, nil
}

// readInto decodes a file into a record, of which h is the header.
func (s *Store) readInto(kind, name string, h *Header, record any) (there bool, err error) {
	data, err := s.FS.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := unseal(kind, data, h, record); err != nil {
		return true, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}

// patiently tries to take a lock until it is free or the bound has passed.
func (s *Store) patiently(bound time.Duration, take func() (Lock, error)) (Lock, error) {
	over, stop := s.After(bound)
	defer stop()
	for {
		l, err := take()
		if !errors.Is(err, ErrBusy) {
			return l, err
		}
		tick, stopTick := s.After(lockPoll)
		select {
		case <-tick:
		case <-over:
			stopTick()
			return nil, err
		}
	}
}

// CheckID refuses what is no run's id.
func CheckID(id string) error {
	if _, ok := numberOf(id); !ok || strings.ContainsAny(id, "/\x00") {
		return fmt.Errorf("%q is no run's id; see: rolecall runs list", id)
	}
	return nil
}
