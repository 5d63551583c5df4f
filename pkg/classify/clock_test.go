package classify

import (
	"slices"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func TestEqualButForClockChanges(t *testing.T) {
	for _, c := range []struct {
		zone, want, have string
		drift            bool
		notes            int
	}{
		{specs.Local, "4 * * * *", "4 0-23 * * *", false, 1},
		{specs.Local, "4 * * * *", "4 * * * *", false, 0},
		{specs.Local, "4 12 * * *", "4 12-12 * * *", false, 0},
		{"Europe/Lisbon", "4 * * * *", "4 0-23 * * *", true, 0},
		{"Asia/Tokyo", "4 * * * *", "4 0-23 * * *", false, 0},
		{"UTC", "4 * * * *", "4 0-23 * * *", false, 0},
	} {
		parse := func(text string) specs.Spec {
			s, err := specs.ParseSchedule(specs.Debian, text, c.zone)
			if err != nil {
				t.Fatal(err)
			}
			return specs.Spec{Schedules: []specs.Schedule{s}}
		}
		ref := specs.Ref{Role: "chime", Source: "tower"}
		j := Judge(Input{
			Ledger:  ledger.Ledger{Roles: []specs.Role{{Key: "chime", Sources: []string{"tower"}}}},
			Desired: map[specs.Ref]specs.Desired{ref: {Spec: parse(c.want)}},
			Rules:   map[string]Rule{"tower": {}},
			World: providers.World{Observations: []providers.Observation{{
				Source: "tower", Areas: []providers.Area{{Part: "stdin", State: providers.Read}},
				Objects: []providers.Object{{ID: "crontab:tower/a#chime", Origin: &providers.Origin{Source: "tower", Part: "stdin"}, Marked: &providers.Marker{Role: "chime"}, Spec: parse(c.have)}},
			}}},
			Mask: func(s string) string { return s },
		})
		drift := slices.ContainsFunc(j.Findings, func(f report.Finding) bool {
			return f.Kind == report.Drift && f.Fields[0].Path == "schedule" && slices.Contains(f.Hints, sameButClock)
		})
		if drift != c.drift || len(j.Findings) > 0 != c.drift || len(j.Notes) != c.notes {
			t.Errorf("%s: %q and %q: drift %v, findings %v, notes %v", c.zone, c.want, c.have, drift, j.Findings, j.Notes)
		}
	}
}
