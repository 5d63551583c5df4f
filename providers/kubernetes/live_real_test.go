//go:build unix

package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
	"github.com/rolecall-dev/rolecall/specs"
)

// The tests here ask a real API server; see kubetest for how to get one.

func TestMain(m *testing.M) {
	if kubeconfig := os.Getenv(measureEnv); kubeconfig != "" {
		measureAndExit(kubeconfig)
	}
	code := m.Run()
	if shared.cluster != nil {
		shared.cluster.Stop()
	}
	os.Exit(code)
}

// shared is the one control plane, with controllers and a node, that all tests
// but those that break it have in common. Each has namespaces of its own.
var shared struct {
	once    sync.Once
	cluster *kubetest.Cluster
	err     error
}

func realCluster(t *testing.T) *kubetest.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("asks a real API server")
	}
	shared.once.Do(func() {
		if shared.cluster, shared.err = kubetest.Launch(kubetest.Controllers, kubetest.Node); shared.err == nil {
			startClockwork(t, shared.cluster)
		}
	})
	if shared.err != nil {
		kubetest.Absent(t, shared.err)
	}
	return shared.cluster
}

// create stores a manifest and gives its text as a template.
func create(t *testing.T, c *kubetest.Cluster, namespace, file string) *specs.Document {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cj map[string]any
	if err := yaml.Unmarshal(data, &cj); err != nil {
		t.Fatal(err)
	}
	c.Must(t, http.MethodPost, jobsPath(namespace)+"?fieldManager=first-writer&fieldValidation=Strict", cj)
	return &specs.Document{Name: filepath.Base(file), Data: data}
}

func look(t *testing.T, rc *rest.Config, cfg Config) providers.Observation {
	t.Helper()
	return connected(t, rc, cfg).Observe(context.Background(), providers.Selection{})
}

func object(t *testing.T, o providers.Observation, name string) providers.Object {
	t.Helper()
	i := slices.IndexFunc(o.Objects, func(obj providers.Object) bool { return obj.Attr("name") == name })
	if i < 0 {
		t.Fatalf("%s was not listed; areas %+v", name, o.Areas)
	}
	return o.Objects[i]
}

// TestRealDefaults: what a person writes and what the server gives back are one
// spec, and so is what a first ledger is made from.
func TestRealDefaults(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "defaults")
	hashes := map[string]string{}
	for _, name := range []string{"minimal", "spelled", "exhaustive", "old", "young"} {
		template := create(t, c, "defaults", filepath.Join("testdata", "live", name+".yaml"))
		want, err := translate(specs.Statement{Template: template})
		if err != nil {
			t.Fatal(err)
		}
		p := connected(t, c.Config(kubetest.Admin), Config{Namespaces: []string{"defaults"}})
		o := p.Observe(context.Background(), providers.Selection{Literals: true})
		got := object(t, o, name)
		if d := specs.Diff(want.Spec, got.Spec); len(d) > 0 || want.Spec.Hash() != got.Spec.Hash() {
			t.Errorf("%s: the server's form differs: %+v", name, d)
		}
		again, err := translate(specs.Statement{Template: &specs.Document{Name: name, Data: got.Literal()}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := specs.Diff(again.Spec, got.Spec); len(d) > 0 {
			t.Errorf("%s: its literal differs: %+v", name, d)
		}
		hashes[name] = got.Spec.Hash().String()
	}
	if hashes["minimal"] != hashes["spelled"] || hashes["minimal"] == hashes["exhaustive"] {
		t.Errorf("hashes %v", hashes)
	}
	if hashes["old"] != hashes["young"] || hashes["old"] == hashes["minimal"] {
		t.Errorf("hashes of old forms %v", hashes)
	}
	marked := object(t, look(t, c.Config(kubetest.Admin), Config{Namespaces: []string{"defaults"}}), "exhaustive")
	if marked.Marker().Role != "invoices" || marked.Marker().Version != "010" || marked.UID() == "" || marked.Created().IsZero() {
		t.Errorf("marker %+v, uid %q, created %v", marked.Marker(), marked.UID(), marked.Created())
	}
}

// TestRealForms: JSON behind a proxy that does not pass protobuf on, and each
// page size, give the same.
func TestRealForms(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "forms")
	for _, name := range []string{"minimal", "spelled", "exhaustive"} {
		create(t, c, "forms", filepath.Join("testdata", "live", name+".yaml"))
	}
	cfg := Config{Namespaces: []string{"forms"}}
	want := look(t, c.Config(kubetest.Admin), cfg)
	proxy := proxyTo(t, c)
	onlyJSON := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Accept", "application/json")
		proxy.ServeHTTP(w, r)
	})
	if got := served(t, onlyJSON, cfg).Observe(context.Background(), providers.Selection{}); digest(got) != digest(want) {
		t.Errorf("JSON gives\n%s\nprotobuf\n%s", digest(got), digest(want))
	}
	for _, size := range []int64{1, 2, 3, -1} {
		cfg.PageSize = size
		got := look(t, c.Config(kubetest.Admin), cfg)
		got.Requests = want.Requests
		if digest(got) != digest(want) {
			t.Errorf("pages of %d give\n%s\nwant\n%s", size, digest(got), digest(want))
		}
	}
}

