package kubetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// Do asks the API server as admin, with a body in JSON, and gives the answer.
// PATCH is a merge patch.
func (c *Cluster) Do(method, path string, body []byte) ([]byte, error) {
	if method == http.MethodPatch {
		return c.Send(method, path, "application/merge-patch+json", body)
	}
	return c.Send(method, path, "application/json", body)
}

// Send is Do with a body of another type. The answer is given also where it is
// a refusal, beside the error.
func (c *Cluster) Send(method, path, contentType string, body []byte) ([]byte, error) {
	req, err := http.NewRequest(method, "https://"+c.api+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return answer, err
}

// Must is Do with an object that becomes JSON, for a test that cannot go on
// without it.
func (c *Cluster) Must(t testing.TB, method, path string, object any) []byte {
	t.Helper()
	var body []byte
	var err error
	if object != nil {
		if body, err = json.Marshal(object); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := c.Do(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Namespace makes a namespace.
func (c *Cluster) Namespace(t testing.TB, name string) {
	t.Helper()
	c.Must(t, http.MethodPost, "/api/v1/namespaces", object{"metadata": object{"name": name}})
}

// Grant binds a ClusterRole to a user in a namespace, or in the whole cluster
// where the namespace is empty.
func (c *Cluster) Grant(t testing.TB, user, role, namespace string) {
	t.Helper()
	kind, path := "rolebindings", "/apis/rbac.authorization.k8s.io/v1/namespaces/"+namespace+"/"
	if namespace == "" {
		kind, path = "clusterrolebindings", "/apis/rbac.authorization.k8s.io/v1/"
	}
	c.Must(t, http.MethodPost, path+kind, object{
		"metadata": object{"name": user + "-" + role},
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		"subjects": []object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	})
}

// ClusterRole makes a role that may use verbs on resources of an API group.
func (c *Cluster) ClusterRole(t testing.TB, name, group string, resources, verbs []string) {
	t.Helper()
	c.Must(t, http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/clusterroles", object{
		"metadata": object{"name": name},
		"rules":    []object{{"apiGroups": []string{group}, "resources": resources, "verbs": verbs}},
	})
}

// Compact makes etcd forget all before its present, as it does every five
// minutes. A list that is being read in pages then expires, if the API server
// does not answer from its cache (feature gate ListFromCacheSnapshot).
func (c *Cluster) Compact(t testing.TB) {
	t.Helper()
	var list struct {
		Metadata struct {
			Revision string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(c.Must(t, http.MethodGet, "/api/v1/namespaces?limit=1", nil), &list); err != nil {
		t.Fatal(err)
	}
	body := fmt.Sprintf(`{"revision":"%s","physical":true}`, list.Metadata.Revision)
	resp, err := http.Post("http://"+c.db+"/v3/kv/compaction", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("compact: %s: %s", resp.Status, answer)
	}
}

type object = map[string]any

// Request is one line of the API server's own log of requests.
type Request struct {
	Verb string `json:"verb"`
	URI  string `json:"requestURI"`
	User struct {
		Name string `json:"username"`
	} `json:"user"`
	Agent  string `json:"userAgent"`
	Status struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// Requests are those that the server has logged, in their order.
func (c *Cluster) Requests() ([]Request, error) {
	data, err := os.ReadFile(c.path("audit.log"))
	if err != nil {
		return nil, err
	}
	var out []Request
	for line := range bytes.Lines(data) {
		var r Request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("audit log, line %d: %w", len(out)+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// Eventually fails a test unless a condition comes to hold in time. The
// condition also says what it saw.
func Eventually(t testing.TB, limit time.Duration, what string, condition func() (bool, string)) {
	t.Helper()
	err := until(limit, what, func() (bool, string, error) {
		done, state := condition()
		return done, state, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
