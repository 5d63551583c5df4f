package ledger_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/specs"
)

func TestRunTerms(t *testing.T) {
	l, _, err := parse(t, filepath.Join(folder, "ok", "run.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := specs.RunTerms{
		Pos: specs.Pos{File: "run.yaml", Line: 8, Column: 10}, OnInterrupted: "readback", ExternalEffects: true,
		Outputs:  []specs.RunOutput{{From: "dump.gz", To: "/srv/dump.gz"}, {From: "a/..b", To: "/srv/.last"}},
		Check:    []string{"gzip", "-t", "dump.gz"},
		Cleanup:  []string{"/opt/shop/drop-staging", "-x", "-x", ""},
		Readback: []string{"/bin/sh", "-c", `/opt/shop/sent "$ROLECALL_IDEMPOTENCY_KEY"`},
		Staging:  "/srv/.staging", Overlap: "wait", Capture: "file", Sweep: true, PingEnv: "BACKUP_PING_URL",
		Grace: ptr(time.Duration(0)), CommitTimeout: ptr(10 * time.Second), KillAfter: ptr(500 * time.Millisecond), MaxRuntime: ptr(90 * time.Minute),
	}
	if diff := cmp.Diff(want, l.Roles[0].Run); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !l.Roles[1].Run.IsZero() || l.Roles[0].Run.IsZero() {
		t.Error("what is stated and what is not are not told apart")
	}
}
