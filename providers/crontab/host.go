package crontab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Host is what a crontab provider needs of a machine. Paths of the live side
// are absolute below the host's root, and links in them are followed within it.
type Host interface {
	// Lstat does not follow the last link of a path, Stat does.
	Lstat(path string) (Info, error)
	Stat(path string) (Info, error)
	// Target is what a link says, as it is written.
	Target(path string) (string, error)
	// Read gives a file's bytes. What was read before an error comes with it;
	// anything but a regular file is ErrNotRegular.
	Read(path string) ([]byte, Info, error)
	// List gives the names in a folder, sorted; those read before an error too.
	List(path string) ([]string, error)
	// Crontab runs crontab -l for a user; ErrNoTable if there is none.
	Crontab(ctx context.Context, user string) ([]byte, error)
	// Account looks up a user; ErrNoAccount if there is none.
	Account(name string) (Account, error)
	// AccountName is the name of a user id, or the number if it has none.
	AccountName(uid uint32) string
	// Local reads a file by this process's own paths, the offline side; - is
	// standard input, the same bytes each time. It may be called at once.
	Local(path string) ([]byte, error)
}

// What a Host says beside the errors of io/fs.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrNoTable    = errors.New("no crontab for the user")
	ErrNoAccount  = errors.New("no such user")
	errTooBig     = fmt.Errorf("the file is larger than %d MiB; split it", maxSize>>20)
	errUnsteady   = errors.New("the file kept changing while it was read; run again")
)

// Info is what a daemon looks at before it loads a file.
type Info struct {
	Type  fs.FileMode // the type bits
	Perm  uint32      // the low twelve bits of the mode: permissions, setuid, setgid, sticky
	UID   uint32
	Links uint64
	Size  int64
	Time  time.Time // of the last change of the content
}

// Account is a user of the host.
type Account struct {
	Name string
	UID  uint32
	Home string
}

// lookupTime bounds a question to the machine's user databases.
const lookupTime = 10 * time.Second

// maxSize bounds what is read of one file.
const maxSize = 256 << 20

// NewHost is the machine below a root: / for this one, or a mounted image or a
// container's file system. Only for / is crontab(1) run.
func NewHost(root string, stdin io.Reader) Host {
	if root == "" {
		root = "/"
	}
	return &machine{root: filepath.Clean(root), stdin: stdin}
}

type machine struct {
	root  string
	stdin io.Reader
	once  sync.Once
	input []byte
	err   error
}

func (m *machine) Lstat(p string) (Info, error) { return m.stat(p, false) }
func (m *machine) Stat(p string) (Info, error)  { return m.stat(p, true) }

func (m *machine) stat(p string, follow bool) (Info, error) {
	real, err := m.resolve(p, follow)
	if err != nil {
		return Info{}, err
	}
	info, err := os.Lstat(real)
	if err == nil && follow && m.root == "/" {
		info, err = os.Stat(real)
	}
	if err != nil {
		return Info{}, err
	}
	return infoOf(info), nil
}

func (m *machine) Target(p string) (string, error) {
	real, err := m.resolve(p, false)
	if err != nil {
		return "", err
	}
	return os.Readlink(real)
}

func (m *machine) Read(p string) ([]byte, Info, error) {
	real, err := m.resolve(p, true)
	if err != nil {
		return nil, Info{}, err
	}
	return readSteady(real)
}

func (m *machine) List(p string) ([]string, error) {
	real, err := m.resolve(p, true)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(real)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	slices.Sort(names)
	return names, err
}

func (m *machine) Local(p string) ([]byte, error) {
	if p != "-" {
		data, _, err := readSteady(p)
		return data, err
	}
	m.once.Do(func() {
		if m.stdin == nil {
			m.err = errors.New("there is no standard input")
		} else if m.input, m.err = io.ReadAll(io.LimitReader(m.stdin, maxSize+1)); len(m.input) > maxSize {
			m.err = errTooBig
		}
	})
	return m.input, m.err
}

// mostLinks is how many links Linux follows in one path.
const mostLinks = 40

