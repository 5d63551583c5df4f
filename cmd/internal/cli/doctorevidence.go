package cli

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// recordNeeds checks the run records of a live crontab source: nothing is said
// where there are none and none are named.
func (d *checkup) recordNeeds(w *wiring, src Source, base check) {
	folders, err := w.recordsOf(src.Name, *src.Crontab, true)
	found := false
	for _, f := range folders {
		one := base
		one.What, one.State, one.Detail = "run records", stateOK, f.dir
		roles, err := f.roles()
		switch {
		case err != nil:
			one.State, one.Detail = stateFailed, err.Error()
			d.fail(exitIncomplete)
		case roles == nil:
			continue
		default:
			one.Detail += ": " + plural(len(roles), "role")
		}
		found = true
		d.add(one)
	}
	if err != nil {
		base.What, base.State, base.Detail = "run records", stateFailed, err.Error()
		d.add(base)
		d.fail(exitIncomplete)
	}
	if found && src.Crontab.Zone == "" {
		base.What, base.State = "zone", stateMissing
		base.Detail = "the cron daemon's zone is not stated, so it is not known when exactly a job is due, and one that stopped is noticed later"
		base.Next = "state zone: in the config" + hereZone()
		d.add(base)
	}
}

// hereZone is what this host's clock is set to; a daemon can have been started
// with another.
func hereZone() string {
	to, err := os.Readlink("/etc/localtime")
	if _, name, ok := strings.Cut(to, "zoneinfo/"); err == nil && ok {
		if zone, err := specs.CanonicalZone(name); err == nil {
			return "; this host's is " + zone
		}
	}
	return ""
}

// prometheusNeeds checks the server that is asked where the ledger names a query.
func (d *checkup) prometheusNeeds(ctx context.Context, c loaded) {
	w := &wiring{app: d.app, config: c.Config, flags: d.flags}
	needed := d.queries(c)
	p, err := w.prometheus(nil)
	one := check{What: "prometheus", State: stateOK}
	switch {
	case err != nil:
		one.State, one.Detail = stateFailed, err.Error()
		d.fail(exitUsage)
	case p == nil && needed == 0:
		return
	case p == nil:
		one.State, one.Detail = stateMissing, "the ledger names a query for "+plural(needed, "role")+", and no server is known to ask"
		one.Next = "add prometheus: {url: URL} to the config, or give --prometheus URL"
		d.fail(exitIncomplete)
	case d.flags.offline:
		one.State, one.Detail = stateSkipped, w.prometheusURL()+" is not asked with --offline"
	default:
		one.Detail = w.prometheusURL() + w.provedBy()
		if err := p.Check(ctx); err != nil {
			one.State, one.Detail = stateFailed, w.prometheusURL()+": "+err.Error()
			d.fail(exitIncomplete)
		}
	}
	d.add(one)
}

// provedBy names the variable by which the server knows who asks.
func (w *wiring) provedBy() string {
	for _, name := range []string{"ROLECALL_PROMETHEUS_TOKEN", "ROLECALL_PROMETHEUS_USER"} {
		if w.getenv(name) != "" {
			return ", with " + name
		}
	}
	return ""
}

// queries counts the roles with one.
func (d *checkup) queries(c loaded) int {
	l, _, err := LoadLedger(c.Settings.Ledger)
	if err != nil {
		return 0
	}
	return len(slices.DeleteFunc(slices.Clone(l.Roles), func(r specs.Role) bool {
		return r.Evidence.Executed.Query+r.Evidence.Succeeded.Query+r.Evidence.Progressed.Query == ""
	}))
}
