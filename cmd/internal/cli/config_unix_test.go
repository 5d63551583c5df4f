//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesAreNotOpened would wait for ever if one were.
func TestPipesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "roles", "a.yaml")
	if err := os.Mkdir(filepath.Dir(pipe), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip("no named pipes here:", err)
	}
	path := filepath.Join(dir, "ledger.yaml")
	if err := os.WriteFile(path, []byte(oneTemplate), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadLedger(path); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a pipe as template: error %v", err)
	}
	if _, _, err := LoadLedger(pipe); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a pipe as ledger: error %v", err)
	}
	if _, err := LoadConfig(pipe); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a pipe as config: error %v", err)
	}
}
