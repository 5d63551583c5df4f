package providers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// The objects come in the order of a stable sort, those that are equal to it too.
func TestSortObjects(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		n := rng.IntN(40)
		objects := make([]Object, n)
		for i := range objects {
			id := fmt.Sprintf("crontab:s/%0*d", rng.IntN(12), rng.IntN(30))
			if rng.IntN(5) == 0 {
				id = []string{"", "c", "crontab:s/\x00", "crontab:s/1\x00\x00", "crontab:s/1"}[rng.IntN(5)]
			}
			objects[i] = Object{ID: id, Pos: specs.Pos{Line: rng.IntN(3)}, More: &More{UID: fmt.Sprint(i)}}
		}
		want := slices.Clone(objects)
		slices.SortStableFunc(want, func(a, b Object) int { return compareObjects(&a, &b) })
		sortObjects(objects)
		for i := range want {
			if want[i].UID() != objects[i].UID() {
				t.Fatalf("round %d: at %d of %d is %q of %s, not %q of %s", round, i, n, objects[i].ID, objects[i].UID(), want[i].ID, want[i].UID())
			}
		}
	}
}

func BenchmarkSort(b *testing.B) {
	objects := make([]Object, 100_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range objects {
		objects[i].ID = fmt.Sprintf("crontab:s/etc/cron.d/jobs#%08x", rng.Uint32())
	}
	o := Observation{Objects: make([]Object, len(objects))}
	for b.Loop() {
		copy(o.Objects, objects)
		o.Sort()
	}
}
