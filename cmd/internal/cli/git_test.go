package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gitRepository is an empty repository, in which neither the user's settings nor
// the machine's count.
func gitRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal(err)
		}
		t.Skip("no git here")
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("HOME", t.TempDir())
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "test")
		t.Setenv("GIT_"+who+"_EMAIL", "test@example.org")
	}
	r := repository{t.TempDir()}
	git(t, r, "", "init", "-q", "-b", "main")
	return r
}

func git(t *testing.T, r repository, stdin string, args ...string) string {
	t.Helper()
	cmd := r.command(context.Background(), args...)
	cmd.Stdin = strings.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, said.String())
	}
	return strings.TrimSpace(string(out))
}

// plant makes a commit of entries that no checkout could hold. Folders are nested
// by hand, since git refuses such paths in its index.
func plant(t *testing.T, r repository, entries map[string]string) string {
	t.Helper()
	trees := map[string]string{"": ""}
	row := func(dir, mode, kind, hash, name string) {
		trees[dir] += fmt.Sprintf("%s %s %s\t%s\x00", mode, kind, hash, name)
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		text := entries[name]
		mode := "100644"
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			mode, text = "120000", target
		}
		dir, base := "", name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			dir, base = name[:i], name[i+1:]
		}
		row(dir, mode, "blob", git(t, r, text, "hash-object", "-w", "--stdin"), base)
	}
	for dir, rows := range trees {
		if dir != "" {
			row("", "040000", "tree", git(t, r, rows, "mktree", "-z"), dir)
		}
	}
	top := git(t, r, trees[""], "mktree", "-z")
	return git(t, r, "planted", "commit-tree", top)
}

// TestExtractStaysInside takes a hostile tree out of git: nothing is written, and
// nothing can be read, outside of the folder.
func TestExtractStaysInside(t *testing.T) {
	r := gitRepository(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	commit := plant(t, r, map[string]string{
		"plain":     "plain text",
		"sub/file":  "below",
		"absolute":  "-> " + outside,
		"up":        "-> ../outside",
		"sub/up":    "-> ../../x",
		"sub/same":  "-> ../plain",
		"folder":    "-> sub",
		"chain":     "-> folder/../../outside",
		"circle":    "-> circle",
		"dangling":  "-> nothing",
		"../evil":   "out",
		"..":        "out",
		".git/head": "x",
		"back\\nul": "odd",
		"new\nline": "odd",
		"\xff\x1b[": "odd",
	})
	tree, err := r.tree(context.Background(), commit)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := tree.extract(context.Background(), root, []string{"."}); err != nil {
		t.Fatal(err)
	}
	if beside, _ := os.ReadDir(filepath.Dir(root)); len(beside) != 1 {
		t.Errorf("beside the folder stands %v", beside)
	}
	for name, want := range map[string]string{"plain": "plain text", "sub/file": "below", "sub/same": "plain text", "folder/file": "below"} {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
		}
		if got, err := tree.read(name, 100); err != nil || string(got) != want {
			t.Errorf("%s reads %q (%v), want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"absolute", "up", "sub/up", "chain", ".git/head", "absolute/secret"} {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			t.Errorf("%s was taken out", name)
		}
		if _, err := tree.read(name, 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s reads with %v", name, err)
		}
	}
	for _, name := range []string{"circle", "dangling", "../evil", ".."} {
		if _, err := tree.read(name, 100); err == nil {
			t.Errorf("%s can be read", name)
		}
	}
	if _, err := tree.read("plain", 3); err == nil {
		t.Error("more than is asked for was read")
	}
	if got, err := tree.read("plain", 10); err != nil || string(got) != "plain text" {
		t.Errorf("after a refusal: %q %v", got, err)
	}
}

// TestExtractTakesWhatIsAskedFor: the paths, the links on the way to them and
// what these lead to, whatever the attributes say.
func TestExtractTakesWhatIsAskedFor(t *testing.T) {
	r := gitRepository(t)
	commit := plant(t, r, map[string]string{
		".gitattributes": "* export-ignore export-subst text eol=crlf\n",
		"real/a.yaml":    "$Format:%H$\n", "real/b.txt": "b\n", "deploy": "-> real", "other/c": "c\n",
	})
	tree, err := r.tree(context.Background(), commit)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	root := t.TempDir()
	if err := tree.extract(context.Background(), root, []string{"deploy/a.yaml"}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "deploy/a.yaml")); err != nil || string(got) != "$Format:%H$\n" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(root, "other")); err == nil {
		t.Error("what nobody asked for was taken out")
	}
}

func TestLinkTarget(t *testing.T) {
	for _, c := range []struct{ at, target, want string }{
		{"a", "b", "b"}, {"a/b", "c", "a/c"}, {"a/b", "../c", "c"}, {"a/b/c", "../../d/e", "d/e"}, {"a", "./b", "b"},
		{"a", "../b", ""}, {"a/b", "../../c", ""}, {"a", "/etc", ""}, {"a", "", ""}, {"a", "b/../c", ""}, {"a", "b/../../c", ""},
		{"a", "b\x00c", ""}, {"a", `b\c`, ""}, {"a/b", "..", "."}, {"a", "..", ""},
	} {
		got, ok := linkTarget(c.at, c.target)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s -> %q leads to %q (%t), want %q", c.at, c.target, got, ok, c.want)
		}
	}
}

// A revision is never taken for an option, and nothing is fetched.
func TestRevisions(t *testing.T) {
	r := gitRepository(t)
	want := plant(t, r, map[string]string{"a": "a"})
	git(t, r, "", "update-ref", "refs/heads/main", want)
	for _, bad := range []string{"", "-n", "--output=x", "main\n", "nothing", "main:a"} {
		if got, err := r.commit(context.Background(), bad); err == nil {
			t.Errorf("%q is %s", bad, got)
		}
	}
	for _, good := range []string{"main", "HEAD", want, want[:10], "refs/heads/main"} {
		if got, err := r.commit(context.Background(), good); err != nil || got != want {
			t.Errorf("%q is %s (%v)", good, got, err)
		}
	}
	if _, err := (repository{t.TempDir()}).commit(context.Background(), "main"); err == nil {
		t.Error("a folder that is no repository has a commit")
	}
}

func TestInterruptedGit(t *testing.T) {
	r := gitRepository(t)
	commit := plant(t, r, map[string]string{"a": "a"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.tree(ctx, commit); codeOf(ctx, notInterrupted(err)) != exitInterrupt {
		t.Errorf("ends with %v", err)
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add("100644 blob 3f2a\ta")
	f.Add("160000 commit 3f2a\tsub")
	f.Add("\t\t")
	f.Add("")
	f.Fuzz(func(t *testing.T, row string) {
		e, err := parseEntry(row)
		if err == nil && !strings.HasSuffix(row, "\t"+e.path) {
			t.Errorf("%q has the path %q", row, e.path)
		}
	})
}