// TestRealSelector: labels narrow the source on the server.
func TestRealSelector(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "selected")
	create(t, c, "selected", "testdata/live/minimal.yaml")
	create(t, c, "selected", "testdata/live/spelled.yaml")
	o := look(t, c.Config(kubetest.Admin), Config{Namespaces: []string{"selected"}, Selector: "team in (reports)"})
	if got := names(o); !slices.Equal(got, []string{"selected/spelled"}) {
		t.Errorf("objects %v", got)
	}
}

// TestRealSuspend: switched off by hand it is the same job, inactive, and the
// one who did it is named.
func TestRealSuspend(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "suspend")
	create(t, c, "suspend", "testdata/live/minimal.yaml")
	cfg := Config{Namespaces: []string{"suspend"}}
	before := object(t, look(t, c.Config(kubetest.Admin), cfg), "minimal")
	c.Must(t, http.MethodPatch, jobsPath("suspend")+"/minimal?fieldManager=ops-oncall", map[string]any{"spec": map[string]any{"suspend": true}})
	after := object(t, look(t, c.Config(kubetest.Admin), cfg), "minimal")
	if len(before.Inactive()) != 0 || len(after.Inactive()) != 1 || after.Inactive()[0].Code != "suspended" {
		t.Errorf("inactive %v, then %v", before.Inactive(), after.Inactive())
	}
	if before.Spec.Hash() != after.Spec.Hash() || before.UID() != after.UID() {
		t.Error("suspend changed the spec or the object")
	}
	if who := writers(after, "state"); !slices.Equal(who, []string{"ops-oncall"}) {
		t.Errorf("state was written by %v: %+v", who, after.Changes())
	}
	if who := writers(after, "schedule"); !slices.Equal(who, []string{"first-writer"}) {
		t.Errorf("schedule was written by %v: %+v", who, after.Changes())
	}
}

// TestRealChange: an edit differs in its field only, and its writer is known.
func TestRealChange(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "change")
	create(t, c, "change", "testdata/live/minimal.yaml")
	cfg := Config{Namespaces: []string{"change"}}
	before := object(t, look(t, c.Config(kubetest.Admin), cfg), "minimal")
	patch := `{"spec":{"schedule":"7 * * * *","jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"registry.example/report:2"}]}}}}}}`
	if _, err := c.Do(http.MethodPatch, jobsPath("change")+"/minimal?fieldManager=hotfix", []byte(patch)); err != nil {
		t.Fatal(err)
	}
	after := object(t, look(t, c.Config(kubetest.Admin), cfg), "minimal")
	var paths []string
	for _, d := range specs.Diff(before.Spec, after.Spec) {
		paths = append(paths, d.Path)
		if who := writers(after, d.Path); !slices.Equal(who, []string{"hotfix"}) {
			t.Errorf("%s was written by %v: %+v", d.Path, who, after.Changes())
		}
	}
	// The merge patch replaced the container, so the server judged the pull policy anew: a tag that is not latest.
	want := []string{"schedule", "jobTemplate.spec.template.spec.containers[main].image"}
	if !slices.Equal(paths, want) {
		t.Errorf("differences in %v, want %v", paths, want)
	}
}

