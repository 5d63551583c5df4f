package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// TestPrometheusForManyRoles audits 2,000 roles with a query each: in ten requests,
// and one bad query makes its own role unknown and no other.
func TestPrometheusForManyRoles(t *testing.T) {
	const roles, bad, old = 2000, 777, 1500
	var requests atomic.Int64
	part := regexp.MustCompile(`last_success\{role="(\d+)"\}(?:\n\), "rolecall_batch", "(\d+)"|$)`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		query := r.FormValue("query")
		if strings.Contains(query, "refused(") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"unknown function"}`)
			return
		}
		var samples []string
		for _, m := range part.FindAllStringSubmatch(query, -1) {
			at := 1795604400 // 2026-11-25T11:00:00Z
			if m[1] == fmt.Sprint(old) {
				at -= 7 * 86400
			}
			samples = append(samples, fmt.Sprintf(`{"metric":{"rolecall_batch":%q},"value":[1795608000,"%d"]}`, m[2], at))
		}
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(samples, ","))
	}))
	defer server.Close()

	dir := t.TempDir()
	var ledger, table strings.Builder
	ledger.WriteString("ledger: rolecall/v1\nname: many\nroles:\n")
	for i := range roles {
		query := fmt.Sprintf(`last_success{role="%d"}`, i)
		if i == bad {
			query = "refused(x)"
		}
		fmt.Fprintf(&ledger, "  r%04d:\n    owner: o\n    source: crontab\n    version: \"1\"\n    spec: {schedule: \"0 * * * *\", command: /opt/%d}\n    evidence: {succeeded: {prometheus: {query: '%s'}}}\n", i, i, query)
		fmt.Fprintf(&table, "# rolecall: role=r%04d version=1\n0 * * * * /opt/%d\n", i, i)
	}
	for name, text := range map[string]string{"ledger.yaml": ledger.String(), "table": table.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "audit", "--ledger", "ledger.yaml", "--crontab", "table", "--prometheus", server.URL, "--now", "2026-11-25T12:00:30Z", "-o", "json")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "ROLECALL_AS_PROGRAM=1", "XDG_CONFIG_HOME="+dir)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %s", err, errs.String())
	}
	r, err := report.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.ID+" "+f.Reason)
	}
	want := []string{"unknown:r0777@crontab evidence-not-read", "not-succeeded:r1500@crontab stopped-succeeding"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("findings:\n%s", strings.Join(got, "\n"))
	}
	seen := 0
	for _, role := range r.Roles {
		if role.Seen.LastSuccess != nil {
			seen++
		}
	}
	// Ten batches, and two requests for each halving that finds the bad query.
	if n := requests.Load(); seen != roles-1 || n > 10+2*8 {
		t.Errorf("%d requests, %d roles with a success", n, seen)
	}
	t.Logf("%d requests for %d roles", requests.Load(), roles)
}
