//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkRunOverhead starts true in several ways in turn, so that what else the
// machine does falls on all alike, and reports the median of each in
// milliseconds:
//
//	go test -run xxx -bench RunOverhead -benchtime 200x ./cmd/rolecall
func BenchmarkRunOverhead(b *testing.B) {
	dir := b.TempDir()
	self := filepath.Join(dir, "rolecall")
	if out, err := exec.Command("go", "build", "-o", self, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	ways := []struct {
		name string
		argv []string
	}{
		{"sh", []string{"sh", "-c", "true"}},
		{"flock", []string{"flock", "-n", filepath.Join(dir, "lock"), "true"}},
		{"chronic", []string{"chronic", "true"}},
		{"version", []string{self, "version"}}, // what of it is the program's own start
		{"run", []string{self, "run", "--state", filepath.Join(dir, "state"), "--role", "bench", "--", "true"}},
		{"run-minimal", []string{self, "run", "--state", filepath.Join(dir, "state"), "--role", "bench", "--capture", "none", "--", "true"}},
		{"run-textfile", []string{self, "run", "--state", filepath.Join(dir, "state"), "--textfile", dir, "--role", "bench", "--", "true"}},
	}
	took := map[string][]time.Duration{}
	for range b.N {
		for _, w := range ways {
			if _, err := exec.LookPath(w.argv[0]); err != nil {
				continue
			}
			cmd := exec.Command(w.argv[0], w.argv[1:]...)
			cmd.Env = append(os.Environ(), "ROLECALL_PING_URL=")
			began := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%s: %v: %s", w.name, err, out)
			}
			took[w.name] = append(took[w.name], time.Since(began))
		}
		if b.N > 100 && len(took["run"])%50 == 0 { // a role of a year of minutes is another question
			os.RemoveAll(filepath.Join(dir, "state"))
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, list := range took {
		slices.Sort(list)
		b.ReportMetric(float64(list[len(list)/2].Microseconds())/1000, name+"-ms")
	}
}
