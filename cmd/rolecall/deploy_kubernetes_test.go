package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// manifest reads the documents of a file.
func manifest(t *testing.T, name string) []object {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("deploy/kubernetes", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []object
	for _, doc := range strings.Split("\n"+string(data), "\n---\n") {
		var o object
		if err := yaml.UnmarshalStrict([]byte(doc), &o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, o)
	}
	return out
}

// collections are where objects of a kind are made; %s is their namespace.
var collections = map[string]string{
	"Namespace": "/api/v1/namespaces", "ServiceAccount": "/api/v1/namespaces/%s/serviceaccounts", "Pod": "/api/v1/namespaces/%s/pods",
	"CronJob": "/apis/batch/v1/namespaces/%s/cronjobs",
	"Role":    "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles", "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings",
	"ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles", "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}

// apply makes the objects of a file as kubectl -n NAMESPACE create does, and lets
// the server refuse fields that it does not know.
func apply(t *testing.T, c *kubetest.Cluster, name, namespace string) {
	t.Helper()
	for _, o := range manifest(t, name) {
		create(t, c, o, namespace)
	}
}

func create(t *testing.T, c *kubetest.Cluster, o object, namespace string) {
	t.Helper()
	kind := o["kind"].(string)
	path, ok := collections[kind]
	if !ok {
		t.Fatalf("no path for the kind %s", kind)
	}
	meta := o["metadata"].(object)
	if strings.Contains(path, "%s") {
		if own, ok := meta["namespace"].(string); ok {
			namespace = own
		}
		path = fmt.Sprintf(path, namespace)
	}
	if subjects, ok := o["subjects"].([]any); ok {
		for _, s := range subjects {
			if s := s.(object); s["namespace"] == nil {
				s["namespace"] = namespace // as kubectl fills it in
			}
		}
	}
	if _, err := c.Do(http.MethodPost, path+"?fieldValidation=Strict", []byte(inJSON(t, o))); err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
		t.Errorf("%s: %v", kind, err)
	}
}

// account is a client with the token that kubectl create token gives for the
// service account rolecall of a namespace, and a kubeconfig for it.
func account(t *testing.T, c *kubetest.Cluster, namespace string) (*http.Client, string) {
	t.Helper()
	var answer struct{ Status struct{ Token string } }
	body := c.Must(t, http.MethodPost, "/api/v1/namespaces/"+namespace+"/serviceaccounts/rolecall/token", object{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": object{"expirationSeconds": 3600}})
	if err := json.Unmarshal(body, &answer); err != nil || answer.Status.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	cfg := c.Config(kubetest.Alice) // for the server and its certificate
	cfg.BearerToken = answer.Status.Token
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	k := clientcmdapi.NewConfig()
	k.Clusters["audited"] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthority: cfg.CAFile}
	k.AuthInfos["rolecall"] = &clientcmdapi.AuthInfo{Token: cfg.BearerToken}
	k.Contexts["audited"] = &clientcmdapi.Context{Cluster: "audited", AuthInfo: "rolecall"}
	k.CurrentContext = "audited"
	path := filepath.Join(t.TempDir(), "config")
	if err := clientcmd.WriteToFile(*k, path); err != nil {
		t.Fatal(err)
	}
	return client, path
}

// may are the rights of an account in a namespace, without those of everybody
// (what the server can do, and who one is).
func may(t *testing.T, c *kubetest.Cluster, client *http.Client, namespace string) []string {
	t.Helper()
	var review struct {
		Status struct {
			Incomplete    bool
			ResourceRules []struct {
				Verbs, APIGroups, Resources []string
			}
		}
	}
	code, body := askAPI(t, c, client, http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", inJSON(t, object{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": object{"namespace": namespace},
	}))
	if err := json.Unmarshal(body, &review); err != nil || code != http.StatusCreated {
		t.Fatalf("%d, %v: %s", code, err, body)
	}
	out := map[string]bool{}
	for _, r := range review.Status.ResourceRules {
		for _, group := range r.APIGroups {
			if group == "authorization.k8s.io" || group == "authentication.k8s.io" {
				continue
			}
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					out[verb+" "+resource+"."+group] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}

func askAPI(t *testing.T, c *kubetest.Cluster, client *http.Client, method, path, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, c.Config(kubetest.Admin).Host+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// TestRightsInACluster: with what the manifests grant an audit is complete, and
// nothing else can be done with it.
func TestRightsInACluster(t *testing.T) {
	c := kubetest.Start(t)
	for _, name := range []string{"batch", "other"} {
		c.Namespace(t, name)
		for _, role := range []string{"retry", "gate"} {
			cj := cronJob(role, map[string]string{"retry": "*/5 * * * *", "gate": "*/10 * * * *"}[role])
			cj["metadata"].(object)["namespace"] = name
			if name == "other" {
				cj["metadata"].(object)["annotations"] = object{}
			}
			create(t, c, cj, name)
		}
	}
	apply(t, c, "rbac-namespace.yaml", "batch")
	apply(t, c, "rbac-cluster.yaml", "")
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"ledger.yaml": clusterLedger, "retry.yaml": inJSON(t, cronJob("retry", "*/5 * * * *")),
		"cluster.yaml":   "ledger: ledger.yaml\nsources: [{name: prod, kubernetes: {all_namespaces: true}}]\n",
		"namespace.yaml": "ledger: ledger.yaml\nsources: [{name: prod, kubernetes: {namespaces: [batch]}}]\n",
	})
	reads := []string{"get cronjobs.batch", "list cronjobs.batch"}
	for _, who := range []struct {
		of, in, config string
		outside        int
	}{{"namespace", "batch", "namespace.yaml", http.StatusForbidden}, {"cluster", "rolecall", "cluster.yaml", http.StatusOK}} {
		t.Run(who.of, func(t *testing.T) {
			client, kubeconfig := account(t, c, who.in)
			r, code := auditAs(t, dir, kubeconfig, "--config", who.config)
			if code != 0 || !r.Complete || states(r) != "gate ok, retry ok" {
				t.Errorf("exit %d, complete %v, %s; %s", code, r.Complete, states(r), coverageOf(r))
			}
			if diff := cmp.Diff(reads, may(t, c, client, "batch")); diff != "" {
				t.Errorf("rights: -want +got\n%s", diff)
			}
			if code, _ := askAPI(t, c, client, http.MethodGet, "/apis/batch/v1/namespaces/other/cronjobs", ""); code != who.outside {
				t.Errorf("CronJobs of another namespace: %d", code)
			}
			onlyReadsAre(t, c, client)
		})
	}
}

// TestRightsToExplain: what rbac-explain.yaml adds is what the explanation of a
// finding takes, and nothing else.
func TestRightsToExplain(t *testing.T) {
	c := kubetest.Start(t)
	c.Namespace(t, "batch")
	apply(t, c, "rbac-cluster.yaml", "")
	apply(t, c, "rbac-explain.yaml", "")
	client, _ := account(t, c, "rolecall")
	want := []string{"get cronjobs.batch", "list cronjobs.batch", "list events.", "list jobs.batch", "list pods."}
	if diff := cmp.Diff(want, may(t, c, client, "batch")); diff != "" {
		t.Errorf("rights: -want +got\n%s", diff)
	}
	for _, resource := range []string{"/apis/batch/v1/namespaces/batch/jobs", "/api/v1/namespaces/batch/pods", "/api/v1/namespaces/batch/events"} {
		if code, answer := askAPI(t, c, client, http.MethodGet, resource, ""); code != http.StatusOK {
			t.Errorf("%s: %d %s", resource, code, answer)
		}
	}
}

// onlyReadsAre tries what must not be: to change a CronJob, and to read what
// holds secrets.
func onlyReadsAre(t *testing.T, c *kubetest.Cluster, client *http.Client) {
	t.Helper()
	const one = "/apis/batch/v1/namespaces/batch/cronjobs/retry"
	body := inJSON(t, cronJob("another", "0 0 * * *"))
	for _, try := range [][2]string{
		{http.MethodPost, "/apis/batch/v1/namespaces/batch/cronjobs"}, {http.MethodPut, one}, {http.MethodPatch, one}, {http.MethodDelete, one},
		{http.MethodDelete, "/apis/batch/v1/namespaces/batch/cronjobs"}, {http.MethodPatch, one + "/status"},
		{http.MethodGet, "/apis/batch/v1/namespaces/batch/jobs"}, {http.MethodPost, "/apis/batch/v1/namespaces/batch/jobs"},
		{http.MethodGet, "/api/v1/namespaces/batch/secrets"}, {http.MethodGet, "/api/v1/namespaces/batch/configmaps"}, {http.MethodGet, "/api/v1/namespaces/batch/pods"},
		{http.MethodGet, "/apis/batch/v1/namespaces/batch/cronjobs?watch=true"},
	} {
		if code, answer := askAPI(t, c, client, try[0], try[1], body); code != http.StatusForbidden {
			t.Errorf("%s %s: %d %s", try[0], try[1], code, answer)
		}
	}
}

// TestAuditManifestOnARealCluster: the server takes every field of the CronJob,
// and takes its pods where pod security is at its strictest.
func TestAuditManifestOnARealCluster(t *testing.T) {
	c := kubetest.Start(t)
	apply(t, c, "audit.yaml", "")
	cj := manifest(t, "audit.yaml")[1]
	template := cj["spec"].(object)["jobTemplate"].(object)["spec"].(object)["template"].(object)["spec"].(object)
	c.Must(t, http.MethodPost, "/api/v1/namespaces/rolecall/serviceaccounts", object{"metadata": object{"name": "default"}})
	pod := object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "audit"}, "spec": template}
	create(t, c, pod, "rolecall")
	var stored struct {
		Spec struct {
			Volumes []struct{ Name string }
		}
	}
	if err := json.Unmarshal(c.Must(t, http.MethodGet, "/api/v1/namespaces/rolecall/pods/audit", nil), &stored); err != nil {
		t.Fatal(err)
	}
	if len(stored.Spec.Volumes) != 2 {
		t.Errorf("volumes %v: a token of its own cluster is mounted", stored.Spec.Volumes)
	}
	// That the pod security is real: the same pod without its word about root.
	delete(template, "securityContext")
	pod["metadata"] = object{"name": "careless"}
	if _, err := c.Do(http.MethodPost, "/api/v1/namespaces/rolecall/pods", []byte(inJSON(t, pod))); err == nil || !strings.Contains(err.Error(), "PodSecurity") {
		t.Errorf("a careless pod is taken: %v", err)
	}
}

