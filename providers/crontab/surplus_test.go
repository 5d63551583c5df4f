package crontab

import (
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// Lines with more than five time fields are named as what they are, whether
// they are refused or read as something else; and no others are.
func TestSurplus(t *testing.T) {
	const (
		seconds = "six time fields, of which the first looks like seconds"
		year    = "six time fields, of which the last is a year"
		quartz  = "seven time fields, with seconds in front and a year at the end"
	)
	for _, c := range []struct {
		dialect specs.Dialect
		format  string
		line    string
		want    string // in what is said of the line
		noted   bool   // the line is valid all the same
	}{
		{"debian", "", "0 0 12 * * ? /opt/a", seconds, true},
		{"debian", "", "0 15 10 ? * MON-FRI /opt/a", "write 15 10 * * MON-FRI", false},
		{"debian", "", "0 15 10 * * MON-FRI /opt/a", "write 15 10 * * MON-FRI", true},
		{"debian", "", "0 0 12 * * * /opt/a", "write 0 12 * * *", false},
		{"debian", "", "*/10 * * * * * /opt/a", seconds, false},
		{"debian", "", "*/10 * * * * 1-5 /opt/a", seconds, true},
		{"debian", "", "0 30 6 * * 2 /opt/a", "write minute, hour", false},
		{"debian", "", "0 0 7 1/1 * ? * /opt/a", quartz, false},
		{"debian", "", "0 0 12 1 1 ? 2030 /opt/a", quartz, true},
		{"debian", "", "0 0 1 1 * 2030 /opt/a", year, true},
		{"debian", "", "0 0 1 1 * 2030-2032 /opt/a", year, true},
		{"debian", "", "0 0 0 1 1 * 2 * /opt/a", "more than seven", false},
		{"debian", "", "0 6 * * * mon /opt/a", seconds, true},
		{"debian", "", "0 6 * * * mon -c /etc/mon.cf", "", true},
		{"debian", "", "0 6 * * * 7z a /opt/x.7z", "", true},
		{"debian", "", "0 6 * * * [ -x /opt/a ] && /opt/a", "", true},
		{"debian", "", "0 6 * * * 2", "", true},
		{"debian", "", "0 6 * * * . /etc/profile; a", "", true},
		{"debian", "", "@daily 5 * /opt/a", "", true},
		{"debian", "", "0 6 * * /opt/a 1 2", "day of week", false},
		{"debian", "system", "0 0 12 * * ? root /opt/a", seconds, false},
		{"debian", "system", "0 0 12 * * * root /opt/a", "write 0 12 * * *", false},
		{"debian", "system", "0 0 12 * * MON root /opt/a", seconds, true},
		{"debian", "system", "0 0 12 * * 1 root /opt/a", seconds, false},
		{"debian", "system", "0 0 12 * * mon /opt/a --all", "", true},
		{"debian", "system", "0 0 1 1 * 2030 root /opt/a", year, false},
		{"cronie", "", "-0 0 12 * * * /opt/a", "write 0 12 * * *", false},
		{"cronie", "system", "0 0 12 1 1 ? 2030 root /opt/a", quartz, false},
		{"busybox", "", "0 0 12 * * ? /opt/a", "write 0 12 * * *", true},
		{"busybox", "", "0 0 L * ? * /opt/a", seconds, false},
		{"supercronic", "", "0 0 12 * * MON /opt/a", seconds, true},
		{"supercronic", "", "0 0 12 * * 2030 /opt/a", "", true},
		{"supercronic", "", "0 0 12 * * ? * /opt/a", "", true},
	} {
		o := readText(t, c.dialect, c.format, "# rolecall: role=a\n"+c.line+"\n")
		said := ""
		for _, n := range o.Notes {
			if n.Code == "suspicious-schedule" && n.Pos.Line == 2 {
				said += n.Message
			}
		}
		off := o.Objects[0].Inactive()
		for _, i := range off {
			said += i.Detail
		}
		if (len(off) == 0) != c.noted || c.want == "" && strings.Contains(said, "time fields") || !strings.Contains(said, c.want) {
			t.Errorf("%s %s %q: %v, said %q", c.dialect, c.format, c.line, len(off) == 0, said)
		}
	}
}
