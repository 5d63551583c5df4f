package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

var update = flag.Bool("update", false, "write what the stories print back into them")

// TestMain lets the test binary be the program itself, where a test runs it
// without a story.
func TestMain(m *testing.M) {
	if os.Getenv("ROLECALL_AS_PROGRAM") != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"rolecall": main})
}

// TestStories runs the program through its front door: files, command and exact
// output in one text file each.
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
			e.Setenv("NO_COLOR", "1")
			for _, v := range gitSettings {
				e.Setenv(v[0], v[1])
			}
			shop, err := filepath.Abs("../../testdata/shop")
			e.Setenv("SHOP", shop)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"judge":  judge,
			"gated":  gated,
			"unpend": unpend,
			"github": githubCommand(&sync.Map{}),
		},
		// A host's files belong to root, and only root can make that so.
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// unpend takes the marks of pending reviews out of a ledger, as the person who
// read its roles does.
func unpend(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unpend LEDGER")
	}
	var out strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if strings.TrimSpace(line) != "review: pending" {
			out.WriteString(line)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o644))
}

// judge runs an audit and writes what it decides to the file judged, a line for
// each thing, so that a story can compare it with cmp:
//
//	judge [ARGS of audit]
//	cmp judged want
//
// The lines are the exit code, the number of roles that are ok, each role that
// is not, each finding with its reason and fields, each note, each part that was
// not read, and what stands on stderr.
func judge(ts *testscript.TestScript, neg bool, args []string) {
	judged(ts, neg, decided, append([]string{"audit", "-o", "json", "--settle", "0"}, args...)...)
}

// judged runs a command that reports as JSON, and writes its exit code, what the
// report decides and what stands on stderr to the file judged.
func judged(ts *testscript.TestScript, neg bool, decided func(*testscript.TestScript, []byte) string, args ...string) {
	if neg {
		ts.Fatalf("the exit code is stated in the file judged; there is no !")
	}
	err := ts.Exec("rolecall", args...)
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	got := fmt.Sprintf("exit %d\n", code)
	if out := ts.ReadFile("stdout"); out != "" {
		got += decided(ts, []byte(out))
	}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		got += "stderr " + line
	}
	ts.Check(os.WriteFile(ts.MkAbs("judged"), []byte(got), 0o644))
}

func decided(ts *testscript.TestScript, data []byte) string {
	r, err := report.Decode(bytes.NewReader(data))
	ts.Check(err)
	ok := 0
	var lines []string
	for _, role := range r.Roles {
		if role.State == report.OK {
			ok++
			continue
		}
		lines = append(lines, fmt.Sprintf("role %s@%s %s", role.Role, role.Source, role.State))
	}
	for _, f := range r.Findings {
		lines = append(lines, findingLine(f))
	}
	for _, n := range r.Notes {
		lines = append(lines, "note "+n.Code)
	}
	for _, c := range r.Coverage {
		if c.State != "read" {
			lines = append(lines, fmt.Sprintf("part %s %s %s", c.Source, c.Part, c.State))
		}
	}
	sort.Strings(lines)
	return strings.Join(append([]string{fmt.Sprintf("ok %d", ok)}, lines...), "\n") + "\n"
}

func findingLine(f report.Finding) string {
	line := "finding " + f.ID + " " + f.Reason
	var paths []string
	for _, field := range f.Fields {
		paths = append(paths, field.Path)
	}
	if len(paths) > 0 {
		line += ": " + strings.Join(paths, ", ")
	}
	if f.Waived() {
		line += " (waived)"
	}
	return line
}
