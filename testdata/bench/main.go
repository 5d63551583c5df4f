// Bench measures rolecall beside the floor and its peers; testdata/bench/run
// builds and starts it.
//
// A floor is what the work cannot be done without: reading the files, fetching
// the list. A peer is a program that people would use instead. All rows of a
// suite run in turn, round by round; the figures are medians with the least and
// the most, and a bound is judged by medians. CPU is what the client used, user
// and system; peak is the largest resident size, of which 2 to 4 MiB are the
// program's that starts it where the command has less. Requests and bytes, both
// ways and as encrypted, are counted in a round of their own.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// bench is one run.
type bench struct {
	bin    string // where our programs are
	dir    string // where loads are
	rounds int
	scale  float64
	calm   float64
	kube   *cluster
	atEnd  []func()
}

func main() {
	b := &bench{}
	list := flag.Bool("list", false, "only name the suites")
	flag.StringVar(&b.bin, "bin", "", "folder of the programs; run gives it")
	flag.StringVar(&b.dir, "dir", "", "folder for the loads, which are kept there (default: a temporary one)")
	flag.IntVar(&b.rounds, "n", 5, "rounds")
	flag.Float64Var(&b.scale, "scale", 1, "part of the full size of every load")
	flag.Float64Var(&b.calm, "calm", 0, "wait before each suite, up to ten minutes, until the load of the last minute is below this")
	flag.Parse()
	if *list {
		for _, s := range suites {
			fmt.Printf("%-12s %s\n", s.name, s.says)
		}
		return
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	done := make(chan error, 1)
	go func() { done <- b.all(flag.Args()) }()
	var err error
	select {
	case err = <-done:
	case <-interrupted:
		err = errors.New("interrupted")
	}
	for _, end := range slices.Backward(b.atEnd) {
		end()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// all runs the suites that are named, or every one.
func (b *bench) all(names []string) error {
	for _, n := range names {
		if !slices.ContainsFunc(suites, func(s plan) bool { return s.name == n }) {
			return fmt.Errorf("there is no suite %s; see -list", n)
		}
	}
	if err := b.place(); err != nil {
		return err
	}
	b.machine()
	var errs []error
	for _, s := range suites {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		if err := b.one(s); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
			fmt.Printf("  failed: %v\n", err)
		}
	}
	return errors.Join(errs...)
}

// one makes a suite's load, runs it and shows what came of it.
func (b *bench) one(p plan) error {
	fmt.Printf("\n%s: %s\n", p.name, p.says)
	s, err := p.make(b)
	if errors.Is(err, kubetest.ErrAbsent) {
		fmt.Printf("  absent: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	b.wait()
	before := load()
	all, err := b.run(s)
	if err != nil {
		return err
	}
	fmt.Printf("  load %s before, %s after\n", before, load())
	s.show(os.Stdout, all)
	return nil
}

func (b *bench) place() error {
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "rolecall-bench-")
		if err != nil {
			return err
		}
		b.dir = dir
		b.atEnd = append(b.atEnd, func() { _ = os.RemoveAll(dir) })
	}
	dir, err := filepath.Abs(b.dir)
	if err != nil {
		return err
	}
	b.dir = filepath.Join(dir, fmt.Sprintf("scale-%v", b.scale))
	return os.MkdirAll(filepath.Join(b.dir, "home"), 0o755)
}

// machine says what the figures were taken on, and of which peers.
func (b *bench) machine() {
	model := "unknown processor"
	data, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, ok := strings.Cut(string(data), "model name"); ok {
		model, _, _ = strings.Cut(strings.TrimLeft(rest, "\t :"), "\n")
	}
	fmt.Printf("%s, %d cores, %s %s/%s, load %s; %d rounds, scale %v\n", model, runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, load(), b.rounds, b.scale)
	for _, t := range [][]string{
		{"KUBECTL", "kubectl", "version", "--client"}, {"KUBECONFORM", "kubeconform", "-v"}, {"ACTIONLINT", "actionlint", "-version"}, {"CURL", "curl", "--version"},
	} {
		path := b.tool(t[0], t[1])
		if path == "" {
			fmt.Printf("%s: absent\n", t[1])
			continue
		}
		out, _ := exec.Command(path, t[2:]...).CombinedOutput()
		first, _, _ := strings.Cut(string(out), "\n")
		fmt.Printf("%s: %s\n", t[1], first)
	}
}

// tool is the path of a peer: as its variable names it, or in PATH; empty if it
// is absent.
func (b *bench) tool(variable, name string) string {
	path := os.Getenv(variable)
	if path == "" {
		path = name
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return ""
	}
	return found
}

func (b *bench) kubectl(id string, args ...string) *row {
	r := &row{id: id, who: "peer", absent: "kubectl is not installed"}
	if path := b.tool("KUBECTL", "kubectl"); path != "" {
		r.absent, r.argv = "", append([]string{path}, args...)
	}
	return r
}

func (b *bench) our(name string) string { return filepath.Join(b.bin, name) }

// scaled is a number of objects at the scale of this run.
func (b *bench) scaled(n int) int { return max(10, int(float64(n)*b.scale)) }

// load is that of the last minute.
func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// wait waits for a calm machine, if that was asked for.
func (b *bench) wait() {
	end := time.Now().Add(10 * time.Minute)
	for b.calm > 0 && time.Now().Before(end) {
		var now float64
		if _, err := fmt.Sscan(load(), &now); err != nil || now < b.calm {
			return
		}
		time.Sleep(5 * time.Second)
	}
}
