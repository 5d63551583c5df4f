package cli

import (
	"bufio"
	"bytes"
	"cmp"
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

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// repository is a git checkout. Objects are read by git's own plumbing, as they
// were committed: no attribute, filter, hook or replacement has a say, nothing is
// written to the repository, and no connection is opened, also where objects of a
// partial clone are missing.
type repository struct{ top string }

// openRepository finds the checkout that a folder is in.
func openRepository(ctx context.Context, dir string) (repository, error) {
	if dir == "" {
		dir = "."
	}
	out, err := repository{dir}.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return repository{}, fmt.Errorf("%s is in no git checkout that can be read: %w; run it in the checkout, where git is installed", dir, err)
	}
	return repository{filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))}, nil
}

// environment of git: that of the program, but for what would let a repository or
// a user's settings change what is read.
func gitEnvironment() []string {
	return append(os.Environ(), "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

func (r repository) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.top}, args...)...)
	cmd.Env = gitEnvironment()
	return cmd
}

// run is the output of a git command. The error holds what git said.
func (r repository) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := r.command(ctx, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w while git was reading; no report was written", audit.ErrInterrupted)
	case err != nil && said.Len() > 0:
		return nil, fmt.Errorf("git %s: %s", args[0], strings.Join(strings.Fields(said.String()), " "))
	case err != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// commit is the commit that a revision names.
func (r repository) commit(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
		return "", fmt.Errorf("%s is not a revision; name a branch, tag or commit, for example origin/main", strict.Quote(rev))
	}
	if a, b, ok := strings.Cut(rev, ".."); ok {
		return "", fmt.Errorf("%s is a range of revisions, and one revision, not a range, is to be named: %s or %s", strict.Quote(rev), cmp.Or(a, "HEAD"), cmp.Or(strings.TrimPrefix(b, "."), "HEAD"))
	}
	out, err := r.run(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if errors.Is(err, audit.ErrInterrupted) {
		return "", err
	}
	if err != nil {
		return "", fmt.Errorf("the revision %s is not in this checkout%s", strict.Quote(rev), r.howToGet(ctx, rev))
	}
	return strings.TrimSpace(string(out)), nil
}

// howToGet is the next step where a revision is missing.
func (r repository) howToGet(ctx context.Context, rev string) string {
	remote, branch, ok := strings.Cut(rev, "/")
	if ok {
		if _, err := r.run(ctx, "config", "--get", "remote."+remote+".url"); err != nil {
			ok = false
		}
	}
	fetch := "git fetch origin"
	if ok {
		fetch = "git fetch " + remote + " " + branch + ":refs/remotes/" + rev
	}
	if r.shallow(ctx) {
		return ", which is a shallow clone; clone it whole (fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab), or get it with: " + fetch
	}
	return "; get it with: " + fetch
}

func (r repository) shallow(ctx context.Context) bool {
	out, err := r.run(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(out)) == "true"
}

// mergeBase is the best common ancestor of two commits; empty if none is known.
func (r repository) mergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.run(ctx, "merge-base", a, b)
	if errors.Is(err, audit.ErrInterrupted) {
		return "", err
	}
	if err != nil {
		return "", nil // git says so by its exit code, also where history is cut off
	}
	return strings.TrimSpace(string(out)), nil
}

// rel is a path below the top of the checkout, with slashes.
func (r repository) rel(name string) (string, bool) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	// links in the way to a folder are taken out as git does, the last part is
	// kept, since it may be a link in the repository
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	top := r.top
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// entry is a file, link or submodule of a tree.
type entry struct {
	mode string // 100644, 100755, 120000 (a link), 160000 (a submodule)
	blob string
	path string
}

func (e entry) isLink() bool { return e.mode == "120000" }
func (e entry) isFile() bool { return strings.HasPrefix(e.mode, "100") }

// commitTree is all that a commit holds.
type commitTree struct {
	repository
	entries map[string]entry
	blobs   *blobs
}

// tree lists a commit and makes its files readable. Close ends that.
func (r repository) tree(ctx context.Context, commit string) (*commitTree, error) {
	out, err := r.run(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	t := &commitTree{repository: r, entries: map[string]entry{}}
	for _, row := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if row == "" {
			continue
		}
		e, err := parseEntry(row)
		if err != nil {
			return nil, err
		}
		if fs.ValidPath(e.path) && !slices.ContainsFunc(strings.Split(e.path, "/"), func(p string) bool { return strings.EqualFold(p, ".git") }) {
			t.entries[e.path] = e
		}
	}
	t.blobs, err = r.blobs(ctx)
	return t, err
}

// parseEntry reads a row of git ls-tree: MODE TYPE HASH, a tab, the path.
func parseEntry(row string) (entry, error) {
	head, name, ok := strings.Cut(row, "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 3 {
		return entry{}, fmt.Errorf("git ls-tree gives %s, which is no entry of a tree", strict.Quote(row))
	}
	return entry{mode: f[0], blob: f[2], path: name}, nil
}

func (t *commitTree) Close() error { return t.blobs.close() }

// maxLinks is how many links one path may lead over.
const maxLinks = 40

