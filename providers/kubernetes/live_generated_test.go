//go:build unix

package kubernetes

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
	"github.com/rolecall-dev/rolecall/specs"
)

var (
	seedFlag  = flag.Uint64("cronjobs.seed", 1, "seed of the generated CronJobs")
	countFlag = flag.Int("cronjobs.count", 500, "how many CronJobs are generated")
)

// specimen is a generated CronJob that the server has taken.
type specimen struct {
	cj     *batchv1.CronJob
	text   []byte // as it was given to the server
	first  bool   // taken as it was generated, without a repair
	stored *batchv1.CronJob
}

// population is what the tests of generated CronJobs have in common.
type population struct {
	// gated is for a server whose gates are open.
	gated bool
	count int // 0 is that of the flag

	once    sync.Once
	dir     string
	all     []*specimen
	refused map[string]int
	offline map[string]providers.Object
	live    map[string]providers.Object
	err     error
}

var generated population

const generatedNamespace = "generated"

// grow makes CronJobs, writes each in a layout of its own, stores them on the
// server and reads both sides.
func (p *population) grow(t *testing.T, c *kubetest.Cluster) *population {
	t.Helper()
	p.once.Do(func() {
		p.refused = map[string]int{}
		c.Namespace(t, generatedNamespace)
		if p.dir, p.err = os.MkdirTemp("", "generated-"); p.err != nil {
			return
		}
		defer os.RemoveAll(p.dir)
		m := newMaker(*seedFlag, p.gated)
		if p.count == 0 {
			p.count = *countFlag
		}
		for i := range p.count {
			cj := m.cronJob(fmt.Sprintf("g-%05d", i))
			p.all = append(p.all, &specimen{cj: cj})
		}
		var lock sync.Mutex
		inParallel(len(p.all), func(i int) {
			err := p.post(c, p.all[i], uint64(i), &lock)
			lock.Lock()
			defer lock.Unlock()
			if p.err == nil {
				p.err = err
			}
		})
		if p.err == nil {
			p.err = p.read(t, c)
		}
	})
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p
}

// inParallel keeps a few requests under way.
func inParallel(n int, do func(i int)) {
	const workers = 8
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wait.Wait()
}

// post stores one, after repairs where the server refuses it: the fields of
// which it speaks are taken out.
func (p *population) post(c *kubetest.Cluster, s *specimen, seed uint64, lock *sync.Mutex) error {
	const rounds = 12
	for round := range rounds {
		l := &layout{rnd: rand.New(rand.NewPCG(*seedFlag, seed)), plain: round > 0}
		if seed%3 > 0 {
			s.cj.Namespace = generatedNamespace
		}
		if seed%4 == 0 {
			s.cj.Labels, s.cj.Annotations = map[string]string{"app": s.cj.Name}, map[string]string{roleAnnotation: s.cj.Name, versionAnnotation: "1.10"}
		}
		text, contentType := l.write(s.cj)
		file := filepath.Join(p.dir, s.cj.Name+map[string]string{"application/yaml": ".yaml", "application/json": ".json"}[contentType])
		if s.text = text; os.WriteFile(file, text, 0o600) != nil {
			return fmt.Errorf("cannot write %s", file)
		}
		answer, err := c.Send(http.MethodPost, jobsPath(generatedNamespace)+"?fieldValidation=Strict&fieldManager=generated", contentType, text)
		if err == nil {
			s.first = round == 0
			s.stored = &batchv1.CronJob{}
			return json.Unmarshal(answer, s.stored)
		}
		_ = os.Remove(file)
		var status metav1.Status
		if json.Unmarshal(answer, &status) != nil || status.Details == nil || len(status.Details.Causes) == 0 {
			return fmt.Errorf("%s: %w\n%s", s.cj.Name, err, text)
		}
		for _, cause := range status.Details.Causes {
			lock.Lock()
			p.refused[nameless(cause.Field)+": "+nameless(cause.Message)]++
			lock.Unlock()
			clearField(reflect.ValueOf(s.cj).Elem(), cause.Field)
		}
	}
	return nil
}

var inBrackets = regexp.MustCompile(`\[[^\]]*\]|"[^"]*"|[a-z]+-[0-9]+`)

func nameless(s string) string { return inBrackets.ReplaceAllString(s, "*") }

// clearField sets the field of a path, as the server names it, to nothing, or
// what it stands in where it is not there.
func clearField(v reflect.Value, path string) {
	last := reflect.Value{}
	for _, part := range regexp.MustCompile(`[^.\[\]]+`).FindAllString(path, -1) {
		next := childOf(v, part)
		if !next.IsValid() {
			break
		}
		if next.CanSet() && next.Kind() != reflect.String && next.Kind() != reflect.Struct {
			last = next
		}
		v = next
	}
	if last.IsValid() {
		last.SetZero()
	}
}

