package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
)

func TestExpand(t *testing.T) {
	base := t.TempDir()
	for _, f := range []string{"a.yaml", "b.txt", "deep/c.yaml", "deep/er/d.yml", "deep/[x].yaml", "cron.d/job"} {
		p := filepath.Join(base, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("loop", filepath.Join(base, "loop")); err != nil {
		t.Fatal(err)
	}
	yaml := []string{"**/*.yaml", "**/*.yml"}
	for _, c := range []struct {
		name     string
		patterns []string
		want     []string
		gaps     []providers.Area
	}{
		{"a path", []string{"a.yaml"}, []string{"a.yaml"}, nil},
		{"a path twice", []string{"a.yaml", "./a.yaml", "*.yaml"}, []string{"a.yaml"}, nil},
		{"a glob below", []string{"deep/**/*.yaml"}, []string{"deep/[x].yaml", "deep/c.yaml"}, nil},
		{"a folder", []string{"deep"}, []string{"deep/[x].yaml", "deep/c.yaml", "deep/er/d.yml"}, nil},
		{"a folder without such files", []string{"cron.d"}, nil, []providers.Area{{Part: "folder/cron.d", State: providers.Missing}}},
		{"no such file", []string{"x.yaml"}, nil, []providers.Area{{Part: "file/x.yaml", State: providers.Missing}}},
		{"no match", []string{"x/*.yaml"}, nil, []providers.Area{{Part: "glob/x/*.yaml", State: providers.Missing}}},
		{"one there, one not", []string{"a.yaml", "x.yaml"}, []string{"a.yaml"}, []providers.Area{{Part: "file/x.yaml", State: providers.Missing}}},
		{"a link to itself is for the reader to fail at", []string{"loop"}, []string{"loop"}, nil},
		{"a bad glob", []string{"[a"}, nil, []providers.Area{{Part: "glob/[a", State: providers.Failed}}},
		{"absolute", []string{filepath.Join(base, "a.yaml")}, []string{filepath.Join(base, "a.yaml")}, nil},
		{"absolute glob", []string{filepath.Join(base, "*.yaml")}, []string{filepath.Join(base, "a.yaml")}, nil},
		{"upward", []string{"deep/../a.yaml", "../" + filepath.Base(base) + "/b.*"}, []string{"../" + filepath.Base(base) + "/b.txt", "a.yaml"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, gaps := Expand(base, c.patterns, yaml)
			var got []string
			for _, f := range found {
				got = append(got, f.Rel)
				if _, err := os.Lstat(f.Path); err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("files %q, want %q", got, c.want)
			}
			for i := range gaps {
				if gaps[i].Reason == "" {
					t.Errorf("gap %s has no reason", gaps[i].Part)
				}
				gaps[i].Reason = ""
			}
			if !slices.Equal(gaps, c.gaps) {
				t.Errorf("gaps %v, want %v", gaps, c.gaps)
			}
		})
	}
}

// TestUnreadableFolderIsAGap needs another user than root, who
// may list everything.
func TestUnreadableFolderIsAGap(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may list every folder")
	}
	base := t.TempDir()
	if err := os.MkdirAll(filepath.Join(base, "open"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "open", "a.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "shut"), 0); err != nil {
		t.Fatal(err)
	}
	found, gaps := Expand(base, []string{"**/*.yaml"}, nil)
	if len(found) != 1 || len(gaps) != 1 || gaps[0].State != providers.Denied {
		t.Errorf("files %v, gaps %v", found, gaps)
	}
}
