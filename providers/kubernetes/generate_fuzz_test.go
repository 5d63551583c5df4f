package kubernetes

import (
	"math/rand/v2"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// FuzzLayouts writes one CronJob in two ways, which are one spec, and finds no
// fault in what is made by a server's rules.
func FuzzLayouts(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, seed, other uint64) {
		cj := newMaker(seed, true).cronJob("a")
		var read [2]found
		var text [2][]byte
		for i, s := range []uint64{seed, other} {
			l := &layout{rnd: rand.New(rand.NewPCG(s, 11))}
			text[i], _ = l.write(cj)
			r := readManifest(text[i])
			if len(r.found) != 1 || len(r.troubles)+len(r.remarks) > 0 {
				t.Fatalf("%+v\n%s", r, text[i])
			}
			read[i] = r.found[0]
			if len(read[i].faults) > 0 {
				t.Errorf("faults %v\n%s", read[i].faults, text[i])
			}
		}
		a, _ := specOf(read[0].cronJob, false)
		b, _ := specOf(read[1].cronJob, false)
		if d := specs.Diff(a, b); len(d) > 0 || a.Hash() != b.Hash() {
			t.Errorf("%+v\n%s\n%s", d, text[0], text[1])
		}
	})
}
