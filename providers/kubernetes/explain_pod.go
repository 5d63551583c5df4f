package kubernetes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// ofPods is what keeps the pods of some Jobs from running or ended them.
func ofPods(jobs []batchv1.Job, pods []corev1.Pod) []string {
	var out []string
	arrange.By(pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	for i := range pods {
		own := slices.ContainsFunc(jobs, func(j batchv1.Job) bool { return controlledBy(&pods[i].ObjectMeta, j.UID) })
		if s := ofPod(&pods[i]); own && s != "" && len(out) < mostShown {
			out = append(out, s)
		}
	}
	return out
}

// ofPod is what is wrong with one pod; empty if nothing shows.
func ofPod(p *corev1.Pod) string {
	name := "pod " + p.Name
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return fmt.Sprintf("%s has no node: %s; make room, or correct what it asks of a node", name, said(c.Reason, c.Message))
		}
	}
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if s := ofContainer(&c); s != "" {
			look := fmt.Sprintf("kubectl -n %s describe pod %s", p.Namespace, p.Name)
			if c.State.Waiting == nil {
				look = fmt.Sprintf("kubectl -n %s logs %s -c %s", p.Namespace, p.Name, c.Name)
			}
			return fmt.Sprintf("%s, container %s, %s: %s", name, c.Name, s, look)
		}
	}
	if p.Status.Phase == corev1.PodPending && p.Spec.NodeName == "" && len(p.Status.Conditions) == 0 {
		return name + " is pending and no scheduler has looked at it; see whether the one of its schedulerName runs"
	}
	if p.Status.Phase == corev1.PodFailed {
		return fmt.Sprintf("%s failed: %s; look at the node and at its limits: kubectl -n %s describe pod %s", name, said(p.Status.Reason, p.Status.Message), p.Namespace, p.Name)
	}
	return ""
}

// waits are the reasons for which a kubelet lets a container wait, and what each
// asks for.
var waits = map[string]string{
	"ErrImagePull":               "look at the image's name and tag, and at the secret for its registry",
	"ImagePullBackOff":           "look at the image's name and tag, and at the secret for its registry",
	"ErrImageNeverPull":          "the image is not on the node and imagePullPolicy is Never; bring it there, or change the policy",
	"InvalidImageName":           "correct the image's name",
	"CreateContainerConfigError": "look for the ConfigMap or Secret that it names",
	"CreateContainerError":       "look at its command, its mounts and its node",
	"RunContainerError":          "look at its command and at its node",
	"CrashLoopBackOff":           "it ends again and again; look at the log of its last run (kubectl logs --previous)",
	"ContainerCreating":          "look at its volumes and its network",
	"PodInitializing":            "its init containers have not ended; look at their log",
}

// ofContainer is why a container waits, or how it ended.
func ofContainer(c *corev1.ContainerStatus) string {
	if w := c.State.Waiting; w != nil {
		return fmt.Sprintf("waits: %s; %s", said(w.Reason, w.Message), cmp.Or(waits[w.Reason], "look at its events"))
	}
	end := cmp.Or(c.State.Terminated, c.LastTerminationState.Terminated)
	switch {
	case end == nil || end.ExitCode == 0:
		return ""
	case end.Reason == "OOMKilled":
		return fmt.Sprintf("ended at %s for want of memory (OOMKilled); raise its memory limit, or find what it fills", stamp(end.FinishedAt.Time))
	}
	return fmt.Sprintf("ended at %s with exit code %d: %s; look at its log", stamp(end.FinishedAt.Time), end.ExitCode, said(end.Reason, end.Message))
}

// said joins a reason and a message of another program.
func said(reason, message string) string {
	reason, message = outside(reason), outside(message)
	switch {
	case reason == "" && message == "":
		return "no reason is given"
	case message == "":
		return reason
	case reason == "":
		return message
	}
	return reason + " (" + message + ")"
}

// outside makes a text of another program fit for a sentence: on one line, of a
// length that people read, without what looks like a credential.
func outside(s string) string {
	return shorten(hideTokens(strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")))
}

// remarks are the events that say why a run does not come, and what each asks
// for; of other events only warnings are told (cronjob_controllerv2.go,
// job_controller.go, controller_utils.go).
var remarks = map[string]string{
	"FailedCreate":       "the server refused it: look at quotas (kubectl describe resourcequota), at admission webhooks, and at the service account",
	"MissSchedule":       "a start came later than startingDeadlineSeconds allow; give it more, and see why the controller was late",
	"TooManyMissedTimes": "see whether the controller was down for long, or a clock is wrong",
	"JobAlreadyActive":   "end the run that is still active, or let it not run that long",
	"InvalidSchedule":    "correct spec.schedule",
	"UnknownTimeZone":    "correct spec.timeZone; the controller's own list of zones counts",
	"FailedNeedsStart":   "see its message; correct spec.schedule or set startingDeadlineSeconds",
}

// told are the events that others of this package tell better.
var told = []string{"UnexpectedJob", "BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy"}

// ofEvents is what the controllers noted about an object, the reasons in the
// order of their last time, the latest first.
func ofEvents(object string, events []corev1.Event) []string {
	arrange.By(events, func(a, b corev1.Event) int {
		return cmp.Or(eventTime(&b).Compare(eventTime(&a)), strings.Compare(a.Name, b.Name))
	})
	var out, seen []string
	for i := range events {
		e := &events[i]
		next, known := remarks[e.Reason]
		if slices.Contains(seen, e.Reason) || slices.Contains(told, e.Reason) || !known && e.Type != corev1.EventTypeWarning || len(out) == mostShown {
			continue
		}
		seen = append(seen, e.Reason)
		out = append(out, fmt.Sprintf("the controller noted about %s, last at %s: %s; %s", object, stamp(eventTime(e)), said(e.Reason, e.Message), cmp.Or(next, "see what it means for the run")))
	}
	return out
}

// eventTime is when an event was noted last; by which of its fields depends on
// who wrote it.
func eventTime(e *corev1.Event) time.Time {
	at := laterOf(e.LastTimestamp.UTC(), e.EventTime.UTC())
	if e.Series != nil {
		at = laterOf(at, e.Series.LastObservedTime.UTC())
	}
	return laterOf(at, e.FirstTimestamp.UTC())
}