func childOf(v reflect.Value, part string) reflect.Value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return reflect.Value{}
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice:
		if i, err := strconv.Atoi(part); err == nil && i < v.Len() {
			return v.Index(i)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, inline := jsonName(v.Type().Field(i))
			if !inline && name == part {
				return v.Field(i)
			}
			if inline {
				if c := childOf(v.Field(i), part); c.IsValid() {
					return c
				}
			}
		}
	}
	return reflect.Value{}
}

// read looks at the manifests and at the cluster.
func (p *population) read(t *testing.T, c *kubetest.Cluster) error {
	m, err := NewManifests(ManifestConfig{Source: "prod", Base: p.dir, Patterns: []string{"."}, Namespaces: []string{generatedNamespace}})
	if err != nil {
		return err
	}
	p.offline = byName(m.Observe(context.Background(), providers.Selection{}))
	p.live = byName(look(t, c.Config(kubetest.Admin), Config{Namespaces: []string{generatedNamespace}}))
	return nil
}

func byName(o providers.Observation) map[string]providers.Object {
	out := map[string]providers.Object{}
	for _, obj := range o.Objects {
		out[obj.Attr("name")] = obj
	}
	return out
}

// TestRealGenerated: CronJobs over all fields, in many layouts, are the same
// from their file and from the server, and no fault is found in what the server
// takes.
func TestRealGenerated(t *testing.T) {
	c := realCluster(t)
	generated.grow(t, c).check(t)
}

// openGates are those behind which the fields of shut stand.
const openGates = "--feature-gates=GenericWorkload=true,ContainerStopSignals=true,ClusterTrustBundle=true,ClusterTrustBundleProjection=true,PodCertificateRequest=true,CrossNamespaceVolumeDataSource=true"

// TestRealOpenedGates: the same with the fields that a server drops by default.
func TestRealOpenedGates(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("asks a real API server")
	}
	c := kubetest.Start(t)
	c.KillServer()
	if err := c.StartServer(openGates, "--runtime-config=api/all=true"); err != nil {
		t.Fatal(err)
	}
	p := &population{gated: true, count: 120}
	covered := p.grow(t, c).check(t)
	for _, e := range shut {
		for _, l := range leaves() {
			if reasonIn([]exception{e}, l.path) != "" && reasonIn(impossible, l.path) == "" && covered[l.path] == 0 {
				t.Errorf("no accepted CronJob has %s (%s)", l.path, e.reason)
			}
		}
	}
}

// check compares each CronJob from its file and from the server, and says in how
// many each leaf is.
func (p *population) check(t *testing.T) map[string]int {
	t.Helper()
	taken, first := 0, 0
	covered, dropped := map[string]int{}, map[string]bool{}
	for _, s := range p.all {
		if s.stored == nil {
			t.Errorf("%s was refused after all repairs", s.cj.Name)
			continue
		}
		taken++
		if s.first {
			first++
		}
		stored := leavesOf(&s.stored.Spec)
		for l := range stored {
			covered[l]++
		}
		for l := range leavesOf(&s.cj.Spec) {
			if !stored[l] {
				dropped[l] = true
			}
		}
		offline, read := p.offline[s.cj.Name]
		live, listed := p.live[s.cj.Name]
		if !read || !listed {
			t.Errorf("%s: read from its file: %v, listed: %v", s.cj.Name, read, listed)
			continue
		}
		sameObject(t, s, offline, live)
	}
	var missing []string
	possible := 0
	for _, l := range leaves() {
		if reasonIn(impossible, l.path) == "" && (p.gated || reasonIn(shut, l.path) == "") {
			possible++
		}
		if covered[l.path] == 0 && reasonIn(impossible, l.path) == "" && reasonIn(shut, l.path) == "" {
			missing = append(missing, l.path)
		}
	}
	t.Logf("%d of %d CronJobs were taken, %d of them as generated; they have %d of the %d fields that a valid one can have (the API has %d)", taken, len(p.all), first, len(covered), possible, len(leaves()))
	for _, why := range slices.Sorted(maps.Keys(p.refused)) {
		t.Logf("refused %d times: %.200s", p.refused[why], why)
	}
	if len(missing) > 0 && len(p.all) >= 500 {
		t.Errorf("no accepted CronJob has\n%s", strings.Join(missing, "\n"))
	}
	for l := range dropped {
		t.Errorf("the server dropped %s", l)
	}
	return covered
}

func sameObject(t *testing.T, s *specimen, offline, live providers.Object) {
	t.Helper()
	if d := specs.Diff(offline.Spec, live.Spec); len(d) > 0 || offline.Spec.Hash() != live.Spec.Hash() {
		t.Errorf("%s differs: %+v\n%.3000s", s.cj.Name, d, s.text)
	}
	if !slices.Equal(codesOf(offline), codesOf(live)) || offline.Marker().Role != live.Marker().Role || offline.Marker().Version != live.Marker().Version || offline.Opaque != live.Opaque {
		t.Errorf("%s: %+v and %+v, live %+v and %+v", s.cj.Name, offline.Inactive(), offline.Marker(), live.Inactive(), live.Marker())
	}
}
