package files

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rolecall-dev/rolecall/specs/slow"
)

// The short way to list a folder gives what the glob gives, or nothing.
func TestListPlain(t *testing.T) {
	if slow.Only() {
		t.Skip("the short way is off")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for n := range 80 {
		base := t.TempDir()
		grow(t, rng, base, 3, n%4 == 0)
		for _, folder := range []string{".", "a", "../" + filepath.Base(base), base, "a.yaml", "k*"} {
			if info, err := os.Stat(Join(base, folder)); err != nil || !info.IsDir() {
				continue
			}
			for _, pattern := range []string{"**/*.{yaml,yml,json}", "**/*", "**/a*"} {
				found, ok := listPlain(base, folder, pattern)
				if !ok {
					if len(found) > 0 {
						t.Errorf("%d files and refused", len(found))
					}
					continue
				}
				taken++
				want, err := glob(base, path.Join(doublestarEscape(folder), pattern))
				var got []string
				for _, f := range found {
					got = append(got, f.Rel)
					if info, err := os.Lstat(Join(base, f.Rel)); err != nil || info.Mode().IsRegular() != f.Regular {
						t.Errorf("%s: %v, regular %v", f.Rel, err, f.Regular)
					}
				}
				slices.Sort(want)
				slices.Sort(got)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s %s: %q\nwant %q, %v", folder, pattern, got, want, err)
				}
			}
		}
	}
	if taken < 200 {
		t.Errorf("only %d folders were listed so", taken)
	}
}

// grow makes files and folders, and where odd is set links and odd names too.
func grow(t *testing.T, rng *rand.Rand, dir string, depth int, odd bool) {
	t.Helper()
	names := []string{"a", "a.yaml", "b.yml", "B.YAML", ".yaml", ".hidden", "c.json", "ä.yaml", "a b.yaml", "-", "d.yaml.bak", "a!", "^x.yaml"}
	if odd {
		names = append(names, "k*", "[x].yaml", "{a,b}.yaml", "\xff.yaml", `b\c.yaml`)
	}
	for range 1 + rng.IntN(5) {
		p := filepath.Join(dir, names[rng.IntN(len(names))])
		if _, err := os.Lstat(p); err == nil {
			continue
		}
		var err error
		switch kind := rng.IntN(8); {
		case kind < 3 && depth > 0:
			if err = os.Mkdir(p, 0o755); err == nil {
				grow(t, rng, p, depth-1, odd)
			}
		case kind == 3 && odd && rng.IntN(3) == 0:
			err = os.Symlink([]string{"a", "nowhere", "a.yaml"}[rng.IntN(3)], p)
		default:
			err = os.WriteFile(p, []byte(fmt.Sprint(kind)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
