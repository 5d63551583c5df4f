package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/providers/crontab"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

const (
	missedShown = 20
	missedAt    = 10000           // due instants of a role that are looked at
	startSlack  = 2 * time.Minute // a run that was due just now may yet come
)

// neverRecorded are the roles of a ledger that are to run under rolecall run and
// of which nothing is recorded.
func neverRecorded(l ledger.Ledger, s *runs.Store, have runs.Listing) []runs.RoleInfo {
	var keys []string
	for _, r := range l.Roles {
		if !r.Run.IsZero() && !slices.ContainsFunc(have.Roles, func(x runs.RoleInfo) bool { return x.Role == r.Key }) {
			keys = append(keys, r.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return s.List(keys, 0).Roles
}

// addMissed says of each role of a ledger which due instants no run accounts for.
// The schedule is read as that of an entry in this host's crontab.
func (a *app) addMissed(l ledger.Ledger, s *runs.Store, roles []runs.RoleInfo, window time.Duration) {
	for i := range roles {
		at := slices.IndexFunc(l.Roles, func(r specs.Role) bool { return r.Key == roles[i].Role })
		if at < 0 {
			continue
		}
		missed, err := a.missed(l.Roles[at], s, window)
		if err != nil {
			roles[i].Problems = append(roles[i].Problems, "what was missed: "+err.Error())
		}
		roles[i].Missed = missed
	}
}

func (a *app) missed(role specs.Role, s *runs.Store, window time.Duration) (*runs.MissedInfo, error) {
	now := a.now()
	list, from, err := s.Since(role.Key, now.Add(-window))
	if err != nil {
		return nil, err
	}
	if from == nil {
		ids, strange, err := s.IDs(role.Key)
		if err != nil || len(ids) > 0 || len(strange) > 0 {
			return nil, err
		}
		begun := now.Add(-window) // of which nothing at all is recorded
		from = &begun
	}
	lines, err := timetableOf(role.Statement)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	due, whole := dueBetween(lines, *from, now.Add(-startSlack))
	if !whole {
		return nil, fmt.Errorf("more than %d instants were due since %s; look at fewer: --since", missedAt, stamp(*from))
	}
	gone := runs.Missed(due, list)
	slices.Reverse(gone)
	return &runs.MissedInfo{Since: from.UTC(), Count: len(gone), Newest: append([]time.Time{}, gone[:min(len(gone), missedShown)]...)}, nil
}

// timetableOf are the due instants of a role's schedules, none for what is due at no
// set times.
func timetableOf(st specs.Statement) ([]specs.Line, error) {
	p, err := crontab.New(crontab.NewHost("/", nil), crontab.Config{Source: "here", Files: []crontab.File{{Path: "-"}}})
	if err != nil {
		return nil, err
	}
	d, err := p.Translate(st)
	if err != nil {
		return nil, err
	}
	var out []specs.Line
	for _, sched := range d.Spec.Schedules {
		line, ok := sched.Line(time.Local)
		if !ok {
			return nil, nil
		}
		out = append(out, line)
	}
	return out, nil
}

// dueBetween are the instants after one and up to another, sorted; whole is false
// where they are too many.
func dueBetween(lines []specs.Line, after, until time.Time) (due []time.Time, whole bool) {
	for _, line := range lines {
		at, ok := line.Next(after)
		for ; ok && !at.After(until); at, ok = line.Next(at) {
			if due = append(due, at); len(due) > missedAt {
				return nil, false
			}
		}
	}
	arrange.By(due, time.Time.Compare)
	return slices.CompactFunc(due, time.Time.Equal), true
}
