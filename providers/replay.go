package providers

import (
	"context"
	"slices"
)

// Replay is a provider that saw once what is given, and says it again.
func Replay(o Observation) Provider { return replayed{o} }

type replayed struct{ seen Observation }

// Observe gives the parts that are selected. Notes are the source's and always
// given.
func (r replayed) Observe(ctx context.Context, sel Selection) Observation {
	o := r.seen
	o.Notes = slices.Clone(o.Notes)
	o.Areas = slices.DeleteFunc(slices.Clone(o.Areas), func(a Area) bool { return !sel.Wants(a.Part) })
	if err := ctx.Err(); err != nil {
		o.Objects = nil
		for i := range o.Areas {
			o.Areas[i].State, o.Areas[i].Reason = Failed, "the look was broken off: "+err.Error()
		}
		return o
	}
	o.Objects = slices.DeleteFunc(slices.Clone(o.Objects), func(obj Object) bool { return !sel.Wants(obj.Part()) })
	return o
}