func writers(o providers.Object, path string) []string {
	var out []string
	for _, ch := range o.Changes() {
		if slices.Contains(ch.Paths, path) && !ch.When.IsZero() {
			out = append(out, ch.Who)
		}
	}
	return out
}

// TestRealRights: a right that is missing is a gap where it is missing, and
// nowhere else.
func TestRealRights(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	for _, ns := range []string{"mine", "theirs"} {
		c.Namespace(t, ns)
		create(t, c, ns, "testdata/live/minimal.yaml")
	}
	c.ClusterRole(t, "see-namespaces", "", []string{"namespaces"}, []string{"get", "list"})
	c.Grant(t, kubetest.Alice, "view", "mine")
	c.Grant(t, kubetest.Alice, "see-namespaces", "")

	o := look(t, c.Config(kubetest.Alice), Config{})
	got := states(o)
	if got["namespace/mine"] != providers.Read || got["namespace/theirs"] != providers.Denied || got["cluster"] != "" {
		t.Errorf("one who may list namespaces: %v", got)
	}
	if n := names(o); !slices.Equal(n, []string{"mine/minimal"}) {
		t.Errorf("objects %v", n)
	}
	if lookup(o, "theirs/minimal") != providers.Unknown {
		t.Error("what was not seen is said to be absent")
	}

	o = look(t, c.Config(kubetest.Bob), Config{})
	if len(o.Areas) != 1 || o.Areas[0].Part != "cluster" || o.Areas[0].State != providers.Denied ||
		!strings.Contains(o.Areas[0].Reason, "get and list on cronjobs.batch") || !strings.Contains(o.Areas[0].Reason, `User "bob"`) {
		t.Errorf("one without rights: %+v", o.Areas)
	}

	reader := c.Config(kubetest.Bob)
	reader.BearerToken = serviceAccount(t, c, "mine", "reader")
	o = look(t, reader, Config{Namespaces: []string{"mine", "theirs"}})
	if got := states(o); got["namespace/mine"] != providers.Read || got["namespace/theirs"] != providers.Denied || len(o.Objects) != 1 {
		t.Errorf("a service account of one namespace: %+v", o.Areas)
	}
	o = look(t, reader, Config{})
	if got := states(o); got["cluster"] != providers.Denied || len(got) != 1 {
		t.Errorf("a service account of one namespace, asked for all: %+v", o.Areas)
	}

	reader.BearerToken = secretToken
	o = look(t, reader, Config{Namespaces: []string{"mine"}})
	if len(o.Areas) != 1 || o.Areas[0].State != providers.Denied || strings.Contains(fmt.Sprint(o), secretToken) {
		t.Errorf("a bad token: %+v", o.Areas)
	}

	o = look(t, c.Config(kubetest.Admin), Config{Namespaces: []string{"not-there"}})
	if len(o.Areas) != 1 || o.Areas[0].State != providers.Read || len(o.Notes) != 1 {
		t.Errorf("a namespace that does not exist: %+v, notes %v", o.Areas, o.Notes)
	}
}

// serviceAccount makes one that may view a namespace, and gives its token.
func serviceAccount(t *testing.T, c *kubetest.Cluster, namespace, name string) string {
	t.Helper()
	accounts := "/api/v1/namespaces/" + namespace + "/serviceaccounts"
	c.Must(t, http.MethodPost, accounts, map[string]any{"metadata": map[string]any{"name": name}})
	c.Must(t, http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/namespaces/"+namespace+"/rolebindings", map[string]any{
		"metadata": map[string]any{"name": name},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": name, "namespace": namespace}},
	})
	var answer struct {
		Status struct {
			Token string `json:"token"`
		} `json:"status"`
	}
	body := c.Must(t, http.MethodPost, accounts+"/"+name+"/token", map[string]any{"spec": map[string]any{}})
	if err := json.Unmarshal(body, &answer); err != nil || answer.Status.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	return answer.Status.Token
}

