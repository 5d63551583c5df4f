package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// As what a failure shows is what the judgement says of it: the first step that is
// tracked and can alarm.
func TestShowsAs(t *testing.T) {
	const (
		none   = "nothing: "
		untold = none + "neither executed, succeeded nor progressed is tracked"
		noEnd  = none + "neither succeeded nor progressed is tracked"
		noMove = none + "progressed is not tracked"
		never  = none + "the schedule has no instants at which it is known to be due"
		asleep = none + "the ledger wants the role not to run now"
		hung   = "hung, while it goes on"
	)
	file := specs.EvidenceSource{Pos: specs.Pos{Line: 1}, File: "/srv/dump"}
	for name, c := range map[string]struct {
		stages                       [3]report.Stage
		provider                     string
		boundless, suspended, aFile  bool
		unlimited                    bool
		stopped, failed, cut, barren string
	}{
		"all":               {stages: [3]report.Stage{report.Yes, report.Yes, report.Yes}, stopped: "not-executed", failed: "not-succeeded", cut: hung, barren: "stalled"},
		"late and stale":    {stages: [3]report.Stage{report.Late, report.Stale, report.Never}, stopped: "not-executed", failed: "not-succeeded", cut: hung, barren: "stalled"},
		"could not be read": {stages: [3]report.Stage{report.Unseen, report.Unseen, ""}, stopped: "not-executed", failed: "not-succeeded", cut: hung, barren: noMove},
		"no executed":       {stages: [3]report.Stage{report.NotTracked, report.Yes, report.NotTracked}, stopped: "not-succeeded", failed: "not-succeeded", cut: hung, barren: noMove},
		"a file alone":      {stages: [3]report.Stage{report.NotTracked, report.Yes, report.NotTracked}, aFile: true, stopped: "not-succeeded", failed: "not-succeeded", cut: "not-succeeded", barren: noMove},
		"a file beside":     {stages: [3]report.Stage{report.Yes, report.Yes, report.NotTracked}, aFile: true, provider: "kubernetes", stopped: "not-executed", failed: "not-succeeded", cut: hung, barren: noMove},
		"progress alone":    {stages: [3]report.Stage{report.NotTracked, report.NotTracked, report.Yes}, unlimited: true, stopped: "stalled", failed: "stalled", cut: "stalled", barren: "stalled"},
		"executed alone":    {stages: [3]report.Stage{report.Yes, report.NotTracked, report.NotTracked}, stopped: "not-executed", failed: noEnd, cut: hung, barren: noMove},
		"no limit":          {stages: [3]report.Stage{report.Yes, report.Yes, report.NotTracked}, unlimited: true, stopped: "not-executed", failed: "not-succeeded", cut: "not-succeeded", barren: noMove},
		"nobody":            {stages: [3]report.Stage{report.NotTracked, report.NotTracked, report.NotTracked}, stopped: untold, failed: noEnd, cut: noEnd, barren: noMove},
		"at boot":           {stages: [3]report.Stage{report.NotDue, report.NotDue, report.NotTracked}, boundless: true, stopped: never, failed: never, cut: hung, barren: noMove},
		"suspended":         {stages: [3]report.Stage{report.NotDue, report.NotDue, report.NotDue}, suspended: true, stopped: asleep, failed: asleep, cut: asleep, barren: asleep},
		"not registered":    {stopped: untold, failed: noEnd, cut: noEnd, barren: noMove},
	} {
		t.Run(name, func(t *testing.T) {
			l := lookout{provider: "crontab", asleep: c.suspended}
			if c.provider != "" {
				l.provider = c.provider
			}
			if !c.unlimited {
				d := time.Hour
				l.role.Evidence.MaxRuntime = &d
			}
			if c.aFile {
				l.role.Evidence.Succeeded = file
			}
			for i, s := range c.stages {
				step := evidence.Step{Name: []string{"executed", "succeeded", "progressed"}[i], Stage: s}
				if !c.boundless && !c.suspended && s != report.Never {
					step.Alarm = time.Unix(1, 0)
				}
				if name != "not registered" {
					l.steps = append(l.steps, step)
				}
			}
			want := map[string]string{"scheduler stopped": c.stopped, "error while running": c.failed, "stopped midway": c.cut, "success without effect": c.barren,
				"made inactive": "inactive", "object deleted": "missing"}
			for _, tr := range traces() {
				if got := l.showsAs(tr); !strings.HasPrefix(got, want[tr.what]) {
					t.Errorf("%s: %q, want %q", tr.what, got, want[tr.what])
				}
			}
		})
	}
}
