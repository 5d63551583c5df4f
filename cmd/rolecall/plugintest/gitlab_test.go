package plugintest

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pipeline runs the template's job in a checkout, as a merge request would.
func pipeline(t *testing.T, dir, bin string, args ...string) (int, string) {
	t.Helper()
	where, err := exec.Command("./gitlab.sh", "--where").Output()
	if err != nil {
		t.Fatal(err)
	}
	main := strings.TrimSpace(string(where))
	for _, need := range []string{"node", "rsync"} {
		if _, err := exec.LookPath(need); err != nil {
			absent(t, err)
		}
	}
	if _, err := os.Stat(main); err != nil {
		absent(t, err)
	}
	write(t, filepath.Join(dir, "rolecall.gitlab-ci.yml"), read(t, filepath.Join(deploy, "gitlab/rolecall.gitlab-ci.yml")))
	write(t, filepath.Join(dir, ".gitlab-ci.yml"), "include:\n  - local: rolecall.gitlab-ci.yml\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "shop")
	return runIn(t, dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, "node",
		append([]string{main, "--force-shell-executor", "--variable", "CI_PIPELINE_SOURCE=merge_request_event", "rolecall"}, args...)...)
}

// TestGitLabTemplate: the job fails with the audit's exit code, and leaves the
// report and the tests' results.
func TestGitLabTemplate(t *testing.T) {
	bin := program(t)
	dir := checkout(t)
	code, out := pipeline(t, dir, bin)
	if code != 1 || !strings.Contains(out, "retry@prod: missing") {
		t.Fatalf("exit %d\n%s", code, out)
	}
	var suites struct {
		Suites []struct {
			Cases []struct {
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(read(t, filepath.Join(dir, "rolecall.xml"))), &suites); err != nil {
		t.Fatal(err)
	}
	cases, failures := 0, 0
	for _, s := range suites.Suites {
		for _, c := range s.Cases {
			cases++
			if c.Failure != nil {
				failures++
			}
		}
	}
	if cases < 10 || failures == 0 {
		t.Errorf("rolecall.xml has %d cases, %d failures", cases, failures)
	}
	if !strings.Contains(read(t, filepath.Join(dir, ".gitlab-ci-local/artifacts/rolecall/rolecall.json")), `"verdict": "findings"`) {
		t.Error("the report is no artifact")
	}
}

func TestGitLabTemplatePasses(t *testing.T) {
	bin := program(t)
	code, out := pipeline(t, checkout(t), bin, "--variable", "ROLECALL_ARGS=--exit-zero --allow-partial")
	if code != 0 || !strings.Contains(out, "PASS") {
		t.Fatalf("exit %d\n%s", code, out)
	}
}
