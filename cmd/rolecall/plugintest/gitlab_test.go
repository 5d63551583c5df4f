package plugintest

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mergeRequest are the variables of a pipeline for one that begins at a commit.
func mergeRequest(base string) []string {
	return []string{"--variable", "CI_PIPELINE_SOURCE=merge_request_event", "--variable", "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + base}
}

// branch are those of the pipeline of the default branch.
var branch = []string{"--variable", "CI_PIPELINE_SOURCE=push", "--variable", "CI_COMMIT_BRANCH=main", "--variable", "CI_DEFAULT_BRANCH=main"}

// pipeline runs the template's job in a checkout.
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
	commit(t, dir)
	return runIn(t, dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, "node",
		append([]string{main, "--force-shell-executor", "rolecall"}, args...)...)
}

// commit commits all that is in a checkout, and gives the commit.
func commit(t *testing.T, dir string) string {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "shop")
	code, out := runIn(t, dir, nil, "git", "rev-parse", "HEAD")
	if code != 0 {
		t.Fatal(out)
	}
	return strings.TrimSpace(out)
}

// TestGitLabTemplateOfMergeRequest: what the change does to the ledger is judged.
func TestGitLabTemplateOfMergeRequest(t *testing.T) {
	bin := program(t)
	dir := checkout(t)
	base := commit(t, dir)
	ledger := filepath.Join(dir, "ledger.yaml")
	renamed := strings.Replace(read(t, ledger), "\n  retry:\n", "\n  retry-later:\n", 1)
	write(t, ledger, renamed)
	code, out := pipeline(t, dir, bin, mergeRequest(base)...)
	if code != 1 || !strings.Contains(out, "retry@prod: removed") || !strings.Contains(out, "retry-later@prod: missing") {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if report := read(t, filepath.Join(dir, "rolecall.json")); !strings.Contains(report, `"removed:retry@prod"`) || !strings.Contains(report, base) {
		t.Errorf("the report is not that of the gate:\n%s", report)
	}
}

// TestGitLabTemplate: the job fails with the audit's exit code, and leaves the
// report and the tests' results.
func TestGitLabTemplate(t *testing.T) {
	bin := program(t)
	dir := checkout(t)
	code, out := pipeline(t, dir, bin, branch...)
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
	code, out := pipeline(t, checkout(t), bin, append([]string{"--variable", "ROLECALL_ARGS=--exit-zero --allow-partial"}, branch...)...)
	if code != 0 || !strings.Contains(out, "PASS") {
		t.Fatalf("exit %d\n%s", code, out)
	}
}
