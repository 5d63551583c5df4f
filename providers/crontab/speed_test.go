package crontab

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
	"github.com/rolecall-dev/rolecall/specs"
)

// What is read at once is what is read in turn.
func TestOfflineEach(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		text := "# rolecall: role=r" + fmt.Sprint(i) + "\n" + bigTable(40) + "0 0 12 * * ? /opt/a\n61 * * * * /opt/b\n"
		if i == 7 {
			text = strings.TrimSuffix(text, "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("t", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func(each func(int, func(int))) providers.Observation {
		cfg := Config{Source: "s", Base: dir, Files: []File{{Path: "."}, {Path: "-"}, {Path: "-", User: "deploy"}, {Path: "gone"}}, Each: each}
		p, err := New(NewHost("/", strings.NewReader(bigTable(3))), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return p.Observe(context.Background(), providers.Selection{})
	}
	inTurn := look(nil)
	if len(inTurn.Objects) < 30*41 || len(inTurn.Notes) < 30 || len(inTurn.Gaps()) != 1 {
		t.Fatalf("%d objects, %d notes, gaps %v", len(inTurn.Objects), len(inTurn.Notes), inTurn.Gaps())
	}
	atOnce := look(func(n int, f func(int)) {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { f(i) })
		}
		wg.Wait()
	})
	opts := cmp.Options{cmp.Comparer(func(a, b specs.Spec) bool { return a.Hash() == b.Hash() && a.Written() == b.Written() })}
	if diff := cmp.Diff(inTurn, atOnce, opts); diff != "" {
		t.Error(diff)
	}
}

// The filter stops no line about which there is something to say.
func TestMayHaveSurplus(t *testing.T) {
	words := []string{"*", "?", "1-5", "mon", "MON-FRI", "L", "LW", "2030", "7z", "/opt/a", "root", "-c", "[", "5/x", "jan,", "~3", "2#1", "é"}
	for _, system := range []bool{false, true} {
		g := grammar{dialect: specs.Debian, system: system}
		said := 0
		for _, a := range words {
			for _, b := range words {
				for _, c := range words {
					e := entry{written: "0 0 1 1 *", command: a + " " + b + "\t" + c + " x"}
					if system {
						e.user, e.command = a, b+" "+c+" x"
					}
					if g.surplus(e.written+" "+e.user+" "+e.command) == "" {
						continue
					}
					if said++; !mayHaveSurplus(e) {
						t.Errorf("%+v is stopped", e)
					}
				}
			}
		}
		if said == 0 {
			t.Error("nothing was said of any line")
		}
	}
}
