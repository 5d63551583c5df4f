package kubernetes

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// FuzzReadManifest holds that no text brings the reader down, that what it
// finds has a place in the text, and that a CronJob which it found is the same
// when it is written out and read again.
func FuzzReadManifest(f *testing.F) {
	good := cronJob("a", "0 3 * * *")
	for _, seed := range []string{
		good, good + "---\n" + configMap, "kind: List\nitems:\n- " + good, "{{ x }}\n" + good, "\xff\xfek\x00",
		`{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"a"},"spec":{"schedule":"@daily"}}`,
		"a: &a [*a]\nkind: CronJob", "--- |\n CronJob\n...\n%YAML 1.1\n--- !!binary CronJob", "kind: \"Cron\\\n  Job\"",
		"kind: CronJob\napiVersion: batch/v1\nmetadata: {name: a}\nspec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {containers: [{env: [{name: A, value: $(A)}, {name: A, value: $(A)}]}]}}}}}",
		"? CronJob\n: x\n", "<<: {kind: CronJob}\napiVersion: batch/v1", "kind: CronJobList\napiVersion: batch/v1\nitems: {a: b}", "kind: CronJob\nspec: 7\n",
		"kind: CronJob\napiVersion: batch/v1\nmetadata: {name: a}\nspec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {overhead: {cpu: 1e999999999}}}}}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := readManifest(data)
		lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + bytes.Count(data, []byte("\n\x00")) + 2
		for _, s := range append(r.troubles, r.remarks...) {
			if s.line < 1 || s.text == "" || s.line > lines && bytes.IndexByte(data, 0) < 0 {
				t.Errorf("a saying at line %d of %d: %q", s.line, lines, s.text)
			}
		}
		for _, found := range r.found {
			spec, _ := specOf(found.cronJob, false)
			objectOf(found.cronJob, "s", "p", specs.Pos{}, true)
			found.cronJob.APIVersion, found.cronJob.Kind = "batch/v1", "CronJob"
			out, err := json.Marshal(found.cronJob)
			if err != nil {
				t.Fatal(err)
			}
			again := readManifest(out)
			if len(again.found) != 1 || len(again.troubles) > 0 {
				t.Fatalf("%s\nread again: %+v", out, again)
			}
			if back, _ := specOf(again.found[0].cronJob, false); back.Hash() != spec.Hash() {
				t.Errorf("%s\nread again differs: %+v", out, specs.Diff(spec, back))
			}
		}
	})
}
