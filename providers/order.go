package providers

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

func compareObjects(a, b *Object) int {
	return cmp.Or(strings.Compare(a.ID, b.ID), a.Pos.Compare(b.Pos))
}

// sortObjects is slices.SortStableFunc by compareObjects. An object is large and
// a source may hold a million of them, so what is sorted are their places, by
// eight bytes of the ID, and each object is moved once.
func sortObjects(objects []Object) {
	if inOrder(objects) {
		return
	}
	same := samePrefix(objects)
	places := make([]standing, len(objects))
	for i := range objects {
		places[i] = standing{firstEight(objects[i].ID[same:]), i}
	}
	slices.SortFunc(places, func(a, b standing) int {
		if a.eight != b.eight {
			return cmp.Compare(a.eight, b.eight)
		}
		return cmp.Or(compareObjects(&objects[a.at], &objects[b.at]), cmp.Compare(a.at, b.at))
	})
	permute(objects, places)
}

// standing is where an object stands before it is sorted.
type standing struct {
	eight uint64 // of its ID, behind what all have in common
	at    int
}

func inOrder(objects []Object) bool {
	for i := 1; i < len(objects); i++ {
		if compareObjects(&objects[i-1], &objects[i]) > 0 {
			return false
		}
	}
	return true
}

// samePrefix is how many bytes in front are those of all IDs.
func samePrefix(objects []Object) int {
	same := objects[0].ID
	for i := range objects {
		n := 0
		for id := objects[i].ID; n < len(same) && n < len(id) && same[n] == id[n]; {
			n++
		}
		same = same[:n]
	}
	return len(same)
}

// firstEight are the first bytes of a text as a number that orders as they do. A
// shorter text is filled up with zeros, so equal numbers say nothing.
func firstEight(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.BigEndian.Uint64(b[:])
}

// permute puts at i what stood at places[i], cycle by cycle.
func permute(objects []Object, places []standing) {
	for i := range places {
		if places[i].at == i {
			continue
		}
		first := objects[i]
		to := i
		for from := places[to].at; from != i; from = places[to].at {
			objects[to] = objects[from]
			places[to].at = to
			to = from
		}
		objects[to] = first
		places[to].at = to
	}
}
