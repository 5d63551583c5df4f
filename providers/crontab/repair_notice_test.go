//go:build linux && amd64

package crontab

import (
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// A daemon that runs reads the table that a repair has added to at its next
// minute, also where the table was changed before in the same second.
func TestRealDaemonNoticesARepair(t *testing.T) {
	eachDaemon(t, func(t *testing.T, d daemon) {
		im := newImage(t)
		// It is written right before, in the same second nearly always.
		im.put(probe{user: "probe", text: "* * * * * JOB(kept)\n", mode: 0o600, uid: 4242}, d.spool)
		p := writer(t, NewHost(im.root, nil), Config{Live: true, Users: []string{"probe"}, Root: im.root, Dialect: d.dialect})
		at := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
		minute, ran := 0, []map[string]bool{}
		im.onStage(d.file, "exec env TZ=UTC "+d.start, at.Add(-time.Hour).Unix(), func() (int64, bool) {
			ran = append(ran, im.ran())
			if minute++; minute > 3 {
				return 0, false
			}
			if minute == 2 {
				if _, err := repair(t, p, retry("* * * * * "+im.job("new")+"\n", nil)); err != nil {
					t.Error(err)
				}
			}
			return at.Add(time.Duration(minute)*time.Minute + time.Second).Unix(), true
		})
		if len(ran) < 4 || !ran[1]["kept"] || ran[1]["new"] || !ran[2]["new"] {
			t.Errorf("by minutes: %v", ran)
		}
	}, specs.Debian)
}
