package specs

import (
	"slices"
	"testing"
	"time"
)

// TestZoneTimes: a zone is read once, and its changes are those that the clock
// makes.
func TestZoneTimes(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "Asia/Tokyo", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo"} {
		z, err := zoneTimesOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := zoneTimesOf(name); again != z {
			t.Errorf("%s is read twice", name)
		}
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		var want []int64
		for at := int64(tagFrom); at < tagUntil; at += 900 {
			if zoneOffset(time.Unix(at, 0), loc) != zoneOffset(time.Unix(at-900, 0), loc) {
				want = append(want, at)
			}
		}
		var got []int64
		for _, seg := range z.changes {
			if seg.change() != 0 && seg.start > tagFrom && seg.start < tagUntil {
				got = append(got, seg.start)
			}
		}
		if got = slices.Compact(got); !slices.Equal(got, want) { // see segmentAt on leap years
			t.Errorf("%s changes at %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"Mars/Phobos", "../UTC"} {
		if z, err := zoneTimesOf(name); err == nil {
			t.Errorf("%s is %v", name, z.loc)
		}
	}
}

func BenchmarkCanonicalInZone(b *testing.B) {
	s, err := ParseSchedule(Kubernetes, "5 2 * * *", "Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Canonical()
		s.Warnings()
	}
}
