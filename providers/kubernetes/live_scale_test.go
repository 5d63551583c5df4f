//go:build unix

package kubernetes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

const (
	scaleNamespaces = 100
	scaleJobs       = 10_000
)

// TestRealScale lists 10,000 CronJobs, as they are, while the list expires, and
// while the server dies. It breaks its cluster and has one of its own.
func TestRealScale(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 10,000 CronJobs")
	}
	c := kubetest.Start(t)
	want := fill(t, c)
	t.Run("whole", func(t *testing.T) { checkScale(t, c, want) })
	t.Run("expired", func(t *testing.T) { checkExpired(t, c) })
	t.Run("killed between pages", func(t *testing.T) { checkKilled(t, c, 500, func(k *killer) { k.request = 5 }) })
	t.Run("killed within a page", func(t *testing.T) { checkKilled(t, c, -1, func(k *killer) { k.bytes = 4 << 20 }) })
}

// fill makes the CronJobs and gives the digest that a list of them has.
func fill(t *testing.T, c *kubetest.Cluster) string {
	t.Helper()
	begin := time.Now()
	for i := range scaleNamespaces {
		c.Namespace(t, fmt.Sprintf("team-%03d", i))
	}
	work := make(chan int)
	var failed atomic.Value
	var wg sync.WaitGroup
	for range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range work {
				cj := typicalJob(i)
				body, _ := json.Marshal(&cj)
				if _, err := c.Do(http.MethodPost, jobsPath(cj.Namespace)+"?fieldManager=deployer", body); err != nil {
					failed.Store(err)
				}
			}
		}()
	}
	hashes := sha256.New()
	for i := range scaleJobs {
		work <- i
	}
	close(work)
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		t.Fatal(err)
	}
	for i := range scaleJobs {
		cj := typicalJob(i)
		spec, _ := specOf(&cj, false)
		fmt.Fprintln(hashes, "kubernetes:prod/"+cj.Namespace+"/"+cj.Name, spec.Hash())
	}
	t.Logf("%d CronJobs made in %.1f s", scaleJobs, time.Since(begin).Seconds())
	return fmt.Sprintf("%x", hashes.Sum(nil))
}

// typicalJob is the i-th of many, in the order of their ids.
func typicalJob(i int) batchv1.CronJob {
	cj := oneJob(fmt.Sprintf("team-%03d", i/(scaleJobs/scaleNamespaces)), fmt.Sprintf("job-%05d", i))
	cj.TypeMeta, cj.UID = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"}, ""
	cj.Labels = map[string]string{"app.kubernetes.io/name": "job", "app.kubernetes.io/part-of": "shop", "team": fmt.Sprint(i % 7)}
	cj.Annotations = map[string]string{"rolecall/role": fmt.Sprintf("role-%05d", i), "rolecall/version": "1"}
	cj.Spec.Schedule = fmt.Sprintf("%d %d * * *", i%60, i%24)
	pod := &cj.Spec.JobTemplate.Spec.Template.Spec
	main := &pod.Containers[0]
	main.Command = []string{"/bin/sh", "-c", fmt.Sprintf("exec /opt/shop/run --shard %d --retries 3 --log-level info", i)}
	for n := range 12 {
		main.Env = append(main.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%02d", n), Value: fmt.Sprintf("value-%d-of-job-%d", n, i)})
	}
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("256Mi")}
	main.Resources = corev1.ResourceRequirements{Requests: room, Limits: room}
	main.VolumeMounts = []corev1.VolumeMount{{Name: "config", MountPath: "/etc/shop"}}
	pod.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "shop"}}}}}
	return cj
}

// measured is what a process that only lists says of itself.
type measured struct {
	Objects, Requests int
	Areas             string
	Digest            string
	Seconds, CPU      float64
	PeakMiB           int
}

// checkScale lists in a process of its own, whose memory is then known.
func checkScale(t *testing.T, c *kubetest.Cluster, want string) {
	for _, size := range []int{500, -1} {
		m := measure(t, c, size)
		t.Logf("pages of %d: %d objects listed and hashed in %.2f s (%.2f s of CPU) by %d requests, peak %d MiB", size, m.Objects, m.Seconds, m.CPU, m.Requests, m.PeakMiB)
		if m.Objects != scaleJobs || m.Digest != want || m.Areas != "[{cluster read }]" {
			t.Errorf("pages of %d: %d objects, areas %s, digest %s; want all, with digest %s", size, m.Objects, m.Areas, m.Digest, want)
		}
		if requests := map[int]int{500: scaleJobs / 500, -1: 1}[size]; m.Requests != requests {
			t.Errorf("%d requests, want %d", m.Requests, requests)
		}
	}
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		return
	}
	var out counter
	cmd := exec.Command(kubectl, "--kubeconfig", c.Kubeconfig(kubetest.Admin), "get", "cronjobs", "-A", "-o", "json")
	cmd.Stdout = &out
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("kubectl get cronjobs -A -o json: %.2f s (%.2f s of CPU), peak %d MiB, %d MB of JSON", time.Since(begin).Seconds(), cpu(cmd), usage.Maxrss/1024, out/1e6)
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// measureEnv makes the test's binary list a cluster, say what that took, and
// end.
const measureEnv = "ROLECALL_TEST_MEASURE"

