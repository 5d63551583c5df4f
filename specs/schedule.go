package specs

import (
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/specs/slow"
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

// Dialects are all dialects in the order of their declaration.
func Dialects() []Dialect {
	return []Dialect{Debian, Cronie, Busybox, Supercronic, GitHub, Kubernetes}
}

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

	// plan is what the text means.
	plan plan
	// settled is the canonical form, where it was made before.
	settled *settled
}

// settled is a canonical form and what it was made for.
type settled struct {
	text string
	zone string
	own  whose
}

// Settled is the same schedule with its canonical form at hand, for one that many
// objects share.
func (s Schedule) Settled() Schedule {
	s.settled = &settled{s.Canonical(), s.Zone, s.plan.own}
	return s
}

// Never is the schedule of what runs only by hand.
func Never() Schedule {
	return Schedule{Text: "never", Zone: Local, plan: plan{kind: kindNever}}
}

// ParseSchedule reads an expression as a dialect's program does: five fields
// (six or seven for supercronic) or an @word, without a command behind it. The
// zone is an IANA name; "" and Local say that none is stated. A zone in front
// of a kubernetes schedule (TZ=, CRON_TZ=) beats it, as in the controller.
//
// What the program refuses is an error that says why and what to write
// instead. What it accepts with another meaning than people expect is a
// Schedule with Warnings.
func ParseSchedule(d Dialect, text, zone string) (Schedule, error) {
	name, err := CanonicalZone(zone)
	if err != nil {
		return Schedule{}, err
	}
	s := Schedule{Text: text, Zone: name, Dialect: d}
	if d == Kubernetes {
		if prefix, rest, ok := SplitZonePrefix(text); ok {
			if s.Zone, err = prefixZone(text, prefix, rest); err != nil {
				return Schedule{}, err
			}
			s.Text, text = rest, rest
		}
	}
	if !slow.Only() && readPlain(d, text, &s.plan) {
		return s, nil
	}
	p, bad := parseIn(d, text)
	if bad != nil {
		return Schedule{}, bad.better(d, text).in(d, text)
	}
	p.normalise()
	s.plan = *p
	return s, nil
}

func parseIn(d Dialect, text string) (*plan, *refusal) {
	switch d {
	case Debian:
		return parseDebian(text)
	case Cronie:
		return parseCronie(text)
	case Busybox:
		return parseBusybox(text)
	case Supercronic:
		return parseSupercronic(text)
	case GitHub:
		return parseGitHub(text)
	case Kubernetes:
		return parseKubernetes(text)
	}
	return nil, &refusal{why: "no such dialect", next: "name one of debian, cronie, busybox, supercronic, github, kubernetes"}
}

// Canonical is equal for two schedules exactly if they fire at the same
// instants. Every schedule that never fires is "never". The dialect is no part
// of it: the same instants by two programs are the same text.
//
//	m:0 h:3 d:* mo:* w:1-5 z:UTC    all of the sets hold
//	m:0 h:3 d:1|w:5 mo:* z:local    the day or the weekday holds
//	s:5 … y:2030                    seconds and years, where not 0 and all
//	m:~0-29 …                       drawn by the scheduler from that range
//	@reboot, @every 1h30m0s, never  these have no zone
//
// Local is taken as one unknown zone. In a zone whose clock changes, the part
// c: names how the slots of the skipped and the repeated hours are treated,
// where it has an effect on this schedule by the changes of 2024 to 2051.
func (s Schedule) Canonical() string {
	if k := s.settled; k != nil && !slow.Only() && k.zone == s.Zone && k.own == s.plan.own {
		return k.text
	}
	if s.plan.kind == kindUnread {
		return fmt.Sprintf("unread:%q z:%s", s.Text, s.Zone)
	}
	return s.plan.canonical(zoneClock(s.Zone), s.clockRule())
}

// NeverFires says that no instant is due, in any year.
func (s Schedule) NeverFires() bool { return s.plan.kind != kindUnread && s.plan.kind == kindNever }

// Reboot says that the job runs when its scheduler starts, and at no set time.
func (s Schedule) Reboot() bool { return s.plan.kind != kindUnread && s.plan.kind == kindReboot }

// Every is the interval of an @every schedule and 0 for all others.
func (s Schedule) Every() time.Duration {
	if s.plan.kind == kindUnread {
		return 0
	}
	return s.plan.every
}

// Random says that the scheduler draws some of the times when it loads the
// schedule, so that nobody else can know the instants.
func (s Schedule) Random() bool { return s.plan.kind != kindUnread && len(s.plan.drawn) > 0 }

// Warnings are what is suspicious in a schedule that its program accepts: text
// that is dropped, an error that is logged while the job runs, a number that
// is read otherwise than written. What is a fault of the program is called so,
// with the place in its source.
func (s Schedule) Warnings() []string {
	if s.plan.kind == kindUnread {
		return nil
	}
	out := append([]string(nil), s.plan.warnings...)
	if fault := s.clockFault(); fault != "" {
		out = append(out, fault)
	}
	return out
}
