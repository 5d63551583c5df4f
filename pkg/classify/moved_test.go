package classify

import (
	"math/rand/v2"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// The objects that are compared with a missing role are all that do the same.
func TestLike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	spec := func() specs.Spec {
		commands := []specs.Value{specs.NewText("a"), specs.NewText("b"), {Kind: specs.Sealed, Text: specs.Seal("a")}, specs.NewList(specs.NewText("a")), {}}
		members := []specs.Member{{Key: "user", Value: specs.NewText([]string{"x", "y"}[r.IntN(2)])}}
		if c := commands[r.IntN(len(commands))]; c.Kind != specs.Absent {
			members = append(members, specs.Member{Key: "command", Value: c})
		}
		s := specs.Spec{Schedules: []specs.Schedule{specs.Never()}, Body: specs.Pack(specs.NewMap(members...))}
		if s.Body.Get("command").Kind == specs.Sealed && r.IntN(2) == 0 {
			s = s.WithHash(specs.Spec{Body: specs.Pack(specs.NewMap(specs.Member{Key: "user", Value: specs.NewText("x")}))}.Hash())
		}
		return s
	}
	a := &alike{}
	for range 60 {
		a.add(&object{Object: &providers.Object{Spec: spec()}})
	}
	same, left := 0, 0
	for range 500 {
		d := specs.Desired{Spec: spec()}
		switch r.IntN(5) {
		case 0:
			d.Pinned = a.objects[r.IntN(len(a.objects))].Spec.Hash()
		case 1:
			d.Stated = []string{"command"}
			d.Spec = d.Spec.Project(d.Stated)
		case 2:
			d.Stated = []string{"user"}
			d.Spec = d.Spec.Project(d.Stated)
		case 3:
			path, err := specs.ParsePath("user")
			if err != nil {
				t.Fatal(err)
			}
			d.Ignore = []specs.Rule{{Path: path}}
		}
		among := map[*object]bool{}
		for _, o := range a.like(d) {
			among[o] = true
		}
		left += len(a.objects) - len(among)
		for i, o := range a.objects {
			if Same(d, *o.Object) {
				same++
				if !among[o] {
					t.Fatalf("object %d does what is desired and is not among those that are compared: %+v, %+v", i, d, o.Object)
				}
			}
		}
	}
	if same < 500 || left < 500 && !slow.Only() {
		t.Errorf("%d do the same, %d were left out", same, left)
	}
}
