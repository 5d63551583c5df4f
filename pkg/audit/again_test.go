package audit

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// halves is a source of two areas; each look sees what the next of the lists says.
type halves struct {
	looks []providers.Observation
	asked [][]string
}

func (h *halves) Translate(st specs.Statement) (specs.Desired, error) { return source{}.Translate(st) }

func (h *halves) Observe(_ context.Context, sel providers.Selection) providers.Observation {
	h.asked = append(h.asked, sel.Parts)
	o := h.looks[min(len(h.asked), len(h.looks))-1]
	narrow := o
	narrow.Objects, narrow.Areas = nil, nil
	for _, x := range o.Objects {
		if sel.Wants(x.Part()) {
			narrow.Objects = append(narrow.Objects, x)
		}
	}
	for _, a := range o.Areas {
		if sel.Wants(a.Part) {
			narrow.Areas = append(narrow.Areas, a)
		}
	}
	return narrow
}

// both is a look at the areas one and two, in which roles stand as part/role.
func both(states map[string]providers.AreaState, where ...string) providers.Observation {
	o := providers.Observation{}
	for _, part := range []string{"one", "two"} {
		state := providers.Read
		if s, ok := states[part]; ok {
			state = s
		}
		o.Areas = append(o.Areas, providers.Area{Part: part, State: state})
	}
	for _, w := range where {
		part, role, _ := strings.Cut(w, "/")
		x := look(role).Objects[0]
		own := *x.Origin
		own.Part = part
		x.Origin, x.ID = &own, "crontab:web/"+part+"#"+role
		o.Objects = append(o.Objects, x)
	}
	return o
}

func TestAgain(t *testing.T) {
	failed := map[string]providers.AreaState{"two": providers.Failed}
	for _, c := range []struct {
		name  string
		then  providers.Observation
		parts []string
		want  string
		asked []string
	}{
		{"it is there now", both(nil, "one/a", "two/b"), []string{"two"}, "", []string{"two"}},
		{"it is missing still", both(nil, "one/a"), []string{"two"}, "missing:b@web", []string{"two"}},
		{"what went elsewhere was not looked at", both(nil, "two/b"), []string{"two"}, "", []string{"two"}},
		{"it cannot be read any more", both(failed, "one/a"), []string{"two"}, "unknown:b@web", []string{"two"}},
		{"a part that is not known: the whole source", both(nil, "two/b"), []string{"three"}, "missing:a@web", nil},
		{"no part: the whole source", both(nil, "two/b"), nil, "missing:a@web", nil},
		{"the part is not spoken of", providers.Observation{}, []string{"two"}, "unknown:b@web", []string{"two"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &halves{looks: []providers.Observation{both(nil, "one/a"), both(nil, "one/a"), c.then}}
			p := plan()
			p.Sources[0].Provider = h
			_, world, err := Run(context.Background(), p)
			if err != nil || len(h.asked) != 2 {
				t.Fatalf("%d looks, %v", len(h.asked), err)
			}
			r, after, err := Again(context.Background(), p, world, map[string][]string{"web": c.parts})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				got = append(got, f.ID)
			}
			if strings.Join(got, " ") != c.want || !slices.Equal(h.asked[2], c.asked) {
				t.Errorf("findings %v after asking for %v; want %q after %v", got, h.asked[2], c.want, c.asked)
			}
			if len(world.Observations[0].Objects) != 1 || len(after.Observations) != 1 {
				t.Errorf("the earlier look was changed: %+v", world)
			}
		})
	}
}

func TestConfirmed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Plan)
		want   bool
	}{
		"two looks":          {func(*Plan) {}, true},
		"one look":           {func(p *Plan) { p.Settle = 0 }, false},
		"files need but one": {func(p *Plan) { p.Settle, p.Sources[0].Rule.Live = 0, false }, true},
	} {
		p := plan(look("a"))
		c.change(&p)
		r, _, err := Run(context.Background(), p)
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Confirmed != c.want {
			t.Errorf("%s: %+v, %v; want confirmed %v", name, r.Findings, err, c.want)
		}
	}
}
