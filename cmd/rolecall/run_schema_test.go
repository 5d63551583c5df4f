//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validator is a schema as the program itself prints it.
func validator(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	code, out, errs := ran(t, runProgram(t.TempDir(), nil, "schema", name))
	if code != 0 {
		t.Fatal(errs)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile(name + ".json")
}

// TestRunsAndDrainBySchema holds what runs and drain print to the schemas that
// the program prints, over runs of every kind.
func TestRunsAndDrainBySchema(t *testing.T) {
	dir := t.TempDir()
	state, srv := filepath.Join(dir, "state"), filepath.Join(dir, "srv")
	if err := os.Mkdir(srv, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{"ledger.yaml": `ledger: rolecall/v1
roles:
  backup:
    source: web-1
    spec: {schedule: "* * * * *", command: /opt/backup}
`})
	do := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := ran(t, runProgram(state, nil, args...))
		if code != want {
			t.Fatalf("%v: exit %d, want %d\n%s%s", args, code, want, out, errs)
		}
		return out
	}
	schemas := map[string]*jsonschema.Schema{"runs": validator(t, "runs"), "drain": validator(t, "drain")}
	holds := func(want int, args ...string) string {
		t.Helper()
		out := do(want, append(args, "-o", "json")...)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if err := schemas[args[0]].Validate(doc); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		return out
	}

	holds(0, "runs", "list")
	holds(0, "drain", "--status")
	holds(0, "drain", "--cancel")
	once := []string{"run", "--role", "backup", "--scheduled-for", "2026-11-25T03:00:00Z", "--output", "dump:" + srv + "/dump", "--watermark-to", "2", "--", "sh", "-c", `echo x > "$ROLECALL_STAGING/dump"; ` + os.Args[0] + ` run checkpoint half`}
	do(0, once...)
	do(75, once...)
	do(3, "run", "--role", "backup", "--", "sh", "-c", "exit 3")
	do(137, "run", "--role", "backup", "--", "sh", "-c", "kill -9 $$")
	do(127, "run", "--role", "other", "--", "/nowhere/job")
	holds(0, "runs", "hold", "other", "--reason", "look")
	do(75, "run", "--role", "other", "--", "true")
	for _, run := range []string{"backup/000001", "backup/000002", "backup/000003", "backup/000004", "other/000001", "other/000002"} {
		holds(0, "runs", "show", run)
	}
	holds(0, "runs", "list", "--ledger", filepath.Join(dir, "ledger.yaml"))
	holds(0, "runs", "list", "--limit", "0", "nothing")
	holds(0, "runs", "release", "other")
	holds(0, "runs", "prune", "--keep", "1", "--max-age", "0s", "--dry-run")

	// In flight, then forced.
	job := runProgram(state, nil, "run", "--role", "long", "--", "sh", "-c", "echo up; exec sleep 1000")
	up, err := job.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(up, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if out := holds(0, "drain", "--status"); !strings.Contains(out, `"in-flight"`) {
		t.Error(out)
	}
	holds(0, "runs", "list", "long")
	if out := holds(1, "drain", "--grace", "0s"); !strings.Contains(out, `"interrupted"`) {
		t.Error(out)
	}
	io.Copy(io.Discard, up)
	job.Wait()
	if out := holds(0, "drain", "--status"); !strings.Contains(out, `"refusing": true`) {
		t.Error(out)
	}
	if out := holds(0, "drain", "--cancel"); !strings.Contains(out, `"cancelled": true`) {
		t.Error(out)
	}

	// What cannot be believed.
	found, err := filepath.Glob(filepath.Join(state, "runs/backup/000001-*/terminal.json"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(found[0], bytes.Replace(data, []byte("completed"), []byte("completEd"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := holds(3, "runs", "list"); !strings.Contains(out, `"corrupt"`) {
		t.Error(out)
	}
	holds(0, "runs", "show", "backup/000001")
	holds(3, "runs", "reap")
}
