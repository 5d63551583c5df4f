// Package arrange sorts lists by a comparison, with one sort for all types. The
// linker keeps the sorts of package slices once for every type that is sorted,
// some 20 KB of the program for each.
package arrange

import (
	"reflect"
	"slices"
)

// By is slices.SortStableFunc. A list in order costs no allocation; of another,
// places are sorted, and each element is moved once.
func By[T any](list []T, compare func(a, b T) int) {
	of := func(i, j int) int { return compare(list[i], list[j]) }
	if !inOrder(len(list), of) {
		move(places(len(list), of), reflect.Swapper(list))
	}
}

func inOrder(n int, compare func(i, j int) int) bool {
	for i := 1; i < n; i++ {
		if compare(i-1, i) > 0 {
			return false
		}
	}
	return true
}

// places are the numbers below n, as what they stand for is ordered.
func places(n int, compare func(i, j int) int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, compare)
	return out
}

// move puts at each index what stands at its place, cycle by cycle. It uses the
// places up.
func move(places []int, swap func(i, j int)) {
	for first := range places {
		at := first
		for places[at] != first {
			from := places[at]
			swap(at, from)
			places[at], at = at, from
		}
		places[at] = at
	}
}
