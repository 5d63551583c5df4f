package kubernetes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs"
)

// What is read at once is what is read in turn, over more files than are read
// before they are put in order.
func TestManifestsEach(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range atATime + 20 {
		write(fmt.Sprint("a", i, ".yaml"), []string{usual(i), unrelated(i), "kind: CronJob\n{", "kind: X\n", usual(i) + "---\n" + strings.Replace(usual(i), "Forbid", "Never", 1)}[i%5])
	}
	write("kustomization.yaml", "resources: [a0.yaml]\n")
	look := func(each func(int, func(int))) providers.Observation {
		m, err := NewManifests(ManifestConfig{Source: "s", Base: dir, Patterns: []string{"."}, Each: each})
		if err != nil {
			t.Fatal(err)
		}
		return m.Observe(context.Background(), providers.Selection{Literals: true})
	}
	inTurn := look(nil)
	if len(inTurn.Objects) < 150 || len(inTurn.Gaps()) < 50 || len(inTurn.Notes) == 0 || len(inTurn.Areas) != atATime+21 {
		t.Fatalf("%d objects, %d areas, %d gaps, %d notes", len(inTurn.Objects), len(inTurn.Areas), len(inTurn.Gaps()), len(inTurn.Notes))
	}
	atOnce := look(func(n int, f func(int)) {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { f(i) })
		}
		wg.Wait()
	})
	same := cmp.Comparer(func(a, b specs.Spec) bool { return a.Hash() == b.Hash() && a.Written() == b.Written() })
	if diff := cmp.Diff(inTurn, atOnce, same); diff != "" {
		t.Error(diff)
	}
}

func TestReadFile(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 70_000} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(strings.Repeat("x", size)), 0o644); err != nil {
			t.Fatal(err)
		}
		if data, err := readFile(files.File{Path: name, Regular: size%2 == 0}, make([]byte, 0, 512)); err != nil || len(data) != size {
			t.Errorf("%d bytes: got %d, %v", size, len(data), err)
		}
	}
	if data, err := readFile(files.File{Path: "/proc/self/status", Regular: true}, nil); err == nil && len(data) < 100 {
		t.Errorf("a file whose size is not known: %d bytes", len(data))
	}
}
