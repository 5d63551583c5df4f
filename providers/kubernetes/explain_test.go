package kubernetes

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rolecall-dev/rolecall/providers"
)

// report is a CronJob that is due every five minutes and was made at one.
func report(change func(*batchv1.CronJob)) *batchv1.CronJob {
	cj := oneJob("batch", "report")
	cj.CreationTimestamp = *kubeTime("01:00:00")
	if change != nil {
		change(&cj)
	}
	return &cj
}

// wants checks that each sentence holds its words, that there are no more, and
// that each ends with what to do.
func wants(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d sentences, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range got {
		for _, words := range strings.Split(want[i], "|") {
			if !strings.Contains(got[i], words) {
				t.Errorf("%q is not in %q", words, got[i])
			}
		}
	}
}

func TestExplainCronJob(t *testing.T) {
	tests := map[string]struct {
		change func(*batchv1.CronJob)
		now    string
		want   []string
	}{
		"nothing":            {now: "01:10:00"},
		"a deadline of ten":  {change: func(cj *batchv1.CronJob) { cj.Spec.StartingDeadlineSeconds = ptr(int64(10)) }},
		"a deadline of nine": {change: func(cj *batchv1.CronJob) { cj.Spec.StartingDeadlineSeconds = ptr(int64(9)) }, want: []string{"startingDeadlineSeconds is 9|MissSchedule|set it to 10 or more"}},
		"a hundred missed":   {now: "09:20:00"},
		"a hundred and one":  {now: "09:25:00", want: []string{"more than 100 due instants have passed since 2026-03-02T01:00:00Z|TooManyMissedTimes"}},
		"no instant is given": {change: func(cj *batchv1.CronJob) {
			cj.CreationTimestamp = metav1.Time{Time: clock("01:00:00").AddDate(-9, 0, 0)}
		}},
		"a schedule that cannot be read": {now: "23:00:00", change: func(cj *batchv1.CronJob) { cj.Spec.Schedule = "x" }},
		"an interval":                    {now: "23:00:00", change: func(cj *batchv1.CronJob) { cj.Spec.Schedule = "@every 1m" }, want: []string{"more than 100"}},
		"held back": {now: "01:20:00", change: func(cj *batchv1.CronJob) {
			cj.Spec.ConcurrencyPolicy = batchv1.ForbidConcurrent
			cj.Status.LastScheduleTime = kubeTime("01:05:00")
			cj.Status.Active = []corev1.ObjectReference{{Name: "report-1"}}
		}, want: []string{"Forbid and Job report-1 is still active|3 due instants have passed by|kubectl -n batch delete job report-1"}},
		"not held back: Allow": {now: "01:20:00", change: func(cj *batchv1.CronJob) {
			cj.Status.LastScheduleTime = kubeTime("01:20:00")
			cj.Status.Active = []corev1.ObjectReference{{Name: "report-1"}}
		}},
		"replaced": {change: func(cj *batchv1.CronJob) {
			cj.Spec.ConcurrencyPolicy = batchv1.ReplaceConcurrent
			cj.Status.LastScheduleTime = kubeTime("01:05:00")
		}, want: []string{"Replace|never succeeds"}},
		"replaced, and succeeds": {change: func(cj *batchv1.CronJob) {
			cj.Spec.ConcurrencyPolicy = batchv1.ReplaceConcurrent
			cj.Status.LastScheduleTime, cj.Status.LastSuccessfulTime = kubeTime("01:05:00"), kubeTime("01:06:00")
		}},
		"written after the last start": {change: func(cj *batchv1.CronJob) {
			cj.Status.LastScheduleTime, cj.Spec.TimeZone = kubeTime("01:05:00"), ptr("Etc/UTC")
			cj.ManagedFields = []metav1.ManagedFieldsEntry{wrote("01:07:30", "", `{"f:spec":{"f:schedule":{},"f:jobTemplate":{}}}`)}
		}, want: []string{`"m01:07:30"|wrote to it at 2026-03-02T01:07:30Z|after that is 2026-03-02T01:10:00Z`}},
		"written after the last start, two due instants ago": {now: "01:15:00", change: func(cj *batchv1.CronJob) {
			cj.Status.LastScheduleTime = kubeTime("01:05:00")
			cj.ManagedFields = []metav1.ManagedFieldsEntry{wrote("01:07:30", "", `{"f:spec":{"f:schedule":{},"f:jobTemplate":{}}}`)}
		}},
		"switched, which is known": {change: func(cj *batchv1.CronJob) {
			cj.Status.LastScheduleTime = kubeTime("01:05:00")
			cj.ManagedFields = []metav1.ManagedFieldsEntry{wrote("01:07:30", "", `{"f:spec":{"f:suspend":{}}}`)}
		}},
		"written before": {change: func(cj *batchv1.CronJob) {
			cj.Status.LastScheduleTime = kubeTime("01:05:00")
			cj.ManagedFields = []metav1.ManagedFieldsEntry{wrote("01:02:00", "", `{"f:spec":{"f:schedule":{}}}`), wrote("01:08:00", "", `{"f:spec":{"f:jobTemplate":{}}}`)}
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			wants(t, ofCronJob(report(tt.change), clock(tt.now)), tt.want...)
		})
	}
}

