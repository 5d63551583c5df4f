package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// shelf is a scheduler in memory: a name holds at most one object.
type shelf struct {
	mu      sync.Mutex
	objects map[string]providers.Object
	hidden  map[string]int // for how many looks more an object is not seen
	area    providers.Area
	delay   int // looks until what is created is seen
	fault   func(s *shelf, name string, put func()) error
	before  string // what a proposal goes by
	writes  int
	looks   int
	onLook  func(s *shelf, n int)
}

func newShelf(roles ...string) *shelf {
	s := &shelf{objects: map[string]providers.Object{}, hidden: map[string]int{}, area: providers.Area{Part: "shelf", State: providers.Read}, before: "b0"}
	s.put("other", "", "")
	for _, r := range roles {
		s.put(r, r, "7")
	}
	return s
}

func (s *shelf) put(name, role, version string) {
	s.objects[name] = providers.Object{
		ID: "kubernetes:prod/batch/" + name, Origin: &providers.Origin{Source: "prod", Provider: "kubernetes", Part: "shelf"}, More: &providers.More{UID: "uid-" + name},
		Attrs:  providers.AttrsOf(map[string]string{"name": name, "namespace": "batch"}),
		Marked: &providers.Marker{Role: role, Version: version}, Spec: specs.Spec{Schedules: []specs.Schedule{specs.Never()}},
	}
}

func (s *shelf) Observe(context.Context, providers.Selection) providers.Observation {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	if s.onLook != nil {
		s.onLook(s, s.looks)
	}
	o := providers.Observation{Areas: []providers.Area{s.area}}
	for name, x := range s.objects {
		if s.hidden[name] > 0 {
			s.hidden[name]--
			continue
		}
		o.Objects = append(o.Objects, x)
	}
	return o
}

func (s *shelf) Translate(specs.Statement) (specs.Desired, error) {
	return specs.Desired{Stated: []string{}, Spec: specs.Spec{Schedules: []specs.Schedule{specs.Never()}}, Never: true}, nil
}

func (s *shelf) Propose(_ context.Context, role specs.Role, _ specs.Desired) (providers.Proposal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(role.Statement.Template.Data)
	if text == "bad" {
		return providers.Proposal{}, errors.New("a template that nobody takes; correct it")
	}
	p := providers.Proposal{Ref: specs.Ref{Role: role.Key, Source: "prod"}, Part: "shelf", Place: "kubernetes:prod/batch/" + role.Key, Text: []byte(text), Before: s.before, After: text}
	if text == "manual" {
		p.Manual = []string{"do it"}
	}
	return p, nil
}

func (s *shelf) Create(_ context.Context, p providers.Proposal) (providers.Created, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := p.Place[strings.LastIndexByte(p.Place, '/')+1:]
	made := providers.Created{ID: p.Place, UID: "uid-" + name}
	if p.Before != s.before {
		return providers.Created{}, providers.ErrMoved
	}
	if _, ok := s.objects[name]; ok {
		made.Existed = true
		return made, nil
	}
	put := func() {
		s.writes++
		s.before = fmt.Sprintf("b%d", s.writes)
		s.put(name, name, string(p.Text))
		s.hidden[name] = s.delay
	}
	if s.fault != nil {
		return providers.Created{}, s.fault(s, name, put)
	}
	put()
	return made, nil
}

// roleOf is a role that may be created, at version 7.
func roleOf(key string) specs.Role {
	return specs.Role{
		Key: key, Pos: specs.Pos{File: "ledger.yaml", Line: 3}, Owner: "ops", Sources: []string{"prod"}, Version: "7",
		Statement: specs.Statement{Template: &specs.Document{Name: "roles/" + key + ".yaml", Data: []byte("7")}},
		Repair:    specs.RepairTerms{CreateMissing: true},
	}
}

// bench is a ledger over a shelf, with hands that remember what was done.
type bench struct {
	t      *testing.T
	shelf  *shelf
	plan   audit.Plan
	world  providers.World
	mu     sync.Mutex
	seen   []string
	log    []Entry
	logErr error
	ledger error // why the ledger is not as it was
}

func newBench(t *testing.T, s *shelf, roles ...specs.Role) *bench {
	return &bench{t: t, shelf: s, plan: audit.Plan{
		Ledger:  ledger.Ledger{Path: "ledger.yaml", SHA256: "l0", Roles: roles},
		Sources: []audit.Source{{Name: "prod", Kind: "kubernetes", Provider: s, Rule: classify.Rule{Live: true, IgnoreUnexpected: true}}},
		Now:     time.Unix(1e9, 0), Settle: time.Microsecond, Mask: func(s string) string { return s },
	}}
}

func (b *bench) input() Input {
	b.t.Helper()
	r, world, err := audit.Run(context.Background(), b.plan)
	if err != nil {
		b.t.Fatal(err)
	}
	desired, err := audit.Desire(b.plan.Ledger, b.plan.Sources)
	if err != nil {
		b.t.Fatal(err)
	}
	b.world = world
	return Input{
		Report: r, World: world, Ledger: b.plan.Ledger, Desired: desired, Repairers: map[string]providers.Repairer{"prod": b.shelf},
		Same: classify.Same, Claimed: func(o providers.Object) bool { return strings.HasSuffix(o.ID, "/other") },
		Now: b.plan.Now, Mask: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") },
	}
}

func (b *bench) hands() Hands {
	world := b.world
	return Hands{
		Look: func(ctx context.Context, parts map[string][]string) (report.Report, providers.World, error) {
			r, w, err := audit.Again(ctx, b.plan, world, parts)
			if err == nil {
				world = w
			}
			return r, w, err
		},
		Unchanged: func() error { return b.ledger },
		Remember: func(_ context.Context, role string, seen specs.Remembered) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.seen = append(b.seen, role+" "+seen.UID)
			return nil
		},
		Log: func(e Entry) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.log = append(b.log, e)
			return b.logErr
		},
		Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Clock: func() time.Time { return b.plan.Now },
		Who:   "tester@here", Wait: time.Second,
	}
}

// apply plans and carries out, and gives the results by role.
func (b *bench) apply() (map[string]*Outcome, report.Report) {
	b.t.Helper()
	in := b.input()
	done, r, err := Apply(context.Background(), Make(context.Background(), in), in, b.hands())
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]*Outcome{}
	for _, row := range done.Rows {
		if row.Action == Create {
			out[row.Role] = row.Outcome
		}
	}
	return out, r
}

func codes(r Row) []string {
	var out []string
	for _, why := range r.Reasons {
		out = append(out, why.Code)
	}
	slices.Sort(out)
	return out
}
