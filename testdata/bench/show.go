package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// show writes a suite's figures as a table, and what they say of its bounds.
func (s *suite) show(w io.Writer, all results) {
	if len(s.rows) > 0 {
		s.table(w, all)
	}
	if s.after != nil {
		s.after(w, all)
	}
	for _, b := range s.bounds {
		b.show(w, all)
	}
}

func (s *suite) table(w io.Writer, all results) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tWALL s\tCPU s\tPEAK MiB\tREQUESTS\tMB\t")
	for _, r := range s.rows {
		res := all[r.id]
		if res == nil {
			fmt.Fprintf(t, "%s (%s)\tabsent: %s\n", r.id, r.who, r.absent)
			continue
		}
		requests, bytes := "", ""
		if r.count != nil {
			requests, bytes = fmt.Sprint(res.requests), fmt.Sprintf("%.1f", float64(res.bytes)/1e6)
		}
		fmt.Fprintf(t, "%s (%s)\t%s\t%s\t%s\t%s\t%s\t%s\n", r.id, r.who,
			spread(res.values(wall), 3), spread(res.values(cpu), 3), spread(res.values(peak), 0), requests, bytes, res.more)
	}
	t.Flush()
}

// spread is the median and, in brackets, the least and the most.
func spread(values []float64, digits int) string {
	return fmt.Sprintf("%.*f [%.*f..%.*f]", digits, median(values), digits, slices.Min(values), digits, slices.Max(values))
}

func (b bound) show(w io.Writer, all results) {
	v, rounds, err := b.value(all)
	switch {
	case err != nil:
		fmt.Fprintf(w, "  ?    %s: %v\n", b.says, err)
		return
	case b.holds(v):
		fmt.Fprintf(w, "  ok   %s: %s", b.says, figure(v))
	default:
		fmt.Fprintf(w, "  NOT  %s: %s", b.says, figure(v))
	}
	if len(rounds) > 1 {
		fmt.Fprintf(w, " (by rounds %s to %s)", figure(slices.Min(rounds)), figure(slices.Max(rounds)))
	}
	fmt.Fprintln(w)
}

// figure has three digits that count.
func figure(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.3g", v), ".0")
}
