package main

import (
	"fmt"
	"io"
)

// growth looks at more and more objects: time and memory must grow no faster
// than their number.
func (b *bench) growth() (*suite, error) {
	s := &suite{}
	add := func(kind string, n, objects int, path string) {
		r := b.look(kind, path, objects)
		r.id = fmt.Sprintf("%s %d", kind, n)
		s.rows = append(s.rows, r)
	}
	sizes := []int{b.scaled(1000), b.scaled(10_000), b.scaled(100_000)}
	kubeconfigs, stop, err := b.served(sizes)
	if err != nil {
		return nil, err
	}
	b.atEnd = append(b.atEnd, stop)
	kinds := map[string][]int{"kubernetes": sizes, "crontab": append(sizes, b.scaled(1_000_000)), "manifests": {b.scaled(1000), b.scaled(10_000), b.scaled(40_000)}}
	for _, n := range kinds["kubernetes"] {
		add("kubernetes", n, n, kubeconfigs[n])
	}
	for _, n := range kinds["crontab"] {
		dir, err := b.crontabs(n)
		if err != nil {
			return nil, err
		}
		add("crontab", n, n, dir)
	}
	for _, n := range kinds["manifests"] {
		dir, err := b.manifests(n, 50)
		if err != nil {
			return nil, err
		}
		add("manifests", n, n/2, dir)
	}
	s.after = func(w io.Writer, all results) {
		for _, kind := range []string{"kubernetes", "crontab", "manifests"} {
			for _, m := range []metric{cpu, peak} {
				showGrowth(w, all, kind, kinds[kind], m)
			}
		}
	}
	return s, nil
}

// showGrowth fits a line through the medians by least squares of their relative
// errors, so that the small sizes count as much as the large ones.
func showGrowth(w io.Writer, all results, kind string, sizes []int, m metric) {
	var points []point
	for _, n := range sizes {
		points = append(points, point{float64(n), all[fmt.Sprintf("%s %d", kind, n)].median(m)})
	}
	base, slope := fit(points)
	unit, scale, start := "µs", 1e6, "s"
	if m.name == peak.name {
		unit, scale, start = "B", 1<<20, "MiB"
	}
	last := points[len(points)-1]
	fmt.Fprintf(w, "       %s of %s: %s %s an object, beginning at %s %s; the largest is %+.0f %% off the line of the others\n",
		m.name, kind, figure(slope*scale), unit, figure(base), start, 100*(last.y/line(points[:len(points)-1], last.x)-1))
}

type point struct{ x, y float64 }

// line is where the points' line is at x.
func line(points []point, x float64) float64 {
	base, slope := fit(points)
	return base + slope*x
}

func fit(points []point) (base, slope float64) {
	var s, sx, sy, sxx, sxy float64
	for _, p := range points {
		weight := 1 / (p.y * p.y)
		s, sx, sy = s+weight, sx+weight*p.x, sy+weight*p.y
		sxx, sxy = sxx+weight*p.x*p.x, sxy+weight*p.x*p.y
	}
	slope = (s*sxy - sx*sy) / (s*sxx - sx*sx)
	return (sy - slope*sx) / s, slope
}
