package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

// schemas are the two that are in common use: the one of Jenkins' plugins, which
// JUnit 5 holds itself to, and the one of Ant's tasks.
func schemas(t *testing.T) (jenkins, ant string) {
	t.Helper()
	needs(t, "xmllint")
	out, err := exec.Command("./schemas.sh", "--where").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	jenkins, ant = filepath.Join(dir, "jenkins-junit.xsd"), filepath.Join(dir, "JUnit.xsd")
	if _, err := os.Stat(ant); err != nil {
		missing(t, "the schemas are not there; fetch them with schemas.sh")
	}
	return jenkins, ant
}

// lint validates documents by a schema, in one process.
func lint(t *testing.T, schema string, documents map[string]string) (refused []string) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"--noout", "--nonet", "--schema", schema}
	names := map[string]string{}
	for what, text := range documents {
		file := filepath.Join(dir, fmt.Sprintf("%d.xml", len(names)))
		names[file] = what
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	out, _ := exec.Command("xmllint", args...).CombinedOutput()
	valid := 0
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if file, ok := strings.CutSuffix(line, " validates"); ok && names[file] != "" {
			delete(names, file)
			valid++
		}
	}
	for _, what := range names {
		refused = append(refused, what)
	}
	if valid+len(refused) != len(documents) {
		t.Fatalf("%d valid, %d refused of %d: %s", valid, len(refused), len(documents), out)
	}
	if len(refused) > 0 {
		t.Logf("%.3000s", out)
	}
	return refused
}

func TestJUnitSchemas(t *testing.T) {
	jenkins, ant := schemas(t)
	documents, nothingSkipped := map[string]string{"the sample": sample(t, "sample.junit.xml")}, map[string]string{}
	for _, s := range texts(300) {
		r := saved(t, filled(s))
		documents[fmt.Sprintf("%q", s)] = show(t, render.JUnit, r)
		nothingSkipped[fmt.Sprintf("%q", s)] = show(t, render.JUnit, saved(t, counting(r)))
	}
	if refused := lint(t, jenkins, documents); len(refused) > 0 {
		t.Errorf("Jenkins' schema refuses %q", refused)
	}
	if refused := lint(t, jenkins, nothingSkipped); len(refused) > 0 {
		t.Errorf("Jenkins' schema refuses %q", refused)
	}
	if refused := lint(t, ant, nothingSkipped); len(refused) > 0 {
		t.Errorf("Ant's schema refuses %q", refused)
	}
	bad := strings.Replace(sample(t, "sample.junit.xml"), `classname="prod"`, `class="prod"`, 1)
	if refused := lint(t, jenkins, map[string]string{"bad": bad}); len(refused) != 1 {
		t.Error("the schema refuses nothing")
	}
}

// counting is a report without what is out of account.
func counting(r report.Report) report.Report {
	var findings []report.Finding
	r.FailOn = append(report.Gating(), report.Unexpected)
	for _, f := range r.Findings {
		if r.Gates(f) {
			findings = append(findings, f)
		}
	}
	r.Findings, r.Roles, r.Coverage = findings, r.Roles[1:], r.Coverage[1:]
	return r
}
