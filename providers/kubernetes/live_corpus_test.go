//go:build unix

package kubernetes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
	"github.com/rolecall-dev/rolecall/specs"
)

// manifestRoots are folders of manifests that others wrote: the round trip's,
// and where ROLECALL_CORPUS names one with a sub-folder cronjobs, that too.
func manifestRoots() []string {
	roots := []string{"../../testdata/roundtrip/cronjobs"}
	if corpus := os.Getenv("ROLECALL_CORPUS"); corpus != "" {
		roots = append(roots, filepath.Join(corpus, "cronjobs"))
	}
	return roots
}

// TestRealManifests: every CronJob of the files is given to the server in the
// namespace of its file, and is the same from the file and from the server; what
// the server refuses has a fault here, and what it takes has none.
func TestRealManifests(t *testing.T) {
	t.Parallel()
	c := realCluster(t)
	var score struct{ files, taken, refused, same int }
	for _, root := range manifestRoots() {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			score.files++
			namespace := fmt.Sprintf("corpus-%04d", score.files)
			c.Namespace(t, namespace)
			offline := lookAt(t, ManifestConfig{Patterns: []string{"m.yaml"}}, map[string]string{"m.yaml": string(data)})
			for _, g := range storeAll(t, c, namespace, data) {
				at := slices.IndexFunc(offline.Objects, func(o providers.Object) bool {
					return o.Attr("name") == g.written && o.Attr("namespace") == g.namespace
				})
				if at < 0 { // a patch, without a schedule, is no object
					if g.refusal == nil {
						t.Errorf("%s: %s is not seen: %+v", path, g.written, offline.Areas)
					}
					continue
				}
				here := offline.Objects[at]
				offline.Objects = slices.Delete(offline.Objects, at, at+1) // one name may stand twice
				faulty := slices.ContainsFunc(here.Inactive(), func(i providers.Inactive) bool { return strings.HasPrefix(i.Code, "invalid-") })
				if (g.refusal != nil) != faulty {
					t.Errorf("%s: %s: the server says %v, we say %+v", path, g.written, g.refusal, here.Inactive())
				}
				if g.refusal != nil {
					score.refused++
					t.Logf("%s: %s is refused: %.300s", path, g.written, g.refusal)
					continue
				}
				score.taken++
				live := object(t, look(t, c.Config(kubetest.Admin), Config{Namespaces: []string{namespace}}), g.stored)
				if d := specs.Diff(here.Spec, live.Spec); len(d) > 0 || here.Spec.Hash() != live.Spec.Hash() {
					t.Errorf("%s: %s differs: %+v", path, g.written, d)
					continue
				}
				score.same++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%+v", score)
	if score.taken == 0 {
		t.Error("the server took none")
	}
}

// given is a CronJob that was given to the server.
type given struct {
	written, stored string // its name, or the beginning of it
	namespace       string // as written, or default
	refusal         error
}

// storeAll gives each CronJob of a file to the server, into one namespace and
// under a new name where one stands twice. batch/v1beta1, which no server has
// any more, is given as v1.
func storeAll(t *testing.T, c *kubetest.Cluster, namespace string, data []byte) []given {
	t.Helper()
	var out []given
	seen := map[string]bool{}
	for _, doc := range objectsIn(t, data) {
		meta, _ := doc["metadata"].(map[string]any)
		if doc["kind"] != "CronJob" || meta == nil {
			continue
		}
		name, _ := meta["name"].(string)
		g := given{written: name, namespace: "default"}
		if ns, _ := meta["namespace"].(string); ns != "" {
			g.namespace = ns
		}
		if name == "" {
			g.written, _ = meta["generateName"].(string)
		} else if seen[name] {
			meta["name"] = fmt.Sprintf("again-%d", len(out))
		}
		seen[name] = true
		meta["namespace"], doc["apiVersion"] = namespace, "batch/v1"
		delete(meta, "uid")
		delete(meta, "resourceVersion")
		body, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := c.Do(http.MethodPost, jobsPath(namespace), body)
		if err == nil {
			var stored struct{ Metadata struct{ Name string } }
			if err := json.Unmarshal(answer, &stored); err != nil {
				t.Fatal(err)
			}
			g.stored = stored.Metadata.Name
		}
		g.refusal = err
		out = append(out, g)
	}
	return out
}

// objectsIn reads a file as kubectl does.
func objectsIn(t *testing.T, data []byte) []map[string]any {
	var out []map[string]any
	d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var doc map[string]any
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Logf("not YAML: %v", err)
			return out
		}
		items, _ := doc["items"].([]any)
		for _, item := range items {
			if m, ok := item.(map[string]any); ok {
				out = append(out, m)
			}
		}
		out = append(out, doc)
	}
}
