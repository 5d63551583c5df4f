package classify

import (
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// TestNext24h: the day ahead is filled where its minutes are known, and only there.
func TestNext24h(t *testing.T) {
	for _, c := range []struct {
		text, zone string
		suspended  bool
		want       int // -1: not known
	}{
		{"*/5 * * * *", "UTC", false, 288},
		{"0 13 * * *", "UTC", false, 1},
		{"0 12 * * *", "UTC", false, 1},
		{"0 0 29 2 *", "UTC", false, 0},
		{"*/5 * * * *", "UTC", true, -1},
		{"*/5 * * * *", "", false, -1},
		{"0~30 4 * * *", "UTC", false, -1},
	} {
		d := specs.Cronie
		sched, err := specs.ParseSchedule(d, c.text, c.zone)
		if err != nil {
			t.Fatal(err)
		}
		ref := specs.Ref{Role: "a", Source: "one"}
		j := judge{Input: Input{Now: noon, Desired: map[specs.Ref]specs.Desired{ref: {Spec: specs.Spec{Schedules: []specs.Schedule{sched}}}}}}
		j.register(specs.Role{Key: "a", Suspended: c.suspended}, ref, nil, "yes")
		got := j.out.Roles[0].Next24h
		switch {
		case got == nil && c.want >= 0, got != nil && got.Minutes != c.want:
			t.Errorf("%s %s: %+v, want %d", c.text, c.zone, got, c.want)
		case got != nil && len(got.Due) > 0 && !got.Due[0].At.After(noon.Add(30*time.Second)):
			t.Errorf("%s: %v is not ahead", c.text, got.Due[0].At)
		}
	}
}
