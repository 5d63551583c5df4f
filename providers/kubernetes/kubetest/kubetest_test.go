package kubetest

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCachePathIsWhereTheScriptBuilds(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	module, err := moduleDir()
	if err != nil {
		t.Fatal(err)
	}
	want, err := exec.Command(sh, filepath.Join(module, "build.sh"), "--where").Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := cachePath()
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.TrimSpace(string(want)) {
		t.Errorf("tests look for %s, the script builds %s", got, want)
	}
}

func TestStart(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	c := Start(t, Controllers, Node)
	version := c.Must(t, http.MethodGet, "/version", nil)
	if !strings.Contains(string(version), `"v1.`) {
		t.Errorf("version %s", version)
	}
	c.KillServer()
	if _, err := c.Do(http.MethodGet, "/version", nil); err == nil {
		t.Error("the server answers after it was killed")
	}
	if err := c.StartServer(); err != nil {
		t.Fatal(err)
	}
	requests, err := c.Requests()
	if err != nil || len(requests) == 0 {
		t.Errorf("%d requests logged, %v", len(requests), err)
	}
}
