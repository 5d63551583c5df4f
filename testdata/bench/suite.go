package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// suite is what is measured in turn in one run.
type suite struct {
	title  string
	rows   []*row
	bounds []bound
	rounds int // more than those that were asked for
	after  func(io.Writer, results)
}

// row is one command. A command that is absent says why instead.
type row struct {
	id     string
	who    string // us, floor or peer
	argv   []string
	env    []string
	code   int // its exit code
	absent string
	// counted is put in the place of words of argv where requests and bytes are
	// counted, in the round that is not measured.
	counted map[string]string
	// before prepares each time, and is not measured.
	before func() error
	// check looks at what the command wrote in that round.
	check func(stdout string) error
	// mark begins to count what is asked of a server, and count says it.
	mark  func() error
	count func() (requests, bytes int, more string, err error)
}

// sample is one run of a command: seconds, seconds, MiB.
type sample struct {
	Wall, CPU, Peak float64
	Exit            int
}

// result is all of one row.
type result struct {
	samples         []sample
	requests, bytes int
	kept            float64 // bytes that stay of an object
	more            string
}

type results map[string]*result

type metric struct {
	name string
	of   func(sample) float64
}

var (
	wall = metric{"wall", func(s sample) float64 { return s.Wall }}
	cpu  = metric{"CPU", func(s sample) float64 { return s.CPU }}
	peak = metric{"peak", func(s sample) float64 { return s.Peak }}
)

func (r *result) values(m metric) []float64 {
	var out []float64
	for _, s := range r.samples {
		out = append(out, m.of(s))
	}
	return out
}

func (r *result) median(m metric) float64 { return median(r.values(m)) }

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	if len(s) == 0 {
		return math.NaN()
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// run measures a suite: a round that is not measured, in which answers are
// checked and requests counted, and then round by round each row once, so that a
// slow minute of the machine meets all of them.
func (b *bench) run(s *suite) (results, error) {
	out := results{}
	for _, r := range s.rows {
		if r.absent != "" {
			continue
		}
		res, err := b.warm(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.id, err)
		}
		out[r.id] = res
	}
	for range max(b.rounds, s.rounds) {
		for _, r := range s.rows {
			if r.absent != "" {
				continue
			}
			one, err := b.measure(r, r.argv, os.DevNull)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.id, err)
			}
			out[r.id].samples = append(out[r.id].samples, one)
		}
	}
	return out, nil
}

func (b *bench) warm(r *row) (*result, error) {
	argv := slices.Clone(r.argv)
	for i := range argv {
		for old, by := range r.counted {
			argv[i] = strings.ReplaceAll(argv[i], old, by)
		}
	}
	if r.mark != nil {
		if err := r.mark(); err != nil {
			return nil, err
		}
	}
	stdout := filepath.Join(b.dir, "stdout")
	if _, err := b.measure(r, argv, stdout, "ROLECALL_BENCH_KEPT=1"); err != nil {
		return nil, err
	}
	res := &result{}
	text, err := os.ReadFile(stdout)
	if err == nil && r.check != nil {
		err = r.check(string(text))
	}
	if _, said, ok := strings.Cut(string(text[:min(len(text), 500)]), " kept "); ok {
		if _, err := fmt.Sscan(said, &res.kept); err != nil {
			return nil, err
		}
		res.more = fmt.Sprintf("keeps %.0f B an object", res.kept)
	}
	if err != nil || r.count == nil {
		return res, err
	}
	var more string
	res.requests, res.bytes, more, err = r.count()
	res.more = strings.TrimSpace(res.more + " " + more)
	return res, err
}

// measure runs a command once.
func (b *bench) measure(r *row, argv []string, stdout string, env ...string) (sample, error) {
	if r.before != nil {
		if err := r.before(); err != nil {
			return sample{}, err
		}
	}
	stderr := filepath.Join(b.dir, "stderr")
	cmd := exec.Command(filepath.Join(b.bin, "measure"), append([]string{stdout, stderr}, argv...)...)
	home := filepath.Join(b.dir, "home")
	cmd.Env = slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "TMPDIR=" + b.dir}, r.env, env)
	cmd.Stderr = os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return sample{}, err
	}
	var s sample
	if err := json.Unmarshal(answer, &s); err != nil {
		return sample{}, err
	}
	if s.Exit != r.code {
		said, _ := os.ReadFile(stderr)
		return s, fmt.Errorf("exit code %d, want %d: %s", s.Exit, r.code, said[:min(len(said), 2000)])
	}
	return s, nil
}

// bound is one promise about a suite.
type bound struct {
	says    string
	limit   float64
	atLeast bool
	// value gives what is compared with the limit, and of each round where that has
	// a meaning; ErrAbsent where a row of it is.
	value func(results) (float64, []float64, error)
}

var errAbsent = errors.New("not measured: a program is absent")

func (b bound) holds(v float64) bool {
	if b.atLeast {
		return v >= b.limit
	}
	return v <= b.limit
}

// times bounds how often b goes into a: of medians, and round by round.
func times(m metric, a, b string) func(results) (float64, []float64, error) {
	return func(all results) (float64, []float64, error) {
		x, y := all[a], all[b]
		if x == nil || y == nil {
			return 0, nil, errAbsent
		}
		var rounds []float64
		for i := range x.samples {
			rounds = append(rounds, m.of(x.samples[i])/m.of(y.samples[i]))
		}
		return x.median(m) / y.median(m), rounds, nil
	}
}

// most is a bound on how many times as much a takes as b.
func most(m metric, a string, limit float64, b string) bound {
	return bound{says: fmt.Sprintf("%s of %s ≤ %v × %s", m.name, a, limit, b), limit: limit, value: times(m, a, b)}
}

// faster is a bound on how many times as long b takes as a.
func faster(m metric, a string, limit float64, b string) bound {
	return bound{says: fmt.Sprintf("%s of %s ≥ %v × less than of %s", m.name, a, limit, b), limit: limit, atLeast: true, value: times(m, b, a)}
}

// below bounds the median of a figure.
func below(m metric, a string, limit float64, unit string) bound {
	return bound{says: fmt.Sprintf("%s of %s ≤ %v %s", m.name, a, limit, unit), limit: limit, value: func(all results) (float64, []float64, error) {
		if all[a] == nil {
			return 0, nil, errAbsent
		}
		return all[a].median(m), all[a].values(m), nil
	}}
}
