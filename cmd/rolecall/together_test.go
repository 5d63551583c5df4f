package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rolecall-dev/rolecall/cmd/internal/cli"
)

// TestChangesOfALedgerAtOnce: changes that are made at the same time, in one
// process or several, are all in the ledger.
func TestChangesOfALedgerAtOnce(t *testing.T) {
	runs := map[string]func(dir string, args []string) (bool, string){
		"one process": func(dir string, args []string) (bool, string) {
			var out, said bytes.Buffer
			noEnv := func(string) (string, bool) { return "", false }
			code := cli.Main(context.Background(), args, noEnv, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &said})
			return code == 0, said.String()
		},
		"processes": func(dir string, args []string) (bool, string) {
			cmd := exec.Command("rolecall", args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			return err == nil, string(out)
		},
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			const each = 12
			var crontab strings.Builder
			for i := range each {
				fmt.Fprintf(&crontab, "# rolecall: role=new-%d\n%d 3 * * * /opt/new-%d\n", i, i, i)
			}
			put := func(name, text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			put("ledger.yaml", "ledger: rolecall/v1\nroles: {}\n")
			put("web.crontab", crontab.String())
			put("rolecall.yaml", "sources:\n  - name: web\n    crontab: {files: [web.crontab]}\n")
			config := []string{"--config", filepath.Join(dir, "rolecall.yaml"), "--ledger", filepath.Join(dir, "ledger.yaml"), "--now", "2026-11-25T00:00:00Z"}
			ids := objectIDs(t, dir, config)
			if len(ids) != each {
				t.Fatalf("objects: %q", ids)
			}
			var all [][]string
			for i, id := range ids {
				all = append(all,
					append([]string{"ledger", "waive", fmt.Sprintf("removed:gone-%d@web", i), "--reason", "r", "--until", "2026-12-24"}, config...),
					append([]string{"ledger", "adopt", id, "--offline"}, config...))
			}
			var wg sync.WaitGroup
			for _, args := range all {
				wg.Go(func() {
					if ok, said := run(dir, args); !ok {
						t.Errorf("%q: %s", args, said)
					}
				})
			}
			wg.Wait()
			got, err := os.ReadFile(filepath.Join(dir, "ledger.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range each {
				for _, want := range []string{fmt.Sprintf("removed:gone-%d@web", i), fmt.Sprintf("\n  new-%d:", i)} {
					if strings.Count(string(got), want) != 1 {
						t.Errorf("the ledger lacks %q:\n%s", want, got)
					}
				}
			}
		})
	}
}

func objectIDs(t *testing.T, dir string, config []string) (ids []string) {
	t.Helper()
	cmd := exec.Command("rolecall", append([]string{"list", "--offline", "-o", "wide"}, config...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(out)) {
		if strings.HasPrefix(word, "crontab:web/") {
			ids = append(ids, word)
		}
	}
	return ids
}
