package audit

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
)

// explanations bounds how many objects of a source are asked about.
const explanations = 20

// explain asks the providers that can tell why the runs of an object do not come,
// do not end or do not succeed, where that is a finding, and puts what they say
// beside it. What is learnt changes no judgement.
func (r *round) explain(ctx context.Context, j classify.Judgement) classify.Judgement {
	j.Findings = slices.Clone(j.Findings)
	asked := map[string]int{}
	said := map[string][]string{}
	var byID map[string]*providers.Object
	for i := range j.Findings {
		f := &j.Findings[i]
		e, ok := grown[providers.Explainer](r, f.Source)
		if !ok || !f.Kind.OfRuns() || f.Kind == report.Stalled || len(r.Roles) > 0 && !slices.Contains(r.Roles, f.Role) {
			continue
		}
		if byID == nil {
			byID = r.byID()
		}
		for _, id := range f.Objects {
			if o := objectOf(byID, id); o != nil && o.Source() == f.Source {
				if _, known := said[o.ID]; !known && asked[f.Source] < explanations && ctx.Err() == nil {
					asked[f.Source]++
					said[o.ID] = r.explained(ctx, e, *o)
				}
				f.Hints = withHints(f.Hints, said[o.ID], r.Mask)
			}
		}
	}
	for i := range r.world.Observations {
		r.world.Observations[i].Requests += asked[r.world.Observations[i].Source]
	}
	return j
}

func (r *round) byID() map[string]*providers.Object {
	out := map[string]*providers.Object{}
	for _, obs := range r.world.Observations {
		for i := range obs.Objects {
			out[obs.Objects[i].ID] = &obs.Objects[i]
		}
	}
	return out
}

// objectOf is an object by its id, or by that of one of its entries.
func objectOf(byID map[string]*providers.Object, id string) *providers.Object {
	if o, ok := byID[id]; ok {
		return o
	}
	whole, _, _ := strings.Cut(id, "#")
	return byID[whole]
}

// explained asks about one object, within the bound of a look. A provider that
// breaks down takes nothing with it.
func (r *round) explained(ctx context.Context, e providers.Explainer, o providers.Object) []string {
	late := []string{"the cause was looked for, and that did not come to an end in time"}
	return bounded(ctx, r.Timeout, late, func(ctx context.Context) (said []string) {
		defer func() {
			if p := recover(); p != nil {
				said = []string{fmt.Sprintf("rolecall broke down while looking for the cause: %v; please report this: %s", p, firstFrames(debug.Stack()))}
			}
		}()
		return e.Explain(ctx, o)
	})
}

// withHints adds what is not said yet.
func withHints(have, more []string, mask func(string) string) []string {
	out := slices.Clone(have)
	for _, h := range more {
		if h = mask(h); !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}
