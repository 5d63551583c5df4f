package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// action is what a runner reads of action.yml.
type action struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, Name, If, Uses, Shell, Run string
	Dir                            string `yaml:"working-directory"`
	Env, With                      map[string]string
}

func readAction(t *testing.T) (action, string) {
	t.Helper()
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	return a, string(data)
}

// TestActionIsSafe: an input is never text of a script, and what the action uses
// is the very commit that was looked at.
func TestActionIsSafe(t *testing.T) {
	a, text := readAction(t)
	pinned := regexp.MustCompile(`uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\n`)
	if got, want := len(pinned.FindAllString(text, -1)), strings.Count(text, "uses: "); got != want {
		t.Errorf("%d of %d actions are pinned by commit, with the version beside it", got, want)
	}
	given := regexp.MustCompile(`inputs\.([\w-]+)`)
	used := map[string]bool{}
	for _, m := range given.FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("there is no input %s", m[1])
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !used[name] {
			t.Errorf("input %s: described %q, used %v", name, in.Description, used[name])
		}
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: an expression stands in the script", s.Name)
		}
		if s.Run != "" && s.Shell != "bash" {
			t.Errorf("%s: shell %q", s.Name, s.Shell)
		}
	}
}

// TestActionIsLinted reads the scripts as a linter of shell scripts does.
func TestActionIsLinted(t *testing.T) {
	shellcheck := needProgram(t, "shellcheck")
	a, _ := readAction(t)
	for _, s := range a.Runs.Steps {
		if s.Run == "" {
			continue
		}
		cmd := exec.Command(shellcheck, "--shell=bash", "--exclude=SC2153,SC2154", "-") // variables come from the runner
		cmd.Stdin = strings.NewReader(s.Run)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", s.Name, err, out)
		}
	}
}

// needProgram is the path of a program without which a test is skipped, or fails
// where real parts are required.
func needProgram(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("ROLECALL_REAL") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}

// runner runs the steps of the action as GitHub's runner does, as far as the
// action asks.
type runner struct {
	t       *testing.T
	action  action
	dir     string // the workspace
	temp    string // of the runner
	env     []string
	context map[string]string // what expressions can name
	log     string            // what the steps printed
	ran     []string          // names of the steps that use another action, and what they were given
}

// newRunner is one in a copy of the shop.
func newRunner(t *testing.T, inputs map[string]string) *runner {
	t.Helper()
	needProgram(t, "bash")
	a, _ := readAction(t)
	r := &runner{t: t, action: a, dir: t.TempDir(), temp: t.TempDir(), context: map[string]string{}}
	if err := os.CopyFS(r.dir, os.DirFS("../../testdata/shop")); err != nil {
		t.Fatal(err)
	}
	for name, in := range a.Inputs {
		r.context["inputs."+name] = in.Default
	}
	for name, value := range inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("no input %s", name)
		}
		r.context["inputs."+name] = value
	}
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r.context["github.action_path"] = source
	r.env = append(os.Environ(), "RUNNER_TEMP="+r.temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "GITHUB_ACTIONS=true",
		"GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary"), "GITHUB_OUTPUT="+filepath.Join(r.temp, "output"))
	return r
}

// program is the test binary as rolecall, by a script with a blank in its name.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "roll call")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nROLECALL_AS_PROGRAM=1 exec '"+self+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// value fills in the expressions of a text: names, and || between them.
func (r *runner) value(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		for _, name := range strings.Split(expression.FindStringSubmatch(e)[1], "||") {
			if v := r.context[strings.TrimSpace(name)]; v != "" {
				return v
			}
		}
		return ""
	})
}

// holds decides a step's condition, of the three that the action has.
func (r *runner) holds(condition string, failed bool) bool {
	switch condition {
	case "":
		return !failed
	case "${{ !cancelled() }}":
		return true
	case "inputs.sarif == 'true' && steps.run.outputs.sarif != ''":
		return !failed && r.context["inputs.sarif"] == "true" && r.context["steps.run.outputs.sarif"] != ""
	}
	r.t.Fatalf("the test does not know the condition %q", condition)
	return false
}

