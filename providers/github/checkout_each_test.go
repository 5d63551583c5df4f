package github

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func atOnce(n int, f func(int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// What is read at once is what is read in turn.
func TestCheckoutEach(t *testing.T) {
	texts := map[string]string{".github/workflows/broken.yml": "on: {schedule: [", ".github/workflows/empty.yaml": ""}
	for i := range 40 {
		texts[fmt.Sprintf(".github/workflows/w%d.yml", i)] = strings.Replace(nightly, "role=nightly", fmt.Sprintf("role=w%d", i), 1)
	}
	cfg := CheckoutConfig{Source: "s", Dir: plant(t, texts)}
	inTurn := look(t, cfg)
	cfg.Each = atOnce
	if len(inTurn.Objects) != 40 || len(inTurn.Gaps()) != 1 {
		t.Fatalf("%d objects, gaps %v", len(inTurn.Objects), inTurn.Gaps())
	}
	if diff := cmp.Diff(inTurn, look(t, cfg), cmpopts.IgnoreUnexported(specs.Spec{}, specs.Schedule{})); diff != "" {
		t.Error(diff)
	}
}

func TestReadFile(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513, maxFile - 1, maxFile, maxFile + 1} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(strings.Repeat("x", size)), 0o644); err != nil {
			t.Fatal(err)
		}
		data, err := readFile(name)
		if size > maxFile {
			if err != errTooLarge {
				t.Errorf("%d bytes: %v", size, err)
			}
		} else if err != nil || len(data) != size {
			t.Errorf("%d bytes: got %d, %v", size, len(data), err)
		}
	}
}

func TestNames(t *testing.T) {
	var s names
	for i := range 40 {
		name := fmt.Sprint("n", i)
		if !s.add(name) || s.add(name) || s.add("n0") {
			t.Fatalf("after %d names %s is not told from those before", i, name)
		}
	}
}

// usual is a workflow of the size that people write.
func usual(i int) string {
	return fmt.Sprintf(`# rolecall: role=build-%[1]d
name: Build %[1]d
on:
  schedule:
    - cron: "%[2]d 3 * * *"
  workflow_dispatch:
permissions:
  contents: read
concurrency:
  group: ${{ github.workflow }}-${{ github.ref }}
  cancel-in-progress: true
env:
  GOFLAGS: -mod=readonly
jobs:
  test:
    name: Test on ${{ matrix.os }}
    runs-on: ${{ matrix.os }}
    timeout-minutes: 30
    strategy:
      fail-fast: false
      matrix:
        os: [ubuntu-latest, macos-latest]
    steps:
      - name: Check out
        uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - name: Test
        env:
          LEVEL: info
          TOKEN: ${{ secrets.TOKEN }}
        run: |
          set -eu
          go test -count=1 ./... | tee out.txt
  upload:
    needs: [test]
    if: ${{ github.ref == 'refs/heads/main' && success() }}
    runs-on: ubuntu-latest
    steps:
      - id: name
        run: echo "name=report-$(date +%%F)" >> "$GITHUB_OUTPUT"
      - uses: actions/upload-artifact@v4
        with:
          name: ${{ steps.name.outputs.name }}
          path: |
            out/*.txt
            dist/**
`, i, i%60)
}

// BenchmarkCheckout looks at 2,500 workflows, of which all or each tenth have a
// schedule.
func BenchmarkCheckout(b *testing.B) {
	for name, every := range map[string]int{"all": 1, "tenth": 10} {
		b.Run(name, func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), ".github", "workflows")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
			for i := range 2500 {
				text := usual(i)
				if i%every != 0 {
					text = strings.Replace(text, "schedule:\n    - cron", "push:\n    # cron", 1)
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("w%d.yml", i)), []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			c, err := NewCheckout(CheckoutConfig{Source: "s", Base: filepath.Dir(filepath.Dir(dir)), Dir: "."})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if o := c.Observe(context.Background(), providers.Selection{}); len(o.Objects) != 2500/every || len(o.Gaps()) != 0 {
					b.Fatal(len(o.Objects), o.Gaps())
				}
			}
		})
	}
}

func BenchmarkWorkflow(b *testing.B) {
	data := []byte(usual(7))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if w, err := readWorkflow(data, "f"); err != nil || len(w.entries) != 1 || w.refused != "" {
			b.Fatal(w, err)
		}
	}
}
