// Package audit runs the round: look at all sources, judge, look again only at
// what is doubted, judge again, and settle. It owns concurrency and timeouts;
// what is looked at and how it is judged is not its business.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Source is one source in scope.
type Source struct {
	Name     string
	Kind     string // crontab, github or kubernetes
	Provider providers.Provider
	Rule     classify.Rule
}

// Skipped is a source that has no side for this mode, or was not chosen.
type Skipped struct {
	Name   string
	Kind   string
	Reason string
	Chosen bool // flags left it out, and it could have been looked at
}

// Plan is one audit.
type Plan struct {
	Ledger  ledger.Ledger
	Sources []Source
	Skipped []Skipped
	// Witnesses are asked at each look about the roles of the sources looked at.
	Witnesses []providers.Witness
	// Roles are the keys to report on; empty means all.
	Roles []string
	Now   time.Time
	Gate  report.Gate
	// Settle is the wait before a live source with findings is looked at again;
	// 0 means that the first look holds.
	Settle time.Duration
	// Timeout bounds one look at one source; 0 means no bound of its own.
	Timeout time.Duration
	// Parallel bounds how many sources are looked at at once; 0 means 8.
	Parallel int
	// Mask hides secrets in a text that will be shown.
	Mask func(string) string
	// Mark gives a body in which texts that are secrets by their place are marked
	// as such, both of what is wanted and of what is seen. It may be nil.
	Mark func(specs.Packed) specs.Packed
	// Progress is told what is going on, one call at a time. It may be nil.
	Progress func(Event)
}

// Event is a step of the round.
type Event struct {
	Source  string
	Look    int // 1 for the first
	Done    bool
	Objects int
	Gaps    int
}

// ErrInterrupted says that the context ended before the round did. What had
// been read is in the message.
var ErrInterrupted = errors.New("interrupted")

// Desire translates every role in the terms of each of its sources in scope.
// The error joins all that cannot be translated, one a line.
func Desire(l ledger.Ledger, sources []Source) (map[specs.Ref]specs.Desired, error) {
	out := make(map[specs.Ref]specs.Desired, len(l.Roles))
	var errs []error
	in := locator{found: map[specs.Pos]bool{}, wrong: map[specs.Pos]error{}}
	for _, s := range sources {
		t, ok := s.Provider.(providers.Translator)
		shared := in.rules(ofSource(l, s.Name), s, "the ledger")
		for i := range l.Roles {
			role := &l.Roles[i]
			if !slices.Contains(role.Sources, s.Name) {
				continue
			}
			if !ok {
				errs = append(errs, fmt.Errorf("%s: role %s: source %s cannot translate a spec; pin its hash instead", role.Pos, role.Key, s.Name))
				continue
			}
			d, err := t.Translate(role.Statement)
			if err != nil {
				errs = append(errs, fmt.Errorf("role %s: %w", role.Key, err))
				continue
			}
			d.Ref = specs.Ref{Role: role.Key, Source: s.Name}
			d.Ignore = append(in.rules(role.Ignore, s, "role "+role.Key), shared...)
			out[d.Ref] = d
		}
	}
	return out, errors.Join(append(errs, in.errors()...)...)
}

// Run carries out the plan. Its error is one of the ledger's, or
// ErrInterrupted; what could not be seen is in the report. The World is what the
// last looks saw.
func Run(ctx context.Context, p Plan) (report.Report, providers.World, error) {
	desired, err := p.desire()
	if err != nil {
		return report.Report{}, providers.World{}, err
	}
	r := &round{Plan: p, desired: desired}
	j, err := r.settle(ctx)
	if err != nil {
		return report.Report{}, r.world, err
	}
	return r.report(j), r.world, nil
}

// desire is Desire of the plan, with what is secret by its place marked.
func (p Plan) desire() (map[specs.Ref]specs.Desired, error) {
	desired, err := Desire(p.Ledger, p.Sources)
	for ref, d := range desired {
		d.Spec = p.marked(d.Spec)
		desired[ref] = d
	}
	return desired, err
}

