package specs

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// zoneName is one name of a zone; see zoneNames.
type zoneName struct{ name, shown, clock string }

func findZone(name string) (zoneName, bool) {
	i, ok := zonePlace(name)
	if !ok {
		return zoneName{}, false
	}
	return zoneNames[i], true
}

// zonePlace is where a name stands in zoneNames.
func zonePlace(name string) (int, bool) {
	return slices.BinarySearchFunc(zoneNames[:], name, func(z zoneName, name string) int {
		return strings.Compare(z.name, name)
	})
}

// CanonicalZone is the name under which a zone is known: the IANA name, with
// old spellings and aliases replaced; UTC for all names of it; Local for ""
// and Local. A name that the time zone database does not have is an error.
// Letters count as written, as in the database.
func CanonicalZone(name string) (string, error) {
	switch name {
	case "", Local:
		return Local, nil
	case "UTC":
		return name, nil
	}
	if z, ok := findZone(name); ok {
		if z.shown != "" {
			return z.shown, nil
		}
		return name, nil
	}
	if newerZone(name) {
		return name, nil
	}
	return "", fmt.Errorf("zone %.80q is not in the time zone database; %s", name, zoneHint(name))
}

// newerZone says that a name which the table does not have is an area and a
// place that this host's database has. Its other files (localtime, posixrules,
// right/UTC) are no names of zones.
func newerZone(name string) bool {
	area, place, ok := strings.Cut(name, "/")
	if !ok || area == "" || place == "" || area[0] < 'A' || area[0] > 'Z' || place[0] < 'A' || place[0] > 'Z' {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

func zoneHint(name string) string {
	if strings.EqualFold(name, Local) {
		return "leave it out for the scheduler's own zone"
	}
	for _, z := range zoneNames {
		if strings.EqualFold(z.name, strings.TrimSpace(name)) {
			return "write " + z.name
		}
	}
	return "write an IANA name such as Europe/Berlin"
}

// zoneClock is the zone whose clock a canonical zone shows.
func zoneClock(name string) string {
	if name == Local || name == "UTC" {
		return name
	}
	if z, ok := findZone(name); ok && z.clock != "" {
		return z.clock
	}
	return name
}
