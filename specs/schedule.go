package specs

import (
	"errors"
	"time"
)

// Dialect names a program whose reading of a schedule holds.
type Dialect string

// The dialects. What each accepts and means is measured on the named program.
const (
	Debian      Dialect = "debian"      // cron 3.0pl1 as Debian ships it
	Cronie      Dialect = "cronie"      // cronie 1.7
	Busybox     Dialect = "busybox"     // busybox crond 1.37
	Supercronic Dialect = "supercronic" // supercronic 0.2
	GitHub      Dialect = "github"      // on.schedule of GitHub Actions
	Kubernetes  Dialect = "kubernetes"  // CronJob, robfig/cron v3 ParseStandard
)

// Local is the zone of a schedule that states none, where the scheduler's own
// is not known. It equals no other zone.
const Local = "local"

// Schedule is when a job is due, by the reading of one dialect.
type Schedule struct {
	// Text is what was written, without the zone.
	Text string
	// Zone is the canonical IANA name, or Local.
	Zone    string
	Dialect Dialect

	never bool
}

// Never is the schedule of what runs only by hand.
func Never() Schedule { return Schedule{Text: "never", Zone: Local, never: true} }

// ParseSchedule reads an expression as a dialect's program does.
func ParseSchedule(d Dialect, text, zone string) (Schedule, error) {
	return Schedule{}, errors.New("not built yet")
}

// Canonical is equal for two schedules exactly if they fire at the same
// instants. Every schedule that never fires is "never".
func (s Schedule) Canonical() string { return s.Text + " " + s.Zone }

// NeverFires says that no instant is due.
func (s Schedule) NeverFires() bool { return s.never }

// Next is the first due instant after one, in UTC, and false if there is none.
func (s Schedule) Next(after time.Time) (time.Time, bool) { return time.Time{}, false }