// Look observes the plan's sources once, without judging.
func Look(ctx context.Context, p Plan) (providers.World, error) {
	r := &round{Plan: p}
	err := r.look(ctx, 1, r.Sources)
	return r.world, err
}

type round struct {
	Plan
	desired map[specs.Ref]specs.Desired
	world   providers.World
	parts   map[string][]string // what to look at of each source; nil for all
	mu      sync.Mutex          // guards Progress
}

// maxLooks bounds how often a source whose findings keep changing is looked at.
const maxLooks = 3

// settle looks until two looks in a row agree about the findings, or the looks
// are used up. What only one of the last two saw is kept as a note.
func (r *round) settle(ctx context.Context) (classify.Judgement, error) {
	if err := r.look(ctx, 1, r.Sources); err != nil {
		return classify.Judgement{}, err
	}
	looks := []classify.Judgement{r.judge()}
	for n := 2; n <= maxLooks; n++ {
		doubted := r.doubted(looks)
		if r.Settle <= 0 || len(doubted) == 0 {
			break
		}
		if err := r.wait(ctx); err != nil {
			return classify.Judgement{}, err
		}
		if err := r.look(ctx, n, doubted); err != nil {
			return classify.Judgement{}, err
		}
		looks = append(looks, r.judge())
	}
	if r.attribute(ctx, looks[len(looks)-1]) {
		looks[len(looks)-1] = r.judge()
	}
	return r.explain(ctx, r.unconfirmed(classify.Agree(looks...))), nil
}

// doubted are the live sources to look at again: after the first look those
// with findings or gaps, after a later one those about which the last two
// looks did not agree.
func (r *round) doubted(looks []classify.Judgement) []Source {
	now := looks[len(looks)-1]
	names := map[string]bool{}
	if len(looks) == 1 {
		for _, f := range now.Findings {
			if f.Kind != report.Unreviewed {
				mark(names, f)
			}
		}
		for _, c := range now.Coverage {
			names[c.Source] = names[c.Source] || c.Gap()
		}
		for _, n := range now.Notes {
			names[n.Source] = names[n.Source] || n.Code == "suspicious-empty"
		}
	} else {
		for _, f := range classify.Only(now, looks[len(looks)-2]) {
			mark(names, f)
		}
	}
	var out []Source
	for _, s := range r.Sources {
		if names[s.Name] && s.Rule.Live {
			out = append(out, s)
		}
	}
	return out
}

// mark names the sources that a finding is about: its own and those of its
// objects.
func mark(names map[string]bool, f report.Finding) {
	names[f.Source] = true
	for _, id := range f.Objects {
		_, path, _ := strings.Cut(id, ":")
		source, _, _ := strings.Cut(path, "/")
		names[source] = true
	}
}

func (r *round) wait(ctx context.Context) error {
	t := time.NewTimer(r.Settle)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return r.interrupted()
	case <-t.C:
		return nil
	}
}

// look observes sources side by side, each into its own slot.
func (r *round) look(ctx context.Context, n int, sources []Source) error {
	slots := make([]providers.Observation, len(sources))
	bound := make(chan struct{}, cmp.Or(r.Parallel, 8))
	var wg sync.WaitGroup
	for i, s := range sources {
		wg.Add(1)
		go func() {
			defer wg.Done()
			bound <- struct{}{}
			defer func() { <-bound }()
			r.tell(Event{Source: s.Name, Look: n})
			slots[i] = r.observe(ctx, s)
			r.tell(Event{Source: s.Name, Look: n, Done: true, Objects: len(slots[i].Objects), Gaps: len(slots[i].Gaps())})
		}()
	}
	h := r.newHearing(sources)
	for i := range r.Witnesses {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r.testify(ctx, h, i)
		}()
	}
	if !finished(ctx, &wg) {
		return r.interrupted()
	}
	r.hear(h)
	for _, o := range slots {
		o.Objects = r.allMarked(o.Objects)
		r.keep(o)
	}
	if ctx.Err() != nil {
		return r.interrupted()
	}
	return nil
}

