package specs

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		d                Dialect
		text, zone, want string
	}{
		{Debian, "* * * * *", "UTC", "every minute (UTC)"},
		{Debian, "*/5 * * * *", "UTC", "every 5 minutes (UTC)"},
		{Debian, "0-55/5 * * * *", "", "every 5 minutes (the scheduler's own zone)"},
		{Debian, "*/7 * * * *", "UTC", "at the minutes 0 to 56 in steps of 7 of every hour (UTC)"},
		{Debian, "5,20,35 * * * *", "UTC", "at the minutes 5, 20 and 35 of every hour (UTC)"},
		{Debian, "0 * * * *", "UTC", "at minute 0 of every hour (UTC)"},
		{Debian, "0 2 * * *", "America/New_York", "at 02:00 every day, once where the clock skips or repeats an hour (America/New_York)"},
		{Debian, "0 4 * * *", "America/New_York", "at 04:00 every day (America/New_York)"},
		{Debian, "0 3,15 * * *", "UTC", "at 03:00 and 15:00 every day (UTC)"},
		{Debian, "0,30 9 * * *", "UTC", "at 09:00 and 09:30 every day (UTC)"},
		{Debian, "* 9-17 * * *", "UTC", "every minute of the hours 9 to 17 (UTC)"},
		{Debian, "* 9 * * *", "UTC", "every minute of hour 9 (UTC)"},
		{Debian, "*/15 9-17 * * 1-5", "UTC", "every 15 minutes of the hours 9 to 17, Monday to Friday (UTC)"},
		{Debian, "0 */2 * * *", "UTC", "at minute 0 of the hours 0 to 22 in steps of 2 (UTC)"},
		{Debian, "30 8-18/2,20 * * *", "UTC", "at minute 30 of the hours 8 to 20 in steps of 2 (UTC)"},
		{Debian, "0 0 1 * *", "UTC", "at 00:00, on day 1 of the month (UTC)"},
		{Debian, "0 0 1-7 * 1", "UTC", "at 00:00, on the days 1 to 7 of the month or on Monday (UTC)"},
		{Debian, "0 0 1-7 * */7", "UTC", "at 00:00, on the days 1 to 7 of the month if that is Sunday (UTC)"},
		{Debian, "0 0 */10 * 6,0", "UTC", "at 00:00, on the days 1, 11, 21 and 31 of the month if that is Saturday or Sunday (UTC)"},
		{Kubernetes, "0 0 */10 * 6,0", "UTC", "at 00:00, on the days 1, 11, 21 and 31 of the month or on Saturday and Sunday (UTC)"},
		{Debian, "0 0 * 1,7 *", "UTC", "at 00:00 every day, in January and July (UTC)"},
		{Debian, "0 0 * 3-5,11 *", "UTC", "at 00:00 every day, in March to May and November (UTC)"},
		{Debian, "0 0 * * 0-1,3", "UTC", "at 00:00, on Monday, Wednesday and Sunday (UTC)"},
		{Debian, "0 0 * * 2", "UTC", "at 00:00, on Tuesday (UTC)"},
		{Debian, "0 0 29 2 *", "UTC", "at 00:00, on day 29 of the month, in February (UTC)"},
		{Debian, "0 0 31 2 *", "UTC", "never"},
		{Debian, "5-1 0 * * *", "UTC", "never"},
		{Debian, "@reboot", "UTC", "when the scheduler starts"},
		{Debian, "@hourly", "UTC", "at minute 0 of every hour (UTC)"},
		{Debian, "@weekly", "UTC", "at 00:00, on Sunday (UTC)"},
		{Debian, "@yearly", "UTC", "at 00:00, on day 1 of the month, in January (UTC)"},
		{Debian, "0 0-23 * * *", "America/New_York", "at minute 0 of every hour, once where the clock skips or repeats an hour (America/New_York)"},
		{Debian, "0 * * * *", "America/New_York", "at minute 0 of every hour (America/New_York)"},
		{GitHub, "0 2 * * *", "Europe/Berlin", "at 02:00 every day, after an hour that the clock skips, and once in a repeated one (Europe/Berlin)"},
		{Supercronic, "0 2 * * *", "Europe/Berlin", "at 02:00 every day, as supercronic has it where the clock skips or repeats an hour (Europe/Berlin)"},
		{Kubernetes, "0 2 * * *", "Europe/Berlin", "at 02:00 every day (Europe/Berlin)"},
		{Kubernetes, "0 3 * * *", "Australia/Lord_Howe", "at 03:00 every day, as the CronJob controller has it where the clock changes (Australia/Lord_Howe)"},
		{Kubernetes, "@every 90m", "UTC", "every 1h30m after the last run"},
		{Kubernetes, "@every 24h", "UTC", "every 24h after the last run"},
		{Kubernetes, "@every 61s", "UTC", "every 1m1s after the last run"},
		{Kubernetes, ",", "UTC", ""},
		{Busybox, "0 0 * * 7", "UTC", "at 00:00 every day (UTC)"},
		{Busybox, "0 0 */2 * *", "UTC", "at 00:00, on the days 2 to 30 in steps of 2 of the month (UTC)"},
		{Cronie, "0~29 * * * *", "UTC", "at one minute between 0 and 29 that the scheduler draws of every hour (UTC)"},
		{Cronie, "~ 3 * * *", "UTC", "at one minute between 0 and 59 that the scheduler draws of hour 3 (UTC)"},
		{Cronie, "0~29,45 3~5 * * *", "UTC", "at one minute between 0 and 29 that the scheduler draws and minute 45 of one hour between 3 and 5 that the scheduler draws (UTC)"},
		{Cronie, "0 3 1~28 * *", "UTC", "at 03:00, on one day between 1 and 28 that the scheduler draws of the month (UTC)"},
		{Cronie, "0 3 * 1~6 *", "UTC", "at 03:00 every day, in one month between January and June that the scheduler draws (UTC)"},
		{Cronie, "0 3 * * 6~7", "UTC", "at 03:00, on one weekday between Saturday and Sunday that the scheduler draws (UTC)"},
		{Supercronic, "* * * * * * *", "UTC", "every second (UTC)"},
		{Supercronic, "*/10 * * * * * *", "UTC", "every 10 seconds (UTC)"},
		{Supercronic, "*/10 5 * * * * *", "UTC", "every 10 seconds of minute 5 of every hour (UTC)"},
		{Supercronic, "*/10 * 5 * * * *", "UTC", "every 10 seconds of hour 5 (UTC)"},
		{Supercronic, "30 0 3 * * * *", "UTC", "at 03:00:30 every day (UTC)"},
		{Supercronic, "5 * * * * * *", "UTC", "at second 5 of every minute (UTC)"},
		{Supercronic, "5,7 */2 9-17 * * * *", "UTC", "at the seconds 5 and 7 of the minutes 0 to 58 in steps of 2 of the hours 9 to 17 (UTC)"},
		{Supercronic, "0 0 * * * 2030", "UTC", "at 00:00 every day, in 2030 (UTC)"},
		{Supercronic, "0 0 * * * 2030-2034", "UTC", "at 00:00 every day, in 2030 to 2034 (UTC)"},
		{Supercronic, "0 0 L * *", "UTC", "at 00:00, on the last day of the month (UTC)"},
		{Supercronic, "0 0 LW 1-6 *", "UTC", "at 00:00, on the last day of the month from Monday to Friday, in January to June (UTC)"},
		{Supercronic, "0 0 15W * *", "UTC", "at 00:00, on the day from Monday to Friday nearest to day 15 of the month (UTC)"},
		{Supercronic, "0 0 * * 5L", "UTC", "at 00:00, on the last Friday of the month (UTC)"},
		{Supercronic, "0 0 * * mon#2", "UTC", "at 00:00, on the days 8 to 14 of the month if that is Monday (UTC)"},
		{Supercronic, "0 0 L 2 1", "UTC", "at 00:00, in February of common years on day 28 if that is Tuesday to Sunday or every day if that is Monday; in February of leap years on day 29 if that is Tuesday to Sunday or every day if that is Monday (UTC)"},
		{Supercronic, "0 0 15W 2 * 2030", "UTC", "at 00:00, on day 15 of the month, in February, in 2030 (UTC)"},
		{Supercronic, "0 0 L * * 2030", "UTC", "at 00:00, on the last day of the month, in 2030 (UTC)"},
	} {
		s, err := ParseSchedule(c.d, c.text, c.zone)
		if err != nil {
			if c.want != "" {
				t.Error(err)
			}
			continue
		}
		if got := s.Words(); got != c.want {
			t.Errorf("%s %q %s: %q, want %q (%s)", c.d, c.text, c.zone, got, c.want, s.Canonical())
		}
	}
	if got := Never().Words(); got != "never" {
		t.Error(got)
	}
	if got := (Schedule{Text: "0 0 * * *"}).Words(); !strings.HasPrefix(got, "not read") {
		t.Error(got)
	}
}

// TestWordsAreEqualAsCanonical: over the battery and made-up schedules, in one
// zone, the words are equal exactly where the canonical forms are.
func TestWordsAreEqualAsCanonical(t *testing.T) {
	all := append(battery(t), madeUp(t, 3000)...)
	for _, zone := range []string{Local, "UTC", "Europe/Berlin", "Australia/Lord_Howe"} {
		words, forms := map[string]Schedule{}, map[string]Schedule{}
		for _, s := range all {
			s.Zone = zone
			w, c := s.Words(), s.Canonical()
			if other, ok := words[w]; ok && other.Canonical() != c {
				t.Fatalf("%q is said of %s %q (%s) and of %s %q (%s)", w, s.Dialect, s.Text, c, other.Dialect, other.Text, other.Canonical())
			}
			if other, ok := forms[c]; ok && other.Words() != w {
				t.Fatalf("%s is said as %q and as %q", c, w, other.Words())
			}
			words[w], forms[c] = s, s
		}
		if len(words) < 1000 {
			t.Errorf("%s: only %d different", zone, len(words))
		}
	}
}