// run takes all steps and gives the exit code of the first that failed, and the
// action's outputs.
func (r *runner) run() (code int, outputs map[string]string) {
	r.t.Helper()
	for _, s := range r.action.Runs.Steps {
		if !r.holds(s.If, code != 0) {
			continue
		}
		if s.Uses != "" {
			r.ran = append(r.ran, strings.SplitN(s.Uses, "@", 2)[0]+" "+r.value(s.With["sarif_file"]))
			continue
		}
		if c := r.step(s); code == 0 {
			code = c
		}
	}
	outputs = map[string]string{}
	for name, o := range r.action.Outputs {
		outputs[name] = r.value(o.Value)
	}
	return code, outputs
}

func (r *runner) step(s actionStep) int {
	r.t.Helper()
	file := filepath.Join(r.temp, "output")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		r.t.Fatal(err)
	}
	// As the runner starts a step with shell: bash.
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Dir = filepath.Join(r.dir, r.value(s.Dir))
	cmd.Env = slices.Clone(r.env)
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.value(value))
	}
	out, err := cmd.CombinedOutput()
	r.log += string(out)
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			r.t.Errorf("%s: the output %q has no name", s.Name, line)
		}
		r.context["steps."+s.ID+".outputs."+name] = value
	}
	return code
}

func (r *runner) summary() string {
	data, _ := os.ReadFile(filepath.Join(r.temp, "summary"))
	return string(data)
}

const cleanShop = `ledger: ledger.yaml
sources: [{name: web-1, crontab: {files: [web.crontab]}}]
`

const cleanLedger = `ledger: rolecall/v1
name: shop
roles:
  tidy: {owner: web, source: web-1, version: "1", spec: {schedule: "0 3 * * *", command: /bin/tidy}}
`