func measure(t *testing.T, c *kubetest.Cluster, size int) measured {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), measureEnv+"="+fmt.Sprint(size, " ", c.Kubeconfig(kubetest.Admin)))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var m measured
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m.CPU = cpu(cmd)
	return m
}

func cpu(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

func measureAndExit(order string) {
	var size int64
	var kubeconfig string
	if _, err := fmt.Sscan(order, &size, &kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m, err := measureList(kubeconfig, size)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(m)
	os.Exit(0)
}

func measureList(kubeconfig string, size int64) (m measured, err error) {
	begin := time.Now()
	rc, _, err := LoadConfig(kubeconfig, "", "")
	if err != nil {
		return m, err
	}
	client, err := NewClient(rc)
	if err != nil {
		return m, err
	}
	p, err := New(client, Config{Source: "prod", PageSize: size})
	if err != nil {
		return m, err
	}
	o := p.Observe(context.Background(), providers.Selection{})
	hashes := sha256.New()
	for _, obj := range o.Objects {
		fmt.Fprintln(hashes, obj.ID, obj.Spec.Hash())
	}
	return measured{Objects: len(o.Objects), Requests: o.Requests, Areas: fmt.Sprint(o.Areas), Digest: fmt.Sprintf("%x", hashes.Sum(nil)),
		Seconds: time.Since(begin).Seconds(), PeakMiB: peakMiB()}, nil
}

// peakMiB is the largest resident size of this process so far, where the
// system says so. (Its resource usage would count the memory of the process
// that started it.)
func peakMiB() int {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kib int
	_, _ = fmt.Sscan(string(rest), &kib)
	return kib / 1024
}

// checkExpired forgets the past while a list is being read: the server itself
// says 410, and the list is read again.
func checkExpired(t *testing.T, c *kubetest.Cluster) {
	c.KillServer()
	if err := c.StartServer("--feature-gates=ListFromCacheSnapshot=false"); err != nil {
		t.Fatal(err)
	}
	rc := c.Config(kubetest.Admin)
	gone := 0
	n := 0
	rc.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if n++; n == 4 {
				c.Must(t, http.MethodPost, "/api/v1/namespaces", map[string]any{"metadata": map[string]any{"name": "later"}})
				c.Compact(t)
			}
			resp, err := next.RoundTrip(r)
			if err == nil && resp.StatusCode == http.StatusGone {
				gone++
			}
			return resp, err
		})
	})
	o := look(t, rc, Config{PageSize: 500})
	if len(o.Areas) != 1 || o.Areas[0].State != providers.Read || len(o.Objects) != scaleJobs {
		t.Errorf("%d objects, areas %+v", len(o.Objects), o.Areas)
	}
	// Three pages, the one that is gone, and the whole list at once.
	if gone != 1 || o.Requests != 5 {
		t.Errorf("the server said 410 %d times, %d requests; want 1 and 5", gone, o.Requests)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// killer kills the server before a request, or after some bytes of an answer.
type killer struct {
	request int
	bytes   int
	kill    func()

	next http.RoundTripper
	seen int
}

func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.seen++; k.seen == k.request {
		k.kill()
	}
	resp, err := k.next.RoundTrip(r)
	if err == nil && k.bytes > 0 {
		resp.Body = &killingBody{ReadCloser: resp.Body, killer: k}
	}
	return resp, err
}

type killingBody struct {
	io.ReadCloser
	killer *killer
	read   int
	killed bool
}

func (b *killingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += n; b.read >= b.killer.bytes && !b.killed {
		b.killed = true
		b.killer.kill()
	}
	return n, err
}

// checkKilled lists while the server dies: what was read is there, the rest is
// unknown, and after its return the list is whole.
func checkKilled(t *testing.T, c *kubetest.Cluster, size int64, when func(*killer)) {
	k := &killer{kill: c.KillServer}
	when(k)
	rc := c.Config(kubetest.Admin)
	rc.DisableCompression = true // compressed, all of the list is on its way before we see its beginning
	rc.Wrap(func(next http.RoundTripper) http.RoundTripper { k.next = next; return k })
	o := look(t, rc, Config{PageSize: size})
	if err := c.StartServer(); err != nil {
		t.Fatal(err)
	}
	if len(o.Areas) != 1 || o.Areas[0].State != providers.Partial || len(o.Objects) == 0 || len(o.Objects) >= scaleJobs {
		t.Errorf("%d objects, areas %+v", len(o.Objects), o.Areas)
	}
	for i := range scaleJobs {
		cj := typicalJob(i)
		if lookup(o, cj.Namespace+"/"+cj.Name) == providers.Absent {
			t.Fatalf("%s is called absent", cj.Name)
		}
		if i == len(o.Objects) {
			break // the lists are in this order; one beyond is enough, as each lookup is a walk
		}
	}
	t.Logf("%d of %d objects: %s", len(o.Objects), scaleJobs, strings.TrimSpace(o.Areas[0].Reason))
	if again := look(t, c.Config(kubetest.Admin), Config{PageSize: size}); len(again.Objects) != scaleJobs || len(again.Gaps()) != 0 {
		t.Errorf("after its return %d objects, areas %+v", len(again.Objects), again.Areas)
	}
}