// grace is how long a look may take to end after the context has.
const grace = 700 * time.Millisecond

// finished waits for the look to end, and says no where the context ended and
// some source does not come back; what that one writes is no longer read.
func finished(ctx context.Context, wg *sync.WaitGroup) bool {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// observe looks at one source within its bound. One that does not come back when
// that is over, as a read of a pipe that nobody writes to, was not read.
func (r *round) observe(ctx context.Context, s Source) (o providers.Observation) {
	defer func() {
		o.Source, o.Provider = s.Name, s.Kind
		o.Sort()
	}()
	late := providers.Observation{Areas: []providers.Area{{Part: "source", State: providers.Failed, Reason: fmt.Sprintf("it did not come to an end in %v; look for what it waits for, or give it more time with --timeout", r.Timeout)}}}
	return bounded(ctx, r.Timeout, late, func(ctx context.Context) providers.Observation {
		return observed(ctx, s, providers.Selection{Parts: r.parts[s.Name]})
	})
}

// observed asks the provider. One that breaks down is a source that was not read,
// not the end of the audit.
func observed(ctx context.Context, s Source, sel providers.Selection) (o providers.Observation) {
	defer func() {
		if p := recover(); p != nil {
			o.Areas = append(o.Areas, providers.Area{Part: "source", State: providers.Failed, Reason: fmt.Sprintf("rolecall broke down while reading it: %v; please report this: %s", p, firstFrames(debug.Stack()))})
		}
	}()
	return s.Provider.Observe(ctx, sel)
}

// firstFrames keeps of a stack what leads to the fault.
func firstFrames(stack []byte) string {
	var out []string
	for _, line := range strings.Split(string(stack), "\n") {
		if name, _, ok := strings.Cut(line, "("); ok && strings.Contains(name, "rolecall/") && !strings.HasPrefix(line, "\t") {
			out = append(out, name)
		}
	}
	return strings.Join(out[:min(len(out), 4)], " < ")
}

// allMarked are the objects with what is secret by its place marked; those of the
// provider stay as they were.
func (p Plan) allMarked(objects []providers.Object) []providers.Object {
	out, own := objects, false
	for i := range objects {
		spec := p.marked(objects[i].Spec)
		if spec.Body == objects[i].Spec.Body && spec.Cosmetic == objects[i].Spec.Cosmetic {
			continue
		}
		if !own {
			out, own = slices.Clone(objects), true
		}
		out[i].Spec = spec
	}
	return out
}

func (p Plan) marked(s specs.Spec) specs.Spec {
	if p.Mark != nil {
		s.Body, s.Cosmetic = p.Mark(s.Body), p.Mark(s.Cosmetic)
	}
	return s
}

func (r *round) keep(o providers.Observation) {
	i := slices.IndexFunc(r.world.Observations, func(old providers.Observation) bool { return old.Source == o.Source })
	if i < 0 {
		r.world.Observations = append(r.world.Observations, o)
		return
	}
	o.Requests += r.world.Observations[i].Requests
	r.world.Observations[i] = o
}

func (r *round) tell(e Event) {
	if r.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Progress(e)
}

func (r *round) judge() classify.Judgement {
	rules := map[string]classify.Rule{}
	for _, s := range r.Sources {
		rules[s.Name] = s.Rule
	}
	return classify.Judge(classify.Input{
		Ledger: r.Ledger, Desired: r.desired, World: r.world, Rules: rules, Now: r.Now, Mask: r.Mask,
	})
}

func (r *round) interrupted() error {
	var read []string
	for _, o := range r.world.Observations {
		read = append(read, fmt.Sprintf("%s: %d objects, %d gaps", o.Source, len(o.Objects), len(o.Gaps())))
	}
	if len(read) == 0 {
		return fmt.Errorf("%w before anything was read; no report was written", ErrInterrupted)
	}
	return fmt.Errorf("%w; read until then: %s; no report was written", ErrInterrupted, strings.Join(read, "; "))
}
