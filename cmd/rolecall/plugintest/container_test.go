package plugintest

import (
	"bytes"
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/opencontainers/go-digest"
)

const containerfile = deploy + "/container/Containerfile"

// registry knows every image, as one that says nothing of itself.
type registry struct{}

func (registry) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, digest.FromString(ref), []byte(`{"architecture":"amd64","os":"linux","config":{}}`), nil
}

// checks are what docker build --check says of a file.
func checks(t *testing.T, text string) []string {
	t.Helper()
	// The state is where BuildKit would have the file itself from.
	where := llb.Scratch()
	def, err := where.Marshal(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	source := llb.NewSourceMap(&where, "Containerfile", "Dockerfile", []byte(text))
	source.Definition = def
	got, err := dockerfile2llb.DockerfileLint(context.Background(), []byte(text), dockerfile2llb.ConvertOpt{
		MetaResolver: registry{}, SourceMap: source,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	if got.Error != nil {
		out = append(out, got.Error.Message)
	}
	for _, w := range got.Warnings {
		out = append(out, w.RuleName+": "+w.Detail)
	}
	return out
}

func TestContainerfileIsChecked(t *testing.T) {
	text := read(t, containerfile)
	if got := checks(t, text); len(got) > 0 {
		t.Errorf("%q", got)
	}
	for from, to := range map[string]string{"AS build": "as build", "ARG GO_VERSION=1.26": "ARG GO_VERSION", `CMD ["help"]`: "CMD help"} {
		if len(checks(t, strings.Replace(text, from, to, 1))) == 0 {
			t.Errorf("%q is not seen", to)
		}
	}
}

func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	parsed, err := parser.Parse(strings.NewReader(read(t, containerfile)))
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := instructions.Parse(parsed.AST, linter.New(&linter.Config{}))
	if err != nil || len(out) != 2 {
		t.Fatalf("%d stages, %v", len(out), err)
	}
	return out
}

// box is a folder in place of a container's file system.
type box struct {
	t    *testing.T
	root string
	cwd  string // within it
	user string
	run  [][]string // ENTRYPOINT and CMD
}

func (b *box) path(p string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(b.cwd, p)
	}
	return filepath.Join(b.root, p)
}

// TestContainerSteps takes the steps of the file by hand: no engine runs them,
// so a folder is in place of each stage. What is left at last must run as the
// user that the file names, in a root that holds nothing else.
func TestContainerSteps(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change its root")
	}
	if _, err := os.Stat("/etc/ssl/certs/ca-certificates.crt"); err != nil {
		absent(t, err)
	}
	build := &box{t: t, root: t.TempDir(), cwd: "/"}
	final := &box{t: t, root: t.TempDir(), cwd: "/"}
	for i, s := range stages(t) {
		b := []*box{build, final}[i]
		for _, c := range s.Commands {
			b.take(c, build)
		}
	}
	isStatic(t, final.path("/usr/bin/rolecall"))
	if !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(final.user) {
		t.Errorf("user %q is no plain number other than root's", final.user)
	}
	if len(final.run) != 2 {
		t.Fatalf("entry point and command: %q", final.run)
	}
	if err := os.CopyFS(filepath.Join(final.root, "src"), os.DirFS(filepath.Join(top, "testdata/shop"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(final.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{final.run[1], 0, "Available Commands"},
		{[]string{"version"}, 0, "rolecall "},
		{[]string{"schedule", "--zone", "Europe/Berlin", "--dialect", "kubernetes", "0 3 * * *"}, 0, "Europe/Berlin"},
		{[]string{"audit", "--offline", "--config", "/src/rolecall.yaml"}, 1, "retry@prod: missing"},
	} {
		args := append([]string{"--userspec=" + final.user, final.root}, append(final.run[0], c.args...)...)
		if code, out := runIn(t, "/", []string{"HOME=", "ZONEINFO="}, "chroot", args...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%q: exit %d\n%s", c.args, code, out)
		}
	}
}

func (b *box) take(c instructions.Command, build *box) {
	b.t.Helper()
	switch c := c.(type) {
	case *instructions.WorkdirCommand:
		b.cwd = c.Path
		mkdir(b.t, b.path("."))
	case *instructions.CopyCommand:
		if c.From == "" {
			b.copyContext(c)
			return
		}
		b.copyFrom(build, c)
	case *instructions.RunCommand:
		// The build's own folder is /out, which is not this machine's.
		mkdir(b.t, b.path("/out"))
		script := strings.ReplaceAll(strings.Join(c.CmdLine, " "), "/out/", b.path("/out")+"/")
		if code, out := runIn(b.t, b.path("."), []string{"GOFLAGS="}, "sh", "-c", script); code != 0 {
			b.t.Fatalf("%s: %s", script, out)
		}
	case *instructions.UserCommand:
		b.user = c.User
	case *instructions.EntrypointCommand:
		b.run = append(b.run, c.CmdLine)
	case *instructions.CmdCommand:
		b.run = append(b.run, c.CmdLine)
	case *instructions.LabelCommand:
	default:
		b.t.Fatalf("the test does not know the step %s", c.Name())
	}
}

// copyFrom takes files of the build, or those that its image brings from this
// machine.
func (b *box) copyFrom(build *box, c *instructions.CopyCommand) {
	b.t.Helper()
	for _, from := range c.SourcePaths {
		data, err := os.ReadFile(build.path(from))
		if os.IsNotExist(err) {
			data, err = os.ReadFile(from)
		}
		if err != nil {
			b.t.Fatal(err)
		}
		to := b.path(c.DestPath)
		if strings.HasSuffix(c.DestPath, "/") {
			to = filepath.Join(to, filepath.Base(from))
		}
		mkdir(b.t, filepath.Dir(to))
		if err := os.WriteFile(to, data, 0o755); err != nil {
			b.t.Fatal(err)
		}
	}
}

// copyContext takes what git has of the checkout, without what the ignore file
// beside the Containerfile leaves out.
func (b *box) copyContext(c *instructions.CopyCommand) {
	b.t.Helper()
	patterns, err := ignorefile.ReadAll(strings.NewReader(read(b.t, containerfile+".dockerignore")))
	if err != nil {
		b.t.Fatal(err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		b.t.Fatal(err)
	}
	args := append([]string{"-C", top, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, c.SourcePaths...)
	list, err := exec.Command("git", args...).Output()
	if err != nil {
		b.t.Fatal(err)
	}
	copied := 0
	for name := range bytes.SplitSeq(list, []byte{0}) {
		file := string(name)
		data, err := os.ReadFile(filepath.Join(top, file))
		if file == "" || err != nil { // deleted, but not yet in a commit
			continue
		}
		if out, err := ignored.MatchesOrParentMatches(file); err != nil || out {
			continue
		}
		to := filepath.Join(b.path(c.DestPath), file)
		mkdir(b.t, filepath.Dir(to))
		if err := os.WriteFile(to, data, 0o644); err != nil {
			b.t.Fatal(err)
		}
		copied++
	}
	if copied == 0 {
		b.t.Fatalf("COPY %q copies nothing", c.SourcePaths)
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func isStatic(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program needs a loader")
		}
	}
}
