package simkubelet

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotations of a pod by which a test chooses how it ends.
const (
	OutcomeKey = "testkube/outcome" // succeed (default), fail, hang, image-pull, pending
	RunForKey  = "testkube/run-for" // a Go duration; default one second
)

type verb int

const (
	rest   verb = iota // nothing to do until the pod changes
	bind               // give it the node
	report             // write the status
	remove             // it was deleted: let it go
	later              // look again after a while
)

// step is the one thing that a pod needs next.
type step struct {
	verb   verb
	wait   time.Duration
	status corev1.PodStatus
}

// decide plays scheduler and kubelet for one pod at an instant. It only reads.
func decide(p *corev1.Pod, node string, now time.Time) step {
	outcome := p.Annotations[OutcomeKey]
	switch {
	case p.DeletionTimestamp != nil:
		return step{verb: remove}
	case p.Spec.NodeName == "" && outcome != "pending":
		return step{verb: bind}
	case p.Spec.NodeName != node:
		return step{}
	case p.Status.Phase == corev1.PodPending && outcome == "image-pull":
		return pullFails(p, now)
	case p.Status.Phase == corev1.PodPending:
		return step{verb: report, status: statusOf(p, corev1.PodRunning, "", now)}
	case p.Status.Phase == corev1.PodRunning && ofJob(p) && outcome != "hang":
		return finish(p, outcome, now)
	}
	return step{}
}

// pullFails keeps a pod waiting for an image that never comes.
func pullFails(p *corev1.Pod, now time.Time) step {
	if len(p.Status.ContainerStatuses) > 0 {
		return step{}
	}
	return step{verb: report, status: statusOf(p, corev1.PodPending, "ImagePullBackOff", now)}
}

// finish ends a pod that has run for long enough.
func finish(p *corev1.Pod, outcome string, now time.Time) step {
	if left := runFor(p) - now.Sub(started(p, now)); left > 0 {
		return step{verb: later, wait: left}
	}
	if outcome == "fail" {
		return step{verb: report, status: statusOf(p, corev1.PodFailed, "Error", now)}
	}
	return step{verb: report, status: statusOf(p, corev1.PodSucceeded, "Completed", now)}
}

func runFor(p *corev1.Pod) time.Duration {
	d, err := time.ParseDuration(p.Annotations[RunForKey])
	if err != nil {
		return time.Second
	}
	return d
}

func started(p *corev1.Pod, now time.Time) time.Time {
	if p.Status.StartTime == nil {
		return now
	}
	return p.Status.StartTime.Time
}

func ofJob(p *corev1.Pod) bool {
	owner := metav1.GetControllerOf(p)
	return owner != nil && owner.Kind == "Job"
}

// statusOf is the whole status of a pod in a phase.
func statusOf(p *corev1.Pod, phase corev1.PodPhase, reason string, now time.Time) corev1.PodStatus {
	begin := metav1.NewTime(started(p, now))
	s := corev1.PodStatus{Phase: phase, StartTime: &begin, HostIP: "192.0.2.1", PodIP: "192.0.2.2"}
	running := phase == corev1.PodRunning
	for _, kind := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		held := kind == corev1.PodInitialized || running
		s.Conditions = append(s.Conditions, corev1.PodCondition{Type: kind, Status: truth(held), LastTransitionTime: metav1.NewTime(now)})
	}
	for _, c := range p.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: running, Started: &running, State: stateOf(phase, reason, begin, now)})
	}
	return s
}

func stateOf(phase corev1.PodPhase, reason string, begin metav1.Time, now time.Time) corev1.ContainerState {
	switch phase {
	case corev1.PodPending:
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	case corev1.PodRunning:
		return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: begin}}
	}
	code := int32(0)
	if phase == corev1.PodFailed {
		code = 1
	}
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, StartedAt: begin, FinishedAt: metav1.NewTime(now)}}
}

func truth(b bool) corev1.ConditionStatus {
	if b {
		return corev1.ConditionTrue
	}
	return corev1.ConditionFalse
}
