// Package releasetest makes a release of this checkout's commit, as a snapshot
// that nobody gets, and looks at what is in it.
package releasetest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const top = "../../.."

func absent(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("ROLECALL_REAL") == "require" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// output runs a command that must not fail, and gives what it prints.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	// Those of the module that is built, not of this one.
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

// snapshot makes a release of the commit in a clone, so that what is not in a
// commit has no part in it, and gives the folder it is in.
func snapshot(t *testing.T) (dist, commit string) {
	t.Helper()
	goreleaser := strings.TrimSpace(output(t, ".", "./build.sh", "--where"))
	if _, err := os.Stat(goreleaser); err != nil {
		absent(t, err)
	}
	source, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "rolecall")
	output(t, ".", "git", "clone", "-q", source, clone)
	output(t, clone, goreleaser, "check")
	output(t, clone, goreleaser, "release", "--snapshot", "--clean", "--parallelism", "2")
	return filepath.Join(clone, "dist"), strings.TrimSpace(output(t, clone, "git", "rev-parse", "HEAD"))
}

func TestRelease(t *testing.T) {
	dist, commit := snapshot(t)
	checksums(t, dist)
	for _, target := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"} {
		t.Run(target, func(t *testing.T) { archive(t, dist, target) })
	}
	t.Run("deb", func(t *testing.T) { deb(t, one(t, dist, "*_amd64.deb"), commit) })
	t.Run("rpm", func(t *testing.T) { rpm(t, one(t, dist, "*.x86_64.rpm")) })
}

func one(t *testing.T, dist, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

// checksums are those of six archives and four packages.
func checksums(t *testing.T, dist string) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s: another checksum", name)
		}
		n++
	}
	if n != 10 {
		t.Errorf("%d checksums, want 10", n)
	}
}

// archive holds the program for its target, and what belongs to it.
func archive(t *testing.T, dist, target string) {
	t.Helper()
	program, kind := "rolecall", ".tar.gz"
	if strings.HasPrefix(target, "windows") {
		program, kind = "rolecall.exe", ".zip"
	}
	files := unpack(t, one(t, dist, "rolecall_*_"+target+kind))
	for _, name := range []string{"README.md", "man/man1/rolecall-audit.1.gz", "man/man7/rolecall-markers.7.gz", "completions/rolecall.bash", "completions/_rolecall", "completions/rolecall.fish", "completions/rolecall.ps1", "deploy/systemd/rolecall-audit.service", "deploy/kubernetes/rbac-namespace.yaml"} {
		if len(files[name]) == 0 {
			t.Errorf("%s is not in it", name)
		}
	}
	if got := machine(files[program]); got != target {
		t.Errorf("%s is for %q", program, got)
	}
	if size := len(files[program]); target == "linux_amd64" && size > most {
		t.Errorf("%s has %d bytes, over %d: something keeps the linker from dropping what is not called, or much has been added", program, size, most)
	}
}

// most bytes are what the program may have, a little more than it has.
const most = 25_800_000

// machine is what a program is for, by its own header.
func machine(program []byte) string {
	r := bytes.NewReader(program)
	if f, err := elf.NewFile(r); err == nil {
		return map[elf.Machine]string{elf.EM_X86_64: "linux_amd64", elf.EM_AARCH64: "linux_arm64"}[f.Machine]
	}
	if f, err := macho.NewFile(r); err == nil {
		return map[macho.Cpu]string{macho.CpuAmd64: "darwin_amd64", macho.CpuArm64: "darwin_arm64"}[f.Cpu]
	}
	if f, err := pe.NewFile(r); err == nil {
		return map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "windows_amd64", pe.IMAGE_FILE_MACHINE_ARM64: "windows_arm64"}[f.Machine]
	}
	return ""
}

func unpack(t *testing.T, path string) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	if strings.HasSuffix(path, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if out[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// deb is installed on this machine and removed again.
func deb(t *testing.T, path, commit string) {
	t.Helper()
	for _, need := range []string{"dpkg", "man", "systemd-analyze"} {
		if _, err := exec.LookPath(need); err != nil {
			absent(t, err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root installs packages")
	}
	if exec.Command("dpkg", "-s", "rolecall").Run() == nil {
		t.Skip("rolecall is installed on this machine, which a test must not change")
	}
	t.Cleanup(func() {
		output(t, ".", "dpkg", "--purge", "rolecall")
		if _, err := os.Stat("/usr/bin/rolecall"); err == nil {
			t.Error("something is left")
		}
	})
	output(t, ".", "dpkg", "-i", path)
	var built struct {
		Version, Commit string
		Modified        bool
	}
	if err := json.Unmarshal([]byte(output(t, "/", "/usr/bin/rolecall", "version", "-o", "json")), &built); err != nil {
		t.Fatal(err)
	}
	if built.Commit != commit || built.Modified || !strings.HasPrefix(built.Version, "v") {
		t.Errorf("it says that it is %+v", built)
	}
	shop, err := filepath.Abs(filepath.Join(top, "testdata/shop"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("/usr/bin/rolecall", "audit", "--offline", "--config", filepath.Join(shop, "rolecall.yaml")).CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("audit: %v\n%s", err, out)
	}
	if page := output(t, "/", "man", "-P", "cat", "1", "rolecall-audit"); !strings.Contains(page, "--fail-on") {
		t.Errorf("the manual page:\n%s", page)
	}
	output(t, "/", "bash", "-c", "source /usr/share/bash-completion/completions/rolecall && declare -F __start_rolecall")
	units, err := filepath.Glob("/usr/lib/systemd/system/rolecall-*")
	written, _ := filepath.Glob("../deploy/systemd/*")
	if err != nil || len(units) == 0 || len(units) != len(written) {
		t.Errorf("units %v of %v, %v", units, written, err)
	}
	output(t, "/", "systemd-analyze", append([]string{"verify"}, units...)...)
	// Nothing is switched on.
	for _, u := range units {
		if links, _ := filepath.Glob("/etc/systemd/system/*.wants/" + filepath.Base(u)); len(links) > 0 {
			t.Errorf("%v is switched on", links)
		}
	}
}

// rpm is only looked into: there is no system here that it could be installed
// on.
func rpm(t *testing.T, path string) {
	t.Helper()
	if _, err := exec.LookPath("rpm"); err != nil {
		absent(t, err)
	}
	output(t, ".", "rpm", "-K", "--nosignature", path)
	files := strings.Fields(output(t, ".", "rpm", "-qpl", path))
	for _, want := range []string{"/usr/bin/rolecall", "/usr/share/man/man1/rolecall.1.gz", "/usr/share/zsh/site-functions/_rolecall", "/usr/lib/systemd/system/rolecall-audit.timer"} {
		if !slices.Contains(files, want) {
			t.Errorf("%s is not in it", want)
		}
	}
}
