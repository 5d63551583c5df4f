package arrange

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

type element struct {
	key int
	was int
	pad [3]string
}

func byKey(a, b element) int { return cmp.Compare(a.key, b.key) }

func check(t *testing.T, keys []byte) {
	t.Helper()
	var list []element
	for i, k := range keys {
		list = append(list, element{key: int(k), was: i, pad: [3]string{string(k)}})
	}
	want := slices.Clone(list)
	slices.SortStableFunc(want, byKey)
	By(list, byKey)
	if !slices.Equal(list, want) {
		t.Errorf("%v\ngives %v\nnot   %v", keys, list, want)
	}
}

func TestBy(t *testing.T) {
	for _, keys := range []string{"", "a", "ab", "ba", "aa", "cab", "bca", "abcabc", "zyxwvutsrqponmlkjihgfedcba"} {
		check(t, []byte(keys))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		keys := make([]byte, r.IntN(200))
		for i := range keys {
			keys[i] = byte(r.IntN(1 + r.IntN(256)))
		}
		check(t, keys)
	}
}

func FuzzBy(f *testing.F) {
	f.Add([]byte("hello"))
	f.Fuzz(check)
}

func TestInOrderAllocatesNothing(t *testing.T) {
	list := make([]element, 100)
	if n := testing.AllocsPerRun(10, func() { By(list, byKey) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
