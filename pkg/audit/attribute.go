package audit

import (
	"context"
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

// attributions bounds how many objects of a source are asked about.
const attributions = 20

// attribute asks the providers that can tell who changed an object last, where
// that is part of a finding, and says whether anything was learnt.
func (r *round) attribute(ctx context.Context, j classify.Judgement) bool {
	about := map[string]bool{}
	for _, f := range j.Findings {
		if f.Kind == report.Drift || f.Kind == report.Inactive || f.Kind == report.Unexpected {
			for _, id := range f.Objects {
				about[id] = true
			}
		}
	}
	learnt := false
	for i := range r.world.Observations {
		o := &r.world.Observations[i]
		if a, ok := grown[providers.Attributor](r, o.Source); ok && len(about) > 0 {
			o.Objects = slices.Clone(o.Objects) // the provider's own stay as they are
			learnt = r.attributeSource(ctx, a, o, about) || learnt
		}
	}
	return learnt
}

// grown is a live source's provider as what it may have grown into.
func grown[T any](r *round, source string) (as T, ok bool) {
	for _, s := range r.Sources {
		if s.Name == source {
			as, ok = s.Provider.(T)
			return as, ok && s.Rule.Live
		}
	}
	return as, false
}

func (r *round) attributeSource(ctx context.Context, a providers.Attributor, o *providers.Observation, about map[string]bool) bool {
	asked, learnt := 0, false
	for i := range o.Objects {
		obj := &o.Objects[i]
		if !about[obj.ID] || len(obj.Changes()) > 0 || asked == attributions || ctx.Err() != nil {
			continue
		}
		asked++
		obj.Extra().Changes = a.Attribute(ctx, *obj)
		learnt = learnt || len(obj.Changes()) > 0
	}
	o.Requests += asked
	return learnt
}
