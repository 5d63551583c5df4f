//go:build unix

package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
	"github.com/rolecall-dev/rolecall/specs"
)

// spot is a leaf of one CronJob, or a list.
type spot struct {
	pattern string // as in leaves
	key     string // the field by the names in the tables
	path    string // as a Difference names it
	member  bool   // it is the key of a list's member, or a member itself
	v       reflect.Value
}

// spotsOf are the leaves of a CronJob, and its lists of two members or more.
func spotsOf(spec *batchv1.CronJobSpec) (leaves, lists []spot) {
	var walk func(v reflect.Value, s spot)
	walk = func(v reflect.Value, s spot) {
		s.v = v
		if _, ok := twoValues(v.Type()); ok {
			leaves = append(leaves, s)
			return
		}
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem(), s)
			}
		case reflect.Map:
			if v.Len() > 0 {
				s.pattern += "{}"
				leaves = append(leaves, s)
			}
		case reflect.Slice:
			if v.Len() > 1 {
				lists = append(lists, s)
			}
			for i := range v.Len() {
				below := spot{pattern: s.pattern + "[]", key: s.key, path: s.path, member: true}
				if v.Index(i).Kind() == reflect.Struct {
					below.path, below.member = s.path+"["+memberKey(s.key, v, i)+"]", false
				}
				walk(v.Index(i), below)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Field(i)
				name, inline := jsonName(v.Type().Field(i))
				if f.IsZero() {
					continue
				}
				if inline {
					walk(f, s)
					continue
				}
				below := spot{pattern: s.pattern + "." + name, key: typeName(v.Type()) + "." + name, path: strings.TrimPrefix(s.path+"."+name, ".")}
				if by := keyedBy(s.key); s.pattern != "" && strings.HasSuffix(s.pattern, "]") && slices.Contains(by, name) {
					below.path, below.member = s.path, true
				}
				walk(f, below)
			}
		}
	}
	walk(reflect.ValueOf(spec).Elem(), spot{})
	return leaves, lists
}

func keyedBy(key string) []string {
	if key == "Container.env" {
		return []string{"name"}
	}
	return keyed[key]
}

// memberKey is how a path names a member of a list.
func memberKey(key string, list reflect.Value, i int) string {
	by := keyedBy(key)
	if len(by) == 0 || !distinct(by, list) {
		return strconv.Itoa(i)
	}
	return keyIn(by, list.Index(i))
}