// resolve gives the real path of a path below the root. Links are followed by
// hand, so that an absolute one in an image stays in the image.
func (m *machine) resolve(p string, follow bool) (string, error) {
	if m.root == "/" {
		return path.Clean("/" + p), nil
	}
	at, rest, links := "/", strings.Split(p, "/"), 0
	for len(rest) > 0 {
		step := rest[0]
		rest = rest[1:]
		next := path.Join(at, step) // cleans, and does not leave /
		if step == "" || step == "." || step == ".." {
			at = next
			continue
		}
		target, err := os.Readlink(filepath.Join(m.root, next))
		if err != nil || len(rest) == 0 && !follow {
			at = next
			continue
		}
		if links++; links > mostLinks {
			return "", &fs.PathError{Op: "open", Path: filepath.Join(m.root, p), Err: syscall.ELOOP}
		}
		if path.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return filepath.Join(m.root, at), nil
}

// readSteady reads a whole file, again if it was changed meanwhile.
func readSteady(p string) (data []byte, info Info, err error) {
	for range 3 {
		var steady bool
		if data, info, steady, err = readOnce(p); err != nil || steady {
			return data, info, err
		}
	}
	return data, info, &fs.PathError{Op: "read", Path: p, Err: errUnsteady}
}

func readOnce(p string) (data []byte, info Info, steady bool, err error) {
	f, err := openFile(p)
	if err != nil {
		return nil, Info{}, false, err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, Info{}, false, err
	}
	info = infoOf(before)
	switch {
	case info.Type != 0:
		return nil, info, false, &fs.PathError{Op: "read", Path: p, Err: ErrNotRegular}
	case info.Size > maxSize:
		return nil, info, false, &fs.PathError{Op: "read", Path: p, Err: errTooBig}
	}
	buf := bytes.NewBuffer(make([]byte, 0, info.Size+bytes.MinRead))
	if _, err = buf.ReadFrom(io.LimitReader(f, maxSize)); err != nil {
		return buf.Bytes(), info, false, err
	}
	after, err := f.Stat()
	if err != nil {
		return buf.Bytes(), info, false, err
	}
	steady = int64(buf.Len()) == after.Size() && before.Size() == after.Size() && before.ModTime().Equal(after.ModTime())
	return buf.Bytes(), info, steady, nil
}

// Crontab leaves out -u for the process's own user, which crontab(1) wants.
func (m *machine) Crontab(ctx context.Context, name string) ([]byte, error) {
	if m.root != "/" {
		return nil, fmt.Errorf("crontab -l -u %s looks at this machine and not below %s: %w", name, m.root, fs.ErrPermission)
	}
	args := []string{"-l", "-u", name}
	if own, err := m.Account(name); err == nil && int(own.UID) == os.Geteuid() && own.UID != 0 {
		args = args[:1]
	}
	cmd := exec.CommandContext(ctx, "crontab", args...)
	// Debian's hides three lines of header unless told otherwise.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "CRONTAB_NOHEADER=N")
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	return out.Bytes(), crontabError("crontab -l -u "+name, err, name, diag.String())
}

// crontabError is why a call of crontab(1) for a user failed.
func crontabError(call string, err error, name, diag string) error {
	said := strings.Join(strings.Fields(strings.ToValidUTF8(diag, "?")), " ")
	said = said[:min(len(said), 200)]
	switch {
	case strings.Contains(said, "no crontab for "+name), strings.Contains(said, "can't open '"+name+"': No such file"):
		return ErrNoTable
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no crontab program: %w", fs.ErrNotExist)
	case strings.Contains(said, "privileged"), strings.Contains(said, "not allowed"), strings.Contains(strings.ToLower(said), "permission denied"), strings.Contains(said, "must be suid"):
		return fmt.Errorf("%s: %s: %w", call, said, fs.ErrPermission)
	}
	return fmt.Errorf("%s: %w: %s", call, err, said)
}

// Account reads the root's passwd; on this machine the other sources of users
// are asked too, since the daemon asks them.
func (m *machine) Account(name string) (Account, error) {
	if name == "" || strings.ContainsAny(name, ":/\x00\n") || strings.HasPrefix(name, "-") {
		return Account{}, ErrNoAccount
	}
	a, err := m.passwd(func(a Account) bool { return a.Name == name })
	if m.root != "/" || !errors.Is(err, ErrNoAccount) {
		return a, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, "getent", "passwd", name).Output()
	if ctx.Err() != nil {
		return Account{}, fmt.Errorf("looking up the user %q: %w", name, ctx.Err())
	}
	if err != nil {
		return Account{}, ErrNoAccount
	}
	if a, ok := parseAccount(strings.TrimSuffix(string(out), "\n")); ok && a.Name == name {
		return a, nil
	}
	return Account{}, ErrNoAccount
}

// AccountName prefers the user database to a bare number.
func (m *machine) AccountName(uid uint32) string {
	if a, err := m.passwd(func(a Account) bool { return a.UID == uid }); err == nil {
		return a.Name
	}
	return strconv.FormatUint(uint64(uid), 10)
}

func (m *machine) passwd(is func(Account) bool) (Account, error) {
	data, _, err := m.Read("/etc/passwd")
	if err != nil {
		return Account{}, err
	}
	for line := range strings.Lines(string(data)) {
		if a, ok := parseAccount(strings.TrimSuffix(line, "\n")); ok && is(a) {
			return a, nil
		}
	}
	return Account{}, ErrNoAccount
}

func parseAccount(line string) (Account, bool) {
	f := strings.Split(line, ":")
	if len(f) < 6 || f[0] == "" {
		return Account{}, false
	}
	uid, err := strconv.ParseUint(f[2], 10, 32)
	return Account{Name: f[0], UID: uint32(uid), Home: f[5]}, err == nil
}
