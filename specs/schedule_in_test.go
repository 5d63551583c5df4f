package specs

import (
	"strings"
	"testing"
)

func TestIn(t *testing.T) {
	for _, c := range []struct {
		from       Dialect
		text, zone string
		to         Dialect
		want, bad  string
	}{
		{Debian, "0-59/5 * * * *", "", Debian, "*/5 * * * *", ""},
		{Debian, "0-55/5 * * * *", "UTC", Kubernetes, "*/5 * * * *", ""},
		{Debian, "0 3 * * MON-FRI", "UTC", GitHub, "0 3 * * 1-5", ""},
		{Debian, "0 3 * * 7", "UTC", Kubernetes, "0 3 * * 0", ""},
		{Debian, "00 03 * jan-mar,dec 5-7", "UTC", Busybox, "0 3 * 1-3,12 0,5,6", ""},
		{Debian, "@daily", "UTC", Busybox, "0 0 * * *", ""},
		{Debian, "@weekly", "UTC", GitHub, "0 0 * * 0", ""},
		{Kubernetes, "5/15 * * * *", "UTC", Debian, "5-50/15 * * * *", ""},
		{Debian, "0 0 */2 * *", "UTC", Busybox, "0 0 1-31/2 * *", ""},
		{Busybox, "0 0 */2 * *", "UTC", Debian, "0 0 2-30/2 * *", ""},
		{Busybox, "0 0 */2 * *", "UTC", Busybox, "0 0 */2 * *", ""},
		{Kubernetes, "0 0 */2 * 1", "UTC", Debian, "0 0 1-31/2 * 1", ""},
		{Debian, "0 4 8-14 * */7", "UTC", Debian, "0 4 8-14 * */7", ""},
		{Debian, "0 4 8-14 * */7", "UTC", Supercronic, "0 4 * * 0#2", ""},
		{Supercronic, "0 4 * * sun#2", "UTC", Cronie, "0 4 8-14 * */7", ""},
		{Supercronic, "0 4 * * mon#1", "UTC", Debian, "0 4 */31,2-7 * 1", ""},
		{Supercronic, "0 4 * * mon#2", "UTC", Debian, "", "begins with *"},
		{Supercronic, "0 4 * * mon#2", "UTC", Kubernetes, "", "it runs on either"},
		{Supercronic, "0 4 * * mon#2", "UTC", Supercronic, "0 4 * * 1#2", ""},
		{Supercronic, "0 0 L * *", "UTC", Supercronic, "0 0 L * *", ""},
		{Supercronic, "0 0 LW 1,2 *", "UTC", Supercronic, "0 0 LW 1,2 *", ""},
		{Supercronic, "0 0 L,15 * *", "UTC", Supercronic, "0 0 L,15 * *", ""},
		{Supercronic, "0 0 L * *", "UTC", Debian, "", "on the last day of the month"},
		{Supercronic, "0 0 L 4 *", "UTC", Debian, "0 0 30 4 *", ""},
		{Supercronic, "30 0 0 * * * *", "UTC", Debian, "", "seconds are read by supercronic only"},
		{Supercronic, "30 0 0 * * * *", "UTC", Supercronic, "30 0 0 * * * *", ""},
		{Supercronic, "0 0 * * * 2030", "UTC", Kubernetes, "", "years are read by supercronic only"},
		{Supercronic, "0 0 * * * 2030,2031,2032", "UTC", Supercronic, "0 0 * * * 2030-2032", ""},
		{Cronie, "~ 3 * * *", "UTC", Cronie, "~ 3 * * *", ""},
		{Cronie, "45,0~29 3 * * *", "UTC", Cronie, "0~29,45 3 * * *", ""},
		{Cronie, "~ 3 * * *", "UTC", Debian, "", "read by cronie only"},
		{Debian, "@reboot", "", Cronie, "@reboot", ""},
		{Debian, "@reboot", "", Kubernetes, "", "start the job with its host"},
		{Kubernetes, "@every 90m", "", Kubernetes, "@every 1h30m", ""},
		{Kubernetes, "@every 5m", "", Debian, "", "nearest is */5 * * * *"},
		{Kubernetes, "@every 7m", "", Debian, "", "counts from the last run"},
		{Debian, "0 0 30 2 *", "", GitHub, "0 0 31 2 *", ""},
		{Debian, "0 2 * * *", "Europe/Berlin", Kubernetes, "", "counts in Europe/Berlin"},
		{Debian, "0 9 * * *", "Europe/Berlin", Kubernetes, "0 9 * * *", ""},
		{Kubernetes, "0 2 * * *", "Europe/Berlin", Debian, "*/60 2 * * *", ""},
		{Kubernetes, "30 2 * * *", "Europe/Berlin", Debian, "", "counts in Europe/Berlin"},
		{Debian, "0 0-23 * * *", "Europe/Berlin", Debian, "0 0-23 * * *", ""},
		{Debian, "0 0-23 * * *", "", Debian, "0 0-23 * * *", ""},
		{Debian, "0 * * * *", "", Debian, "0 * * * *", ""},
		{Debian, "0 * * * *", "", Kubernetes, "0 * * * *", ""},
	} {
		s := mustParse(t, c.from, c.text, c.zone)
		got, err := s.In(c.to)
		switch {
		case got != c.want || (err != nil) != (c.bad != ""):
			t.Errorf("%s %q %s in %s: %q %v, want %q", c.from, c.text, c.zone, c.to, got, err, c.want)
		case err != nil && (!strings.Contains(err.Error(), c.bad) || !strings.Contains(err.Error(), "; ")):
			t.Errorf("%s %q in %s: %v, want %s and a next step", c.from, c.text, c.to, err, c.bad)
		}
	}
	if got, err := Never().In(Kubernetes); got != "0 0 31 2 *" || err != nil {
		t.Error(got, err)
	}
	if _, err := (Schedule{Text: "0 0 * * *"}).In(Debian); err == nil {
		t.Error("what was never read is written")
	}
}

// TestInReadsBackTheSame: over the battery and made-up schedules, what In
// writes is read to the same canonical form, and in the own dialect there
// always is a text.
func TestInReadsBackTheSame(t *testing.T) {
	written := 0
	for _, s := range append(battery(t), madeUp(t, 1500)...) {
		for _, zone := range []string{Local, "UTC", "Europe/Berlin"} {
			s.Zone = zone
			for _, d := range Dialects() {
				text, err := s.In(d)
				if err != nil {
					if d == s.Dialect || !strings.Contains(err.Error(), "; ") {
						t.Fatal(err)
					}
					continue
				}
				written++
				got, err := ParseSchedule(d, text, zone)
				if err != nil || got.Canonical() != s.Canonical() {
					t.Fatalf("%s %q %s is %s, and %q in %s is %s (%v)", s.Dialect, s.Text, zone, s.Canonical(), text, d, got.Canonical(), err)
				}
				if d == s.Dialect && s.ClockChangeOnly(got) {
					t.Fatalf("%s %q and %q differ on clock-change days", d, s.Text, text)
				}
				if again, err := got.In(d); err != nil || again != text {
					t.Fatalf("%s: %q is written as %q (%v)", d, text, again, err)
				}
			}
		}
	}
	if written < 10000 {
		t.Errorf("only %d written", written)
	}
}