// ofReport is a Job of the CronJob report.
func ofReport(name, made string, conditions ...batchv1.JobCondition) batchv1.Job {
	return batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "batch", Name: name, UID: types.UID("uid-of-" + name), CreationTimestamp: *kubeTime(made),
			OwnerReferences: []metav1.OwnerReference{{Kind: "CronJob", Name: "report", UID: "uid-1", Controller: ptr(true)}}},
		Status: batchv1.JobStatus{StartTime: kubeTime(made), Conditions: conditions},
	}
}

func holds(kind batchv1.JobConditionType, at, reason, message string) batchv1.JobCondition {
	return batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: *kubeTime(at), Reason: reason, Message: message}
}

func completed(j batchv1.Job, at string) batchv1.Job {
	j.Status.Conditions = append(j.Status.Conditions, holds(batchv1.JobComplete, at, "CompletionsReached", ""))
	j.Status.CompletionTime = kubeTime(at)
	return j
}

func TestExplainJobs(t *testing.T) {
	failed := func(name, reason, message string) batchv1.Job {
		return ofReport(name, "02:00:00", holds(batchv1.JobFailed, "02:03:00", reason, message))
	}
	byHand := func(j batchv1.Job) batchv1.Job {
		j.Annotations = map[string]string{manualAnnotation: "manual"}
		return j
	}
	change := func(j batchv1.Job, f func(*batchv1.Job)) batchv1.Job { f(&j); return j }
	tests := map[string]struct {
		cronJob func(*batchv1.CronJob)
		jobs    []batchv1.Job
		now     string
		want    []string
	}{
		"none, and none ran": {},
		"none is left":       {cronJob: func(cj *batchv1.CronJob) { cj.Status.LastScheduleTime = kubeTime("02:00:00") }, want: []string{"none of its Jobs is left|they were deleted"}},
		"none is kept": {cronJob: func(cj *batchv1.CronJob) {
			cj.Status.LastScheduleTime, cj.Spec.FailedJobsHistoryLimit = kubeTime("02:00:00"), ptr(int32(0))
			cj.Spec.JobTemplate.Spec.TTLSecondsAfterFinished = ptr(int32(5))
		}, want: []string{"failedJobsHistoryLimit is 0 and ttlSecondsAfterFinished is 5; raise it"}},
		"succeeded":               {jobs: []batchv1.Job{completed(ofReport("a", "02:00:00"), "02:01:00")}},
		"tried too often":         {jobs: []batchv1.Job{failed("a", "BackoffLimitExceeded", "Job has reached the specified backoff limit")}, want: []string{"Job a failed at 2026-03-02T02:03:00Z: BackoffLimitExceeded (Job has reached|backoffLimit|kubectl -n batch logs job/a"}},
		"ran too long":            {jobs: []batchv1.Job{failed("a", "DeadlineExceeded", "")}, want: []string{"activeDeadlineSeconds"}},
		"ended by a policy":       {jobs: []batchv1.Job{failed("a", "PodFailurePolicy", "exit code 42")}, want: []string{"podFailurePolicy|exit code 42"}},
		"of another reason":       {jobs: []batchv1.Job{failed("a", "Strange", "\x1b[31m\nlines")}, want: []string{"Strange|look at its events"}},
		"failed by hand":          {jobs: []batchv1.Job{byHand(failed("a", "BackoffLimitExceeded", ""))}, want: []string{"Job a, which was started by hand, failed"}},
		"many failed":             {jobs: []batchv1.Job{failed("d", "X", ""), failed("c", "X", ""), failed("b", "X", ""), failed("a", "X", "")}, want: []string{"Job d", "Job c", "Job b"}},
		"runs on":                 {now: "04:00:00", jobs: []batchv1.Job{change(ofReport("a", "02:00:00"), func(j *batchv1.Job) { j.Status.Active = 1 })}, want: []string{"Job a has not ended since 2026-03-02T02:00:00Z (2h0m0s), with 1 active and 0 failed pods|nothing ends it"}},
		"runs on, and is bounded": {jobs: []batchv1.Job{change(ofReport("a", "02:00:00"), func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr(int64(90)) })}, want: []string{"end it after 1m30s"}},
		"made late": {jobs: []batchv1.Job{change(ofReport("a", "15:00:00"), func(j *batchv1.Job) {
			j.Annotations = map[string]string{batchv1.CronJobScheduledTimestampAnnotation: "2026-03-02T03:00:00+01:00"}
		})}, want: []string{"due at 2026-03-02T02:00:00Z, made only at 2026-03-02T15:00:00Z"}},
		"switched off":   {now: "03:00:00", jobs: []batchv1.Job{change(ofReport("a", "02:00:00"), func(j *batchv1.Job) { j.Spec.Suspend = ptr(true) })}, want: []string{"Job a is suspended (spec.suspend) and starts no pod since 2026-03-02T02:00:00Z (1h0m0s)"}},
		"waits for pods": {jobs: []batchv1.Job{ofReport("a", "02:00:00", holds(batchv1.JobFailureTarget, "02:01:00", "DeadlineExceeded", ""))}, want: []string{"has failed (DeadlineExceeded) and waits for its pods"}},
		"being deleted":  {jobs: []batchv1.Job{change(ofReport("a", "02:00:00"), func(j *batchv1.Job) { j.DeletionTimestamp = kubeTime("02:30:00") })}, want: []string{"was deleted at 2026-03-02T02:30:00Z"}},
		"a pile":         {jobs: []batchv1.Job{ofReport("d", "02:15:00"), ofReport("c", "02:10:00"), ofReport("b", "02:05:00"), ofReport("a", "02:00:00")}, want: []string{"Job a", "Job b", "Job c", "4 of its Jobs have not ended: they pile up"}},
		"success by hand": {cronJob: func(cj *batchv1.CronJob) { cj.Status.LastSuccessfulTime = kubeTime("02:30:00") },
			jobs: []batchv1.Job{byHand(completed(ofReport("m", "02:29:00"), "02:30:00")), completed(ofReport("a", "01:00:00"), "01:01:00")},
			want: []string{"at 2026-03-02T02:30:00Z, is of Job m, which was started by hand|the schedule's last success that is kept was at 2026-03-02T01:01:00Z"}},
		"the only success by hand": {cronJob: func(cj *batchv1.CronJob) { cj.Status.LastSuccessfulTime = kubeTime("02:30:00") },
			jobs: []batchv1.Job{byHand(completed(ofReport("m", "02:29:00"), "02:30:00"))}, want: []string{"no Job of the schedule that is kept has succeeded"}},
		"an older success by hand": {cronJob: func(cj *batchv1.CronJob) { cj.Status.LastSuccessfulTime = kubeTime("03:01:00") },
			jobs: []batchv1.Job{completed(ofReport("a", "03:00:00"), "03:01:00"), byHand(completed(ofReport("m", "02:29:00"), "02:30:00"))}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			wants(t, ofJobs(report(tt.cronJob), tt.jobs, clock(tt.now)), tt.want...)
		})
	}
}

