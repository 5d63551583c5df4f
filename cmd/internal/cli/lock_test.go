package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/audit"
)

// What somebody else wrote after the file was read stays.
func TestReplaceFileKeepsAnothersChange(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ledger.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("saved in an editor\n")
	if err := replaceFile(name, []byte("read\n"), []byte("mine\n")); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(name); string(got) != "saved in an editor\n" {
		t.Errorf("the file says %q", got)
	}
	write("read\n")
	if err := replaceFile(name, []byte("read\n"), []byte("mine\n")); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(name); string(got) != "mine\n" {
		t.Errorf("the file says %q", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(name, []byte("mine\n"), nil); err == nil || !strings.Contains(err.Error(), "taken away meanwhile") {
		t.Errorf("error %v", err)
	}
	if left := tree(t, filepath.Dir(name)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A lock that is held ends the wait with the command, keeps a change from being
// made, and leaves no file. Reading and --dry-run need none.
func TestLockLedger(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "ledger.yaml")
	const text = "ledger: rolecall/v1\nroles: {}\n"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockLedger(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if free, held := tryLock(name); !held {
		free()
		t.Skip("no locks here")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lockLedger(ended, name); !errors.Is(err, audit.ErrInterrupted) {
		t.Errorf("error %v", err)
	}
	run := func(args ...string) (int, string) {
		var out, said bytes.Buffer
		code := Main(t.Context(), args, func(string) (string, bool) { return "", false }, Streams{In: strings.NewReader(""), Out: &out, Err: &said})
		return code, said.String()
	}
	waive := []string{"ledger", "waive", "removed:a@s", "--ledger", name, "--reason", "r", "--until", "2026-12-24", "--now", "2026-11-25T00:00:00Z"}
	if code, said := run(append(waive, "--dry-run")...); code != exitClean {
		t.Errorf("--dry-run: exit %d: %s", code, said)
	}
	if _, err := lockWithin(t.Context(), name, 0); codeOf(t.Context(), err) != exitInternal || !strings.Contains(err.Error(), "another rolecall is changing it") {
		t.Errorf("error %v", err)
	}
	if now, _ := os.ReadFile(name); string(now) != text {
		t.Errorf("the ledger says %q", now)
	}
	unlock()
	if code, said := run(waive...); code != exitClean {
		t.Errorf("exit %d: %s", code, said)
	}
	if left := tree(t, dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