// TestActionRuns runs the action's steps on this machine, as a runner would, with
// the program that is tested.
func TestActionRuns(t *testing.T) {
	for _, c := range []struct {
		name    string
		inputs  map[string]string
		files   map[string]string
		code    int
		verdict string
		printed string
	}{
		{name: "findings", code: 1, verdict: "findings", printed: "::error file="},
		{name: "a kind only", inputs: map[string]string{"fail-on": "unreviewed,missing"}, code: 1, verdict: "findings"},
		{name: "a folder", inputs: map[string]string{"working-directory": "sub dir"}, files: map[string]string{"sub dir/rolecall.yaml": cleanShop, "sub dir/ledger.yaml": cleanLedger, "sub dir/web.crontab": "# rolecall: role=tidy version=1\n0 3 * * * /bin/tidy\n"}, verdict: "clean"},
		{name: "the files by name", inputs: map[string]string{"config": "a b.yaml", "ledger": "c d.yaml"}, files: map[string]string{"a b.yaml": cleanShop, "c d.yaml": cleanLedger, "web.crontab": "# rolecall: role=tidy version=1\n0 3 * * * /bin/tidy\n"}, verdict: "clean"},
		{name: "a gap", files: map[string]string{"rolecall.yaml": cleanShop, "ledger.yaml": cleanLedger}, code: 3, verdict: "incomplete", printed: "::warning"},
		{name: "a gap that is allowed", inputs: map[string]string{"args": "--allow-partial\n\n--role=tidy\r\n"}, files: map[string]string{"rolecall.yaml": cleanShop, "ledger.yaml": cleanLedger}, verdict: "passed"},
		{name: "no ledger", inputs: map[string]string{"ledger": "none.yaml"}, code: 2, printed: "none.yaml"},
		{name: "another command", inputs: map[string]string{"command": "repair"}, code: 2, printed: "neither audit nor gate"},
		{name: "neither live nor offline", inputs: map[string]string{"offline": "yes"}, code: 2, printed: "neither true nor false"},
		{name: "a gate outside of a pull request", inputs: map[string]string{"command": "gate"}, code: 2, printed: "needs a base"},
		{name: "no such program", inputs: map[string]string{"binary": "/none/rolecall"}, code: 127},
	} {
		t.Run(c.name, func(t *testing.T) {
			inputs := map[string]string{"binary": program(t), "sarif": "true"}
			for k, v := range c.inputs {
				inputs[k] = v
			}
			r := newRunner(t, inputs)
			for name, text := range c.files {
				writeFiles(t, r.dir, map[string]string{name: text})
			}
			code, outputs := r.run()
			if code != c.code || outputs["verdict"] != c.verdict || !strings.Contains(r.log, c.printed) {
				t.Fatalf("exit %d, outputs %v; want exit %d, verdict %q and %q in\n%s", code, outputs, c.code, c.verdict, c.printed, r.log)
			}
			audited := c.verdict != ""
			if (r.summary() != "") != audited || (len(r.ran) == 1) != audited || (outputs["report"] != "") != audited {
				t.Errorf("summary %d bytes, uploads %q, report %q", len(r.summary()), r.ran, outputs["report"])
			}
			if !audited {
				return
			}
			if want := "github/codeql-action/upload-sarif " + outputs["sarif"]; r.ran[0] != want {
				t.Errorf("uploaded %q, want %q", r.ran[0], want)
			}
			if outputs["exit-code"] != fmt.Sprint(c.code) {
				t.Errorf("output exit-code %q", outputs["exit-code"])
			}
			for _, name := range []string{"report", "sarif"} {
				if data, err := os.ReadFile(outputs[name]); err != nil || len(data) == 0 {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// TestActionGates is a pull request that takes a role out of the ledger. Its base
// is what GitHub says of the pull request.
func TestActionGates(t *testing.T) {
	needProgram(t, "git")
	r := newRunner(t, map[string]string{"binary": program(t), "command": "gate", "fail-on": "removed"})
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@example", "-c", "commit.gpgsign=false"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	table := "# rolecall: role=tidy version=1\n0 3 * * * /bin/tidy\n"
	two := cleanLedger + "  sweep: {owner: web, source: web-1, version: \"1\", spec: {schedule: \"0 4 * * *\", command: /bin/sweep}}\n"
	writeFiles(t, r.dir, map[string]string{"rolecall.yaml": cleanShop, "ledger.yaml": two, "web.crontab": table + "# rolecall: role=sweep version=1\n0 4 * * * /bin/sweep\n"})
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	r.context["github.event.pull_request.base.sha"] = git("rev-parse", "HEAD")
	if code, outputs := r.run(); code != 0 || outputs["verdict"] == "findings" {
		t.Fatalf("nothing changed: exit %d, %v\n%s", code, outputs, r.log)
	}
	writeFiles(t, r.dir, map[string]string{"ledger.yaml": cleanLedger, "web.crontab": table})
	git("commit", "-q", "-a", "-m", "change")
	if code, outputs := r.run(); code != 1 || outputs["verdict"] != "findings" || !strings.Contains(r.log, "sweep") {
		t.Errorf("a role is gone: exit %d, %v\n%s", code, outputs, r.log)
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestActionTakesNoCommand: whatever an input says, it is one argument and
// nothing of it runs or becomes an output.
func TestActionTakesNoCommand(t *testing.T) {
	for _, evil := range []string{"$(touch pwned)", "`touch pwned`", "x\"; touch pwned; '; touch pwned; #", "x\ntouch pwned\nverdict=clean\n::set-output name=verdict::clean", "--config=/etc/passwd"} {
		for _, input := range []string{"command", "config", "ledger", "base", "offline", "fail-on", "args", "version", "sha256", "binary"} {
			inputs := map[string]string{"binary": program(t)}
			switch input {
			case "base":
				inputs["command"] = "gate"
			case "version", "sha256":
				inputs["binary"] = ""
			}
			if input == "sha256" {
				inputs["version"] = "v1.2.3"
			}
			inputs[input] = evil
			r := newRunner(t, inputs)
			r.env = append(r.env, "GITHUB_SERVER_URL=http://127.0.0.1:1")
			code, outputs := r.run()
			if code == 0 || outputs["verdict"] == "clean" {
				t.Errorf("%s %q: exit %d, verdict %q", input, evil, code, outputs["verdict"])
			}
			for _, dir := range []string{r.dir, r.temp, filepath.Join(r.temp, "rolecall-bin")} {
				if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
					t.Errorf("%s %q was run", input, evil)
				}
			}
			for line := range strings.Lines(r.log) {
				if strings.HasPrefix(line, "::set-output") {
					t.Errorf("%s %q became a workflow command", input, evil)
				}
			}
		}
	}
}

// releases serves an archive with the program in it, as a release does.
func releases(t *testing.T, name string, sums func(sum string) string) (server, sum string) {
	t.Helper()
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	text, err := os.ReadFile(program(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteHeader(&tar.Header{Name: "rolecall", Mode: 0o755, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(archive.Bytes())
	sum = hex.EncodeToString(digest[:])
	const folder = "/rolecall-dev/rolecall/releases/download/v1.2.3/"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case folder + name:
			_, _ = w.Write(archive.Bytes())
		case folder + "checksums.txt":
			fmt.Fprint(w, sums(sum))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, sum
}

// TestActionInstallsARelease takes an archive only if it is what its checksum
// says.
func TestActionInstallsARelease(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the archive holds a script")
	}
	needProgram(t, "curl")
	const name = "rolecall_1.2.3_linux_arm64.tar.gz"
	other := strings.Repeat("0", 64)
	right := func(sum string) string {
		return other + "  rolecall_1.2.3_linux_amd64.tar.gz\n" + sum + "  " + name + "\n"
	}
	for _, c := range []struct {
		name   string
		sums   func(string) string
		sha256 func(string) string
		code   int
		log    string
	}{
		{"right", right, nil, 1, "::error file="},
		{"another archive's", func(string) string { return other + "  " + name + "\n" }, nil, 2, "not what its SHA-256 says"},
		{"of another archive only", func(sum string) string { return sum + "  rolecall_1.2.3_linux_amd64.tar.gz\n" }, nil, 2, "no SHA-256"},
		{"none", func(string) string { return "" }, nil, 2, "no SHA-256"},
		{"stated, right", func(string) string { return "" }, func(sum string) string { return sum }, 1, "::error file="},
		{"stated, wrong", right, func(string) string { return other }, 2, "not what its SHA-256 says"},
		{"stated, any", right, func(string) string { return ".*" }, 2, "no SHA-256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, sum := releases(t, name, c.sums)
			inputs := map[string]string{"version": "v1.2.3"}
			if c.sha256 != nil {
				inputs["sha256"] = c.sha256(sum)
			}
			r := newRunner(t, inputs)
			r.env = append(r.env, "GITHUB_SERVER_URL="+server, "RUNNER_ARCH=ARM64")
			if code, _ := r.run(); code != c.code || !strings.Contains(r.log, c.log) {
				t.Errorf("exit %d, want %d and %q in\n%s", code, c.code, c.log, r.log)
			}
		})
	}
}

// TestActionBuildsItself is the way without a release: from the action's own
// checkout.
func TestActionBuildsItself(t *testing.T) {
	needProgram(t, "go")
	r := newRunner(t, nil)
	r.env = append(r.env, "GOFLAGS=-buildvcs=false")
	code, outputs := r.run()
	if code != 1 || outputs["verdict"] != "findings" {
		t.Errorf("exit %d, %v\n%s", code, outputs, r.log)
	}
}