// ofJob is a pod of a Job.
func ofJob(job, name string, status corev1.PodStatus) corev1.Pod {
	return corev1.Pod{Status: status, ObjectMeta: metav1.ObjectMeta{Namespace: "batch", Name: name, OwnerReferences: []metav1.OwnerReference{{Kind: "Job", UID: types.UID("uid-of-" + job), Controller: ptr(true)}}}}
}

func waitsFor(reason, message string) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}}
}

func endedWith(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: *kubeTime("02:00:00")}}
}

func TestExplainPods(t *testing.T) {
	tests := map[string]struct {
		status corev1.PodStatus
		want   string // empty: nothing to say
	}{
		"runs":           {status: corev1.PodStatus{Phase: corev1.PodRunning}},
		"no image":       {status: waitsFor("ImagePullBackOff", "Back-off pulling image \"x\": Bearer hunter2hunter2"), want: "ImagePullBackOff (Back-off pulling|Bearer ***|secret for its registry"},
		"no config":      {status: waitsFor("CreateContainerConfigError", `secret "s" not found`), want: "look for the ConfigMap or Secret"},
		"a later reason": {status: waitsFor("Newfangled", ""), want: "waits: Newfangled; look at its events"},
		"no node":        {status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes"}}}, want: "has no node: Unschedulable (0/3 nodes)"},
		"no scheduler":   {status: corev1.PodStatus{Phase: corev1.PodPending}, want: "is pending and no scheduler has looked at it"},
		"out of memory":  {status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: endedWith(137, "OOMKilled")}}}, want: "OOMKilled"},
		"exit code":      {status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: endedWith(3, "Error")}}}, want: "container main, ended at 2026-03-02T02:00:00Z with exit code 3: Error|kubectl -n batch logs a-1 -c main"},
		"ended before":   {status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", LastTerminationState: endedWith(3, "Error")}}}, want: "exit code 3"},
		"init fails":     {status: corev1.PodStatus{Phase: corev1.PodFailed, InitContainerStatuses: []corev1.ContainerStatus{{Name: "wait", State: endedWith(1, "Error")}}, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: endedWith(0, "Completed")}}}, want: "container wait, ended"},
		"evicted":        {status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "low on memory"}, want: "failed: Evicted (low on memory)"},
		"no word":        {status: corev1.PodStatus{Phase: corev1.PodFailed}, want: "no reason is given"},
		"succeeded":      {status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{State: endedWith(0, "Completed")}}}},
	}
	jobs := []batchv1.Job{ofReport("a", "02:00:00")}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var want []string
			if tt.want != "" {
				want = append(want, tt.want)
			}
			wants(t, ofPods(jobs, []corev1.Pod{ofJob("a", "a-1", tt.status), ofJob("another", "b-1", waitsFor("ImagePullBackOff", ""))}), want...)
		})
	}
}