// real is the path that a path leads to over the links of the tree. One that
// leads out of the tree, or nowhere, is fs.ErrNotExist.
func (t *commitTree) real(name string) (string, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	rest, done := strings.Split(path.Clean(name), "/"), ""
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && done == "":
			return "", missing
		case part == "..":
			if done = path.Dir(done); done == "." {
				done = ""
			}
			continue
		}
		done = path.Join(done, part)
		e, ok := t.entries[done]
		if !ok || !e.isLink() {
			continue
		}
		target, err := t.blobs.read(e.blob, maxPath)
		if links++; err != nil || links > maxLinks || path.IsAbs(string(target)) {
			return "", missing
		}
		rest = append(strings.Split(string(target), "/"), rest...)
		if done = path.Dir(done); done == "." {
			done = ""
		}
	}
	return done, nil
}

const maxPath = 4096

// read is the text of a file, as it was committed.
func (t *commitTree) read(name string, most int64) ([]byte, error) {
	at, err := t.real(name)
	if err != nil {
		return nil, err
	}
	e, ok := t.entries[at]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case !e.isFile():
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	return t.blobs.read(e.blob, most)
}

// has says that there is a file under a name.
func (t *commitTree) has(name string) bool {
	at, err := t.real(name)
	return err == nil && t.entries[at].isFile()
}

// maxBlob is the largest file that is taken out of a tree.
const maxBlob = 256 << 20

// extract writes what lies at or below some paths into a folder, and what links
// there lead to. A link that leads out of the tree is left out, and so is a
// submodule: what it holds is not in the repository.
func (t *commitTree) extract(ctx context.Context, dir string, paths []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	x := extraction{t, root, map[string]bool{}}
	for len(paths) > 0 {
		var more []string
		for _, e := range t.under(paths) {
			if ctx.Err() != nil {
				return fmt.Errorf("%w while files were taken out of git; no report was written", audit.ErrInterrupted)
			}
			also, err := x.put(e)
			if err != nil {
				return fmt.Errorf("%s: %w", e.path, err)
			}
			more = append(more, also...)
		}
		paths = more
	}
	return nil
}

// under are the entries at or below some paths, and the links on the way to them.
func (t *commitTree) under(paths []string) []entry {
	var out []entry
	for name, e := range t.entries {
		if slices.ContainsFunc(paths, func(p string) bool {
			return p == "." || name == p || strings.HasPrefix(name, p+"/") || e.isLink() && strings.HasPrefix(p, name+"/")
		}) {
			out = append(out, e)
		}
	}
	arrange.By(out, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return out
}

type extraction struct {
	*commitTree
	root *os.Root
	done map[string]bool
}

// put writes one entry and says what it leads to.
func (x extraction) put(e entry) ([]string, error) {
	if x.done[e.path] || !e.isLink() && !e.isFile() || !filepath.IsLocal(filepath.FromSlash(e.path)) {
		return nil, nil
	}
	x.done[e.path] = true
	data, err := x.blobs.read(e.blob, maxBlob)
	if errors.Is(err, errTooLarge) {
		return nil, nil // nor is it read in the checkout
	}
	if err != nil {
		return nil, err
	}
	name := filepath.FromSlash(e.path)
	if err := x.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	if !e.isLink() {
		return nil, x.root.WriteFile(name, data, 0o600)
	}
	to, ok := linkTarget(e.path, string(data))
	if !ok {
		return nil, nil
	}
	return []string{to}, x.root.Symlink(filepath.FromSlash(string(data)), name)
}

// linkTarget is where a link leads, if that is surely in the tree: up only at
// its beginning, and not above the top.
func linkTarget(at, target string) (string, bool) {
	if target == "" || len(target) > maxPath || path.IsAbs(target) || strings.ContainsAny(target, "\x00\\") {
		return "", false
	}
	down := false
	for _, part := range strings.Split(target, "/") {
		if part == ".." && down {
			return "", false
		}
		down = down || part != ".." && part != "." && part != ""
	}
	to := path.Join(path.Dir(at), target)
	return to, to != ".." && !strings.HasPrefix(to, "../")
}

// blobs reads objects one after the other from one git process.
type blobs struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *bytes.Buffer // what git says on its standard error; to be read when it has ended
}

var errTooLarge = errors.New("too large")

func (r repository) blobs(ctx context.Context) (*blobs, error) {
	cmd := r.command(ctx, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b := &blobs{cmd, in, bufio.NewReaderSize(out, 1<<16), &bytes.Buffer{}}
	cmd.Stderr = b.said
	return b, cmd.Start()
}

// read is an object's content; one that is larger than most is an error.
func (b *blobs) read(hash string, most int64) ([]byte, error) {
	if _, err := io.WriteString(b.in, hash+"\n"); err != nil {
		return nil, b.missing(hash)
	}
	head, err := b.out.ReadString('\n')
	f := strings.Fields(head) // HASH TYPE SIZE, or HASH missing
	if err != nil || len(f) != 3 {
		return nil, b.missing(hash)
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if size > most {
		if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		return nil, fmt.Errorf("%w: %d bytes", errTooLarge, size)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return data[:size], nil
}

// missing is the error about an object that git did not give. In a partial clone
// git ends over it, since it may not fetch.
func (b *blobs) missing(hash string) error {
	_ = b.close()
	said := ""
	if text := strings.Join(strings.Fields(b.said.String()), " "); text != "" {
		said = " (" + text + ")"
	}
	return fmt.Errorf("git does not have the object %s here%s; nothing is fetched by rolecall: clone without a filter, or get all objects with: git fetch --no-filter --refetch", hash, said)
}

func (b *blobs) close() error {
	_ = b.in.Close()
	_, _ = io.Copy(io.Discard, b.out)
	return b.cmd.Wait()
}