// distinct says that no key stands twice.
func distinct(by []string, list reflect.Value) bool {
	seen := map[string]bool{}
	for i := range list.Len() {
		k := keyIn(by, list.Index(i))
		if seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}

func keyIn(by []string, item reflect.Value) string {
	parts := make([]string, len(by))
	for n, name := range by {
		f := childOf(item, name)
		parts[n] = fmt.Sprint(f.Interface())
		if name == "protocol" && f.IsZero() {
			parts[n] = "TCP"
		}
	}
	return strings.Join(parts, "/")
}

// trial is one change of one field, and what came of it.
type trial struct {
	pattern, kind string
	spot          spot
	from          *specimen
	to            *batchv1.CronJob // as it was sent
	stored        *batchv1.CronJob
	refusal       string
}

// alone are the fields that have only one value, as far as the server lets them
// be changed alone. Where they may be left out, that is found.
var alone = []string{
	"ObjectFieldSelector.apiVersion", // v1
	"NodeSelectorRequirement.key",    // metadata.name, among matchFields
	"Probe.successThreshold",         // 1, but of a readiness probe
}

// orderFree says that the order of a list's members has no effect: it is a set,
// or a list by key whose members do not depend on each other.
func orderFree(key string) bool {
	return slices.Contains(sets, key) || len(keyed[key]) > 0 && key != "PodSpec.initContainers" || key == "Container.env"
}

// unsaid are the fields whose default the server writes nowhere; the API's
// documentation says what it is.
var unsaid = []string{
	"Toleration.operator", "TopologySpreadConstraint.nodeAffinityPolicy", "TopologySpreadConstraint.nodeTaintsPolicy",
	"ResourceFieldSelector.divisor", // 1, also where it is 0
	"FileKeySelector.optional", "SecurityContext.procMount",
}

// attempts is how many objects and values are tried for a change that the
// server takes.
const attempts = 40

// try finds an object in which the server takes the change of one leaf.
func (w *workshop) try(pattern, kind string) *trial {
	tr, last := &trial{pattern: pattern, kind: kind}, trial{pattern: pattern, kind: kind}
	for n := range attempts {
		with := w.with[pattern]
		s := with[n*max(1, len(with)/attempts)%len(with)] // small and large ones
		rnd := rand.New(rand.NewPCG(uint64(n), 3))
		cj := s.cj.DeepCopy()
		all, lists := spotsOf(&cj.Spec)
		if kind == "order" {
			all = lists
		}
		all = slices.DeleteFunc(all, func(x spot) bool { return x.pattern != pattern })
		if len(all) == 0 {
			continue
		}
		at := all[rnd.IntN(len(all))]
		last.spot.key = at.key
		if !change(kind, &cj.Spec, at, rnd) {
			continue
		}
		tr.spot, tr.to = at, cj
		if tr.from, tr.refusal = w.plain(s); tr.from == nil {
			continue
		}
		w.name(cj)
		body, err := json.Marshal(cj)
		if err != nil {
			tr.refusal = err.Error()
			continue
		}
		answer, err := w.cluster.Do(http.MethodPost, jobsPath(changedNamespace), body)
		if err != nil {
			tr.refusal = err.Error()
			continue
		}
		tr.stored, tr.refusal = &batchv1.CronJob{}, ""
		if err := json.Unmarshal(answer, tr.stored); err != nil {
			tr.refusal = err.Error()
		}
		if kind != "value" || isIgnored(pattern) || tr.kept() && !tr.same() {
			return tr
		}
		if last = *tr; tr.kept() { // one that says the same in other words; there may be another
			again := *tr
			w.lock.Lock()
			w.others = append(w.others, &again)
			w.lock.Unlock()
		}
	}
	if last.stored == nil {
		last.refusal = tr.refusal
	}
	return &last
}

// same says that we see no change.
func (tr *trial) same() bool {
	a, _ := specOf(tr.from.stored, true)
	b, _ := specOf(tr.stored, true)
	return a.Hash() == b.Hash() && isTrue(tr.from.stored.Spec.Suspend) == isTrue(tr.stored.Spec.Suspend)
}

// kept says that the server stored something else than before.
func (tr *trial) kept() bool {
	return !reflect.DeepEqual(storedForm(tr.from.stored), storedForm(tr.stored))
}

// change makes one change, and says whether there is one to make.
func change(kind string, spec *batchv1.CronJobSpec, s spot, rnd *rand.Rand) bool {
	switch kind {
	case "order":
		i := rnd.IntN(s.v.Len() - 1)
		a, b := reflect.ValueOf(s.v.Index(i).Interface()), reflect.ValueOf(s.v.Index(i+1).Interface())
		if reflect.DeepEqual(a.Interface(), b.Interface()) {
			return false
		}
		s.v.Index(i).Set(b)
		s.v.Index(i + 1).Set(a)
		return true
	case "removal":
		return remove(spec, s)
	}
	return replace(spec, s, rnd)
}

// namesFor are the names among which a field has to choose.
func namesFor(key string, spec *batchv1.CronJobSpec) []string {
	pod := &spec.JobTemplate.Spec.Template.Spec
	var out []string
	switch key {
	case "PodFailurePolicyOnExitCodesRequirement.containerName":
		for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
			out = append(out, c.Name)
		}
	case "ResourceClaim.name":
		for _, c := range pod.ResourceClaims {
			out = append(out, c.Name)
		}
	case "VolumeMount.name", "VolumeDevice.name", "FileKeySelector.volumeName":
		for _, v := range pod.Volumes {
			out = append(out, v.Name)
		}
	case "PodOS.name":
		return []string{"windows", "linux"}
	case "Toleration.operator":
		return []string{"Exists", "Equal"}
	}
	return out
}

// replace sets another value that the tables allow.
func replace(spec *batchv1.CronJobSpec, s spot, rnd *rand.Rand) bool {
	if names := namesFor(s.key, spec); len(names) > 0 && !strings.HasSuffix(s.pattern, "[]") {
		names = slices.DeleteFunc(names, func(n string) bool { return n == s.v.String() })
		if len(names) == 0 {
			return false
		}
		name := names[rnd.IntN(len(names))]
		s.v.SetString(name)
		return true
	}
	m := newMaker(rnd.Uint64(), true)
	m.n = 1 << 20
	for range 20 {
		v := reflect.New(s.v.Type()).Elem()
		if strings.HasSuffix(s.pattern, "[]") { // the table's value is the whole list
			list := reflect.New(reflect.SliceOf(s.v.Type())).Elem()
			m.field(list, s.key, s.pattern)
			v.Set(list.Index(rnd.IntN(list.Len())))
		} else {
			m.field(v, s.key, s.pattern)
		}
		if !reflect.DeepEqual(v.Interface(), s.v.Interface()) {
			s.v.Set(v)
			return true
		}
	}
	return false
}

