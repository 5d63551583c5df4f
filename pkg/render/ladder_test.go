package render_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

func TestAge(t *testing.T) {
	for before, want := range map[time.Duration]string{
		0: "0 s ago", 119 * time.Second: "119 s ago", 2 * time.Minute: "2 min ago", 119*time.Minute + 59*time.Second: "119 min ago",
		2 * time.Hour: "2 h ago", 48*time.Hour - time.Second: "47 h ago", 48 * time.Hour: "2 d ago", 82 * 24 * time.Hour: "82 d ago",
		-time.Minute: "in 60 s", -3 * time.Hour: "in 3 h",
	} {
		if got := render.Age(observed, observed.Add(-before).Unix()); got != want {
			t.Errorf("%s before: %q, want %q", before, got, want)
		}
	}
	for _, odd := range []int64{math.MinInt64, -1, 1 << 40, math.MaxInt64} {
		for _, got := range []string{render.Age(observed, odd), render.Moment(odd)} {
			if !strings.HasPrefix(got, "second ") {
				t.Errorf("%d: %q", odd, got)
			}
		}
	}
	if got := render.Moment(observed.Unix()); got != "2026-11-02 03:04Z" {
		t.Error(got)
	}
}

// The ladder is shown to who asks for more, and only where there is one.
func TestLadderIsShown(t *testing.T) {
	r := sample()
	for name, c := range map[string]struct {
		got  string
		want []string
	}{
		"text":     {asText(t, r, render.TextOptions{Verbose: 1}), []string{"yes, 47 min ago  late, 23 h ago", "stale, 3 d ago", "never ", "run records in /var/lib/rolecall; prometheus: ghost"}},
		"html":     {show(t, render.HTML, r), []string{`<span class="dim">23 h ago</span><time class="dim">2026-11-01 04:04Z</time>`, "runs: run records in /var/lib/rolecall"}},
		"markdown": {show(t, render.Markdown(render.CommentRoom), r), []string{"| `yes, 47 min ago` | `late, 23 h ago` | `not-tracked` |"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.got, want) {
				t.Errorf("%s does not say %s", name, want)
			}
		}
	}
	for i := range r.Roles {
		r.Roles[i].Stages, r.Roles[i].Seen = report.Stages{Registered: report.Yes, Executed: report.NotTracked, Succeeded: report.NotTracked, Progressed: report.NotTracked}, report.Seen{}
	}
	if got := asText(t, r, render.TextOptions{Verbose: 1}); strings.Contains(got, "EXECUTED") {
		t.Error("the text shows a ladder that nobody looked at")
	}
	if got := show(t, render.Markdown(render.CommentRoom), r); strings.Contains(got, "| executed") {
		t.Error("the comment shows a ladder that nobody looked at")
	}
}

// A source is as fresh as the look at it: an audit of an old snapshot makes
// nothing new of it.
func TestPrometheusSeenAt(t *testing.T) {
	taken, later := observed.Add(-72*time.Hour), observed.Add(-time.Hour)
	got := show(t, render.Prometheus, report.Report{
		ObservedAt: observed, Mode: "snapshot", Ledger: report.Ledger{Name: "shop"},
		Coverage: []report.Coverage{
			{Source: "a", Part: "x", State: "read", SeenAt: &later}, {Source: "a", Part: "y", State: "partial", SeenAt: &taken},
			{Source: "b", Part: "x", State: "read", SeenAt: &later}, {Source: "b", Part: "snapshot", State: "failed"},
			{Source: "c", Part: "x", State: "read"}, {Source: "d", Part: "x", State: "denied", SeenAt: &taken},
		},
	})
	for source, at := range map[string]time.Time{"a": taken, "b": later, "c": observed} {
		if want := fmt.Sprintf("rolecall_source_audit_timestamp_seconds{ledger=\"shop\",source=%q,mode=\"snapshot\"} %d\n", source, at.Unix()); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, `rolecall_source_audit_timestamp_seconds{ledger="shop",source="d"`) {
		t.Error("a source that was not read has a time")
	}
}

// What stands registered and will not run is not active, and what was not looked
// at has no sample: no alert is to rest on it.
func TestPrometheusRoles(t *testing.T) {
	at := observed.Unix()
	r := report.Report{
		ObservedAt: observed, Mode: "live", Ledger: report.Ledger{Name: "shop"},
		Coverage: []report.Coverage{{Source: "a", Part: "x", State: "partial"}, {Source: "b", Part: "x", State: "denied"}},
		Roles: []report.Role{
			{Role: "runs", Source: "a", Stages: report.Stages{Registered: report.Yes}, Seen: report.Seen{LastSuccess: &at}},
			{Role: "off", Source: "a", Stages: report.Stages{Registered: report.Yes}},
			{Role: "gone", Source: "a", Stages: report.Stages{Registered: report.No}},
			{Role: "asleep", Source: "a", Suspended: true, Stages: report.Stages{Registered: report.Yes}},
			{Role: "awake", Source: "a", Suspended: true, Stages: report.Stages{Registered: report.Yes}},
			{Role: "unseen", Source: "b", Stages: report.Stages{Registered: report.Unseen}},
			{Role: "runs", Source: "a", Stages: report.Stages{Registered: report.No}}, // twice, by hand
		},
		Findings: []report.Finding{
			{ID: "1", Kind: report.Inactive, Role: "off", Source: "a", Waiver: &report.Waiver{}},
			{ID: "2", Kind: report.Drift, Role: "awake", Source: "a", Fields: []report.Field{{Path: "state"}}},
		},
	}
	got := show(t, render.Prometheus, r)
	for _, want := range []string{
		`rolecall_role_active{ledger="shop",role="runs",source="a",owner=""} 1`, `rolecall_role_active{ledger="shop",role="off",source="a",owner=""} 0`,
		`rolecall_role_active{ledger="shop",role="gone",source="a",owner=""} 0`, `rolecall_role_active{ledger="shop",role="asleep",source="a",owner=""} 0`,
		`rolecall_role_active{ledger="shop",role="awake",source="a",owner=""} 1`, `rolecall_role_suspended{ledger="shop",role="awake",source="a",owner=""} 1`,
		`rolecall_role_registered{ledger="shop",role="gone",source="a",owner=""} 0`, `rolecall_role_last_success_timestamp_seconds{ledger="shop",role="runs",source="a",owner=""} 1793588640`,
		`rolecall_role_stage{ledger="shop",role="unseen",source="b",owner="",stage="registered",state="unknown"} 1`,
		`rolecall_source_audit_timestamp_seconds{ledger="shop",source="a",mode="live"} 1793588640`,
	} {
		if strings.Count(got, want+"\n") != 1 {
			t.Errorf("not once: %s", want)
		}
	}
	for _, never := range []string{`rolecall_role_active{ledger="shop",role="unseen"`, `rolecall_source_audit_timestamp_seconds{ledger="shop",source="b"`, "rolecall_role_last_start", "rolecall_role_last_progress"} {
		if strings.Contains(got, never) {
			t.Errorf("a sample of what is not known: %s", never)
		}
	}
}
