package specs

import (
	"sync"
	"time"
)

// zoneTimes is a zone as the time zone database has it, and the changes of its
// clock in the years of clockTag, in order.
type zoneTimes struct {
	loc     *time.Location
	changes []segment
	odd     []segment // of them, those that robfig/cron may get wrong
}

// zoneTimesOf reads a zone, each that has a known name only once: thousands of
// schedules name a few zones.
func zoneTimesOf(name string) (*zoneTimes, error) {
	i, ok := zonePlace(name)
	if !ok {
		return readZone(name)
	}
	return knownZones()[i]()
}

// knownZones are those of zoneNames, at the same places.
var knownZones = sync.OnceValue(func() []func() (*zoneTimes, error) {
	out := make([]func() (*zoneTimes, error), len(zoneNames))
	for i := range out {
		out[i] = sync.OnceValues(func() (*zoneTimes, error) { return readZone(zoneNames[i].name) })
	}
	return out
})

func readZone(name string) (*zoneTimes, error) {
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	z := &zoneTimes{loc: loc}
	for seg := segmentAt(loc, tagFrom); seg.end < tagUntil; {
		seg = segmentAt(loc, seg.end)
		z.changes = append(z.changes, seg)
		if seg.odd() {
			z.odd = append(z.odd, seg)
		}
	}
	return z, nil
}
