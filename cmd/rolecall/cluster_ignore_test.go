package main

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// webhook answers admission reviews of CronJobs with a patch that adds a
// sidecar before the others, a variable to the first container that was there,
// and an annotation.
func webhook(t *testing.T) *httptest.Server {
	t.Helper()
	const pod = "/spec/jobTemplate/spec/template"
	patch := inJSON(t, object{"ops": []object{
		{"op": "add", "path": pod + "/metadata/annotations", "value": object{"mesh.example/injected": "true"}},
		{"op": "add", "path": pod + "/spec/containers/0/env", "value": []object{{"name": "MESH_ZONE", "value": "north"}}},
		{"op": "add", "path": pod + "/spec/containers/0", "value": object{"name": "mesh-proxy", "image": "registry.example/mesh:3"}},
	}})
	var ops struct{ Ops json.RawMessage }
	if err := json.Unmarshal([]byte(patch), &ops); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID    string
				Object struct {
					Spec struct {
						JobTemplate struct {
							Spec struct {
								Template struct {
									Spec struct{ Containers []struct{ Name string } }
								}
							}
						}
					}
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		response := object{"uid": review.Request.UID, "allowed": true}
		if c := review.Request.Object.Spec.JobTemplate.Spec.Template.Spec.Containers; len(c) > 0 && c[0].Name != "mesh-proxy" {
			response["patchType"], response["patch"] = "JSONPatch", base64.StdEncoding.EncodeToString(ops.Ops)
		}
		_ = json.NewEncoder(w).Encode(object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
	}))
	t.Cleanup(s.Close)
	return s
}

// inject registers the webhook for the CronJobs of a namespace.
func inject(t *testing.T, c *kubetest.Cluster, namespace string) {
	t.Helper()
	s := webhook(t)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	c.Must(t, "POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": object{"name": "mesh"},
		"webhooks": []object{{
			"name": "mesh.example.com", "sideEffects": "None", "admissionReviewVersions": []string{"v1"}, "failurePolicy": "Fail",
			"clientConfig":      object{"url": s.URL, "caBundle": base64.StdEncoding.EncodeToString(ca)},
			"namespaceSelector": object{"matchLabels": object{"kubernetes.io/metadata.name": namespace}},
			"rules":             []object{{"apiGroups": []string{"batch"}, "apiVersions": []string{"v1"}, "operations": []string{"CREATE", "UPDATE"}, "resources": []string{"cronjobs"}}},
		}},
	})
	kubetest.Eventually(t, 30*time.Second, "the webhook is called", func() (bool, string) {
		probe := cronJob("probe", "0 0 1 1 *")
		probe["metadata"].(object)["namespace"] = namespace
		out, err := c.Do("POST", "/apis/batch/v1/namespaces/"+namespace+"/cronjobs?dryRun=All", []byte(inJSON(t, probe)))
		return err == nil && strings.Contains(string(out), "mesh-proxy"), string(out)
	})
}

// inNamespace is a CronJob elsewhere than in batch, changed.
func inNamespace(namespace, name string, change func(cj, pod, container object)) object {
	cj := cronJob(name, "*/5 * * * *")
	cj["metadata"].(object)["namespace"] = namespace
	pod := cj["spec"].(object)["jobTemplate"].(object)["spec"].(object)["template"].(object)["spec"].(object)
	container := pod["containers"].([]object)[0]
	container["image"] = "registry.example/shop/sync:1"
	if change != nil {
		change(cj, pod, container)
	}
	return cj
}

const templatePath = "jobTemplate.spec.template"

var injected = []string{
	templatePath + `.metadata.annotations["mesh.example/injected"]`,
	templatePath + ".spec.containers[main].env[MESH_ZONE]",
	templatePath + ".spec.containers[mesh-proxy]",
}