// remove takes a field, or the last member of a list, out.
func remove(spec *batchv1.CronJobSpec, s spot) bool {
	removed := false
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				if v.Elem() == s.v {
					v.SetZero()
					removed = true
					return
				}
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				if v.Index(i) == s.v {
					v.Set(reflect.AppendSlice(v.Slice(0, i), v.Slice(i+1, v.Len())))
					removed = true
					return
				}
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Field(i); f == s.v && f.CanSet() {
					f.SetZero()
					removed = true
					return
				} else if f.CanSet() {
					walk(f)
				}
			}
		}
	}
	walk(reflect.ValueOf(spec).Elem())
	return removed
}

// workshop holds what the trials share.
type workshop struct {
	cluster *kubetest.Cluster
	with    map[string][]*specimen // by pattern, small ones first
	lock    sync.Mutex
	made    int
	plains  map[*specimen]*specimen
	others  []*trial // that were taken beside those that count
	// namespace is that of the Jobs and Pods.
	namespace string
	unclear   []string // Jobs and Pods of which the server did not say what they would be
}

const changedNamespace = "changed"

func (w *workshop) name(cj *batchv1.CronJob) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.made++
	cj.Name, cj.Namespace = fmt.Sprintf("c-%05d", w.made), changedNamespace
}

// plain is a specimen as it is stored without what its layout added.
func (w *workshop) plain(s *specimen) (*specimen, string) {
	w.lock.Lock()
	known := w.plains[s]
	w.lock.Unlock()
	if known != nil {
		return known, ""
	}
	cj := s.cj.DeepCopy()
	w.name(cj)
	body, err := json.Marshal(cj)
	if err != nil {
		return nil, err.Error()
	}
	answer, err := w.cluster.Do(http.MethodPost, jobsPath(changedNamespace), body)
	if err != nil {
		return nil, err.Error()
	}
	known = &specimen{cj: cj, stored: &batchv1.CronJob{}}
	if err := json.Unmarshal(answer, known.stored); err != nil {
		return nil, err.Error()
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.plains[s] = known
	return known, ""
}

func newWorkshop(c *kubetest.Cluster, p *population) *workshop {
	w := &workshop{cluster: c, namespace: changedNamespace, with: map[string][]*specimen{}, plains: map[*specimen]*specimen{}}
	small := slices.Clone(p.all)
	size := map[*specimen]int{}
	for _, s := range small {
		size[s] = len(leavesOf(&s.cj.Spec))
	}
	slices.SortStableFunc(small, func(a, b *specimen) int { return size[a] - size[b] })
	for _, s := range small {
		if s.stored == nil {
			continue
		}
		all, lists := spotsOf(&s.cj.Spec)
		seen := map[string]bool{}
		for _, x := range append(all, lists...) {
			if !seen[x.pattern] {
				seen[x.pattern] = true
				w.with[x.pattern] = append(w.with[x.pattern], s)
			}
		}
	}
	return w
}

// TestRealSingleChanges: each field that the API has is changed alone, and taken
// away alone, and each list put in another order. What the server keeps of it is
// a difference in that field, and what it does not keep is none.
func TestRealSingleChanges(t *testing.T) {
	c := realCluster(t)
	p := generated.grow(t, c)
	c.Namespace(t, changedNamespace)
	for _, name := range []string{"runner", "other", "x.y"} {
		c.Must(t, http.MethodPost, "/api/v1/namespaces/"+changedNamespace+"/serviceaccounts", map[string]any{"metadata": map[string]any{"name": name}})
	}
	w := newWorkshop(c, p)
	var trials []*trial
	for _, pattern := range slices.Sorted(maps.Keys(w.with)) {
		for _, kind := range kindsOf(w.with[pattern][0], pattern) {
			trials = append(trials, &trial{pattern: pattern, kind: kind})
		}
	}
	inParallel(len(trials), func(i int) { trials[i] = w.try(trials[i].pattern, trials[i].kind) })
	live := byName(look(t, c.Config(kubetest.Admin), Config{Namespaces: []string{changedNamespace}}))
	count := map[string]int{}
	found, only := map[string]bool{}, map[string]bool{}
	for _, tr := range append(trials, w.others...) {
		only[tr.pattern] = only[tr.pattern] || slices.Contains(alone, tr.spot.key)
		verdict := w.judge(t, tr, live)
		count[tr.kind+" "+verdict]++
		if verdict == "found" || verdict == "equal in meaning" {
			found[tr.pattern] = true
		}
		if testing.Verbose() && verdict != "found" {
			t.Logf("%-18s %-8s %s %.200s", verdict, tr.kind, tr.pattern, tr.refusal)
		}
	}
	t.Logf("%v", count)
	for _, refusal := range w.unclear {
		t.Errorf("%.500s", refusal)
	}
	for _, l := range leaves() {
		if len(w.with[l.path]) > 0 && !found[l.path] && !only[l.path] {
			t.Errorf("no change of %s was kept by the server and found", l.path)
		}
	}
}

// kindsOf are the changes that can be made at a pattern.
func kindsOf(s *specimen, pattern string) []string {
	all, lists := spotsOf(&s.cj.Spec)
	is := func(x spot) bool { return x.pattern == pattern }
	if slices.ContainsFunc(lists, is) {
		return []string{"order"}
	}
	if i := slices.IndexFunc(all, is); slices.Contains(required, all[i].key) && !strings.HasSuffix(pattern, "[]") {
		return []string{"value"}
	}
	return []string{"value", "removal"}
}

// judge compares what the server made of a change with the original.
func (w *workshop) judge(t *testing.T, tr *trial, live map[string]providers.Object) string {
	if tr.stored == nil {
		return "refused"
	}
	before, after := live[tr.from.cj.Name], live[tr.to.Name]
	kept := tr.kept()
	same := before.Spec.Hash() == after.Spec.Hash() && slices.Equal(codesOf(before), codesOf(after))
	var paths []string
	for _, d := range specs.Diff(before.Spec, after.Spec) {
		paths = append(paths, d.Path)
	}
	switch {
	case !kept && same:
		return "not kept"
	case !kept:
		t.Errorf("%s of %s: the server kept nothing of it, and %v differ", tr.kind, tr.pattern, paths)
		return "false"
	case same:
		w.equal(t, tr)
		return "equal in meaning"
	case tr.kind == "order" && orderFree(tr.spot.key) && !ordered(tr):
		t.Errorf("another order of %s is found as %v", tr.pattern, paths)
	case tr.spot.key == "CronJobSpec.suspend":
		return "found"
	}
	named := false
	for _, path := range paths {
		near := related(path, tr.spot.path) || path == tr.spot.path+"Name" && tr.spot.key == "PodSpec.serviceAccount" || path == "schedule" && tr.pattern == ".schedule" || path == "time_zone" && tr.pattern == ".timeZone"
		named = named || near
		if !near && !strings.HasSuffix(path, ".after") && !follows(tr.spot.path, path) && !(tr.spot.member && related(path, parentOf(tr.spot.path))) {
			t.Errorf("%s of %s also differs in %s", tr.kind, tr.spot.path, path)
		}
	}
	if !named {
		t.Errorf("%s of %s (%s) is found as %v", tr.kind, tr.pattern, tr.spot.path, paths)
	}
	return "found"
}

// consequences are fields that say something or nothing by what stands in the
// first: it decides about their default.
var consequences = [][2]string{
	{"image", "imagePullPolicy"}, {"image.reference", "image.pullPolicy"}, {"resources.limits", "resources.requests"}, {"hostNetwork", "hostPort"},
	{"backoffLimitPerIndex", "backoffLimit"}, {"podFailurePolicy", "podReplacementPolicy"}, {"completions", "parallelism"}, {"parallelism", "completions"},
	{"template.metadata.labels", "jobTemplate.metadata.labels"},
}

func follows(changed, path string) bool {
	return slices.ContainsFunc(consequences, func(c [2]string) bool {
		return strings.Contains(changed+".", c[0]) && strings.Contains(path, c[1])
	})
}

// ordered says that members of the list do depend on each other.
func ordered(tr *trial) bool {
	if by := keyedBy(tr.spot.key); len(by) > 0 && !distinct(by, tr.spot.v) {
		return true
	}
	text, _ := json.Marshal(tr.spot.v.Interface())
	return strings.Contains(string(text), "$(") || strings.Contains(string(text), "postStart")
}

// equal makes sure that a change that the server keeps and we call none is none:
// the Job and the Pod that come of it are the same, or the order of a set is.
func (w *workshop) equal(t *testing.T, tr *trial) {
	t.Helper()
	before, after := tr.from.stored, tr.stored
	switch {
	case tr.kind == "order":
		if !orderFree(tr.spot.key) && !isIgnored(tr.pattern) {
			t.Errorf("another order of %s is not found", tr.pattern)
		}
	case tr.spot.key == "CronJobSpec.timeZone": // another name of the zone
	case slices.Contains(sets, tr.spot.key): // a member that stands twice
	case slices.Contains(unsaid, tr.spot.key):
	default:
		job, pod := w.comesOf(before)
		jobAfter, podAfter := w.comesOf(after)
		if d := cmp.Diff(job, jobAfter) + cmp.Diff(pod, podAfter); d != "" {
			t.Errorf("%s of %s is not found, and the Job or Pod differs:\n%.2000s", tr.kind, tr.pattern, d)
		}
	}
}

// comesOf is the Job that comes of a CronJob, and its Pod, as the server would
// store them, without what is new in each one. What controllers copy is in
// getJobFromTemplate2 (pkg/controller/cronjob/utils.go) and GetPodFromTemplate
// (pkg/controller/controller_utils.go).
func (w *workshop) comesOf(cj *batchv1.CronJob) (job, pod any) {
	spec := cj.Spec.JobTemplate.Spec.DeepCopy()
	template := spec.Template.DeepCopy()
	template.Spec.RuntimeClassName, template.Spec.Overhead = nil, nil // of classes that are not there
	template.Spec.PriorityClassName, template.Spec.Priority, template.Spec.PreemptionPolicy = "", nil, nil
	template.Spec.NodeName = "" // a gated Pod has none
	new(finder).each(&template.Spec, nil, func(c *corev1.Container, _ *field.Path) {
		if strings.TrimSpace(c.Image) == "" {
			c.Image = "r/m:1" // a blank is taken in a template only
		}
	})
	spec.Template.Spec = oneJob("", "").Spec.JobTemplate.Spec.Template.Spec // the Pod's part
	spec.Template.ObjectMeta = metav1.ObjectMeta{Labels: template.Labels}
	if p := spec.PodFailurePolicy; p != nil {
		for i := range p.Rules {
			if codes := p.Rules[i].OnExitCodes; codes != nil {
				codes.ContainerName = nil // of a container that is not here
			}
		}
	}
	job = w.dryRun("/apis/batch/v1/namespaces/"+w.namespace+"/jobs", batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "j", Labels: cj.Spec.JobTemplate.Labels, Annotations: cj.Spec.JobTemplate.Annotations}, Spec: *spec})
	pod = w.dryRun("/api/v1/namespaces/"+w.namespace+"/pods", corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: template.Labels, Annotations: template.Annotations, Finalizers: template.Finalizers}, Spec: template.Spec})
	return job, pod
}

