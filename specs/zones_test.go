package specs

import (
	"strings"
	"testing"
	"time"
)

func TestCanonicalZone(t *testing.T) {
	for name, want := range map[string]string{
		"": Local, "local": Local, "UTC": "UTC", "Etc/UTC": "UTC", "Zulu": "UTC", "GMT": "UTC", "Etc/GMT-0": "UTC", "Greenwich": "UTC",
		"Asia/Calcutta": "Asia/Kolkata", "US/Eastern": "America/New_York", "Europe/Kiev": "Europe/Kyiv", "Japan": "Asia/Tokyo",
		"Europe/Oslo": "Europe/Oslo", "Africa/Asmera": "Africa/Asmara", "Asia/Chungking": "Asia/Shanghai", "CET": "CET", "Etc/GMT+5": "Etc/GMT+5",
	} {
		got, err := CanonicalZone(name)
		if err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", name, got, err, want)
		}
		if again, err := CanonicalZone(got); err != nil || again != got {
			t.Errorf("%q: %q is not canonical itself", name, got)
		}
	}
	for name, want := range map[string]string{
		"Local": "leave it out", "europe/berlin": "write Europe/Berlin", "Mars/Phobos": "write an IANA name", "localtime": "IANA",
		"posixrules": "IANA", "right/UTC": "IANA", "../../etc/passwd": "IANA", "Europe/../Europe/Berlin": "IANA", "Europe/Berlin\x00": "IANA", " UTC": "write UTC",
	} {
		if got, err := CanonicalZone(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q %v, want an error that says %q", name, got, err, want)
		}
	}
}

// TestZoneNames: the table is sorted, its targets are in it, and each name
// shows the clock of its target from 2024 to 2026 by this host's database.
func TestZoneNames(t *testing.T) {
	for i, z := range zoneNames {
		if i > 0 && zoneNames[i-1].name >= z.name {
			t.Errorf("%s stands behind %s", z.name, zoneNames[i-1].name)
		}
		for _, target := range []string{z.shown, z.clock} {
			if target == "" {
				continue
			}
			if _, ok := findZone(target); !ok || target == z.name {
				t.Errorf("%s: no zone %s", z.name, target)
			}
			sameClock(t, z.name, target)
		}
	}
}

func sameClock(t *testing.T, name, target string) {
	a, err := time.LoadLocation(name)
	b, err2 := time.LoadLocation(target)
	if err != nil || err2 != nil {
		t.Logf("not checked: %v %v", err, err2)
		return
	}
	for at := time.Date(2024, 1, 1, 0, 30, 0, 0, time.UTC); at.Year() < 2027; at = at.Add(12 * time.Hour) {
		if _, x := at.In(a).Zone(); x != zoneOffset(at, b) {
			t.Fatalf("%s and %s differ at %s", name, target, at)
		}
	}
}

func zoneOffset(at time.Time, loc *time.Location) int {
	_, off := at.In(loc).Zone()
	return off
}