func TestExplainEvents(t *testing.T) {
	event := func(kind, reason, message, at string) corev1.Event {
		return corev1.Event{Type: kind, Reason: reason, Message: message, LastTimestamp: *kubeTime(at)}
	}
	events := []corev1.Event{
		event("Normal", "SuccessfulCreate", "Created job", "02:00:00"),
		event("Warning", "UnexpectedJob", "Saw a job", "02:00:00"),
		event("Warning", "FailedCreate", `exceeded quota: few`, "02:01:00"),
		event("Warning", "FailedCreate", `exceeded quota: more`, "02:02:00"),
		event("Normal", "JobAlreadyActive", "Not starting job", "02:00:00"),
		{Type: "Warning", Reason: "Newfangled", Message: "words", EventTime: metav1.NewMicroTime(clock("01:00:00"))},
		event("Warning", "Fourth", "", "00:30:00"),
	}
	wants(t, ofEvents("Job a", events), "about Job a, last at 2026-03-02T02:02:00Z: FailedCreate (exceeded quota: more); the server refused it", "JobAlreadyActive", "last at 2026-03-02T01:00:00Z: Newfangled (words)")
}

// surroundings answers for what stands around the CronJobs of a fakeAPI.
type surroundings struct {
	*fakeAPI
	jobs   []batchv1.Job
	pods   []corev1.Pod
	events []corev1.Event
	closed []string // resources that may not be listed
	broken []string // resources whose list fails
	asked  []string
}

func (s *surroundings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	s.asked = append(s.asked, resource)
	switch {
	case slices.Contains(s.closed, resource):
		refuse(w, 403, metav1.StatusReasonForbidden, resource+" is forbidden")
	case slices.Contains(s.broken, resource):
		refuse(w, 500, metav1.StatusReasonInternalError, "etcd is unwell")
	case resource == "jobs":
		page := s.jobs
		meta := metav1.ListMeta{}
		if len(page) > 10 { // as if the server's pages were of ten
			page, meta.Continue = page[:10], fmt.Sprint(len(s.asked))
		}
		s.send(w, "batch/v1", "JobList", &batchv1.JobList{ListMeta: meta, Items: page})
	case resource == "pods":
		s.send(w, "v1", "PodList", &corev1.PodList{Items: s.pods})
	case resource == "events":
		var own []corev1.Event
		for _, e := range s.events {
			if "involvedObject.uid="+string(e.InvolvedObject.UID) == r.URL.Query().Get("fieldSelector") {
				own = append(own, e)
			}
		}
		s.send(w, "v1", "EventList", &corev1.EventList{Items: own})
	default:
		s.fakeAPI.ServeHTTP(w, r)
	}
}

