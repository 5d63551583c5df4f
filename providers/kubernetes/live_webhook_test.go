//go:build unix

package kubernetes

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
	"github.com/rolecall-dev/rolecall/specs"
)

// injections are what a service mesh puts into a pod template, as a JSON patch.
const injections = `[
	{"op": "add", "path": "/spec/jobTemplate/spec/template/spec/containers/0", "value": {"name": "mesh-proxy", "image": "mesh.example/proxy:1", "ports": [{"containerPort": 15090, "name": "metrics"}]}},
	{"op": "add", "path": "/spec/jobTemplate/spec/template/spec/volumes", "value": [{"name": "mesh-certs", "emptyDir": {"medium": "Memory"}}]},
	{"op": "add", "path": "/spec/jobTemplate/spec/template/spec/containers/1/env", "value": [{"name": "MESH_PORT", "value": "15001"}]},
	{"op": "add", "path": "/spec/jobTemplate/spec/template/metadata/annotations", "value": {"mesh.example/status": "{\"version\":\"1\"}"}}]`

// injector is a mutating webhook.
func injector(t *testing.T) *httptest.Server {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID       string `json:"uid"`
				Operation string `json:"operation"`
			} `json:"request"`
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &review); err != nil {
			t.Error(err)
		}
		answer := map[string]any{"uid": review.Request.UID, "allowed": true}
		if review.Request.Operation == "CREATE" {
			answer["patchType"], answer["patch"] = "JSONPatch", []byte(injections)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer})
	}))
	t.Cleanup(s.Close)
	return s
}

// register makes the server ask a webhook about the CronJobs of a namespace.
func register(t *testing.T, c *kubetest.Cluster, s *httptest.Server, namespace string) {
	t.Helper()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	c.Must(t, http.MethodPost, "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", map[string]any{
		"metadata": map[string]any{"name": "mesh"},
		"webhooks": []any{map[string]any{
			"name": "inject.mesh.example", "sideEffects": "None", "admissionReviewVersions": []any{"v1"}, "failurePolicy": "Fail",
			"clientConfig":      map[string]any{"url": s.URL, "caBundle": authority},
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": namespace}},
			"rules":             []any{map[string]any{"apiGroups": []any{"batch"}, "apiVersions": []any{"v1"}, "resources": []any{"cronjobs"}, "operations": []any{"CREATE", "UPDATE"}}},
		}},
	})
}

// TestRealInjected: what a webhook adds differs where it adds it, and each
// addition has a path of its own. Nobody is said to have written it: the server
// notes who wrote which fields before it asks the webhooks.
func TestRealInjected(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	c.Namespace(t, "injected")
	s := injector(t)
	register(t, c, s, "injected")
	cfg := Config{Namespaces: []string{"injected"}}
	var template *specs.Document
	var got providers.Object
	kubetest.Eventually(t, 60e9, "the server to ask the webhook", func() (bool, string) {
		template = create(t, c, "injected", "testdata/live/minimal.yaml")
		got = object(t, look(t, c.Config(kubetest.Admin), cfg), "minimal")
		if len(got.Spec.Body.Get("jobTemplate").Get("spec").Get("template").Get("spec").Get("volumes").Members) > 0 {
			return true, ""
		}
		c.Must(t, http.MethodDelete, jobsPath("injected")+"/minimal", nil)
		return false, "not yet"
	})
	want, err := translate(specs.Statement{Template: template})
	if err != nil {
		t.Fatal(err)
	}
	const inPod = "jobTemplate.spec.template.spec."
	added := []string{
		`jobTemplate.spec.template.metadata.annotations["mesh.example/status"]`,
		inPod + "containers[main].env[MESH_PORT]", inPod + "containers[mesh-proxy]", inPod + "volumes[mesh-certs]",
	}
	var paths []string
	for _, d := range specs.Diff(want.Spec, got.Spec) {
		paths = append(paths, d.Path)
		if d.Desired.Kind != specs.Absent {
			t.Errorf("%s: %+v was desired", d.Path, d.Desired)
		}
		if who := owners(got, d.Path); len(who) > 0 {
			t.Errorf("%s is said to be written by %v", d.Path, who)
		}
	}
	slices.Sort(added)
	slices.Sort(paths)
	if d := cmp.Diff(added, paths); d != "" {
		t.Errorf("paths that differ (-want +got):\n%s", d)
	}

	// Whoever writes the object whole afterwards writes none of it.
	c.Must(t, http.MethodPatch, jobsPath("injected")+"/minimal?fieldManager=later", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}})
	got = object(t, look(t, c.Config(kubetest.Admin), cfg), "minimal")
	for _, path := range added {
		if who := owners(got, path); len(who) > 0 {
			t.Errorf("after another change %s is said to be written by %v", path, who)
		}
	}
	if who := owners(got, inPod+"containers[main].image"); !slices.Equal(who, []string{"first-writer"}) {
		t.Errorf("the image was written by %v", who)
	}

	// An operator that adds by an apply of its own is known for what it added.
	operator := `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"minimal"},"spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"agent","image":"agent.example/a:1"}]}}}}}}`
	if _, err := c.Send(http.MethodPatch, jobsPath("injected")+"/minimal?fieldManager=agent-operator", "application/apply-patch+yaml", []byte(operator)); err != nil {
		t.Fatal(err)
	}
	got = object(t, look(t, c.Config(kubetest.Admin), cfg), "minimal")
	if who := owners(got, inPod+"containers[agent]"); !slices.Equal(who, []string{"agent-operator"}) {
		t.Errorf("the agent was written by %v: %+v", who, got.Changes())
	}
}

// owners are the writers of a field, or of anything below it.
func owners(o providers.Object, path string) []string {
	var out []string
	for _, ch := range o.Changes() {
		if slices.ContainsFunc(ch.Paths, func(p string) bool { return related(p, path) && len(p) >= len(path) }) {
			out = append(out, ch.Who)
		}
	}
	return out
}
