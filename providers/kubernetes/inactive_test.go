package kubernetes

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func codesOf(o providers.Object) []string {
	var out []string
	for _, in := range o.Inactive() {
		out = append(out, in.Code)
	}
	return out
}

func TestInactive(t *testing.T) {
	deleted := metav1.NewTime(time.Date(2026, 5, 4, 12, 30, 0, 0, time.FixedZone("", 7200)))
	for name, tt := range map[string]struct {
		edit   func(cj *batchv1.CronJob)
		codes  []string
		detail string // of the first
	}{
		"active":         {func(cj *batchv1.CronJob) {}, nil, ""},
		"stated and off": {func(cj *batchv1.CronJob) { cj.Spec.Suspend, cj.Spec.JobTemplate.Spec.Suspend = ptr(false), ptr(false) }, nil, ""},
		"one of each": {func(cj *batchv1.CronJob) {
			cj.Spec.JobTemplate.Spec.Parallelism, cj.Spec.JobTemplate.Spec.Completions = ptr(int32(1)), ptr(int32(1))
		}, nil, ""},
		"finalizers alone": {func(cj *batchv1.CronJob) { cj.Finalizers = []string{"example.com/hold"} }, nil, ""},
		"being deleted": {func(cj *batchv1.CronJob) {
			cj.DeletionTimestamp = &deleted
			cj.Finalizers = []string{"example.com/hold", "b"}
		}, []string{"being-deleted"}, `deleted at 2026-05-04T10:30:00Z and is held by metadata.finalizers "example.com/hold", "b"; its controller starts nothing more`},
		"deleted and held by none": {func(cj *batchv1.CronJob) { cj.DeletionTimestamp = &deleted }, []string{"being-deleted"}, "no finalizer"},
		"many finalizers": {func(cj *batchv1.CronJob) {
			cj.DeletionTimestamp = &deleted
			cj.Finalizers = slices.Repeat([]string{"f"}, 9)
		}, []string{"being-deleted"}, `"f", and 4 more`},
		"suspended jobs": {func(cj *batchv1.CronJob) { cj.Spec.JobTemplate.Spec.Suspend = ptr(true) }, []string{"suspended"}, "jobTemplate.spec.suspend is true: its jobs are made and do not start"},
		"jobs that a queue starts": {func(cj *batchv1.CronJob) {
			cj.Spec.JobTemplate.Spec.Suspend = ptr(true)
			cj.Spec.JobTemplate.Labels = map[string]string{queueLabel: "q"}
		}, nil, ""},
		"no parallelism":  {func(cj *batchv1.CronJob) { cj.Spec.JobTemplate.Spec.Parallelism = ptr(int32(0)) }, []string{"no-parallelism"}, "start no pod"},
		"no completions":  {func(cj *batchv1.CronJob) { cj.Spec.JobTemplate.Spec.Completions = ptr(int32(0)) }, []string{"no-completions"}, "complete at once"},
		"no start window": {func(cj *batchv1.CronJob) { cj.Spec.StartingDeadlineSeconds = ptr(int64(0)) }, []string{"no-start-window"}, "always comes later than that"},
		"a start window":  {func(cj *batchv1.CronJob) { cj.Spec.StartingDeadlineSeconds = ptr(int64(1)) }, nil, ""},
		"all": {func(cj *batchv1.CronJob) {
			cj.DeletionTimestamp, cj.Spec.Suspend, cj.Spec.JobTemplate.Spec.Suspend = &deleted, ptr(true), ptr(true)
			cj.Spec.JobTemplate.Spec.Parallelism = ptr(int32(0))
		}, []string{"being-deleted", "suspended", "suspended", "no-parallelism"}, "deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			cj := oneJob("shop", "a")
			tt.edit(&cj)
			for _, live := range []bool{true, false} {
				o := objectOf(&cj, "s", "p", specs.Pos{}, live)
				if got := codesOf(o); !slices.Equal(got, tt.codes) || o.Opaque {
					t.Fatalf("live %v: %v, want %v", live, got, tt.codes)
				}
				if len(tt.codes) > 0 && !strings.Contains(o.Inactive()[0].Detail, tt.detail) {
					t.Errorf("live %v: %s; want %q", live, o.Inactive()[0].Detail, tt.detail)
				}
			}
		})
	}
}

// TestIdleJobsStayInTheSpec: a field that makes jobs idle is compared as well.
func TestIdleJobsStayInTheSpec(t *testing.T) {
	plain, idle := oneJob("shop", "a"), oneJob("shop", "a")
	idle.Spec.JobTemplate.Spec.Suspend, idle.Spec.JobTemplate.Spec.Parallelism = ptr(true), ptr(int32(0))
	a, _ := specOf(&plain, true)
	b, _ := specOf(&idle, true)
	var paths []string
	for _, d := range specs.Diff(a, b) {
		paths = append(paths, d.Path)
	}
	slices.Sort(paths)
	if !slices.Equal(paths, []string{"jobTemplate.spec.parallelism", "jobTemplate.spec.suspend"}) {
		t.Errorf("differences in %v", paths)
	}
}

// TestBeingDeletedIsSeen: it comes through protobuf, JSON and a dump.
func TestBeingDeletedIsSeen(t *testing.T) {
	cj := oneJob("shop", "a")
	cj.DeletionTimestamp, cj.Finalizers = ptr(metav1.NewTime(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))), []string{"example.com/hold"}
	for _, asJSON := range []bool{false, true} {
		o := served(t, &fakeAPI{jobs: []batchv1.CronJob{cj}, json: asJSON}, Config{Namespaces: []string{"shop"}}).Observe(context.Background(), providers.Selection{})
		if got := codesOf(object(t, o, "a")); !slices.Equal(got, []string{"being-deleted"}) {
			t.Errorf("JSON %v: %v", asJSON, got)
		}
	}
	dump := strings.Replace(cronJob("a", "@daily"), "namespace: shop", `namespace: shop, deletionTimestamp: "2026-05-04T10:00:00Z", finalizers: [example.com/hold]`, 1)
	o := lookAt(t, ManifestConfig{Patterns: []string{"a.yaml"}}, map[string]string{"a.yaml": dump})
	if got := codesOf(o.Objects[0]); !slices.Equal(got, []string{"being-deleted"}) {
		t.Errorf("dump: %v", got)
	}
}
