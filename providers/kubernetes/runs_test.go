package kubernetes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// clock is an instant of one day; "" is none.
func clock(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse("15:04:05", text)
	if err != nil {
		panic(err)
	}
	return time.Date(2026, 3, 2, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

func kubeTime(text string) *metav1.Time {
	if text == "" {
		return nil
	}
	return &metav1.Time{Time: clock(text)}
}

// jobName is the name that the controller gives the Job of an instant.
func jobName(text string) string { return fmt.Sprintf("report-%d", clock(text).Unix()/60) }

// wrote is an entry of managedFields.
func wrote(at, subresource, fields string) metav1.ManagedFieldsEntry {
	e := metav1.ManagedFieldsEntry{Manager: "m" + at, Time: kubeTime(at), Subresource: subresource, FieldsV1: &metav1.FieldsV1{}}
	e.FieldsV1.SetRawBytes([]byte(fields))
	return e
}

const statusFields = `{"f:status":{"f:active":{},"f:lastScheduleTime":{}}}`

func TestRunsFromStatus(t *testing.T) {
	trace := func(last, from string) providers.Trace {
		return providers.Trace{State: providers.Known, Last: clock(last), From: "status." + from}
	}
	tests := map[string]struct {
		start, success string
		active         []string
		managed        []metav1.ManagedFieldsEntry
		since          string // of creation, 01:00 if empty
		running        []providers.Running
		failed         *providers.Failure
		hint           string
	}{
		"new":       {},
		"succeeded": {start: "02:00:00", success: "02:00:09"},
		"in the same second, as a run that does nothing": {start: "02:00:00", success: "02:00:00"},
		"running": {start: "02:00:00", active: []string{jobName("02:00:00")},
			running: []providers.Running{{ID: jobName("02:00:00"), Start: clock("02:00:00")}}},
		"running, and the status was written as it began": {start: "02:00:00", active: []string{jobName("02:00:00")},
			managed: []metav1.ManagedFieldsEntry{wrote("02:00:01", "status", statusFields)},
			running: []providers.Running{{ID: jobName("02:00:00"), Start: clock("02:00:01")}}},
		"made up for at 15:00": {start: "02:00:00", active: []string{jobName("02:00:00")},
			managed: []metav1.ManagedFieldsEntry{wrote("15:00:03", "status", statusFields), wrote("16:00:00", "", `{"f:spec":{"f:schedule":{},"f:jobTemplate":{}}}`)},
			running: []providers.Running{{ID: jobName("02:00:00"), Start: clock("15:00:03")}}},
		"the status written by another, of another field": {start: "02:00:00", active: []string{jobName("02:00:00")},
			managed: []metav1.ManagedFieldsEntry{wrote("15:00:03", "status", `{"f:status":{"f:note":{}}}`)},
			running: []providers.Running{{ID: jobName("02:00:00"), Start: clock("02:00:00")}}},
		"several, the oldest first": {start: "02:10:00", active: []string{jobName("02:10:00"), jobName("02:00:00"), jobName("02:05:00")},
			managed: []metav1.ManagedFieldsEntry{wrote("02:10:01", "status", statusFields)},
			running: []providers.Running{{ID: jobName("02:00:00"), Start: clock("02:00:00")}, {ID: jobName("02:05:00"), Start: clock("02:05:00")}, {ID: jobName("02:10:00"), Start: clock("02:10:00")}}},
		"one of another name": {start: "02:00:00", active: []string{"by-hand"},
			running: []providers.Running{{ID: "by-hand", Start: clock("02:00:00")}}},
		"one of another name beside one": {start: "02:00:00", active: []string{jobName("02:00:00"), "by-hand"}, hint: "whose start cannot be told",
			running: []providers.Running{{ID: "by-hand"}, {ID: jobName("02:00:00"), Start: clock("02:00:00")}}},
		"a name of the future": {start: "02:00:00", active: []string{jobName("02:01:00"), "x"}, hint: "whose start cannot be told",
			running: []providers.Running{{ID: jobName("02:01:00")}, {ID: "x"}}},
		"active, and no start known": {active: []string{"by-hand"}, hint: "whose start cannot be told", running: []providers.Running{{ID: "by-hand"}}},
		"seconds, as before 1.21": {start: "02:00:00", active: []string{fmt.Sprintf("report-%d", clock("02:00:00").Unix())},
			running: []providers.Running{{ID: fmt.Sprintf("report-%d", clock("02:00:00").Unix()), Start: clock("02:00:00")}}},
		"failed": {start: "02:00:00", managed: []metav1.ManagedFieldsEntry{wrote("02:04:00", "status", statusFields)},
			failed: &providers.Failure{ID: jobName("02:00:00"), At: clock("02:04:00")}},
		"failed after successes": {start: "03:00:00", success: "02:00:10", failed: &providers.Failure{ID: jobName("03:00:00"), At: clock("03:00:00")}},
		"only by hand":           {success: "02:00:00", hint: "started by hand"},
		"switched on again": {start: "01:30:00", success: "01:31:00", since: "05:00:00",
			managed: []metav1.ManagedFieldsEntry{wrote("04:00:00", "", `{"f:spec":{"f:schedule":{}}}`), wrote("05:00:00", "", `{"f:spec":{"f:suspend":{}}}`)}},
		"deployed as a whole": {start: "01:30:00", success: "01:31:00",
			managed: []metav1.ManagedFieldsEntry{wrote("05:00:00", "", `{"f:spec":{"f:schedule":{},"f:suspend":{},"f:concurrencyPolicy":{}}}`)}},
		"a broken set": {start: "01:30:00", success: "01:31:00", managed: []metav1.ManagedFieldsEntry{wrote("05:00:00", "", `{"f:spec":`), {Manager: "x"}, {Manager: "y", Time: kubeTime("05:00:00")}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cj := oneJob("batch", "report")
			cj.CreationTimestamp, cj.ManagedFields = *kubeTime("01:00:00"), tt.managed
			cj.Status = batchv1.CronJobStatus{LastScheduleTime: kubeTime(tt.start), LastSuccessfulTime: kubeTime(tt.success)}
			for _, a := range tt.active {
				cj.Status.Active = append(cj.Status.Active, corev1.ObjectReference{Name: a})
			}
			got := runsOf(&cj, nil)
			if got.Executed != trace(tt.start, "lastScheduleTime") || got.Succeeded != trace(tt.success, "lastSuccessfulTime") {
				t.Errorf("executed %+v, succeeded %+v", got.Executed, got.Succeeded)
			}
			since := tt.since
			if since == "" {
				since = "01:00:00"
			}
			if !got.Since.Equal(clock(since)) {
				t.Errorf("since %v, want %s", got.Since, since)
			}
			if got.Failed != nil {
				got.Failed.Why = ""
			}
			if diff := cmp.Diff(tt.running, got.Running); diff != "" {
				t.Errorf("running: -want +got\n%s", diff)
			}
			if diff := cmp.Diff(tt.failed, got.Failed); diff != "" {
				t.Errorf("failed: -want +got\n%s", diff)
			}
			if hints := strings.Join(got.Hints, "; "); tt.hint == "" && hints != "" || !strings.Contains(hints, tt.hint) {
				t.Errorf("hints %q, want %q", hints, tt.hint)
			}
		})
	}
}

// TestManifestsSayNothingOfRuns: a status in a file is of no known moment.
func TestManifestsSayNothingOfRuns(t *testing.T) {
	cj := oneJob("batch", "report")
	cj.Status.LastScheduleTime = kubeTime("02:00:00")
	if o := objectOf(&cj, "s", "file/a", specs.Pos{}, false); o.Runs() != nil {
		t.Errorf("runs %+v", o.Runs())
	}
}

func FuzzDueOf(f *testing.F) {
	for _, s := range []string{"report-29540281", "report-", "report--1", "report-0", "report-1772424000", "report-99999999999999999999", "\x00", "other-1"} {
		f.Add(s, int64(1772424000))
	}
	f.Fuzz(func(t *testing.T, name string, last int64) {
		cj := oneJob("batch", "report")
		cj.Status.LastScheduleTime = &metav1.Time{Time: time.Unix(last, 0)}
		if at := dueOf(&cj, name); !at.IsZero() && (at.After(time.Unix(last, 0)) || at.Second() != 0 || !strings.HasPrefix(name, "report-")) {
			t.Errorf("%q is due at %v", name, at)
		}
	})
}
