package audit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// hearing is what witnesses said of the roles of some sources, each in its own
// slot.
type hearing struct {
	refs     []specs.Ref
	answers  []map[specs.Ref]providers.Evidence
	failures []string
}

// refsOf are the roles in some sources, in order.
func (r *round) refsOf(sources []Source) []specs.Ref {
	out := make([]specs.Ref, 0, len(r.desired))
	for ref := range r.desired {
		if slices.ContainsFunc(sources, func(s Source) bool { return s.Name == ref.Source }) {
			out = append(out, ref)
		}
	}
	arrange.By(out, func(a, b specs.Ref) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Source, b.Source))
	})
	return out
}

func (r *round) newHearing(sources []Source) *hearing {
	n := len(r.Witnesses)
	h := &hearing{answers: make([]map[specs.Ref]providers.Evidence, n), failures: make([]string, n)}
	if n > 0 {
		h.refs = r.refsOf(sources)
	}
	return h
}

// testify asks one witness within the bound of a look. One that does not answer,
// or breaks down, has said nothing, with the reason.
func (r *round) testify(ctx context.Context, h *hearing, i int) {
	if len(h.refs) == 0 {
		return
	}
	type answer struct {
		said map[specs.Ref]providers.Evidence
		why  string
	}
	late := answer{why: fmt.Sprintf("what was asked for it did not come to an end in %v; give it more time with --timeout", r.Timeout)}
	a := bounded(ctx, r.Timeout, late, func(ctx context.Context) answer {
		said, why := testified(ctx, r.Witnesses[i], slices.Clone(h.refs))
		return answer{said, why}
	})
	h.answers[i], h.failures[i] = a.said, a.why
}

// bounded does something within the bound of a look; 0 is none of its own.
func bounded[T any](ctx context.Context, timeout time.Duration, late T, do func(context.Context) T) T {
	whole := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	done := make(chan T, 1)
	go func() { done <- do(ctx) }()
	return await(ctx, whole, done, timeout, late)
}

// await takes what comes before the context ends, or a little after to bring home
// what there is; else what is said for being late.
func await[T any](ctx, whole context.Context, done <-chan T, timeout time.Duration, late T) T {
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
	}
	wait := grace
	if whole.Err() == nil {
		wait = min(timeout, 10*grace)
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case out := <-done:
		return out
	case <-t.C:
		return late
	}
}

func testified(ctx context.Context, w providers.Witness, refs []specs.Ref) (said map[specs.Ref]providers.Evidence, why string) {
	defer func() {
		if p := recover(); p != nil {
			said, why = nil, fmt.Sprintf("rolecall broke down while reading it: %v; please report this: %s", p, firstFrames(debug.Stack()))
		}
	}()
	return w.Testify(ctx, refs), ""
}

// hear takes what was said into the world, in the place of what was said before
// of the same roles.
func (r *round) hear(h *hearing) {
	if len(h.refs) == 0 {
		return
	}
	r.world.Testimony = maps.Clone(r.world.Testimony)
	if r.world.Testimony == nil {
		r.world.Testimony = map[specs.Ref]providers.Evidence{}
	}
	failed := strings.Join(slices.DeleteFunc(slices.Clone(h.failures), func(s string) bool { return s == "" }), "; ")
	terms := map[string]specs.EvidenceTerms{}
	if failed != "" {
		for i := range r.Ledger.Roles {
			terms[r.Ledger.Roles[i].Key] = r.Ledger.Roles[i].Evidence
		}
	}
	for _, ref := range h.refs {
		delete(r.world.Testimony, ref)
		e, said := together(h.answers, ref)
		if failed != "" {
			said = unanswered(&e, terms[ref.Role], failed) || said
		}
		if said {
			r.world.Testimony[ref] = e
		}
	}
}

// together is what several witnesses say of one role: of each stage the first
// that knows of it.
func together(answers []map[specs.Ref]providers.Evidence, ref specs.Ref) (out providers.Evidence, said bool) {
	for _, a := range answers {
		e, ok := a[ref]
		if !ok {
			continue
		}
		said = true
		from := e.Stages()
		for i, into := range out.Stages() {
			if into.State == providers.Untracked {
				*into = *from[i]
			}
		}
		if e.Since.After(out.Since) {
			out.Since = e.Since
		}
		out.Beside(e)
	}
	return out, said
}

// unanswered makes the stages unreadable for which the ledger names a place that
// nothing was heard of, since some witness failed.
func unanswered(e *providers.Evidence, terms specs.EvidenceTerms, why string) (some bool) {
	traces := e.Stages()
	for i, named := range terms.Stages() {
		if named.Place() != "" && traces[i].State == providers.Untracked {
			*traces[i] = providers.Trace{State: providers.Unreadable, Reason: why}
			some = true
		}
	}
	return some
}