// TestRealOnlyReads: the server's own log has nothing but get and list of us,
// and as many as we say.
func TestRealOnlyReads(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "reads")
	create(t, c, "reads", "testdata/live/minimal.yaml")
	said := 0
	for _, cfg := range []Config{{}, {PageSize: 1}, {Namespaces: []string{"reads", "not-there"}}, {Selector: "a=b"}} {
		rc := c.Config(kubetest.Admin)
		rc.UserAgent = "rolecall-only-reads"
		said += look(t, rc, cfg).Requests
	}
	rc := c.Config(kubetest.Bob)
	rc.UserAgent = "rolecall-only-reads"
	said += look(t, rc, Config{}).Requests
	requests, err := c.Requests()
	if err != nil {
		t.Fatal(err)
	}
	logged := 0
	for _, r := range requests {
		if r.Agent != "rolecall-only-reads" {
			continue
		}
		logged++
		if r.Verb != "get" && r.Verb != "list" {
			t.Errorf("%s %s", r.Verb, r.URI)
		}
	}
	if logged != said || said == 0 {
		t.Errorf("the server logged %d requests, we said %d", logged, said)
	}
}

// TestRealFaults: every fault on every page again, of the real server's pages.
func TestRealFaults(t *testing.T) {
	c := realCluster(t)
	c.Namespace(t, "batch")
	for i := range pages * perPage {
		cj := oneJob("batch", fmt.Sprintf("job-%02d", i))
		c.Must(t, http.MethodPost, jobsPath("batch"), &cj)
	}
	proxy := proxyTo(t, c)
	for _, f := range faults() {
		for at := 1; at <= pages; at++ {
			t.Run(fmt.Sprintf("%s/page %d", f.name, at), func(t *testing.T) {
				t.Parallel()
				p := served(t, &front{behind: proxy, fault: f.do, at: at, stays: f.stays}, Config{Namespaces: []string{"batch"}, PageSize: perPage})
				checkFault(t, f, at, p.Observe(context.Background(), providers.Selection{}))
			})
		}
	}
}

// proxyTo passes requests on to the real server, as admin.
func proxyTo(t *testing.T, c *kubetest.Cluster) http.Handler {
	t.Helper()
	rc := c.Config(kubetest.Admin)
	transport, err := rest.TransportFor(rc)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(rc.Host)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Authorization")
	}}
}

// startClockwork makes the jobs whose runs TestRealController waits for, early,
// so that the wait for the minute goes on beside other tests.
func startClockwork(t *testing.T, c *kubetest.Cluster) {
	t.Helper()
	c.Namespace(t, "clockwork")
	for _, outcome := range []string{"succeed", "fail", "hang"} {
		cj := oneJob("clockwork", outcome)
		cj.Spec.Schedule = "* * * * *"
		never := int32(0)
		cj.Spec.JobTemplate.Spec.BackoffLimit = &never
		cj.Spec.JobTemplate.Spec.Template.Annotations = map[string]string{"testkube/outcome": outcome}
		c.Must(t, http.MethodPost, jobsPath("clockwork"), &cj)
	}
}

// TestRealController: the times that the real controller writes are told apart
// as started and succeeded.
func TestRealController(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	p := connected(t, c.Config(kubetest.Admin), Config{Namespaces: []string{"clockwork"}})
	var o providers.Observation
	kubetest.Eventually(t, 150*time.Second, "a minute's jobs to start, and one to succeed", func() (bool, string) {
		o = p.Observe(context.Background(), providers.Selection{})
		done := len(o.Objects) == 3
		var state []string
		for _, obj := range o.Objects {
			done = done && !obj.Runs().Executed.Last.IsZero() && (obj.Attr("name") != "succeed" || !obj.Runs().Succeeded.Last.IsZero())
			state = append(state, fmt.Sprint(obj.Attr("name"), obj.Runs().Executed.Last, obj.Runs().Succeeded.Last))
		}
		return done, strings.Join(state, "; ")
	})
	for _, name := range []string{"fail", "hang"} {
		if obj := object(t, o, name); !obj.Runs().Succeeded.Last.IsZero() {
			t.Errorf("%s has succeeded at %v", name, obj.Runs().Succeeded.Last)
		}
	}
	succeeded := object(t, o, "succeed")
	if start := succeeded.Runs().Executed.Last; start.Second() != 0 || start.Location() != time.UTC {
		t.Errorf("started at %v, want a whole minute in UTC", start)
	}
	if who := writers(object(t, o, "succeed"), "schedule"); slices.Contains(who, "kube-controller-manager") {
		t.Errorf("the controller is said to have changed the schedule")
	}
}

