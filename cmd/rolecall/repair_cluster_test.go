package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/rolecall-dev/rolecall/pkg/repair"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

const repairLedger = `# Who must run, and who answers for it.
ledger: rolecall/v1
name: shop

roles:
  retry:   # the one that is easily lost
    owner: payments
    source: prod
    version: "1"
    spec: {template: retry.yaml}   # reviewed
    ref: {uid: 00000000-0000-4000-8000-000000000000, seen: 2026-01-01T00:00:00Z}  # a pointer
    # it may come back by itself
    repair: {missing: create}

  # never touched
  gate:
    owner: payments
    source: prod
    version: "1"
    spec: {schedule: "*/10 * * * *"}
`

const cronJobs = "/apis/batch/v1/namespaces/batch/cronjobs"

// workshop is a folder with a ledger, a config and a template for the namespace
// batch of a cluster.
type workshop struct {
	t          *testing.T
	c          *kubetest.Cluster
	dir        string
	kubeconfig string
}

func newWorkshop(t *testing.T, c *kubetest.Cluster, kubeconfig string) *workshop {
	t.Helper()
	w := &workshop{t, c, t.TempDir(), kubeconfig}
	w.write("ledger.yaml", repairLedger)
	w.write("rolecall.yaml", "ledger: ledger.yaml\nsources:\n  - {name: prod, kubernetes: {namespaces: [batch]}}\n")
	w.write("retry.yaml", inJSON(t, cronJob("retry", "*/5 * * * *")))
	return w
}

func (w *workshop) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workshop) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *workshop) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{args[0], "--settle", "1ms", "--kubeconfig", w.kubeconfig}, args[1:]...)...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "ROLECALL_AS_PROGRAM=1", "HOME="+w.dir)
	return cmd
}

