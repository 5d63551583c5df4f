package specs

import (
	"fmt"
	"strings"
	"time"
)

// CanonicalZone is the name under which a zone is known: the IANA name, with
// old spellings and aliases replaced; UTC for all names of it; Local for ""
// and Local. A name that the time zone database does not have is an error.
func CanonicalZone(name string) (string, error) {
	switch name {
	case "", Local:
		return Local, nil
	case "UTC":
		return name, nil
	}
	if strings.EqualFold(name, Local) {
		return "", fmt.Errorf("zone %.80q is no name of a zone; write an IANA name such as Europe/Berlin, or leave it out for the scheduler's own", name)
	}
	if _, err := time.LoadLocation(name); err != nil {
		return "", fmt.Errorf("zone %.80q is not in the time zone database; write an IANA name such as Europe/Berlin", name)
	}
	switch name {
	case "Etc/UTC", "GMT", "Etc/GMT", "Zulu", "Etc/Zulu", "UCT", "Etc/UCT", "Universal", "Etc/Universal":
		return "UTC", nil
	}
	return name, nil
}

// zoneTarget is the zone whose clock the canonical zone shows today.
func zoneTarget(name string) string { return name }
