package dialecttest

import (
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// FuzzAsRobfig and FuzzAsSupercronic: the same verdict on any text, and the same
// instants.
func FuzzAsRobfig(f *testing.F) {
	for _, text := range measured(f, specs.Kubernetes) {
		f.Add(text, int64(1800000000))
	}
	f.Fuzz(func(t *testing.T, text string, at int64) {
		theirs, err := robfig(text)
		compareAny(t, specs.Kubernetes, text, at, theirs, err, runRobfig)
	})
}

func FuzzAsSupercronic(f *testing.F) {
	for _, text := range measured(f, specs.Supercronic) {
		f.Add(text, int64(1800000000))
	}
	f.Fuzz(func(t *testing.T, text string, at int64) {
		theirs, err := supercronic(text)
		compareAny(t, specs.Supercronic, text, at, theirs, err, runSupercronic)
	})
}

func compareAny(t *testing.T, d specs.Dialect, text string, at int64, theirs schedule, err error, next run) {
	ours, err2 := specs.ParseSchedule(d, text, "UTC")
	if (err == nil) != (err2 == nil) {
		t.Fatalf("%q: %v; the program: %v", text, err2, err)
	}
	if err != nil || ours.Zone == specs.Local { // TZ=Local: whose clock is meant is another matter
		return
	}
	loc, bad := time.LoadLocation(ours.Zone)
	if bad != nil || ours.Zone != "UTC" && d == specs.Kubernetes {
		return // asked from any instant, robfig/cron need not name the runs; see start
	}
	from := time.Unix((at%1e9+1e9)%1e9+1.2e9, 0).In(loc)
	if differs := follow(ours, theirs, next, from, from.AddDate(100, 0, 0), 3); differs != "" {
		t.Errorf("%q: %s", text, differs)
	}
}