func (w *workshop) dryRun(path string, object any) any {
	body, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	answer, err := w.cluster.Do(http.MethodPost, path+"?dryRun=All", body)
	if err != nil {
		w.unclear = append(w.unclear, err.Error())
	}
	var stored struct {
		Metadata struct{ Labels, Annotations map[string]string }
		Spec     map[string]any
	}
	if err := json.Unmarshal(answer, &stored); err != nil {
		w.unclear = append(w.unclear, err.Error())
	}
	delete(stored.Metadata.Labels, "controller-uid")
	delete(stored.Metadata.Labels, "batch.kubernetes.io/controller-uid")
	delete(stored.Spec, "selector")
	delete(stored.Spec, "template")
	return withoutTokens(stored.Spec, stored.Metadata)
}

// withoutTokens drops the names that the ServiceAccount plugin draws for its
// volumes.
func withoutTokens(spec map[string]any, rest any) any {
	text, _ := json.Marshal([]any{spec, rest})
	var v any
	_ = json.Unmarshal(regexp.MustCompile(`kube-api-access-[a-z0-9]+`).ReplaceAll(text, []byte("token")), &v)
	return v
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '[')
	return path[:max(i, 0)]
}

// related says that one path is the other or lies below it.
func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || strings.HasPrefix(b, a) && strings.IndexByte(".[", b[len(a)]) >= 0
}

func storedForm(cj *batchv1.CronJob) any {
	text, _ := json.Marshal(cj.Spec)
	var v any
	_ = json.Unmarshal(text, &v)
	return v
}