// TestRealRefusals: what we call invalid is what the server refuses, and the
// other way round.
func TestRealRefusals(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "refusals")
	berlin, nowhere := "Europe/Berlin", "Mars/Base"
	for i, s := range []struct {
		schedule string
		zone     *string
	}{
		{"0 0 * * 7", nil}, {"0 0 * * 0", nil}, {"61 * * * *", nil}, {"@daily", nil}, {"@every 90m", nil}, {"@reboot", nil},
		{"0 0 0 * * *", nil}, {"TZ=UTC 0 0 * * *", nil}, {"CRON_TZ=UTC 0 0 * * *", &berlin}, {"0 0 31 2 *", nil}, {"0 0 */2 * 1", &berlin},
		{"0 0 * * *", &nowhere}, {"0 0 * JAN-mar Mon", nil}, {"*/0 * * * *", nil}, {"0 0 ? * ?", nil}, {"", nil}, {"0 0 L * *", nil}, {"5-1 * * * *", nil},
	} {
		cj := oneJob("refusals", fmt.Sprintf("s-%02d", i))
		cj.Spec.Schedule, cj.Spec.TimeZone = s.schedule, s.zone
		cj.TypeMeta = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"}
		body, err := json.Marshal(&cj)
		if err != nil {
			t.Fatal(err)
		}
		_, refusedByServer := c.Do(http.MethodPost, jobsPath("refusals")+"?dryRun=All", body)
		_, _, ok := scheduleOf(&cj, false)
		if ok == (refusedByServer != nil) {
			t.Errorf("%q: we take it: %v, the server says %v", s.schedule, ok, refusedByServer)
		}
		if refusedByServer != nil && !bytes.Contains([]byte(refusedByServer.Error()), []byte("422")) {
			t.Errorf("%q: refused for another reason: %v", s.schedule, refusedByServer)
		}
	}
}

// TestRealFaultsOfManifests: what faultsOf says, the server says in the same
// words, and it takes what has no fault.
func TestRealFaultsOfManifests(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "faulty")
	for _, r := range refusals() {
		cj := r.cronJob("faulty")
		body, err := json.Marshal(cj)
		if err != nil {
			t.Fatal(err)
		}
		answer, refusedByServer := c.Do(http.MethodPost, jobsPath("faulty")+"?dryRun=All", body)
		if (refusedByServer != nil) != (r.text != "") {
			t.Errorf("%s: the server says %v", r.name, refusedByServer)
		}
		if refusedByServer == nil {
			continue
		}
		var status metav1.Status
		if err := json.Unmarshal(answer, &status); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		for _, e := range faultsOf(cj) {
			if !(&mutant{causes: status.Details.Causes}).has(e) {
				t.Errorf("%s: we say %q, the server %q", r.name, e.Error(), status.Message)
			}
		}
	}
}

// TestRealBeingDeleted: a CronJob that a finalizer holds after its deletion is
// the same object, and not active.
func TestRealBeingDeleted(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "deleted")
	cj := oneJob("deleted", "held")
	cj.Finalizers = []string{"example.com/hold"}
	c.Must(t, http.MethodPost, jobsPath("deleted"), &cj)
	cfg := Config{Namespaces: []string{"deleted"}}
	before := object(t, look(t, c.Config(kubetest.Admin), cfg), "held")
	c.Must(t, http.MethodDelete, jobsPath("deleted")+"/held", nil)
	after := object(t, look(t, c.Config(kubetest.Admin), cfg), "held")
	if len(before.Inactive()) > 0 || !slices.Equal(codesOf(after), []string{"being-deleted"}) || !strings.Contains(after.Inactive()[0].Detail, `"example.com/hold"`) {
		t.Errorf("inactive %+v, then %+v", before.Inactive(), after.Inactive())
	}
	if before.UID() != after.UID() || before.Spec.Hash() != after.Spec.Hash() {
		t.Error("the deletion changed the object or its spec")
	}
	c.Must(t, http.MethodPatch, jobsPath("deleted")+"/held", map[string]any{"metadata": map[string]any{"finalizers": nil}})
	if o := look(t, c.Config(kubetest.Admin), cfg); len(o.Objects) > 0 {
		t.Errorf("without its finalizer it is still there: %v", names(o))
	}
}
