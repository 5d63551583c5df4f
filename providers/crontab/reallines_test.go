//go:build linux && amd64

package crontab

import (
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// The daemons are the judges of what loads: those jobs of the probes run that
// the table names and that we call active, and no others.
func TestRealDaemonsLoadWhatWeSay(t *testing.T) {
	_, rows := loadRules(t)
	eachDaemon(t, func(t *testing.T, d daemon) {
		im := newImage(t)
		if d.dialect == specs.Cronie {
			im.must(os.Remove(im.root + "/var/spool/cron/crontabs"))
		}
		cfg := Config{Live: true, System: true, Root: im.root, Dialect: d.dialect, Users: probeUsers()}
		for _, p := range probes() {
			im.put(p, d.spool)
		}
		o := observe(t, NewHost(im.root, nil), cfg)
		im.perform(d, "UTC", []time.Time{sunday})
		ran := im.ran()
		same(t, "the daemon and we", ran, activeJobs(o, ": > "+im.out+"/"))
		column := map[specs.Dialect]string{specs.Debian: debianColumn(t, im), specs.Cronie: "cronie 1.7.2"}[d.dialect]
		for job, r := range rows {
			if want, measured := r[column]; measured && ran[job] != want {
				t.Errorf("%s ran: %v, the table says %v", job, ran[job], want)
			}
		}
		for _, job := range slices.Sorted(maps.Keys(ran)) {
			if _, known := rows[job]; !known {
				t.Errorf("%s ran and has no row", job)
			}
		}
		if gaps := o.Gaps(); len(gaps) > 0 {
			t.Errorf("gaps: %+v", gaps)
		}
	}, specs.Debian, specs.Cronie)
}

// debianColumn is the column of the version that is installed; none if it is
// neither that nor one that reads files as it does.
func debianColumn(t *testing.T, im *image) string {
	l := &look{Provider: &Provider{host: NewHost(im.root, nil)}}
	bare, known := l.takesBare()
	switch {
	case !known:
		t.Log("the version of cron is none that was measured")
		return ""
	case bare:
		return "debian 3.0pl1-197"
	}
	return "debian 3.0pl1-162"
}
