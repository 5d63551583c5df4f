package simkubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestDecide(t *testing.T) {
	deleted := func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: noon} }
	tests := map[string]struct {
		node, outcome, runFor string
		phase                 corev1.PodPhase
		since                 time.Duration // how long it has been running
		change                func(*corev1.Pod)
		want                  verb
		then                  corev1.PodPhase
		code                  int32
	}{
		"new":                  {phase: corev1.PodPending, want: bind},
		"never placed":         {phase: corev1.PodPending, outcome: "pending", want: rest},
		"of another node":      {node: "other", phase: corev1.PodPending, want: rest},
		"placed":               {node: "n", phase: corev1.PodPending, want: report, then: corev1.PodRunning},
		"image does not come":  {node: "n", phase: corev1.PodPending, outcome: "image-pull", want: report, then: corev1.PodPending},
		"still no image":       {node: "n", phase: corev1.PodPending, outcome: "image-pull", change: waiting, want: rest},
		"runs on":              {node: "n", phase: corev1.PodRunning, runFor: "20s", since: 5 * time.Second, want: later},
		"has run":              {node: "n", phase: corev1.PodRunning, since: time.Second, want: report, then: corev1.PodSucceeded},
		"has run and fails":    {node: "n", phase: corev1.PodRunning, outcome: "fail", since: time.Second, want: report, then: corev1.PodFailed, code: 1},
		"hangs":                {node: "n", phase: corev1.PodRunning, outcome: "hang", since: time.Hour, want: rest},
		"bad duration":         {node: "n", phase: corev1.PodRunning, runFor: "soon", since: time.Second, want: report, then: corev1.PodSucceeded},
		"not of a job":         {node: "n", phase: corev1.PodRunning, since: time.Hour, change: func(p *corev1.Pod) { p.OwnerReferences = nil }, want: rest},
		"over":                 {node: "n", phase: corev1.PodSucceeded, since: time.Hour, want: rest},
		"deleted while it ran": {node: "n", phase: corev1.PodRunning, change: deleted, want: remove},
		"deleted before":       {phase: corev1.PodPending, change: deleted, want: remove},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := pod(tt.node, tt.outcome, tt.runFor, tt.phase, tt.since)
			if tt.change != nil {
				tt.change(p)
			}
			got := decide(p, "n", noon)
			if got.verb != tt.want || got.status.Phase != tt.then {
				t.Fatalf("got verb %d and phase %q, want %d and %q", got.verb, got.status.Phase, tt.want, tt.then)
			}
			if tt.want != report {
				return
			}
			if n := len(got.status.ContainerStatuses); n != 1 {
				t.Fatalf("%d container statuses, want 1", n)
			}
			if end := got.status.ContainerStatuses[0].State.Terminated; end != nil && end.ExitCode != tt.code {
				t.Errorf("exit code %d, want %d", end.ExitCode, tt.code)
			}
		})
	}
}

func TestDecideWaitsForTheRestOfTheRun(t *testing.T) {
	p := pod("n", "", "20s", corev1.PodRunning, 5*time.Second)
	if got := decide(p, "n", noon).wait; got != 15*time.Second {
		t.Errorf("wait %v, want 15s", got)
	}
}

func pod(node, outcome, runFor string, phase corev1.PodPhase, since time.Duration) *corev1.Pod {
	yes := true
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "d", Annotations: map[string]string{},
			OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Name: "j", Controller: &yes}}},
		Spec:   corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{Phase: phase},
	}
	if outcome != "" {
		p.Annotations[OutcomeKey] = outcome
	}
	if runFor != "" {
		p.Annotations[RunForKey] = runFor
	}
	if phase == corev1.PodRunning {
		p.Status.StartTime = &metav1.Time{Time: noon.Add(-since)}
	}
	return p
}

func waiting(p *corev1.Pod) {
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main"}}
}
