package kubernetes

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Bounds of what is asked about one CronJob. Jobs of a namespace cannot be asked
// for by their owner, so those of others are read past.
const (
	jobPages   = 4
	pageOfJobs = 500 // and of events
	mostPods   = 50
	mostShown  = 3 // of the Jobs, pods or events that say the same
)

// Explain says why the runs of a CronJob do not come or do not succeed, as far as
// it, its Jobs, their pods and their events tell. It takes five kinds of list at
// most, in the CronJob's namespace; a right that is missing for one of them is a
// sentence. Of the CronJob alone it needs no right but that of the audit.
func (p *Provider) Explain(ctx context.Context, o providers.Object) []string {
	q := &inquiry{provider: p, namespace: o.Attr("namespace"), now: p.now()}
	cj := q.cronJob(ctx, o)
	if cj == nil {
		return q.says
	}
	q.say(ofCronJob(cj, q.now)...)
	jobs, read := q.jobs(ctx, cj)
	if read {
		q.say(ofJobs(cj, jobs, q.now)...)
	}
	bare := q.pods(ctx, podsOf(jobs))
	q.events(ctx, "CronJob", cj.Name, cj.UID)
	if bare != nil {
		q.events(ctx, "Job", bare.Name, bare.UID)
	}
	q.sayDenied()
	return q.says
}

// inquiry is what is found out about one CronJob.
type inquiry struct {
	provider  *Provider
	namespace string
	now       time.Time // zero if it is not known
	says      []string
	denied    []string // resources that may not be listed
}

func (q *inquiry) say(sentences ...string) { q.says = append(q.says, sentences...) }

// query is a list in the namespace, of at most so many pages.
type query struct {
	resource string // cronjobs.batch, as rights are named
	kind     string
	labels   string
	fields   string
	size     int64
	pages    int
}

func (query query) path(namespace string) string {
	name, group, ok := strings.Cut(query.resource, ".")
	if !ok {
		return "/api/v1/namespaces/" + url.PathEscape(namespace) + "/" + name
	}
	return "/apis/" + group + "/v1/namespaces/" + url.PathEscape(namespace) + "/" + name
}

// list hands on the items of a query. False says that it was not read; why is
// among what the inquiry says, or a right that is missing.
func (q *inquiry) list(ctx context.Context, query query, item func(form form, data []byte) error) (more, ok bool) {
	if ctx.Err() != nil {
		return false, false
	}
	l := &lister{client: q.provider.client, path: query.path(q.namespace), kind: query.kind,
		selector: query.labels, fields: query.fields, pageSize: query.size, most: query.pages, item: item, restart: func() {}}
	err := l.all(ctx)
	switch {
	case err == nil:
		return l.more, true
	case apierrors.IsForbidden(err) && ownAnswer(err):
		q.denied = append(q.denied, query.resource)
	default:
		q.say("more cannot be said: " + query.resource + ": " + reasonOf(ctx, err, query.resource, q.namespace))
	}
	return false, false
}

// cronJob is the object as it is now; nil where there is nothing to explain.
func (q *inquiry) cronJob(ctx context.Context, o providers.Object) *batchv1.CronJob {
	var found *batchv1.CronJob
	name := o.Attr("name")
	_, ok := q.list(ctx, query{resource: "cronjobs.batch", kind: "CronJobList", fields: "metadata.name=" + name, size: 2, pages: 1}, func(form form, data []byte) error {
		cj := new(batchv1.CronJob)
		if err := form.decode(data, cj); err != nil {
			return err
		}
		if cj.Name == name {
			found = cj
		}
		return nil
	})
	switch {
	case !ok:
		q.sayDenied()
	case found == nil:
		q.say("it has been deleted since it was listed; run the audit again")
	case o.UID() != "" && string(found.UID) != o.UID():
		q.say("it has been made anew since it was listed; run the audit again")
		found = nil
	}
	return found
}

// jobs are the Jobs that the CronJob controls, the newest first.
func (q *inquiry) jobs(ctx context.Context, cj *batchv1.CronJob) ([]batchv1.Job, bool) {
	var out []batchv1.Job
	more, ok := q.list(ctx, query{resource: "jobs.batch", kind: "JobList", size: pageOfJobs, pages: jobPages}, func(form form, data []byte) error {
		var j batchv1.Job
		if err := form.decode(data, &j); err != nil {
			return err
		}
		if controlledBy(&j.ObjectMeta, cj.UID) {
			j.Spec.Template, j.ManagedFields = corev1.PodTemplateSpec{}, nil
			out = append(out, j)
		}
		return nil
	})
	if more {
		q.say(fmt.Sprintf("namespace %s holds more Jobs than the %d that were looked at, so some of its own may be missing here; clear away what is finished (ttlSecondsAfterFinished)", q.namespace, jobPages*pageOfJobs))
	}
	arrange.By(out, func(a, b batchv1.Job) int {
		if c := b.CreationTimestamp.Compare(a.CreationTimestamp.Time); c != 0 {
			return c
		}
		return strings.Compare(b.Name, a.Name)
	})
	return out, ok
}

func controlledBy(o *metav1.ObjectMeta, uid types.UID) bool {
	owner := metav1.GetControllerOfNoCopy(o)
	return owner != nil && owner.UID == uid && uid != ""
}

// pods says what holds up or ended the pods of some Jobs, and gives the first of
// the Jobs that should have a pod and has none.
func (q *inquiry) pods(ctx context.Context, jobs []batchv1.Job) *batchv1.Job {
	if len(jobs) == 0 {
		return nil
	}
	var names []string
	for i := range jobs {
		names = append(names, jobs[i].Name)
	}
	var pods []corev1.Pod
	_, ok := q.list(ctx, query{resource: "pods", kind: "PodList", labels: "job-name in (" + strings.Join(names, ",") + ")", size: mostPods, pages: 1}, func(form form, data []byte) error {
		var pod corev1.Pod
		if err := form.decode(data, &pod); err != nil {
			return err
		}
		pods = append(pods, corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, OwnerReferences: pod.OwnerReferences}, Status: pod.Status, Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName}})
		return nil
	})
	if !ok {
		return withoutPod(jobs, nil)
	}
	q.say(ofPods(jobs, pods)...)
	return withoutPod(jobs, pods)
}

// events says what the controllers noted about an object. Events are kept for an
// hour where the cluster does not say otherwise.
func (q *inquiry) events(ctx context.Context, kind, name string, uid types.UID) {
	var events []corev1.Event
	q.list(ctx, query{resource: "events", kind: "EventList", fields: "involvedObject.uid=" + string(uid), size: pageOfJobs, pages: 1}, func(form form, data []byte) error {
		var e corev1.Event
		if err := form.decode(data, &e); err != nil {
			return err
		}
		if e.InvolvedObject.UID == uid {
			events = append(events, e)
		}
		return nil
	})
	q.say(ofEvents(kind+" "+name, events)...)
}

// sayDenied names the rights by which more could be said. Where Jobs may not be
// listed, pods are not asked for.
func (q *inquiry) sayDenied() {
	if len(q.denied) == 0 {
		return
	}
	slices.Sort(q.denied)
	what := strings.Join(slices.Compact(q.denied), ", ")
	also := ""
	if slices.Contains(q.denied, "jobs.batch") {
		also = ", and on pods,"
	}
	q.say(fmt.Sprintf("what %s tell of it is not known: the user may not list them in namespace %s (403); grant list on %s%s there, as the ClusterRole view does", what, q.namespace, what, also))
}