// repair runs the program, and gives its plan with what became of it.
func (w *workshop) repair(args ...string) (repair.Plan, int, string) {
	w.t.Helper()
	cmd := w.command(append([]string{"repair", "-o", "json"}, args...)...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	code := exitCode(cmd.Run())
	var p repair.Plan
	if out.Len() > 0 {
		var err error
		if p, err = repair.Decode(&out); err != nil {
			w.t.Fatalf("%v\n%s", err, stderr.String())
		}
	}
	return p, code, stderr.String()
}

// became is the result of the row about retry.
func became(p repair.Plan) string {
	for _, r := range p.Rows {
		if r.Role != "retry" {
			continue
		}
		if r.Outcome != nil {
			return string(r.Outcome.Result)
		}
		text := string(r.Action)
		for _, why := range r.Reasons {
			text += " " + why.Code
		}
		return text
	}
	return ""
}

func (w *workshop) lose(name string) {
	w.t.Helper()
	if _, err := w.c.Do(http.MethodDelete, cronJobs+"/"+name, nil); err != nil && !strings.Contains(err.Error(), "404") {
		w.t.Fatal(err)
	}
}

// uid is that of the CronJob retry; empty if it is not there.
func (w *workshop) uid() string {
	var o struct{ Metadata struct{ UID string } }
	data, err := w.c.Do(http.MethodGet, cronJobs+"/retry", nil)
	if err != nil || json.Unmarshal(data, &o) != nil {
		return ""
	}
	return o.Metadata.UID
}

// writes are the requests of ours that the server took and that are no reads: how
// many dry runs, and how many others.
func (w *workshop) writes() (dry, real int) {
	w.t.Helper()
	requests, err := w.c.Requests()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range requests {
		switch {
		case !strings.HasPrefix(r.Agent, "rolecall/") || r.Verb == "get" || r.Verb == "list":
		case strings.Contains(r.URI, "dryRun=All"):
			dry++
		case r.Status.Code == http.StatusCreated:
			real++
		}
	}
	return dry, real
}

func startShop(t *testing.T) *kubetest.Cluster {
	t.Helper()
	c := kubetest.Start(t)
	c.Namespace(t, "batch")
	c.Must(t, http.MethodPost, cronJobs, cronJob("gate", "*/10 * * * *"))
	return c
}

// TestRepairOfARealCluster: a deleted role comes back as its template says, by an
// account that may only read and create; the ledger's pointer is renewed with its
// comments in place; and whatever is not sure is refused, with nothing written.
func TestRepairOfARealCluster(t *testing.T) {
	c := startShop(t)
	apply(t, c, "rbac-namespace.yaml", "batch")
	_, reader := account(t, c, "batch")
	w := newWorkshop(t, c, reader)

	// A plan writes nothing, not even a dry run; nor does a repair without consent.
	if p, code, stderr := w.repair(); became(p) != "create" || code != 1 {
		t.Fatalf("plan: %s, exit %d, %s", became(p), code, stderr)
	}
	if _, code, stderr := w.repair("--apply"); code != 2 || !strings.Contains(stderr, "--yes") {
		t.Errorf("without a terminal and --yes: exit %d, %s", code, stderr)
	}
	if _, code, _ := w.repair("--offline"); code != 2 {
		t.Errorf("offline: exit %d", code)
	}
	if dry, real := w.writes(); dry+real != 0 {
		t.Fatalf("%d dry runs and %d writes without consent", dry, real)
	}

	// Credentials that only read.
	p, code, _ := w.repair("--apply", "--yes")
	if became(p) != "refused" || code != 1 || !strings.Contains(p.Rows[0].Outcome.Message, "grant create on cronjobs.batch") {
		t.Errorf("by a reader: %s, exit %d, %+v", became(p), code, p.Rows[0].Outcome)
	}

	// With the right to create there, and none other.
	apply(t, c, "rbac-repair.yaml", "batch")
	p, code, stderr := w.repair("--apply", "--yes", "--log", "writes.jsonl")
	if became(p) != "created" || code != 0 {
		t.Fatalf("repair: %s, exit %d, %s\n%+v", became(p), code, stderr, p.Rows[0].Outcome)
	}
	uid := w.uid()
	want := strings.Replace(repairLedger, "00000000-0000-4000-8000-000000000000", uid, 1)
	if diff := cmp.Diff(want, withSeen(w.read("ledger.yaml"))); uid == "" || diff != "" {
		t.Errorf("the ledger: %s", diff)
	}
	log := strings.Split(strings.TrimSpace(w.read("writes.jsonl")), "\n")
	if len(log) != 2 || !strings.Contains(log[0], `"phase":"begin"`) || !strings.Contains(log[1], `"result":"written"`) || !strings.Contains(log[1], uid) {
		t.Errorf("the log of writes: %q", log)
	}
	if r, code := auditAs(t, w.dir, reader); code != 0 || len(r.Notes) != 0 {
		t.Errorf("the audit afterwards: exit %d, %+v", code, r.Notes)
	}
	if p, code, _ := w.repair("--apply", "--yes"); len(p.Rows) != 0 || code != 0 {
		t.Errorf("again: %+v, exit %d", p.Rows, code)
	}
	// Where the ledger was not brought up to date, the next repair does that, and not
	// for what another has made.
	w.write("ledger.yaml", repairLedger)
	if p, code, _ := w.repair(); len(p.Refs) != 1 || p.Refs[0].UID != uid || code != 0 || w.read("ledger.yaml") != repairLedger {
		t.Errorf("the plan of a ref: %+v, exit %d", p.Refs, code)
	}
	if p, code, stderr := w.repair("--apply", "--yes"); len(p.Refs) != 1 || !p.Refs[0].Renewed || code != 0 || withSeen(w.read("ledger.yaml")) != want {
		t.Errorf("a ref that is behind: %+v, exit %d, %s", p.Refs, code, stderr)
	}
	var made struct {
		Metadata struct{ ManagedFields []struct{ Manager string } }
	}
	if err := json.Unmarshal(c.Must(t, http.MethodGet, cronJobs+"/retry", nil), &made); err != nil || made.Metadata.ManagedFields[0].Manager != "rolecall" {
		t.Errorf("made by %+v", made.Metadata.ManagedFields)
	}
	w.lose("retry")
	c.Must(t, http.MethodPost, cronJobs, cronJob("retry", "*/5 * * * *"))
	before := w.read("ledger.yaml")
	if p, code, _ := w.repair("--apply", "--yes"); len(p.Refs) != 0 || code != 0 || w.read("ledger.yaml") != before {
		t.Errorf("what another has made: %+v, exit %d", p.Refs, code)
	}
}

// withSeen takes the instant out that a ledger remembers.
func withSeen(ledger string) string {
	before, rest, ok := strings.Cut(ledger, "seen: ")
	if !ok {
		return ledger
	}
	_, after, _ := strings.Cut(rest, "Z}")
	return before + "seen: 2026-01-01T00:00:00Z}" + after
}

// TestRepairRefusedByARealCluster: what moved since a plan was saved, what the
// server does not take, and what is not missing. Nothing is written.
func TestRepairRefusedByARealCluster(t *testing.T) {
	c := startShop(t)
	w := newWorkshop(t, c, c.Kubeconfig(kubetest.Admin))

	// A saved plan goes stale: the ledger, the template, the object.
	save := func() {
		if _, code, stderr := w.repair("-o", "json=plan.json", "-o", "text"); code != 2 && code != 1 {
			t.Fatalf("save: exit %d, %s", code, stderr)
		}
		cmd := w.command("repair", "-o", "json=plan.json")
		if code := exitCode(cmd.Run()); code != 1 {
			t.Fatalf("save: exit %d", code)
		}
	}
	stale := func(what string, want int, says string) {
		t.Helper()
		_, code, stderr := w.repair("--plan", "plan.json", "--apply", "--yes")
		if code != want || !strings.Contains(stderr, says) {
			t.Errorf("%s: exit %d, %s; want exit %d, %q", what, code, stderr, want, says)
		}
	}
	save()
	w.write("ledger.yaml", repairLedger+"# a word more\n")
	stale("the ledger", 2, "ledger has changed")
	w.write("ledger.yaml", repairLedger)
	w.write("retry.yaml", inJSON(t, cronJob("retry", "*/6 * * * *")))
	stale("the template", 1, "not what the plan was made from")
	w.write("retry.yaml", inJSON(t, cronJob("retry", "*/5 * * * *")))
	c.Must(t, http.MethodPost, cronJobs, cronJob("retry", "*/5 * * * *"))
	stale("the object", 1, "not missing any more")
	w.lose("retry")

	// Every cause for a person: the object is there, and differs or is switched off.
	for what, patch := range map[string]object{"inactive": {"suspend": true}, "drift": {"concurrencyPolicy": "Forbid"}} {
		c.Must(t, http.MethodPost, cronJobs, cronJob("retry", "*/5 * * * *"))
		c.Must(t, http.MethodPatch, cronJobs+"/retry", object{"spec": patch})
		before := string(c.Must(t, http.MethodGet, cronJobs+"/retry", nil))
		p, code, _ := w.repair("--apply", "--yes")
		if became(p) != "refuse "+what || code != 1 || len(p.Rows[0].Next) < 2 {
			t.Errorf("%s: %s, exit %d, %+v", what, became(p), code, p.Rows)
		}
		if after := string(c.Must(t, http.MethodGet, cronJobs+"/retry", nil)); after != before {
			t.Errorf("%s: the object was changed", what)
		}
		w.lose("retry")
	}

	// A source that suddenly lists nothing.
	w.lose("gate")
	if p, code, _ := w.repair("--apply", "--yes"); became(p) != "refuse suspicious-empty" || code != 1 {
		t.Errorf("empty: %s, exit %d", became(p), code)
	}
	c.Must(t, http.MethodPost, cronJobs, cronJob("gate", "*/10 * * * *"))

	// An object of that name without the role.
	other := cronJob("retry", "0 0 * * *")
	delete(other["metadata"].(object), "annotations")
	c.Must(t, http.MethodPost, cronJobs, other)
	if p, code, _ := w.repair("--apply", "--yes"); became(p) != "refuse place-taken" || code != 1 {
		t.Errorf("its name is taken: %s, exit %d", became(p), code)
	}
	w.lose("retry")

	// The same job under another name, without the role.
	same := cronJob("retry", "*/5 * * * *")
	same["metadata"] = object{"name": "by-hand", "namespace": "batch"}
	c.Must(t, http.MethodPost, cronJobs, same)
	if p, code, _ := w.repair("--apply", "--yes"); became(p) != "refuse same-job" || code != 1 || !strings.Contains(p.Rows[0].Reasons[0].Message, "kubernetes:prod/batch/by-hand") ||
		!strings.Contains(p.Rows[0].Reasons[0].Next, "kubectl annotate cronjob by-hand -n batch rolecall/role=retry rolecall/version=1") {
		t.Errorf("the same job: %s, exit %d, %+v", became(p), code, p.Rows)
	}
	w.lose("by-hand")

	// A template that would not run.
	idle := cronJob("retry", "*/5 * * * *")
	idle["spec"].(object)["suspend"] = true
	w.write("retry.yaml", inJSON(t, idle))
	if p, code, _ := w.repair("--apply", "--yes"); became(p) != "refuse suspended-template" || code != 1 {
		t.Errorf("a suspended template: %s, exit %d", became(p), code)
	}

	// The secrets of a template are in no output.
	secret := cronJob("retry", "*/5 * * * *")
	pod := secret["spec"].(object)["jobTemplate"].(object)["spec"].(object)["template"].(object)["spec"].(object)
	pod["containers"].([]object)[0]["env"] = []object{{"name": "DB_DSN", "value": "open-sesame-4711"}, {"name": "TRIES", "value": "5"}}
	w.write("retry.yaml", inJSON(t, secret))
	if out, _ := w.command("repair", "-v").CombinedOutput(); strings.Contains(string(out), "sesame") || !strings.Contains(string(out), "DB_DSN") || !strings.Contains(string(out), "value: \"5\"") {
		t.Errorf("the plan shows a secret, or not the rest:\n%s", out)
	}
	w.write("retry.yaml", inJSON(t, cronJob("retry", "*/5 * * * *")))
	if dry, real := w.writes(); dry+real != 0 {
		t.Fatalf("%d dry runs and %d writes", dry, real)
	}

	// A template that the server does not take, for a rule of its own.
	c.Must(t, http.MethodPost, "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", object{"metadata": object{"name": "forbid"}, "spec": object{
		"matchConstraints": object{"resourceRules": []object{{"apiGroups": []string{"batch"}, "apiVersions": []string{"v1"}, "operations": []string{"CREATE"}, "resources": []string{"cronjobs"}}}},
		"validations":      []object{{"expression": "object.spec.concurrencyPolicy == 'Forbid'", "message": "no two at once here"}},
	}})
	c.Must(t, http.MethodPost, "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", object{"metadata": object{"name": "forbid"}, "spec": object{"policyName": "forbid", "validationActions": []string{"Deny"}}})
	kubetest.Eventually(t, time.Minute, "the policy is in force", func() (bool, string) {
		_, err := c.Do(http.MethodPost, cronJobs+"?dryRun=All", []byte(inJSON(t, cronJob("probe", "0 0 * * *"))))
		return err != nil && strings.Contains(err.Error(), "no two at once"), fmt.Sprint(err)
	})
	p, code, _ := w.repair("--apply", "--yes")
	if became(p) != "refused" || code != 1 || !strings.Contains(p.Rows[0].Outcome.Message, "no two at once here") || w.uid() != "" || w.read("ledger.yaml") != repairLedger {
		t.Errorf("a policy: %s, exit %d, %+v", became(p), code, p.Rows[0].Outcome)
	}
	if dry, real := w.writes(); dry != 1 || real != 0 {
		t.Errorf("%d dry runs and %d writes, want 1 and none", dry, real)
	}
}

// TestRepairRacesOnARealCluster: of two repairs at once one writes, and both end
// well, with the ledger that they share sound.
func TestRepairRacesOnARealCluster(t *testing.T) {
	c := startShop(t)
	w := newWorkshop(t, c, c.Kubeconfig(kubetest.Admin))
	races := 5
	if os.Getenv(kubetest.EnvReal) == "require" {
		races = 100
	}
	for n := range races {
		w.lose("retry")
		var wg sync.WaitGroup
		for range 2 {
			cmd := w.command("repair", "--apply", "--yes")
			wg.Add(1)
			go func() {
				defer wg.Done()
				out, err := cmd.CombinedOutput()
				// who comes late may find the ledger's pointer renewed, and then leaves it at that
				if code := cmd.ProcessState.ExitCode(); code != 0 {
					t.Errorf("race %d: exit %d, %v\n%s", n, code, err, out)
				}
			}()
		}
		wg.Wait()
		if _, real := w.writes(); real != n+1 {
			t.Fatalf("race %d: %d writes", n, real)
		}
		if !strings.Contains(w.read("ledger.yaml"), w.uid()) {
			t.Errorf("race %d: the ledger does not remember %s", n, w.uid())
		}
	}
}

// between is a proxy that can cut in before and after each request.
type between struct {
	mu     sync.Mutex
	n      int
	before func(n int, r *http.Request) bool // false cuts the connection
	after  func(n int, r *http.Request, answer []byte) ([]byte, bool)
}

// serve starts the proxy, and gives a kubeconfig for it.
func (b *between) serve(t *testing.T, c *kubetest.Cluster) string {
	t.Helper()
	cfg := c.Config(kubetest.Admin)
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.n++
		if b.before != nil && !b.before(b.n, r) {
			panic(http.ErrAbortHandler)
		}
		req, _ := http.NewRequest(r.Method, cfg.Host+r.URL.String(), r.Body)
		req.Header = r.Header.Clone()
		req.Header.Set("Accept-Encoding", "identity")
		resp, err := client.Do(req)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if b.after != nil {
			ok := true
			if answer, ok = b.after(b.n, r, answer); !ok {
				panic(http.ErrAbortHandler)
			}
		}
		rw.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		rw.WriteHeader(resp.StatusCode)
		_, _ = rw.Write(answer)
	}))
	t.Cleanup(server.Close)
	k := clientcmdapi.NewConfig()
	k.Clusters["x"] = &clientcmdapi.Cluster{Server: server.URL}
	k.Contexts["x"] = &clientcmdapi.Context{Cluster: "x"}
	k.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "config")
	if err := clientcmd.WriteToFile(*k, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// created says that a request is a creation and no dry run.
func created(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Get("dryRun") == ""
}

// TestRepairThroughABadNet: the server acts and its answer is lost, or what it
// made is not seen for a while. There is one object in the end, and no repair
// claims what it does not know.
func TestRepairThroughABadNet(t *testing.T) {
	c := startShop(t)
	b := &between{}
	w := newWorkshop(t, c, b.serve(t, c))
	old := map[string][]byte{} // what lists said before the creation
	for _, s := range []struct {
		name   string
		lose   bool // the answer to the creation
		drop   bool // the creation itself
		hide   int  // lists that still say what was
		wait   string
		want   string
		code   int
		writes int
		again  string
	}{
		{"the answer is lost", true, false, 0, "10s", "created", 0, 1, ""},
		{"the answer is lost, and it is seen late", true, false, 3, "10s", "created", 0, 1, ""},
		{"the request is lost", false, true, 0, "300ms", "unknown", 1, 0, "created"},
		{"it is seen late", false, false, 4, "10s", "created", 0, 1, ""},
		{"it is seen too late", false, false, 1000, "300ms", "unseen", 1, 1, ""},
		{"lost, and seen too late", true, false, 1000, "300ms", "unknown", 1, 1, ""},
	} {
		t.Run(s.name, func(t *testing.T) {
			w.t = t
			w.lose("retry")
			_, before := w.writes()
			asked, hide := false, s.hide
			b.before = func(_ int, r *http.Request) bool {
				asked = asked || created(r)
				return !s.drop || !created(r)
			}
			b.after = func(_ int, r *http.Request, answer []byte) ([]byte, bool) {
				switch {
				case created(r):
					return answer, !s.lose
				case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/cronjobs") && !asked:
					old[r.URL.String()] = answer
				case r.Method == http.MethodGet && hide > 0 && old[r.URL.String()] != nil:
					hide--
					return old[r.URL.String()], true
				}
				return answer, true
			}
			p, code, stderr := w.repair("--apply", "--yes", "--wait", s.wait)
			if became(p) != s.want || code != s.code {
				t.Errorf("%s, exit %d; want %s, exit %d\n%s%+v", became(p), code, s.want, s.code, stderr, p.Rows)
			}
			if _, real := w.writes(); real-before != s.writes {
				t.Errorf("%d writes, want %d", real-before, s.writes)
			}
			b.before, b.after = nil, nil
			if p, code, _ := w.repair("--apply", "--yes"); became(p) != s.again || code != 0 {
				t.Errorf("again: %s, exit %d; want %q", became(p), code, s.again)
			}
			if w.uid() == "" {
				t.Error("there is none in the end")
			}
		})
	}
}

// TestRepairKilledAtEachStep ends the process before and after each of its
// requests. The next repair leaves exactly one object and a sound ledger.
func TestRepairKilledAtEachStep(t *testing.T) {
	c := startShop(t)
	b := &between{}
	w := newWorkshop(t, c, b.serve(t, c))
	killed := 0
	for step := 1; ; step++ {
		alive := false
		for _, after := range []bool{false, true} {
			w.lose("retry")
			w.write("ledger.yaml", repairLedger)
			_, before := w.writes()
			cmd := w.command("repair", "--apply", "--yes", "--log", "writes.jsonl")
			b.mu.Lock()
			b.n = 0
			kill := func(n int) bool {
				if n == step {
					_ = cmd.Process.Kill()
				}
				return n != step
			}
			b.before, b.after = nil, nil
			if after {
				b.after = func(n int, _ *http.Request, answer []byte) ([]byte, bool) { return answer, kill(n) }
			} else {
				b.before = func(n int, _ *http.Request) bool { return kill(n) }
			}
			err := cmd.Start() // under the lock, so that a request meets a process to kill
			b.mu.Unlock()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				alive = true
			} else {
				killed++
			}
			b.mu.Lock()
			b.before, b.after = nil, nil
			b.mu.Unlock()
			if p, code, stderr := w.repair("--apply", "--yes"); code != 0 {
				t.Errorf("step %d: %s, exit %d, %s", step, became(p), code, stderr)
			}
			if _, real := w.writes(); real-before != 1 || w.uid() == "" {
				t.Errorf("step %d, after %v: %d writes", step, after, real-before)
			}
			if !strings.Contains(w.read("ledger.yaml"), "uid: "+w.uid()) {
				t.Errorf("step %d, after %v: the ledger does not remember %s:\n%s", step, after, w.uid(), w.read("ledger.yaml"))
			}
		}
		if alive {
			break
		}
	}
	if killed < 10 {
		t.Errorf("only %d steps were met", killed)
	}
	for line := range strings.Lines(w.read("writes.jsonl")) {
		var e repair.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Role != "retry" {
			t.Errorf("a line of the log: %v %q", err, line)
		}
	}
}
