package dialecttest

import (
	"syscall"
	"testing"

	"github.com/adhocore/gronx"
	"github.com/aptible/supercronic/cronexpr"
	gorhill "github.com/gorhill/cronexpr"
	hashicorp "github.com/hashicorp/cronexpr"
	netresearch "github.com/netresearch/go-cron"
	"github.com/robfig/cron/v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// everyday are schedules of the shapes that people write, in about the shares
// in which they do, and such as all programs here read.
var everyday = []string{
	"0 0 * * *", "0 3 * * *", "30 2 * * *", "15 4 * * *", "17 5 * * *", "42 6 * * *", "5 1 * * *", "00 03 * * *",
	"0 * * * *", "17 * * * *", "30 * * * *", "*/5 * * * *", "*/10 * * * *", "*/15 * * * *", "*/30 * * * *", "* * * * *", "*/1 * * * *",
	"0 */2 * * *", "0 */6 * * *", "0 */12 * * *", "15 */4 * * *", "0 0,12 * * *", "0 3,6,9,12,15,18,21 * * *", "2,17,32,47 * * * *",
	"0,7,15,22,30,37,45,52 * * * *", "10,20,30,40,50 22 * * *", "2-30/6 1 * * *", "*/20 7-21 * * *", "*/15 9-17 * * 1-5", "0 9-17 * * 1-5",
	"0 0 * * 0", "0 0 * * 1", "30 4 * * 6", "0 2 * * MON", "0 8 * * 1-5", "0 8 * * MON-FRI", "0 6 * * 1,3,5",
	"0 0 1 * *", "14 3 1 * *", "0 5 1,15 * *", "0 0 1 1 *", "0 0 1 1,4,7,10 *", "0 4 */2 * *", "0 4 1-7 * *",
}

// BenchmarkParse reads one schedule a round. Figures of one run compare; a
// bound is none of them, since the machine is not known. cpu-ns/expr is what the
// process used, which other load on the machine moves less.
func BenchmarkParse(b *testing.B) {
	gron := gronx.New()
	programs := []struct {
		name string
		read func(string) error
	}{
		{"robfig-cron-v3", func(s string) error { _, err := cron.ParseStandard(s); return err }},
		{"supercronic", func(s string) error { _, err := cronexpr.ParseStrict(s); return err }},
		{"netresearch-go-cron", func(s string) error { _, err := netresearch.ParseStandard(s); return err }},
		{"hashicorp-cronexpr", func(s string) error { _, err := hashicorp.Parse(s); return err }},
		{"gorhill-cronexpr", func(s string) error { _, err := gorhill.Parse(s); return err }},
		{"gronx-segments", func(s string) error { _, err := gronx.Segments(s); return err }},
		{"gronx-isvalid", func(s string) error {
			if !gron.IsValid(s) {
				return errPanic
			}
			return nil
		}},
	}
	for _, d := range specs.Dialects() {
		programs = append(programs, struct {
			name string
			read func(string) error
		}{"rolecall-" + string(d), func(s string) error { _, err := specs.ParseSchedule(d, s, "UTC"); return err }})
	}
	programs = append(programs, struct {
		name string
		read func(string) error
	}{"rolecall-debian-canonical", func(s string) error {
		p, err := specs.ParseSchedule(specs.Debian, s, "UTC")
		_ = p.Canonical()
		return err
	}})
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			n, used := 0, cpuTime(b)
			for b.Loop() {
				if err := p.read(everyday[n%len(everyday)]); err != nil {
					b.Fatalf("%q: %v", everyday[n%len(everyday)], err)
				}
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/expr")
			b.ReportMetric(float64(cpuTime(b)-used)/float64(n), "cpu-ns/expr")
		})
	}
}

// cpuTime is what this process has used so far, in nanoseconds.
func cpuTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
