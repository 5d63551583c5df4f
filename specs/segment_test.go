package specs

import (
	"testing"
	"time"
)

func TestSegmentsMoveOn(t *testing.T) {
	for _, zone := range []string{"America/Chicago", "Europe/Lisbon", "Australia/Lord_Howe", "Asia/Tokyo"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		at, end := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		for at < end {
			seg := segmentAt(loc, at)
			if seg.end <= at {
				t.Fatalf("%s: the segment at %v ends before it", zone, time.Unix(at, 0).UTC())
			}
			at = seg.end
		}
	}
}
