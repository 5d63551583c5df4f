package cli

import (
	"strings"
	"testing"
)

// What is a secret by its place is masked in what a plan shows, and the rest is
// shown as it is written.
func TestMaskedFile(t *testing.T) {
	const plain = "# of retry\nmetadata: {name: retry}   # kept\nspec:\n    schedule: \"*/5 * * * *\"\n    env: [{name: LANG, value: C.UTF-8}, {name: TRIES, value: \"5\"}]\n"
	for name, c := range map[string]struct {
		kind, text string
		hides      []string
		keeps      []string
	}{
		"nothing to hide": {"kubernetes", plain, nil, []string{strings.TrimSuffix(plain, "\n")}},
		"a variable":      {"kubernetes", "spec: {containers: [{name: main, env: [{name: DB, value: opensesame}, {name: REF, valueFrom: {secretKeyRef: {name: db, key: pw}}}]}]}", []string{"opensesame"}, []string{"name: DB", "key: pw", "name: main"}},
		"a header":        {"kubernetes", "httpHeaders: [{name: X-Key, value: open sesame}]", []string{"sesame"}, []string{"X-Key"}},
		"several lines":   {"kubernetes", "env:\n- name: PEM\n  value: |\n    open\n    sesame\n", []string{"open", "sesame"}, []string{"PEM"}},
		"an argument":     {"kubernetes", "args: [--password, opensesame, --verbose]", []string{"opensesame"}, []string{"--verbose"}},
		"options":         {"kubernetes", "flexVolume: {driver: x/y, options: {share: opensesame}}", []string{"opensesame"}, []string{"x/y"}},
		"a workflow":      {"github", "env: {DB: opensesame, REF: '${{ secrets.DB }}'}\njobs: {a: {steps: [{run: make, env: {B: opensesame}}]}}", []string{"opensesame"}, []string{"${{ secrets.DB }}", "make"}},
		"not YAML":        {"kubernetes", "a: [\npassword: opensesame", []string{"opensesame"}, nil},
		"a crontab":       {"crontab", "DB=opensesame\n  \"A B\" = 'opensesame'\nSHELL=/bin/sh\n# X=y\n5 4 * * * A=shown cmd\n", []string{"opensesame"}, []string{"DB=***", "\"A B\" = ***", "SHELL=/bin/sh", "# X=y", "5 4 * * * A=shown cmd"}},
	} {
		got := maskedFile(c.kind, []byte(c.text))
		for _, h := range c.hides {
			if strings.Contains(got, h) {
				t.Errorf("%s: %q is shown in\n%s", name, h, got)
			}
		}
		for _, k := range c.keeps {
			if !strings.Contains(got, k) {
				t.Errorf("%s: %q is not shown in\n%s", name, k, got)
			}
		}
	}
}

func FuzzMaskedFile(f *testing.F) {
	f.Add("kubernetes", "env: [{name: A, value: b}]")
	f.Add("crontab", "A=b\n5 4 * * * x\n")
	f.Add("kubernetes", "a: &a [*a, b]")
	f.Fuzz(func(t *testing.T, kind, text string) {
		maskedFile(kind, []byte(text))
	})
}
