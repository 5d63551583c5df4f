package ledger_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/specs"
)

const untidy = `
# Head of the file.

# About the format.
ledger: rolecall/v1   # format
name:   shop


# the roles
roles:
      # first
      retry:    # inline
            owner: "payments"   # who

            # why this source
            source: prod
            version: 1.10
            spec: {schedule: "0 3 * * *",   # nightly
                   command: '/opt/a # no comment', user: deploy}
            previous_roles:
            - a   # once
            # was b
            - 010
      # about rotate
      rotate: {source: x, spec: {schedule: never}, ref: {seen: 2026-11-01T09:00:00Z}}
      third:
            source: x
            spec:
                schedule: "@daily"
                stdin: |
                    # no comment either

                      indented
            # end of third
# about the waivers
waivers:
- finding: drift:retry@prod
  reason: r
  # the end
  until: 2027-01-01
# end of file
`

const tidy = `# Head of the file.

# About the format.
ledger: rolecall/v1 # format
name: shop

# the roles
roles:
  # first
  retry: # inline
    owner: "payments" # who
    # why this source
    source: prod
    version: 1.10
    spec:
      schedule: "0 3 * * *" # nightly
      command: '/opt/a # no comment'
      user: deploy
    previous_roles:
      - a # once
      # was b
      - 010

  # about rotate
  rotate: {source: x, spec: {schedule: never}, ref: {seen: '2026-11-01T09:00:00Z'}}

  third:
    source: x
    spec:
      schedule: "@daily"
      stdin: |
        # no comment either

          indented
      # end of third

# about the waivers
waivers:
  - finding: drift:retry@prod
    reason: r
    # the end
    until: 2027-01-01
# end of file
`

func TestFormat(t *testing.T) {
	for name, in := range map[string]string{"untidy": untidy, "with CRLF": strings.ReplaceAll(untidy, "\n", "\r\n"), "tidy": tidy} {
		got, err := ledger.FormatFile("ledger.yaml", []byte(in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tidy, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFormatSaysTheSame(t *testing.T) {
	for _, file := range files(t, "ok") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out, err := ledger.FormatFile(file, data)
			if err != nil {
				t.Fatal(err)
			}
			again, err := ledger.FormatFile(file, out)
			if err != nil || !bytes.Equal(out, again) {
				t.Errorf("laid out twice (%v):\n%s", err, cmp.Diff(string(out), string(again)))
			}
			read := func(string) ([]byte, error) { return nil, nil }
			before, _, err := ledger.Parse("l", data, read)
			if err != nil {
				t.Fatal(err)
			}
			after, _, err := ledger.Parse("l", out, read)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before.Roles, after.Roles, cmpopts.IgnoreTypes(specs.Pos{}), cmpopts.IgnoreFields(specs.Statement{}, "Fields"), cmp.Comparer(func(a, b specs.Hash) bool { return a == b })); diff != "" {
				t.Errorf("roles (-before +after):\n%s", diff)
			}
		})
	}
}

func TestFormatRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                            "ledger.yaml: not YAML",
		"a: [\n":                      "ledger.yaml: not YAML: line",
		"- a\n":                       "not a mapping",
		"ledger: a\n---\nledger: b\n": "more than one document",
		"a: b\na: c\n":                "",
	} {
		out, err := ledger.FormatFile("ledger.yaml", []byte(text))
		if says == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || out != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q gives %q, %v; want an error that says %q", text, out, err, says)
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add([]byte(untidy))
	f.Add([]byte(tidy))
	f.Add([]byte("roles:\n  a: {b: c} # d\n  # e\n\n  f: >-\n    g\n    h\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := ledger.FormatFile("l", data)
		if err != nil {
			return
		}
		again, err := ledger.FormatFile("l", out)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("%q is laid out as %q and then %q (%v)", data, out, again, err)
		}
	})
}
