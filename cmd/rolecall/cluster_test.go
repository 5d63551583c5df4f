package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

const clusterLedger = `ledger: rolecall/v1
name: shop
roles:
  retry:
    owner: payments
    source: prod
    version: "1"
    spec: {template: retry.yaml}
  gate:
    owner: payments
    source: prod
    version: "1"
    spec: {schedule: "*/10 * * * *"}
`

const clusterConfig = `ledger: ledger.yaml
sources:
  - name: prod
    kubernetes: {all_namespaces: true}
  - name: narrow
    kubernetes: {namespaces: [batch, other]}
`

// cronJob is a minimal manifest in JSON, which is YAML as well.
func cronJob(name, schedule string) object {
	return object{
		"apiVersion": "batch/v1", "kind": "CronJob",
		"metadata": object{"name": name, "namespace": "batch", "annotations": object{"rolecall/role": name, "rolecall/version": "1"}},
		"spec": object{"schedule": schedule, "jobTemplate": object{"spec": object{"template": object{"spec": object{
			"restartPolicy": "Never", "containers": []object{{"name": "main", "image": "registry.example/shop/" + name + ":1"}},
		}}}}},
	}
}

// TestAuditOfARealCluster runs the program against a real API server: what users
// write in minimal form comes back defaulted and is as desired; what is changed,
// suspended, deleted or forbidden is told apart.
func TestAuditOfARealCluster(t *testing.T) {
	c := kubetest.Start(t)
	c.Namespace(t, "batch")
	c.Namespace(t, "other")
	const path = "/apis/batch/v1/namespaces/batch/cronjobs"
	c.Must(t, "POST", path, cronJob("retry", "*/5 * * * *"))
	c.Must(t, "POST", path, cronJob("gate", "*/10 * * * *"))
	dir := t.TempDir()
	for name, text := range map[string]string{"ledger.yaml": clusterLedger, "rolecall.yaml": clusterConfig, "narrow.yaml": strings.ReplaceAll(clusterLedger, "source: prod", "source: narrow"), "retry.yaml": inJSON(t, cronJob("retry", "*/5 * * * *"))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	audit := func(user string, args ...string) (report.Report, int) {
		return auditAs(t, dir, c.Kubeconfig(user), append([]string{"--source", "prod"}, args...)...)
	}
	expect := func(what, user, want string, code int, args ...string) report.Report {
		t.Helper()
		r, got := audit(user, args...)
		if s := states(r); s != want || got != code {
			t.Errorf("%s: %s, exit %d; want %s, exit %d", what, s, got, want, code)
		}
		return r
	}

	expect("as written", kubetest.Admin, "gate ok, retry ok", 0)
	expect("by one who may read nothing", kubetest.Alice, "gate unknown, retry unknown", 3)

	c.ClusterRole(t, "cronjob-reader", "batch", []string{"cronjobs"}, []string{"get", "list"})
	c.Grant(t, kubetest.Alice, "cronjob-reader", "batch")
	narrow, code := auditAs(t, dir, c.Kubeconfig(kubetest.Alice), "--source", "narrow", "--ledger", "narrow.yaml")
	if code != 3 || states(narrow) != "gate ok, retry ok" || coverageOf(narrow) != "narrow namespace/batch read, narrow namespace/other denied, prod source out-of-scope" {
		t.Errorf("by one who may read one namespace: exit %d, %s", code, coverageOf(narrow))
	}

	c.Must(t, "PATCH", path+"/gate", object{"spec": object{"suspend": true}})
	c.Must(t, "PATCH", path+"/retry", object{"spec": object{"concurrencyPolicy": "Forbid"}})
	r := expect("suspended and edited", kubetest.Admin, "gate inactive, retry drift", 1)
	for _, f := range r.Findings {
		if f.ChangedBy == nil || f.ChangedBy.Evidence != "managedFields" {
			t.Errorf("%s: who changed it is not said: %+v", f.ID, f.ChangedBy)
		}
	}

	c.Must(t, "DELETE", path+"/retry", nil)
	expect("deleted", kubetest.Admin, "gate inactive, retry missing", 1)
	onlyReads(t, c)
}

func auditAs(t *testing.T, dir, kubeconfig string, args ...string) (report.Report, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"audit", "-o", "json", "--settle", "50ms", "--kubeconfig", kubeconfig}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ROLECALL_AS_PROGRAM=1", "HOME="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	r, err := report.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("exit %d: %v\n%s", code, err, stderr.String())
	}
	return r, code
}

func inJSON(t *testing.T, o object) string {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func states(r report.Report) string {
	var out []string
	for _, role := range r.Roles {
		out = append(out, role.Role+" "+string(role.State))
	}
	return strings.Join(out, ", ")
}

func coverageOf(r report.Report) string {
	var out []string
	for _, c := range r.Coverage {
		out = append(out, c.Source+" "+c.Part+" "+c.State)
	}
	return strings.Join(out, ", ")
}

// onlyReads looks into the server's own log of requests.
func onlyReads(t *testing.T, c *kubetest.Cluster) {
	t.Helper()
	requests, err := c.Requests()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, r := range requests {
		if !strings.HasPrefix(r.Agent, "rolecall/") {
			continue
		}
		seen++
		if !slices.Contains([]string{"get", "list"}, r.Verb) {
			t.Errorf("%s %s was asked", r.Verb, r.URI)
		}
	}
	if seen == 0 {
		t.Error("the server's log holds no request of ours")
	}
}
