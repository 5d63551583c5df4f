package audit

import (
	"context"
	"maps"
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

// Again looks once more at some parts of some sources, puts what it sees in the
// place of what an earlier look saw there, and judges the whole anew: the same
// look and judge as Run's, over less. A source of which the earlier look has no
// part of such a name, or for which no part is named, is looked at whole. Other
// sources are as they were; where parts is empty nothing is looked at.
func Again(ctx context.Context, p Plan, before providers.World, parts map[string][]string) (report.Report, providers.World, error) {
	desired, err := p.desire()
	if err != nil {
		return report.Report{}, before, err
	}
	r := &round{Plan: p, desired: desired, parts: narrow(before, parts), world: providers.World{Testimony: before.Testimony}}
	var sources []Source
	for _, s := range p.Sources {
		if _, named := parts[s.Name]; named {
			sources = append(sources, s)
		}
	}
	if err := r.look(ctx, 1, sources); err != nil {
		return report.Report{}, before, err
	}
	r.world = merge(before, r.world, r.parts)
	return r.report(r.explain(ctx, r.unconfirmed(r.judge()))), r.world, nil
}

// narrow keeps the parts of sources that an earlier look has all of.
func narrow(before providers.World, parts map[string][]string) map[string][]string {
	out := map[string][]string{}
	for source, names := range parts {
		o, ok := before.Source(source)
		has := func(part string) bool {
			return slices.ContainsFunc(o.Areas, func(a providers.Area) bool { return a.Part == part })
		}
		if ok && !slices.ContainsFunc(names, func(n string) bool { return !has(n) }) {
			out[source] = names
		}
	}
	return out
}

// merge puts what a narrower look saw in its place. Nothing that it was asked for
// stays as the earlier look saw it: what it does not say of a part is a gap.
func merge(before, now providers.World, parts map[string][]string) providers.World {
	out := before
	out.Observations = slices.Clone(before.Observations)
	for _, o := range now.Observations {
		i := slices.IndexFunc(out.Observations, func(old providers.Observation) bool { return old.Source == o.Source })
		switch {
		case i < 0:
			out.Observations = append(out.Observations, o)
		case len(parts[o.Source]) == 0:
			o.Requests += out.Observations[i].Requests
			out.Observations[i] = o
		default:
			out.Observations[i] = mergeParts(out.Observations[i], o, parts[o.Source])
		}
	}
	out.Testimony = now.Testimony
	return out
}

func mergeParts(old, now providers.Observation, parts []string) providers.Observation {
	asked := func(part string) bool { return slices.Contains(parts, part) }
	out := old
	out.Objects = slices.DeleteFunc(slices.Clone(old.Objects), func(o providers.Object) bool { return asked(o.Part()) })
	out.Areas = slices.DeleteFunc(slices.Clone(old.Areas), func(a providers.Area) bool { return asked(a.Part) })
	for _, o := range now.Objects {
		if asked(o.Part()) {
			out.Objects = append(out.Objects, o)
		}
	}
	for _, a := range now.Areas {
		if asked(a.Part) || a.Gap() {
			out.Areas = append(out.Areas, a)
		}
	}
	for _, part := range parts {
		if !slices.ContainsFunc(now.Areas, func(a providers.Area) bool { return a.Part == part }) {
			out.Areas = append(out.Areas, providers.Area{Part: part, State: providers.Failed, Reason: "it was looked at again and nothing was said of it; run it again"})
		}
	}
	if now.Runs != nil {
		out.Runs = now.Runs
	}
	if now.Accounts != nil { // of the accounts that were met again
		out.Accounts = maps.Clone(old.Accounts)
		if out.Accounts == nil {
			out.Accounts = map[string]map[string]providers.Evidence{}
		}
		maps.Copy(out.Accounts, now.Accounts)
	}
	out.Notes = append(slices.Clone(old.Notes), now.Notes...)
	out.Requests += now.Requests
	out.Sort()
	return out
}

// unconfirmed takes it off the findings of live sources that two looks agree about
// them, where a second look was not wanted. What a ledger alone says needs none.
func (r *round) unconfirmed(j classify.Judgement) classify.Judgement {
	if r.Settle > 0 {
		return j
	}
	isLive := map[string]bool{}
	for _, s := range r.Sources {
		isLive[s.Name] = s.Rule.Live
	}
	j.Findings = slices.Clone(j.Findings)
	for i := range j.Findings {
		if f := &j.Findings[i]; isLive[f.Source] && f.Kind != report.Unreviewed {
			f.Confirmed = false
		}
	}
	return j
}
