package main

import (
	"fmt"
	"io"
	"runtime"
	"syscall"

	"github.com/robfig/cron/v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// everyday are schedules of the shapes that people write, and such as all
// parsers here read.
var everyday = []string{
	"0 0 * * *", "5 4 * * *", "17 3 * * *", "59 23 * * *", "30 6 * * 1", "0 8 * * 1-5", "15 9 * * MON-FRI", "45 12 * * 0",
	"*/5 * * * *", "*/10 * * * *", "*/15 * * * *", "*/30 8-18 * * 1-5", "0 */2 * * *", "20 */6 * * *", "0 0,12 * * *", "10,40 * * * *",
	"0 0 1 * *", "30 1 1,15 * *", "0 5 1 1 *", "0 3 1-7 * *", "0 4 1 */3 *", "5,20,35,50 7-19 * * *", "0 22 * * 6", "1 1 28 2 *",
}

// expression reads schedules in this process: what its processor was used for,
// and how often memory was asked for.
func (b *bench) expression() (*suite, error) {
	type reader struct {
		name string
		read func(string) error
	}
	var readers []reader
	for _, d := range specs.Dialects() {
		readers = append(readers, reader{"rolecall, " + string(d), func(s string) error { _, err := specs.ParseSchedule(d, s, "UTC"); return err }})
	}
	readers = append(readers, reader{"robfig's parser", func(s string) error { _, err := cron.ParseStandard(s); return err }})
	costs, allocs := map[string][]float64{}, map[string]float64{}
	for range max(5, b.rounds) {
		for _, r := range readers {
			ns, n, err := cost(r.read)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.name, err)
			}
			costs[r.name], allocs[r.name] = append(costs[r.name], ns), n
		}
	}
	s := &suite{after: func(w io.Writer, _ results) {
		for _, r := range readers {
			fmt.Fprintf(w, "%-24s %s ns, %.0f allocations\n", r.name, spread(costs[r.name], 0), allocs[r.name])
		}
	}}
	for _, d := range specs.Dialects() {
		name := "rolecall, " + string(d)
		s.bounds = append(s.bounds,
			bound{says: name + ": ≤ 100 ns an expression", limit: 100, value: func(results) (float64, []float64, error) { return median(costs[name]), costs[name], nil }},
			bound{says: name + ": no allocations", value: func(results) (float64, []float64, error) { return allocs[name], nil, nil }})
	}
	return s, nil
}

// cost is what one expression takes: nanoseconds of the processor, allocations.
func cost(read func(string) error) (ns, allocs float64, err error) {
	const rounds = 4000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := used()
	for range rounds {
		for _, s := range everyday {
			if err := read(s); err != nil {
				return 0, 0, err
			}
		}
	}
	spent := used() - begin
	runtime.ReadMemStats(&after)
	n := float64(rounds * len(everyday))
	return float64(spent) / n, float64(int(float64(after.Mallocs-before.Mallocs)/n + 0.5)), nil
}

// used is the processor time of this process so far, in nanoseconds.
func used() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}