func TestExplain(t *testing.T) {
	foreign := ofReport("foreign", "02:00:00", holds(batchv1.JobFailed, "02:01:00", "X", ""))
	foreign.OwnerReferences[0].UID = "another"
	failed := ofReport("report-1", "02:00:00", holds(batchv1.JobFailed, "02:01:00", "BackoffLimitExceeded", ""))
	bare := ofReport("report-2", "02:05:00")
	refusedPod := corev1.Event{Type: "Warning", Reason: "FailedCreate", Message: "exceeded quota", InvolvedObject: corev1.ObjectReference{UID: bare.UID}, LastTimestamp: *kubeTime("02:06:00")}
	exited := ofJob("report-1", "report-1-x", corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: endedWith(9, "Error")}}})
	tests := map[string]struct {
		s     surroundings
		uid   string
		want  []string
		asked []string
	}{
		"all is well": {asked: []string{"cronjobs", "jobs", "events"}},
		"failed": {s: surroundings{jobs: []batchv1.Job{foreign, failed}, pods: []corev1.Pod{exited}}, asked: []string{"cronjobs", "jobs", "pods", "events"},
			want: []string{"Job report-1 failed", "exit code 9"}},
		"no pod comes": {s: surroundings{jobs: []batchv1.Job{bare}, events: []corev1.Event{refusedPod}}, asked: []string{"cronjobs", "jobs", "pods", "events", "events"},
			want: []string{"Job report-2 has not ended", "about Job report-2, last at 2026-03-02T02:06:00Z: FailedCreate (exceeded quota)"}},
		"CronJobs alone may be read": {s: surroundings{closed: []string{"jobs", "pods", "events"}}, asked: []string{"cronjobs", "jobs", "events"},
			want: []string{"what events, jobs.batch tell|may not list them in namespace batch (403); grant list on events, jobs.batch, and on pods"}},
		"no pods":             {s: surroundings{jobs: []batchv1.Job{failed}, closed: []string{"pods"}}, want: []string{"Job report-1 failed", "what pods tell"}},
		"nothing may be read": {s: surroundings{closed: []string{"cronjobs", "jobs", "pods", "events"}}, asked: []string{"cronjobs"}, want: []string{"what cronjobs.batch tell"}},
		"jobs fail":           {s: surroundings{broken: []string{"jobs"}}, want: []string{"more cannot be said: jobs.batch: the server failed (500"}},
		"gone":                {s: surroundings{fakeAPI: &fakeAPI{}}, asked: []string{"cronjobs"}, want: []string{"it has been deleted"}},
		"made anew":           {uid: "older", asked: []string{"cronjobs"}, want: []string{"made anew"}},
		"many Jobs of others": {s: surroundings{jobs: slices.Repeat([]batchv1.Job{foreign}, 20)}, asked: []string{"cronjobs", "jobs", "jobs", "jobs", "jobs", "events"}, want: []string{"more Jobs than the 2000"}},
	}
	for name, tt := range tests {
		for _, json := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/json %v", name, json), func(t *testing.T) {
				s := tt.s
				if s.fakeAPI == nil {
					s.fakeAPI = &fakeAPI{jobs: []batchv1.CronJob{*report(nil), oneJob("batch", "another")}}
				}
				s.fakeAPI.json = json
				uid := tt.uid
				if uid == "" {
					uid = "uid-1"
				}
				o := providers.Object{More: &providers.More{UID: uid}, Attrs: providers.AttrsOf(map[string]string{"namespace": "batch", "name": "report"})}
				p := served(t, &s, Config{Now: func() time.Time { return clock("01:10:00") }})
				wants(t, p.Explain(context.Background(), o), tt.want...)
				if tt.asked != nil && !slices.Equal(s.asked, tt.asked) {
					t.Errorf("asked for %v, want %v", s.asked, tt.asked)
				}
			})
		}
	}
}

// TestExplainEnds: a context that ends is one sentence, and no further request.
func TestExplainEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &surroundings{fakeAPI: &fakeAPI{jobs: []batchv1.CronJob{*report(nil)}}}
	stop := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/jobs") {
			cancel()
			hangUp(w)
		}
		s.ServeHTTP(w, r)
	})
	o := providers.Object{Attrs: providers.AttrsOf(map[string]string{"namespace": "batch", "name": "report"})}
	wants(t, served(t, stop, Config{}).Explain(ctx, o), "interrupted before the list was read")
	if !slices.Equal(s.asked, []string{"cronjobs"}) {
		t.Errorf("asked for %v", s.asked)
	}
}