// TestAuditManifestRuns runs the container's command with the files where the
// kubelet puts them, which is by links, and with nothing that can be written to.
func TestAuditManifestRuns(t *testing.T) {
	c := kubetest.Start(t)
	c.Namespace(t, "batch")
	create(t, c, cronJob("gate", "*/10 * * * *"), "batch")
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"..2026_11_30/rolecall.yaml": "ledger: ledger.yaml\nsources: [{name: prod, kubernetes: {all_namespaces: true}}]\n",
		"..2026_11_30/ledger.yaml":   "ledger: rolecall/v1\nname: shop\nroles:\n  gate: {owner: o, source: prod, version: \"1\", spec: {template: gate.yaml}}\n",
		"..2026_11_30/gate.yaml":     inJSON(t, cronJob("gate", "*/10 * * * *")),
	})
	for link, to := range map[string]string{"..data": "..2026_11_30", "rolecall.yaml": "..data/rolecall.yaml", "ledger.yaml": "..data/ledger.yaml", "gate.yaml": "..data/gate.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	container := manifest(t, "audit.yaml")[1]["spec"].(object)["jobTemplate"].(object)["spec"].(object)["template"].(object)["spec"].(object)["containers"].([]any)[0].(object)
	var args []string
	for _, a := range container["args"].([]any) {
		args = append(args, strings.Replace(a.(string), "/etc/rolecall", dir, 1))
	}
	t.Setenv("KUBECONFIG", c.Kubeconfig(kubetest.Admin))
	t.Setenv("HOME", "")
	if code, out, errs := inProcess(args...); code != 0 || !strings.Contains(out, "gate") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
