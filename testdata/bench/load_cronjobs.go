package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// namespaces are what the CronJobs of a cluster are spread over.
const namespaces = 100

// cronJob is one of a size that is usual where two clients manage it: some 6 KB
// as JSON, of which half are the managed fields.
func cronJob(i int) (*batchv1.CronJob, error) {
	history := int32(1)
	cj := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fmt.Sprintf("team-%03d", i%namespaces), Name: fmt.Sprintf("job-%05d", i),
			Labels:      map[string]string{"app.kubernetes.io/name": "job", "app.kubernetes.io/part-of": "shop", "team": fmt.Sprint(i % 7)},
			Annotations: map[string]string{"rolecall/role": fmt.Sprintf("role-%05d", i), "rolecall/version": "1"},
		},
		Spec: batchv1.CronJobSpec{
			Schedule: everyMinute(i), ConcurrencyPolicy: batchv1.ForbidConcurrent, SuccessfulJobsHistoryLimit: &history,
		},
	}
	cj.Spec.JobTemplate.Spec.Template.Spec = pod(i)
	return cj, own(cj, "deployer", "gitops")
}

// everyMinute spreads the jobs over the day: no two of 1,440 come due at once.
func everyMinute(i int) string { return fmt.Sprintf("%d %d * * *", i%60, i/60%24) }

const script = `set -eu
trap 'echo "shard %[1]d: cut off" >&2' TERM INT
/opt/shop/wait-for --timeout 60s "$SETTING_00" "$SETTING_01"
for part in orders payments refunds; do
  /opt/shop/export --shard %[1]d --part "$part" --since yesterday --out "/tmp/$part.csv"
  /opt/shop/check --rows-at-least 1 "/tmp/$part.csv"
done
exec /opt/shop/upload --shard %[1]d --retries 3 --log-level info /tmp/*.csv
`

func pod(i int) corev1.PodSpec {
	c := corev1.Container{
		Name: "main", Image: fmt.Sprintf("registry.example/shop/job:1.%d", i%50),
		Command:      []string{"/bin/sh", "-c", fmt.Sprintf(script, i)},
		VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/shop"}},
	}
	for n := range 12 {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%02d", n), Value: fmt.Sprintf("https://part-%02d.shop.svc.cluster.local:8443/v1/shards/job-%05d", n, i)})
	}
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("256Mi")}
	c.Resources = corev1.ResourceRequirements{Requests: room, Limits: room}
	source := corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "shop"}}
	return corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{c},
		Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &source}}},
	}
}

// own makes managers the owners of all fields of the spec. An API server takes
// that from who creates the object.
func own(cj *batchv1.CronJob, managers ...string) error {
	data, err := json.Marshal(cj.Spec)
	if err != nil {
		return err
	}
	var spec any
	if err := json.Unmarshal(data, &spec); err != nil {
		return err
	}
	set, err := json.Marshal(map[string]any{"f:spec": fieldSet(spec)})
	if err != nil {
		return err
	}
	at := metav1.NewTime(time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC))
	for _, m := range managers {
		cj.ManagedFields = append(cj.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: m, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "batch/v1", Time: &at,
			FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: set},
		})
	}
	return nil
}

// fieldSet is the set of all fields of a value, in the form of managed fields:
// lists by the names of their members, where these have some.
func fieldSet(v any) map[string]any {
	set := map[string]any{}
	switch v := v.(type) {
	case map[string]any:
		for k, below := range v {
			set["f:"+k] = fieldSet(below)
		}
	case []any:
		for _, m := range v {
			member, _ := m.(map[string]any)
			if name, ok := member["name"]; ok {
				below := fieldSet(member)
				below["."] = map[string]any{}
				set[fmt.Sprintf(`k:{"name":%q}`, name)] = below
			}
		}
	}
	return set
}

// listOf writes the list of n CronJobs as an API server sends it in protobuf.
func listOf(n int, path string) error {
	var size int
	items := func(w io.Writer) error {
		for i := range n {
			cj, err := cronJob(i)
			if err != nil {
				return err
			}
			cj.UID, cj.CreationTimestamp, cj.ResourceVersion = types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)), metav1.NewTime(time.Unix(1790000000, 0)), fmt.Sprint(i+10)
			data, err := cj.Marshal()
			if err != nil {
				return err
			}
			head := field(2, len(data))
			if _, err := w.Write(append(head, data...)); err != nil {
				return err
			}
			size += len(head) + len(data)
		}
		return nil
	}
	parts, err := os.Create(path + ".items")
	if err != nil {
		return err
	}
	defer os.Remove(parts.Name())
	defer parts.Close()
	meta, err := (&metav1.ListMeta{ResourceVersion: "9"}).Marshal()
	if err != nil {
		return err
	}
	if err := items(parts); err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := parts.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := out.Write(wrapped(meta, size)); err != nil {
		return err
	}
	_, err = io.Copy(out, parts)
	return err
}

// field is the head of a field that has a length.
func field(number, length int) []byte {
	return binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(length))
}

// wrapped is what stands before the items of a list: the magic number, the kind,
// and the list's own metadata.
func wrapped(meta []byte, items int) []byte {
	kind := append(append(field(1, len("batch/v1")), "batch/v1"...), append(field(2, len("CronJobList")), "CronJobList"...)...)
	head := append(field(1, len(meta)), meta...)
	out := append([]byte("k8s\x00"), append(field(1, len(kind)), kind...)...)
	return append(append(out, field(2, len(head)+items)...), head...)
}

// served are lists of CronJobs of some sizes behind a server that does nothing
// else, and a kubeconfig for each.
func (b *bench) served(sizes []int) (map[int]string, func(), error) {
	dir, err := b.once("lists-"+strings.Trim(strings.ReplaceAll(fmt.Sprint(sizes), " ", "-"), "[]"), func(dir string) error {
		for _, n := range sizes {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			if err := listOf(n, filepath.Join(dir, fmt.Sprint(n))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !strings.HasPrefix(rest, "apis/batch/v1/cronjobs") {
			http.NotFound(w, r)
			return
		}
		f, err := os.Open(filepath.Join(dir, filepath.Base(size)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer f.Close()
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
		_, _ = io.Copy(w, f)
	}))
	out := map[int]string{}
	for _, n := range sizes {
		path := filepath.Join(b.dir, fmt.Sprintf("kubeconfig-%d", n))
		text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: it\nclusters: [{name: it, cluster: {server: %s/%d}}]\ncontexts: [{name: it, context: {cluster: it, user: it}}]\nusers: [{name: it, user: {token: none}}]\n", server.URL, n)
		if err := write(path, text); err != nil {
			server.Close()
			return nil, nil, err
		}
		out[n] = path
	}
	return out, server.Close, nil
}