// TestIgnoreOnARealCluster looks at what a real mutating webhook and a real
// client add to CronJobs. The server names no manager for what a webhook adds
// (it keeps the managed fields of the request before admission), so there only a
// rule by field or pointer helps; what a client writes is that client's.
func TestIgnoreOnARealCluster(t *testing.T) {
	c := kubetest.Start(t)
	c.Namespace(t, "mesh")
	c.Namespace(t, "plain")
	inject(t, c, "mesh")
	rules := map[string]string{
		"no-rule":    "",
		"by-field":   "{field: '" + templatePath + ".metadata.annotations[\"mesh.example/*\"]', reason: r}, {field: '**.env[MESH_*]', reason: r}, {field: '**.containers[mesh-proxy]', reason: r}",
		"by-pointer": "{pointer: /spec/jobTemplate/spec/template/metadata/annotations/mesh.example~1injected, reason: r}, {pointer: /spec/jobTemplate/spec/template/spec/containers/main/env/MESH_ZONE, reason: r}, {pointer: /spec/jobTemplate/spec/template/spec/containers/mesh-proxy, reason: r}",
		"by-manager": "{manager: 'mesh*', reason: r}",
		"by-client":  "{manager: mesh-client, reason: r}",
		"touched":    "{manager: mesh-client, reason: r}",
	}
	ledger := "ledger: rolecall/v1\nname: shop\nroles:\n"
	for name, rule := range rules {
		namespace := "mesh"
		if name == "by-client" || name == "touched" {
			namespace = "plain"
		}
		path := "/apis/batch/v1/namespaces/" + namespace + "/cronjobs"
		c.Must(t, "POST", path+"?fieldManager=deployer", inNamespace(namespace, name, nil))
		if namespace == "plain" {
			c.Must(t, "PATCH", path+"/"+name+"?fieldManager=mesh-client", withSidecar("--quiet"))
		}
		if name == "touched" {
			c.Must(t, "PATCH", path+"/"+name+"?fieldManager=somebody", withSidecar("--loud"))
		}
		ledger += "  " + name + ": {owner: o, source: prod, version: \"1\", spec: {template: sync.yaml}, ignore: [" + rule + "]}\n"
	}
	dir := clusterFolder(t, map[string]string{"ledger.yaml": ledger, "sync.yaml": inJSON(t, object{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": object{"name": "sync"}, "spec": inNamespace("", "sync", nil)["spec"]})})
	r, code := auditAs(t, dir, c.Kubeconfig(kubetest.Admin))
	if got, want := states(r), "by-client ok, by-field ok, by-manager drift, by-pointer ok, no-rule drift, touched drift"; got != want || code != 1 {
		t.Errorf("exit %d, %s; want %s", code, got, want)
	}
	for role, want := range map[string][]string{"no-rule": injected, "by-manager": injected, "touched": {templatePath + ".spec.containers[mesh-proxy]"}} {
		if diff := cmp.Diff(want, driftOf(r, role)); diff != "" {
			t.Errorf("%s: -want +got\n%s", role, diff)
		}
	}
	for role, want := range map[string][]string{"by-field": injected, "by-pointer": injected, "by-client": {injected[0], injected[2]}, "touched": {injected[0]}} {
		if diff := cmp.Diff(want, ignoredOf(r, role)); diff != "" {
			t.Errorf("%s is ignored: -want +got\n%s", role, diff)
		}
	}
	var unused []int
	for _, n := range r.Notes {
		if n.Code == "unused-ignore" {
			unused = append(unused, n.Location.Line)
		}
	}
	if len(unused) != 1 {
		t.Errorf("rules without use in lines %v, want just that of by-manager", unused)
	}
	onlyReads(t, c)
}

// withSidecar is a merge patch, in which a list is written whole.
func withSidecar(args ...string) object {
	return object{"spec": object{"jobTemplate": object{"spec": object{"template": object{
		"metadata": object{"annotations": object{"mesh.example/injected": "true"}},
		"spec": object{"containers": []object{
			{"name": "mesh-proxy", "image": "registry.example/mesh:3", "args": args, "env": []object{{"name": "KEY", "valueFrom": object{"secretKeyRef": object{"name": "mesh", "key": "k"}}}}},
			{"name": "main", "image": "registry.example/shop/sync:1"},
		}},
	}}}}}
}

func clusterFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["rolecall.yaml"] = "ledger: ledger.yaml\nsources:\n  - name: prod\n    kubernetes: {all_namespaces: true}\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func driftOf(r report.Report, role string) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Role == role {
			for _, d := range f.Fields {
				out = append(out, d.Path)
			}
		}
	}
	return out
}

func ignoredOf(r report.Report, role string) []string {
	var out []string
	for _, x := range r.Roles {
		if x.Role == role {
			for _, d := range x.Ignored {
				out = append(out, d.Path)
			}
		}
	}
	return out
}

// TestGitOpsComplaintsOnARealCluster is what users of GitOps tools complain of,
// on a real API server: a suspension by hand that nobody sees, and differences
// that are none.
func TestGitOpsComplaintsOnARealCluster(t *testing.T) {
	c := kubetest.Start(t)
	c.Namespace(t, "shop")
	const path = "/apis/batch/v1/namespaces/shop/cronjobs"
	quantities := func(requests, limits object) func(cj, pod, container object) {
		return func(_, _, container object) {
			container["resources"] = object{"requests": requests, "limits": limits}
		}
	}
	empty := func(_, pod, container object) {
		for _, list := range []string{"args", "command", "env", "envFrom", "ports", "volumeMounts"} {
			container[list] = []object{}
		}
		container["resources"], container["securityContext"], container["livenessProbe"] = object{"limits": object{}}, nil, nil
		pod["volumes"], pod["nodeSelector"], pod["tolerations"], pod["imagePullSecrets"], pod["affinity"] = []object{}, object{}, []object{}, []object{}, nil
	}
	old := func(cj, _, _ object) { cj["apiVersion"] = "batch/v1beta1" }
	ledger := "ledger: rolecall/v1\nname: shop\nroles:\n"
	files := map[string]string{}
	for _, role := range []struct {
		name             string
		template, server func(cj, pod, container object)
	}{
		{"by-hand", nil, nil},
		{"empty", empty, nil},
		{"empty-there", nil, empty},
		{"old-version", old, nil},
		{"quantities", quantities(object{"cpu": 0.5, "memory": "1G"}, object{"cpu": 2, "memory": "1Gi"}), quantities(object{"cpu": "500m", "memory": "1000M"}, object{"cpu": "2000m", "memory": "1024Mi"})},
	} {
		c.Must(t, "POST", path, inNamespace("shop", role.name, role.server))
		files[role.name+".yaml"] = inJSON(t, inNamespace("shop", role.name, role.template))
		ledger += "  " + role.name + ": {owner: o, source: prod, version: \"1\", spec: {template: " + role.name + ".yaml}}\n"
	}
	c.Must(t, "PATCH", path+"/by-hand?fieldManager=kubectl-patch", object{"spec": object{"suspend": true}})
	files["ledger.yaml"] = ledger
	r, code := auditAs(t, clusterFolder(t, files), c.Kubeconfig(kubetest.Admin))
	if got, want := states(r), "by-hand inactive, empty ok, empty-there ok, old-version ok, quantities ok"; got != want || code != 1 {
		t.Errorf("exit %d, %s; want %s", code, got, want)
	}
	if len(r.Findings) != 1 || r.Findings[0].ChangedBy == nil || r.Findings[0].ChangedBy.Who != "kubectl-patch" {
		t.Errorf("who suspended it is not said: %+v", r.Findings)
	}
}
